"""A game or match played again, turn by turn, by the engine itself: what a story is told from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sim.deal import MAX_TURNS, OFFER_FIRST
from sim.game import begin_hand, finish_game, finish_hand, next_game, start_game
from sim.hand import play_hand
from sim.layoff import playable_order
from sim.melds import Arrangement, arrangement, deadwood, lay_out
from sim.rules import Rules
from sim.run import Player, Table
from sim.scoring import CAPPED, ENDINGS, GOING, VOID
from sim.sheet import running_score
from sim.threads import END_OF_UNITS


@dataclass(frozen=True)
class Turn:
    """A draw and the discard that follows. Cards are masks, sides 0 (A) and 1 (B).

    Attributes
    ----------
    side : int
        Who plays it.
    passes : tuple of int
        Sides that passed on the first upcard before it.
    upcard : int
        Top of the discard pile before the draw, one bit; 0 if there was none.
    drawn : int
        The card drawn, one bit.
    from_discard : bool
        True if it was the upcard.
    discard : int
        The card thrown, one bit; 0 with a big gin.
    hand : int
        The cards kept.
    deadwood : int
        Their least deadwood, in points.
    stock : int
        Cards left in the stock.
    reshuffled : bool
        The discard pile was shuffled into the stock after it.
    """

    side: int
    passes: tuple[int, ...]
    upcard: int
    drawn: int
    from_discard: bool
    discard: int
    hand: int
    deadwood: int
    stock: int
    reshuffled: bool = False


@dataclass(frozen=True)
class HandStory:
    """One hand of a game.

    Attributes
    ----------
    dealer : int
        Side that deals.
    dealt : tuple of int
        Cards of A and B as dealt.
    upcard : int
        The first upcard, one bit; 0 if none is turned.
    limit_card : int
        The card that sets the knock limit, one bit; 0 where the rules fix it.
    limit : int
        Most deadwood that may knock.
    multiplier : int
        Factor on the score of the hand.
    turns : tuple of Turn
        In order.
    end : str
        One of `sim.scoring.ENDINGS`.
    knocker, winner : int
        Sides; -1 for nobody.
    points, boxes : int
        Of the winner.
    payoff : tuple of int
        Rewards of A and B in hundredths, where the rules pay one beside the points.
    spread : Arrangement or None
        What the knocker shows.
    layoffs : tuple of (int, int)
        Card and index of the meld of the spread, in the order played.
    defence : Arrangement or None
        The defender's own melds and leftover cards after his lay-offs.
    scores : tuple of int
        Running scores in the game after the hand; of several columns their sums.
    """

    dealer: int
    dealt: tuple[int, int]
    upcard: int
    limit_card: int
    limit: int
    multiplier: int
    turns: tuple[Turn, ...]
    end: str
    knocker: int
    winner: int
    points: int
    boxes: int
    payoff: tuple[int, int]
    spread: Arrangement | None
    layoffs: tuple[tuple[int, int], ...]
    defence: Arrangement | None
    scores: tuple[int, int]


@dataclass(frozen=True)
class GameStory:
    """One game.

    Attributes
    ----------
    hands : tuple of HandStory
        In order.
    winner : int
        Side, -1 for nobody.
    boxes : tuple of int
        Boxes of A and B, summed over the columns.
    totals : tuple of int
        Final points, bonuses in.
    """

    hands: tuple[HandStory, ...]
    winner: int
    boxes: tuple[int, int]
    totals: tuple[int, int]


@dataclass(frozen=True)
class MatchStory:
    """One match of a pair.

    Attributes
    ----------
    games : tuple of GameStory
        In order; most rules play one.
    winner : int
        Side, -1 for nobody.
    """

    games: tuple[GameStory, ...]
    winner: int


def _both(values: Any) -> tuple[int, int]:
    return int(values[0]), int(values[1])


def _play_turn(table: Table, rules: Rules) -> Turn | None:
    """Let the engine play the next turn and read it off the records; None if the last discard was left."""
    hand, views = table.hand, table.views
    a, b = table.players
    phase, to_act, upcard = int(hand.phase), int(hand.player), int(hand.upcard)
    turns, reshuffles = int(hand.turns), int(hand.reshuffles)
    try:
        play_hand(
            hand, views[0], views[1], table.rules, table.melds, a.decisions, b.decisions, table.layoff,
            turns + 1,
        )  # fmt: skip
    except Exception as error:
        raise table.failure(error) from error
    if hand.fault:
        raise table.fault()
    if hand.turns == turns:
        return None
    # When the hand goes on the other side is to act; when it has ended the side stays.
    side = int(hand.player) if hand.ending != GOING else 1 - int(hand.player)
    view = views[side]
    from_discard = bool(hand.from_discard)
    passes: tuple[int, ...] = ()
    if phase == OFFER_FIRST:
        if not from_discard:
            passes = (to_act, 1 - to_act)
        elif side != to_act:
            passes = (to_act,)
    kept = int(view.hand)
    return Turn(
        side, passes, upcard, int(hand.drawn), from_discard, int(hand.discard), kept,
        deadwood(kept, rules), int(hand.stock), int(hand.reshuffles) > reshuffles,
    )  # fmt: skip


def _play_hand(table: Table, rules: Rules) -> HandStory:
    hand, views, game = table.hand, table.views, table.game
    begin_hand(game, hand, views[0], views[1], table.rules)
    dealt = _both(views.hand)
    dealer, upcard = int(game.dealer), int(hand.upcard)
    turns: list[Turn] = []
    while hand.ending == GOING and len(turns) < MAX_TURNS:
        turn = _play_turn(table, rules)
        if turn is not None:
            turns.append(turn)
    spread = defence = None
    layoffs: tuple[tuple[int, int], ...] = ()
    if hand.ending not in (VOID, CAPPED):
        knocker = int(hand.knocker)
        off = int(hand.layoffs)
        spread = lay_out(int(views[knocker].hand), int(hand.sets), rules)
        layoffs = playable_order(off, spread.melds, rules)
        defence = arrangement(int(views[1 - knocker].hand) ^ off, 0, rules)
    finish_hand(game, hand, table.rules)
    return HandStory(
        dealer, dealt, upcard, int(hand.limit_card), int(hand.limit), int(hand.multiplier), tuple(turns),
        ENDINGS[int(hand.ending)], int(hand.knocker), int(hand.winner), int(hand.points), int(hand.boxes),
        _both(hand.payoff), spread, layoffs, defence,
        (int(running_score(game, 0, table.rules)), int(running_score(game, 1, table.rules))),
    )  # fmt: skip


def _play_game(table: Table, rules: Rules) -> GameStory:
    hands = []
    while not table.game.over:
        hands.append(_play_hand(table, rules))
    state = table.game
    boxes = _both(state.boxes[: rules.columns].sum(axis=0))
    return GameStory(tuple(hands), int(state.winner), boxes, _both(state.totals))


def replay_match(
    a: Player,
    b: Player,
    rules: Rules,
    *,
    pair: int,
    game: int = 0,
    seed: int = 0,
    scores: tuple[int, int] = (0, 0),
    dealer: int | None = None,
) -> MatchStory:
    """Play one match of a pair again and tell it.

    Parameters
    ----------
    a, b : Player
        As in the run.
    rules : Rules
        As in the run.
    pair : int
        Index of the pair, from 0.
    game : int
        0 (side A holds packet 0) or 1.
    seed : int
        As in the run.
    scores, dealer
        As in `sim.run.play_match`.

    Returns
    -------
    MatchStory

    Raises
    ------
    RunError
        If a strategy breaks the rules.
    ValueError
        If an argument is out of range.
    """
    if not 0 <= pair < END_OF_UNITS:
        raise ValueError(f"pair {pair}: expected 0-{END_OF_UNITS - 1}")
    if game not in (0, 1):
        raise ValueError(f"game {game}: expected 0 or 1")
    table = Table(a, b, rules, seed, scores, dealer)
    start_game(table.game, seed, pair, game, table.rules)
    games = [_play_game(table, rules)]
    finish_game(table.game, table.rules)
    while not table.game.match_over:
        next_game(table.game, table.rules)
        games.append(_play_game(table, rules))
        finish_game(table.game, table.rules)
    return MatchStory(tuple(games), int(table.game.match_winner))


def replay_game(a: Player, b: Player, rules: Rules, **which: Any) -> GameStory:
    """Play the first game of a match again and tell it; arguments as for `replay_match`."""
    return replay_match(a, b, rules, **which).games[0]
