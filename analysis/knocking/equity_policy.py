"""Knock tables that maximise the chance to win the game: one for each band of both scores and who deals.

A knock is worth the equity of the score that it leads to. The equity is that of the tables themselves, so
both are found in turns: hands are recorded on fresh decks, the tables' outcomes on them give an equity, and
each table is improved by it. The cells of scores that games seldom come to count for as little.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from analysis.console import UsageError
from analysis.knocking.equity import Equity, Floats, passes, solve
from analysis.knocking.outcomes import Counts, Outcomes, codes, decode
from analysis.knocking.policy import TURNS, Policy, threshold
from analysis.knocking.recorded import Decks, Recorded, points
from analysis.knocking.reply import improve
from analysis.knocking.score_cells import reads_score, square_cells
from analysis.stats.estimates import Estimate, jackknife
from sim.forks import Forks, fork_hands
from sim.rules import Rules
from sim.run import Player, play_match
from sim.tally import GROUPS
from strategies.base import Strategy, player
from strategies.knock_cells import DEADWOODS
from strategies.score_table import most_turns, score_table_player

BANDS = 5
"""Bands of either score: of 20 points in a game to 100."""
STEPS_WITHIN = 2
"""Steps of policy iteration for each equity."""


class ScorePolicy(NamedTuple):
    """Knock tables by score.

    Attributes
    ----------
    step : int
        Points of a band of either score.
    shares : ndarray of float64, shape (bands, bands, 2, TURNS, DEADWOODS)
        Probability of knocking by band of A's score, band of B's, side that deals, and as in `Policy`.
    """

    step: int
    shares: Floats

    def table(self, cell: int, dealer: int) -> Policy:
        """Return the table of a score cell (``A's band * bands + B's band``)."""
        return Policy(self.shares[(*divmod(cell, len(self.shares)), dealer)])

    def player(self, base: Strategy) -> Player:
        """Return side A as it plays by the tables; they hold for nobody on side B."""
        turns = most_turns(len(self.shares))
        mine_last = self.shares[:, :, ::-1, :turns, 1:]  # a view says 1 for who deals, here A is 0
        return score_table_player(base, self.step, np.ascontiguousarray(mine_last))


def everywhere(policy: Policy, target: int, bands: int = BANDS) -> ScorePolicy:
    """Return the rule that knocks by one table at every score."""
    step = -(-target // bands)
    bands = -(-target // step)
    shape = (bands, bands, 2, TURNS, DEADWOODS)
    return ScorePolicy(step, np.ascontiguousarray(np.broadcast_to(_playable(policy, bands).shares, shape)))


def _playable(policy: Policy, bands: int) -> Policy:
    """Return a table whose turns are as few as can be played; the last stands for all later ones."""
    turns = min(most_turns(bands), TURNS)
    shares = policy.shares.copy()
    shares[turns:] = shares[turns - 1]
    return Policy(shares)


class EquityReply(NamedTuple):
    """Tables that maximise equity, and how they were found.

    Attributes
    ----------
    policy : ScorePolicy
        The last one.
    points : Policy
        The table that maximises points a hand, with which it began.
    trace : list of Estimate
        Chance to win from 0:0 by the table of points and after each round but the last, each measured on
        decks that the tables were not fitted on; who deals first as the rules say.
    changed : list of int
        Cells (score, dealer, turn, deadwood) that each round changed.
    equity : Equity
        By the tables before the last round, from all hands of it.
    decks : Decks
        Where fresh decks are to be had.
    """

    policy: ScorePolicy
    points: Policy
    trace: list[Estimate]
    changed: list[int]
    equity: Equity
    decks: Decks


def fit_equity(
    base: Strategy,
    opponent: Strategy,
    rules: Rules,
    *,
    pairs: int,
    seed: int = 0,
    rounds: int = 4,
    bands: int = BANDS,
    threads: int = 1,
    on_progress: Callable[[int, int, str], None] | None = None,
) -> EquityReply:
    """Fit knock tables by score to an opponent, equity and tables in turns.

    Parameters
    ----------
    base : Strategy
        Draws and discards; its knock rule is left out.
    opponent : Strategy
    rules : Rules
        Single games of one column.
    pairs : int
        Pairs of hands a round with each dealer; a round has decks of its own.
    seed : int
    rounds : int
        At least 1. It ends before if a round changes nothing.
    bands : int
        Bands of either score.
    threads : int
    on_progress : callable, optional
        Told rounds finished, rounds in all, and what is being done.

    Returns
    -------
    EquityReply

    Raises
    ------
    UsageError
        If the opponent, or a draw or discard, looks at the score: then forks of one score would not hold at
        the others; or if the rules play no single games of one column.
    """
    if rounds < 1:
        raise UsageError(f"rounds {rounds}: expected 1 or more")
    a = everywhere(threshold(0), rules.game_target, bands).player(base)
    b = player(opponent)
    blind = a._replace(decisions=(a.decisions[0], a.decisions[0], *a.decisions[2:]))
    for text, one in ((f"{base}, draw or discard", blind), (str(opponent), b)):
        if reads_score(one):
            raise UsageError(f"{text}: looks at the score, so hands of one score do not hold at the others")
    decks = Decks(seed)
    told = on_progress or (lambda *_: None)

    def record() -> list[Forks]:
        first = decks.take(pairs)
        return [
            fork_hands(a, b, rules, pairs=pairs, seed=seed, first=first, threads=threads, dealer=dealer)
            for dealer in (0, 1)
        ]

    told(0, rounds + 1, "the table of points")
    by_points = threshold(4)
    parts = [Recorded(0.5, forks, *points(forks)) for forks in record()]
    for _ in range(6):
        by_points = improve(by_points, parts)
    policy = everywhere(by_points, rules.game_target, bands)
    trace: list[Estimate] = []
    changed: list[int] = []
    for number in range(rounds):
        told(number + 1, rounds + 1, f"round {number + 1}")
        hands = [Hands(forks) for forks in record()]
        outcomes = outcomes_of(policy, hands, rules)
        equity = solve(outcomes, rules, threads=threads)
        trace.append(equity.at(0, 0, None)["win"])
        better = _improve_all(policy, hands, outcomes, equity)
        changed.append(int((better.shares != policy.shares).sum()))
        policy = better
        if changed[-1] == 0:
            break
    return EquityReply(policy, _playable(by_points, len(policy.shares)), trace, changed, equity, decks)


class Hands:
    """Recorded hands with the result of each fork and hand as a number.

    Attributes
    ----------
    forks : Forks
    taken, declined : ndarray of int64
        Result of each fork if it is taken, of each hand if none is, as `analysis.knocking.outcomes.codes`
        codes it.
    group : ndarray of int64, shape (deals,)
        Of pairs.
    """

    def __init__(self, forks: Forks) -> None:
        self.forks = forks
        self.taken, self.declined = (
            codes(rows.winner, rows.points, rows.boxes) for rows in (forks.forks, forks.deals)
        )
        self.group = forks.deals.pair % GROUPS

    def results(self, policy: Policy) -> Counts:
        """Return the coded result of each hand under a table that leaves nothing to chance."""
        found = self.forks.first_taken(policy.at(self.forks) > 0.5)
        return np.where(found >= 0, self.taken[found], self.declined)


def outcomes_of(policy: ScorePolicy, hands: Sequence[Hands], rules: Rules) -> Outcomes:
    """Return the distribution of results under tables by score, from the same hands in every cell.

    Parameters
    ----------
    policy : ScorePolicy
        Leaves nothing to chance.
    hands : sequence of Hands
        When A deals, when B deals.
    rules : Rules
    """
    seen = np.unique(np.concatenate([part for one in hands for part in (one.taken, one.declined)]))
    bands = len(policy.shares)
    counts = np.zeros((bands * bands, GROUPS, 2, len(seen)), np.int64)
    for dealer, one in enumerate(hands):
        known: dict[bytes, Counts] = {}  # alike tables need one count
        for cell in range(bands * bands):
            table = policy.table(cell, dealer)
            key = table.shares.tobytes()
            if key not in known:
                place = one.group * len(seen) + np.searchsorted(seen, one.results(table))
                known[key] = np.bincount(place, minlength=GROUPS * len(seen)).reshape(GROUPS, -1)
            counts[cell, :, dealer] = known[key]
    return Outcomes(square_cells(rules.game_target, policy.step), decode(seen), counts)


def _improve_all(
    policy: ScorePolicy, hands: Sequence[Hands], outcomes: Outcomes, equity: Equity
) -> ScorePolicy:
    """Improve the table of every cell by the equity of the scores that results lead to."""
    shares = policy.shares.copy()
    often = visits(outcomes, equity.rules)
    worth = result_values(outcomes, equity, often)
    order = codes(
        outcomes.results[:, 0],
        outcomes.results[:, 1],
        outcomes.results[:, 2],
    )
    for dealer, one in enumerate(hands):
        taken, declined = np.searchsorted(order, one.taken), np.searchsorted(order, one.declined)
        for cell in range(len(shares) ** 2):
            value = worth[cell, dealer]
            part = Recorded(1.0, one.forks, value[taken], value[declined])
            better = policy.table(cell, dealer)
            for _ in range(STEPS_WITHIN):
                better = improve(better, [part])
            shares[(*divmod(cell, len(shares)), dealer)] = _playable(better, len(shares)).shares
    return ScorePolicy(policy.step, shares)


def _added(outcomes: Outcomes, rules: Rules) -> Counts:
    """Return what each result adds to the winner's standing."""
    _, gained, boxes = outcomes.results.T
    at_once = boxes * rules.box_bonus if rules.box_timing == "immediate" else 0
    added: Counts = gained + at_once
    return added


def visits(outcomes: Outcomes, rules: Rules, start: tuple[int, int, int] | None = None) -> Floats:
    """Return how often a game is dealt a hand at each score.

    Parameters
    ----------
    outcomes : Outcomes
    rules : Rules
    start : tuple of int, optional
        Points of A, points of B and side that deals when the game begins; left out, it begins at 0:0 with the
        first dealer of the rules.

    Returns
    -------
    ndarray of float64, shape (2, target, target)
        By side that deals, points of A, points of B.
    """
    target = len(outcomes.cells)
    shares, turns, added = outcomes.shares(0)[0], passes(rules), _added(outcomes, rules)
    winner = outcomes.results[:, 0]
    stays = (winner < 0) | (added == 0)
    arrive = np.zeros((2, target, target))
    if start is None:
        arrive[:, 0, 0] = (0, 1) if rules.first_dealer == "fixed" else (0.5, 0.5)
    else:
        arrive[start[2], start[0], start[1]] = 1
    found = np.zeros_like(arrive)
    for total in range(2 * target - 1):
        for a in range(max(0, total - target + 1), min(total, target - 1) + 1):
            b = total - a
            if not arrive[:, a, b].any():
                continue
            chance = shares[outcomes.cells[a, b]]
            stay = np.einsum("dk,kde->de", chance[:, stays], turns[winner[stays] + 1])
            found[:, a, b] = arrive[:, a, b] @ np.linalg.inv(np.eye(2) - stay)
            flow = np.einsum("d,dk,kde->ek", found[:, a, b], chance, turns[winner + 1])
            for side, own in ((0, a), (1, b)):
                on = (winner == side) & ~stays & (own + added < target)
                for dealer in range(2):
                    line = arrive[dealer, :, b] if side == 0 else arrive[dealer, a]
                    line += np.bincount(own + added[on], flow[dealer, on], target)
    return found


def result_values(outcomes: Outcomes, equity: Equity, often: Floats) -> Floats:
    """Return what each result of a hand is worth in each cell: A's chance to win the game after it.

    The mean over the scores of a cell by how often games come to them, or of all alike where none does.

    Returns
    -------
    ndarray of float64, shape (cells, 2, results)
    """
    target, cells = len(outcomes.cells), len(outcomes.counts)
    inside = [outcomes.cells == cell for cell in range(cells)]
    turns, added = passes(equity.rules), _added(outcomes, equity.rules)
    win = equity.values[0, 0]
    told = np.zeros((cells, 2, len(added)))
    for k, (winner, gain) in enumerate(zip(outcomes.results[:, 0], added, strict=True)):
        then = win.copy()
        if winner == 0:
            then = np.ones_like(win)
            then[:, : max(target - gain, 0)] = win[:, gain:]
        elif winner == 1:
            then = np.zeros_like(win)
            then[:, :, : max(target - gain, 0)] = win[:, :, gain:]
        value = np.einsum("de,eab->dab", turns[winner + 1], then)
        for cell, where in enumerate(inside):
            for dealer in range(2):
                weight = often[dealer][where]
                weight = weight if weight.sum() > 0 else np.ones_like(weight)
                told[cell, dealer, k] = (value[dealer][where] * weight).sum() / weight.sum()
    return told


class Gain(NamedTuple):
    """Game shares of two players of side A against the same opponent on the same decks.

    Attributes
    ----------
    first, second, gain : Estimate
        The shares, and the first less the second.
    pairs : int
    """

    first: Estimate
    second: Estimate
    gain: Estimate
    pairs: int


def measure_game_gain(
    first: Player, second: Player, b: Player, rules: Rules, *, pairs: int, seed: int, threads: int = 1
) -> Gain:
    """Return how many more games one player wins than another, by direct play on common decks."""
    sums = []
    for a in (first, second):
        tally = play_match(a, b, rules, pairs=pairs, seed=seed, threads=threads).tally
        groups = tally.groups("moments")[:, 0].astype(np.float64)
        names = tally.outcomes
        sums.append((groups[:, names.index("games_a")] / 2, groups[:, names.index("games")]))
    whole = [won.sum() / games.sum() for won, games in sums]
    left = [(won.sum() - won) / (games.sum() - games) for won, games in sums]
    return Gain(
        jackknife(float(whole[0]), left[0]),
        jackknife(float(whole[1]), left[1]),
        jackknife(float(whole[0] - whole[1]), left[0] - left[1]),
        pairs,
    )
