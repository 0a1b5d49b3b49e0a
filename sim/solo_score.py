"""The score of one ending of a solo hand, from its cards. Rules: RULES, section A3."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sim.melds import deadwood
from sim.rules import Rules
from sim.solo_rules import require_solo


@dataclass(frozen=True)
class SoloScore:
    """The score of an ended solo hand.

    Attributes
    ----------
    end : str
        ``"solo_knock"``, ``"solo_gin"``, ``"solo_second_joker"``; ``"illegal_knock"`` when the hand
        goes on.
    player, joker : int
        Points of both.
    deadwood : int
        The player's least deadwood, in points.
    turned : int
        Cards turned over, the joker included.
    """

    end: str
    player: int
    joker: int
    deadwood: int
    turned: int


def score_solo(
    hand: int,
    stock: Sequence[int | None],
    rules: Rules,
    jokers_out: int = 0,
    by_joker: bool | None = None,
) -> SoloScore:
    """Score the end of a solo hand.

    Parameters
    ----------
    hand : int
        The cards kept, a mask of ``rules.hand_size`` cards.
    stock : sequence of int or None
        The stock from the top, at least to its first joker: masks, None for a joker. If it holds none
        it is taken for the whole stock.
    rules : Rules
        With solo rules.
    jokers_out : int
        Jokers removed so far.
    by_joker : bool, optional
        True if a joker ended the hand; default: if ``jokers_out`` is ``solo.end_on_joker`` or more.
        False goes with jokers that were removed in the deal.

    Returns
    -------
    SoloScore

    Raises
    ------
    RulesError
        If the rules are not those of a solo game.
    ValueError
        If the cards or jokers are too many, or not of the deck.
    """
    solo = require_solo(rules)
    cards = [card for card in stock if card is not None]
    jokers = len(stock) - len(cards)
    if hand & ~rules.deck or hand.bit_count() != rules.hand_size:
        raise ValueError(f"hand {hand:#x}: expected {rules.hand_size} cards of the deck")
    if any(card.bit_count() != 1 or card & ~rules.deck or card & hand for card in cards):
        raise ValueError("stock: expected cards of the deck that are not in the hand")
    if len(set(cards)) < len(cards):
        raise ValueError("stock: a card stands twice")
    if jokers_out < 0 or jokers_out + jokers > solo.jokers:
        raise ValueError(f"{jokers_out} jokers out and {jokers} in the stock: these rules have {solo.jokers}")
    least = deadwood(hand, rules)
    if jokers_out >= solo.end_on_joker if by_joker is None else by_joker:
        return SoloScore("solo_second_joker", 0, least, least, 0)
    if least > rules.knock_limit:
        return SoloScore("illegal_knock", 0, 0, least, 0)
    found = None in stock
    turned = list(stock).index(None) + 1 if found else len(stock)
    points = turned - 1 if found and not solo.count_joker_card else turned
    return SoloScore("solo_gin" if least == 0 else "solo_knock", points, least, least, turned)
