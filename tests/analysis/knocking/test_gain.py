"""What replies win from a mixture: against the matrix of the meta-game, on decks of their own."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.knocking.gain import FITTED, Weighted, measure_reply_gain
from analysis.knocking.metagame import play_metagame, rule_grid
from analysis.knocking.policy import threshold
from analysis.knocking.recorded import Decks
from sim.rules import Rules
from strategies.base import parse_strategy

EAAI = Rules.preset("eaai")
GOLD = parse_strategy("gold")


def test_gains_are_those_of_the_matrix_on_the_same_decks() -> None:
    """The mixture wins nothing from itself, deck by deck, so a gain is the matrix times the weights."""
    grid = rule_grid((6,), (0, 10), (2, 8))
    mixture = [Weighted(0.25, grid[0].policy), Weighted(0.75, grid[2].policy)]
    decks = Decks(5)
    found = measure_reply_gain(GOLD, mixture, EAAI, decks, pairs=140, named=grid, fit_pairs=50, iterations=1)
    assert decks.free == 3 * 50 + 50 + 140 + 140 and found.pairs == 140
    game = play_metagame(GOLD, grid, EAAI, pairs=140, seed=5, first=decks.free - 140)
    wanted = game.matrix @ np.array([0.25, 0.0, 0.75])
    assert [reply.name for reply in found.replies] == [FITTED, *(rule.name for rule in grid)]
    assert [reply.gain.estimate for reply in found.replies[1:]] == pytest.approx(wanted.tolist())
    ends = [reply.gain for reply in found.replies]
    assert all(one.low < one.estimate < one.high for one in ends)  # type: ignore[operator]
    # The one interval of the reply chosen elsewhere is narrower than the one that holds with all others.
    own, joint = found.gain, ends[found.best]
    assert own.estimate == pytest.approx(joint.estimate)
    assert own.low > joint.low and own.high < joint.high  # type: ignore[operator]
    assert found.bound == max(one.high for one in ends)  # type: ignore[type-var]


@pytest.mark.requires_jit
def test_a_fitted_table_beats_what_is_far_from_an_equilibrium() -> None:
    """Always knocking loses about a point a hand to patience: ten standard errors of 3,000 pairs."""
    found = measure_reply_gain(
        GOLD, [Weighted(1.0, threshold(10))], EAAI, Decks(3), pairs=3000, named=rule_grid((6,), (0, 10), (0,))
    )
    fitted = found.replies[0]
    assert fitted.name == FITTED and fitted.gain.low is not None and fitted.gain.low > 1
    assert found.gain.low is not None and found.gain.low > 1
