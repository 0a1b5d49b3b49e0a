"""Best replies: the step against a plain loop, and what is found against what trying all tables finds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from analysis.knocking.policy import TURNS, Floats, Policy, threshold, two_stage
from analysis.knocking.recorded import Decks, Opponent, Place, Recorded, Worth, points, record, value
from analysis.knocking.reply import LEAST, STARTS, Reply, fit_reply, improve, reach_of
from sim._jit import COMPILED
from sim.forks import Forks
from sim.rules import Rules
from sim.run import Player
from strategies.base import parse_strategy, player
from tests.planted_players import PASSIVE, from_the_stock
from tests.small_deck_engine import new_table
from tests.small_deck_forks import RULES_HERE, fork_deals
from tests.small_deck_tables import all_kinds, best_table

EAAI = Rules.preset("eaai")
NAMES = ["own_turn", "deadwood"]


def of(text: str) -> Player:
    return player(parse_strategy(text))


def mixture(pairs: int, other: str = "gin_only") -> list[Recorded]:
    pairs //= 1 if COMPILED else 5
    both = [Opponent(0.25, of("simple")), Opponent(0.75, of(other))]
    return record(of("gold"), both, Place(EAAI), Decks(3), pairs)


def plain_improve(policy: Policy, recorded: Sequence[Recorded], least: float) -> Floats:
    """Decide cell by cell from the last turn back, hand by hand."""
    shares = policy.shares.copy()
    shares[:, 0] = 1
    old = shares.copy()
    for row in range(TURNS, 0, -1):
        gains = {(kind, deadwood): [0.0, 0.0] for kind in ("reached", "every") for deadwood in range(11)}
        for weight, forks, taken, declined in recorded:
            cells = [
                (min(int(turn), TURNS) - 1, int(deadwood)) for turn, deadwood in forks.forks[NAMES].tolist()
            ]
            for deal in range(len(forks.deals)):
                places = range(int(forks.deals.start[deal]), int(forks.deals.stop[deal]))
                for place in places:
                    if cells[place][0] != row - 1:
                        continue
                    reach, after = 1.0, float(declined[deal])
                    for other in places:
                        turn, deadwood = (
                            min(int(forks.forks.own_turn[other]), TURNS),
                            forks.forks.deadwood[other],
                        )
                        if other < place:
                            reach *= 1 - old[turn - 1, deadwood]
                    for other in reversed(places):
                        if other > place:
                            share = (old if row == TURNS else shares)[cells[other]]
                            after = share * taken[other] + (1 - share) * after
                    for kind, counted in (("reached", reach), ("every", 1.0)):
                        sums = gains[kind, cells[place][1]]
                        sums[0] += weight * counted * (taken[place] - after)
                        sums[1] += counted
        for deadwood in range(1, 11):
            gain, count = gains["reached", deadwood]
            if count < least:
                gain, count = gains["every", deadwood]
            if count >= least and gain != 0:
                shares[row - 1, deadwood] = gain > 0
    return shares


@pytest.mark.parametrize("least", [1, LEAST])
def test_a_step_is_that_of_a_plain_loop(least: int) -> None:
    recorded = mixture(60)
    rng = np.random.default_rng(8)
    for policy in (threshold(10), Policy(rng.random((TURNS, 11)).round(1)), Policy(np.zeros((TURNS, 11)))):
        assert (improve(policy, recorded, least).shares == plain_improve(policy, recorded, least)).all()


def test_a_step_brings_no_less_on_its_own_decks() -> None:
    """From any table, also one that knocks by chance; no hand comes to the last row."""
    recorded = mixture(150, "gold")
    assert max(part.forks.forks.own_turn.max() for part in recorded) < TURNS
    rng = np.random.default_rng(2)
    for policy in (*STARTS.values(), Policy(rng.random((TURNS, 11)))):
        policy.shares[:, 0] = 1
        best = -np.inf
        for _ in range(4):
            brought = value(policy, recorded).estimate
            assert brought is not None and brought >= best - 1e-9
            best, policy = brought, improve(policy, recorded, 0)


def test_what_is_hardly_seen_is_kept() -> None:
    recorded = mixture(20)
    start = Policy(np.full((TURNS, 11), 0.3))
    found = improve(start, recorded, 10**6).shares
    assert (found[:, 0] == 1).all() and (found[:, 1:] == 0.3).all()


def test_reach_is_what_a_table_has_to_decide() -> None:
    recorded = mixture(50)
    reach = reach_of(threshold(10), recorded)
    hands = [(part.forks.deals.stop > part.forks.deals.start).mean() for part in recorded]
    assert reach.sum() == pytest.approx(0.25 * hands[0] + 0.75 * hands[1])  # the first legal knock is taken


def test_values_other_than_points_are_fitted_to() -> None:
    """With the sign of points turned the worst table is the best."""
    recorded = mixture(100)
    turned = [part._replace(taken=-part.taken, declined=-part.declined) for part in recorded]
    policy = threshold(4)
    for _ in range(3):
        policy = improve(policy, turned, 1)
    worst, before = value(policy, recorded).estimate, value(threshold(4), recorded).estimate
    assert worst is not None and before is not None and worst < before - 1


@pytest.mark.requires_jit
def test_worth_is_asked_for_every_recording() -> None:
    def less(forks: Forks) -> tuple[Floats, Floats]:
        taken, declined = points(forks)
        return -taken, -declined

    def fitted(worth: Worth) -> Reply:
        opponents = [Opponent(1.0, of("simple"))]
        return fit_reply(of("gold"), opponents, EAAI, pairs=600, seed=3, iterations=1, worth=worth)

    one, other = fitted(points), fitted(less)
    first = one.trace["iteration"] == 0
    assert (one.trace["estimate"][first] == -other.trace["estimate"][first]).all()
    assert one.trace["estimate"].max() > -other.trace["estimate"].max() + 1


def test_every_deck_is_used_once(monkeypatch: pytest.MonkeyPatch) -> None:
    used: list[range] = []
    taken = Decks.take

    def take(self: Decks, pairs: int) -> int:
        first = taken(self, pairs)
        used.append(range(first, first + pairs))
        return first

    monkeypatch.setattr(Decks, "take", take)
    told: list[tuple[int, int, str]] = []
    reply = fit_reply(
        of("gold"), [Opponent(1.0, of("gold"))], EAAI, pairs=3, seed=5, first=100, iterations=2,
        validation=5, on_progress=lambda *state: told.append(state),
    )  # fmt: skip
    assert [len(span) for span in used] == [3] * 6 + [5]
    assert sorted(pair for span in used for pair in span) == list(range(100, 123))
    assert reply.decks.free == 123 and reply.decks.seed == 5
    assert [done for done, *_ in told] == [6 * at for at in range(7)] + [46]
    assert {total for _, total, _ in told} == {46}
    assert list(reply.trace["iteration"]) == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert reply.trace["kept"].sum() == 1
    best = reply.trace[reply.trace["kept"]].iloc[0]
    assert best["estimate"] == reply.trace["estimate"].max()


def test_the_same_whatever_the_threads() -> None:
    def fitted(threads: int) -> Reply:
        return fit_reply(
            of("gold"), [Opponent(1.0, of("gold"))], EAAI, pairs=2, seed=5, iterations=1, threads=threads
        )

    one, two = fitted(1), fitted(2)
    assert (one.policy.shares == two.policy.shares).all() and one.trace.equals(two.trace)


def test_bad_input_is_refused() -> None:
    a, b = of("gold"), of("simple")
    for weights in ([0.5, 0.6], [], [-0.5, 1.5]):
        with pytest.raises(ValueError, match="weights of the opponents"):
            fit_reply(a, [Opponent(weight, b) for weight in weights], EAAI, pairs=5)
    with pytest.raises(ValueError, match="iterations 0"):
        fit_reply(a, [Opponent(1, b)], EAAI, pairs=5, iterations=0)
    with pytest.raises(ValueError, match="pairs 0"):
        fit_reply(a, [Opponent(1, b)], EAAI, pairs=0, validation=3)
    with pytest.raises(ValueError, match="starts"):
        fit_reply(a, [Opponent(1, b)], EAAI, pairs=5, starts={})


# --- planted opponents -----------------------------------------------------------------------------


def recovered(policy: Policy, best: frozenset[tuple[int, int]], reach: Floats) -> float:
    """Return how much of what the best table has to decide is decided as it does."""
    exact = np.zeros((TURNS, 11))
    exact[:, 0] = 1
    for turn, deadwood in best:
        exact[turn - 1, deadwood] = 1
    return float(reach[policy.shares == exact].sum() / reach.sum())


SMALL = {
    "waits for gin": ([(1.0, "gin_only")], 10),
    "knocks at once": ([(1.0, "threshold(10)")], 6),
    "either": ([(0.3, "gin_only"), (0.7, "threshold(10)")], 6),
    "passive": ([(1.0, "passive")], 10),
}


def small_opponents(name: str) -> tuple[list[Opponent], Rules]:
    members, limit = SMALL[name]
    players = [Opponent(weight, PASSIVE if one == "passive" else of(one)) for weight, one in members]
    return players, RULES_HERE.replace(knock_limit=limit)


@pytest.mark.requires_jit
@pytest.mark.parametrize("dealer", [0, 1])
def test_nobody_waits_for_a_passive_opponent_longer_than_there_is_time(dealer: int) -> None:
    """The last card of the stock that may be drawn is the 29th; who did not deal draws the first.

    The hand ends after it and counts nothing. Until then waiting costs nothing: the other's hand stays as it
    is and the own one gets no worse, so the same knock can be had on the last turn, or gin before. So the
    best table knocks on the last own turn, whatever the deadwood, and never before short of gin.
    """
    a, opponents = from_the_stock("gold"), [Opponent(1.0, PASSIVE)]
    reply = fit_reply(a, opponents, EAAI, pairs=4_000, seed=1, iterations=2, threads=2, dealer=dealer)
    judges = record(a, opponents, Place(EAAI, dealer=dealer), reply.decks, 4_000)
    last = 14 + dealer
    assert judges[0].forks.forks.own_turn.max() == last
    exact = frozenset((last, deadwood) for deadwood in range(1, 11))
    waiting = two_stage(0, 10, last)
    assert recovered(reply.policy, exact, reach_of(waiting, judges)) >= 0.99
    assert value(waiting, judges).estimate == pytest.approx(value(reply.policy, judges).estimate, abs=0.05)


@pytest.mark.requires_jit
@pytest.mark.parametrize("name", SMALL)
def test_all_tables_of_the_little_deck_are_no_better(name: str) -> None:
    """Fitted and tried on the same deals, every 60th of all."""
    opponents, rules = small_opponents(name)
    quick = new_table().players[0]
    best = best_table([(weight, all_kinds(quick, b, 60, rules)) for weight, b in opponents])
    recorded = []
    for weight, b in opponents:
        forks = fork_deals(quick, b, 0, 13_305_600, 60, rules)
        recorded.append(Recorded(weight, forks, *points(forks)))
    assert best.value - min(best.values.values()) > 0.5
    for start in STARTS.values():
        policy = start
        for _ in range(4):
            policy = improve(policy, recorded)
        assert value(policy, recorded).estimate == pytest.approx(best.value, abs=1e-12)


@pytest.mark.slow
@pytest.mark.requires_jit
@pytest.mark.parametrize(
    ("name", "step"), [("waits for gin", 1), ("knocks at once", 12), ("either", 12), ("passive", 12)]
)
def test_the_best_table_of_the_little_deck_is_found(name: str, step: int) -> None:
    """From drawn decks; the best of all tables comes from every deal (13,305,600), or from every twelfth."""
    opponents, rules = small_opponents(name)
    quick = new_table().players[0]
    best = best_table([(weight, all_kinds(quick, b, step, rules)) for weight, b in opponents])
    reply = fit_reply(quick, opponents, rules, pairs=60_000, seed=11, iterations=3, threads=2, dealer=1)
    judges = record(quick, opponents, Place(rules, dealer=1), reply.decks, 60_000)
    exact = max(best.tables, key=len)
    table = np.zeros((TURNS, 11))
    table[:, 0] = 1
    for turn, deadwood in exact:
        table[turn - 1, deadwood] = 1
    assert recovered(reply.policy, exact, reach_of(Policy(table), judges)) >= 0.99
    # Within five standard errors, the second sample being the larger: false alarms below 1e-6.
    told = value(reply.policy, judges)
    assert told.se is not None and told.estimate is not None
    assert abs(told.estimate - best.value) < 5 * 1.1 * told.se
