"""The command line in tests: run a command, read its answer, check how it refuses."""

from __future__ import annotations

import json
import os
import re
from typing import Any

from typer.testing import CliRunner, Result

from analysis.cli import app
from sim._jit import COMPILED

TIMES = ("seconds", "games_per_second")

KNOCKER = "KS KH KD 4H 5H 6H 8C 9C TC AS"
DEFENDER = "KC 2S 2H 2D QH 9S 5D 3C 6S JH"
ELEVEN = "AS 2S 3S 5H 5D 5C 9C TC JC QC KC"
OTHER = "KH KD QH 8S 8D 7S 4H 4C 3D 2H"


def run(*args: str) -> Result:
    return CliRunner().invoke(app, list(args), env={"COLUMNS": "80"})


def answer(*args: str) -> dict[str, Any]:
    result = run(*args, "--json")
    assert result.exit_code == 0, result.stderr
    assert result.stderr == ""
    told = json.loads(result.stdout)
    assert isinstance(told, dict)
    return told


def words(*args: str) -> str:
    """Return what a command tells people, blanks reduced."""
    result = run(*args)
    assert result.exit_code == 0, result.stderr
    shown = re.sub(r"\x1b\[[0-9;]*m", "", result.stdout)  # colours, where the environment forces them
    assert max(len(line) for line in shown.splitlines()) <= 80
    return " ".join(shown.split())


def score(*args: str, knocker: str = KNOCKER, defender: str = DEFENDER) -> tuple[str, ...]:
    return ("score", "--knocker", knocker, "--defender", defender, *args)


def refused(*args: str, names: str) -> None:
    """Check that input is refused in one line that names it."""
    for extra in ((), ("--json",)):
        result = run(*args, *extra)
        assert result.exit_code == 2, result.output
        assert result.stdout == ""
        lines = result.stderr.splitlines()
        assert len(lines) == 1
        assert lines[0].startswith("ginlab: ")
        assert names in lines[0]


def typed(*words: str) -> Any:
    """Run a command in this process."""
    return CliRunner().invoke(app, list(words))


def environment() -> dict[str, str]:
    """Return the environment of a colour terminal without a display."""
    gone = {"DISPLAY", "WAYLAND_DISPLAY", "NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE"}
    kept = {name: value for name, value in os.environ.items() if name not in gone}
    if not COMPILED:  # NumPy mentions the wrapping words of the streams
        kept["PYTHONWARNINGS"] = "ignore::RuntimeWarning"
    return {**kept, "TERM": "xterm-256color", "COLUMNS": "100"}


def timeless(report: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in report.items() if name not in TIMES}


def told(*words: str) -> dict[str, Any]:
    """Return the JSON of a match without its times."""
    result = typed("match", *words, "--json")
    assert result.exit_code == 0, result.stderr
    assert result.stderr == ""
    report = json.loads(result.stdout)
    assert isinstance(report, dict)
    return timeless(report)


def untimed_lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if "games a second" not in line]
