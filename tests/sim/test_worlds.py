"""Worlds that fit: their hands and what choices bring in them against exact enumeration, and true deals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2

from analysis.knocking.advise import gin_knock
from analysis.knocking.history import Seen as Turn
from analysis.knocking.position import Position, check_position
from sim._jit import COMPILED
from sim.cards import parse_card, parse_cards
from sim.melds import best_discards
from sim.replay import HandStory, replay_game
from sim.rules import Rules
from sim.run import Player, RunError
from sim.view import discard_rule
from sim.worlds import CHOICES, WORLDS_AT_ONCE, fitting_worlds
from strategies.base import parse_strategy, player
from tests.enumerate_small_deck import CHANGES
from tests.naive_game import Gold
from tests.posterior import AnyOfTheBest, Seen, posterior

FALSE_ALARM = 1e-7
SD = 5.4
"""Two-sided 7e-8 of a normal mean."""
EAAI = Rules.preset("eaai")

TOOK_TWICE = Seen(
    "AS 4H 4D",
    "AD",
    ((0, "upcard", "AD", "4D"), (1, "stock", "", "3D"), (0, "upcard", "3D", "")),
    (True, True),
)
HE_DREW = Seen(
    "4D AD 3D",
    "2H",
    ((0, "upcard", "2H", "4D"), (1, "stock", "", "4H"), (0, "stock", "AS", "")),
    (True, False),
)
HE_DREW_TOO = Seen(
    "AD 4S 3H",
    "2D",
    ((0, "upcard", "2D", "4S"), (1, "stock", "", "4D"), (0, "stock", "2S", "")),
    (True, False),
)
HE_TOOK = Seen(
    "3D 3H 2S",
    "AD",
    ((0, "upcard", "AD", "3D"), (1, "upcard", "3D", "4H"), (0, "stock", "2H", "")),
    (True, False),
)
HE_BEGAN = Seen("2S 3H AH", "3D", ((1, "upcard", "3D", "4D"), (0, "stock", "3S", "")), (False, False))
"""In some of the deals that fit the cards he passes the upcard."""
PASSED = Seen("2S 2H 4D", "3S", ((0, "stock", "AS", ""),), (False,))


@discard_rule
def discard_nothing(view: Any) -> int:
    """Throw no card, which no rule allows."""
    return 0


def of(text: str) -> Player:
    return player(parse_strategy(text))


def small_position(seen: Seen) -> Position:
    """Return the position of a history on the reduced deck, the player's draws named."""
    turns = [
        Turn(side, source == "upcard", parse_card(drawn) if drawn else 0, parse_card(thrown) if thrown else 0)
        for side, source, drawn, thrown in seen.turns
    ]
    hand = parse_cards(seen.hand)
    for turn in turns:
        if turn.side == 0:
            hand = (hand | turn.drawn) & ~turn.discard
    return check_position(Rules(**CHANGES), 1, hand, parse_card(seen.upcard), turns)


def worlds_of(
    position: Position,
    me: str,
    opponent: str,
    tries: int,
    seed: int = 3,
    threads: int = 1,
    slips: float = 0.0,
) -> Any:
    parts = fitting_worlds(
        of(me), of(opponent), position.rules, position.past, gin=gin_knock(), tries=tries, seed=seed,
        threads=threads, slips=slips,
    )  # fmt: skip
    return np.concatenate([part.worlds for part in parts]).view(np.recarray)


def check_hands(found: Any, exact: dict[int, Any]) -> None:
    """Compare how often each hand was found with its probability, by chi-square."""
    counts = Counter(found.hand.tolist())
    assert set(counts) <= set(exact)
    expected = {hand: float(share) * len(found) for hand, share in exact.items()}
    assert min(expected.values()) > 5
    statistic = sum((counts[hand] - want) ** 2 / want for hand, want in expected.items())
    if len(exact) > 1:
        assert chi2.sf(statistic, len(exact) - 1) > FALSE_ALARM


HISTORIES = [
    HE_DREW,
    HE_TOOK,
    HE_BEGAN,
    *(pytest.param(seen, marks=pytest.mark.slow) for seen in (TOOK_TWICE, PASSED)),
]


@pytest.mark.requires_jit
@pytest.mark.parametrize("seen", HISTORIES)
@pytest.mark.parametrize(("text", "twin"), [("gin_only", lambda: Gold(0)), ("threshold(3)", lambda: Gold(3))])
def test_worlds_are_the_exact_posterior(seen: Seen, text: str, twin: Callable[[], Any]) -> None:
    """Probabilities of the other's hands, and means of all choices, by every deal of the reduced deck."""
    exact = posterior(seen, twin)
    found = worlds_of(small_position(seen), "threshold(10)", text, 60_000)
    check_hands(found, exact.hands)
    for place, choice in enumerate(CHOICES):
        points = found.points[:, place]
        error = points.std() / len(found) ** 0.5
        assert abs(points.mean() - float(exact.points[choice])) <= SD * error + 1e-12, choice


def test_few_worlds_lie_within_the_exact_posterior() -> None:
    """Also without the JIT: no hand is found that cannot be."""
    exact = posterior(HE_TOOK, lambda: Gold(0), ("knock",))
    found = worlds_of(small_position(HE_TOOK), "threshold(10)", "gin_only", 150)
    assert 5 < len(found) < 150 and set(found.hand.tolist()) <= set(exact.hands)


@pytest.mark.requires_jit
@pytest.mark.parametrize("seen", [HE_DREW, HE_DREW_TOO])
def test_worlds_are_weighed_by_the_luck_of_a_strategy(seen: Seen) -> None:
    """An opponent who throws any of the best discards."""
    exact = posterior(seen, lambda: AnyOfTheBest(seen), ("knock",))
    assert len(set(exact.hands.values())) > 1  # some hands throw it more surely than others
    found = worlds_of(small_position(seen), "threshold(10)", "simple(false)", 60_000)
    check_hands(found, {hand: share for hand, share in exact.hands.items() if share})


# --- true deals ----------------------------------------------------------------------------------


def position_in(story: HandStory, rules: Rules, most_turns: int = 99) -> Position | None:
    """Return the first position of side A in a hand where a knock short of gin is legal."""
    turns: list[Turn] = []
    for turn in story.turns:
        seen = Turn(
            turn.side,
            turn.from_discard,
            turn.drawn if turn.side == 0 or turn.from_discard else 0,
            turn.discard,
        )
        if turn.side == 0:
            hand = turn.hand | turn.discard
            banned = turn.drawn if turn.from_discard and not rules.may_discard_taken else 0
            deadwood = best_discards(hand, rules, banned)[0]
            if 0 < deadwood <= story.limit and len(turns) <= most_turns:
                card = story.limit_card if rules.knock_limit_source == "separate_card" else 0
                return check_position(
                    rules, story.dealer, hand, story.upcard, [*turns, seen._replace(discard=0)], card
                )
        turns.append(seen)
    return None


def true_world(position: Position, story: HandStory) -> Any:
    """Return a position whose only worlds have the true cards of the other: each place takes the one card."""
    past = position.past.copy()
    eleven = [
        turn.drawn for turn in story.turns[: len(position.turns)] if turn.side == 1 and not turn.from_discard
    ]
    first = story.dealt[1]
    bits = [bit for bit in range(64) if first >> bit & 1] + [card.bit_length() - 1 for card in eleven]
    assert len(bits) == past.places
    known = set(past.shown_bits[: past.shown].tolist())
    rest = [int(bit) for bit in past.unseen_bits[: past.unseen] if int(bit) not in bits]
    assert known <= set(bits)
    past.shown = len(bits)
    past.shown_bits[: len(bits)] = bits
    past.shown_room[: len(bits)] = range(1, len(bits) + 1)
    past.unseen = len(rest)
    past.unseen_bits[: len(rest)] = rest
    return past


def check_rooms(position: Position, story: HandStory) -> None:
    """The true world is among those drawn: each card shown lies in a place it may lie in."""
    past = position.past
    draws = [
        turn.drawn for turn in story.turns[: len(position.turns)] if turn.side == 1 and not turn.from_discard
    ]
    for bit, room in zip(past.shown_bits[: past.shown], past.shown_room[: past.shown], strict=True):
        card = 1 << int(bit)
        place = 0 if card & story.dealt[1] else position.rules.hand_size + draws.index(card)
        assert place < room


@pytest.mark.parametrize("preset", ["eaai", "standard", "bga_oklahoma", "palace", "bga"])
@pytest.mark.parametrize("opening", ["upcard_offer", "eleven_ten", "free_first_draw"])
def test_a_true_deal_is_among_the_worlds_and_played_again(preset: str, opening: str) -> None:
    """By an opponent without luck, whose true cards lead to the turns that were seen in every world."""
    rules = Rules.preset(preset)
    if opening == "eleven_ten" and rules.knock_limit_source == "upcard":
        rules = rules.replace(knock_limit_source="separate_card")
    rules = rules.replace(
        opening=opening, match_type="single_hand", match_length=1, columns=1, column_multipliers=(1,)
    )
    me, other = of("gin_only"), of("threshold(4)")
    played = 0
    for pair in range(24 if COMPILED else 6):
        story = replay_game(me, other, rules, pair=pair, seed=5).hands[0]
        if any(turn.reshuffled for turn in story.turns) or (position := position_in(story, rules)) is None:
            continue
        played += 1
        check_rooms(position, story)
        (piece,) = fitting_worlds(me, other, rules, true_world(position, story), gin=gin_knock(), tries=20)
        assert len(piece.worlds) == 20
        assert (piece.worlds.points[:, 0] == piece.worlds.points[0, 0]).all()  # a knock leaves nothing open
    assert played >= (2 if COMPILED else 1)


@pytest.mark.requires_jit
def test_threads_change_nothing() -> None:
    position = small_position(HE_DREW)
    tries = 2 * WORLDS_AT_ONCE + 1000
    one = worlds_of(position, "gold", "simple", tries)
    assert one.tobytes() == worlds_of(position, "gold", "simple", tries, threads=2).tobytes()
    assert (np.diff(one.world) > 0).all() and one.world[-1] < tries
    assert one.tobytes() != worlds_of(position, "gold", "simple", tries, seed=4).tobytes()


@pytest.mark.requires_jit
def test_players_that_think_are_asked_in_small_pieces() -> None:
    """So that a limit of time is seen soon, whichever side it is that thinks; the worlds are the same."""
    position = small_position(HE_DREW)
    gold, slow = of("gold"), of("monte_carlo(samples=1)")

    def pieces(me: Player, other: Player, tries: int) -> list[int]:
        told = fitting_worlds(me, other, position.rules, position.past, gin=gin_knock(), tries=tries)
        return [one.tried for one in told]

    assert pieces(gold, slow, 600) == pieces(slow, gold, 600) == [256, 256, 88]
    assert pieces(gold, gold, 600) == [600]


def test_bad_input_is_refused() -> None:
    position = small_position(HE_DREW)
    for options in ({"tries": 0}, {"tries": 2**41}, {"tries": 1, "threads": 0}):
        with pytest.raises(ValueError, match="expected 1-"):
            list(
                fitting_worlds(
                    of("gold"), of("gold"), position.rules, position.past, gin=gin_knock(), **options
                )
            )


def test_a_fault_is_told() -> None:
    good = of("gold")
    draw, knock, _, spread = good.decisions
    bad = Player("bad", (draw, knock, discard_nothing, spread))
    position = small_position(HE_DREW)
    for me, other in ((good, bad), (bad, good)):
        with pytest.raises(RunError, match="bad discards a card it may not discard"):
            list(fitting_worlds(me, other, position.rules, position.past, gin=gin_knock(), tries=3000))


@pytest.mark.slow
def test_predictions_are_calibrated_on_real_positions() -> None:
    """What a knock really brings lies anywhere among what it brings in the worlds, each place as often.

    By the randomised rank of the true points, which is uniform if the worlds are what the player knows.
    """
    me, other = of("gin_only"), of("two_stage(10, 0, 6)")
    hand_rules = EAAI.replace(match_type="single_hand")
    rng = np.random.default_rng(1)
    ranks = []
    for pair in range(1500):
        story = replay_game(me, other, hand_rules, pair=pair, seed=11).hands[0]
        position = position_in(story, EAAI, most_turns=6)
        if position is None:
            continue
        found = []
        for piece in fitting_worlds(me, other, EAAI, position.past, gin=gin_knock(), tries=2**19, seed=pair):
            found.append(piece.worlds.points[:, 0])
            if sum(map(len, found)) >= 250:
                break
        points = np.concatenate(found)
        if len(points) < 200:
            continue
        (piece,) = fitting_worlds(me, other, EAAI, true_world(position, story), gin=gin_knock(), tries=1)
        truth = int(piece.worlds.points[0, 0])
        below, equal = int((points < truth).sum()), int((points == truth).sum())
        ranks.append((below + rng.uniform() * (equal + 1)) / (len(points) + 1))
    assert len(ranks) > 100
    counts = np.histogram(ranks, 10, (0, 1))[0]
    expected = len(ranks) / 10
    assert chi2.sf(((counts - expected) ** 2 / expected).sum(), 9) > FALSE_ALARM
