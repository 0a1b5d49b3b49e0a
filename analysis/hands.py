"""Single hands by their cards: the best melds and discards, a defence, the score of an ended hand.

Each function takes cards as text and returns plain data, which the command line prints as JSON; the
`describe_*` functions put the same data into words.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from analysis.console import UsageError
from sim.cards import cards_of, format_card, format_cards, parse_card, parse_card_list, parse_cards
from sim.layoff import Defence, check_spread, defend
from sim.melds import (
    Arrangement,
    arrangements,
    best_discards,
    deadwood,
    discard_deadwoods,
    is_big_gin,
    legal_knocks,
)
from sim.rules import Rules
from sim.scoring import hand_terms

Told = dict[str, Any]
"""Plain data, as JSON has it."""

Fields = list[tuple[str, str]]
"""Labels and texts for `analysis.console.print_fields`."""


def meld_text(meld: int) -> str:
    """Write a meld: a set by suits (S H D C), a run in playing order (``QS KS AS 2S``)."""
    cards = cards_of(meld)
    ranks = [card.bit_length() % 16 for card in cards]
    for place in range(1, len(cards)):
        if ranks[place] > ranks[place - 1] + 1:  # the run goes on from its last card to its first
            cards = cards[place:] + cards[:place]
            break
    return " ".join(format_card(card) for card in cards)


def melds_texts(melds: Iterable[int]) -> list[str]:
    """Write each meld."""
    return [meld_text(meld) for meld in melds]


def _check_deck(cards: int, rules: Rules) -> int:
    outside = cards & ~rules.deck
    if outside:
        raise UsageError(
            f"{format_cards(outside)} not in the deck of these rules "
            f"({rules.ranks} ranks, {rules.suits} suits)"
        )
    return cards


def read_hand(text: str, rules: Rules, what: str, count: int) -> int:
    """Read the cards of a hand of the deck in play; errors name ``what`` it is."""
    return _check_deck(parse_cards(text, count, what), rules)


def read_card(text: str, rules: Rules) -> int:
    """Read a card of the deck in play."""
    return _check_deck(parse_card(text), rules)


def read_spread(text: str, rules: Rules) -> tuple[list[int], list[str]]:
    """Read melds separated by ``|``: their masks, and their texts with the cards in the order given."""
    melds, texts = [], []
    for part in text.split("|"):
        cards = parse_card_list(part, "the spread")
        if not cards:
            raise UsageError(f"the spread {text!r} has an empty meld")
        melds.append(_check_deck(sum(cards), rules))
        texts.append(" ".join(format_card(card) for card in cards))
    check_spread(melds, rules)
    return melds, texts


# --- one hand ------------------------------------------------------------------------------------


def solve_hand(cards: str, rules: Rules, taken: str | None = None, limit_card: str | None = None) -> Told:
    """Solve a hand: least deadwood and how to reach it; after a draw, what can be thrown.

    Parameters
    ----------
    cards : str
        0-11 cards; eleven are a hand after the draw. (One more than ``rules.hand_size``.)
    rules : Rules
        Honoured by the engine.
    taken : str, optional
        The card just taken from the discard pile, which may not be thrown back unless the rules say so.
    limit_card : str, optional
        The card that sets the knock limit, where the rules leave it to one.

    Returns
    -------
    dict
        ``deadwood`` of all the cards (points), ``melds`` and ``leftover`` of the best arrangement,
        ``arrangements``: all of least deadwood. After a draw also ``best_discards``, ``legal_knocks``,
        ``gin_discards`` (each a list of ``card`` and the ``deadwood`` it leaves, best first) and
        ``big_gin``: whether all the cards are melded. ``legal_knocks`` is None when the limit is not known.

    Raises
    ------
    CardError, RulesError, UsageError
        Naming the input that cannot be used.
    """
    hand = _check_deck(parse_cards(cards), rules)
    size, drawn = hand.bit_count(), rules.hand_size + 1
    if size > drawn:
        raise UsageError(f"hand has {size} cards, at most {drawn}: {cards.strip()!r}")
    banned = 0
    if taken is not None:
        card = read_card(taken, rules)
        if size != drawn:
            raise UsageError(f"--taken {format_card(card)}: goes with {drawn} cards, the hand has {size}")
        if not card & hand:
            raise UsageError(f"--taken {format_card(card)}: not among the cards of the hand")
        banned = 0 if rules.may_discard_taken else card
    fixed = rules.knock_limit_source == "fixed"
    if fixed and limit_card is not None:
        raise UsageError(f"--limit-card {limit_card}: these rules fix the limit (knock_limit_source=fixed)")
    known = fixed or limit_card is not None
    limit = hand_terms(rules, 0 if limit_card is None else read_card(limit_card, rules))[0] if known else None
    found = [_arrangement(one) for one in arrangements(hand, rules)]
    told: Told = {
        "deadwood": deadwood(hand, rules),
        "melds": found[0]["melds"],
        "leftover": found[0]["leftover"],
        "arrangements": found,
    }
    if size == drawn:
        points, best = best_discards(hand, rules, banned)
        left = discard_deadwoods(hand, rules, banned)
        told["best_discards"] = _discards({card: points for card in cards_of(best)})
        told["legal_knocks"] = _discards(legal_knocks(hand, rules, banned, limit)) if known else None
        told["gin_discards"] = _discards({card: points for card, points in left.items() if points == 0})
        told["big_gin"] = is_big_gin(hand, rules)
    return told


def _arrangement(one: Arrangement) -> Told:
    return {
        "melds": melds_texts(one.melds),
        "leftover": format_cards(one.leftover),
        "deadwood": one.deadwood,
    }


def _discards(left: dict[int, int]) -> list[Told]:
    """List discards, those that leave least first."""
    ordered = sorted(left.items(), key=lambda item: (item[1], item[0]))
    return [{"card": format_card(card), "deadwood": points} for card, points in ordered]


def describe_solution(told: Told, rules: Rules) -> Fields:
    """Put a solved hand into words."""
    fields = [
        ("Deadwood", points_text(told["deadwood"])),
        ("Melds", join_melds(told["melds"])),
        ("Left over", told["leftover"] or "none"),
    ]
    for other in told["arrangements"][1:]:
        fields.append(("or", f"{join_melds(other['melds'])}, left over {other['leftover'] or 'none'}"))
    if "big_gin" not in told:
        return fields
    if told["legal_knocks"] is None:
        knocks = "the limit card decides: --limit-card CARD"
    else:
        able = [one for one in told["legal_knocks"] if one["deadwood"]]
        knocks = ", ".join(f"{one['card']} ({one['deadwood']})" for one in able) or "none"
    best = told["best_discards"]
    fields += [
        ("Best discard", f"{_or([one['card'] for one in best])}, leaving {best[0]['deadwood']}"),
        ("Knock by", knocks),
        ("Gin by", ", ".join(one["card"] for one in told["gin_discards"]) or "none"),
    ]
    if told["big_gin"]:
        bonus = rules.big_gin_bonus
        worth = f"{bonus} points"
        if bonus is None:
            worth = "counts as gin under these rules" if told["gin_discards"] else "but none can be spared"
        fields.append(("Big gin", f"yes, every card is melded: {worth}"))
    else:
        fields.append(("Big gin", "no"))
    return fields


def points_text(points: int) -> str:
    """Write points with their unit."""
    return f"{points} point" if points == 1 else f"{points} points"


def join_melds(melds: Sequence[str]) -> str:
    """Write melds parted by bars."""
    return " | ".join(melds) or "none"


def _or(words: Sequence[str]) -> str:
    """Join words as in ``QH, KH or KD``."""
    *others, last = words
    return f"{', '.join(others)} or {last}" if others else last


# --- a defence -----------------------------------------------------------------------------------


def defend_hand(cards: str, spread: str, rules: Rules, gin: bool = False) -> Told:
    """Return the defender's best answer to a spread, melds and lay-offs chosen together.

    Parameters
    ----------
    cards : str
        The defender's cards, at most ``rules.hand_size``.
    spread : str
        The knocker's melds, separated by ``|``.
    rules : Rules
        Honoured by the engine.
    gin : bool
        The knocker has gin: cards are laid off only if ``rules.layoff_on_gin``.

    Returns
    -------
    dict
        ``deadwood`` (points left), ``melds``, ``layoffs`` (``card`` and the ``meld`` of the spread it
        goes to, in an order that can be played), ``leftover``.

    Raises
    ------
    CardError, LayoffError, RulesError, UsageError
        Naming the input that cannot be used.
    """
    hand = _check_deck(parse_cards(cards, what="the defender's hand"), rules)
    size = hand.bit_count()
    if size > rules.hand_size:
        raise UsageError(
            f"the defender's hand has {size} cards, at most {rules.hand_size}: {cards.strip()!r}"
        )
    melds, texts = read_spread(spread, rules)
    size = sum(melds).bit_count()
    if size > rules.hand_size + 1:
        raise UsageError(f"the spread has {size} cards, at most {rules.hand_size + 1}: {spread.strip()!r}")
    found = defend(hand, melds, rules, layoffs=not gin or rules.layoff_on_gin)
    return {
        "deadwood": found.deadwood,
        "melds": melds_texts(found.melds),
        "layoffs": layoff_texts(found, texts),
        "leftover": format_cards(found.leftover),
    }


def layoff_texts(found: Defence, texts: Sequence[str]) -> list[Told]:
    """Return each lay-off as the card and the text of the meld it goes to."""
    return [{"card": format_card(card), "meld": texts[home]} for card, home in found.layoffs]


def describe_defence(told: Told) -> Fields:
    """Put a defence into words."""
    return [
        ("Deadwood", points_text(told["deadwood"])),
        ("Melds", join_melds(told["melds"])),
        ("Laid off", laid_off_text(told["layoffs"])),
        ("Left over", told["leftover"] or "none"),
    ]


def laid_off_text(layoffs: Sequence[Told]) -> str:
    """Name the lay-offs, those on one meld together."""
    homes: dict[str, list[str]] = {}
    for one in layoffs:
        homes.setdefault(one["meld"], []).append(one["card"])
    return ", ".join(f"{' '.join(cards)} on {meld}" for meld, cards in homes.items()) or "none"
