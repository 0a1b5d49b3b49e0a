from __future__ import annotations

import re
import tomllib
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.experiment.experiment import Experiment
from analysis.report.blocks import Cell, Code, Figure, Folded, Items, Page, Section, Table, Terms, Text, code
from analysis.report.facts import gather
from analysis.report.html import to_html
from analysis.report.markdown import inline, to_markdown
from analysis.report.method import method, stopped_note
from analysis.report.page import make_page
from analysis.report.reproduce import to_toml
from analysis.report.setup import rules_text
from sim.rules import Rules, preset_names
from tests.analysis.report.made_up_runs import made_up

VOID = {"meta", "link", "img", "source", "br", "input"}
TITLE = 'Is 2 < 3 & "4" > `5`? <script>alert(1)</script> *bold* [x](http://example.org) | _u_'


class Reader(HTMLParser):
    """Reads a page as strictly as HTML asks for."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.problems: list[str] = []
        self.attributes: list[tuple[str, dict[str, str | None]]] = []
        self.text: dict[str, str] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes.append((tag, dict(attrs)))
        if len(dict(attrs)) != len(attrs):
            self.problems.append(f"<{tag}> has an attribute twice")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open[-1] != tag:
            self.problems.append(f"</{tag}> closes {self.open[-1:]}, line {self.getpos()[0]}")
        else:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        if self.open:
            self.text[self.open[-1]] = self.text.get(self.open[-1], "") + data


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert not reader.open
    assert reader.problems == []
    return reader


def a_page() -> Page:
    blocks = [
        Text("Plain & `code <x>`."),
        Text("Lead", lead=True),
        Items(["one", "two `three`"]),
        Terms([("word", "meaning < more")]),
        Code("ginlab match 'a b' <c>"),
        Table(
            "A | B", ["k", "`x|y`"], [(Cell("3", 3.0, "(1 to 5)"), "`p|q`"), (Cell("10", 10.0), "r|s")], True
        ),
        Figure("chart", "A <chart>", "A caption & more", 'An "alt" text <with> marks'),
        Folded("Open me", [Text("inside"), Table("t", ["h"], [("c",)])]),
    ]
    return Page(TITLE, "Q?", "facts", [Section("one", "A section", blocks)])


def test_html_is_well_formed_and_needs_nothing_else() -> None:
    html = to_html(a_page(), lambda name: b"<svg xmlns='x'/>")
    reader = read(html)
    assert reader.attributes[0] == ("html", {"lang": "en"})
    assert reader.text["title"] == TITLE
    for tag, attributes in reader.attributes:
        for name in ("src", "href", "srcset", "action", "data", "poster"):
            value = attributes.get(name)
            assert value is None or value.startswith(("data:", "#")), (tag, name, value)
        assert not any(name.startswith("on") for name in attributes)
    assert "@import" not in html and "url(" not in html
    scripts = [tag for tag, _ in reader.attributes if tag == "script"]
    assert len(scripts) == 1


def test_html_has_an_outline_that_skips_nothing() -> None:
    reader = read(to_html(a_page(), lambda name: b"<svg/>"))
    levels = [int(tag[1]) for tag, _ in reader.attributes if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after - before <= 1 for before, after in zip(levels, levels[1:], strict=False))
    ids = [attributes["id"] for _, attributes in reader.attributes if "id" in attributes]
    assert len(ids) == len(set(ids))
    for _, attributes in reader.attributes:
        for name in ("aria-labelledby",):
            assert attributes.get(name) is None or attributes[name] in ids
        link = attributes.get("href")
        assert link is None or not link.startswith("#") or link[1:] in ids
    images = [attributes for tag, attributes in reader.attributes if tag == "img"]
    assert [image["alt"] for image in images] == ['An "alt" text <with> marks']


def test_all_four_forms_of_a_chart_are_in_the_page() -> None:
    asked: list[str] = []

    def svg(name: str) -> bytes:
        asked.append(name)
        return b"<svg/>"

    to_html(a_page(), svg)
    assert sorted(asked) == ["chart", "chart-dark", "chart-narrow", "chart-narrow-dark"]


def test_markdown_escapes_what_comes_from_outside() -> None:
    told = to_markdown(a_page())
    assert "<script>" not in told
    first = told.splitlines()[0]
    assert first.startswith("# Is 2 &lt; 3 &amp;") and r"\*bold\*" in first and r"\[x\]" in first
    rows = [line for line in told.splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows[:4]} == {3}
    assert "figures/chart.svg" in told and "figures/chart-dark.svg" in told
    assert 'alt="An &quot;alt&quot; text &lt;with&gt; marks"' in told


@given(st.text(max_size=40))
def test_marks_are_only_ours(text: str) -> None:
    """Whatever a title holds, it is one line, and code as a whole."""
    assert code(text).count("`") == 2
    assert "\n" not in code(text)
    assert "<" not in inline(text.replace("`", "'"))


KEYS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
SCALARS = st.one_of(
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
)
TABLES = st.dictionaries(
    KEYS, st.one_of(SCALARS, st.lists(SCALARS | st.dictionaries(KEYS, SCALARS, max_size=3)))
)


@given(st.dictionaries(KEYS, SCALARS | st.dictionaries(KEYS, SCALARS, min_size=1, max_size=3), max_size=5))
def test_an_experiment_survives_as_a_file(data: dict[str, Any]) -> None:
    assert tomllib.loads(to_toml(data)) == data


def test_the_file_on_the_page_is_the_experiment() -> None:
    text = """
    title = "T"
    seed = 3
    half_width = 0.01
    metric = "points_per_hand"
    [strategies]
    a = "two_stage({early}, {late}, 4)"
    b = "simple"
    [rules]
    base = "eaai"
    column_multipliers = [1]
    [axes]
    stages = [{label = "10>4", early = 10, late = 4}, {early = 10, late = 2}]
    undercut_bonus = [0, 25]
    """
    experiment = Experiment.from_text(text)
    again = Experiment.from_text(to_toml(experiment.to_dict()))
    assert again.spec == experiment.spec
    assert again.cells == experiment.cells


@pytest.mark.parametrize("leads", [[0.1], [0.0, 0.3, 0.1]])
def test_a_page_has_its_sections_in_order(leads: list[float]) -> None:
    results = made_up(leads, pairs=128)
    page = make_page(results, gather(results), [])
    assert [section.anchor for section in page.sections] == [
        "answer", "method", "rules", "strategies", "headline", "charts", "cells", "more", "conclusions", "reproduce",
    ]  # fmt: skip
    assert all(section.blocks for section in page.sections)
    read(to_html(page, lambda name: b"<svg/>"))
    told = to_markdown(page)
    for table in re.findall(r"(?m)(?:^\|.*\n)+", told):
        counts = {len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}
        assert len(counts) == 1


def test_more_than_a_thousand_cells_are_linked(monkeypatch: pytest.MonkeyPatch) -> None:
    from analysis.report import tables

    monkeypatch.setattr(tables, "MOST_ROWS", 2)
    results = made_up([0.0, 0.1, 0.2], pairs=128)
    table, text = tables.cells_table(results, gather(results), "cells.csv")
    assert isinstance(table, Table) and len(table.rows) == 2
    assert isinstance(text, Text) and "first 2 of 3 cells" in text.text and "`cells.csv`" in text.text


def texts(blocks: Any) -> str:
    return " ".join(block.text for block in blocks if hasattr(block, "text"))


def test_an_interrupted_run_says_so_and_explains_its_intervals() -> None:
    results = made_up([0.2], pairs=128, stopped="interrupted")
    facts = gather(results)
    assert "unfinished" in texts(stopped_note(results, facts))
    assert "anytime-valid" in texts(method(results, facts))
    settled = made_up([0.2], pairs=128)
    assert stopped_note(settled, gather(settled)) == []
    assert "anytime" not in texts(method(settled, gather(settled)))


@pytest.mark.parametrize("name", [name for name in preset_names() if Rules.preset(name).solo is None])
def test_rules_in_words_have_the_numbers_of_the_rules(name: str) -> None:
    rules = Rules.preset(name)
    told = rules_text(rules)
    assert f"{rules.hand_size} cards each" in told
    assert f"Gin pays {rules.gin_bonus} points" in told
    assert f"an undercut {rules.undercut_bonus}" in told
    if rules.knock_limit_source == "fixed" and rules.knock_limit:
        assert f"at most {rules.knock_limit} points of deadwood" in told
    if rules.match_type != "single_hand":
        assert f"goes to {rules.game_target} points" in told


def test_no_backtick_is_left_alone() -> None:
    results = made_up([0.0, 0.3], pairs=128)
    told = to_markdown(make_page(results, gather(results), []))
    outside = re.sub(r"(?ms)^```.*?^```$", "", told)
    assert all(line.count("`") % 2 == 0 for line in outside.splitlines())


def test_reports_go_into_a_folder_that_is_made(tmp_path: Path) -> None:
    from analysis.report.write import report

    written = report(made_up([0.1, 0.2], pairs=128), tmp_path / "new" / "folder")
    assert written.html.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    linked = re.findall(r"figures/[\w-]+\.\w+", written.markdown.read_text(encoding="utf-8"))
    assert linked and all((written.markdown.parent / path).stat().st_size > 0 for path in linked)
    assert len(written.figures) * 4 == written.html.read_text(encoding="utf-8").count("data:image/svg+xml")
    assert not list(written.html.parent.rglob("*.part"))
