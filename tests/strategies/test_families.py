"""What each family of strategies does, asked decision by decision."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

from sim._jit import COMPILED
from sim.cards import cards_of, parse_card, parse_cards
from sim.melds import best_discards, deadwood, discard_deadwoods
from sim.replay import replay_game
from sim.rules import Rules
from sim.run import play_match
from sim.scoring import GOING
from sim.tally import GROUPS, Tally
from strategies.base import parse_strategy, player
from tests import naive
from tests.strategies.seat import Seat
from tests.strategies.user_file import at_discard, go_on, puppet

FALSE_ALARM = 1e-6
"""Probability with which a fair choice fails one of the tests of uniformity."""
ACES = [("low", 1), ("high_low", 11), ("corner", 15)]


def hands(count: int, size: int, name: str) -> list[list[int]]:
    """Return hands as lists of cards, half of them from few ranks so that melds are frequent."""
    source = random.Random(name)
    found = []
    for number in range(count):
        start = source.randrange(9)
        pool = sorted(naive.DECK)
        if number % 2:
            pool = [card for card in pool if start <= card[0] < start + 5]
        found.append([naive.to_mask([card]) for card in source.sample(pool, size)])
    return found


def words(count: int) -> npt.NDArray[np.int64]:
    return np.random.default_rng(1).integers(0, 2**63 - 1, count, endpoint=True)


def assert_uniform(counts: dict[Any, int], cells: int) -> None:
    """Check counts of equally likely choices by chi-square(cells - 1), false alarm 1e-6."""
    assert len(counts) == cells
    found = np.array(list(counts.values()))
    expected = found.sum() / cells
    assert ((found - expected) ** 2).sum() / expected < stats.chi2.isf(FALSE_ALARM, cells - 1)


# --- gold and its knock rules --------------------------------------------------------------------


@pytest.mark.parametrize(("ace", "value"), ACES)
@pytest.mark.parametrize("text", ["gold", "threshold(4)", "gin_only", "two_stage"])
def test_gold_takes_what_lowers_deadwood(text: str, ace: str, value: int) -> None:
    seat = Seat(text, Rules(runs_ace=ace, ace_value=value))
    taken = 0
    for cards in hands(60 if COMPILED else 20, 11, f"draw {ace}"):
        hand, upcard = naive.from_mask(sum(cards[:10])), naive.from_mask(cards[10])
        least, _ = naive.best_discards(hand | upcard, upcard, ace, value)
        takes = least < naive.deadwood(hand, ace, value)
        assert seat.draw(sum(cards[:10]), cards[10]) == takes
        taken += takes
    assert taken > 5


@pytest.mark.parametrize(("ace", "value"), ACES)
def test_gold_throws_the_highest_of_the_best(ace: str, value: int) -> None:
    seat = Seat("gold", Rules(runs_ace=ace, ace_value=value))
    for number, cards in enumerate(hands(60 if COMPILED else 20, 11, f"throw {ace}")):
        eleven, banned = sum(cards), cards[0] if number % 3 else 0
        seat.hold(eleven, banned=banned)
        _, best = naive.best_discards(naive.from_mask(eleven), naive.from_mask(banned), ace, value)
        most = max(naive.pip(card, value) for card in best)
        assert seat.discard() == max(naive.to_mask([card]) for card in best if naive.pip(card, value) == most)


KNOCKS = {
    "gold": lambda points, turn: points <= 10,
    "gold(threshold=3)": lambda points, turn: points <= 3,
    "gold(10, hold_for_gin=true)": lambda points, turn: points == 0,
    "threshold(7)": lambda points, turn: points <= 7,
    "threshold(0)": lambda points, turn: points == 0,
    "gin_only": lambda points, turn: points == 0,
    "two_stage": lambda points, turn: points <= 10 if turn < 6 else points == 0,
    "two_stage(early=2, late=8, switch=3)": lambda points, turn: points <= (2 if turn < 3 else 8),
    "two_stage(4, 9, 1)": lambda points, turn: points <= 9,
    "simple": lambda points, turn: True,
}


@pytest.mark.parametrize("text", KNOCKS)
def test_when_to_knock(text: str) -> None:
    seat = Seat(text)
    for points in range(11):
        for turn in (1, 2, 3, 4, 5, 6, 7, 30, 200):
            seat.view.best_deadwood, seat.view.turn = points, turn
            assert seat.knock() == KNOCKS[text](points, turn), (points, turn)


def test_the_switch_in_play() -> None:
    """Knocks short of gin happen before the switch only, and gin from then on."""
    pairs = 200 if COMPILED else 2
    tally = play_match(
        player(parse_strategy("two_stage(10, 0, 4)")), player(parse_strategy("gold")), Rules(), pairs=pairs
    ).tally
    taken = tally.total("knocks")[0, :, :, 0]  # own turn - 1, deadwood
    assert taken[:3, 1:].sum() > 0 and taken[3:, 1:].sum() == 0
    assert taken[3:, 0].sum() > 0 or not COMPILED


# --- simple --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("ace", "value"), ACES)
def test_simple_takes_what_melds(ace: str, value: int) -> None:
    seat = Seat("simple", Rules(runs_ace=ace, ace_value=value))
    taken = 0
    for cards in hands(200 if COMPILED else 30, 11, f"simple {ace}"):
        upcard = naive.from_mask(cards[10])
        takes = any(upcard <= meld for meld in naive.melds_in(naive.from_mask(sum(cards)), ace))
        assert seat.draw(sum(cards[:10]), cards[10]) == takes
        taken += takes
    assert 10 < taken < 150


def test_simple_takes_a_meld_that_costs() -> None:
    """The published player looks at melds only: 4-5-6 would break the fives, yet he takes the six."""
    hand, upcard = parse_cards("4S 5S 5H 5D 9H 9C 9D KS KH KC"), parse_card("6S")
    assert deadwood(hand) < best_discards(hand | upcard, banned=upcard)[0]
    assert Seat("simple").draw(hand, upcard)
    assert not Seat("gold").draw(hand, upcard)


ELEVEN = parse_cards("AS 2S 3S 7H 7D 7C KS QH JD TC 2D")  # the tens are equally good to throw


@pytest.mark.parametrize("text", ["simple", "simple(false)"])
@pytest.mark.parametrize("banned", ["", "QH", "AS"])
def test_simple_throws_any_of_the_best(text: str, banned: str) -> None:
    seat, taken = Seat(text), parse_cards(banned)
    seat.hold(ELEVEN, banned=taken)
    best = cards_of(int(seat.view.best_discards))
    assert len(best) == (3 if banned == "QH" else 4) and taken not in best
    counts: dict[int, int] = {}
    for word in words(8_000 if COMPILED else 400):
        seat.view.memory[:] = 0
        card = seat.discard(int(word))
        counts[card] = counts.get(card, 0) + 1
    assert sorted(counts) == best
    assert_uniform(counts, len(best))


class TestPairMemory:
    def test_a_pair_is_not_repeated(self) -> None:
        seat = Seat("simple")
        drawn = parse_card("QH")
        seat.hold(ELEVEN, drawn)
        order = [seat.discard(0) for _ in range(11)]
        assert sorted(order) == cards_of(ELEVEN)  # each once: the best first, then the next best
        points = discard_deadwoods(ELEVEN)
        assert [points[card] for card in order] == sorted(points[card] for card in order)
        seat.discard(0)  # nothing is left that it has not thrown: then any of the best
        assert not Seat("simple").view.memory.any()

    def test_in_either_order(self) -> None:
        seat = Seat("simple")
        queen, jack = parse_card("QH"), parse_card("JD")
        seat.hold(ELEVEN, queen)
        while seat.discard(0) != jack:
            pass
        seat.hold(ELEVEN, jack)
        memory, thrown = seat.view.memory.copy(), set()
        for word in words(60):
            seat.view.memory[:] = memory
            thrown.add(seat.discard(int(word)))
        assert thrown == set(cards_of(int(seat.view.best_discards))) - {queen}

    def test_other_pairs_are_free(self) -> None:
        seat = Seat("simple")
        seat.hold(ELEVEN, parse_card("QH"))
        first = seat.discard(0)
        seat.hold(ELEVEN, parse_card("2D"))
        assert seat.discard(0) == first

    def test_an_ending_is_not_barred(self) -> None:
        """The discard that ends the hand is any of the best: only these are sure to be legal."""
        seat = Seat("simple")
        eleven = parse_cards("AS 2S 3S 7H 7D 7C 9S 9H 9D 2C KD")
        king = parse_card("KD")
        seat.hold(eleven, parse_card("2C"))
        assert seat.discard(0) == king and seat.discard(0) != king
        assert seat.discard(0, ending=True) == king

    def test_forgets_with_the_hand(self) -> None:
        made, rules, pairs = player(parse_strategy("simple")), Rules.preset("eaai"), 20 if COMPILED else 2
        whole = play_match(made, made, rules, pairs=pairs, seed=3, chunk=pairs).tally
        parts = Tally()
        for pair in range(pairs):  # each at a table of its own
            parts = parts.merge(play_match(made, made, rules, pairs=1, seed=3, first=pair).tally)
        assert parts.tobytes() == whole.tobytes()

    @pytest.mark.requires_jit  # the search goes through hundreds of games
    def test_a_hand_in_which_it_matters(self) -> None:
        """The first turn that differs is one in which the forgetful player repeats a pair."""
        rules = Rules.preset("eaai")
        mindful, forgetful = (player(parse_strategy(text)) for text in ("simple", "simple(false)"))
        rival = puppet()
        pair = -1
        for first in range(0, 50 * GROUPS, GROUPS):  # a group of the tally is one pair here
            with_memory, without = (
                play_match(one, rival, rules, pairs=GROUPS, first=first).tally for one in (mindful, forgetful)
            )
            other = [one != two for one, two in zip(with_memory.rows, without.rows, strict=True)]
            if any(other):
                pair = first + other.index(True)
                break
        met = 0
        for game in (0, 1):
            stories = [replay_game(one, rival, rules, pair=pair, game=game) for one in (mindful, forgetful)]
            both = zip(*(story.hands for story in stories), strict=False)
            mine, his = next(((one, two) for one, two in both if one != two), (None, None))
            if mine is None or his is None:
                continue
            met += 1
            place = next(
                i for i, (one, two) in enumerate(zip(mine.turns, his.turns, strict=False)) if one != two
            )
            used = [frozenset((turn.drawn, turn.discard)) for turn in his.turns[:place] if turn.side == 0]
            one, two = mine.turns[place], his.turns[place]
            assert one.side == two.side == 0 and one.drawn == two.drawn
            assert frozenset((two.drawn, two.discard)) in used
            assert frozenset((one.drawn, one.discard)) not in used
        assert met


# --- random --------------------------------------------------------------------------------------


class TestRandom:
    def test_draw(self) -> None:
        seat = Seat("random")
        count = 20_000 if COMPILED else 1_000
        heads = 0
        for word in words(count):
            seat.view.random = int(word)
            heads += seat.draw(parse_cards("AS 2S 3S 7H 7D 7C KS QH JD TC"), parse_card("2D"))
        # Normal with variance n/4. False alarm 1e-6.
        assert abs(heads - count / 2) < stats.norm.isf(FALSE_ALARM / 2) * np.sqrt(count / 4)

    ACTIONS = {
        # eleven cards, the card just taken, ways to end the hand
        "no-end": ("AS 3S 5H 7D 9C JS QH KD 2C 4D 6H", "", 0),
        "taken": ("AS 3S 5H 7D 9C JS QH KD 2C 4D 6H", "9C", 0),
        "ends": ("AS 2S 3S 7H 7D 7C 9S 9H 9D 4C 6D", "", 2),
        "ends-but-one": ("AS 2S 3S 7H 7D 7C 9S 9H 9D 4C 6D", "4C", 1),
        "big-gin": ("AS 2S 3S 4S 7H 7D 7C 9S 9H 9D 9C", "", 1),
    }

    @pytest.mark.parametrize(("cards", "taken", "ends"), ACTIONS.values(), ids=ACTIONS)
    def test_every_action_alike(self, cards: str, taken: str, ends: int) -> None:
        eleven, banned = parse_cards(cards), parse_cards(taken)
        seat = Seat("random", Rules.preset("standard" if ends == 1 and not taken else "eaai"))
        seat.hold(eleven, banned=banned)
        big_gin = seat.rules.big_gin_bonus is not None
        seat.view.big_gin = int(big_gin)
        least = int(seat.view.best_deadwood)
        legal = cards_of(eleven & ~banned)
        limit = seat.rules.knock_limit
        allowed = {
            card for card, points in discard_deadwoods(eleven, banned=banned).items() if points <= limit
        }
        assert len(allowed) == ends or big_gin
        counts: dict[Any, int] = {}
        drawn = words(40_000 if COMPILED else 2_000)
        for one, other in zip(drawn[::2].tolist(), drawn[1::2].tolist(), strict=True):
            ending = least <= limit and seat.knock(one)
            card = 0 if ending and big_gin else seat.discard(other, ending)
            assert card in (allowed if ending else legal) or not card
            counts[card, ending] = counts.get((card, ending), 0) + 1
        assert_uniform(counts, len(legal) + ends)

    @pytest.mark.parametrize("name", ["ends", "ends-but-one", "big-gin"])
    def test_share_of_endings(self, name: str) -> None:
        """Over evenly spaced words the hand is ended as often as endings are among the actions."""
        cards, taken, ends = self.ACTIONS[name]
        seat = Seat("random", Rules.preset("standard" if ends == 1 and not taken else "eaai"))
        eleven, banned = parse_cards(cards), parse_cards(taken)
        seat.hold(eleven, banned=banned)
        seat.view.big_gin = int(seat.rules.big_gin_bonus is not None)
        count = 1_000
        ended = sum(seat.knock(place * (2**63 // count) + 2**40) for place in range(count))
        assert abs(ended / count - ends / ((eleven & ~banned).bit_count() + ends)) < 2 / count


class TestOklahoma:
    """Under a limit card a threshold is the smaller of its own number and the limit."""

    MELDED = "2S 3S 4S 6H 6D 6C TD JD QD"
    OTHER = "KS KC 8S 8H 7S 7H 5S 5H 3H 2H"

    @pytest.mark.parametrize(
        ("text", "upcard", "most"),
        [
            ("threshold(10)", "5C", 5), ("threshold(3)", "9C", 3), ("threshold(8)", "KC", 8),
            ("two_stage(early=9, late=0, switch=6)", "4D", 4), ("simple", "3D", 3), ("gin_only", "9C", 0),
        ],
    )  # fmt: skip
    def test_the_smaller_of_both(self, text: str, upcard: str, most: int) -> None:
        rules = Rules.preset("bga_oklahoma")
        for loose, points in (("AC", 1), ("3C", 3), ("4C", 4), ("5D", 5), ("8C", 8), ("9H", 9)):
            kept = f"{self.MELDED} {loose}"
            table = at_discard(kept, "KH", self.OTHER, rules, player(parse_strategy(text)), upcard=upcard)
            go_on(table, 1)
            assert not table.hand.fault
            assert (table.hand.ending != GOING) == (points <= most), loose
