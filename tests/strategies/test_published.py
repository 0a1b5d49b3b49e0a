"""Players from the literature against their rules written out plainly, over many positions."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.cards import cards_of, parse_cards
from sim.rules import Rules
from sim.run import play_match
from strategies.base import parse_strategy, player
from strategies.helpers import ending_discards, melded, unmelded
from strategies.opponent import adjoining
from tests import naive
from tests.naive import Card, Cards
from tests.naive_hands import examples, hands
from tests.strategies.seat import Seat

VALUES = {"low": 1, "high_low": 11, "corner": 15}
"""The ace rules with what an ace counts under each."""
ACES = sorted(VALUES)
RULES = {ace: Rules(runs_ace=ace, ace_value=value) for ace, value in VALUES.items()}
SEATS = {
    (text, ace): Seat(text, RULES[ace])
    for text in ("openspiel_simple", "greedy", "human", "rlcard_novice")
    for ace in ACES
}
few = examples(1.5)

elevens = hands(min_size=11, max_size=11)
tens = hands(min_size=10, max_size=10)


def highest(cards: Cards, ace: str) -> Card:
    """Return the card of most points, the last in the order of suits and ranks among equals."""
    return max(cards, key=lambda card: (naive.pip(card, VALUES[ace]), naive.to_mask([card])))


def loose_cards(hand: Cards, ace: str) -> Cards:
    """Return the cards outside the melds of one least-deadwood arrangement or another."""
    left = [naive.left_after(hand, laid) for laid in naive.least_choices(hand, ace, VALUES[ace])]
    return frozenset[Card]().union(*left)


def neighbours(card: Card, ace: str) -> Cards:
    """Return the other cards of all melds of three with a card."""
    threes = [meld for meld in naive.all_melds(ace) if len(meld) == 3 and card in meld]
    return frozenset[Card]().union(*threes) - {card}


# --- what the rules are made of ------------------------------------------------------------------


@few
@given(hands(min_size=10, max_size=11), st.sampled_from(ACES))
def test_cards_outside_the_melds(hand: Cards, ace: str) -> None:
    view: Any = SEATS["human", ace].view
    cards = naive.to_mask(hand)
    assert naive.from_mask(int(unmelded(view, cards))) == loose_cards(hand, ace)
    first = min(naive.forms(hand, ace, VALUES[ace]))
    assert cards & ~int(melded(view, cards, 0)) == first.leftover


@pytest.mark.parametrize(
    ("ace", "loose"),
    [
        ("low", "KS QS AS 2S JH TH 8H 6D 4D 9C"),
        ("high_low", "JH TH 8H 6D 4D 2S 9C"),
        ("corner", "JH TH 8H 6D 4D 9C"),
    ],
)
def test_an_ace_above_the_king(ace: str, loose: str) -> None:
    """King, queen and ace, and round the corner the two with them, are a run."""
    view: Any = SEATS["human", ace].view
    hand = parse_cards("KS QS AS 2S JH TH 8H 6D 4D 9C")
    assert int(unmelded(view, hand)) == parse_cards(loose)


@pytest.mark.parametrize("ace", ACES)
def test_cards_that_share_a_meld(ace: str) -> None:
    view: Any = SEATS["human", ace].view
    for card in naive.DECK:
        assert naive.from_mask(int(adjoining(view, naive.to_mask([card])))) == neighbours(card, ace)


@few
@given(elevens, st.sampled_from(ACES), st.booleans())
def test_discards_that_end_the_hand(hand: Cards, ace: str, took: bool) -> None:
    seat = SEATS["rlcard_novice", ace]
    banned = frozenset(sorted(hand)[:1]) if took else frozenset[Card]()
    seat.hold(naive.to_mask(hand), banned=naive.to_mask(banned))
    points = naive.discard_deadwoods(hand, banned, ace, VALUES[ace])
    found = naive.from_mask(int(ending_discards(seat.view)))
    assert found == {card for card, left in points.items() if left <= 10}


# --- openspiel_simple ----------------------------------------------------------------------------


@few
@given(elevens, st.sampled_from(ACES), st.integers(0, 10))
def test_openspiel_takes(hand: Cards, ace: str, place: int) -> None:
    upcard = sorted(hand)[place]
    ten = hand - {upcard}
    knocks = naive.best_discards(hand, frozenset({upcard}), ace, VALUES[ace])[0] <= 10
    always = all(
        upcard not in naive.left_after(hand, laid) for laid in naive.least_choices(hand, ace, VALUES[ace])
    )
    seat = SEATS["openspiel_simple", ace]
    assert seat.draw(naive.to_mask(ten), naive.to_mask([upcard])) == (knocks or always)


@few
@given(elevens, st.sampled_from(ACES), st.booleans())
def test_openspiel_throws(hand: Cards, ace: str, took: bool) -> None:
    seat = SEATS["openspiel_simple", ace]
    banned = frozenset(sorted(hand)[-1:]) if took else frozenset[Card]()
    seat.hold(naive.to_mask(hand), banned=naive.to_mask(banned))
    best = naive.best_discards(hand, banned, ace, VALUES[ace])[1]
    loose = loose_cards(hand, ace) - banned
    assert seat.discard() == naive.to_mask([highest(loose or frozenset(best), ace)])
    assert seat.discard(ending=True) == naive.to_mask([highest(frozenset(best), ace)])


# --- greedy --------------------------------------------------------------------------------------


@few
@given(elevens, st.sampled_from(ACES), st.data())
def test_greedy_throws_the_safest(hand: Cards, ace: str, data: st.DataObject) -> None:
    """Every other card is thrown by him, left by him, known to be his, thrown by us, or unseen."""
    rest = sorted(naive.DECK - hand)
    lots = data.draw(st.lists(st.sampled_from("tlkmuuu"), min_size=len(rest), max_size=len(rest)))
    thrown, left, known, mine, unseen = (
        frozenset(card for card, lot in zip(rest, lots, strict=True) if lot == kind) for kind in "tlkmu"
    )
    seat = SEATS["greedy", ace]
    seat.hold(naive.to_mask(hand))
    view = seat.view
    view.pile, view.known = naive.to_mask(thrown | left | mine), naive.to_mask(known)
    view.unseen, view.declined = naive.to_mask(unseen), naive.to_mask(left)
    view.memory[:] = 0
    view.last_discard = 0
    for card in cards_of(naive.to_mask(thrown)):  # a discard a turn
        view.last_discard = card
        found = seat.discard()

    def danger(card: Card) -> int:
        near = neighbours(card, ace)
        return 2 * len(near & known) + len(near & unseen) - 2 * len(near & (thrown | left))

    best = naive.best_discards(hand, frozenset(), ace, VALUES[ace])[1]
    least = min(danger(card) for card in best)
    safest = frozenset(card for card in best if danger(card) == least)
    if not thrown:
        found = seat.discard()
    assert found == naive.to_mask([highest(safest, ace)])


@pytest.mark.parametrize("text", ["greedy", "greedy(threshold=6, score_weight=32)", "greedy(0, true, 1000)"])
def test_greedy_knocks_by_the_score(text: str) -> None:
    seat = Seat(text)
    base, _, weight = seat.view.params[:3]
    scores = (0, 1, 2, 3, 10, 35, 50, 60, 98, 99)
    for mine, others, points in product(scores, scores, range(11)):
        seat.view.score, seat.view.other_score, seat.view.best_deadwood = mine, others, points
        shift = Fraction(int(weight)) * (mine - others) / max(100 - max(mine, others), 1)
        threshold = min(max(int(base) + int(shift), 0), 10)
        assert seat.knock() == (points <= threshold), (mine, others, points)


def test_greedy_of_a_score_beyond_the_target() -> None:
    """A column that is won, say, leaves nothing to go: the distance is then 1 point."""
    seat = Seat("greedy")
    seat.view.score, seat.view.other_score, seat.view.best_deadwood = 120, 119, 10
    assert seat.knock()
    seat.view.score, seat.view.other_score, seat.view.best_deadwood = 119, 120, 1
    assert not seat.knock()


# --- clinch --------------------------------------------------------------------------------------


@pytest.mark.parametrize("low", [False, True])
@pytest.mark.parametrize("other", [0, 10, 25])
def test_when_clinch_knocks(other: int, low: bool) -> None:
    seat = Seat(f"clinch_low_stock({other}, stock=6)" if low else f"clinch({other})")
    view = seat.view
    for score, points, times, stock in product((0, 49, 80, 90, 95, 99), range(11), (1, 2), (5, 6, 7, 30)):
        view.score, view.best_deadwood, view.multiplier, view.stock = score, points, times, stock
        ends = score + times * max(other - points, 1) >= 100
        assert seat.knock() == (points == 0 or ends or (low and stock <= 6)), (score, points, times, stock)


# --- human ---------------------------------------------------------------------------------------


@few
@given(elevens, st.sampled_from(ACES), st.integers(1, 9), st.data())
def test_human_throws(hand: Cards, ace: str, turn: int, data: st.DataObject) -> None:
    rest = sorted(naive.DECK - hand)
    gone = frozenset(data.draw(st.lists(st.sampled_from(rest), max_size=25, unique=True)))
    unseen = frozenset(rest) - gone
    seat = SEATS["human", ace]
    seat.hold(naive.to_mask(hand))
    seat.view.unseen, seat.view.turn = naive.to_mask(unseen), turn
    loose = loose_cards(hand, ace)

    def has_chance(card: Card) -> bool:
        threes = [meld for meld in naive.all_melds(ace) if len(meld) == 3 and card in meld]
        return any(len(meld & loose) >= 2 and meld <= loose | unseen for meld in threes)

    high = frozenset(card for card in loose if naive.pip(card, VALUES[ace]) >= 10)
    alone = frozenset(card for card in loose if not has_chance(card))
    first = min(naive.forms(hand, ace, VALUES[ace]))
    if not loose:
        kind = frozenset(naive.best_discards(hand, frozenset(), ace, VALUES[ace])[1])
    elif len(hand) - first.leftover.bit_count() >= 6:
        kind = loose
    elif turn >= 6 and high:
        kind = high
    else:
        kind = alone or loose
    assert seat.discard() == naive.to_mask([highest(kind, ace)])


def test_when_human_knocks() -> None:
    seat = Seat("human(early=2, middle=5, care=4)")
    for turn, points in product((1, 2, 3, 5, 6, 40), range(11)):
        seat.view.turn, seat.view.best_deadwood = turn, points
        assert seat.knock() == (points <= (10 if turn <= 2 else 4 if turn <= 5 else 0)), (turn, points)


# --- as published --------------------------------------------------------------------------------


@pytest.mark.requires_jit  # tens of thousands of games
def test_greedy_against_simple_as_published() -> None:
    """Published over 6,000 mirrored pairs, eaai: 59.8 % of games (59.0-60.6), 39.4 % of hands (38.5-40.4).

    The share of hands is met where no score moves the threshold; in games we find 44 %. Our own standard
    errors are at most 1/sqrt(4 x 40,000 games) and 1/sqrt(4 x 370,000 hands); three of them are allowed.
    """
    rival, rules = player(parse_strategy("simple")), Rules.preset("eaai")
    games = play_match(player(parse_strategy("greedy")), rival, rules, pairs=20_000).tally
    share = games.outcome("games_a") / (2 * games.outcome("games"))
    assert 0.590 - 3 * 0.0025 < share < 0.606 + 3 * 0.0025
    level = play_match(player(parse_strategy("greedy(score_weight=0)")), rival, rules, pairs=20_000).tally
    share = level.outcome("hands_a") / level.outcome("decisive")
    assert 0.385 - 3 * 0.00085 < share < 0.404 + 3 * 0.00085


@pytest.mark.requires_jit
def test_a_clinch_costs_nothing_and_a_low_stock_knock_does() -> None:
    """Published against gin_only: 50.8 and 50.0 % of 240 games (43.7-57.1); with low stock 27.5-36 %.

    Draw and discard are others there, so of the second only the direction is asked. False alarm below 1e-6:
    the standard error of 20,000 games in mirrored pairs is at most 0.36 %.
    """
    rival, rules = player(parse_strategy("gin_only")), Rules.preset("eaai")
    shares = []
    for text in ("clinch", "clinch_low_stock"):
        tally = play_match(player(parse_strategy(text)), rival, rules, pairs=10_000).tally
        shares.append(tally.outcome("games_a") / (2 * tally.outcome("games")))
    assert 0.437 < shares[0] < 0.571
    assert shares[1] < 0.5 - 5 * 0.0036
