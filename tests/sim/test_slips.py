"""An opponent whose hand slips: his hands and acceptance, exactly, and that slips are all that changes."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from scipy.stats import binomtest

from analysis.knocking.advise import gin_knock
from sim.melds import best_discards
from sim.replay import HandStory, replay_game
from sim.rules import Rules
from sim.run import Player, RunError
from sim.worlds import CHOICES, fitting_worlds
from tests.naive_game import Gold
from tests.posterior import AnyOfTheBest, Seen, Trembling, posterior
from tests.sim.test_worlds import (
    FALSE_ALARM,
    HE_BEGAN,
    HE_DREW,
    HE_TOOK,
    PASSED,
    SD,
    TOOK_TWICE,
    check_hands,
    discard_nothing,
    of,
    position_in,
    small_position,
    true_world,
    worlds_of,
)

HE_THREW_A_MELD = Seen(
    "4D AD 3D",
    "2H",
    ((0, "upcard", "2H", "4D"), (1, "stock", "", "AH"), (0, "stock", "AS", "")),
    (True, False),
)
HE_TOOK_FOR_NOTHING = Seen(
    "3D 3H 2S",
    "AD",
    ((0, "upcard", "AD", "3D"), (1, "upcard", "3D", "AS"), (0, "stock", "2H", "")),
    (True, False),
)
HISTORIES = [
    HE_DREW,
    HE_TOOK,
    HE_BEGAN,
    HE_THREW_A_MELD,
    HE_TOOK_FOR_NOTHING,
    *(pytest.param(seen, marks=pytest.mark.slow) for seen in (TOOK_TWICE, PASSED)),
]


@pytest.mark.requires_jit
@pytest.mark.parametrize("seen", HISTORIES)
@pytest.mark.parametrize(("text", "twin"), [("gin_only", lambda: Gold(0)), ("threshold(3)", lambda: Gold(3))])
def test_worlds_are_the_exact_posterior(seen: Seen, text: str, twin: Callable[[], Any]) -> None:
    """Probabilities of the hands of one who slips, and means of all choices, by every deal that fits."""
    chance = Fraction(1, 4)
    exact = posterior(seen, lambda: Trembling(seen, twin(), chance))
    found = worlds_of(small_position(seen), "threshold(10)", text, 120_000, slips=float(chance))
    check_hands(found, exact.hands)
    for place, choice in enumerate(CHOICES):
        points = found.points[:, place]
        error = points.std() / len(found) ** 0.5
        assert abs(points.mean() - float(exact.points[choice])) <= SD * error + 1e-12, choice


@pytest.mark.requires_jit
@pytest.mark.parametrize("seen", [HE_DREW, HE_THREW_A_MELD])
def test_slips_are_independent_of_the_luck_of_a_strategy(seen: Seen) -> None:
    """An opponent who throws any of the best discards, and slips."""
    chance = Fraction(2, 5)
    exact = posterior(seen, lambda: Trembling(seen, AnyOfTheBest(seen), chance), ("knock",))
    found = worlds_of(small_position(seen), "threshold(10)", "simple(false)", 60_000, slips=float(chance))
    check_hands(found, exact.hands)


def test_few_worlds_lie_within_the_exact_posterior() -> None:
    """Also without the JIT: a discard that rules out all worlds of one who never slips rules out none."""
    position = small_position(HE_THREW_A_MELD)
    assert len(worlds_of(position, "threshold(10)", "gin_only", 150)) == 0
    exact = posterior(
        HE_THREW_A_MELD, lambda: Trembling(HE_THREW_A_MELD, Gold(0), Fraction(1, 2)), ("knock",)
    )
    found = worlds_of(position, "threshold(10)", "gin_only", 150, slips=0.5)
    assert 5 < len(found) < 150 and set(found.hand.tolist()) <= set(exact.hands)


@pytest.mark.requires_jit
@pytest.mark.parametrize("opponent", ["simple", "threshold(3)", "heisenbot"])
def test_who_hardly_ever_slips_has_the_worlds_of_one_who_never_does(opponent: str) -> None:
    """Doing what was seen is the same, to the bit, as doing it of his own: memory and words are his."""
    for seen in (HE_DREW, HE_BEGAN, TOOK_TWICE, PASSED):
        position = small_position(seen)
        never = worlds_of(position, "gold", opponent, 20_000)
        assert never.tobytes() == worlds_of(position, "gold", opponent, 20_000, slips=1e-15).tobytes()


# --- true deals ----------------------------------------------------------------------------------


def probability(story: HandStory, rules: Rules, turns: int, slips: float) -> float:
    """Return that of accepting all decisions of side B in the first turns, in each of which he agrees."""
    found = 1.0
    his_offer = story.dealer == 0 or not (story.turns[0].side == 0 and story.turns[0].from_discard)
    if rules.opening == "upcard_offer" and his_offer:
        found *= 1 - slips / 2  # to take the first upcard, or to pass it
    for number, turn in enumerate(story.turns[: turns + 1]):
        if turn.side == 0 or number == turns:
            continue
        if number > 0 or rules.opening == "free_first_draw":
            found *= 1 - slips / 2
        hand = turn.hand | turn.discard
        banned = turn.drawn if turn.from_discard and not rules.may_discard_taken else 0
        if best_discards(hand, rules, banned)[0] <= story.limit:
            found *= 1 - slips / 2  # not to knock
        legal = (hand & ~banned).bit_count()
        found *= 1 - slips + slips / legal
    return found


@pytest.mark.requires_jit
@pytest.mark.parametrize("preset", ["eaai", "bga_oklahoma", "palace"])
@pytest.mark.parametrize("opening", ["upcard_offer", "eleven_ten", "free_first_draw"])
def test_a_true_deal_is_accepted_as_often_as_it_should(preset: str, opening: str) -> None:
    """Of an opponent who played as his strategy, by each decision that the rules have left to him."""
    rules = Rules.preset(preset)
    if opening == "eleven_ten" and rules.knock_limit_source == "upcard":
        rules = rules.replace(knock_limit_source="separate_card")
    rules = rules.replace(
        opening=opening, match_type="single_hand", match_length=1, columns=1, column_multipliers=(1,)
    )
    me, other = of("gin_only"), of("two_stage(10, 0, 2)")
    tries, played = 2000, 0
    for pair in range(12):
        story = replay_game(me, other, rules, pair=pair, seed=5).hands[0]
        if any(turn.reshuffled for turn in story.turns) or (position := position_in(story, rules)) is None:
            continue
        played += 1
        slips = 0.3 / len(position.turns)
        (piece,) = fitting_worlds(
            me, other, rules, true_world(position, story), gin=gin_knock(), tries=tries, seed=pair,
            slips=slips,
        )  # fmt: skip
        share = probability(story, rules, len(position.turns) - 1, slips)
        assert binomtest(len(piece.worlds), tries, share).pvalue > FALSE_ALARM / 100
    assert played >= 2


# --- what can be wrong ---------------------------------------------------------------------------


def test_bad_input_is_refused() -> None:
    position = small_position(HE_DREW)
    for slips in (-0.1, 1.1, float("nan")):
        with pytest.raises(ValueError, match=r"slips .*: expected 0-1"):
            worlds_of(position, "gold", "gold", 10, slips=slips)


def test_a_fault_is_told() -> None:
    draw, knock, _, spread = of("gold").decisions
    bad = Player("bad", (draw, knock, discard_nothing, spread))
    position = small_position(HE_DREW)
    with pytest.raises(RunError, match="bad discards a card it may not discard"):
        list(
            fitting_worlds(
                of("gold"), bad, position.rules, position.past, gin=gin_knock(), tries=30, slips=0.1
            )
        )
