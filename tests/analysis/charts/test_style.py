"""Colours: told apart by every kind of colour vision, even in lightness, readable on their paper."""

from __future__ import annotations

import itertools

import matplotlib
import numpy as np
import numpy.typing as npt
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from analysis.charts import style
from analysis.charts.style import DARK, LIGHT, Theme, contrast, diverging, luminance, oklab, readable, text_on

# G. M. Machado, M. M. Oliveira, L. A. F. Fernandes, A physiologically-based model for simulation of color
# vision deficiency, IEEE TVCG 15 (2009), 1291-1298: matrices on linear sRGB, severity 1.
VISION = {
    "full": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
JUST_SEEN = 0.02
"""Distance in OKLab at which two patches side by side are just told apart."""

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])


def seen(colour: str, vision: str) -> npt.NDArray[np.float64]:
    """Return a colour as it is seen, in OKLab."""
    part = np.array(to_rgb(colour))
    linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
    linear = np.clip(VISION[vision] @ linear, 0, 1)
    return oklab(np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055))


def test_oklab_has_its_published_values() -> None:
    assert oklab("#ffffff") == pytest.approx([1, 0, 0], abs=1e-6)
    assert oklab("#000000") == pytest.approx([0, 0, 0], abs=1e-9)
    assert oklab("#ff0000") == pytest.approx([0.62796, 0.22486, 0.12585], abs=1e-5)


def test_contrast_has_its_published_values() -> None:
    assert contrast("#ffffff", "#000000") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)
    assert luminance("#ff0000") == pytest.approx(0.2126)


@THEMES
@pytest.mark.parametrize("vision", VISION)
def test_classes_are_told_apart(theme: Theme, vision: str) -> None:
    points = [seen(colour, vision) for colour in theme.colours]
    nearest = min(float(np.linalg.norm(a - b)) for a, b in itertools.combinations(points, 2))
    assert nearest > 3 * JUST_SEEN


@THEMES
@pytest.mark.parametrize("vision", VISION)
def test_the_ends_of_the_diverging_map_are_told_apart(theme: Theme, vision: str) -> None:
    low, centre, high = (seen(colour, vision) for colour in (theme.low, theme.centre, theme.high))
    for a, b in itertools.combinations((low, centre, high), 2):
        assert np.linalg.norm(a - b) > 9 * JUST_SEEN


@THEMES
def test_the_diverging_map_is_even(theme: Theme) -> None:
    """Lightness goes one way to the centre and back by equal steps; the ends weigh about the same."""
    colours = diverging(theme)
    lightness = np.array([oklab(colours(i))[0] for i in range(colours.N)])
    assert colours.N == 255
    inward = np.diff(lightness[:128]) * (1 if theme is LIGHT else -1)
    outward = np.diff(lightness[127:]) * (-1 if theme is LIGHT else 1)
    for steps in (inward, outward):
        assert (steps > 0).all() and steps.max() / steps.min() < 2
    assert abs(lightness[0] - lightness[-1]) < 0.06
    assert oklab(colours(127)) == pytest.approx(oklab(theme.centre), abs=0.01)


@THEMES
def test_text_and_lines_stand_out(theme: Theme) -> None:
    assert min(contrast(one, theme.paper) for one in (theme.ink, theme.muted)) >= 4.5
    assert min(contrast(one, theme.paper) for one in theme.colours[:5]) >= 3
    for colour in (*theme.colours, theme.faint, theme.paper):
        assert contrast(readable(colour, theme), theme.paper) >= 4.5
    assert readable(theme.ink, theme) == theme.ink


@THEMES
def test_values_are_readable_on_every_cell(theme: Theme) -> None:
    for colours in (diverging(theme), style.sequential(theme)):
        for i in range(colours.N):
            assert contrast(text_on(colours(i)), colours(i)) >= 4.5


def test_every_class_has_its_own_marker_and_dash() -> None:
    for theme in (LIGHT, DARK):
        assert len(theme.colours) == len(set(style.MARKERS)) == len(set(style.DASHES))


def test_the_theme_is_told_by_the_background() -> None:
    for dark, chosen in ((False, LIGHT), (True, DARK)):
        with style.theme(dark):
            assert style.theme_of(Figure().add_subplot()) is chosen
    assert style.theme_of(Figure().add_subplot()) is LIGHT


@pytest.mark.parametrize("width", [style.COLUMN, style.PAGE])
def test_type_is_fit_to_print(width: float) -> None:
    before = dict(matplotlib.rcParams)
    with style.theme(width=width):
        assert style.type_size() >= style.small_size() >= style.LEAST_TYPE
    assert dict(matplotlib.rcParams) == before
