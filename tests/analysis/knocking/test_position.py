"""A position read from words: what a history and its shorthand say, and what cannot be."""

from __future__ import annotations

from typing import Any

import pytest

from analysis.console import UsageError
from analysis.knocking.position import Position, read_position
from sim.cards import CardError, format_cards, parse_card, parse_cards
from sim.rules import Rules, RulesError

HAND = "2S 3S 4S 5S 9H 9D 9C AD 2D 4D KH"
SHORT: dict[str, Any] = {
    "upcard": "TH",
    "dealer": 1,
    "my_discards": "TC JD KS",
    "opp_discards": "KD QC QH",
    "drawn": "KH",
}
LONG = (
    "me: pass; opp: pass; me: draw discard TC; opp: draw discard KD; me: draw discard JD; "
    "opp: draw discard QC; me: draw discard KS; opp: draw discard QH; me: draw KH"
)


def read(cards: str = HAND, rules: Rules | None = None, **changes: Any) -> Position:
    return read_position(rules or Rules(), cards, **{**SHORT, **changes})


def read_long(
    history: str, cards: str = HAND, rules: Rules | None = None, dealer: int = 1, **more: Any
) -> Position:
    return read_position(rules or Rules(), cards, dealer=dealer, history=history, **{"upcard": "TH", **more})


def test_a_shorthand_is_its_history() -> None:
    short = read()
    for text in (LONG, LONG.removeprefix("me: pass; opp: pass; "), LONG.upper().replace("10", "T")):
        assert read_long(text).to_dict() == short.to_dict()
    assert read("2S 3S 4S 5S 9H 9D 9C AD 2D 4D").to_dict() == short.to_dict()  # without the card drawn
    assert (short.deadwood, short.limit, short.own_turn, short.stock) == (7, 10, 4, 24)
    assert read_long(LONG).past.tobytes() == short.past.tobytes()


def test_what_the_engine_is_told() -> None:
    past = read().past
    first = parse_cards(HAND) & ~parse_card("KH") | parse_cards("TC JD KS")
    mine = int(past.hand) | sum(1 << int(past.drawn[turn]) for turn in (0, 2, 4))
    assert int(past.hand).bit_count() == 10 and mine == first
    assert past.places == 13 and past.shown == 3
    shown = sum(1 << int(bit) for bit in past.shown_bits[:3])
    assert format_cards(shown) == "QH KD QC" and past.shown_room[:3].tolist() == [11, 12, 13]
    assert past.unseen == 52 - 11 - 3 - 3 - 1  # own, thrown by both, the first upcard
    assert format_cards(int(past.last_drawn)) == "KH"


def test_named_draws_stay_where_they_are() -> None:
    text = LONG.replace("me: draw discard JD", "me: draw 9H discard JD").replace(
        "me: draw discard KS", "me: draw KS discard KS"
    )
    past = read_long(text).past
    assert [1 << int(past.drawn[turn]) for turn in (2, 4)] == [parse_card("9H"), parse_card("KS")]
    assert not int(past.hand) & parse_cards("9H KS KH")


def test_cards_taken_are_no_secret() -> None:
    text = (
        "me: pass; opp: take TH discard KD; me: draw discard JD; opp: take JD discard QC; "
        "me: take discard KS; opp: draw discard TH; me: take TH"
    )
    hand = "2S 3S 4S 5S 9H 9D 9C AD 2D QC TH"
    with pytest.raises(UsageError, match="least deadwood is 13, the limit 10"):
        read_long(text, hand)
    position = read_long(text, "2S 3S 4S 5S 9H 9D 9C QD QS QC TH")
    past = position.past
    assert past.shown == 2 and past.places == 11  # KD and QC; the ten was taken
    assert past.shown_room[:2].tolist() == [10, 10]
    assert position.deadwood == 10 and position.own_turn == 3  # the ten may not be thrown back
    short = read_position(
        Rules(), "2S 3S 4S 5S 9H 9D 9C QD QS QC TH", dealer=1, upcard="TH", my_discards="JD KS",
        opp_discards="KD QC TH",
        i_took="QC", opp_took="TH JD", taken="TH",
    )  # fmt: skip
    assert short.past.tobytes() == past.tobytes()


def test_eleven_cards_and_a_free_draw() -> None:
    eleven = Rules(opening="eleven_ten")
    text = "opp: draw discard KD; me: draw discard JD; opp: draw discard QC; me: draw KH"
    position = read_long(text, rules=eleven, dealer=0, upcard=None)
    assert position.past.eleventh == 1 and position.stock == 28 and position.past.places == 12
    taken = "me: take TH discard JD; opp: draw discard QC; me: draw KH"
    free = read_long(taken, "2S 3S 4S 5S 9H 9D 9C TH TD TS KH", Rules(opening="free_first_draw"))
    assert (free.stock, free.deadwood) == (29, 0)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"my_discards": "TC JD"}, "does not lead to a turn of yours"),
        ({"my_discards": None}, "discards of both are needed"),
        ({"opp_discards": "KD QC TC"}, "turn 6 .opp.: TC lies in the discard pile already"),
        ({"opp_discards": "KD QC AD"}, "turn 6 .opp.: AD is one of your cards"),
        ({"opp_discards": "KD QC QC"}, "duplicate card QC"),
        ({"my_discards": "TC JD AD"}, "AD is among your cards, and you have thrown it"),
        ({"opp_took": "5C"}, "--opp-took 5C: it was not the upcard"),
        ({"i_took": "QC"}, "QC: you have taken it, and it is not among your cards"),
        ({"upcard": None}, "turn one"),
        ({"upcard": "4D"}, "4D is the first upcard"),
        ({"drawn": None}, "what you have just drawn is needed"),
        ({"drawn": None, "taken": "KH"}, "the upcard is QH"),
        ({"taken": "QH"}, "give one of them"),
        ({"drawn": "6H"}, "6H was just drawn and is not among your cards"),
        ({"turn": 6}, "--turn 6: the history leads to your turn 4"),
        ({"cards": HAND + " 6H"}, "your hand has 12 cards, expected 10 or 11"),
        ({"cards": HAND.replace("AD", "8D")}, "no knock is legal: your least deadwood is 14, the limit 10"),
        ({"limit_card": "5H"}, "knock_limit_source=fixed"),
        ({"history": LONG}, "--my-discards and --history"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_named(changes: dict[str, Any], message: str) -> None:
    with pytest.raises((UsageError, CardError), match=message):
        read(**changes)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("me draw KH", "item 1 'me draw KH'"),
        (LONG.replace("p: pass", "p: draw discard 5C"), "after both have passed the non-dealer draws first"),
        (LONG.replace("me: pass; opp: pass", "opp: pass; me: pass"), "no upcard is offered to this side"),
        (LONG.replace("discard QC", "discard QC; opp: draw discard 8C"), "turn of the other side"),
        (LONG.replace("opp: draw discard QC", "opp: take QC discard QC"), "the upcard is JD"),
        (LONG.replace("opp: draw discard QC", "opp: take discard JD"), "JD was just taken"),
        (LONG.replace("opp: draw discard QC", "opp: draw"), "the turn before it has no discard"),
        (LONG.replace("me: draw KH", "me: draw"), "name the card"),
        (LONG.replace("me: draw discard JD", "me: draw 8H discard JD"), "8H drawn from the stock is neither"),
        (LONG.replace("me: draw discard KS", "me: draw JD discard KS"), "JD drawn from the stock was thrown"),
        (LONG.replace("; me: draw KH", ""), "what you have just drawn"),
        (LONG.replace("discard QH", "discard XX"), "'XX' is not a card"),
    ],
)  # fmt: skip
def test_a_history_that_cannot_be_is_named(text: str, message: str) -> None:
    with pytest.raises((UsageError, CardError), match=message):
        read_long(text)


def test_rules_that_leave_nothing_to_decide() -> None:
    gin = "2S 3S 4S 5S 9H 9D 9C AC 2C 3C KH"
    assert read(gin).deadwood == 0
    with pytest.raises(UsageError, match="compulsory"):
        read(gin, Rules(gin_compulsory=True))
    with pytest.raises(UsageError, match="so the hand is void"):
        read(rules=Rules(dead_stock=26))
    with pytest.raises(UsageError, match="the pile is shuffled, which is not told"):
        read(rules=Rules(dead_stock=26, wall_rule="reshuffle"))
    with pytest.raises(RulesError, match="one-player"):
        read(rules=Rules.preset("bga_solo"))
