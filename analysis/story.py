"""A replayed game told in words and cards."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from analysis.hands import meld_text
from sim.cards import format_card, format_cards
from sim.melds import Arrangement
from sim.replay import GameStory, HandStory, Turn

SIDES = "AB"

ENDS = {
    "knock": "knocks",
    "gin": "has gin",
    "big_gin": "has big gin",
    "undercut": "knocks and is undercut",
    "tie": "knocks and is tied",
    "gin_cancelled": "has gin, cancelled by a defender without deadwood",
}


def melds_text(melds: tuple[int, ...]) -> str:
    """Write melds parted by bars."""
    return " | ".join(meld_text(meld) for meld in melds) or "no melds"


def tell_game(story: GameStory, a: str, b: str) -> Iterator[str]:
    """Tell a game line by line.

    Parameters
    ----------
    story : GameStory
        From `sim.replay.replay_game`.
    a, b : str
        Names of the sides.

    Yields
    ------
    str
        A line.
    """
    yield f"A = {a}   B = {b}"
    for index, hand in enumerate(story.hands):
        yield ""
        yield from _tell_hand(hand, index)
    yield ""
    totals = f"A {story.totals[0]}, B {story.totals[1]} (hands won {story.boxes[0]}:{story.boxes[1]})"
    if story.winner < 0:
        yield f"The game is left unfinished: {totals}."
    else:
        yield f"{SIDES[story.winner]} wins the game: {totals}."


def _tell_hand(hand: HandStory, index: int) -> Iterator[str]:
    yield f"Hand {index + 1}: {SIDES[hand.dealer]} deals. Upcard {format_card(hand.upcard)}."
    for side in (0, 1):
        yield f"  {SIDES[side]}  {format_cards(hand.dealt[side])}"
    for number, turn in enumerate(hand.turns, 1):
        last = number == len(hand.turns) and hand.knocker >= 0
        yield f"  {number:>3}  {_tell_turn(turn, last)}"
    yield from _tell_end(hand)
    yield f"  Score: A {hand.scores[0]}, B {hand.scores[1]}."


def _tell_turn(turn: Turn, ends: bool) -> str:
    passes = "".join(f"{SIDES[side]} passes. " for side in turn.passes)
    if turn.from_discard:
        draw = f"takes {format_card(turn.drawn)}"
    else:
        draw = f"draws {format_card(turn.drawn)}"
    throw = f"throws {format_card(turn.discard)}" if turn.discard else "throws nothing"
    knock = " to end the hand" if ends else ""
    return f"{passes}{SIDES[turn.side]} {draw}, {throw}{knock}; deadwood {turn.deadwood}, stock {turn.stock}"


def _tell_end(hand: HandStory) -> Iterator[str]:
    if hand.end == "void":
        yield "  The stock is down to its last cards: the hand is void."
        return
    if hand.end == "capped":
        yield "  The hand goes round in circles and is stopped: void."
        return
    spread, defence = hand.spread, hand.defence
    if spread is None or defence is None:
        raise ValueError(f"a hand ended by {hand.end} has a spread")
    knocker, defender = SIDES[hand.knocker], SIDES[1 - hand.knocker]
    yield f"  {knocker} {ENDS[hand.end]}: {melds_text(spread.melds)}; {_left(spread)}"
    offs = ", ".join(f"{format_card(card)} on {meld_text(spread.melds[home])}" for card, home in hand.layoffs)
    laid = f"; lays off {offs}" if offs else ""
    yield f"  {defender} shows {melds_text(defence.melds)}{laid}; {_left(defence)}"
    if hand.winner < 0:
        yield "  Nobody scores."
    else:
        yield f"  {SIDES[hand.winner]} scores {hand.points}."


def _left(shown: Arrangement) -> str:
    if not shown.leftover:
        return "nothing left"
    return f"left {format_cards(shown.leftover)} ({shown.deadwood})"


def story_dict(story: GameStory) -> dict[str, Any]:
    """Return a game as plain data: cards as text, sides as ``"a"`` and ``"b"``."""
    return {
        "hands": [_hand_dict(hand) for hand in story.hands],
        "winner": _side(story.winner),
        "hands_won": list(story.boxes),
        "totals": list(story.totals),
    }


def _side(side: int) -> str | None:
    return None if side < 0 else SIDES[side].lower()


def _hand_dict(hand: HandStory) -> dict[str, Any]:
    spread = hand.spread
    return {
        "dealer": _side(hand.dealer),
        "dealt": {"a": format_cards(hand.dealt[0]), "b": format_cards(hand.dealt[1])},
        "upcard": format_card(hand.upcard),
        "turns": [
            {
                "side": _side(turn.side),
                "passes": [_side(side) for side in turn.passes],
                "drawn": format_card(turn.drawn),
                "from_discard": turn.from_discard,
                "discard": format_card(turn.discard) if turn.discard else None,
                "deadwood": turn.deadwood,
                "stock": turn.stock,
            }
            for turn in hand.turns
        ],
        "end": hand.end,
        "knocker": _side(hand.knocker),
        "winner": _side(hand.winner),
        "points": hand.points,
        "spread": _shown(spread),
        "layoffs": [
            {"card": format_card(card), "meld": meld_text(spread.melds[home])} for card, home in hand.layoffs
        ]
        if spread
        else [],
        "defence": _shown(hand.defence),
        "scores": {"a": hand.scores[0], "b": hand.scores[1]},
    }


def _shown(laid_out: Arrangement | None) -> dict[str, Any] | None:
    if laid_out is None:
        return None
    return {
        "melds": [meld_text(meld) for meld in laid_out.melds],
        "leftover": format_cards(laid_out.leftover),
        "deadwood": laid_out.deadwood,
    }
