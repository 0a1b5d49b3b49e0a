"""Match equity: the chance to win a game, and its final margin, at every score.

A game of one column is a chain over both sides' scores and who deals. Its values are found backwards over
the sum of the scores, which no hand lowers. Hands that leave the score as it is (void ones, wins without
points) are solved for exactly: two equations at each score, one for each dealer.

The chain is as good as the distribution of hands it is given. It takes hands to be independent given
score and dealer, and players to look at no more of the past; a game goes on until it is won (the engine
stops one after 10,000 hands).
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from analysis.console import UsageError
from analysis.knocking.outcomes import Outcomes
from analysis.stats.estimates import LEVEL, Estimate, score_ends
from sim._jit import Array, typed_kernel, types
from sim.rules import Rules

JACKKNIFE = 32
"""Groups of pairs that are left out in turn."""
LARGEST_TARGET = 300
"""Points: the values of all scores, and of those without each group, are 190 MB then."""
QUANTITIES = ("win", "margin", "shutout_a", "shutout_b")

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


class Equity(NamedTuple):
    """Values of a game at every score.

    ``win`` is the probability that side A wins the game, ``shutout_a`` and ``shutout_b`` that a side wins it
    to nothing where the rules reward that (else 0), and ``margin`` the mean of A's final total less B's, all
    bonuses in. A total holds the points that the side begins with and the boxes of the hands still to come,
    as `sim.run.play_match` counts it from a score; a box won before adds its points to it. Points to begin
    with are hand points, and who has some is not shut out.

    Attributes
    ----------
    rules : Rules
    values : ndarray of float64, shape (1 + groups, 4, 2, target, target)
        From all hands, and from those of all groups but each: `QUANTITIES`, side that deals the next hand,
        points of A, points of B.
    """

    rules: Rules
    values: Floats

    def dealt(self, dealer: int | None) -> Floats:
        """Return the values when a side deals, shape (1 + groups, 4, target, target).

        None is the first dealer of the rules: drawn, which is the mean of both, or fixed, which is B.
        """
        if dealer is None and self.rules.first_dealer == "fixed":
            dealer = 1
        return self.values.mean(axis=2) if dealer is None else self.values[:, :, dealer]

    def at(self, a: int, b: int, dealer: int | None) -> dict[str, Estimate]:
        """Return each quantity at a score with its 95 % interval; without ends if no group was left out.

        Raises
        ------
        UsageError
            If a score is not below the target.
        """
        target = self.rules.game_target
        if not (0 <= a < target and 0 <= b < target):
            raise UsageError(f"score {a}:{b}: expected 0-{target - 1} each")
        cell = self.dealt(dealer)[:, :, a, b]
        if len(cell) == 1:
            return {
                name: Estimate(float(value), None, None)
                for name, value in zip(QUANTITIES, cell[0], strict=True)
            }
        told = {}
        for name, values in zip(QUANTITIES, cell.T, strict=True):
            estimate, low, high = (float(part) for part in ends(values, share=name != "margin"))
            told[name] = Estimate(estimate, low, high, float(errors(values)), len(values) - 2)
        return told

    def intervals(self, dealer: int | None) -> dict[str, tuple[Floats, Floats, Floats]]:
        """Return estimate, low and high of each quantity at all scores, each of shape (target, target)."""
        return {
            name: ends(values, share=name != "margin")
            for name, values in zip(QUANTITIES, np.moveaxis(self.dealt(dealer), 1, 0), strict=True)
        }


def errors(values: Floats) -> Floats:
    """Return standard errors by the delete-one-group jackknife from values of all and without each group."""
    without = values[1:]
    groups = len(without)
    told: Floats = np.sqrt(((without - without.mean(axis=0)) ** 2).sum(axis=0) * (groups - 1) / groups)
    return told


def ends(values: Floats, share: bool) -> tuple[Floats, Floats, Floats]:
    """Return estimates with their 95 % intervals from values of all and without each group."""
    estimate, error = values[0], errors(values)
    critical = float(stdtrit(len(values) - 2, (1 + LEVEL) / 2))
    low, high = estimate - critical * error, estimate + critical * error
    if share:
        inside = (error > 0) & (estimate > 0) & (estimate < 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            near = score_ends(estimate, error, critical)
        low, high = (np.where(inside, one, other) for one, other in zip(near, (low, high), strict=True))
    return estimate, low, high


def require_one_game(rules: Rules) -> None:
    """Refuse rules whose games have no single score.

    Raises
    ------
    UsageError
        Saying which rule stands against it.
    """
    if rules.columns > 1:
        raise UsageError(
            f"columns={rules.columns}: a Hollywood sheet has no one score; set columns=1 for a single column"
        )
    if rules.match_type == "single_hand":
        raise UsageError("match_type=single_hand: a single hand is played to no score")
    if rules.match_type != "single_game":
        raise UsageError(
            f"match_type={rules.match_type}: equity is of one game; set match_type=single_game match_length=1"
        )
    if rules.game_target > LARGEST_TARGET:
        raise UsageError(f"game_target={rules.game_target}: expected {LARGEST_TARGET} or less")


class Sheet(NamedTuple):
    """The states of one side's score.

    Attributes
    ----------
    standing : ndarray of int64, shape (slots,)
        What counts towards the target. The first slots are all of it, in order; then come those of a side
        that has won nothing, where the rules reward that.
    nothing : ndarray of int64, shape (slots,)
        1 for a side that has won nothing, by the rules' test.
    after : ndarray of int64, shape (slots, results)
        Slot after the side has won a hand with a result; -1: the target is reached.
    """

    standing: Ints
    nothing: Ints
    after: Ints


def sheet(rules: Rules, results: Ints) -> Sheet:
    """Return the states of a side's score, and what each result of a hand makes of them."""
    target = rules.game_target
    _, points, boxes = results.T
    at_once = boxes * rules.box_bonus if rules.box_timing == "immediate" else 0 * boxes
    bare = [0]
    if rules.shutout == "none":
        bare = []
    elif rules.shutout_test == "no_points" and rules.box_timing == "immediate" and rules.box_bonus:
        bare = list(range(0, target, rules.box_bonus))  # hands won without points leave boxes alone
    standing = np.array([*range(target), *bare], np.int64)
    nothing = np.repeat([0, 1], [target, len(bare)])
    then = standing[:, None] + points + at_once
    still = (nothing[:, None] == 1) & (points == 0) & (rules.shutout_test == "no_points")
    place = np.zeros(target, np.int64)
    place[bare] = target + np.arange(len(bare))
    inside = np.minimum(then, target - 1)
    after = np.where(then >= target, -1, np.where(still, place[inside], inside))
    return Sheet(standing, nothing.astype(np.int64), after)


def start_slots(rules: Rules) -> Ints:
    """Return the slot of a side that begins with each number of points; with none it has won nothing."""
    slots = np.arange(rules.game_target)
    if rules.shutout != "none":
        slots[0] = rules.game_target
    return slots


def passes(rules: Rules) -> Floats:
    """Return who deals next: nobody, A or B has won, who dealt, probability that A and B deal."""
    same, other, drawn = np.eye(2), np.eye(2)[::-1], np.full((2, 2), 0.5)
    void = {"same": same, "rotate": other, "random": drawn}[rules.void_dealer]
    by_winner = np.array([[[1.0, 0.0]] * 2, [[0.0, 1.0]] * 2])  # the winner deals
    won = {
        "alternate": np.stack([other, other]),
        "fixed": np.stack([same, same]),
        "random": np.stack([drawn, drawn]),
        "winner": by_winner,
        "loser": by_winner[::-1],
    }[rules.next_dealer]
    return np.ascontiguousarray(np.concatenate([void[None], won]))


def bonuses(rules: Rules) -> Floats:
    """Return what makes margins of scores.

    Games are valued as if a standing were hand points alone. Five numbers say what is added: for each point
    that is a box's, always and if its winner shuts the other out; for a shutout, a sum and a part of
    the winner's standing; and the game bonus.
    """
    doubled = rules.shutout
    if rules.box_timing == "end":
        always, shut = 1.0, 1.0 if doubled in ("double_bonuses", "double_total") else 0.0
    else:  # the standing holds the boxes already, and takes them for hand points
        always, shut = 0.0, {"double_hands": -1.0, "double_bonuses": 1.0}.get(doubled, 0.0)
    flat = {
        "flat": rules.shutout_flat,
        "double_bonuses": rules.game_bonus,
        "double_total": rules.game_bonus,
    }.get(doubled, 0)
    part = 1.0 if doubled in ("double_hands", "double_total") else 0.0
    return np.array([always, shut, flat, part, rules.game_bonus], np.float64)


def solve(outcomes: Outcomes, rules: Rules, groups: int = JACKKNIFE, threads: int = 1) -> Equity:
    """Return the equity of a game at every score.

    Parameters
    ----------
    outcomes : Outcomes
        Measured under the same rules.
    rules : Rules
        Single games of one column.
    groups : int
        Groups of the jackknife; 0 gives estimates alone.
    threads : int

    Returns
    -------
    Equity

    Raises
    ------
    UsageError
        If the rules play no single games of one column, or hands never end a game.
    """
    require_one_game(rules)
    shares = outcomes.shares(groups)
    states = sheet(rules, outcomes.results)
    slots = len(states.standing)
    one, other = np.divmod(np.arange(slots * slots), slots)
    # No hand leads back: of equal sums, who has won a hand without points comes first.
    total = states.standing[one] + states.standing[other]
    bare = states.nothing[one] + states.nothing[other]
    order = np.lexsort((bare, -total))
    path = np.ascontiguousarray(np.stack([one[order], other[order]], axis=1))
    winner, points, boxes = (np.ascontiguousarray(column) for column in outcomes.results.T)
    added = points + (boxes * rules.box_bonus if rules.box_timing == "immediate" else 0)
    gain = (boxes * rules.box_bonus).astype(np.float64)
    turns, terms = passes(rules), bonuses(rules)
    starts = start_slots(rules)
    target = rules.game_target

    def one_group(share: Floats) -> tuple[Floats, int]:
        value = np.zeros((slots, slots, 2, len(QUANTITIES)))
        stuck = _solve(
            path, states.standing, states.nothing, states.after, outcomes.cells, winner, added, gain,
            np.ascontiguousarray(share), turns, terms, value,
        )  # fmt: skip
        found = np.moveaxis(value[np.ix_(starts, starts)], (3, 2), (0, 1))
        return found, stuck

    values = np.empty((len(shares), len(QUANTITIES), 2, target, target))
    with ThreadPoolExecutor(threads) as pool:
        for number, (found, stuck) in enumerate(pool.map(one_group, shares)):
            if stuck:
                raise UsageError("no hand that was measured moves the score: games between them never end")
            values[number] = found
    values[:, 1] *= rules.column_multipliers[0]
    return Equity(rules, values)


# --- kernel --------------------------------------------------------------------------------------

_PATH, _FEW, _MANY = types.int64[:, ::1], types.int64[::1], types.float64[::1]
_CUBE, _VALUES = types.float64[:, :, ::1], types.float64[:, :, :, ::1]


@typed_kernel(
    types.int64(
        _PATH, _FEW, _FEW, _PATH, _PATH, _FEW, _FEW, _MANY, _CUBE, _CUBE, _MANY, _VALUES
    )
)  # fmt: skip
def _solve(
    path: Array,
    standing: Array,
    nothing: Array,
    after: Array,
    cells: Array,
    winner: Array,
    added: Array,
    gain: Array,
    share: Array,
    turns: Array,
    terms: Array,
    value: Array,
) -> int:
    """Fill in the values of all states, in the order of the path; return 1 if some hand goes on for ever.

    Parameters
    ----------
    path : ndarray of int64, shape (states, 2)
        Slots of A and B.
    standing, nothing, after
        By slot, see `Sheet`.
    cells : ndarray of int64, shape (target, target)
    winner, added, gain : ndarray, shape (results,)
        Of a hand: winner, what it adds to his standing, points of its boxes.
    share : ndarray of float64, shape (cells, 2, results)
    turns, terms
        See `passes` and `bonuses`.
    value : ndarray of float64, shape (slots, slots, 2, 4)
        Slots of A and B, who deals, `QUANTITIES`.
    """
    always, shut, flat, part, game = terms[0], terms[1], terms[2], terms[3], terms[4]
    right = np.zeros((2, 4))
    stay = np.zeros((2, 2))
    boxed = np.zeros((2, 2, 2))  # dealer, winner, next dealer: points of boxes won at this same score
    for at in range(len(path)):
        mine = path[at, 0]
        yours = path[at, 1]
        cell = cells[standing[mine], standing[yours]]
        for dealer in range(2):
            for q in range(4):
                right[dealer, q] = 0.0
            for e in range(2):
                stay[dealer, e] = 0.0
                boxed[dealer, 0, e] = 0.0
                boxed[dealer, 1, e] = 0.0
            for k in range(len(winner)):
                p = share[cell, dealer, k]
                if p == 0.0:
                    continue
                side = winner[k]
                if side < 0:
                    for e in range(2):
                        stay[dealer, e] += p * turns[0, dealer, e]
                    continue
                sign = 1.0 - 2.0 * side
                own = mine if side == 0 else yours
                then = after[own, k]
                if then < 0:
                    low = yours if side == 0 else mine
                    total = standing[own] + added[k]
                    margin = game + total - standing[low] + always * gain[k]
                    if nothing[low]:
                        margin += flat + part * total + shut * gain[k]
                        right[dealer, 2 + side] += p
                    if side == 0:
                        right[dealer, 0] += p
                    right[dealer, 1] += sign * p * margin
                    continue
                for e in range(2):
                    q = p * turns[1 + side, dealer, e]
                    if q == 0.0:
                        continue
                    if then == own:
                        stay[dealer, e] += q
                        boxed[dealer, side, e] += q * gain[k]
                        continue
                    a = then if side == 0 else mine
                    b = yours if side == 0 else then
                    right[dealer, 0] += q * value[a, b, e, 0]
                    right[dealer, 1] += q * (
                        value[a, b, e, 1] + sign * gain[k] * (always + shut * value[a, b, e, 2 + side])
                    )
                    right[dealer, 2] += q * value[a, b, e, 2]
                    right[dealer, 3] += q * value[a, b, e, 3]
        scale = (1.0 - stay[0, 0]) * (1.0 - stay[1, 1]) - stay[0, 1] * stay[1, 0]
        if scale < 1e-12:
            return 1
        for number in range(4):
            q = 1 if number == 3 else 0 if number == 0 else number + 1  # the margin last: it needs shutouts
            if q == 1:
                for dealer in range(2):
                    for side in range(2):
                        sign = 1.0 - 2.0 * side
                        for e in range(2):
                            chance = value[mine, yours, e, 2 + side]
                            right[dealer, 1] += sign * boxed[dealer, side, e] * (always + shut * chance)
            value[mine, yours, 0, q] = ((1.0 - stay[1, 1]) * right[0, q] + stay[0, 1] * right[1, q]) / scale
            value[mine, yours, 1, q] = ((1.0 - stay[0, 0]) * right[1, q] + stay[1, 0] * right[0, q]) / scale
    return 0
