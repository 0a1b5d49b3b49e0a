"""Forks of hands: every result is that of a hand the engine plays, whoever asks for it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sim._jit import COMPILED, Record
from sim.deal import MAX_TURNS
from sim.forks import PAIRS_AT_ONCE, Forks, fork_chunks, fork_hands
from sim.game import begin_hand, start_game
from sim.hand import play_hand
from sim.rules import Rules, RulesError
from sim.run import Player, RunError, Table, play_match
from sim.scoring import ENDINGS
from sim.view import discard_rule
from strategies.base import parse_strategy, player

EAAI = Rules.preset("eaai")
PAIRS = 80 if COMPILED else 8


@discard_rule
def discard_nothing(view: Record) -> int:
    """Throw no card, which no rule allows."""
    return 0


def of(text: str) -> Player:
    return player(parse_strategy(text))


def played(a: str, b: str, rules: Rules, pairs: int, seed: int = 7, **options: Any) -> list[tuple[int, ...]]:
    """Play the first hands of pairs in full: A's points, the winner and the ending of each."""
    table = Table(of(a), of(b), rules, seed, **options)
    found = []
    for pair in range(pairs):
        for number in range(2):
            start_game(table.game, seed, pair, number, table.rules)
            begin_hand(table.game, table.hand, *table.views, table.rules)
            decisions = [side.decisions for side in table.players]
            play_hand(table.hand, *table.views, table.rules, table.melds, *decisions, table.layoff, MAX_TURNS)
            hand = table.hand
            sign = {0: 1, 1: -1, -1: 0}[int(hand.winner)]
            found.append((sign * int(hand.points), int(hand.winner), int(hand.ending)))
    return found


def told(forks: Forks, takes: Any) -> list[tuple[int, ...]]:
    parts = [forks.result(takes, field).tolist() for field in ("points", "winner", "ending")]
    return list(zip(*parts, strict=True))


@pytest.mark.parametrize("preset", ["eaai", "standard", "bga_oklahoma", "palace", "bga"])
@pytest.mark.parametrize("threshold", [0, 3, 10])
def test_a_threshold_read_off_forks_is_the_threshold_played(preset: str, threshold: int) -> None:
    rules = Rules.preset(preset)
    forks = fork_hands(of("gold"), of("simple"), rules, pairs=PAIRS, seed=7)
    takes = forks.forks.deadwood <= threshold
    assert told(forks, takes) == played(f"threshold({threshold})", "simple", rules, PAIRS)


@pytest.mark.parametrize("a", ["marjj", "heisenbot", "two_stage(10, 0, 6)", "goldstein", "simple"])
def test_what_the_own_rule_was_asked_is_what_it_plays(a: str) -> None:
    forks = fork_hands(of(a), of("simple"), EAAI, pairs=PAIRS, seed=3, scores=(40, 62), dealer=1)
    assert told(forks, forks.forks.asked == 1) == played(
        a, "simple", EAAI, PAIRS, 3, scores=(40, 62), dealer=1
    )


def test_values_do_not_depend_on_the_own_knock_rule() -> None:
    one = fork_hands(of("threshold(10)"), of("simple"), EAAI, pairs=PAIRS, seed=1)
    other = fork_hands(of("gin_only"), of("simple"), EAAI, pairs=PAIRS, seed=1)
    assert (one.deals == other.deals).all()
    names = [name for name in one.forks.dtype.names if name != "asked"]
    assert (one.forks[names] == other.forks[names]).all()
    assert (one.forks.asked != other.forks.asked).any()


@pytest.mark.requires_jit
def test_threads_and_pieces_change_nothing() -> None:
    pairs = 2 * PAIRS_AT_ONCE + 100
    one = fork_hands(of("gold"), of("gold"), EAAI, pairs=pairs, seed=2)
    two = fork_hands(of("gold"), of("gold"), EAAI, pairs=pairs, seed=2, threads=2)
    assert one.deals.tobytes() == two.deals.tobytes()
    assert one.forks.tobytes() == two.forks.tobytes()
    late = fork_hands(of("gold"), of("gold"), EAAI, pairs=100, seed=2, first=pairs - 100)
    assert (late.deals.points == one.deals.points[-200:]).all()
    assert late.deals.pair[0] == pairs - 100


def test_features_of_a_fork_are_those_of_its_position() -> None:
    forks = fork_hands(of("gold"), of("simple"), EAAI, pairs=PAIRS, seed=5)
    deals, rows = forks
    assert (deals.stop[:-1] == deals.start[1:]).all() and deals.stop[-1] == len(rows)
    assert set(deals.limit) == {10} and set(deals.multiplier) == {1}
    assert ((rows.deadwood >= 0) & (rows.deadwood <= 10)).all()
    assert ((rows.loose == 0) == (rows.deadwood == 0)).all()
    assert (rows.loose <= rows.deadwood).all()  # no card counts less than a point
    assert ((rows.last >= 0) & (rows.last <= 10)).all()
    assert (rows.stock <= 31).all() and (rows.stock >= 2).all()
    same = forks.owner()[1:] == forks.owner()[:-1]
    assert (np.diff(rows.own_turn)[same] > 0).all()
    gins = rows.ending == ENDINGS.index("gin")
    assert (rows.deadwood[gins] == 0).all() and (rows.deadwood[~gins] > 0).all()


def test_rules_followed_from_a_fork_are_found_by_a_plain_loop() -> None:
    forks = fork_hands(of("gold"), of("simple"), EAAI, pairs=2 * PAIRS, seed=9)
    rng = np.random.default_rng(1)
    shares = rng.random(len(forks.forks)).round(1)
    takes = shares > 0.5
    sharp = forks.expected(takes.astype(np.float64))
    assert (sharp.result == forks.result(takes)).all() and (sharp.after == forks.after(takes)).all()
    soft = forks.expected(shares)
    for deal in range(len(forks.deals)):
        start, stop = int(forks.deals.start[deal]), int(forks.deals.stop[deal])
        reach, value = 1.0, float(forks.deals.points[deal])
        for place in range(start, stop):
            assert soft.reach[place] == pytest.approx(reach)
            assert forks.number()[place] == place - start
            reach *= 1 - shares[place]
        for place in reversed(range(start, stop)):
            assert soft.after[place] == pytest.approx(value)
            value = shares[place] * float(forks.forks.points[place]) + (1 - shares[place]) * value
        assert soft.result[deal] == pytest.approx(value)


def test_compulsory_gin_leaves_no_fork_at_gin() -> None:
    rules = EAAI.replace(gin_compulsory=True)
    forks = fork_hands(of("gold"), of("simple"), rules, pairs=PAIRS, seed=7)
    assert (forks.forks.deadwood > 0).all()
    free = fork_hands(of("gold"), of("simple"), EAAI, pairs=PAIRS, seed=7)
    assert (free.result(free.forks.deadwood == 0) == forks.result(np.zeros(len(forks.forks), bool))).all()


@pytest.mark.requires_jit
def test_mean_points_agree_with_the_match() -> None:
    """Hands from 0:0 alone; the two runs share decks, so they agree to the integer."""
    rules = EAAI.replace(match_type="single_hand")
    run = play_match(of("threshold(4)"), of("gold"), rules, pairs=500, seed=11)
    forks = fork_hands(of("gold"), of("gold"), rules, pairs=500, seed=11)
    points = forks.result(forks.forks.deadwood <= 4)
    assert points.sum() == run.tally.outcome("points_a") - run.tally.outcome("points_b")


def test_bad_input_is_refused() -> None:
    with pytest.raises(ValueError, match="pairs"):
        list(fork_chunks(of("gold"), of("gold"), EAAI, pairs=0))
    with pytest.raises(RulesError):
        fork_hands(of("gold"), of("gold"), Rules.preset("bga_solo"), pairs=1)
    with pytest.raises(RulesError, match="score"):
        fork_hands(of("gold"), of("gold"), EAAI, pairs=1, scores=(100, 0))


def test_a_fault_names_strategy_and_place() -> None:
    good = of("gold")
    draw, knock, _, spread = good.decisions
    bad = Player("bad", (draw, knock, discard_nothing, spread))
    with pytest.raises(RunError, match=r"bad .*seed 4, pair 0"):
        fork_hands(bad, good, EAAI, pairs=3, seed=4)
