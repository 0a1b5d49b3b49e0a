"""What both have done in a hand, as a player saw it, read from words.

A history is a list of turns, parted by semicolons, from the first after the deal to the one being played:
``me: pass; opp: pass; me: draw 7H discard KS; opp: take KS discard 2C; me: draw 5D``. A shorthand gives the
discards of both in order and the cards that were taken from the pile; every other draw was from the stock.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from analysis.console import UsageError
from sim.cards import format_card, parse_card
from sim.rules import Rules
from sim.worlds import ME, OPPONENT

WHO = ("me", "opp")
"""Names of the sides in a history."""


class Seen(NamedTuple):
    """A turn as the player saw it.

    Attributes
    ----------
    side : int
        `sim.worlds.ME` or `OPPONENT`.
    from_discard : bool
        The upcard was taken.
    drawn : int
        The card drawn, one bit; 0 where it is not told.
    discard : int
        The card thrown, one bit; 0 in the turn that is being played.
    """

    side: int
    from_discard: bool
    drawn: int
    discard: int


_ITEM = re.compile(
    r"(?P<who>me|opp)\s*:\s*(?:(?P<pass>pass)|(?P<draw>draw|take)(?:\s+(?!discard\b)(?P<drawn>\w+))?"
    r"(?:\s+discard\s+(?P<discard>\w+))?)",
    re.IGNORECASE,
)


def read_history(text: str, rules: Rules, dealer: int, upcard: int) -> list[Seen]:
    """Read turns parted by semicolons; those of the opening may leave the passes out.

    Raises
    ------
    UsageError, CardError
        Naming the turn that cannot be.
    """
    passes: list[int] = []
    turns: list[Seen] = []
    top = upcard
    for number, item in enumerate(part.strip() for part in text.strip().rstrip(";").split(";")):
        found = _ITEM.fullmatch(item)
        if found is None:
            raise UsageError(
                f"--history, item {number + 1} {item[:40]!r}: expected such as 'me: pass', "
                "'me: draw 7H discard KS' or 'opp: take KS discard 2C'"
            )
        where = f"--history, item {number + 1} {item!r}"
        side = WHO.index(found["who"].lower())
        if found["pass"]:
            expected = (1 - dealer, dealer)[len(passes)] if len(passes) < 2 else None
            if turns or side != expected or rules.opening != "upcard_offer":
                raise UsageError(f"{where}: no upcard is offered to this side then")
            passes.append(side)
            continue
        if turns and not turns[-1].discard:
            raise UsageError(f"{where}: the turn before it has no discard")
        drawn = parse_card(found["drawn"]) if found["drawn"] else 0
        takes = found["draw"].lower() == "take"
        if takes:
            if not top:
                raise UsageError(f"{where}: there is no upcard")
            if drawn not in (0, top):
                raise UsageError(f"{where}: the upcard is {format_card(top)}")
            drawn = top
        if not turns and rules.opening == "upcard_offer":
            _check_opening(where, side, takes, passes, dealer)
        elif side != (1 - turns[-1].side if turns else 1 - dealer):
            raise UsageError(f"{where}: it is the turn of the other side")
        if not turns and rules.opening == "eleven_ten" and takes:
            raise UsageError(f"{where}: there is no upcard")
        top = parse_card(found["discard"]) if found["discard"] else 0
        turns.append(Seen(side, takes, drawn, top))
    return turns


def _check_opening(where: str, side: int, takes: bool, passes: Sequence[int], dealer: int) -> None:
    """Refuse a first turn that the offer of the upcard does not lead to; passes may be left out."""
    first = 1 - dealer
    if not takes and (side != first or len(passes) == 1):
        raise UsageError(f"{where}: after both have passed the non-dealer draws first")
    if takes and side == first and passes:
        raise UsageError(f"{where}: this side has passed the upcard")
    if takes and side == dealer and len(passes) == 2:
        raise UsageError(f"{where}: both have passed the upcard")


def short_history(
    rules: Rules,
    dealer: int,
    upcard: int,
    mine: Sequence[int],
    his: Sequence[int],
    i_took: Sequence[int],
    he_took: Sequence[int],
) -> list[Seen]:
    """Return the turns before the one being played, from the discards of both in order.

    A card is taken when it is the upcard and among those that the side has taken; else the draw is from the
    stock.

    Raises
    ------
    UsageError
        If the discards do not alternate to a turn of the player's, or a card was never there to be taken.
    """
    left = {ME: list(mine), OPPONENT: list(his)}
    took = {ME: list(i_took), OPPONENT: list(he_took)}
    side, top = 1 - dealer, upcard
    if rules.opening == "upcard_offer" and top not in took[side] and top in took[dealer]:
        side = dealer
    turns: list[Seen] = []
    opening = rules.opening == "eleven_ten"
    while left[side]:
        takes = not opening and top in took[side]
        if takes:
            took[side].remove(top)
        turns.append(Seen(side, takes, top if takes else 0, left[side].pop(0)))
        opening = False
        top, side = turns[-1].discard, 1 - side
    if side == OPPONENT or left[OPPONENT]:
        told = f"--my-discards has {len(mine)} cards, --opp-discards {len(his)}"
        raise UsageError(f"{told}: one discard a turn does not lead to a turn of yours")
    wrong = took[OPPONENT] or [card for card in took[ME] if card != top]
    if wrong:
        option = "--opp-took" if took[OPPONENT] else "--i-took"
        raise UsageError(f"{option} {format_card(wrong[0])}: it was not the upcard at a turn of that side")
    return turns
