"""The equilibrium of knocking under a rule set: a table by self-play, a mix of rules, what replies win."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from analysis.knocking.exploit import Exploit, Weighted, measure_reply_gain, opponents_of
from analysis.knocking.metagame import Rule, bootstrap_weights, equilibrium, play_metagame, rule_grid
from analysis.knocking.policy import Floats, Policy
from analysis.knocking.recorded import Decks, Place, record
from analysis.knocking.regret import Kept, recorder, self_play
from analysis.knocking.reply import reach_of
from analysis.stats.estimates import Estimate
from sim.rules import Rules
from sim.streams import word
from strategies.base import Strategy, player

if TYPE_CHECKING:
    from pandas import DataFrame

LEARN, MEASURE, MATRIX = range(1, 4)
"""What decks are for: each has a seed of its own, word of the seed."""
DRAWS = 400
"""Of the bootstrap of the weights."""

Told = Callable[[int, str], None]
"""Hears of progress: hands played, what is being done."""


class Learned(NamedTuple):
    """What self-play has found.

    Attributes
    ----------
    policy : Policy
        The average table.
    reach : ndarray of float64, shape (TURNS, DEADWOODS)
        How often in a hand it has to decide in a cell, against itself.
    gains : list of (int, Exploit)
        By iteration, what replies win from the average until then.
    """

    policy: Policy
    reach: Floats
    gains: list[tuple[int, Exploit]]


class Mixed(NamedTuple):
    """What the meta-game has found.

    Attributes
    ----------
    grid : list of Rule
    weights : list of Estimate
        Of the equilibrium, one a rule.
    value : float
        Of the game: 0 but for rounding.
    gain : Exploit
        What replies win from the mix: rules of the grid, and a table fitted to it.
    """

    grid: list[Rule]
    weights: list[Estimate]
    value: float
    gain: Exploit


def learn_hands(pairs: int, iterations: int) -> int:
    """Return the hands of self-play."""
    return 2 * pairs * iterations


def learn(
    base: Strategy,
    rules: Rules,
    *,
    pairs: int,
    iterations: int,
    seed: int,
    threads: int,
    told: Told = lambda *_: None,
) -> list[Kept]:
    """Let a table learn in self-play; see `regret.self_play`."""
    record_one = recorder(base, rules, pairs=pairs, seed=int(word(seed, LEARN)), threads=threads)
    return self_play(
        record_one, iterations, on_iteration=lambda done: told(2 * pairs * done, f"iteration {done}")
    )


def judge(
    base: Strategy,
    kept: list[Kept],
    rules: Rules,
    *,
    pairs: int,
    seed: int,
    threads: int,
    told: Told = lambda *_: None,
) -> Learned:
    """Measure on fresh decks what replies win from the averages of self-play; see `exploit`."""
    grid, decks, gains = rule_grid(), Decks(int(word(seed, MEASURE))), []
    for number, one in enumerate(kept):
        told(number, f"a reply to iteration {one.iteration}")
        gain = measure_reply_gain(
            base, [Weighted(1.0, one.policy)], rules, decks, pairs=pairs, named=grid, threads=threads
        )
        gains.append((one.iteration, gain))
    policy = kept[-1].policy
    opponents = opponents_of(base, [Weighted(1.0, policy)])
    recorded = record(player(base), opponents, Place(rules, threads=threads), decks, pairs)
    return Learned(policy, reach_of(policy, recorded), gains)


def mix(
    base: Strategy,
    rules: Rules,
    *,
    pairs: int,
    seed: int,
    threads: int,
    told: Told = lambda *_: None,
) -> Mixed:
    """Solve the meta-game of the grid and measure what replies win from its equilibrium."""
    grid = rule_grid()
    game = play_metagame(
        base, grid, rules, pairs=pairs, seed=int(word(seed, MATRIX)), threads=threads,
        on_column=lambda done: told(done, f"against {grid[done - 1].name}"),
    )  # fmt: skip
    found = equilibrium(game.matrix)
    told(len(grid), "drawing the weights anew")
    weights = bootstrap_weights(game, DRAWS)
    mixture = [
        Weighted(float(weight), rule.policy)
        for weight, rule in zip(found.rows, grid, strict=True)
        if weight > 0
    ]
    told(len(grid), "a reply to the mix")
    # Pairs behind those of the matrix.
    decks = Decks(int(word(seed, MATRIX)), pairs)
    gain = measure_reply_gain(base, mixture, rules, decks, pairs=pairs, named=grid, threads=threads)
    return Mixed(grid, weights, found.value, gain)


def table_info(learned: Learned) -> DataFrame:
    """Return the table cell by cell.

    Returns
    -------
    pandas.DataFrame
        ``own_turn``, ``deadwood``, ``knock`` (probability) and ``reach`` (decisions a hand) of the cells that
        the table comes to.
    """
    import pandas as pd

    turn, deadwood = np.nonzero(learned.reach > 0)
    return pd.DataFrame(
        {
            "own_turn": turn + 1,
            "deadwood": deadwood,
            "knock": learned.policy.shares[turn, deadwood],
            "reach": learned.reach[turn, deadwood],
        }
    )


def gains_info(learned: Learned) -> DataFrame:
    """Return what the best reply wins by iteration.

    Returns
    -------
    pandas.DataFrame
        ``iteration``, ``reply`` (the best of those looked at, chosen on other decks), ``gain`` in points a
        hand with ``low`` and ``high``, and ``bound``: the most that any reply wins, all intervals together.
    """
    import pandas as pd

    return pd.DataFrame(
        {
            "iteration": iteration,
            "reply": gain.replies[gain.best].name,
            "gain": gain.gain.estimate,
            "low": gain.gain.low,
            "high": gain.gain.high,
            "bound": gain.bound,
        }
        for iteration, gain in learned.gains
    )
