"""Ctrl-C during ``match``: the finished pairs are told, and the exit code says so."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.analysis.command_line import environment, timeless, told, typed, untimed_lines

ROOT = Path(__file__).resolve().parent.parent.parent

# The command line, saying on stderr when pairs of its last part have been played.
DRIVER = """
import signal, sys
from analysis import match
from analysis.cli import main

signal.signal(signal.SIGINT, signal.default_int_handler)
play = match.play


def watched(told, threads, first=0, pairs=None, on_progress=None):
    def progress(state):
        if state.pairs and (told.pairs == pairs or first):
            print("PLAYING", file=sys.stderr, flush=True)
    return play(told, threads, first, pairs, progress)


match.play = watched
main()
"""


def interrupted(*words: str) -> subprocess.CompletedProcess[str]:
    """Start a match, press Ctrl-C once it plays, and return what it says; it has a minute to stop."""
    child = subprocess.Popen(
        [sys.executable, "-c", DRIVER, "match", *words],
        cwd=ROOT, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert child.stderr is not None
        while "PLAYING" not in (line := child.stderr.readline()):
            assert line, "the match ended before it began"
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60)
    finally:
        child.kill()
        child.wait()
    errors = "".join(line for line in err.splitlines(True) if "PLAYING" not in line)
    return subprocess.CompletedProcess(words, child.returncode, out, errors)


LONG = ["gold", "simple", "--rules", "eaai", "--games", "1_000_000_000", "--threads", "2"]


@pytest.mark.requires_jit
@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot send SIGINT to another process")
class TestInterrupt:
    """GR-170: a match that is stopped tells what it has played, and nothing else."""

    def test_json_is_that_of_as_many_games(self) -> None:
        done = interrupted(*LONG, "--json")
        assert (done.returncode, done.stderr) == (130, "")
        report = timeless(json.loads(done.stdout))
        assert report["interrupted"] is True and 0 < report["pairs"] < 500_000_000
        fresh = told(*LONG[:-4], "--pairs", str(report["pairs"]))
        anytime = report.pop("anytime")
        assert {**report, "interrupted": False} == fresh
        for name in ("game_share", "hand_share"):
            wide, narrow = anytime[name], fresh[name]
            assert wide["estimate"] == narrow["estimate"]
            assert wide["low"] < narrow["low"] and wide["high"] > narrow["high"]

    def test_words_say_how_many_games(self) -> None:
        done = interrupted(*LONG)
        assert done.returncode == 130
        first, *rest = done.stdout.splitlines()
        found = re.match(r"Interrupted: .* ([\d,]+) of 1,000,000,000 games", first)
        assert found is not None
        games = found[1].replace(",", "")
        assert f"{found[1]} games in mirrored pairs" in done.stdout
        fresh = typed("match", *LONG[:-4], "--games", games).stdout
        words = re.sub(
            r"The intervals above are .*?points\s+a\s+hand,\s+A\s+less\s+B,.*?\)\.\n",
            "",
            "\n".join(rest),
            flags=re.DOTALL,
        )
        assert words != "\n".join(rest)
        assert untimed_lines(words.strip()) == untimed_lines(fresh)
