"""Files of a chart: bytes that do not change, data that can be drawn again, words for who cannot see it."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pandas as pd
import pytest

from analysis.charts import style
from analysis.charts.save import read_info, save_chart
from tests.analysis.charts.kinds import KINDS
from tests.analysis.charts.tables import endings, heatmap

ROOT = Path(__file__).resolve().parent.parent.parent.parent
SVG = "{http://www.w3.org/2000/svg}"


def usual(kind: str) -> pd.DataFrame:
    return next(iter(KINDS[kind].tables.values()))()


@pytest.mark.parametrize("kind", KINDS)
def test_the_csv_holds_the_table(kind: str, tmp_path: Path) -> None:
    for table in KINDS[kind].tables.values():
        info = table()
        info.to_csv(tmp_path / "info.csv", index=False)
        again = read_info(tmp_path / "info.csv")
        for name in info:
            if info[name].dtype.kind in "ifb":
                pd.testing.assert_series_equal(again[name], info[name], check_dtype=False)
            else:
                assert list(again[name].fillna("")) == list(info[name].fillna("").astype(str))


def test_labels_that_look_like_numbers_or_nothing_stay_as_they_are(tmp_path: Path) -> None:
    info = heatmap(3, 2)
    info["row"] = info["row"].map({"0": "0.50", "1": "null", "2": "None"})
    info.to_csv(tmp_path / "info.csv", index=False)
    assert list(read_info(tmp_path / "info.csv")["row"]) == list(info["row"])


def test_a_chart_can_be_drawn_again_from_its_csv(tmp_path: Path) -> None:
    told = KINDS["endings"]
    first = save_chart(told.draw, endings(3), tmp_path / "first", width=style.COLUMN, height=0.8)
    again = save_chart(told.draw, read_info(first.csv), tmp_path / "again", width=style.COLUMN, height=0.8)
    for one, other in ((first.svg, again.svg), (first.png, again.png), (first.csv, again.csv)):
        assert one.read_bytes() == other.read_bytes()


DRAW = """
import sys
from analysis.charts.save import save_chart
from tests.analysis.charts.kinds import KINDS

told = KINDS["heatmap"]
save_chart(told.draw, told.tables["usual"](), sys.argv[1], width=3.5, height=1.5, caption="Seed 1.")
print("matplotlib.pyplot" in sys.modules)
"""


def test_files_are_the_same_bytes_in_another_process(tmp_path: Path) -> None:
    """No display and no pyplot is needed, either."""
    draw = KINDS["heatmap"].draw
    here = [
        save_chart(draw, heatmap(), tmp_path / name, width=style.COLUMN, height=1.5, caption="Seed 1.")
        for name in ("one", "two")
    ]
    done = subprocess.run(
        [sys.executable, "-c", DRAW, str(tmp_path / "there")],
        cwd=ROOT,
        env=os.environ | {"PYTHONHASHSEED": "7"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["False"]
    for end in ("svg", "png", "csv"):
        paths = [*(getattr(saved, end) for saved in here), tmp_path / f"there.{end}"]
        assert len({hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}) == 1


def test_the_svg_says_what_it_shows(tmp_path: Path) -> None:
    told = KINDS["forest"]
    info = usual("forest")
    saved = save_chart(
        told.draw,
        info,
        tmp_path / "chart",
        width=style.COLUMN,
        height=1.5,
        title="Gin & knock",
        caption="Seed 1 < 2.",
        alt=told.alt(info),
    )
    root = ElementTree.parse(saved.svg).getroot()
    assert root.get("role") == "img"
    assert [root[0].tag, root[1].tag] == [f"{SVG}title", f"{SVG}desc"]
    assert root[0].text == "Gin & knock" and root[1].text == told.alt(info) == saved.alt
    assert root.findall(f".//{SVG}text") == []  # outlines: the same wherever it is opened
    assert float(root.get("width", "").removesuffix("pt")) == pytest.approx(72 * style.COLUMN)
    text = saved.svg.read_text(encoding="utf-8")
    assert "<dc:date>" not in text and "http://www.w3.org" in text and saved.caption == "Seed 1 < 2."


def test_a_png_has_200_dots_an_inch(tmp_path: Path) -> None:
    told = KINDS["lengths"]
    saved = save_chart(told.draw, usual("lengths"), tmp_path / "chart.v2", width=style.COLUMN, height=1)
    assert saved.png.name == "chart.png"
    head = saved.png.read_bytes()[:24]
    assert head.startswith(b"\x89PNG") and int.from_bytes(head[16:20]) == 200 * style.COLUMN


def test_the_area_of_data_has_the_height_asked_for() -> None:
    from analysis.charts.save import make_figure

    told = KINDS["lengths"]
    with style.theme():
        figure = make_figure(
            told.draw, usual("lengths"), width=7, height=2.0, title="Title", caption="word " * 60
        )
    (axes,) = figure.axes
    assert axes.get_position().height * figure.get_figheight() == pytest.approx(2.0, abs=0.03)


@pytest.mark.parametrize("kind", KINDS)
def test_words_for_every_table(kind: str) -> None:
    """Whole sentences, without a number that is none."""
    for table in KINDS[kind].tables.values():
        words = KINDS[kind].alt(table())
        assert words.endswith(".") and "nan" not in words.lower().split() and "  " not in words
