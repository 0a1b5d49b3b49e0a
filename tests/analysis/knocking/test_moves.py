"""How knocking moves with the rules: parts that add up, hands of one limit, figures of a plain run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from analysis.knocking.moves import ANSWERS, LINES, MEASURES, Moves, Plan, compare_rule_sets, follow
from analysis.knocking.policy import TURNS, Policy, threshold
from analysis.knocking.rule_sets import RuleSet, select_hands, variation
from sim._jit import COMPILED
from sim.forks import fork_hands
from sim.rules import Rules, RulesError
from sim.run import play_match
from strategies.base import parse_strategy, player

EAAI = Rules.preset("eaai")
GOLD, SIMPLE = parse_strategy("gold"), player(parse_strategy("simple"))
SMALL = Plan(128, 128, 60, 1, 40, 4)


def value(moves: Moves, rule_set: str, answer: str, measure: str) -> float:
    found = [
        one.value.estimate
        for one in moves.levels
        if (one.rule_set, one.answer, one.measure) == (rule_set, answer, measure)
    ]
    assert len(found) == 1 and found[0] is not None
    return found[0]


@pytest.fixture(scope="module")
def moves() -> Moves:
    sets = [RuleSet("low", EAAI.replace(undercut_bonus=0)), RuleSet("high", EAAI.replace(undercut_bonus=50))]
    return compare_rule_sets(GOLD, SIMPLE, sets, SMALL)


@pytest.mark.requires_jit
def test_parts_add_up_to_the_difference_of_the_levels(moves: Moves) -> None:
    asked = {(answer, measure) for measure in MEASURES for answer in ANSWERS}
    told = {(one.answer, one.measure) for one in moves.changes}
    # The tables of so few hands may never knock, and then there is no deadwood of knocks.
    assert told <= asked and {measure for _, measure in asked - told} <= {"knock_deadwood"}
    assert ("fixed", "knock_deadwood") in told
    for change in moves.changes:
        parts = [change.mechanical, change.opponent, change.adaptation]
        levels = [value(moves, name, change.answer, change.measure) for name in ("low", "high")]
        total = sum(part.estimate for part in parts if part.estimate is not None)
        assert total == pytest.approx(change.total.estimate, abs=1e-12)
        assert levels[1] - levels[0] == pytest.approx(change.total.estimate, abs=1e-12)
        if change.answer == "fixed":
            assert change.adaptation.estimate == change.opponent.estimate == 0
        if change.answer == "reply":
            assert change.opponent.estimate == 0
    assert moves.hands == [256, 256] and len(moves.gains) == len(moves.tables) == 2


@pytest.mark.requires_jit
def test_bonuses_change_no_play_of_old_tables(moves: Moves) -> None:
    for change in moves.changes:
        if change.measure.startswith("knock"):
            assert change.mechanical.estimate == pytest.approx(0, abs=1e-12)
        if change.answer == "equilibrium" and change.measure == "game_share":
            assert change.total.estimate == change.mechanical.estimate == 0


@pytest.mark.requires_jit
def test_the_fixed_answer_is_a_plain_match(moves: Moves) -> None:
    hand = moves.sets[0].rules.replace(match_type="single_hand")
    forks = fork_hands(player(GOLD), SIMPLE, hand, pairs=128, seed=SMALL.seed_for(3))
    points = forks.result(forks.forks.asked == 1).astype(float)
    assert value(moves, "low", "fixed", "edge") == pytest.approx(points.mean() / points.std())
    knocks = forks.first_taken(forks.forks.asked == 1)
    deadwood = forks.forks.deadwood[knocks[knocks >= 0]]
    assert value(moves, "low", "fixed", "knock_share") == pytest.approx((deadwood > 0).sum() / 256)
    assert value(moves, "low", "fixed", "knock_deadwood") == pytest.approx(deadwood[deadwood > 0].mean())
    run = play_match(player(GOLD), SIMPLE, moves.sets[0].rules, pairs=128, seed=SMALL.seed_for(4))
    assert value(moves, "low", "fixed", "game_share") == run.tally.outcome("games_a") / 512


def test_a_rule_by_chance_is_followed_as_a_plain_loop_does() -> None:
    shares = np.full((TURNS, 11), 0.4)
    shares[:, 0] = 1
    forks = fork_hands(player(GOLD), SIMPLE, EAAI, pairs=40 if COMPILED else 5, seed=2)
    found = follow(forks, Policy(shares).at(forks), forks.deals.packet == 0).sum(axis=0)
    wanted = np.zeros(5)
    for deal in forks.deals:
        left = 1.0
        if deal.packet:
            continue
        wanted[0] += 1
        for row in forks.forks[int(deal.start) : int(deal.stop)]:
            share = left * (0.4 if row.deadwood else 1.0)
            knock = share * (row.deadwood > 0)
            wanted[1:] += share * row.points, share * float(row.points) ** 2, knock, knock * row.deadwood
            left -= share
        wanted[1:3] += left * deal.points, left * float(deal.points) ** 2
    assert found == pytest.approx(wanted)


# --- rule sets -----------------------------------------------------------------------------------


def test_hands_of_one_limit_are_cut_out_whole() -> None:
    rules = Rules.preset("bga_oklahoma")
    pairs = 150 if COMPILED else 10
    forks = fork_hands(player(GOLD), SIMPLE, rules, pairs=pairs, seed=3)
    sets = variation("oklahoma", rules)
    assert [(one.limit, one.multiplier) for one in sets] == [
        (limit, suit) for suit in (1, 2) for limit in range(10, 0, -1)
    ]
    assert np.sum([one.counts(forks) for one in sets], axis=0).tolist() == [1] * (2 * pairs)
    for one in (sets[0], sets[7], sets[10]):
        kept = one.keep(forks)
        assert (kept.deals.limit == one.limit).all() and (kept.deals.multiplier == one.multiplier).all()
        takes = threshold(4).at(forks) > 0
        own = kept.result(threshold(4).at(kept) > 0)
        doubled = forks.result(takes)[one.counts(forks)]
        assert (own * one.multiplier == doubled).all() and (len(own) > 0 or not COMPILED)
        first, last = one.worth(forks)
        assert last.sum() == kept.deals.points.sum() and first.sum() == kept.forks.points.sum()
    both = sets[13].any_suit().counts(forks)
    assert (both == (forks.deals.limit == sets[13].limit)).all()
    every = select_hands(forks, np.ones(2 * pairs, bool))
    assert every.deals.tobytes() == forks.deals.tobytes() and every.forks.tobytes() == forks.forks.tobytes()


def test_variations_change_what_they_say() -> None:
    bonuses = variation("bonuses", EAAI)
    assert len(bonuses) == 12 and len({one.rules.hash for one in bonuses}) == 12
    assert {(one.rules.gin_bonus, one.rules.undercut_bonus) for one in bonuses} == {
        (gin, under) for gin in (20, 25, 30) for under in (0, 10, 20, 25)
    }
    assert [one.rules.game_target for one in variation("target", EAAI)] == [100, 250]
    assert [one.rules.big_gin_bonus for one in variation("big-gin", EAAI)] == [None, 37]
    own = variation("oklahoma", EAAI)
    assert len(own) == 10 and all(one.rules.knock_limit_source == "upcard" for one in own)
    assert len(variation("oklahoma", EAAI.replace(oklahoma_ace="gin"))) == 9
    with pytest.raises(RulesError, match="single_hand"):
        variation("target", EAAI.replace(match_type="single_hand"))
    with pytest.raises(ValueError, match="'weather'"):
        variation("weather", EAAI)


@pytest.mark.requires_jit
def test_limits_have_no_games_and_spades_the_same_tables() -> None:
    rules = Rules.preset("bga_oklahoma")
    sets = [one for one in variation("oklahoma", rules) if one.limit == 10]
    found = compare_rule_sets(GOLD, SIMPLE, sets, SMALL._replace(games=128))
    assert not [one for one in found.levels if one.measure == "game_share"]
    assert found.tables[0] is found.tables[1] and 0 < found.hands[1] < found.hands[0] < 256
    assert all(one.adaptation.estimate == 0 for one in found.changes)


@pytest.mark.parametrize(("change", "names"), [({"pairs": 100}, "pairs 100"), ({"games": 5}, "games 5")])
def test_too_few_pairs_are_refused(change: dict[str, Any], names: str) -> None:
    with pytest.raises(ValueError, match=names):
        compare_rule_sets(GOLD, SIMPLE, variation("big-gin", EAAI), SMALL._replace(**change))


def test_every_line_has_an_opponent() -> None:
    assert set(ANSWERS) < set(LINES) and set(LINES.values()) == {"b", "equilibrium", "old_equilibrium"}
