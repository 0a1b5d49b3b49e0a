"""Cards and hands as text and as bits."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.cards import (
    COLUMN,
    FULL_DECK,
    LANE,
    RANKS,
    SUITS,
    CardError,
    card_mask,
    cards_of,
    deck_mask,
    format_card,
    format_cards,
    parse_card,
    parse_card_list,
    parse_cards,
)

ALL = [(rank, suit) for suit in range(4) for rank in range(13)]


def test_the_layout() -> None:
    """Bit ``16 * suit + rank``, suits S H D C, ranks from the ace: a contract, also of data files."""
    assert parse_card("AS") == 1
    assert parse_card("KS") == 1 << 12
    assert parse_card("AH") == 1 << 16
    assert parse_card("TD") == 1 << 41
    assert parse_card("KC") == 1 << 60
    assert [parse_card(rank + suit) for suit in SUITS for rank in RANKS] == [
        1 << 16 * suit + rank for rank, suit in ALL
    ]
    assert FULL_DECK == sum(card_mask(rank, suit) for rank, suit in ALL) < 2**61
    assert (LANE, COLUMN) == (0x1FFF, 0x1_0001_0001_0001)


@pytest.mark.parametrize(("rank", "suit"), ALL)
def test_one_card_and_back(rank: int, suit: int) -> None:
    card = card_mask(rank, suit)
    text = format_card(card)
    assert text == RANKS[rank] + SUITS[suit]
    for word in (text, text.lower(), f" {text}\n"):
        assert parse_card(word) == card


def test_ten_in_both_spellings() -> None:
    for word in ("TH", "th", "10H", "10h", " 10h "):
        assert parse_card(word) == card_mask(9, 1)
    assert parse_cards("10S 10H 10D 10C") == parse_cards("TS TH TD TC") == COLUMN << 9
    assert format_card(parse_card("10D")) == "TD"


NO_CARDS = ["", " ", "A", "S", "1S", "11S", "0S", "AX", "ASS", "SA", "100H", "1OH", "10", "JOKER", "JK"]
NO_CARDS += ["A S", "♠A", "A\0", "AS2S", "ᴬS", "ſs"]


@pytest.mark.parametrize("text", NO_CARDS)
def test_no_card(text: str) -> None:
    with pytest.raises(CardError, match="is not a card"):
        parse_card(text)


def test_long_nonsense_is_cut() -> None:
    with pytest.raises(CardError) as error:
        parse_card("x" * 10_000)
    assert len(str(error.value)) < 120


class TestHands:
    def test_separators_and_order(self) -> None:
        cards = [parse_card(word) for word in ("6H", "QC", "AS", "TD")]
        for text in ("6H QC AS TD", "6h,qc,as,10d", " 6H ,\tQC\n AS  10D ", "6H,,QC AS TD,"):
            assert parse_card_list(text) == cards
            assert parse_cards(text) == sum(cards)
        assert parse_card_list("") == [] and parse_cards("  ") == 0

    @pytest.mark.parametrize("text", ["6C 6D 6H 5C 6C 7C", "6C,6c", "TH 10H"])
    def test_duplicate(self, text: str) -> None:
        with pytest.raises(CardError, match=r"duplicate card (6C|TH) in spread"):
            parse_cards(text, what="spread")

    def test_unknown_card_is_named(self) -> None:
        with pytest.raises(CardError, match="'1X' is not a card"):
            parse_cards("AS 1X KD")

    @pytest.mark.parametrize("count", [10, (10, 11)])
    def test_miscount(self, count: int | tuple[int, ...]) -> None:
        nine = "AS 2S 3S 4S 5S 6S 7S 8S 9S"
        assert parse_cards(f"{nine} TS", count).bit_count() == 10
        wanted = "10 or 11" if isinstance(count, tuple) else "10"
        with pytest.raises(CardError, match=f"defender has 9 cards, expected {wanted}: '{nine}'"):
            parse_cards(nine, count, "defender")
        with pytest.raises(CardError, match="hand has 12 cards"):
            parse_cards(f"{nine} TS JS QS", count)
        with pytest.raises(CardError, match="hand has 0 cards"):
            parse_cards("", count)

    @given(st.sets(st.sampled_from(ALL), max_size=52))
    def test_round_trip(self, cards: set[tuple[int, int]]) -> None:
        mask = sum(card_mask(rank, suit) for rank, suit in cards)
        assert parse_cards(format_cards(mask)) == mask
        parts = cards_of(mask)
        assert sum(parts) == mask and parts == sorted(parts) and len(parts) == len(cards)

    def test_written_suit_by_suit(self) -> None:
        assert format_cards(parse_cards("KC AC 2S AS TD 3H")) == "AS 2S 3H TD AC KC"
        assert format_cards(0) == ""


@pytest.mark.parametrize("mask", [0, 3, -1, 1 << 13, 1 << 61, 1 << 64])
def test_not_one_card(mask: int) -> None:
    with pytest.raises(CardError, match="is not the mask of one card"):
        format_card(mask)


@pytest.mark.parametrize(("ranks", "suits"), [(13, 4), (8, 4), (3, 1), (13, 2)])
def test_decks(ranks: int, suits: int) -> None:
    mask = deck_mask(ranks, suits)
    assert mask == sum(card_mask(rank, suit) for rank, suit in ALL if rank < ranks and suit < suits)
    assert mask.bit_count() == ranks * suits
    assert deck_mask() == FULL_DECK
