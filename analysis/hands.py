"""Single hands by their cards: the best melds and discards, a defence, the score of an ended hand.

Each function takes cards as text and returns plain data, which the command line prints as JSON; the
`describe_*` functions put the same data into words.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from analysis.console import UsageError
from sim.cards import cards_of, format_card, format_cards, parse_card, parse_card_list, parse_cards
from sim.deadwood import pips
from sim.layoff import Defence, check_spread, default_spread, defend
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
from sim.scoring import score_hand
from sim.tables import tables_for

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


def _melds_text(melds: Iterable[int]) -> list[str]:
    return [meld_text(meld) for meld in melds]


def _check_deck(cards: int, rules: Rules) -> int:
    outside = cards & ~rules.deck
    if outside:
        raise UsageError(
            f"{format_cards(outside)} not in the deck of these rules "
            f"({rules.ranks} ranks, {rules.suits} suits)"
        )
    return cards


def _hand(text: str, rules: Rules, what: str, count: int) -> int:
    return _check_deck(parse_cards(text, count, what), rules)


def _card(text: str, rules: Rules) -> int:
    return _check_deck(parse_card(text), rules)


def _spread(text: str, rules: Rules) -> tuple[list[int], list[str]]:
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


def solve_hand(cards: str, rules: Rules, taken: str | None = None) -> Told:
    """Solve a hand: least deadwood and how to reach it; after a draw, what can be thrown.

    Parameters
    ----------
    cards : str
        0-11 cards; eleven are a hand after the draw. (One more than ``rules.hand_size``.)
    rules : Rules
        Honoured by the engine.
    taken : str, optional
        The card just taken from the discard pile, which may not be thrown back unless the rules say so.

    Returns
    -------
    dict
        ``deadwood`` of all the cards (points), ``melds`` and ``leftover`` of the best arrangement,
        ``arrangements``: all of least deadwood. After a draw also ``best_discards``, ``legal_knocks``,
        ``gin_discards`` (each a list of ``card`` and the ``deadwood`` it leaves, best first) and
        ``big_gin``: whether all the cards are melded.

    Raises
    ------
    CardError, RulesError, UsageError
        Naming the input that cannot be used.
    """
    rules.require_supported()
    hand = _check_deck(parse_cards(cards), rules)
    size, drawn = hand.bit_count(), rules.hand_size + 1
    if size > drawn:
        raise UsageError(f"hand has {size} cards, at most {drawn}: {cards.strip()!r}")
    banned = 0
    if taken is not None:
        card = _card(taken, rules)
        if size != drawn:
            raise UsageError(f"--taken {format_card(card)}: goes with {drawn} cards, the hand has {size}")
        if not card & hand:
            raise UsageError(f"--taken {format_card(card)}: not among the cards of the hand")
        banned = 0 if rules.may_discard_taken else card
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
        told["legal_knocks"] = _discards(legal_knocks(hand, rules, banned))
        told["gin_discards"] = _discards({card: points for card, points in left.items() if points == 0})
        told["big_gin"] = is_big_gin(hand, rules)
    return told


def _arrangement(one: Arrangement) -> Told:
    return {
        "melds": _melds_text(one.melds),
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
        ("Melds", _join(told["melds"])),
        ("Left over", told["leftover"] or "none"),
    ]
    for other in told["arrangements"][1:]:
        fields.append(("or", f"{_join(other['melds'])}, left over {other['leftover'] or 'none'}"))
    if "big_gin" not in told:
        return fields
    knocks = [one for one in told["legal_knocks"] if one["deadwood"]]
    best = told["best_discards"]
    fields += [
        ("Best discard", f"{_or([one['card'] for one in best])}, leaving {best[0]['deadwood']}"),
        ("Knock by", ", ".join(f"{one['card']} ({one['deadwood']})" for one in knocks) or "none"),
        ("Gin by", ", ".join(one["card"] for one in told["gin_discards"]) or "none"),
    ]
    if told["big_gin"]:
        bonus = rules.big_gin_bonus
        worth = "counts as gin under these rules" if bonus is None else f"{bonus} points"
        fields.append(("Big gin", f"yes, every card is melded: {worth}"))
    else:
        fields.append(("Big gin", "no"))
    return fields


def points_text(points: int) -> str:
    """Write points with their unit."""
    return f"{points} point" if points == 1 else f"{points} points"


def _join(melds: Sequence[str]) -> str:
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
    rules.require_supported()
    hand = _check_deck(parse_cards(cards, what="the defender's hand"), rules)
    size = hand.bit_count()
    if size > rules.hand_size:
        raise UsageError(
            f"the defender's hand has {size} cards, at most {rules.hand_size}: {cards.strip()!r}"
        )
    melds, texts = _spread(spread, rules)
    size = sum(melds).bit_count()
    if size > rules.hand_size + 1:
        raise UsageError(f"the spread has {size} cards, at most {rules.hand_size + 1}: {spread.strip()!r}")
    found = defend(hand, melds, rules, layoffs=not gin or rules.layoff_on_gin)
    return {
        "deadwood": found.deadwood,
        "melds": _melds_text(found.melds),
        "layoffs": _layoffs(found, texts),
        "leftover": format_cards(found.leftover),
    }


def _layoffs(found: Defence, texts: Sequence[str]) -> list[Told]:
    return [{"card": format_card(card), "meld": texts[home]} for card, home in found.layoffs]


def describe_defence(told: Told) -> Fields:
    """Put a defence into words."""
    return [
        ("Deadwood", points_text(told["deadwood"])),
        ("Melds", _join(told["melds"])),
        ("Laid off", _laid_off(told["layoffs"])),
        ("Left over", told["leftover"] or "none"),
    ]


def _laid_off(layoffs: Sequence[Told]) -> str:
    """Name the lay-offs, those on one meld together."""
    homes: dict[str, list[str]] = {}
    for one in layoffs:
        homes.setdefault(one["meld"], []).append(one["card"])
    return ", ".join(f"{' '.join(cards)} on {meld}" for meld, cards in homes.items()) or "none"


# --- the score of a hand -------------------------------------------------------------------------


@dataclass(frozen=True)
class _Ending:
    """The cards of an ending, as masks; ``kept`` are the knocker's after the discard."""

    kept: int
    thrown: int
    defender: int
    taken: int
    melds: list[int] | None
    texts: list[str]


def score_ending(
    rules: Rules,
    *,
    knocker: str,
    defender: str,
    discard: str | None = None,
    big_gin: bool = False,
    no_knock: bool = False,
    spread: str | None = None,
    taken: str | None = None,
    upcard: str | None = None,
    knock_card: str | None = None,
    stock: int | None = None,
) -> Told:
    """Score the end of a hand from its cards.

    Parameters
    ----------
    rules : Rules
        Honoured by the engine.
    knocker, defender : str
        The cards of both after the knocker's discard; with ``big_gin`` the knocker has one more.
    discard : str, optional
        The card the knocker throws; not with ``big_gin``.
    big_gin : bool
        Every card is melded and nothing is thrown. Where the rules know no big gin it counts as gin, the
        lowest card that can be spared being thrown.
    no_knock : bool
        The player throws his card without knocking.
    spread : str, optional
        The knocker's melds, separated by ``|``; default: the engine's choice for him.
    taken : str, optional
        The card the knocker took from the discard pile this turn; default: he drew from the stock.
    upcard : str, optional
        The first upcard; without effect, since the limit of these rules is fixed.
    knock_card : str, optional
        The card that sets the limit; refused, since the limit of these rules is fixed.
    stock : int, optional
        Cards left in the stock now.

    Returns
    -------
    dict
        ``end`` (knock, undercut, tie, gin, gin_cancelled, big_gin, illegal_knock, illegal_discard, void;
        None when the hand goes on), ``points_knocker``, ``points_defender``; ``knocker_deadwood`` and
        ``defender_deadwood`` (points; None where they are not counted); ``discard``, ``spread``,
        ``knocker_leftover``, ``layoffs``, ``defender_melds``, ``defender_leftover``.

    Raises
    ------
    CardError, LayoffError, RulesError, UsageError
        Naming the input that cannot be used.
    """
    rules.require_supported()
    if sum((big_gin, discard is not None)) != 1:
        raise UsageError("say how the turn ends: either --discard CARD or --big-gin")
    if no_knock and (big_gin or spread is not None):
        raise UsageError(f"--no-knock and {'--big-gin' if big_gin else '--spread'} exclude each other")
    if knock_card is not None:
        raise UsageError(f"--knock-card {knock_card}: these rules fix the limit (knock_limit_source=fixed)")
    if upcard is not None:
        _card(upcard, rules)
    ending = _read_ending(rules, knocker, defender, discard, spread, taken)
    if stock is not None and _wall(rules, stock, bool(ending.taken), no_knock):
        return _told("void", ending)
    all_melded = big_gin and is_big_gin(ending.kept, rules)
    if all_melded and rules.big_gin_bonus is None:
        ending, big_gin = _spare_a_card(rules, ending), False
    least = deadwood(ending.kept, rules)
    if ending.thrown & ending.taken and not rules.may_discard_taken:
        return _told("illegal_discard", ending, least)
    if no_knock:
        return _told(None, ending)
    if least > rules.knock_limit or big_gin and not all_melded:
        return _told("illegal_knock", ending, least)
    return _settle(rules, ending, big_gin)


def _read_ending(
    rules: Rules,
    knocker: str,
    defender: str,
    discard: str | None,
    spread: str | None,
    taken: str | None,
) -> _Ending:
    size = rules.hand_size
    kept = _hand(knocker, rules, "the knocker's hand", size if discard is not None else size + 1)
    thrown = 0 if discard is None else _card(discard, rules)
    other = _hand(defender, rules, "the defender's hand", size)
    for cards, where in (
        (thrown & kept, "the knocker's hand and as the discard"),
        (thrown & other, "the defender's hand and as the discard"),
        (kept & other, "both hands"),
    ):
        if cards:
            raise UsageError(f"duplicate card {format_cards(cards)}: in {where}")
    took = 0 if taken is None else _card(taken, rules)
    if took & ~(kept | thrown):
        raise UsageError(f"--taken {format_card(took)}: neither in the knocker's hand nor the discard")
    melds, texts = (None, []) if spread is None else _spread(spread, rules)
    foreign = sum(melds or ()) & ~kept
    if foreign:
        raise UsageError(f"--spread: the knocker does not hold {format_cards(foreign)}")
    return _Ending(kept, thrown, other, took, melds, texts)


def _wall(rules: Rules, stock: int, from_pile: bool, no_knock: bool) -> bool:
    """Tell whether the wall ended the hand, before this turn or (without a knock) after it.

    The hand is void when a discard without a knock leaves only the dead stock, so no turn begins there.
    """
    most = rules.ranks * rules.suits - 2 * rules.hand_size - 1
    if not 0 <= stock <= most:
        raise UsageError(f"--stock {stock}: expected 0-{most} cards")
    before = stock if from_pile else stock + 1
    return before <= rules.dead_stock or no_knock and stock <= rules.dead_stock


def _spare_a_card(rules: Rules, ending: _Ending) -> _Ending:
    """Throw a card from a hand that is melded to the last card, where the rules know no big gin."""
    banned = 0 if rules.may_discard_taken else ending.taken
    _, best = best_discards(ending.kept, rules, banned)
    spare = best & ~sum(ending.melds or ())
    if not spare:
        raise UsageError("--spread: must leave a card to throw, these rules know no big gin")
    thrown = spare & -spare
    return _Ending(ending.kept ^ thrown, thrown, ending.defender, ending.taken, ending.melds, ending.texts)


def _settle(rules: Rules, ending: _Ending, big_gin: bool) -> Told:
    """Score a legal knock."""
    kept = ending.kept
    if ending.melds is None:
        shown = default_spread(kept, rules.deck & ~kept & ~ending.thrown, rules)
        melds, texts, own = list(shown.melds), _melds_text(shown.melds), shown.deadwood
    else:
        melds, texts = ending.melds, ending.texts
        own = int(pips(kept & ~sum(melds), tables_for(rules)))
        limit = 0 if big_gin else rules.knock_limit
        if own > limit:
            raise UsageError(f"--spread {_join(texts)}: leaves {points_text(own)}, at most {limit} may stay")
    found = defend(ending.defender, melds, rules, layoffs=own > 0 or rules.layoff_on_gin)
    score = score_hand(own, found.deadwood, rules, big_gin)
    told = _told(score.end, ending, own)
    if score.winner is not None:
        told[f"points_{score.winner}"] = score.points
    told["defender_deadwood"] = found.deadwood
    told["spread"] = texts
    told["knocker_leftover"] = format_cards(kept & ~sum(melds))
    told["layoffs"] = _layoffs(found, texts)
    told["defender_melds"] = _melds_text(found.melds)
    told["defender_leftover"] = format_cards(found.leftover)
    return told


def _told(end: str | None, ending: _Ending, knocker_deadwood: int | None = None) -> Told:
    """Return the account of a hand in which nothing is shown."""
    return {
        "end": end,
        "points_knocker": 0,
        "points_defender": 0,
        "knocker_deadwood": knocker_deadwood,
        "defender_deadwood": None,
        "discard": format_card(ending.thrown) if ending.thrown else None,
        "spread": [],
        "knocker_leftover": "",
        "layoffs": [],
        "defender_melds": [],
        "defender_leftover": "",
    }


_NOTHING_SHOWN = {
    None: "no knock, the hand goes on",
    "void": "void: only the dead stock was left, nobody scores",
    "illegal_discard": "illegal discard: the card just taken may not be thrown back; the hand goes on",
}

_NAMES = {
    "knock": "knock",
    "undercut": "undercut",
    "tie": "tie",
    "gin": "gin",
    "big_gin": "big gin",
    "gin_cancelled": "gin cancelled, the defender has no deadwood",
}


def describe_score(told: Told, rules: Rules) -> Fields:
    """Put the end of a hand into words."""
    end, own = told["end"], told["knocker_deadwood"]
    if end in _NOTHING_SHOWN:
        return [("End", _NOTHING_SHOWN[end])]
    if end == "illegal_knock":
        limit = f"at most {rules.knock_limit} may be knocked with"
        why = "not every card is melded" if told["discard"] is None else limit
        return [("End", f"illegal knock: deadwood {own}, {why}; the hand goes on")]
    result = "nobody scores"
    for side in ("knocker", "defender"):
        if told[f"points_{side}"]:
            result = f"{points_text(told[f'points_{side}'])} to the {side}"
    return [
        ("End", f"{_NAMES[end]}: {result}"),
        ("Knocker", f"deadwood {own}"),
        ("  melds", _join(told["spread"])),
        ("  left over", told["knocker_leftover"] or "none"),
        ("  thrown", told["discard"] or "nothing"),
        ("Defender", f"deadwood {told['defender_deadwood']}"),
        ("  melds", _join(told["defender_melds"])),
        ("  laid off", _laid_off(told["layoffs"])),
        ("  left over", told["defender_leftover"] or "none"),
    ]
