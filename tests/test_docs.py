"""The documents say what the code does: tables, commands, examples, links, the C reference."""

from __future__ import annotations

import ast
import hashlib
import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from analysis import bench
from analysis.cli import app
from sim._jit import COMPILED
from sim.rules import Rules, SoloRules, parse_overrides, preset_names
from sim.sheet import score_game
from sim.view import DECISIONS, MEMORY, PARAMS, TABLE, VIEW_DTYPE
from strategies import base
from strategies.base import Decisions, Strategy, parse_strategy, registered
from strategies.knock_cells import AXES, LARGEST, RANGES
from strategies.threshold import Threshold

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
STRATEGIES = (ROOT / "docs" / "strategies.md").read_text(encoding="utf-8")
RULES = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
ENGINE = (ROOT / "docs" / "engine.md").read_text(encoding="utf-8")
MY_GOLD = ROOT / "docs" / "examples" / "my_gold.py"
TABLE_FILE = ROOT / "docs" / "examples" / "knock_table.csv"
WARY = ROOT / "docs" / "examples" / "wary.py"
NOTEBOOK = ROOT / "docs" / "examples" / "notebook.py"
GIN_LIMIT = ROOT / "docs" / "bench" / "gin_limit.c"


def fenced(text: str, language: str) -> list[str]:
    """Return the code blocks of a page in one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def table(text: str, first: str) -> list[list[str]]:
    """Return the rows of all tables whose first header is given, as cells."""
    rows: list[list[str]] = []
    inside = False
    for line in text.splitlines():
        if re.match(rf"\| *{first} *\|", line):
            inside = True
        elif not line.startswith("|"):
            inside = False
        elif inside and not line.startswith("|--"):
            rows.append([cell.strip() for cell in line.strip("|").split("|")])
    assert rows, f"no table of {first}"
    return rows


def code_names(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def built_in() -> dict[str, type[Strategy]]:
    """Return the strategies that come with the package; other tests may load files."""
    return {name: kind for name, kind in registered().items() if kind.__module__.startswith("strategies.")}


def commands() -> set[str]:
    single = {
        str(command.name or getattr(command.callback, "__name__", "")) for command in app.registered_commands
    }
    return single | {str(group.name) for group in app.registered_groups}


def mentioned(text: str) -> Iterator[list[str]]:
    """Yield the words of every ``ginlab`` command of a page, in blocks, tables and running text."""
    blocks = "\n".join(fenced(text, "sh"))
    inline = re.findall(
        r"`(ginlab [^`]+)`", re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    )
    for line in [*blocks.splitlines(), *inline]:
        for part in line.split("&&"):
            words = shlex.split(part.replace("...", ""))
            if words and words[0].split("/")[-1] == "ginlab":
                yield words[1:]


# --- strategies ----------------------------------------------------------------------------------


def test_the_table_of_strategies_is_the_registry() -> None:
    """Every strategy in order, each with its defaults as it is written."""
    listed = [code_names(row[0])[0] for row in table(STRATEGIES, "name")]
    assert sorted(text.split("(")[0] for text in listed) == list(built_in())
    written = {text.split("(")[0]: text for text in listed}
    # These have no defaults.
    assert str(parse_strategy(written.pop("combine"))).startswith("combine(draw=gold(")
    assert written.pop("knock_table") == 'knock_table("table.csv")'
    defaults = {name: kind for name, kind in built_in().items() if name not in ("combine", "knock_table")}
    assert written == {name: str(kind()) for name, kind in defaults.items()}


def test_strategies_named_in_the_text_can_be_read() -> None:
    for text in re.findall(r"`((?:gold|threshold|two_stage|simple|gin_only)(?:\([^`]*\))?)`", STRATEGIES):
        parse_strategy(text)


def test_every_field_of_the_view_is_documented() -> None:
    documented = [name for row in table(STRATEGIES, "field") for name in code_names(row[0])]
    assert VIEW_DTYPE.names is not None
    assert sorted(documented) == sorted(set(VIEW_DTYPE.names) - {"tables"})


def test_sizes_of_the_view() -> None:
    rows = {code_names(row[0])[0]: row[1] for row in table(STRATEGIES, "field")}
    assert f"{PARAMS} numbers" in rows["params"]
    assert f"{TABLE:,} numbers" in rows["table"]
    assert f"{MEMORY} integers" in rows["memory"]


def test_every_decision_is_documented() -> None:
    listed = [(code_names(row[0])[0], code_names(row[1])[0]) for row in table(STRATEGIES, "decorator")]
    names = Decisions._fields
    assert [decorator for decorator, _ in listed] == [f"@{name}_rule" for name in names]
    assert [call.split("(")[0] for _, call in listed] == list(names)
    assert len(DECISIONS) == len(names)


def test_decisions_of_another_are_as_written() -> None:
    written = re.search(r"`threshold` is\s+`(Decisions\([^`]*\))`", STRATEGIES)
    assert written is not None
    call = ast.parse(written[1], mode="eval").body
    assert isinstance(call, ast.Call)
    assert Decisions(*(ast.literal_eval(argument) for argument in call.args)) == Threshold.decisions


def test_helpers_named_exist() -> None:
    source = ast.parse((ROOT / "strategies" / "helpers.py").read_text(encoding="utf-8"))
    functions = {node.name for node in source.body if isinstance(node, ast.FunctionDef)}
    tail = STRATEGIES[STRATEGIES.rindex("strategies/helpers.py") :]
    named = set(code_names(tail[tail.index("`") + 1 :]))
    assert named and named <= functions


# --- the example ---------------------------------------------------------------------------------


def bare(tree: ast.AST) -> str:
    """Return code as text without the docstrings of functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:]
    return ast.unparse(tree)


def test_the_examples_shown_are_the_files() -> None:
    shown = fenced(STRATEGIES, "python")
    assert len(shown) == 2
    for text, path, count in zip(shown, (MY_GOLD, WARY), (1, 2), strict=True):
        parts = [bare(node) for node in ast.parse(text).body]
        assert len(parts) == count
        assert set(parts) <= {bare(node) for node in ast.parse(path.read_text(encoding="utf-8")).body}
    assert fenced(STRATEGIES, "csv") == [TABLE_FILE.read_text(encoding="utf-8")]


def command_of(start: str) -> list[str]:
    """Return the words of the one command of the page that begins so, with fewer games and as JSON."""
    found = re.findall(rf"^ginlab ({start}.*)$", "\n".join(fenced(STRATEGIES, "sh")), re.MULTILINE)
    assert len(found) == 1
    return [*shlex.split(found[0]), "--games", "20" if COMPILED else "2", "--json"]


def test_a_parameter_set_is_played_as_the_page_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(base, "_REGISTRY", dict(registered()))
    text = MY_GOLD.read_text(encoding="utf-8")
    words = command_of("match my_gold")
    assert re.findall(r"^ *ginlab (match .*)$", text, re.MULTILINE) == [shlex.join(words[:-3])]
    mine = json.loads(CliRunner().invoke(app, words).stdout)
    same = json.loads(CliRunner().invoke(app, ["match", "gold(threshold=4)", *words[2:]]).stdout)
    assert mine.pop("a") == "my_gold(threshold=4, hold_for_gin=false)"
    assert same.pop("a") == "gold(threshold=4, hold_for_gin=false)"
    for report in (mine, same):
        del report["seconds"], report["games_per_second"]
    assert mine == same and mine["hands"] > 0
    assert str(parse_strategy("my_gold(6)")) == "my_gold(threshold=6, hold_for_gin=false)"


def test_a_knock_table_is_played_as_the_page_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(ROOT)
    report = json.loads(CliRunner().invoke(app, command_of("match 'knock_table")).stdout)
    assert report["a"] == 'knock_table("docs/examples/knock_table.csv")' and report["hands"] > 0
    digest = hashlib.sha256(TABLE_FILE.read_bytes()).hexdigest()[:16]
    assert report["files"] == {"docs/examples/knock_table.csv": digest}
    export = command_of("strategies export")[:-3]
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(app, export).exit_code == 0
    assert str(parse_strategy(f'knock_table("{export[-1]}")')) == 'knock_table("two_stage.csv")'


def test_columns_of_a_knock_table_are_documented() -> None:
    listed = [name for row in table(STRATEGIES, "column") for name in code_names(row[0])]
    assert listed == [*RANGES, "last_discard", "knock"]
    rows = {code_names(row[0])[0]: row[1] for row in table(STRATEGIES, "column")}
    for name, text in (("deadwood", rows["deadwood"]), *((axis, rows["stock"]) for axis in AXES[1:])):
        assert "{}-{}".format(*RANGES[name]) in text
    assert f"may have {LARGEST:,} values" in STRATEGIES


def test_the_example_is_played_as_the_page_says() -> None:
    """By the command of the page, which is the one in the file."""
    found = re.findall(r"^ *ginlab (match .*)$", WARY.read_text(encoding="utf-8"), re.MULTILINE)
    words = command_of("match wary")
    assert found == [shlex.join(words[:-3])]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "analysis.cli", *words],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["a"] == "wary(k=10, known=2)" and report["b"] == str(built_in()["gold"]())
    assert report["hands"] > 0


# --- commands ------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_exist(page: Path) -> None:
    """Every command a page mentions, with options it has, rules there are and fields they have."""
    for words in mentioned(page.read_text(encoding="utf-8")):
        assert words[0] in commands(), words
        command = words[: 2 if words[0] == "strategies" and words[1:] and words[1].isalpha() else 1]
        text = CliRunner().invoke(app, [*command, "--help"], env={"COLUMNS": "200"}).stdout
        for option in (word for word in words[1:] if word.startswith("--")):
            assert re.search(rf"{option}\b", text), (words, option)
        for name, value in zip(words, words[1:], strict=False):
            if name == "--rules" and value.islower():
                assert value in preset_names()
            if name == "--set" and "=" in value and value.islower():
                Rules().replace(**parse_overrides([value]))


def test_the_readme_lists_every_command() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert {words[0] for words in mentioned(readme)} == commands()


def test_the_first_command_of_the_readme_plays() -> None:
    """The match it ends in, with fewer games."""
    first = fenced((ROOT / "README.md").read_text(encoding="utf-8"), "sh")[0]
    words = shlex.split(first.split("&&")[-1])
    assert words[0] == ".venv/bin/ginlab" and words[-2:] == ["--games", "1_000_000"]
    result = CliRunner().invoke(app, [*words[1:-1], "10" if COMPILED else "2"])
    assert result.exit_code == 0 and result.stdout.startswith("A = gin_only\nB = threshold(k=10)\n")


# --- rules ---------------------------------------------------------------------------------------

KNOBS = {
    **Rules.__dataclass_fields__,
    **{f"solo.{name}": spec for name, spec in SoloRules.__dataclass_fields__.items()},
}


def test_every_field_of_the_rules_is_described() -> None:
    """Once, with its default and every word that it can be."""
    rows = {code_names(cells[0])[0]: cells for cells in table(RULES, "field")}
    assert len(rows) == len(table(RULES, "field"))
    # `solo` has a section instead of a row.
    assert set(rows) == set(KNOBS) - {"solo"} and "\n`solo` is `null`" in RULES
    for name, cells in rows.items():
        default = KNOBS[name].default
        shown = list(default) if isinstance(default, tuple) else default
        assert code_names(cells[1]) == [shown if isinstance(shown, str) else json.dumps(shown)], name
        words = {word for cell in cells[1:] for word in code_names(cell)}
        assert set(KNOBS[name].metadata.get("choices", ())) <= words, name


def test_every_preset_is_described() -> None:
    """In the order of `ginlab rules`, each by exactly what it changes."""
    rows = table(RULES, "preset")
    assert [code_names(cells[0])[0] for cells in rows] == preset_names()
    for cells in rows:
        preset = Rules.preset(code_names(cells[0])[0])
        settings = [word for word in code_names(cells[1]) if word != "solo"]
        solo = preset.solo.__dict__ if "solo" in code_names(cells[1]) and preset.solo else None
        assert Rules().replace(**parse_overrides(settings), solo=solo) == preset, cells[0]
        assert parse_overrides(settings).keys() == preset.changes().keys() - {"solo"}, cells[0]


def test_settings_named_in_the_rules_exist() -> None:
    """Of the fields and values that the page names with an equals sign, outside the list of presets."""
    lines = [line for line in RULES.splitlines() if not line.startswith("|")]
    for setting in re.findall(r"`(\w+=\w+)`", "\n".join(lines)):
        if setting != "FIELD=VALUE":
            Rules().replace(**parse_overrides([setting]))


def test_fields_named_in_the_comparison_exist() -> None:
    rows = table(RULES, "point")
    assert {name for cells in rows for name in code_names(cells[-1])} <= set(KNOBS)


def test_the_shutout_example_of_the_rules() -> None:
    totals = re.findall(r"(\d+)\s+\(`(\w+)`\)", RULES)
    assert {name for _, name in totals} == set(KNOBS["shutout"].metadata["choices"])
    for total, name in totals:
        rules = Rules(box_bonus=20, shutout=name)
        assert score_game([(0, 42, None), (0, 37, None), (0, 30, None)], rules).totals == (int(total), 0)


# --- files and links -----------------------------------------------------------------------------


def test_every_file_of_the_engine_has_a_line() -> None:
    named = {name for row in table(ENGINE, "file") for name in code_names(row[0])}
    files = {f"sim/{path.name}" for path in (ROOT / "sim").glob("*.py")} - {"sim/__init__.py"}
    assert files <= named
    assert all((ROOT / name).is_file() for name in named)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if not re.match(r"[a-z]+:|#", link):
            assert (page.parent / link.split("#")[0]).exists(), link


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_named_exist(page: Path) -> None:
    """Paths in code marks, from the root."""
    for name in code_names(page.read_text(encoding="utf-8")):
        if re.fullmatch(r"(sim|strategies|analysis|docs|tests|results)/[\w./]+", name):
            assert (ROOT / name).exists(), name


# --- the C reference -----------------------------------------------------------------------------


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler to build the reference with")
def test_the_c_reference_prints_what_the_benchmark_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Built as its page says, but for the processor; few games."""
    build = next(line for line in fenced(ENGINE, "sh")[0].splitlines() if line.startswith("cc "))
    words = [word for word in shlex.split(build) if word != "-march=native"]
    assert words[-1] == GIN_LIMIT.relative_to(ROOT).as_posix()
    words[words.index("-o") + 1] = str(tmp_path / "gin_limit")
    subprocess.run(words, cwd=ROOT, check=True, capture_output=True)
    monkeypatch.setattr(bench, "REFERENCE_GAMES", 20)
    figures = bench.run_reference(str(tmp_path / "gin_limit"))
    assert set(figures) == set(bench.REFERENCE_FIGURES)
    assert all(figure > 0 for figure in figures.values())


@pytest.mark.requires_jit  # eighteen cells of enough pairs for an interval
def test_the_notebook_runs(capsys: pytest.CaptureFixture[str]) -> None:
    """Cell by cell, on few pairs; its tables are printed and its figures are there to be shown."""
    text = NOTEBOOK.read_text(encoding="utf-8")
    few = text.replace("pairs = 2_000", "pairs = 40")
    assert few != text
    import matplotlib.pyplot as plt

    plt.close("all")
    names: dict[str, object] = {}
    for cell in few.split("# %%\n"):
        exec(compile(cell, str(NOTEBOOK), "exec"), names)
    assert len(plt.get_fignums()) == 2
    plt.close("all")
    printed = capsys.readouterr().out
    assert "undercut_bonus" in printed and "of games" in printed and "p_undercut" in printed
