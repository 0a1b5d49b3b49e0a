"""How charts look: two themes, type sizes for print, colours that every kind of colour vision tells apart.

Drawing functions take what they need from the Axes they are given: the theme from its background, the
size of type from matplotlib's settings. `theme` puts a theme into those settings.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import matplotlib
import numpy as np
import numpy.typing as npt
from matplotlib.colors import LinearSegmentedColormap, to_hex, to_rgb

COLUMN, PAGE = 3.5, 7.0
"""Widths in inches: a column of print, and the page."""

LEAST_TYPE = 6.5
"""Points; the smallest type that is read in print without effort."""


@dataclass(frozen=True)
class Theme:
    """Colours of a chart.

    Attributes
    ----------
    name : str
        ``light`` or ``dark``.
    paper, ink, muted, faint : str
        Background, text, secondary text, rules and grids.
    colours : tuple of str
        For classes, from the palette of Okabe and Ito, those with most contrast to the paper first.
    low, centre, high : str
        Ends and centre of the diverging map.
    """

    name: str
    paper: str
    ink: str
    muted: str
    faint: str
    colours: tuple[str, ...]
    low: str
    centre: str
    high: str


# M. Okabe and K. Ito, Color Universal Design (2002); the yellow is left to the dark theme, the black too.
LIGHT = Theme(
    name="light",
    paper="#ffffff",
    ink="#1a1a1a",
    muted="#595959",
    faint="#b8b8b8",
    colours=("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#56B4E9", "#E69F00"),
    low="#a04400",
    centre="#f7f7f7",
    high="#005a96",
)
DARK = Theme(
    name="dark",
    paper="#14171c",
    ink="#ececec",
    muted="#a8adb5",
    faint="#565c66",
    colours=("#56B4E9", "#E69F00", "#009E73", "#CC79A7", "#F0E442", "#D55E00", "#ffffff"),
    low="#f59a4d",
    centre="#272b32",
    high="#5ab4f0",
)

MARKERS = ("o", "s", "^", "D", "v", "P", "X")
DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (7, 2)), (0, (3, 1)))
"""Second mark of a class beside its colour, for print in grey."""


def theme_of(axes: Any) -> Theme:
    """Return the theme that fits the background of Axes."""
    return DARK if luminance(axes.get_facecolor()) < 0.2 else LIGHT


@contextmanager
def theme(dark: bool = False, width: float = PAGE) -> Iterator[Theme]:
    """Draw in a theme, with type for a width in inches; figures must be made inside."""
    chosen = DARK if dark else LIGHT
    told: Any = settings(chosen, width)
    with matplotlib.rc_context(told):
        yield chosen


def settings(chosen: Theme, width: float) -> dict[str, Any]:
    """Return matplotlib's settings for a theme and a width in inches.

    Text becomes outlines in SVG: the chart then looks the same wherever it is opened, and the bytes do
    not depend on installed fonts (matplotlib brings its own).
    """
    size = 8.5 if width > 5 else 7.0
    ink, muted = chosen.ink, chosen.muted
    return {
        "font.family": "DejaVu Sans",
        "font.size": size,
        "axes.titlesize": size,
        "axes.labelsize": size,
        "axes.titlelocation": "left",
        "xtick.labelsize": size,
        "ytick.labelsize": size,
        "legend.fontsize": size,
        "legend.title_fontsize": size,
        "figure.titlesize": size + 1.5,
        "figure.facecolor": chosen.paper,
        "savefig.facecolor": chosen.paper,
        "axes.facecolor": chosen.paper,
        "text.color": ink,
        "axes.labelcolor": ink,
        "axes.titlecolor": ink,
        "axes.edgecolor": muted,
        "xtick.color": muted,
        "ytick.color": muted,
        "xtick.labelcolor": ink,
        "ytick.labelcolor": ink,
        "grid.color": chosen.faint,
        "hatch.linewidth": 0.5,
        "axes.linewidth": 0.6,
        "xtick.major.width": 0.6,
        "ytick.major.width": 0.6,
        "xtick.major.size": 2.5,
        "ytick.major.size": 2.5,
        "xtick.minor.size": 1.5,
        "ytick.minor.size": 1.5,
        "lines.linewidth": 1.3,
        "lines.markersize": 4,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "legend.frameon": False,
        "svg.fonttype": "path",
        "svg.hashsalt": "ginlab",
        "path.simplify": False,
    }


def type_size() -> float:
    """Return the size of type in points that matplotlib is set to."""
    return max(LEAST_TYPE, float(matplotlib.rcParams["font.size"]))


def small_size() -> float:
    """Return the size of secondary type in points."""
    return max(LEAST_TYPE, type_size() - 1)


# --- colours -------------------------------------------------------------------------------------


def luminance(colour: Any) -> float:
    """Return the relative luminance of a colour, 0 ... 1 (WCAG 2.2)."""
    red, green, blue = (_linear(part) for part in to_rgb(colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: Any, other: Any) -> float:
    """Return the contrast ratio of two colours, 1 ... 21 (WCAG 2.2)."""
    dim, bright = sorted((luminance(one), luminance(other)))
    return (bright + 0.05) / (dim + 0.05)


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else float(((part + 0.055) / 1.055) ** 2.4)


def readable(colour: Any, chosen: Theme) -> str:
    """Return a colour for text: mixed with the ink until it contrasts with the paper by 4.5 (WCAG 2.2 AA)."""
    base, ink = np.array(to_rgb(colour)), np.array(to_rgb(chosen.ink))
    for part in np.linspace(0, 1, 21):
        mixed = (1 - part) * base + part * ink
        if contrast(mixed, chosen.paper) >= 4.5:
            return to_hex(mixed)
    return chosen.ink


def text_on(colour: Any) -> str:
    """Return black or white, whichever is read better on a colour."""
    return max(("#000000", "#ffffff"), key=lambda text: contrast(text, colour))


# Bjorn Ottosson, A perceptual color space for image processing (2020): linear sRGB to cone responses,
# and their cube roots to lightness and two opponent axes.
_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_OKLAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def oklab(colour: Any) -> npt.NDArray[np.float64]:
    """Return a colour in OKLab: lightness 0 ... 1 and two opponent axes, distances as they are seen."""
    linear = np.array([_linear(part) for part in to_rgb(colour)])
    lab: npt.NDArray[np.float64] = _OKLAB @ np.cbrt(_CONES @ linear)
    return lab


def _from_oklab(lab: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    linear = np.linalg.solve(_CONES, np.linalg.solve(_OKLAB, lab) ** 3).clip(0, 1)
    return np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055).clip(0, 1)


def diverging(chosen: Theme) -> LinearSegmentedColormap:
    """Return a map from orange through the paper's grey to blue, of even steps in OKLab."""
    low, centre, high = (oklab(colour) for colour in (chosen.low, chosen.centre, chosen.high))
    steps = np.linspace(0, 1, 128)[:, None]
    halves = (low + steps * (centre - low), centre + steps[1:] * (high - centre))
    colours = [_from_oklab(lab) for lab in np.concatenate(halves)]
    return LinearSegmentedColormap.from_list(f"ginlab_{chosen.name}", colours, N=255)


def sequential(chosen: Theme) -> Any:
    """Return a map for counts and rates: most where it stands out most from the paper."""
    name = "cividis" if chosen.name == "dark" else "cividis_r"
    return matplotlib.colormaps[name]
