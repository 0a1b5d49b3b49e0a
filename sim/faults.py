"""What a strategy did wrong, in words: which decision, in which turn, with which cards in hand.

A decision that fails takes the engine's kernels down with it, so the engine does not say whose it was. But
each decision is asked with a random word of its own, set just before: the last words in the views tell turn
and decision, and asking again tells whose it was when both players come into question.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from sim.cards import FULL_DECK, format_cards
from sim.deadwood import count_arrangements
from sim.deal import MAX_TURNS
from sim.hand import BAD_CARD, BAD_GIN, BAD_KNOCK, FAULTS
from sim.streams import word

DECISION_NAMES = ("draw", "knock", "discard", "spread")
"""In the order in which a turn asks them; the place is the number in the random word's counter."""


class Asked(NamedTuple):
    """A decision that was asked for.

    Attributes
    ----------
    turn : int
        Turns of both players before this one.
    kind : int
        Place among `DECISION_NAMES`.
    side : int
        Whose it was.
    """

    turn: int
    kind: int
    side: int


def fault_text(hand: Any) -> str:
    """Say what a strategy did that it may not, from the record of a hand, of two players or solo."""
    told = FAULTS[int(hand.fault)]
    if hand.fault in (BAD_CARD, BAD_KNOCK, BAD_GIN):
        told += f" ({_describe_card(int(hand.discard))})"
    return told


def _describe_card(mask: int) -> str:
    if mask == 0:
        return "no card"
    if mask < 0 or mask & ~FULL_DECK:
        return f"the mask {mask:#x}"
    return format_cards(mask)


def holding(view: Any) -> str:
    """Say which cards a player holds."""
    return f"holding {format_cards(int(view.hand) & FULL_DECK)}"


def _error_text(error: Exception) -> str:
    """Return an exception in one line."""
    told = " ".join(str(error).split())[:300]
    return f"{type(error).__name__}: {told}" if told else type(error).__name__


def failure_text(
    error: Exception, place: str, views: Any, keys: Sequence[Any], players: Sequence[Any], melds: Any
) -> str:
    """Say in which decision a strategy failed.

    Parameters
    ----------
    error : Exception
        What it raised.
    place : str
        Where the run stands.
    views : sequence of record of `sim.view.VIEW_DTYPE`
        As the failure left them.
    keys : sequence of int64
        The key of each side's random words in the hand, as NumPy keeps it.
    players : sequence of Player
    melds : record of `sim.tables.MELDS_DTYPE`

    Returns
    -------
    str
    """
    asked = _last_asked(views, keys, players, melds)
    if asked is None:
        return f"{' v '.join(player.name for player in players)}: {_error_text(error)}, {place}"
    return (
        f"{players[asked.side].name}: {DECISION_NAMES[asked.kind]} raised {_error_text(error)}, {place}, "
        f"turn {asked.turn + 1}, {holding(views[asked.side])}"
    )


def _last_asked(views: Any, keys: Sequence[Any], players: Sequence[Any], melds: Any) -> Asked | None:
    """Return the decision in which a strategy failed, None if nobody has been asked anything."""
    found = [
        asked
        for side, (view, key) in enumerate(zip(views, keys, strict=True))
        if (asked := _by_word(int(view.random), key, side)) is not None
    ]
    found.sort(reverse=True)
    for asked in found:
        if _fails(asked, views[asked.side], players[asked.side], melds):
            return asked
    return found[0] if found else None


def _by_word(random: int, key: Any, side: int) -> Asked | None:
    """Return the decision for which a random word was made; before the first there is none."""
    if random == 0:
        return None
    for turn in range(MAX_TURNS):
        for kind in range(len(DECISION_NAMES)):
            if word(key, 4 * turn + kind) == random:
                return Asked(turn, kind, side)
    return None


def _fails(asked: Asked, view: Any, player: Any, melds: Any) -> bool:
    """Tell whether a decision fails when it is asked again."""
    decision = player.decisions[asked.kind]
    try:
        if DECISION_NAMES[asked.kind] == "spread":
            decision(view, count_arrangements(view.hand, melds))
        else:
            decision(view)
    except Exception:
        return True
    return False
