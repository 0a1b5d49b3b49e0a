"""No text meets another or leaves the figure, whatever chart, width and theme; type is fit to print."""

from __future__ import annotations

import itertools
from typing import Any

import matplotlib.text
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg

from analysis.charts import style
from analysis.charts.layout import compact, panels, paragraph, shorten, spread, text_width, wrap
from analysis.charts.save import make_figure
from tests.analysis.charts.kinds import CASES, KINDS

CAPTION = "100,000 mirrored pairs a cell, seed 2026, rules eaai (debeff54525b); 95 % intervals."
TOUCH = 0.6
"""Points by which boxes of text may meet: a box has some air above and below its letters."""


def drawn(kind: str, table: str, width: float, dark: bool) -> Any:
    """Return a chart as a figure that has been drawn."""
    told = KINDS[kind]
    info = told.tables[table]()
    with style.theme(dark, width):
        figure = make_figure(
            told.draw,
            info,
            width=width,
            height=told.height(info, width),
            title="What a knock is worth",
            caption=CAPTION,
        )
        FigureCanvasAgg(figure).draw()
    return figure


def texts(figure: Any) -> list[Any]:
    """Return all visible text of a figure; ticks beyond the ends of an axis are not drawn."""
    hidden: set[Any] = set()
    for axes in figure.axes + [child for one in figure.axes for child in one.child_axes]:
        for axis in (axes.xaxis, axes.yaxis):
            if not axes.axison or not axis.get_visible():
                hidden |= set(axis.findobj(matplotlib.text.Text))
                continue
            shown = {id(tick) for tick in axis._update_ticks()}
            for tick in itertools.chain(axis.majorTicks, axis.minorTicks):
                if id(tick) not in shown:
                    hidden |= {tick.label1, tick.label2}
    return [
        text
        for text in figure.findobj(matplotlib.text.Text)
        if text.get_visible() and text.get_text().strip() and text not in hidden
    ]


def boxes(figure: Any) -> list[tuple[str, Any]]:
    """Return each text with its box in points; of turned text the box of what is printed."""
    scale = 72 / figure.dpi
    told = []
    for text in texts(figure):
        box = matplotlib.text.Text.get_window_extent(text)
        if box.width and box.height:
            told.append((text.get_text(), [box.x0 * scale, box.y0 * scale, box.x1 * scale, box.y1 * scale]))
    return told


def overlaps(told: list[tuple[str, Any]]) -> list[tuple[str, str]]:
    return [
        (one, other)
        for (one, a), (other, b) in itertools.combinations(told, 2)
        if min(a[2], b[2]) - max(a[0], b[0]) > TOUCH and min(a[3], b[3]) - max(a[1], b[1]) > TOUCH
    ]


def outside(figure: Any, told: list[tuple[str, Any]]) -> list[str]:
    width, height = 72 * figure.get_figwidth(), 72 * figure.get_figheight()
    return [
        text
        for text, (x0, y0, x1, y1) in told
        if x0 < -TOUCH or y0 < -TOUCH or x1 > width + TOUCH or y1 > height + TOUCH
    ]


def check(kind: str, table: str, width: float, dark: bool) -> None:
    figure = drawn(kind, table, width, dark)
    told = boxes(figure)
    assert len(told) > 4
    assert overlaps(told) == []
    assert outside(figure, told) == []
    sizes = {text.get_text(): text.get_fontsize() for text in texts(figure)}
    assert {text: size for text, size in sizes.items() if size < style.LEAST_TYPE} == {}
    chosen = style.DARK if dark else style.LIGHT
    for text in figure.findobj(matplotlib.text.Text):
        if text.axes is None:  # titles and captions, on the paper itself
            assert style.contrast(text.get_color(), chosen.paper) >= 4.5
    assert figure.get_figwidth() == width and figure.get_figheight() < 10


@pytest.mark.parametrize(("width", "dark"), [(style.COLUMN, True), (style.PAGE, False)])
@pytest.mark.parametrize("kind", KINDS)
def test_text_is_clear_of_text(kind: str, width: float, dark: bool) -> None:
    check(kind, next(iter(KINDS[kind].tables)), width, dark)


@pytest.mark.slow
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [style.COLUMN, style.PAGE])
@pytest.mark.parametrize(("kind", "table"), CASES)
def test_text_is_clear_of_text_at_the_extremes(kind: str, table: str, width: float, dark: bool) -> None:
    check(kind, table, width, dark)


def test_the_check_finds_what_is_wrong() -> None:
    """Text on text, and text cut off, are found."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(3, 2))
    figure.text(0.4, 0.5, "one thing")
    figure.text(0.45, 0.51, "another")
    figure.text(0.9, 0.1, "much too long for here")
    FigureCanvasAgg(figure).draw()
    told = boxes(figure)
    assert overlaps(told) == [("one thing", "another")]
    assert outside(figure, told) == ["much too long for here"]


# --- room ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("weight", ["normal", "bold"])
@pytest.mark.parametrize(
    "text", ["not significantly worse", "55.0", "\N{MINUS SIGN}0.14", "two_stage(early=10)"]
)
def test_width_is_that_of_the_printed_text(text: str, weight: str) -> None:
    """At most a tenth too much, never too little: what fits by it fits on the paper."""
    from matplotlib.figure import Figure

    figure = Figure(dpi=200)
    shown = figure.text(0, 0, text, fontsize=8, fontweight=weight, fontfamily="DejaVu Sans")
    printed = shown.get_window_extent(FigureCanvasAgg(figure).get_renderer()).width * 72 / 200
    assert printed <= text_width(text, 8, weight) <= 1.12 * printed


names = st.text("abcdefgh_=(),. 0123456789", min_size=1, max_size=60)


@given(names, st.floats(40, 300))
def test_shortened_text_fits(text: str, width: float) -> None:
    short = shorten(text, width, 7)
    assert text_width(short, 7) <= width
    assert short == text or "\N{HORIZONTAL ELLIPSIS}" in short


@given(names, st.floats(60, 300), st.integers(1, 4))
def test_wrapped_text_fits_and_keeps_its_letters(text: str, width: float, lines: int) -> None:
    told = wrap(text, width, 7, lines)
    assert text_width(told, 7) <= width and told.count("\n") < lines
    if "\N{HORIZONTAL ELLIPSIS}" not in told:
        assert told.replace("\n", "").replace(" ", "") == text.replace(" ", "")


@given(st.lists(st.sampled_from(["seed", "pairs", "rules", "eaai", "95"]), min_size=1, max_size=30))
def test_paragraphs_keep_their_words(words: list[str]) -> None:
    told = paragraph(" ".join(words), 80, 7)
    assert told.split() == words and text_width(told, 7) <= 80


@given(st.lists(st.floats(-100, 100), min_size=1, max_size=12), st.floats(1, 20))
def test_labels_spread_by_the_gap_and_keep_their_order(places: list[float], gap: float) -> None:
    moved = spread(places, gap)
    order = sorted(range(len(places)), key=lambda i: places[i])
    for one, other in itertools.pairwise(order):
        assert moved[other] - moved[one] >= gap - 1e-6
    far = [b - a for a, b in itertools.pairwise(sorted(places))]
    if all(step > gap for step in far):
        assert moved == pytest.approx(places, abs=1e-6)


def test_spread_moves_as_little_as_it_can() -> None:
    assert spread([0, 1, 50], 3) == pytest.approx([-1, 2, 50])


def test_compact_names_differ() -> None:
    names = [f"threshold(k={k}, draw=greedy, discard=simple)" for k in range(4)]
    assert compact(names, 500, 7) == names
    assert compact(names, 90, 7) == [f"threshold(k={k}, \N{HORIZONTAL ELLIPSIS})" for k in range(4)]
    same = [f"threshold(k=3), undercut bonus = {bonus}" for bonus in (10, 25)]
    assert compact(same, 80, 7, 2) == [f"threshold(k=3),\nundercut bonus = {bonus}" for bonus in (10, 25)]
    alike = [f"a very long name in which only one letter {letter} of all of them differs" for letter in "xyz"]
    told = compact(alike, 80, 7)
    assert len(set(told)) == 3 and max(text_width(name, 7) for name in told) <= 80


def test_panels_need_a_grid() -> None:
    from matplotlib.figure import Figure

    with pytest.raises(ValueError, match="small multiples"):
        panels(Figure().add_axes((0, 0, 1, 1)), 1, 2, 2)
