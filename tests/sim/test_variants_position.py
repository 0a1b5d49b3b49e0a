"""Single positions under the rarer rules: the last discard, compulsory gin, limit cards, boxes."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from sim.cards import parse_card
from sim.deal import LAST_DISCARD, start_hand
from sim.hand import BAD_GIN, BAD_KNOCK
from sim.rules import Rules
from sim.run import Player, Table
from sim.scoring import ENDINGS, GOING, hand_terms, score_hand
from tests import naive, naive_score
from tests.strategies import user_file
from tests.strategies.user_file import ALWAYS, BEST, GIVEN, NEVER, STOCK, UPCARD, at_discard, go_on, puppet

DATA = Path(__file__).parent.parent / "data"
EXAMPLES: dict[str, dict[str, Any]] = {
    one["id"]: one for one in json.loads((DATA / "examples.json").read_text())
}


def throwing(card: str, draw: int = UPCARD, when: int = NEVER) -> Player:
    """Return a player who throws the card named."""
    return puppet(draw, when, GIVEN, number=parse_card(card).bit_length() - 1)


# --- the last discard ----------------------------------------------------------------------------


def at_last_discard(mine: str, other: str, top: str, rules: Rules, player: Player) -> Table:
    """Return a table at which ``top``, just thrown by B, has left the dead stock, and A is to act."""
    table = at_discard(mine, top, other, rules, player, stock=rules.dead_stock)
    hand, (a, b) = table.hand, table.views
    card = parse_card(top)
    hand.upcard, hand.phase = card, LAST_DISCARD
    a.pile = b.pile = hand.pile = hand.pile | card
    a.unseen &= ~card
    b.unseen &= ~card
    return table


def e34(rules: Rules, player: Player) -> Table:
    """Return the position of example E34: with 8D and without 7S, A can knock with one."""
    example = EXAMPLES["E34"]
    taken = example["taken_from_discard_pile"]
    mine = " ".join(card for card in [*example["knocker_hand"], example["discard"]] if card != taken)
    return at_last_discard(mine, " ".join(example["defender_hand"]), taken, rules, player)


KNOCK = Rules(wall_rule="last_discard_knock")
PLAY = Rules(wall_rule="last_discard_play")


def test_taking_the_last_discard_ends_the_hand() -> None:
    """Who takes it is not asked whether to end the hand."""
    table = e34(KNOCK, throwing("7S"))
    go_on(table)
    assert ENDINGS[int(table.hand.ending)] == "knock"
    assert (int(table.hand.winner), int(table.hand.points)) == (0, EXAMPLES["E34"]["points_knocker"])
    assert int(table.hand.turns) == 1 and table.views[0].memory[user_file.SEEN_KNOCK] == 0
    assert int(table.hand.taken) == 1 << 8 | 1 and int(table.hand.declines[0]) == 0


def test_the_last_discard_may_be_left() -> None:
    for rules in (KNOCK, PLAY):
        table = e34(rules, puppet(STOCK, ALWAYS))
        go_on(table)
        assert (ENDINGS[int(table.hand.ending)], int(table.hand.turns)) == ("void", 0)
        assert int(table.views[0].memory[user_file.ASKED]) == 1
        assert int(table.views[1].declined) == parse_card("8D")


def test_the_last_discard_is_offered_only_for_a_legal_end() -> None:
    for limit, asked in ((0, 0), (1, 1)):
        table = e34(KNOCK.replace(knock_limit=limit), throwing("7S"))
        go_on(table)
        assert int(table.views[0].memory[user_file.ASKED]) == asked
        assert ENDINGS[int(table.hand.ending)] == ("knock" if asked else "void")


def test_an_end_that_is_taken_must_be_legal() -> None:
    table = e34(KNOCK, throwing("JC"))
    go_on(table)
    assert table.hand.fault == BAD_KNOCK


@pytest.mark.parametrize("back", [False, True])
def test_the_last_discard_itself_is_no_legal_end(back: bool) -> None:
    """Ten cards with gin in them, and only the card just taken could be thrown."""
    example = EXAMPLES["E04"]
    rules = KNOCK.replace(knock_limit=0, may_discard_taken=back)
    mine, other = " ".join(example["knocker_hand"]), " ".join(example["defender_hand"])
    table = at_last_discard(mine, other, "9C", rules, puppet(UPCARD, NEVER, BEST))
    go_on(table)
    assert ENDINGS[int(table.hand.ending)] == ("gin" if back else "void")
    assert int(table.views[0].memory[user_file.ASKED]) == back


@pytest.mark.parametrize("bonus", [31, None])
def test_eleven_melded_with_the_last_discard(bonus: int | None) -> None:
    example = EXAMPLES["E12"]
    mine = " ".join(card for card in example["knocker_hand"] if card != "KC")
    rules = KNOCK.replace(knock_limit=0, big_gin_bonus=bonus)
    table = at_last_discard(
        mine, " ".join(example["defender_hand"]), "KC", rules, puppet(UPCARD, NEVER, BEST)
    )
    go_on(table)
    assert ENDINGS[int(table.hand.ending)] == ("gin" if bonus is None else "big_gin")
    assert int(table.hand.points) == 66 + (25 if bonus is None else bonus)
    assert int(table.views[0].hand).bit_count() == (10 if bonus is None else 11)


def test_the_last_discard_played() -> None:
    """The turn is a normal one, and its discard is offered to the other."""
    table = e34(PLAY, throwing("7S"))
    go_on(table, 1)
    hand = table.hand
    assert (int(hand.ending), int(hand.player), int(hand.phase)) == (GOING, 1, LAST_DISCARD)
    assert int(table.views[0].memory[user_file.SEEN_KNOCK]) == 1 << 11
    assert int(hand.upcard) == parse_card("7S") and int(hand.stock) == 2
    table.views[1].params[0] = STOCK
    go_on(table)
    assert (ENDINGS[int(hand.ending)], int(hand.turns)) == ("void", 1)


# --- compulsory gin ------------------------------------------------------------------------------


def decide(name: str, rules: Rules, player: Player) -> Table:
    """Let A play the turn of an example in which he holds the cards and is to decide."""
    example = EXAMPLES[name]
    kept, other = " ".join(example["knocker_hand"]), " ".join(example["defender_hand"])
    table = at_discard(kept, example["discard"] or "", other, rules, player)
    go_on(table, 1)
    return table


def test_who_can_go_gin_must() -> None:
    must = Rules(gin_compulsory=True)
    never = puppet(STOCK, NEVER, BEST)
    assert ENDINGS[int(decide("E04", must, never).hand.ending)] == "gin"
    assert decide("E04", Rules(), never).hand.ending == GOING
    assert decide("E01", must, never).hand.ending == GOING  # a knock is a choice
    assert ENDINGS[int(decide("E12", must, never).hand.ending)] == "gin"
    assert ENDINGS[int(decide("E12", must.replace(big_gin_bonus=31), never).hand.ending)] == "big_gin"
    asked = decide("E04", must, never).views[0].memory
    assert asked[user_file.SEEN_KNOCK] == 0 and asked[user_file.SEEN_ENDING] == 1 << 11


def test_a_gin_that_must_be_leaves_nothing() -> None:
    """With 9C kept and an ace thrown ten would be left, a legal knock but no gin."""
    table = decide("E04", Rules(gin_compulsory=True), throwing("AS", STOCK))
    assert table.hand.fault == BAD_GIN
    assert decide("E04", Rules(), throwing("AS", STOCK, ALWAYS)).hand.fault == 0


@pytest.mark.parametrize("bonus, ending", [(31, "big_gin"), (None, "none")])
def test_six_melded_cards_that_spare_none(bonus: int | None, ending: str) -> None:
    rules = Rules(hand_size=5, ranks=8, big_gin_bonus=bonus, gin_compulsory=True)
    table = at_discard("2S 3S 4S 7H 7D", "7C", "AS AH AD 8H 5C", rules, puppet(STOCK, NEVER), stock=5)
    go_on(table, 1)
    assert ENDINGS[int(table.hand.ending)] == ending


# --- limit cards and scores ----------------------------------------------------------------------


@pytest.mark.parametrize("source", ["upcard", "separate_card"])
@pytest.mark.parametrize("ace", ["one", "gin"])
@pytest.mark.parametrize("most, factor", [(10, 1), (4, 2)])
def test_limit_cards(source: str, ace: str, most: int, factor: int) -> None:
    fields: dict[str, Any] = {
        "knock_limit_source": source,
        "oklahoma_ace": ace,
        "knock_limit": most,
        "spade_multiplier": factor,
        "ace_value": 15,
    }
    rules = Rules(**fields)
    table = Table(puppet(), puppet(), rules, 1)
    plain = naive_score.complete(fields)
    for card in sorted(naive.DECK):
        limit = naive_score.limit_of(plain, card)
        doubled = factor if naive_score.is_doubled(plain, card) else 1
        table.hand.limit_card = naive.to_mask([card])
        start_hand(table.hand, *table.views, table.rules, 5, 0, 0, 0)
        assert (int(table.hand.limit), int(table.hand.multiplier)) == (limit, doubled)
        assert table.views.limit.tolist() == [limit, limit]
        assert table.views.multiplier.tolist() == [doubled, doubled]
        assert hand_terms(rules, naive.to_mask([card])) == (limit, doubled)


SCORES = {
    "plain": {},
    "ties-push": {"tie_rule": "push", "gin_vs_zero": "no_score", "extra_boxes_undercut": 1},
    "ties-defender": {"tie_rule": "defender_no_bonus", "undercut_bonus": 7, "extra_boxes_undercut": 3},
    "ties-knocker": {"tie_rule": "knocker", "gin_bonus": 0, "extra_boxes_gin": 2},
    "all-boxes": {
        "extra_boxes_gin": 2,
        "extra_boxes_big_gin": 3,
        "extra_boxes_undercut": 1,
        "spade_doubles_boxes": True,
    },
}


@pytest.mark.parametrize("changes", SCORES.values(), ids=SCORES)
@pytest.mark.parametrize("suit", [0, 3], ids=["spade", "club"])
def test_every_score(changes: dict[str, Any], suit: int) -> None:
    fields = {**changes, "knock_limit_source": "upcard", "spade_multiplier": 2, "big_gin_bonus": 50}
    rules, plain = Rules(**fields), naive_score.complete(fields)
    card = (9, suit)
    _, multiplier = hand_terms(rules, naive.to_mask([card]))
    for knocker, defender in product(range(11), range(0, 99)):
        for big_gin in {False, knocker == 0}:
            found = score_hand(knocker, defender, rules, big_gin, multiplier)
            told = naive_score.hand_result(knocker, defender, plain, big_gin, card)
            assert (found.end, found.winner, found.points, found.boxes) == told


def test_the_score_of_a_hand_in_play_has_its_boxes() -> None:
    """Example E06 with a spade for limit card: everything of an undercut doubled, boxes too."""
    fields = {
        "knock_limit_source": "separate_card",
        "spade_multiplier": 2,
        "spade_doubles_boxes": True,
        "extra_boxes_undercut": 1,
    }
    example = EXAMPLES["E06"]
    kept, other = " ".join(example["knocker_hand"]), " ".join(example["defender_hand"])
    for upcard, factor in (("9S", 2), ("9H", 1)):
        player = throwing(example["discard"], STOCK, ALWAYS)
        table = at_discard(kept, example["discard"], other, Rules(**fields), player, upcard=upcard)
        go_on(table, 1)
        assert (int(table.hand.winner), int(table.hand.points)) == (1, factor * example["points_defender"])
        assert int(table.hand.boxes) == factor * 2


@pytest.mark.parametrize("name", ["E04", "E12", "E01", "E06"])
def test_the_benchmark_s_reward(name: str) -> None:
    example = EXAMPLES[name]
    rules = Rules(payoff="rlcard", big_gin_bonus=31)
    table = decide(name, rules, puppet(STOCK, ALWAYS, BEST))
    own = tuple(naive.deadwood(naive.from_mask(int(view.hand))) for view in table.views)
    ending = ENDINGS[int(table.hand.ending)]
    assert tuple(table.hand.payoff.tolist()) == naive_score.rlcard_payoffs(ending, 0, (own[0], own[1]))
    assert own[1] >= example["defender_deadwood"]  # nothing is laid off
