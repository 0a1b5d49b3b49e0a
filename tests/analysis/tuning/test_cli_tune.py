"""The command ``tune``: a small real search, stopped and resumed, drawn, and what it refuses."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from analysis import match
from analysis.tuning.journal import NAME
from tests.analysis.command_line import answer, refused, run, words

FEW = ("--pairs", "128", "--most-pairs", "256", "--final-pairs", "256", "--threads", "1")
SMALL = ("tune", "threshold", "--range", "k=7:10", "--against", "simple", "--rules", "eaai", *FEW)
EVOLVED = (
    "tune", "heisenbot", "--free", "gap,points,late", "--against", "simple", "--against", "threshold(4)",
    "--generations", "2", "--objective", "game_share", "--seed", "11", *FEW,
)  # fmt: skip


def stopped_after(monkeypatch: pytest.MonkeyPatch, matches: int) -> None:
    """Let Ctrl-C come in a match after so many."""
    play = match.play
    played = 0

    def stopping(told: Any, threads: int, first: int = 0, pairs: int | None = None, on: Any = None) -> Any:
        nonlocal played
        played += 1
        done = play(told, threads, first, pairs, on)
        return done if played <= matches else done.__class__(**{**vars(done), "interrupted": True})

    monkeypatch.setattr(match, "play", stopping)


@pytest.mark.requires_jit
def test_a_small_search() -> None:
    told = answer(*SMALL)
    assert told["method"] == "complete"
    assert {row["values"]["k"] for row in told["trace"]} == {7, 8, 9, 10}
    first, pairs = told["final"]["first"], told["final"]["pairs"]
    assert first == told["pairs"]["search"] >= 128 and pairs == 256
    for end in ("estimate", "low", "high"):
        gap = told["final"]["difference"]
        assert gap is None or gap[end] is not None
    text = words(*SMALL)
    assert "complete: all 4 strategies played the same decks" in text
    assert "pairs of games" not in text or "CMA-ES" not in text
    assert f"(pairs {first:,} to {first + 255:,} of the seed)" in text
    assert told["found"]["strategy"] in text


@pytest.mark.requires_jit
def test_stopped_it_says_what_is_kept_and_goes_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    whole = answer(*EVOLVED, "--out", str(tmp_path / "whole"))
    for matches, kept in ((9, 4), (12, 10)):  # two opponents: an evaluation is two matches
        with monkeypatch.context() as patch:
            stopped_after(patch, matches)
            done = run(*EVOLVED, "--out", str(tmp_path / "cut"), "--json")
        assert done.exit_code == 130 and done.stdout == ""
        assert f"interrupted; {kept} evaluations are kept in {tmp_path / 'cut'}" in " ".join(
            done.stderr.split()
        )
        assert not (tmp_path / "cut" / "result.json").exists()
    assert answer(*EVOLVED, "--out", str(tmp_path / "cut")) == whole
    for name in (NAME, "result.json"):
        assert (tmp_path / "cut" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert json.loads((tmp_path / "whole" / "result.json").read_text()) == whole
    # Once more: nothing is left to play.
    with monkeypatch.context() as patch:
        stopped_after(patch, 0)
        assert answer(*EVOLVED, "--out", str(tmp_path / "cut")) == whole
    assert whole["method"] == "cma" and list(whole["final"]["opponents"]) == whole["question"]["against"]


@pytest.mark.requires_jit
def test_stopped_without_a_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    stopped_after(monkeypatch, 1)
    done = run(*SMALL)
    assert done.exit_code == 130 and done.stdout == ""
    assert done.stderr == "ginlab: interrupted; nothing is kept without --out FOLDER\n"


@pytest.mark.requires_jit
def test_a_chart_and_words(tmp_path: Path) -> None:
    path = tmp_path / "trace.svg"
    text = words(*EVOLVED, "--chart", str(path))
    assert "CMA-ES, 2 generations of" in text and "all, their mean" in text and "percentage" in text
    assert path.exists() and path.with_suffix(".png").exists()
    with path.with_suffix(".csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["panel"] for row in rows] == [
        name for name in ("gain", "gap", "late", "points") for _ in range(2)
    ]
    assert "Diamonds" not in path.read_text()[:200] and "<desc>" in path.read_text()


@pytest.mark.parametrize(
    ("options", "names"),
    [
        (("tune", "nobody", "--against", "simple"), "nobody"),
        (("tune", "gin_only", "--against", "simple"), "gin_only: it has no numbers to tune"),
        (("tune", "threshold", "--against", "nobody"), "nobody"),
        (("tune", "threshold", "--against", "simple", "--against", "simple"), "named twice"),
        (("tune", "threshold", "--against", "simple", "--free", "x"), "'x'"),
        (("tune", "threshold", "--against", "simple", "--range", "k"), "--range 'k'"),
        (("tune", "threshold", "--against", "simple", "--objective", "wins"), "'wins'"),
        (("tune", "threshold", "--against", "simple", "--pairs", "5"), "--pairs 5"),
        (("tune", "threshold", "--against", "simple", "--rules", "nowhere"), "nowhere"),
        (("tune", "threshold", "--against", "simple", "--chart", "/no/such/f.svg"), "--chart /no/such/f.svg"),
    ],
)
def test_what_is_refused(options: tuple[str, ...], names: str) -> None:
    refused(*options, names=names)


@pytest.mark.requires_jit
def test_a_folder_of_another_question(tmp_path: Path) -> None:
    answer(*SMALL, "--out", str(tmp_path))
    refused(*SMALL, "--seed", "8", "--out", str(tmp_path), names="question.seed was 7, now 8")
    damaged = (tmp_path / NAME).read_bytes().replace(b'"first":0', b'"first":1', 1)
    (tmp_path / NAME).write_bytes(damaged)
    done = run(*SMALL, "--out", str(tmp_path))
    assert done.exit_code == 1 and "line 2 is damaged" in done.stderr
