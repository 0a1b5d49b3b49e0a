"""What comes from outside is never run, never writes outside of its folder, and is text on a page."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from analysis.console import UsageError
from analysis.experiment import model
from analysis.experiment.experiment import Experiment
from analysis.experiment.runs import resume, start
from analysis.report import write
from analysis.report.compare import compare
from analysis.report.facts import gather
from analysis.report.html import to_html
from analysis.report.markdown import to_markdown
from analysis.report.page import make_page
from analysis.store.folder import load
from analysis.store.parquet import read_table
from sim._jit import COMPILED
from sim.run import RunError
from strategies.base import StrategyError, load_strategy_file, parse_strategy
from tests.analysis.command_line import run
from tests.analysis.experiments import SMALL, small

ROOT = Path(__file__).resolve().parent.parent.parent
MY_GOLD = ROOT / "docs" / "examples" / "my_gold.py"
FEW = 7 if COMPILED else 2

UNSAFE_MODULES = {
    "pickle",
    "cPickle",
    "_pickle",
    "marshal",
    "shelve",
    "dill",
    "cloudpickle",
    "joblib",
    "yaml",
}
UNSAFE_CALLS = {"eval", "exec", "compile", "__import__", "read_pickle", "to_pickle", "literal_eval", "system"}
ALLOWED = {
    ("strategies/base.py", "exec_module"),
    ("sim/_jit.py", "compile"),
    ("analysis/store/manifest.py", "system"),
}
"""A user's strategy file is run where it is named, numba compiles our own, a platform has a name."""


# --- nothing is run ------------------------------------------------------------------------------


@pytest.mark.parametrize("package", ["sim", "strategies", "analysis"])
def test_nothing_reads_what_could_run(package: str) -> None:
    found = []
    for path in sorted((ROOT / package).rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            words: set[str] = set()
            if isinstance(node, ast.Import):
                words = {one.name.split(".")[0] for one in node.names} & UNSAFE_MODULES
            elif isinstance(node, ast.ImportFrom):
                words = {str(node.module).split(".")[0]} & UNSAFE_MODULES
            elif isinstance(node, ast.Call):
                whose, _, called = ast.unparse(node.func).rpartition(".")
                words = {called} & (UNSAFE_CALLS | {"exec_module"}) if whose != "re" else set()
                words |= {"allow_pickle" for one in node.keywords if one.arg == "allow_pickle"}
                words |= {"shell" for one in node.keywords if one.arg == "shell"}
            found += [(name, word) for word in words if (name, word) not in ALLOWED]
    assert found == []


def test_a_run_is_opened_without_its_strategy_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(MY_GOLD, tmp_path / "my_gold.py")
    text = f'title = "x"\nseed = 1\npairs = {FEW}\nstrategy_files = ["my_gold.py"]\n'
    text += '[strategies]\na = "my_gold"\nb = "gold"\n'
    folder, marker = tmp_path / "run", tmp_path / "marker"
    start(Experiment.from_text(text, folder=tmp_path), folder)
    hostile = folder / "strategy_files" / "my_gold.py"
    hostile.write_text(f"open({str(marker)!r}, 'w').close()\n")
    monkeypatch.setattr(write, "plan", lambda results, facts: [])
    results = load(folder)
    assert results.cells[0].a.startswith("my_gold(")
    write.report(folder)
    compare(results, load(folder))
    assert run("compare", str(folder), str(folder)).exit_code == 0
    refused = run("resume", str(folder))
    assert refused.exit_code == 1 and "not the strategy file that the run began with" in refused.stderr
    assert not marker.exists()
    with pytest.raises(StrategyError, match="registers no strategy"):
        load_strategy_file(hostile)  # which is what would have run it
    assert marker.exists()


class Endless(pa.ExtensionType):
    """A type that brings code along, where it is known."""

    def __init__(self) -> None:
        super().__init__(pa.int64(), "tests.endless")

    def __arrow_ext_serialize__(self) -> bytes:
        return b"x"

    @classmethod
    def __arrow_ext_deserialize__(cls, storage_type: Any, serialized: bytes) -> Endless:
        return cls()


def test_types_of_ones_own_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    numbers = pa.ExtensionArray.from_storage(Endless(), pa.array(range(11), pa.int64()))
    table = pa.table({"deadwood": numbers, "knock": pa.array([1.0] * 11)})
    pa.register_extension_type(Endless())
    try:
        pq.write_table(table, path)
        with pytest.raises(StrategyError, match="column 'deadwood': .* neither numbers nor text"):
            parse_strategy(f'knock_table("{path}")')
        with pytest.raises(ValueError, match="column deadwood: .* is no type of a run's"):
            read_table(path)
    finally:
        pa.unregister_extension_type("tests.endless")
    # Where the type is not known, what is stored are numbers, and read as such.
    assert parse_strategy(f'knock_table("{path}")').cells() is not None


def test_what_a_file_says_of_pandas_is_not_followed(tmp_path: Path) -> None:
    path = tmp_path / "cells.parquet"
    says = {
        "index_columns": ["cell"],
        "column_indexes": [],
        "columns": [
            {"name": "cell", "field_name": "cell", "pandas_type": "object", "numpy_type": "object",
             "metadata": {"x": "__import__('os')"}}
        ],
        "pandas_version": "9",
    }  # fmt: skip
    table = pa.table({"cell": [1, 2]}).replace_schema_metadata({"pandas": json.dumps(says)})
    pq.write_table(table, path)
    frame = read_table(path)
    assert list(frame.columns) == ["cell"] and frame["cell"].dtype == "int64"
    pq.write_table(pa.table({"cell": [{"a": 1}]}), path)
    with pytest.raises(ValueError, match="column cell: struct"):
        read_table(path)


# --- pages ---------------------------------------------------------------------------------------

HOSTILE = [
    "<script>alert(1)</script>",
    '" onmouseover="alert(1)" x="',
    "' onfocus='alert(1)",
    "]]><svg onload=alert(1)>",
    "{{ 7*7 }}{% raw %}",
    "[x](javascript:alert(1)) ![i](http://h.example/i)",
    "\u202egnp.exe\u202c \u2066a",
    "`</code><b>`",
    "--><img src=x onerror=alert(1)>",
    "</title></style></script><h1>x",
    "&lt;b&gt;&#60;i&#62;",
    "<!--",
]


class Shape(HTMLParser):
    """The elements of a page with the names of their attributes, and links; no text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.told: list[Any] = []
        self.links: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.told.append((tag, *(name for name, _ in attrs)))
        self.links += [str(value) for name, value in attrs if name in ("href", "src", "srcset")]

    def handle_comment(self, data: str) -> None:
        self.told.append("comment")


def named(one: str, two: str) -> Experiment:
    """Return an experiment whose every text of a user's is given; two cells."""
    return Experiment.from_dict(
        {
            "title": one,
            "question": two,
            "seed": 1,
            "pairs": 20,
            "strategies": {"a": "threshold({k})", "b": "simple"},
            "axes": {one: [{"label": two, "k": 4}, {"label": one + two, "k": 7}]},
        }
    )


def page_of(experiment: Experiment) -> tuple[str, str, list[Any]]:
    results = experiment.run(threads=1)
    facts = gather(results)
    page = make_page(results, facts, [])
    charts = write.plan(results, facts)
    return to_html(page, lambda name: b"<svg/>"), to_markdown(page), charts


@pytest.mark.requires_jit
def test_no_element_of_a_page_comes_from_its_texts() -> None:
    plain_html, plain_markdown, plain_charts = page_of(named("axis", "text"))
    shape = Shape(plain_html)
    assert len(shape.told) > 100
    for at in range(0, len(HOSTILE), 4):
        one, two = "".join(HOSTILE[at : at + 2]), "".join(HOSTILE[at + 2 : at + 4])
        html, markdown, charts = page_of(named(one, two))
        hostile = Shape(html)
        assert hostile.told == shape.told, (one, two)
        assert hostile.links == shape.links
        assert [chart.heading.partition(":")[0] for chart in charts] == [
            chart.heading.partition(":")[0] for chart in plain_charts
        ]
        prose = "".join(markdown.split("```")[::2])  # what stands in fences is shown as it is
        assert not re.search("<(script|svg|img|b|h1|!)", prose)
        assert not re.search(r"(?<!\\)\]\((?!figures/)", prose)
        assert prose.count("\n## ") == plain_markdown.count("\n## ")
        assert markdown.count("```") == plain_markdown.count("```")


@pytest.mark.slow
def test_no_element_of_a_chart_comes_from_its_texts(tmp_path: Path) -> None:
    results = named(HOSTILE[0], HOSTILE[3]).run(threads=1)
    told = write.report(results, tmp_path)
    assert told.figures
    for svg in tmp_path.rglob("*.svg"):
        tags = {one[0] for one in Shape(svg.read_text(encoding="utf-8")).told if one != "comment"}
        assert "script" not in tags and "alert" not in "".join(sorted(tags)), svg
        assert not [one for one in Shape(svg.read_text(encoding="utf-8")).told if "onload" in one]
    page = Shape(told.html.read_text(encoding="utf-8"))
    assert sum(one[0] == "script" for one in page.told) == 1
    assert all(link.startswith(("data:", "#")) for link in page.links)


# --- paths ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["../my_gold.py", "sub/../my_gold.py", "{home}/my_gold.py"])
def test_strategy_files_are_copied_under_their_own_name(tmp_path: Path, name: str) -> None:
    (tmp_path / "spec" / "sub").mkdir(parents=True)
    for home in (tmp_path, tmp_path / "spec"):
        shutil.copy(MY_GOLD, home / "my_gold.py")
    data = {
        "title": "x", "seed": 1, "pairs": 1, "strategy_files": [name.format(home=tmp_path)],
        "strategies": {"a": "my_gold", "b": "gold"},
    }  # fmt: skip
    folder = tmp_path / "run"
    before = sorted(tmp_path.rglob("*"))
    start(Experiment.from_dict(data, folder=tmp_path / "spec"), folder)
    new = set(tmp_path.rglob("*")) - set(before)
    assert all(path == folder or folder in path.parents for path in new if "__pycache__" not in path.parts)
    assert [path.name for path in (folder / "strategy_files").iterdir()] == ["my_gold.py"]
    assert load(folder).manifest["experiment"]["strategy_files"] == ["my_gold.py"]


@pytest.mark.parametrize(
    "name", ["..", ".", "", "/", "/dev/zero", "a\0b", "con", "../../x.py", "/etc/passwd", "x" * 3000]
)
def test_what_is_no_strategy_file_is_refused(tmp_path: Path, name: str) -> None:
    data = {"title": "x", "seed": 1, "pairs": 1, "strategy_files": [name]}
    data["strategies"] = {"a": "gold", "b": "gold"}
    with pytest.raises(UsageError, match=r"strategy_files\[0\]") as error:
        Experiment.from_dict(data, folder=tmp_path)
    assert len(str(error.value).splitlines()) == 1


MEMBERS = [
    ".cells.parquet.part", "cells.parquet", "manifest.json", "journal.sqlite", "figures", "strategy_files",
    "report.html", "deep/er",
]  # fmt: skip


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("played") / "run"
    start(small(FEW), folder, threads=1)
    return folder


@pytest.mark.parametrize("member", MEMBERS)
def test_nothing_is_written_through_a_link(played: Path, tmp_path: Path, member: str) -> None:
    folder, outside = tmp_path / "run", tmp_path / "outside"
    shutil.copytree(played, folder)
    (tmp_path / "home").mkdir()
    outside.write_bytes(b"precious")
    link = folder / member
    link.parent.mkdir(exist_ok=True)
    if link.exists():
        link.replace(tmp_path / "moved")
    link.symlink_to(tmp_path / "home" if member in ("figures", "strategy_files") else outside)
    for act in (lambda: resume(folder, extend=1), lambda: write.report(folder)):
        with pytest.raises(RunError, match="a link; nothing is written"):
            act()
    assert outside.read_bytes() == b"precious" and not list((tmp_path / "home").iterdir())


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
def test_pipes_are_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "p.toml")
    with pytest.raises(UsageError, match=r"p\.toml: not a file"):
        Experiment.from_toml(tmp_path / "p.toml")
    with pytest.raises(StrategyError, match=r"p\.toml: not a file"):
        load_strategy_file(tmp_path / "p.toml")


# --- sizes ---------------------------------------------------------------------------------------


def changed(**keys: Any) -> dict[str, Any]:
    sides = {"a": "threshold(4)", "b": "simple"}
    return {"title": "x", "seed": 1, "pairs": 10, "strategies": sides, **keys}


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


ABSURD: dict[str, tuple[dict[str, Any], str]] = {
    "axes": ({"axes": {f"x{number}": [1] for number in range(33)}}, "axes: 33 axes, at most 32"),
    "values": ({"axes": {"k": [0] * 1_000_001}}, "axes.k: 1,000,001 values, at most 1,000,000"),
    "cells": ({"axes": {"k": list(range(2000)), "gin_bonus": list(range(2000))}}, "4,000,000 cells, at most"),
    "title": ({"title": "x" * 201}, "title: String should have at most 200 characters"),
    "question": ({"question": "x" * 4001}, "question: a text of 4,001 characters, at most 4,000"),
    "strategy": ({"strategies": {"a": "x" * 1001, "b": "gold"}}, "strategies.a: strategy of 1001 characters"),
    "key": ({"axes": {"k" * 201: [1]}}, "not a key"),
    "escape": ({"title": "\x1b[2J"}, r"title: a control character, '\\x1b'"),
    "files": ({"strategy_files": [f"{number}.py" for number in range(101)]}, "strategy_files: Tuple should"),
    "nested": ({"axes": {"k": nested(5000)}}, "axes.k.*nested too deep, at most 16 levels"),
    "pairs": ({"pairs": 2**62}, "pairs: "),
    "no pairs": ({"pairs": 0}, "pairs: "),
    "negative seed": ({"seed": -1}, "seed: "),
    "seed": ({"seed": 2**63}, "seed: "),
    "long seed": ({"seed": 10**5000}, "seed: a number of 16,610 bits, at most 64"),
    "infinite": ({"pairs": None, "half_width": float("inf")}, "half_width: "),
    "nan": ({"axes": {"gin_bonus": [float("nan")]}}, r"axes\.gin_bonus"),
    "rule": ({"rules": {"gin_bonus": float("inf")}}, r"rules\.gin_bonus: "),
}  # fmt: skip


@pytest.mark.parametrize(("keys", "message"), ABSURD.values(), ids=ABSURD)
def test_absurd_experiments_are_refused(keys: dict[str, Any], message: str) -> None:
    data = {name: one for name, one in changed(**keys).items() if one is not None}
    with pytest.raises(UsageError, match=message) as error:
        Experiment.from_dict(data)
    assert len(str(error.value).splitlines()) == 1 and len(str(error.value)) < 500


ABSURD_TOML = {
    "arrays": ("x = " + "[" * 5000 + "]" * 5000, "nested too deep, at most 16 levels"),
    "tables": ("x = " + "{a = " * 5000 + "1" + "}" * 5000, "nested too deep, at most 16 levels"),
    "dots": ("title = 'x'\n" + "a." * 50_000 + "a = 1", "line 2: a key of more than 16 parts"),
    "quoted dots": ('"a!" . ' * 50_000 + "a = 1", "line 1: a key of more than 16 parts"),
    "header": ("[" + "a." * 50_000 + "a]", "line 1: a key of more than 16 parts"),
    "digits": ("seed = " + "9" * 5000, "digits"),
    "exponent": ("title = 'x'\nseed = 1\nhalf_width = 1e400", "half_width: "),
    "not a number": ("title = 'x'\nseed = 1\nhalf_width = nan", "half_width: "),
}


@pytest.mark.parametrize(("text", "message"), ABSURD_TOML.values(), ids=ABSURD_TOML)
def test_absurd_files_are_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message) as error:
        Experiment.from_text(text, "x.toml")
    assert len(str(error.value).splitlines()) == 1


def test_files_of_many_megabytes_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model, "MAX_BYTES", 1000)
    path = tmp_path / "x.toml"
    path.write_text(SMALL.format(pairs=3) + "#" * 1000)
    with pytest.raises(UsageError, match=r"x\.toml: too large: more than 1,000 bytes"):
        Experiment.from_toml(path)


def test_as_many_axes_as_there_may_be() -> None:
    names = [f"x{number}" for number in range(model.MAX_AXES)]
    strategy = {"a": "threshold(4)", "b": "gold"}
    axes = {
        name: [{"label": name, "gin_bonus" if at == 0 else f"k{at}": 20}] for at, name in enumerate(names)
    }
    with pytest.raises(UsageError, match="sets nothing"):  # and no error of NumPy's
        Experiment.from_dict(changed(strategies=strategy, axes=axes))


def test_messages_steer_no_terminal() -> None:
    told = run("match", "gold", "simple", "--rules", "\x1b[2J\u202e", "--games", "2")
    assert told.exit_code == 2
    assert len(told.stderr.splitlines()) == 1 and told.stderr.rstrip("\n").isprintable()
