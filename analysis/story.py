"""A replayed match told in words and cards."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from analysis.hands import meld_text
from sim.cards import format_card, format_cards
from sim.melds import Arrangement
from sim.replay import GameStory, HandStory, MatchStory, Turn

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


def tell_match(story: MatchStory, a: str, b: str) -> Iterator[str]:
    """Tell a match line by line.

    Parameters
    ----------
    story : MatchStory
        From `sim.replay.replay_match`.
    a, b : str
        Names of the sides.

    Yields
    ------
    str
        A line.
    """
    yield f"A = {a}   B = {b}"
    for number, game in enumerate(story.games, 1):
        if len(story.games) > 1:
            yield ""
            yield f"Game {number}"
        yield from _tell_game(game)
    if len(story.games) > 1:
        won = [sum(game.winner == side for game in story.games) for side in (0, 1)]
        result = f"games {won[0]}:{won[1]}"
        yield ""
        yield (
            f"{SIDES[story.winner]} wins the match, {result}."
            if story.winner >= 0
            else (f"Nobody wins the match, {result}.")
        )


def _tell_game(story: GameStory) -> Iterator[str]:
    for index, hand in enumerate(story.hands):
        yield ""
        yield from _tell_hand(hand, index)
    yield ""
    totals = f"A {story.totals[0]}, B {story.totals[1]} (boxes {story.boxes[0]}:{story.boxes[1]})"
    if story.winner < 0:
        yield f"Nobody wins the game: {totals}."
    else:
        yield f"{SIDES[story.winner]} wins the game: {totals}."


def _tell_hand(hand: HandStory, index: int) -> Iterator[str]:
    upcard = f"Upcard {format_card(hand.upcard)}." if hand.upcard else "No upcard."
    terms = ""
    if hand.limit_card:
        own = f"{format_card(hand.limit_card)} sets the limit: " if hand.limit_card != hand.upcard else ""
        terms = f" {own}{'Gin only' if hand.limit == 0 else f'Knock with {hand.limit} or less'}"
        terms += f"; the score counts {hand.multiplier} times." if hand.multiplier > 1 else "."
    yield f"Hand {index + 1}: {SIDES[hand.dealer]} deals. {upcard}{terms}"
    for side in (0, 1):
        yield f"  {SIDES[side]}  {format_cards(hand.dealt[side])}"
    for number, turn in enumerate(hand.turns, 1):
        last = number == len(hand.turns) and hand.knocker >= 0
        yield f"  {number:>3}  {_tell_turn(turn, last)}"
        if turn.reshuffled:
            yield f"       The discard pile but its top card is shuffled: a stock of {turn.stock}."
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
        boxes = f" and {hand.boxes} boxes" if hand.boxes > 1 else ""
        yield f"  {SIDES[hand.winner]} scores {hand.points}{boxes}."


def _left(shown: Arrangement) -> str:
    if not shown.leftover:
        return "nothing left"
    return f"left {format_cards(shown.leftover)} ({shown.deadwood})"


def story_dict(story: MatchStory) -> dict[str, Any]:
    """Return a match as plain data: cards as text, sides as ``"a"`` and ``"b"``."""
    return {"games": [_game_dict(game) for game in story.games], "match_winner": _side(story.winner)}


def _game_dict(story: GameStory) -> dict[str, Any]:
    return {
        "hands": [_hand_dict(hand) for hand in story.hands],
        "winner": _side(story.winner),
        "boxes": list(story.boxes),
        "totals": list(story.totals),
    }


def _side(side: int) -> str | None:
    return None if side < 0 else SIDES[side].lower()


def _card(card: int) -> str | None:
    return format_card(card) if card else None


def _hand_dict(hand: HandStory) -> dict[str, Any]:
    spread = hand.spread
    return {
        "dealer": _side(hand.dealer),
        "dealt": {"a": format_cards(hand.dealt[0]), "b": format_cards(hand.dealt[1])},
        "upcard": _card(hand.upcard),
        "limit_card": _card(hand.limit_card),
        "limit": hand.limit,
        "multiplier": hand.multiplier,
        "turns": [
            {
                "side": _side(turn.side),
                "passes": [_side(side) for side in turn.passes],
                "drawn": format_card(turn.drawn),
                "from_discard": turn.from_discard,
                "discard": _card(turn.discard),
                "deadwood": turn.deadwood,
                "stock": turn.stock,
                "reshuffled": turn.reshuffled,
            }
            for turn in hand.turns
        ],
        "end": hand.end,
        "knocker": _side(hand.knocker),
        "winner": _side(hand.winner),
        "points": hand.points,
        "boxes": hand.boxes,
        "payoff": {"a": hand.payoff[0], "b": hand.payoff[1]},
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
