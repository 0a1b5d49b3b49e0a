"""Worlds that fit a view, and hands played on in them."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import numpy as np
import pytest
from scipy import stats

from sim._jit import COMPILED
from sim.cards import cards_of
from sim.deal import DRAWN, FORCED_STOCK, HAND_DTYPE, LAST_DISCARD, MAX_TURNS, next_card
from sim.rollout import (
    MAX_TRIES,
    begin_after_draw,
    begin_with_upcard,
    begin_without_upcard,
    deal_world,
    draw_phase,
    likely_world,
    list_unknown,
    play_on,
    play_turn,
    result,
    set_out,
    start_views,
)
from sim.rules import Rules, preset_names
from sim.run import RunError, Table, play_match
from sim.scoring import GOING, NOBODY
from sim.streams import absorb
from sim.view import VIEW_DTYPE
from strategies.base import parse_strategy, player
from strategies.monte_carlo import MonteCarlo
from tests import naive
from tests.enumerate_small_deck import CHANGES
from tests.strategies.test_contract import who_played
from tests.strategies.user_file import NO_CARD, deal, go_on, puppet

FALSE_ALARM = 1e-7
LITTLE = Rules(**CHANGES)
FULL_DECKS = [
    name
    for name in preset_names()
    if (rules := Rules.preset(name)).solo is None and (rules.ranks, rules.suits) == (13, 4)
]


def not_filled_in(dtype: np.dtype[Any], count: int) -> Any:
    """Return records with anything in them, as those of `sim.rollout.new_hands` have."""
    return np.full(count * dtype.itemsize, 0x37, np.uint8).view(dtype).view(np.recarray)


class Thought:
    """The records of a rollout, for a view whose policy is gold."""

    def __init__(self, view: Any) -> None:
        self.view = view
        self.views = not_filled_in(VIEW_DTYPE, 2)
        self.hands = not_filled_in(HAND_DTYPE, 1)
        self.places = np.zeros(52, np.int8)
        start_views(view, self.views)
        self.count, self.held = (int(number) for number in list_unknown(view, self.places))

    def set_out(self, key: Any, yours: int) -> None:
        set_out(self.view, self.views, self.hands, self.places, self.held, key, yours)


def table_of(rules: Rules) -> Table:
    """Return a table of two gold players who could think with gold."""
    gold = player(parse_strategy("gold"))
    thinker = gold._replace(policy=gold)
    return Table(thinker, thinker, rules, 5)


def position(table: Table, pair: int, turns: int, side: int) -> Any:
    """Deal a hand, let gold play so many turns, and return the view of the side to act, or None."""
    deal(table, pair, 0)
    go_on(table, turns)
    if table.hand.ending != GOING or int(table.hand.player) != side or int(table.hand.phase) == FORCED_STOCK:
        return None
    return show(table)


def show(table: Table) -> Any:
    """Return the view of the side to act, with what the engine fills in when it asks to draw."""
    me = int(table.hand.player)
    view, other = table.views[me], table.views[1 - me]
    view.upcard, view.stock = table.hand.upcard, table.hand.stock
    view.shown, view.left, view.thrown = other.known, other.declined, other.last_discard
    view.other_turn = other.turn
    return view


# --- worlds --------------------------------------------------------------------------------------


def little_position() -> Thought:
    """Return a position of the little deck after a turn of each: five cards of the stock are left unseen."""
    table = table_of(LITTLE)
    for pair in itertools.count():
        view = position(table, pair, 2, 0)
        if view is not None and view.last_discard and view.known == 0 and int(view.stock) == 3:
            return Thought(view)
    raise AssertionError


def naive_growth(thought: Thought, draws: int) -> Counter[int]:
    """Return the exact chances of the other's hand, by the story that `likely_world` tells, in 1e-15."""
    unseen = cards_of(int(thought.view.unseen))
    upcard = int(thought.view.last_discard)
    limit = int(thought.view.limit)
    fits: Counter[int] = Counter()
    any_hand: Counter[int] = Counter()
    for start in itertools.combinations(unseen, thought.held):
        for picks in itertools.product(range(len(unseen) - thought.held), repeat=draws):
            hand, stock = list(start), [card for card in unseen if card not in start]
            for pick in picks:
                eleven = [*hand, stock[pick]]
                thrown = highest_best(sum(eleven))
                stock[pick] = thrown
                hand = [card for card in eleven if card != thrown]
            any_hand[sum(hand)] += 1
            left, best = naive_best(sum(hand) | upcard)
            if upcard in best and left > limit:
                fits[sum(hand)] += 1
    total = sum(any_hand.values())
    accepted = sum(fits.values()) / total
    missed = (1 - accepted) ** (MAX_TRIES - 1)
    chances: Counter[int] = Counter()
    for hand, ways in any_hand.items():
        share = fits[hand] / total / accepted * (1 - missed) if accepted else 0.0
        chances[hand] = share + missed * ways / total
    return chances


def naive_best(eleven: int) -> tuple[int, list[int]]:
    """Return the least deadwood after a discard and the discards that reach it, by the oracle."""
    left = {card: naive.deadwood(naive.from_mask(eleven ^ card)) for card in cards_of(eleven)}
    least = min(left.values())
    return least, [card for card, points in left.items() if points == least]


def highest_best(eleven: int) -> int:
    """Return the best discard of most points, the later suit of equals."""
    return max(naive_best(eleven)[1], key=lambda card: (naive.pips(naive.from_mask(card)), card))


def assert_shares(seen: Counter[Any], chances: dict[Any, float], draws: int) -> None:
    """Compare counts with chances by chi-square, cells of small chance taken together."""
    assert not set(seen) - set(chances)
    large = [cell for cell, chance in chances.items() if chance * draws >= 10]
    found = [seen[cell] for cell in large]
    expected = [chances[cell] * draws for cell in large]
    rest = draws - sum(expected)
    if rest > 10:
        found, expected = [*found, draws - sum(found)], [*expected, rest]
    assert stats.chisquare(found, expected, sum_check=False).pvalue > FALSE_ALARM


def test_any_world_alike() -> None:
    """The other's hand and the whole stock: 8 unseen cards, 56 hands with 5 cards, 60 orders of the stock."""
    thought = little_position()
    draws = 40_000 if COMPILED else 2_000
    seen: Counter[Any] = Counter()
    for world in range(draws):
        key = absorb(17, world)
        hand = int(deal_world(thought.view, thought.places, thought.count, thought.held, key))
        thought.set_out(key, hand)
        stock = [int(next_card(thought.hands[0])) for _ in range(thought.count - thought.held)]
        assert hand | sum(stock) == int(thought.view.unseen) and hand.bit_count() == 3
        seen[hand, stock[0]] += 1
    unseen = cards_of(int(thought.view.unseen))
    cells = [
        (sum(hand), card)
        for hand in itertools.combinations(unseen, thought.held)
        for card in unseen
        if card not in hand
    ]
    assert_shares(seen, dict.fromkeys(cells, 1 / len(cells)), draws)


@pytest.mark.parametrize("turns", [0, 1, 2])
def test_likely_worlds_match_the_exact_posterior(turns: int) -> None:
    thought = little_position()
    thought.view.other_turn = turns + 1
    draws = 30_000 if COMPILED else 1_000
    seen: Counter[int] = Counter()
    for world in range(draws):
        key = absorb(23, world)
        hand = int(likely_world(thought.view, thought.places, thought.count, thought.held, key))
        held = sum(1 << int(place) for place in thought.places[: thought.held])
        assert hand == held | int(thought.view.known)
        assert sorted(thought.places[: thought.count].tolist()) == sorted(
            card.bit_length() - 1 for card in cards_of(int(thought.view.unseen))
        )
        seen[hand] += 1
    assert_shares(seen, naive_growth(thought, turns), draws)


def test_known_cards_stay_where_they_are() -> None:
    table = table_of(Rules())
    found = 0
    for pair in range(60 if COMPILED else 6):
        view = position(table, pair, 7, 0)
        view = position(table, pair, 8, 0) if view is None else view
        if view is None or not view.known:
            continue
        thought = Thought(view)
        for world in range(20):
            hand = int(likely_world(view, thought.places, thought.count, thought.held, world))
            assert hand & int(view.known) == int(view.known) and hand.bit_count() == 10
            assert not hand & int(view.hand | view.pile)
            found += 1
    assert found


# --- playing on ----------------------------------------------------------------------------------


def true_places(table: Table, thought: Thought, yours: int) -> None:
    """Put the cards where they lie at the table."""
    unknown = cards_of(yours & ~int(thought.view.known))
    assert len(unknown) == thought.held
    thought.places[: thought.held] = [card.bit_length() - 1 for card in unknown]
    stock = table.hand.deck[int(table.hand.place) :]
    thought.places[thought.held : thought.held + len(stock)] = stock


def after_draw(view: Any, hand: Any) -> None:
    """Make of a view before a turn the view after the draw, from the hand after the turn."""
    drawn, taken = int(hand.drawn), int(hand.from_discard)
    view.hand, view.drawn, view.from_discard = int(view.hand) | drawn, drawn, taken
    view.unseen, view.stock = int(view.unseen) & ~drawn, hand.stock
    if taken:
        view.pile = int(view.pile) & ~drawn


def ending(hand: Any, me: int) -> tuple[int, ...]:
    """Return how a hand has ended, sides as the player ``me`` sees them."""
    if hand.knocker == NOBODY:
        return (int(hand.ending),)
    winner = int(hand.winner) if hand.winner == NOBODY else int(hand.winner) ^ me
    cards = (int(hand.knocker_deadwood), int(hand.defender_deadwood), int(hand.layoffs), int(hand.sets))
    return (int(hand.ending), winner, int(hand.knocker) ^ me, int(hand.points), *cards)


@pytest.mark.parametrize("name", FULL_DECKS)
def test_in_the_true_world_the_hand_goes_on_as_it_does(name: str) -> None:
    """From every draw, and from every card held after it: the same ending, points and cards."""
    table = table_of(Rules.preset(name))
    draw = table.players[0].decisions[0]
    compared = 0
    for pair in range(12 if COMPILED else 1):
        deal(table, pair, 0)
        go_on(table, MAX_TURNS)
        ends = [ending(table.hand, me) for me in range(2)]
        points = int(table.hand.points) if table.hand.winner != NOBODY else 0
        won = [points if int(table.hand.winner) == me else -points for me in range(2)]
        deal(table, pair, 0)
        while table.hand.ending == GOING:
            me, phase, before = int(table.hand.player), int(table.hand.phase), int(table.hand.reshuffles)
            turns, asked = int(table.hand.turns), show(table).copy()
            other = table.views[1 - me].copy()
            if phase not in (FORCED_STOCK, DRAWN):
                thought = Thought(asked)
                true_places(table, thought, int(other.hand))
                thought.set_out(table.hand.key, int(other.hand))
                if draw(asked):
                    begin_with_upcard(thought.views, thought.hands)
                else:
                    begin_without_upcard(thought.views, thought.hands, draw_phase(asked))
                if phase != LAST_DISCARD or int(thought.hands[0].phase) == DRAWN:
                    play_on(asked, thought.views, thought.hands)
                    assert ending(thought.hands[0], 0) == ends[me], (pair, turns)
                assert int(result(thought.hands)) == won[me]
                compared += 1
            go_on(table, turns + 1)
            hand = table.hand
            played = hand.ending == GOING or int(hand.knocker) == me
            if int(hand.turns) == turns or int(hand.reshuffles) != before or not played:
                continue
            if who_played(table) != me:  # both passed, or the other took what was passed
                continue
            after_draw(asked, hand)
            asked.shown = int(other.known) | (int(hand.drawn) if hand.from_discard else 0)
            thought = Thought(asked)
            true_places(table, thought, int(other.hand))
            thought.set_out(hand.key, int(other.hand))
            begin_after_draw(asked, thought.views, thought.hands)
            ended = hand.ending != GOING
            play_turn(asked, thought.views, thought.hands, ended, int(hand.discard))
            if thought.hands[0].ending == GOING:
                play_on(asked, thought.views, thought.hands)
            assert ending(thought.hands[0], 0) == ends[me], (pair, turns)
            compared += 1
    assert compared > (100 if COMPILED else 5)


def test_a_policy_that_breaks_the_rules_is_told() -> None:
    """The rollout does not go on as if nothing had happened."""
    made = player(MonteCarlo(samples=1))
    # The puppet reads its orders where the thinker's parameters stand: the third is what it throws.
    cheat = made._replace(params=[1.0, 1.0, float(NO_CARD)], policy=puppet())
    with pytest.raises(RunError, match="policy of the rollouts breaks the rules"):
        play_match(cheat, made, Rules(), pairs=1)
