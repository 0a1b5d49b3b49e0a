"""What a knock table gains over other knock rules, on decks that nothing was fitted or chosen on.

The gain over what a player did before is a *knock-only best-reply gain*: only his knocks were changed, and
only as a table over own turn and deadwood can change them. So it is a lower bound of what can be won from the
opponent, in points a hand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from analysis.knocking.policy import Floats, Policy, cell_of, sums_by_group, threshold, two_stage
from analysis.knocking.recorded import (
    Decks,
    Opponent,
    Place,
    Worth,
    check_opponents,
    mean_of,
    points,
)
from analysis.match import game_share
from analysis.stats.estimates import Estimate, jackknife_share
from analysis.stats.joint import simultaneous
from sim.fork_tables import table_sums
from sim.forks import fork_chunks
from sim.run import Player, play_match
from sim.tally import GROUPS, OUTCOMES

if TYPE_CHECKING:
    from pandas import DataFrame

THRESHOLDS = range(11)
SWITCHES = range(2, 16)
"""Own turns at which a two-stage rule of the grid changes."""
OWN = "own rule"
"""Name of the rule that the player had."""


class Gain(NamedTuple):
    """What a table gains.

    Attributes
    ----------
    value : Estimate
        What the table brings, a hand.
    over_own : Estimate
        Its gain over the player's own rule: the knock-only best-reply gain, if the table is the reply.
    best : str
        The rule of the grid that brought most on decks of its own, before the others were played.
    over_best : Estimate
        The table's gain over that rule; as all these, with a 95 % interval of its own.
    rules : DataFrame
        A row for `OWN`, each threshold and each two-stage rule: ``rule``, what it brings (``value``,
        ``value_low``, ``value_high``) and the table's gain over it (``gain``, ``gain_low``, ``gain_high``).
        The gains' intervals hold all at once with 95 %, those of values one by one.
    pairs, chosen_on : int
        Pairs of hands measured on, and those that ``best`` was chosen on.
    """

    value: Estimate
    over_own: Estimate
    best: str
    over_best: Estimate
    rules: DataFrame
    pairs: int
    chosen_on: int

    def better(self) -> list[str]:
        """Return the rules shown to be better than the table, all at once with 95 %."""
        names: list[str] = self.rules["rule"][self.rules["gain_high"] < 0].tolist()
        return names


def grid() -> dict[str, Policy]:
    """Return thresholds and two-stage rules by the text of their strategy."""
    rules = {f"threshold({k})": threshold(k) for k in THRESHOLDS}
    for early in THRESHOLDS:
        for late in THRESHOLDS:
            if early != late:
                for switch in SWITCHES:
                    rules[f"two_stage({early}, {late}, {switch})"] = two_stage(early, late, switch)
    return rules


def measure_gain(
    policy: Policy,
    base: Player,
    opponents: Sequence[Opponent],
    place: Place,
    *,
    decks: Decks,
    pairs: int,
    choose_on: int | None = None,
    worth: Worth = points,
    on_progress: Callable[[int], None] | None = None,
) -> Gain:
    """Measure what a knock table gains over a player's own rule and over each rule of the grid.

    Parameters
    ----------
    policy : Policy
    base : Player
        Draws and discards under all rules.
    opponents : sequence of Opponent
        A mixture, drawn once a hand; each plays the same decks.
    place : Place
    decks : Decks
        As `Reply.decks`: gives out pairs that were used for nothing yet.
    pairs : int
        To measure on.
    choose_on : int, optional
        Pairs to choose the best rule of the grid on; as many if left out.
    worth : callable
        What results are worth.
    on_progress : callable, optional
        Hears how many of all hands (each opponent's, both parts) have been recorded.

    Returns
    -------
    Gain

    Raises
    ------
    ValueError
        If weights do not sum to 1 or there are too few pairs.
    """
    check_opponents(opponents)
    choose_on = choose_on or pairs
    rules = grid()
    names = list(rules)
    done = 0

    def told(hands: int) -> None:
        nonlocal done
        done += hands
        if on_progress:
            on_progress(done)

    def played(policies: Sequence[Policy], count: int) -> tuple[Floats, Floats]:
        return _sums(policies, base, opponents, place, decks, count, worth, told)

    chosen, _ = played(list(rules.values()), choose_on)
    best = int(np.argmax(chosen[:, 1:].sum(axis=0)))
    sums, hands = played([policy, *rules.values()], pairs)
    own, table, others = sums[:, :1], sums[:, 1:2], sums[:, 2:]
    rest = np.hstack([own, others])
    return Gain(
        mean_of(table[:, 0], hands),
        mean_of((table - own)[:, 0], hands),
        names[best],
        mean_of(table[:, 0] - others[:, best], hands),
        _rows([OWN, *names], rest, table - rest, hands),
        pairs,
        choose_on,
    )


def _sums(
    policies: Sequence[Policy],
    base: Player,
    opponents: Sequence[Opponent],
    place: Place,
    decks: Decks,
    pairs: int,
    worth: Worth,
    told: Callable[[int], None],
) -> tuple[Floats, Floats]:
    """Return sums by group of what the own rule (first) and rules bring, and hands by group; fresh decks."""
    first = decks.take(pairs)
    tables = np.array([policy.shares.ravel() for policy in policies])
    sums, hands = np.zeros((GROUPS, 1 + len(tables))), np.zeros(GROUPS)
    for number, (weight, player) in enumerate(opponents):
        if weight == 0:
            continue
        if number:
            hands[:] = 0  # the same decks once more
        for forks in fork_chunks(
            base, player, place.rules, pairs=pairs, seed=decks.seed, first=first, threads=place.threads,
            scores=place.scores, dealer=place.dealer,
        ):  # fmt: skip
            taken, declined = worth(forks)
            asked = forks.expected_of(forks.forks.asked.astype(np.float64), taken, declined).result
            own, here = sums_by_group(forks.deals, asked, GROUPS)
            sums[:, 0] += weight * own
            sums[:, 1:] += weight * table_sums(forks, cell_of(forks), tables, taken, declined, GROUPS)
            hands += here
            told(len(forks.deals))
    return sums[hands > 0], hands[hands > 0]


def _rows(names: Sequence[str], sums: Floats, gains: Floats, hands: Floats) -> DataFrame:
    """Return `Gain.rules`."""
    import pandas as pd

    if len(hands) < 2:
        raise ValueError(f"{len(hands)} pairs: too few for intervals")
    without = (gains.sum(axis=0) - gains) / (hands.sum() - hands)[:, None]
    bands = simultaneous(gains.sum(axis=0) / hands.sum(), without).estimates
    values = [mean_of(column, hands) for column in sums.T]
    return pd.DataFrame(
        {
            "rule": names,
            "value": [one.estimate for one in values],
            "value_low": pd.array([one.low for one in values], "float64"),
            "value_high": pd.array([one.high for one in values], "float64"),
            "gain": [one.estimate for one in bands],
            "gain_low": pd.array([one.low for one in bands], "float64"),
            "gain_high": pd.array([one.high for one in bands], "float64"),
        }
    )


def games_won(
    player: Player, opponents: Sequence[Opponent], place: Place, *, decks: Decks, pairs: int
) -> Estimate:
    """Return a player's share of games in real matches on fresh decks.

    Parameters
    ----------
    player : Player
        As `strategies.table_player.table_player` makes him.
    opponents : sequence of Opponent
        A mixture, here drawn once a game.
    place : Place
    decks : Decks
    pairs : int
        Pairs of games (of matches, where the rules play matches) against each opponent.

    Returns
    -------
    Estimate
        A game without a winner is half to each side.
    """
    check_opponents(opponents)
    first = decks.take(pairs)
    runs = [
        (
            weight,
            play_match(
                player, other, place.rules, pairs=pairs, seed=decks.seed, first=first,
                threads=place.threads, scores=place.scores, dealer=place.dealer,
            ),
        )
        for weight, other in opponents
        if weight > 0
    ]  # fmt: skip
    for _, run in runs:
        if run.interrupted:
            raise KeyboardInterrupt
    if len(runs) == 1:
        return game_share(runs[0][1].tally.total("moments"))
    won, games = OUTCOMES.index("games_a"), OUTCOMES.index("games")
    share, without = 0.0, np.zeros(min(pairs, GROUPS))
    for weight, run in runs:
        moments = run.tally.groups("moments")[:, 0].astype(np.float64)
        held = moments[moments[:, 0] > 0]
        x, n = held[:, won], 2 * held[:, games]
        share += weight * float(x.sum() / n.sum())
        if len(held) > 1:
            without += weight * (x.sum() - x) / (n.sum() - n)
    return jackknife_share(share, without, pairs)
