"""Cards and hands: the one place that knows how a card is a bit.

A hand is an ``int64`` bitmask. The card of rank ``r`` and suit ``s`` is bit ``16 * s + r``; suits in
the order S H D C, ranks A 2 3 ... 9 T J Q K = 0 ... 12. So a suit is a 13-bit lane of its own and the
four cards of a rank stand in a column. 61 bits never touch the sign bit.

Text is rank then suit (``AS 2S TD``), in any case; ``10H`` is read as ``TH``.
"""

from __future__ import annotations

import re

RANKS = "A23456789TJQK"
SUITS = "SHDC"

LANE = 0x1FFF
"""The thirteen ranks of one suit, before shifting by ``16 * suit``."""

COLUMN = 0x0001_0001_0001_0001
"""The four aces; ``COLUMN << rank`` are the four cards of a rank."""

FULL_DECK = LANE * COLUMN
"""All 52 cards."""


class CardError(ValueError):
    """A card or a hand that cannot be read; the message names it."""


def card_mask(rank: int, suit: int) -> int:
    """Return the one-bit mask of a card from its rank (0 = ace ... 12) and suit (0 = S ... 3)."""
    return 1 << (16 * suit + rank)


def deck_mask(ranks: int = 13, suits: int = 4) -> int:
    """Return the mask of a deck of the first so many ranks (3-13) and suits (1-4)."""
    lane = (1 << ranks) - 1
    return sum(lane << 16 * suit for suit in range(suits))


def parse_card(text: str) -> int:
    """Read one card.

    Parameters
    ----------
    text : str
        Rank then suit, such as ``"AS"``, ``"td"`` or ``"10H"``.

    Returns
    -------
    int
        One-bit mask.

    Raises
    ------
    CardError
        If the text is no card.
    """
    word = text.strip().upper()
    if word.startswith("10"):
        word = "T" + word[2:]
    if not text.isascii() or len(word) != 2 or word[0] not in RANKS or word[1] not in SUITS:
        shown = f"{text[:20]}..." if len(text) > 20 else text
        raise CardError(f"{shown!r} is not a card (rank A23456789TJQK, then suit S H D C)")
    return card_mask(RANKS.index(word[0]), SUITS.index(word[1]))


def parse_card_list(text: str, what: str = "hand") -> list[int]:
    """Read cards separated by blanks or commas, in the order given.

    Parameters
    ----------
    text : str
        Such as ``"6H QH QC"``.
    what : str
        What the cards are, for messages.

    Returns
    -------
    list of int
        One-bit masks.

    Raises
    ------
    CardError
        If a word is no card, or a card stands twice.
    """
    cards: list[int] = []
    seen = 0
    for word in re.split(r"[\s,]+", text.strip()):
        if not word:
            continue
        card = parse_card(word)
        if card & seen:
            raise CardError(f"duplicate card {format_card(card)} in {what}")
        seen |= card
        cards.append(card)
    return cards


def parse_cards(text: str, count: int | tuple[int, ...] | None = None, what: str = "hand") -> int:
    """Read a set of cards.

    Parameters
    ----------
    text : str
        Cards separated by blanks or commas.
    count : int or tuple of int, optional
        How many cards there must be; several numbers are alternatives.
    what : str
        What the cards are, for messages.

    Returns
    -------
    int
        The mask of the cards.

    Raises
    ------
    CardError
        If a word is no card, a card stands twice, or the number of cards is wrong.
    """
    cards = parse_card_list(text, what)
    allowed = (count,) if isinstance(count, int) else count
    if allowed is not None and len(cards) not in allowed:
        wanted = " or ".join(str(number) for number in allowed)
        told = text.strip()
        shown = told if len(told) <= 200 else f"{told[:197]}..."
        raise CardError(f"{what} has {len(cards)} cards, expected {wanted}: {shown!r}")
    return sum(cards)


def cards_of(mask: int) -> list[int]:
    """Split a mask into its cards, lowest bit first (spades, hearts, diamonds, clubs; ace low)."""
    mask = int(mask)
    cards = []
    while mask:
        card = mask & -mask
        cards.append(card)
        mask ^= card
    return cards


def format_card(card: int) -> str:
    """Write a one-bit mask as rank and suit, such as ``"TD"``."""
    bit = int(card).bit_length() - 1
    if bit < 0 or card != 1 << bit or not card & FULL_DECK:
        raise CardError(f"{card:#x} is not the mask of one card")
    return RANKS[bit % 16] + SUITS[bit // 16]


def format_cards(mask: int) -> str:
    """Write a mask as text, suit by suit (S H D C), each from the ace up."""
    return " ".join(format_card(card) for card in cards_of(mask))
