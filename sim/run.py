"""Pairs to threads, threads to one tally: a run of a match between two players."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from sim._jit import function_address
from sim.deal import new_hand
from sim.faults import failure_text, fault_text, holding
from sim.game import BY_RULES, GAME_DTYPE, play_pairs
from sim.rules import Rules, RulesError, rules_record
from sim.tables import tables_for
from sim.tally import GROUPS, PAIR_DTYPE, Tally
from sim.threads import check_span, play_in_threads
from sim.view import DECISION_TYPES, FIXED_FIELDS, PARAMS, TABLE, joint_layoff, new_views

LARGEST_SUM = 2**62
"""What no sum over pairs may pass; a chunk adds far less than as much again."""


class RunError(RuntimeError):
    """A run that failed; the message says which strategy, pair and hand."""


class Player(NamedTuple):
    """A strategy as the engine takes it.

    Attributes
    ----------
    name : str
        For messages.
    decisions : tuple of function
        Compiled draw, knock, discard and spread; see `sim.view.DECISIONS`.
    params : sequence of float
        At most `sim.view.PARAMS` parameters.
    table : array_like of float64 or None
        At most `sim.view.TABLE` values.
    starts : tuple of int
        Where among ``params`` those of the draw, knock, discard and spread rule begin.
    policy : Player or None
        Who plays on in the player's thoughts, see `sim.rollout`; he reads the player's table.
    """

    name: str
    decisions: tuple[Any, Any, Any, Any]
    params: Sequence[float] = ()
    table: Any = None
    starts: tuple[int, int, int, int] = (0, 0, 0, 0)
    policy: Player | None = None


class Progress(NamedTuple):
    """How far a run has come.

    Attributes
    ----------
    pairs : int
        Pairs finished.
    total : int
        Pairs asked for.
    moments : ndarray of int64
        Sums of products of `sim.tally.OUTCOMES` over the finished pairs.
    """

    pairs: int
    total: int
    moments: Any


class Swing(NamedTuple):
    """The game whose winner came back from furthest behind, the first of equals.

    Attributes
    ----------
    points : int
        By how much the winner was behind at worst; -1 when no game had a winner.
    pair, game : int
        Where it is.
    """

    points: int
    pair: int
    game: int

    def or_larger(self, other: Swing) -> Swing:
        """Return the larger of two swings, the earlier one when they are equal."""
        return min(self, other, key=lambda swing: (-swing.points, swing.pair, swing.game))


NO_SWING = Swing(-1, 0, 0)
"""Where no game has had a winner, or nobody looked."""


@dataclass(frozen=True)
class Run:
    """What a run has played.

    Attributes
    ----------
    tally : Tally
        All counters.
    first : int
        The first pair played.
    pairs : int
        Pairs played: ``first`` ... ``first + pairs - 1``.
    seconds : float
        Wall time, compilation left out.
    interrupted : bool
        True if Ctrl-C came; ``pairs`` says how many were played all the same.
    swing : Swing
        The largest come-back.
    """

    tally: Tally
    first: int
    pairs: int
    seconds: float
    interrupted: bool
    swing: Swing

    def then(self, other: Run) -> Run:
        """Return this run and the one that goes on where it ended as one."""
        if other.first != self.first + self.pairs:
            raise ValueError(f"a run from pair {other.first} does not go on from {self.first + self.pairs}")
        return Run(
            self.tally.merge(other.tally),
            self.first,
            self.pairs + other.pairs,
            self.seconds + other.seconds,
            other.interrupted,
            self.swing.or_larger(other.swing),
        )


class Table:
    """Two players at a table: the records that a thread needs to play.

    Parameters
    ----------
    a, b : Player
        Side A and side B.
    rules : Rules
        Of two players.
    seed : int
        0 ... 2**63 - 1.
    scores : tuple of int
        Points of A and B when a game begins.
    dealer : int or None
        Side that deals the first hand of each game (0 for A, 1 for B); None as the rules say.
    layoff : function
        The defender's lay-off rule; see `sim.view.LAYOFF`.

    Raises
    ------
    RulesError
        If they are of the one-player game, or the game cannot begin at the scores.
    ValueError
        If the seed or the dealer is out of range, or a player has too many parameters.
    """

    def __init__(
        self,
        a: Player,
        b: Player,
        rules: Rules,
        seed: int = 0,
        scores: tuple[int, int] = (0, 0),
        dealer: int | None = None,
        layoff: Any = joint_layoff,
    ) -> None:
        if not 0 <= seed < 2**63:
            raise ValueError(f"seed {seed}: expected 0-{2**63 - 1}")
        rules.require_two_players()
        if min(scores) < 0 or max(scores) >= rules.game_target:
            raise RulesError(f"score {scores[0]}:{scores[1]}: expected 0-{rules.game_target - 1} each")
        if any(scores) and (rules.columns > 1 or rules.match_type in ("best_of", "first_to_points")):
            raise RulesError(
                f"score {scores[0]}:{scores[1]}: only a game of one column or a hand can begin at a score, "
                "not a match of several games"
            )
        if dealer not in (None, 0, 1):
            raise ValueError(f"dealer {dealer}: expected 0 (side A), 1 (side B) or None")
        self.seed = seed
        self.players = (a, b)
        self.rules = rules_record(rules)
        self.melds = tables_for(rules)
        self.views = new_views(rules)
        for view, player in zip(self.views, self.players, strict=True):
            fill_view(view, player)
        self.game: Any = np.zeros(1, GAME_DTYPE).view(np.recarray)[0]
        self.game.start_scores[:] = scores
        self.game.start_dealer = BY_RULES if dealer is None else dealer
        self.game.swing = -1
        self.hand = new_hand()
        self.layoff = layoff
        self.fix_settings()

    def fix_settings(self) -> None:
        """Take what strategies may only read as it now stands in the views; see `check_views`."""
        self._settings = self.views.copy()

    def check_views(self) -> None:
        """Refuse what a strategy has written where it may only read.

        Raises
        ------
        RunError
            Naming the strategy and the field.
        """
        check_read_only(self.views, self._settings, self.players, self._place())

    def fault(self) -> RunError:
        """Return the error that a strategy's fault amounts to, with its place."""
        side = int(self.hand.player)
        return RunError(
            f"{self.players[side].name} {fault_text(self.hand)}, {self._place()}, "
            f"turn {int(self.hand.turns) + 1}, {holding(self.views[side])}"
        )

    def failure(self, error: Exception) -> RunError:
        """Return the error that an exception in a strategy's code amounts to, with its place."""
        keys = self.hand.decisions
        return RunError(failure_text(error, self._place(), self.views, keys, self.players, self.melds))

    def _place(self) -> str:
        game = self.game
        return f"seed {self.seed}, pair {int(game.pair)}, game {int(game.game)}, hand {int(game.hand)}"


def fill_view(view: Any, player: Player) -> None:
    """Put a player's parameters and table into his view.

    Raises
    ------
    ValueError
        If there are too many.
    """
    policy = player.policy
    params = [*player.params, *(policy.params if policy else ())]
    if len(params) > PARAMS:
        raise ValueError(f"{player.name} has {len(params)} parameters, at most {PARAMS}")
    view.params[: len(params)] = params
    for name, start in zip(("draw", "knock", "discard", "spread"), player.starts, strict=True):
        view[f"{name}_params"] = start
    if policy is not None:
        for number, (function, kind) in enumerate(zip(policy.decisions, DECISION_TYPES, strict=True)):
            view.policy[number] = function_address(function, kind)
            view.policy_params[number] = len(player.params) + policy.starts[number]
    if player.table is not None:
        values = np.asarray(player.table, np.float64).ravel()
        if values.size > TABLE:
            raise ValueError(f"{player.name} has a table of {values.size} values, at most {TABLE}")
        view.table[: values.size] = values
        view.table_size = values.size


def check_read_only(views: Any, settings: Any, players: Sequence[Player], place: str) -> None:
    """Refuse what a strategy has written to its view where it may only read.

    Parameters
    ----------
    views, settings : recarray of `VIEW_DTYPE`, one row for each player
        As they are, and as they were when the table was laid.
    players : sequence of Player
    place : str
        Where the run stands, for the message.

    Raises
    ------
    RunError
        Naming the strategy and the field.
    """
    for side, player in enumerate(players):
        for name in ("params", "table", *FIXED_FIELDS):
            if not np.array_equal(views[name][side], settings[name][side], equal_nan=True):
                raise RunError(f"{player.name} writes to view.{name}, which is read only, {place}")


class CountingWorker:
    """One thread's counters, weighed after each chunk.

    Parameters
    ----------
    tally : Counters
        Empty.
    threads : int
        How many such tallies will be merged.
    """

    def __init__(self, tally: Any, threads: int) -> None:
        self.tally = tally
        self.limit = LARGEST_SUM // (GROUPS * threads)
        self.published = (0, np.zeros((len(tally.outcomes), len(tally.outcomes)), np.int64))

    def weigh(self, who: str, units: str) -> None:
        """Publish units and moments so far, and refuse counters that come near the end of 64 bits.

        Raises
        ------
        RunError
            Naming ``who`` plays and of what ``units`` there are too many.
        """
        groups = self.tally.groups("moments")
        if groups.max() > self.limit:
            raise RunError(f"{who}: sums of squares pass 64 bits; play fewer {units} at a time")
        moments = groups.sum(axis=0)
        self.published = (int(moments[0, 0]), moments)


class _Worker(CountingWorker):
    """One thread's table and counters."""

    def __init__(self, table: Table, threads: int) -> None:
        super().__init__(Tally(), threads)
        self.table = table
        self.pair = np.zeros(1, PAIR_DTYPE).view(np.recarray)

    def play(self, first: int, count: int) -> None:
        table = self.table
        a, b = table.players
        try:
            play_pairs(
                table.seed, first, count, table.views[0], table.views[1], table.game, table.hand,
                table.rules, table.melds, self.tally.rows, self.pair[0], self.pair.view(np.int64),
                a.decisions, b.decisions, table.layoff,
            )  # fmt: skip
        except Exception as error:
            raise table.failure(error) from error
        if table.hand.fault:
            raise table.fault()
        table.check_views()
        self.weigh(f"{a.name} v {b.name}", "pairs")

    def swing(self) -> Swing:
        game = self.table.game
        return Swing(int(game.swing), int(game.swing_pair), int(game.swing_game))


def play_match(
    a: Player,
    b: Player,
    rules: Rules,
    *,
    pairs: int,
    seed: int = 0,
    first: int = 0,
    threads: int = 1,
    chunk: int | None = None,
    scores: tuple[int, int] = (0, 0),
    dealer: int | None = None,
    layoff: Any = joint_layoff,
    on_progress: Callable[[Progress], None] | None = None,
) -> Run:
    """Play mirrored pairs of games between two players.

    Parameters
    ----------
    a, b : Player
        Side A holds packet 0 in the first game of a pair and packet 1 in the second.
    rules : Rules
        Of two players.
    pairs : int
        Pairs of games to play, at least 1.
    seed : int
        Decides every deck; 0 ... 2**63 - 1.
    first : int
        Index of the first pair; runs that share none can be merged.
    threads : int
        Threads to play in.
    chunk : int, optional
        Pairs a thread plays between two looks at the clock; chosen by time when left out.
    scores : tuple of int
        Points of A and B when a game begins.
    dealer : int or None
        Side that deals the first hand of each game (0 for A, 1 for B); None as the rules say.
    layoff : function
        The defender's lay-off rule; see `sim.view.LAYOFF`.
    on_progress : callable, optional
        Called in the calling thread about ten times a second.

    Returns
    -------
    Run
        With ``interrupted`` set if Ctrl-C came; the tally then covers the pairs it says.

    Raises
    ------
    RunError
        If a strategy breaks the rules or its code fails.
    RulesError, ValueError
        If the rules are of the one-player game, or an argument is out of range.
    """
    check_span("pairs", first, pairs, threads, chunk)
    threads = min(threads, pairs)
    workers = [_Worker(Table(a, b, rules, seed, scores, dealer, layoff), threads) for _ in range(threads)]

    def report() -> None:
        if on_progress is not None:
            on_progress(_progress(workers, pairs))

    done = play_in_threads(workers, first, pairs, chunk, report)
    tally = functools.reduce(Tally.merge, (worker.tally for worker in workers))
    swing = functools.reduce(Swing.or_larger, (worker.swing() for worker in workers))
    return Run(tally, first, done.units, done.seconds, done.interrupted, swing)


def _progress(workers: list[_Worker], total: int) -> Progress:
    published = [worker.published for worker in workers]
    return Progress(sum(done for done, _ in published), total, sum(moments for _, moments in published))
