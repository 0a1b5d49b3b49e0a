"""Quoted cells again on fresh decks: which they are, what is played, kept, told, and refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from analysis import Experiment
from analysis.cli import app
from analysis.experiment.runs import resume
from analysis.report import confirm as module
from analysis.report.confirm import NAME, confirm, confirmed_blocks, fresh_seed, quoted, read
from analysis.report.facts import gather
from analysis.store.folder import load
from sim._jit import COMPILED
from sim.run import RunError, play_match
from sim.tally import OUTCOMES
from strategies.base import parse_strategy, player

PAIRS = 60 if COMPILED else 2

FILE = f"""
title = "Thresholds"
seed = 5
pairs = {PAIRS}
record = []
[strategies]
a = "threshold({{k}})"
b = "simple"
[rules]
base = "eaai"
[axes]
k = [0, 10]
undercut_bonus = [0, 25]
"""


@pytest.fixture
def run(tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    Experiment.from_text(FILE).run(folder, threads=1)
    return folder


def cells(folder: Path) -> tuple[Any, Any]:
    results = load(folder)
    return results, quoted(results, gather(results))


def test_the_best_of_each_circumstance_is_quoted(run: Path) -> None:
    results, chosen = cells(run)
    table = results.table("cells")
    best = table.loc[table.groupby("undercut_bonus")["game_share"].idxmax(), "cell"]
    assert [one.cell.number for one in chosen] == best.tolist()


def test_extremes_are_quoted_where_rules_are_compared(tmp_path: Path) -> None:
    text = FILE.replace('"threshold({k})"', '"gin_only"').replace("k = [0, 10]", "gin_bonus = [0, 20, 25]")
    results = Experiment.from_text(text).run(threads=1)
    shares = results.table("cells")["game_share"]
    chosen = {one.cell.number for one in quoted(results, gather(results))}
    assert chosen == {0, int(shares.idxmax()), int(shares.idxmin())}


def test_fresh_decks_as_many_pairs(run: Path) -> None:
    results, chosen = cells(run)
    told: list[int] = []
    assert confirm(run, results, chosen, 1, lambda pairs, text: told.append(pairs)) is False
    assert told[-1] == PAIRS * len(chosen)
    kept = {one.cell: one for one in read(run, results)}
    assert fresh_seed(5) != 5 and fresh_seed(5) != fresh_seed(6)
    for one in chosen:
        a, b = (player(parse_strategy(text)) for text in (one.cell.a, one.cell.b))
        again = play_match(a, b, one.cell.rules, pairs=PAIRS, seed=fresh_seed(5)).tally
        np.testing.assert_array_equal(kept[one.cell.number].moments, again.total("moments"))


def test_the_command_tells_both_numbers(run: Path) -> None:
    done = CliRunner().invoke(app, ["report", str(run), "--confirm", "--threads", "1"])
    assert done.exit_code == 0, done.output
    assert "2 quoted cells played again on fresh decks." in " ".join(done.output.split())
    page = (run / "report.md").read_text(encoding="utf-8")
    results, chosen = cells(run)
    assert f"(seed {fresh_seed(5)})" in page and "Quoted cells again" in page
    for one in read(run, results):
        share = one.told("game_share").estimate
        assert share is not None and f"{100 * share:.0f}." in page.partition("Quoted cells again")[2]
    # Without the flag the page keeps what was confirmed, and nothing is played.
    before = (run / NAME).read_bytes()
    assert CliRunner().invoke(app, ["report", str(run)]).exit_code == 0
    assert (run / "report.md").read_text(encoding="utf-8") == page and (run / NAME).read_bytes() == before


def test_finished_cells_are_kept_when_stopped(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    results, chosen = cells(run)
    real, played = module.play, []

    def play(match: Any, *rest: Any, **named: Any) -> Any:
        played.append(match)
        if len(played) == 2:
            raise KeyboardInterrupt
        return real(match, *rest, **named)

    monkeypatch.setattr(module, "play", play)
    assert confirm(run, results, chosen, 1) is True
    assert [one.cell for one in read(run, results)] == [chosen[0].cell.number]
    assert confirm(run, results, chosen, 1) is False
    assert len(played) == len(chosen) + 1  # the first was not played again
    assert len(read(run, results)) == len(chosen)


@pytest.mark.requires_jit  # two pairs show nothing
def test_a_number_that_was_luck_is_named(run: Path) -> None:
    results, chosen = cells(run)
    confirm(run, results, chosen, 1)
    kept = read(run, results)
    assert "None is shown to differ" in str(confirmed_blocks(results, gather(results), kept))
    worse = [module.Confirmed(one.cell, one.pairs, _lost(one.moments)) for one in kept]
    told = str(confirmed_blocks(results, gather(results), worse))
    assert "numbers of 2 are shown to differ from the first (Holm)" in told


def _lost(moments: Any) -> Any:
    """Return moments of as many pairs of which side A wins one game in all."""
    at = OUTCOMES.index("games_a")
    told = moments.copy()
    told[0, at] = told[at, 0] = 2
    told[at, at] = 4
    games = OUTCOMES.index("games")
    told[at, games] = told[games, at] = 4
    return told


def test_nothing_is_told_of_a_run_that_has_changed(run: Path) -> None:
    results, chosen = cells(run)
    confirm(run, results, chosen, 1)
    longer = resume(run, extend=10, threads=1)
    assert read(run, longer) == []


@pytest.mark.parametrize("text", ["", "{", "[]", '{"schema": 1}', "null"])
def test_a_damaged_file_is_named(run: Path, text: str) -> None:
    (run / NAME).write_text(text, encoding="utf-8")
    done = CliRunner().invoke(app, ["report", str(run)])
    assert done.exit_code == 1 and NAME in done.output and "damaged" in done.output


def test_wrong_counters_are_damage(run: Path) -> None:
    results, chosen = cells(run)
    confirm(run, results, chosen, 1)
    data = json.loads((run / NAME).read_text(encoding="utf-8"))
    data["cells"][0]["moments"][0][0] += 1
    (run / NAME).write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(RunError, match=f"cell {data['cells'][0]['cell']}"):
        read(run, results)


def test_other_sources_are_refused(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    results, chosen = cells(run)
    monkeypatch.setattr(module, "source_hash", lambda: "0" * 16)
    with pytest.raises(RunError, match="other sources"):
        confirm(run, results, chosen, 1)
    assert not (run / NAME).exists()
