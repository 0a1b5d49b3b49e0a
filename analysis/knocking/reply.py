"""The best knock table against given opponents, the player's draws and discards being fixed.

Policy iteration on recorded forks: in each cell (own turn x deadwood) knocking is compared with declining
and following the table, over the hands in which the table would have come there. A cell holds many
positions, so the table that is found is the best of its kind only as far as such steps lead: they are begun
from several tables, on decks of their own, and the table that does best on other decks is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from analysis.knocking.gain import measure_gain
from analysis.knocking.policy import TURNS, Floats, Policy, cell_of, threshold, turn_row
from analysis.knocking.recorded import (
    Decks,
    Opponent,
    Place,
    Recorded,
    Worth,
    group_means,
    mean_of,
    points,
    record,
)
from sim.rules import Rules
from sim.run import Player
from strategies.knock_cells import DEADWOODS

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["LEAST", "STARTS", "Opponent", "Reply", "fit_reply", "improve", "measure_gain", "reach_of"]

LEAST = 30
"""Forks that a cell's decision must rest on."""
STARTS: Mapping[str, Policy] = {
    "gin_only": threshold(0),
    "threshold(4)": threshold(4),
    "threshold(10)": threshold(10),
}
"""Tables to begin with: never short of gin, sometimes, always."""

Told = Callable[[int, int, str], None]
"""Hears of progress: hands recorded, hands in all, what is being done."""


class Reply(NamedTuple):
    """The best table found against opponents.

    Attributes
    ----------
    policy : Policy
    trace : DataFrame
        A row for each table tried: ``start``, ``iteration`` (0: the start itself), ``changed`` (cells, from
        the table before), ``estimate``, ``low``, ``high`` (value a hand on the validation decks, the same for
        all tables), ``kept``.
    last : dict of str to Policy
        The last table of each start.
    undetermined : ndarray of bool, shape (TURNS, DEADWOODS)
        Cells that ``policy`` comes to in which the last tables disagree.
    reach : ndarray of float64, shape (TURNS, DEADWOODS)
        How often in a hand ``policy`` has to decide in a cell.
    decks : Decks
        Where fresh decks are to be had: none of them was used here.
    """

    policy: Policy
    trace: DataFrame
    last: dict[str, Policy]
    undetermined: npt.NDArray[np.bool_]
    reach: Floats
    decks: Decks


def improve(policy: Policy, recorded: Sequence[Recorded], least: float = LEAST) -> Policy:
    """Return the table that decides in each cell what is best if the table is followed before and after.

    Turns are gone through from the last to the first and what has been decided for later turns is followed
    already. A hand comes to a turn once, so no step makes the mean value on these decks smaller (but for
    the last row, which stands for many turns and is decided first, as if the old one were followed).

    Parameters
    ----------
    policy : Policy
        May knock by chance.
    recorded : sequence of Recorded
        Against each opponent, on the same decks.
    least : float
        A cell that the policy comes to less often than this (in expected forks) is decided by all its
        forks, whatever was declined before; if these are fewer still, it keeps its share.

    Returns
    -------
    Policy
        Deterministic in the cells that were decided; gin is always taken. Where both are worth the same,
        the share is kept.
    """
    shares = policy.shares.copy()
    shares[:, 0] = 1
    current = Policy(shares)
    parts = [_Part(part, current) for part in recorded]
    _decide(shares, TURNS - 1, parts, least)
    for part in parts:
        part.settle_last_row(current)
    for row in range(TURNS - 2, -1, -1):
        _decide(shares, row, parts, least)
        for part in parts:
            part.go_back(row, shares)
    return Policy(shares)


class _Part:
    """Forks against one opponent, sorted by row, while turns are gone through from the last."""

    def __init__(self, recorded: Recorded, policy: Policy) -> None:
        self.recorded = recorded
        self.weight, forks, self.taken, declined = recorded
        rows = turn_row(forks)
        order = np.argsort(rows, kind="stable")
        ends = np.searchsorted(rows[order], np.arange(TURNS + 1))
        self.places = [order[low:high] for low, high in zip(ends[:-1], ends[1:], strict=True)]
        self.owner = forks.owner()
        self.deadwood = forks.forks.deadwood.astype(np.int64)
        expected = forks.expected_of(policy.at(forks), self.taken, declined)
        self.reach = expected.reach
        self.after = expected.after
        self.value = declined.copy()

    def settle_last_row(self, policy: Policy) -> None:
        """Let hands that come to the last row be worth what its new decisions bring."""
        places = self.places[TURNS - 1]
        if len(places) == 0:
            return
        forks, declined = self.recorded.forks, self.recorded.declined
        shares = np.zeros(len(forks.forks))
        shares[places] = policy.shares[TURNS - 1, self.deadwood[places]]
        self.value = forks.expected_of(shares, self.taken, declined).result

    def go_back(self, row: int, shares: Floats) -> None:
        """Let hands that come to a row be worth what its decisions bring."""
        places = self.places[row]
        knock, owner = shares[row, self.deadwood[places]], self.owner[places]
        self.value[owner] = knock * self.taken[places] + (1 - knock) * self.value[owner]

    def gains(self, row: int) -> Floats:
        """Return what knocking gains, and forks, by deadwood: as the policy comes there, and of all.

        Of shape (4, DEADWOODS).
        """
        places = self.places[row]
        after = self.after[places] if row == TURNS - 1 else self.value[self.owner[places]]
        gain, reach, cell = self.taken[places] - after, self.reach[places], self.deadwood[places]
        values = (self.weight * reach * gain, reach, self.weight * gain, np.ones(len(places)))
        return np.array([np.bincount(cell, one, DEADWOODS) for one in values])


def _decide(shares: Floats, row: int, parts: Sequence[_Part], least: float) -> None:
    """Decide the cells of a row."""
    reached, often, every, number = np.sum([part.gains(row) for part in parts], axis=0)
    gain = np.where(often >= least, reached, every)
    sure = np.maximum(often, number) >= least
    shares[row] = np.where(sure & (gain != 0), gain > 0, shares[row])
    shares[row, 0] = 1


def reach_of(policy: Policy, recorded: Sequence[Recorded]) -> Floats:
    """Return how often in a hand a table has to decide in each cell, shape (TURNS, DEADWOODS)."""
    reach = np.zeros(TURNS * DEADWOODS)
    for weight, forks, taken, declined in recorded:
        expected = forks.expected_of(policy.at(forks), taken, declined)
        often = np.bincount(cell_of(forks), expected.reach, len(reach))
        reach += weight * often / len(forks.deals)
    return reach.reshape(TURNS, DEADWOODS)


def fit_reply(
    base: Player,
    opponents: Sequence[Opponent],
    rules: Rules,
    *,
    pairs: int,
    seed: int = 0,
    first: int = 0,
    iterations: int = 6,
    threads: int = 1,
    starts: Mapping[str, Policy] = STARTS,
    scores: tuple[int, int] = (0, 0),
    dealer: int | None = None,
    worth: Worth = points,
    validation: int | None = None,
    on_progress: Told | None = None,
) -> Reply:
    """Fit a knock table to opponents.

    Every iteration of every start is on decks of its own; all tables that come of them are compared on
    decks that none was made from, and the best there is kept. The decks are pairs of one seed that are
    handed out once, from ``first`` on; `Reply.decks` has those that are left.

    Parameters
    ----------
    base : Player
        Draws and discards; his knock rule is left out.
    opponents : sequence of Opponent
        A mixture, drawn once a hand; each plays the same decks.
    rules : Rules
        Of two players.
    pairs : int
        Pairs of hands an iteration and start, and opponent.
    seed, first : int
        Seed of the decks, and the first pair that may be used.
    iterations : int
        For each start, at least 1.
    threads : int
        What comes out does not depend on it.
    starts : mapping of str to Policy
    scores : tuple of int
        Points of A and B before the hand.
    dealer : int or None
        Side that deals; None as the rules say for the first hand of a game.
    worth : callable
        What results are worth, points as a rule; any array will do, such as match equity.
    validation : int, optional
        Pairs to compare tables on; as many as ``pairs`` if left out.
    on_progress : callable, optional
        Called before each recording.

    Returns
    -------
    Reply

    Raises
    ------
    ValueError
        If an argument is out of range, or weights do not sum to 1.
    RunError
        If a strategy breaks the rules or its code fails.
    """
    if iterations < 1:
        raise ValueError(f"iterations {iterations}: expected 1 or more")
    if not starts:
        raise ValueError("starts: expected one or more")
    place, decks = Place(rules, scores, dealer, threads), Decks(seed, first)
    validation = validation or pairs
    hands = sum(opponent.weight > 0 for opponent in opponents) * 2
    total, done = hands * (pairs * iterations * len(starts) + validation), 0

    def recorded(count: int, doing: str) -> list[Recorded]:
        nonlocal done
        if on_progress:
            on_progress(done, total, doing)
        found = record(base, opponents, place, decks, count, worth)
        done += hands * count
        return found

    tried: list[tuple[str, int, Policy]] = [(name, 0, policy) for name, policy in starts.items()]
    last = dict(starts)
    for iteration in range(1, iterations + 1):
        for name in starts:
            last[name] = improve(last[name], recorded(pairs, f"iteration {iteration} from {name}"))
            tried.append((name, iteration, last[name]))
    judges = recorded(validation, "validation")
    if on_progress:
        on_progress(done, total, "comparing")
    sums, played = group_means([policy for _, _, policy in tried], judges)
    best = int(np.argmax(sums.sum(axis=0)))
    policy = tried[best][2]
    reach = reach_of(policy, judges)
    tables = np.array([one.shares for one in last.values()])
    seen = reach * 2 * validation >= LEAST
    return Reply(
        policy,
        _trace(tried, sums, played, best),
        last,
        seen & (np.ptp(tables, axis=0) > 0),
        reach,
        decks,
    )


def _trace(tried: Sequence[tuple[str, int, Policy]], sums: Floats, hands: Floats, best: int) -> DataFrame:
    """Return `Reply.trace`."""
    import pandas as pd

    before: dict[str, Policy] = {}
    rows: list[dict[str, Any]] = []
    for at, (name, iteration, policy) in enumerate(tried):
        known = before.get(name, policy)
        told = mean_of(sums[:, at], hands)
        changed = int((known.shares != policy.shares).sum())
        rows.append({"start": name, "iteration": iteration, "changed": changed, **told.to_dict()})
        before[name] = policy
    trace = pd.DataFrame(rows)
    trace["kept"] = np.arange(len(trace)) == best
    return trace
