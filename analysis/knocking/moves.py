"""How knocking moves with the rules: the same strategies, a reply to a fixed opponent, both adapted.

Under each rule set there are three answers: ``fixed`` (A's own knock rule against B), ``reply`` (A's best
knock table against the same B) and ``equilibrium`` (the table of self-play, both players drawing and
discarding as A). Points under different bonuses are different units, so what is compared across rule sets
is the edge of a hand in standard deviations of that hand's points, the share of games, and how often and
with how much A knocks. All rule sets are measured on the same decks, none of which anything was fitted to.

A change is split: the mechanical part, the tables made for the first rule set under the new rules; what B's
adaptation adds, in an equilibrium; and A's, the new table less the old one. In an equilibrium the edge is 0
under all rules, by symmetry, and A's adaptation is what it would cost A alone to go on as before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from analysis.knocking.policy import Floats, Policy
from analysis.knocking.recorded import Opponent
from analysis.knocking.regret import recorder, self_play
from analysis.knocking.reply import fit_reply
from analysis.knocking.rule_sets import RuleSet
from analysis.stats.estimates import Estimate
from analysis.stats.joint import sample, simultaneous
from sim.forks import Forks, fork_chunks
from sim.run import Player, play_match
from sim.streams import word
from sim.tally import GROUPS, OUTCOMES
from strategies.base import Strategy, player
from strategies.table_player import table_player

ANSWERS = ("fixed", "reply", "equilibrium")
FIT, LEARN, MEASURE, GAMES = range(1, 5)
"""What decks are for: each has a seed of its own, see `seed_for`."""
LINES = {
    "fixed": "b",
    "reply": "b",
    "old_reply": "b",
    "equilibrium": "equilibrium",
    "old_equilibrium": "equilibrium",
    "best_reply": "equilibrium",
    "old_pair": "old_equilibrium",
}
"""Tables measured under a rule set, by who the opponent is. The old ones were made for the first rule set;
in ``old_pair`` both play such a one. What ``best_reply`` wins from the equilibrium's table,
to which it was fitted, tells how good that is."""
PATHS = {
    "fixed": ("fixed", "fixed", "fixed"),
    "reply": ("old_reply", "old_reply", "reply"),
    "equilibrium": ("old_pair", "old_equilibrium", "equilibrium"),
}
"""Lines from the old tables to the new ones under new rules: nobody, B, and A have adapted."""
MEASURES = ("edge", "knock_share", "knock_deadwood", "game_share")
"""Points of a hand over their standard deviation; share of hands that A ends by a knock short of gin; mean
deadwood of these; share of games."""


class Plan(NamedTuple):
    """How much is played.

    Attributes
    ----------
    pairs : int
        Pairs of hands that a rule set is measured on, at least one for each of the groups.
    games : int
        Pairs of games; 0 for none.
    fit_pairs, fit_iterations : int
        Of each start of a best reply.
    learn_pairs, learn_iterations : int
        Of self-play.
    seed, threads : int
    """

    pairs: int = 40_000
    games: int = 10_000
    fit_pairs: int = 10_000
    fit_iterations: int = 3
    learn_pairs: int = 4_000
    learn_iterations: int = 100
    seed: int = 7
    threads: int = 1

    def seed_for(self, purpose: int) -> int:
        """Return the seed of decks for one purpose: no deck serves two."""
        return int(word(self.seed, purpose))


class Tables(NamedTuple):
    """What was fitted under a rule set.

    Attributes
    ----------
    reply : Policy
        To the fixed opponent.
    equilibrium : Policy
        Of self-play.
    best_reply : Policy
        To the equilibrium's table.
    """

    reply: Policy
    equilibrium: Policy
    best_reply: Policy


class Level(NamedTuple):
    """A measure under a rule set.

    Attributes
    ----------
    rule_set : str
    answer : str
        One of `ANSWERS`.
    measure : str
        One of `MEASURES`.
    value : Estimate
        Intervals of a measure hold together, over rule sets and answers.
    """

    rule_set: str
    answer: str
    measure: str
    value: Estimate


class Change(NamedTuple):
    """What a measure is more under a rule set than under the first, in three parts that add up to ``total``.

    Attributes
    ----------
    rule_set, answer, measure : str
    mechanical, opponent, adaptation, total : Estimate
        The old tables under the new rules; B's adaptation, if B adapts; then A's. Intervals of a measure hold
        together, over rule sets, answers and parts.
    """

    rule_set: str
    answer: str
    measure: str
    mechanical: Estimate
    opponent: Estimate
    adaptation: Estimate
    total: Estimate


class Moves(NamedTuple):
    """How the answers move.

    Attributes
    ----------
    sets : list of RuleSet
    tables : list of Tables
    levels : list of Level
    changes : list of Change
        Of all rule sets but the first.
    gains : list of Estimate
        By rule set, what the best reply found wins from the equilibrium's table, in standard deviations.
    hands : list of int
        By rule set, hands that were measured.
    """

    sets: list[RuleSet]
    tables: list[Tables]
    levels: list[Level]
    changes: list[Change]
    gains: list[Estimate]
    hands: list[int]


def fit_tables(a: Strategy, b: Player, chosen: RuleSet, plan: Plan) -> Tables:
    """Fit under a rule set the reply to B, the table of self-play, and the reply to that one."""
    own = player(a)

    def reply_to(other: Player) -> Policy:
        return fit_reply(
            own, [Opponent(1.0, other)], chosen.rules, pairs=plan.fit_pairs, seed=plan.seed_for(FIT),
            iterations=plan.fit_iterations, threads=plan.threads, worth=chosen.worth,
        ).policy  # fmt: skip

    record = recorder(
        a, chosen.rules, pairs=plan.learn_pairs, seed=plan.seed_for(LEARN), threads=plan.threads,
        keep=chosen.keep,
    )  # fmt: skip
    table = self_play(record, plan.learn_iterations, ())[-1].policy
    return Tables(reply_to(b), table, reply_to(table_player(a, table.cells())))


def follow(forks: Forks, shares: Floats, kept: Any) -> Floats:
    """Return sums by group of pairs of what following a rule brings.

    Returns
    -------
    ndarray of float64, shape (GROUPS, 5)
        Hands that count, their points and squared points, knocks short of gin, deadwood of these.
    """
    first = forks.forks.points.astype(np.float64)
    last = forks.deals.points.astype(np.float64)
    mean = forks.expected(shares)
    square = forks.expected_of(shares, first**2, last**2).result
    knocks = mean.reach * shares * (forks.forks.deadwood > 0)
    owner, number = forks.owner(), len(forks.deals)
    columns = [
        np.ones(number), mean.result, square, np.bincount(owner, knocks, number),
        np.bincount(owner, knocks * forks.forks.deadwood, number),
    ]  # fmt: skip
    group = forks.deals.pair % GROUPS
    return np.stack([np.bincount(group, column * kept, GROUPS) for column in columns], axis=1)


def measure(
    a: Strategy, b: Player, chosen: RuleSet, now: Tables, old: Tables, plan: Plan
) -> dict[str, Floats]:
    """Return the sums by group of each of `LINES`: those of `follow`, games won and games."""
    others = {
        "b": b,
        "equilibrium": table_player(a, now.equilibrium.cells()),
        "old_equilibrium": table_player(a, old.equilibrium.cells()),
    }
    policies = {
        "fixed": None, "reply": now.reply, "old_reply": old.reply, "equilibrium": now.equilibrium,
        "old_equilibrium": old.equilibrium, "best_reply": now.best_reply,
        "old_pair": old.equilibrium,
    }  # fmt: skip
    sums = {line: np.zeros((GROUPS, 7)) for line in LINES}
    for against, other in others.items():
        for forks in fork_chunks(
            player(a),
            other,
            chosen.rules,
            pairs=plan.pairs,
            seed=plan.seed_for(MEASURE),
            threads=plan.threads,
        ):
            kept = chosen.counts(forks)
            for line, whom in LINES.items():
                if whom == against:
                    rule = policies[line]
                    shares = forks.forks.asked.astype(np.float64) if rule is None else rule.at(forks)
                    sums[line][:, :5] += follow(forks, shares, kept)
    if plan.games and not chosen.is_part:
        for line, whom in LINES.items():
            if line in ("equilibrium", "old_pair"):  # a table wins half of the games from itself
                sums[line][:, 5:] = 1, 2
            elif line != "best_reply":
                rule = policies[line]
                side = player(a) if rule is None else table_player(a, rule.cells())
                run = play_match(
                    side,
                    others[whom],
                    chosen.rules,
                    pairs=plan.games,
                    seed=plan.seed_for(GAMES),
                    threads=plan.threads,
                )
                sums[line][:, 5:] = _games(run.tally.groups("moments"))
    return sums


def _games(moments: Any) -> Floats:
    """Return games won by A and games by group; a tied game is half won."""
    won, games = (moments[:, 0, OUTCOMES.index(name)] for name in ("games_a", "games"))
    return np.stack([won / 2, games], axis=1)


def measures_of(total: Floats) -> Floats:
    """Return `MEASURES` of sums, shape (..., 4), from shape (..., 7)."""
    hands, points, squares, knocks, deadwood, won, games = np.moveaxis(np.asarray(total, np.float64), -1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = points / hands
        edge = mean / np.sqrt(squares / hands - mean**2)
        return np.stack([edge, knocks / hands, deadwood / knocks, won / games], axis=-1)


def compare_rule_sets(
    a: Strategy,
    b: Player,
    sets: Sequence[RuleSet],
    plan: Plan,
    on_step: Callable[[int, str], None] | None = None,
) -> Moves:
    """Fit and measure the three answers under each rule set, and split what changes from the first to each.

    Parameters
    ----------
    a : Strategy
        Its draw and discard are kept; the knock rule is the ``fixed`` answer.
    b : Player
        The fixed opponent.
    sets : sequence of RuleSet
    plan : Plan
    on_step : callable, optional
        Called with the number of rule sets done and the name of the next.

    Returns
    -------
    Moves

    Raises
    ------
    ValueError
        If there are fewer pairs than groups.
    """
    for name, number in (("pairs", plan.pairs), ("games", plan.games or GROUPS)):
        if number < GROUPS:
            raise ValueError(f"{name} {number}: expected {GROUPS} pairs or more, one for each group")
    fitted: dict[tuple[str, int | None], Tables] = {}
    tables: list[Tables] = []
    sums: list[Floats] = []
    for number, chosen in enumerate(sets):
        if on_step is not None:
            on_step(number, chosen.name)
        key = chosen.rules.hash, chosen.limit
        if key not in fitted:
            fitted[key] = fit_tables(a, b, chosen.any_suit(), plan)
        tables.append(fitted[key])
        found = measure(a, b, chosen, tables[-1], tables[0], plan)
        sums.append(np.stack([found[line] for line in LINES], axis=1))
    # Shape (groups, sets, lines, 7): what the decks have in common counts in every difference.
    known = sample(lambda total: measures_of(total["all"]), {"all": np.stack(sums, axis=1)})
    shape = len(sets), len(LINES), len(MEASURES)
    values, without = known.values.reshape(shape), known.without.reshape(len(known.without), *shape)
    hands = [int(each[:, 0, 0].sum()) for each in sums]
    return Moves(
        list(sets), tables, _levels(sets, values, without), _changes(sets, values, without),
        _gains(values, without), hands,
    )  # fmt: skip


def _levels(sets: Sequence[RuleSet], values: Floats, without: Floats) -> list[Level]:
    lines = list(LINES)
    places = [lines.index(answer) for answer in ANSWERS]
    found = []
    for at, name in enumerate(MEASURES):
        cells, rest = values[:, places, at], without[:, :, places, at]
        share = name.endswith("_share")
        told = simultaneous(cells.ravel(), rest.reshape(len(rest), -1), share=share).estimates
        for number, value in enumerate(told):
            place, answer = divmod(number, len(places))
            if np.isfinite(cells[place, answer]):
                found.append(Level(sets[place].name, ANSWERS[answer], name, value))
    return found


def _changes(sets: Sequence[RuleSet], values: Floats, without: Floats) -> list[Change]:
    """Return the changes; arrays have shapes (sets, lines, measures) and (groups, sets, lines, measures)."""
    lines = list(LINES)
    place = {line: lines.index(line) for line in lines}

    def parts(cells: Floats, answer: str, at: int) -> list[Floats]:
        """Return the three parts and their sum, for all rule sets but the first."""
        first = cells[..., :1, place[answer], at]
        mechanical, opponent, both = (cells[..., 1:, place[line], at] for line in PATHS[answer])
        return [mechanical - first, opponent - mechanical, both - opponent, both - first]

    found = []
    for at, name in enumerate(MEASURES):
        kinds = [(answer, parts(values, answer, at), parts(without, answer, at)) for answer in ANSWERS]
        cells = np.stack([cell for _, told, _ in kinds for cell in told])
        rest = np.stack([cell for _, _, told in kinds for cell in told], axis=1)
        bands = simultaneous(cells.ravel(), rest.reshape(len(rest), -1)).estimates
        number = len(sets) - 1
        for kind, (answer, _, _) in enumerate(kinds):
            for later in range(number):
                four = [bands[(4 * kind + part) * number + later] for part in range(4)]
                if np.isfinite(cells[4 * kind : 4 * kind + 4, later]).all():
                    found.append(Change(sets[later + 1].name, answer, name, *four))
    return found


def _gains(values: Floats, without: Floats) -> list[Estimate]:
    lines = list(LINES)
    best, own = lines.index("best_reply"), lines.index("equilibrium")
    gaps, rest = values[:, best, 0] - values[:, own, 0], without[:, :, best, 0] - without[:, :, own, 0]
    return simultaneous(gaps, rest).estimates
