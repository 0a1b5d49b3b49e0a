"""The solo game: hands to games against the joker, games to threads.

A game goes to the target between the player's points and the joker's. Deck and jokers of a hand are a
function of seed, game and hand alone, so every strategy meets the same cards for as long as its games
last. Rules: RULES, section A3.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from sim._jit import Array, Record, from_dtype, kernel, typed_kernel, types
from sim.deal import MAX_TURNS
from sim.faults import failure_text, fault_text, holding
from sim.game import MAX_HANDS
from sim.rules import Rules, RulesError
from sim.run import CountingWorker, Player, RunError, check_read_only, fill_view
from sim.solo_hand import SOLO_HAND, SOLO_HAND_DTYPE, deal_solo_hand, play_solo_hand
from sim.solo_rules import BOTH_HIGHER, BOTH_PLAYER, SOLO_RULES, new_solo_view, solo_record
from sim.solo_tally import (
    SOLO_SUMS,
    SOLO_SUMS_DTYPE,
    SOLO_TALLY_ROW,
    SoloTally,
    record_solo_game,
    record_solo_hand,
)
from sim.streams import hand_key, pair_key
from sim.tables import MELDS, tables_for
from sim.tally import GROUPS
from sim.threads import check_span, play_in_threads
from sim.view import DECISIONS, VIEW

PLAYER, JOKER, NEITHER = 0, 1, 2
"""Who wins a game; a game still going on has no winner either."""

SOLO_GAME_DTYPE = np.dtype(
    [
        ("start_scores", "i8", (2,)),  # points of player and joker when a game begins
        ("game", "i8"),  # index of the game
        ("hand", "i8"),  # hands dealt so far, or the hand being played
        ("scores", "i8", (2,)),  # points of player and joker
        ("winner", "i8"),  # PLAYER, JOKER or NEITHER
    ],
    align=True,
)
"""A game as it stands between two hands."""

SOLO_GAME = from_dtype(SOLO_GAME_DTYPE)


@kernel
def game_winner(player: int, joker: int, rules: Record) -> int:
    """Return who has won at these scores of player and joker, after a hand."""
    target = rules.game_target
    if player < target and joker < target:
        return NEITHER
    if joker < target:
        return PLAYER
    if player < target:
        return JOKER
    if rules.both_reach_target == BOTH_HIGHER:
        return PLAYER if player > joker else JOKER
    return PLAYER if rules.both_reach_target == BOTH_PLAYER else JOKER


@typed_kernel(types.void(SOLO_GAME, SOLO_HAND, VIEW, SOLO_RULES, types.int64))
def begin_solo_hand(game: Record, hand: Record, view: Record, rules: Record, seed: int) -> None:
    """Deal the hand that the game has come to."""
    view.score = game.scores[PLAYER]
    view.other_score = game.scores[JOKER]
    deal_solo_hand(hand, view, rules, hand_key(pair_key(seed, game.game), game.hand))


@typed_kernel(
    types.void(
        types.int64, types.int64, types.int64, VIEW, SOLO_GAME, SOLO_HAND, SOLO_RULES, MELDS,
        types.Array(SOLO_TALLY_ROW, 1, "C"), SOLO_SUMS, types.int64[::1], DECISIONS,
    )
)  # fmt: skip
def play_games(
    seed: int,
    first: int,
    count: int,
    view: Record,
    game: Record,
    hand: Record,
    rules: Record,
    melds: Record,
    rows: Array,
    sums: Record,
    array: Array,
    player: Any,
) -> None:
    """Play games ``first`` ... ``first + count - 1`` and count them.

    Stops early when the strategy is at fault: ``hand.fault`` is not 0 then, and ``game`` says where.

    Parameters
    ----------
    seed : int
        Non-negative.
    first, count : int
        Games to play.
    view : record of `VIEW_DTYPE`
        From `sim.solo_hand.new_solo_view`, with the strategy's parameters.
    game, hand : record of `SOLO_GAME_DTYPE`, `SOLO_HAND_DTYPE`
        Work space.
    rules : record of `SOLO_RULES_DTYPE`
    melds : record of `MELDS_DTYPE`
    rows : array of `SOLO_TALLY_DTYPE`, shape (GROUPS,)
        Added to.
    sums, array : record of `SOLO_SUMS_DTYPE`, and the same memory as an array of int64
        Work space, zeros.
    player : tuple of functions
        The decisions of the player, see `sim.view.DECISIONS`.
    """
    for group in range(GROUPS):
        row = rows[group]
        for index in range(first + (group - first) % GROUPS, first + count, GROUPS):
            game.game = index
            game.hand = 0
            game.winner = NEITHER
            game.scores[PLAYER] = game.start_scores[PLAYER]
            game.scores[JOKER] = game.start_scores[JOKER]
            while game.winner == NEITHER and game.hand < MAX_HANDS:
                begin_solo_hand(game, hand, view, rules, seed)
                play_solo_hand(hand, view, rules, melds, player, MAX_TURNS)
                if hand.fault:
                    return
                record_solo_hand(row, sums, hand)
                game.hand += 1
                game.scores[PLAYER] += hand.points_player
                game.scores[JOKER] += hand.points_joker
                game.winner = game_winner(game.scores[PLAYER], game.scores[JOKER], rules)
            record_solo_game(row, sums, array, game.winner, game.scores[PLAYER], game.scores[JOKER])


# --- runs ----------------------------------------------------------------------------------------


class SoloProgress(NamedTuple):
    """How far a run has come.

    Attributes
    ----------
    games : int
        Games finished.
    total : int
        Games asked for.
    moments : ndarray of int64
        Sums of products of `sim.solo_tally.SOLO_OUTCOMES` over the finished games.
    """

    games: int
    total: int
    moments: Any


@dataclass(frozen=True)
class SoloRun:
    """What a run has played.

    Attributes
    ----------
    tally : SoloTally
        All counters.
    first : int
        The first game played.
    games : int
        Games played: ``first`` ... ``first + games - 1``.
    seconds : float
        Wall time, compilation left out.
    interrupted : bool
        True if Ctrl-C came; ``games`` says how many were played all the same.
    """

    tally: SoloTally
    first: int
    games: int
    seconds: float
    interrupted: bool


class SoloTable:
    """A player alone at a table: the records that a thread needs to play.

    Parameters
    ----------
    player : Player
    rules : Rules
        With solo rules.
    seed : int
        0 ... 2**63 - 1.
    scores : tuple of int
        Points of the player and of the joker when a game begins.

    Raises
    ------
    RulesError
        If the rules are not those of a solo game, or a score has reached the target.
    ValueError
        If the seed is out of range, or the player has too many parameters.
    """

    def __init__(self, player: Player, rules: Rules, seed: int = 0, scores: tuple[int, int] = (0, 0)) -> None:
        if not 0 <= seed < 2**63:
            raise ValueError(f"seed {seed}: expected 0-{2**63 - 1}")
        self.rules = solo_record(rules)
        if min(scores) < 0 or max(scores) >= rules.game_target:
            raise RulesError(f"score {scores[0]}:{scores[1]}: expected 0-{rules.game_target - 1} each")
        self.player = player
        self.seed = seed
        self.melds = tables_for(rules)
        self.views = new_solo_view(rules)
        fill_view(self.views[0], player)
        self.game: Any = np.zeros(1, SOLO_GAME_DTYPE).view(np.recarray)[0]
        self.game.start_scores[:] = scores
        self.game.scores[:] = scores
        self.game.winner = NEITHER
        self.hand: Any = np.zeros(1, SOLO_HAND_DTYPE).view(np.recarray)[0]
        self._settings = self.views.copy()

    def deal(self, game: int = 0, hand: int = 0) -> None:
        """Deal a hand of a game, at the scores that stand."""
        self.game.game = game
        self.game.hand = hand
        begin_solo_hand(self.game, self.hand, self.views[0], self.rules, self.seed)

    def go_on(self, until: int = MAX_TURNS) -> None:
        """Play the hand on, to its end or until so many turns have been played."""
        play_solo_hand(self.hand, self.views[0], self.rules, self.melds, self.player.decisions, until)

    def check_view(self) -> None:
        """Refuse what the strategy has written where it may only read.

        Raises
        ------
        RunError
            Naming the strategy and the field.
        """
        check_read_only(self.views, self._settings, [self.player], self._place())

    def fault(self) -> RunError:
        """Return the error that the strategy's fault amounts to, with its place."""
        place = f"{self._place()}, turn {int(self.hand.turns) + 1}, {holding(self.views[0])}"
        return RunError(f"{self.player.name} {fault_text(self.hand)}, {place}")

    def failure(self, error: Exception) -> RunError:
        """Return the error that an exception in the strategy's code amounts to, with its place."""
        keys = [self.hand.decisions]
        return RunError(failure_text(error, self._place(), self.views, keys, [self.player], self.melds))

    def _place(self) -> str:
        return f"seed {self.seed}, game {int(self.game.game)}, hand {int(self.game.hand)}"


class _SoloWorker(CountingWorker):
    """One thread's table and counters."""

    def __init__(self, table: SoloTable, threads: int) -> None:
        super().__init__(SoloTally(), threads)
        self.table = table
        self.sums = np.zeros(1, SOLO_SUMS_DTYPE).view(np.recarray)

    def play(self, first: int, count: int) -> None:
        table = self.table
        try:
            play_games(
                table.seed, first, count, table.views[0], table.game, table.hand, table.rules, table.melds,
                self.tally.rows, self.sums[0], self.sums.view(np.int64), table.player.decisions,
            )  # fmt: skip
        except Exception as error:
            raise table.failure(error) from error
        if table.hand.fault:
            raise table.fault()
        table.check_view()
        self.weigh(table.player.name, "games")


def play_solo(
    player: Player,
    rules: Rules,
    *,
    games: int,
    seed: int = 0,
    first: int = 0,
    threads: int = 1,
    chunk: int | None = None,
    scores: tuple[int, int] = (0, 0),
    on_progress: Callable[[SoloProgress], None] | None = None,
) -> SoloRun:
    """Play solo games of one player against the joker.

    Parameters
    ----------
    player : Player
        As in two-player games; in his view the opponent's fields are empty, but for ``other_score``,
        the joker's.
    rules : Rules
        With solo rules.
    games : int
        Games to play, at least 1.
    seed : int
        Decides every deck; 0 ... 2**63 - 1.
    first : int
        Index of the first game; runs that share none can be merged.
    threads : int
        Threads to play in.
    chunk : int, optional
        Games a thread plays between two looks at the clock; chosen by time when left out.
    scores : tuple of int
        Points of the player and of the joker when a game begins.
    on_progress : callable, optional
        Called in the calling thread about ten times a second.

    Returns
    -------
    SoloRun
        With ``interrupted`` set if Ctrl-C came; the tally then covers the games it says.

    Raises
    ------
    RunError
        If the strategy breaks the rules or its code fails.
    RulesError, ValueError
        If the rules are not those of a solo game, or an argument is out of range.
    """
    check_span("games", first, games, threads, chunk)
    threads = min(threads, games)
    workers = [_SoloWorker(SoloTable(player, rules, seed, scores), threads) for _ in range(threads)]

    def report() -> None:
        if on_progress is not None:
            on_progress(_progress(workers, games))

    done = play_in_threads(workers, first, games, chunk, report)
    tally = functools.reduce(SoloTally.merge, (worker.tally for worker in workers))
    return SoloRun(tally, first, done.units, done.seconds, done.interrupted)


def _progress(workers: list[Any], total: int) -> SoloProgress:
    published = [worker.published for worker in workers]
    return SoloProgress(sum(done for done, _ in published), total, sum(moments for _, moments in published))
