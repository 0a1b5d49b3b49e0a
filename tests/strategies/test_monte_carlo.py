"""The sampling player: against exhaustive search, in solo play, and what he may be told."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from sim.cards import cards_of, parse_card
from sim.deal import DRAWN, FORCED_STOCK, HAND_DTYPE
from sim.melds import is_big_gin, legal_knocks
from sim.rollout import (
    begin_after_draw,
    begin_with_upcard,
    begin_without_upcard,
    draw_phase,
    list_unknown,
    play_on,
    play_turn,
    result,
    set_out,
    start_views,
)
from sim.rules import Rules
from sim.run import Table, play_match
from sim.scoring import GOING, NOBODY
from sim.solo import play_solo
from sim.view import VIEW_DTYPE
from strategies.base import StrategyError, parse_strategy, player
from strategies.compiled import monte_carlo as compiled
from tests.enumerate_small_deck import CHANGES
from tests.sim.test_rollout import after_draw, show
from tests.small_deck_engine import stock_places
from tests.strategies.seat import Seat
from tests.strategies.user_file import deal, go_on

LITTLE = Rules(**CHANGES).replace(knock_limit=2)
KEY = 31
SAMPLES = 10_000
SIGMAS = 5.5
"""How many standard errors two actions must lie apart to be compared: false alarm below 1e-7 each."""


def test_what_it_may_be_told() -> None:
    text = str(parse_strategy("monte_carlo(16, threshold(4), equity=true)"))
    assert text == "monte_carlo(samples=16, policy=threshold(k=4), likely=true, equity=true)"
    assert str(parse_strategy(text)) == text
    for wrong, message in {
        "monte_carlo(0)": "samples must be a whole number 1-10000",
        "monte_carlo(policy=4)": "monte_carlo",
        "monte_carlo(policy=monte_carlo(2))": "samples worlds itself",
        "monte_carlo(policy=combine(draw=monte_carlo(2), knock=gold, discard=gold))": "samples worlds itself",
    }.items():
        with pytest.raises(StrategyError, match=message):
            parse_strategy(wrong)


def test_the_policy_has_its_own_parameters() -> None:
    """Also as a part of a combined player, and as a policy that is combined itself."""
    for text in (
        "monte_carlo(3, two_stage(early=7, late=2, switch=9))",
        "combine(draw=gold(6), knock=monte_carlo(3, two_stage(early=7, late=2, switch=9)), discard=gold)",
        "monte_carlo(3, combine(draw=gold, knock=two_stage(early=7, late=2, switch=9), discard=simple))",
    ):
        made = player(parse_strategy(text))
        view = Table(made, made, Rules()).views[0]
        knock = int(view.policy_params[1])
        assert view.params[knock : knock + 3].tolist() == [7, 2, 9], text
        assert view.params[int(view.knock_params)] == 3, text


@pytest.mark.requires_jit
@pytest.mark.parametrize("policy", ["gold", "simple", "combine(draw=gold, knock=gin_only, discard=simple)"])
def test_same_seed_same_games(policy: str) -> None:
    made = player(parse_strategy(f"monte_carlo(4, {policy})"))
    other = player(parse_strategy("gold"))
    runs = [
        play_match(made, other, Rules.preset("eaai"), pairs=20, seed=3, threads=threads, chunk=chunk)
        for threads, chunk in ((1, 20), (2, 3))
    ]
    assert runs[0].tally.tobytes() == runs[1].tally.tobytes()
    reseeded = play_match(made, other, Rules.preset("eaai"), pairs=20, seed=4)
    assert reseeded.tally.tobytes() != runs[0].tally.tobytes()


@pytest.mark.requires_jit
def test_thinking_wins() -> None:
    """More points than the baseline that the policy itself loses to."""
    simple, rules = player(parse_strategy("simple")), Rules.preset("eaai")
    leads = {}
    for text, pairs in (("gold", 2_000), ("monte_carlo(48)", 25)):
        tally = play_match(player(parse_strategy(text)), simple, rules, pairs=pairs, seed=1).tally
        leads[text] = tally.outcome("points_a") - tally.outcome("points_b")
    assert leads["gold"] < 0 < leads["monte_carlo(48)"]


@pytest.mark.requires_jit
def test_alone_the_policy_decides() -> None:
    rules = Rules.preset("bga_solo")
    thinker = play_solo(player(parse_strategy("monte_carlo(4, threshold(6))")), rules, games=200, seed=2)
    plain = play_solo(player(parse_strategy("threshold(6)")), rules, games=200, seed=2)
    assert thinker.tally.tobytes() == plain.tally.tobytes()


def worth(points: int, score: int, other: int, preset: str = "eaai", equity: bool = True) -> float:
    """Return what a hand is worth to its player, who won so many points, or lost them where negative."""
    made = player(parse_strategy("gold"))
    view = Table(made, made, Rules.preset(preset)).views[0]
    view.score, view.other_score = score, other
    hands: Any = np.zeros(1, HAND_DTYPE).view(np.recarray)
    hands.winner = NOBODY if points == 0 else (0 if points > 0 else 1)
    hands.points, hands.boxes = abs(points), int(points != 0)
    return float(compiled._worth(view, hands, equity))


@pytest.mark.parametrize(
    ("points", "score", "other", "chance"),
    [(38, 62, 99, 1.0), (-1, 62, 99, 0.0), (0, 50, 50, 0.5), (10, 50, 60, 0.5), (-10, 60, 50, 0.5)],
)
def test_chance_to_win_the_game(points: int, score: int, other: int, chance: float) -> None:
    assert worth(points, score, other) == pytest.approx(chance)
    assert worth(points, score, other, equity=False) == points


def test_a_single_hand_is_the_game() -> None:
    assert [worth(points, 0, 0, "openspiel") for points in (1, 0, -40)] == [1.0, 0.5, 0.0]


def test_boxes_that_count_at_once() -> None:
    """At Palace a box is ten points on the score: 88 and 5 are enough for 100."""
    assert worth(5, 88, 50, "palace") == 1.0 and worth(-5, 50, 88, "palace") == 0.0
    assert worth(5, 88, 50, "eaai") < 1.0
    knocks = [Seat("clinch", Rules.preset(preset)) for preset in ("palace", "eaai")]
    answers = []
    for seat in knocks:
        seat.see("2S 3S 4S 6H 6D 6C TD JD QD KC", score=88).drew("5C")
        answers.append(seat.knock())
    assert answers == [True, False]


def test_a_lead_counts_more_near_the_end() -> None:
    chances = [worth(0, score + 10, score) for score in (10, 40, 70, 85)]
    assert 0.5 < chances[0] < chances[1] < chances[2] < chances[3] < 1.0


@pytest.mark.requires_jit
@pytest.mark.parametrize("policy", ["rlcard_novice", "openspiel_simple", "random"])
def test_a_compulsory_gin_in_thought_is_forgotten(policy: str) -> None:
    """The next rollout goes by the limit of the hand again: these players ask for it."""
    made, gold = player(parse_strategy(f"monte_carlo(4, {policy})")), player(parse_strategy("gold"))
    for rules in (
        Rules.preset("rlcard"),
        Rules(gin_compulsory=True, hand_size=6, ranks=9, runs_ace="corner"),
    ):
        assert play_match(made, gold, rules, pairs=20).pairs == 20


@pytest.mark.requires_jit
def test_actions_meet_the_same_worlds_and_words() -> None:
    """The same action tried twice is worth the same, with a policy that draws lots too."""
    seat = Seat("monte_carlo(16, simple)", Rules.preset("eaai"))
    seat.see("2S 3S 4S 6H 6D 6C TD JD QD KC").drew("9C")
    cards = np.array([parse_card(card) for card in ("KC", "9C", "KC")])
    totals = compiled._try_turns(
        seat.view, np.zeros(2, VIEW_DTYPE).view(np.recarray), np.zeros(1, HAND_DTYPE).view(np.recarray),
        np.zeros(52, np.int8), 50, True, False, np.zeros(3, np.int64), cards,
    )  # fmt: skip
    assert totals[0] == totals[2] != totals[1]


# --- against exhaustive search on the little deck ------------------------------------------------


class Search:
    """All worlds of a position of the little deck, 56 hands with 6 orders of 3 cards or more each."""

    def __init__(self, view: Any) -> None:
        self.view = view
        self.views = np.zeros(2, VIEW_DTYPE).view(np.recarray)
        self.hands = np.zeros(1, HAND_DTYPE).view(np.recarray)
        start_views(view, self.views)

    def values(self, actions: list[Any]) -> Any:
        """Return each action's mean points over all worlds, and the SD of its difference to the first."""
        view = self.view
        places = np.zeros(52, np.int8)
        count, held = (int(number) for number in list_unknown(view, places))
        bits = places[:count].tolist()
        deck = stock_places(KEY, count - held)
        values = []
        for hand in itertools.combinations(bits, held):
            yours = int(view.known) | sum(1 << bit for bit in hand)
            stock = [bit for bit in bits if bit not in hand]
            for order in itertools.permutations(stock):
                row = []
                for action in actions:
                    places[:held] = hand
                    places[held:count] = np.array(order)[deck]
                    set_out(view, self.views, self.hands, places, held, KEY, yours)
                    action(self)
                    if self.hands[0].ending == GOING:
                        play_on(view, self.views, self.hands)
                    row.append(int(result(self.hands)))
                values.append(row)
        table = np.array(values, float)
        return table.mean(axis=0), (table - table[:, :1]).std(axis=0)


def take(search: Search) -> None:
    begin_with_upcard(search.views, search.hands)


def leave(search: Search) -> None:
    begin_without_upcard(search.views, search.hands, draw_phase(search.view))


def turn(ends: bool, card: int = 0) -> Any:
    def action(search: Search) -> None:
        begin_after_draw(search.view, search.views, search.hands)
        play_turn(search.view, search.views, search.hands, ends, card)

    return action


def clear(means: Any, deviations: Any, chosen: int) -> bool:
    """Tell whether the chosen action is the best or cannot be told from it by the samples."""
    best = int(np.argmax(means))
    spread = (deviations[best] + deviations[chosen]) / np.sqrt(SAMPLES)
    return bool(means[best] - means[chosen] <= SIGMAS * spread)


@pytest.mark.requires_jit
def test_with_enough_worlds_as_exhaustive_search() -> None:
    """Every draw, knock and discard of a few hands, over 6,720 worlds each or fewer."""
    made = player(parse_strategy(f"monte_carlo({SAMPLES}, gold, likely=false)"))
    gold = player(parse_strategy("gold"))
    draw, knock, discard, _ = made.decisions
    table = Table(made, gold, LITTLE, 8)
    seen = {"draw": 0, "knock": 0, "discard": 0}
    told_apart = 0
    for pair in range(7):
        deal(table, pair, 0)
        while table.hand.ending == GOING:
            side, phase = int(table.hand.player), int(table.hand.phase)
            if side == 0 and phase not in (FORCED_STOCK, DRAWN):
                view = show(table).copy()
                view.random = pair * 1_000_003 + int(table.hand.turns)
                chosen = bool(draw(view))
                means, deviations = Search(view).values([take, leave])
                assert clear(means, deviations, 0 if chosen else 1), (pair, "draw", means)
                seen["draw"] += 1
                told_apart += bool(abs(means[0] - means[1]) > SIGMAS * max(deviations) / np.sqrt(SAMPLES))
            turns = int(table.hand.turns)
            asked = table.views[0].copy()
            go_on(table, turns + 1)
            if side == 1 or int(table.hand.turns) == turns or table.hand.knocker == 1:
                continue
            after_draw(asked, table.hand)
            asked.banned = asked.drawn if asked.from_discard else 0
            legal = legal_knocks(int(asked.hand), LITTLE, int(asked.banned))
            asked.random = pair * 7_001 + turns
            if legal or is_big_gin(int(asked.hand), LITTLE):
                ends = bool(knock(asked))
                means, deviations = Search(asked).values([turn(True), turn(False)])
                assert clear(means, deviations, 0 if ends else 1), (pair, "knock", means)
                seen["knock"] += 1
            cards = cards_of(int(asked.hand) & ~int(asked.banned))
            asked.ending = 0
            thrown = int(discard(asked))
            means, deviations = Search(asked).values([turn(False, card) for card in cards])
            assert clear(means, deviations, cards.index(thrown)), (pair, "discard", means)
            seen["discard"] += 1
    assert min(seen.values()) >= 3 and told_apart >= 3, (seen, told_apart)
