"""Where play depends on the score."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.console import UsageError
from analysis.knocking.score_cells import play_cells, reads_score, square_cells
from sim.rules import Rules
from strategies.base import parse_strategy
from strategies.knock_cells import KnockCells
from strategies.table_player import table_player
from tests.analysis.knocking.players import of

EAAI = Rules.preset("eaai")


def test_who_looks_at_the_score_is_found_out() -> None:
    looks = (
        "clinch",
        "clinch_low_stock",
        "greedy",
        "heisenbot",
        "combine(draw=gold, knock=clinch, discard=gold)",
    )
    blind = ("gold", "simple", "marjj", "goldstein", "two_stage(10, 0, 6)", "gin_only", "percent_twenty")
    assert [reads_score(of(text)) for text in looks] == [True] * len(looks)
    assert [reads_score(of(text)) for text in blind] == [False] * len(blind)
    shares = np.ones((2, 1, 1, 11))
    gold = parse_strategy("gold")
    assert reads_score(table_player(gold, KnockCells("", 0, (5,), shares)))
    assert not reads_score(table_player(gold, KnockCells("", 0, (), shares[:1])))


def alike(cells: np.ndarray, other: np.ndarray) -> bool:
    """Tell whether two partitions are the same, however their parts are numbered."""
    pairs = set(zip(cells.ravel().tolist(), other.ravel().tolist(), strict=True))
    return len(pairs) == len(np.unique(cells)) == len(np.unique(other))


@pytest.mark.requires_jit
def test_cells_are_those_that_the_rule_names() -> None:
    """Clinching is decided by A's own points near the target, heisenbot's gin by a gap of 30."""
    a, b = np.indices((18, 18))
    found = play_cells(of("clinch"), of("gold"), EAAI.replace(game_target=18), seed=1, threads=2)
    assert alike(found, np.maximum(a, 8))
    a, b = np.indices((34, 34))
    rules = EAAI.replace(game_target=34)
    found = play_cells(of("gold"), of("heisenbot"), rules, seed=1, threads=2)
    assert alike(found, (np.abs(a - b) >= 30).astype(np.int64))
    assert (play_cells(of("gold"), of("simple"), EAAI.replace(game_target=9)) == 0).all()


def test_square_cells() -> None:
    cells = square_cells(7, 3)
    assert cells.shape == (7, 7) and cells.max() == 8
    assert cells[2, 2] == 0 and cells[0, 3] == 1 and cells[3, 0] == 3 and cells[6, 6] == 8
    for step in (0, 1):
        with pytest.raises(UsageError, match=f"step {step}"):
            square_cells(100, step)
