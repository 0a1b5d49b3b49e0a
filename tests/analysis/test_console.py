"""What the command line writes on a terminal."""

from __future__ import annotations

import io
import re
import sys

import pytest

from analysis.console import progress_bar


class Terminal(io.StringIO):
    """A terminal that remembers what was written to it."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("width", [72, 80, 120])
def test_a_long_word_does_not_cut_the_numbers(monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    """The word is the user's own too: a label in brackets is no markup."""
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TERM", "xterm")
    word = "5 of 100,000 cells, plan = [red]late, undercut_bonus = 25, gin_bonus = 30, knock_limit = 10"
    with progress_bar(1_000, "games") as update:
        update(500, word, 12_345_678)
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", terminal.getvalue())
    lines = re.split(r"[\r\n]+", plain)
    shown = [line for line in lines if "12,345,678 games, " in line]
    assert shown and all(len(line) <= width for line in shown)
    told = shown[-1].split("12,345,678 games, ")[1].rstrip()
    assert re.match(r"(-|[0-9,]+)/s, \S+ 5 of ", told) and told.endswith("…")
    assert ("[red]late" in told) == (width == 120)
