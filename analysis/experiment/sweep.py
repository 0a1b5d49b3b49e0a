"""Playing an experiment: stage by stage, cell by cell, chunk by chunk into the journal."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from analysis.console import UsageError
from analysis.experiment.cells import Cell
from analysis.experiment.experiment import Experiment
from analysis.experiment.schedule import stages, stop
from analysis.match import play
from analysis.store.journal import Journal, Stages, State
from sim.rules import RulesError
from sim.run import LARGEST_SUM, Player, Progress, RunError, Table
from sim.tally import GROUPS, Tally
from strategies.base import player

if TYPE_CHECKING:
    from distributed import Client

CHUNK_SECONDS = 2.0
"""About how much play a kill loses."""
TURNS = 4
"""Of the stages of a fixed number of pairs, cells take turns at the last so many: a run that is stopped has
cells of an eighth, a quarter ... of the pairs, and there is little to load and keep for the short ones."""
FIRST_CHUNK = 64
"""Pairs of a cell's first chunk, from which its speed is known."""


class SweepProgress(NamedTuple):
    """How far a sweep has come.

    Attributes
    ----------
    finished, cells : int
        Cells that play no more, and all.
    pairs, total : int
        Pairs played, and all (at most, where cells stop by themselves).
    games : int
        Games played since the sweep was begun or resumed.
    seconds : float
        Since it was begun or resumed.
    cell : str
        What is being played.
    workers : int or None
        Workers of the cluster at the moment; None if it plays in this process.
    notice : str
        What somebody should be told, such as that there are no workers.
    """

    finished: int
    cells: int
    pairs: int
    total: int
    games: int
    seconds: float
    cell: str
    workers: int | None = None
    notice: str = ""


def check_playable(experiment: Experiment) -> None:
    """Load every strategy, and lay a table by all rules, so that nothing is found out too late.

    What can be wrong with a side, or with rules and the score they begin at, is so in every cell alike, so
    each is looked at once.

    Raises
    ------
    UsageError
        Naming the cell.
    StrategyError
        If a strategy's decisions cannot be loaded.
    """
    players: dict[str, Player] = {}
    for cell in experiment.cells.examples():
        match = cell.match
        for text, side in ((cell.a, match.a), (cell.b, match.b)):
            if text not in players:
                players[text] = player(side)
        try:
            Table(
                players[cell.a], players[cell.b], match.rules, match.seed, match.scores, match.dealer
            )  # fmt: skip
        except RulesError as error:
            named = f"cell {cell.number} ({cell.text}): " if cell.text else ""
            raise UsageError(f"{experiment.source}: {named}{error}") from None


def sweep(
    experiment: Experiment,
    journal: Journal,
    threads: int,
    on_progress: Callable[[SweepProgress], None] | None = None,
    chunk: int | None = None,
    client: Client | None = None,
) -> bool:
    """Play all cells of a run from where its journal stands.

    Parameters
    ----------
    experiment : Experiment
    journal : Journal
        Begun.
    threads : int
        Without a cluster.
    on_progress : callable, optional
        Called about ten times a second.
    chunk : int, optional
        Pairs between two records; by time when left out. Nothing but speed hangs on it.
    client : distributed.Client, optional
        Of the cluster to play on.

    Returns
    -------
    bool
        True if Ctrl-C came; all but perhaps the last second is in the journal.

    Raises
    ------
    RunError
        If a strategy breaks the rules or its code fails, the journal cannot be written, or the cluster fails.
    """
    if client is not None:
        from analysis.cluster.driver import sweep_on

        return sweep_on(client, experiment, journal, on_progress, chunk)
    return _Sweep(experiment, journal, threads, on_progress, chunk).run()


def turns_of(experiment: Experiment, states: Sequence[State]) -> list[int]:
    """Return the stages at which cells take turns, in pairs; of an extended run one, 0, for all ends."""
    if any(state.target is not None for state in states):
        return [0]  # each cell has an end of its own
    looks = stages(experiment.spec)
    return looks[-TURNS:] if experiment.spec.pairs is not None else looks


def check_sums(number: int, pairs: int, tally: Tally) -> None:
    """Refuse counters of a cell that come near the end of 64 bits.

    Raises
    ------
    RunError
        Naming the cell.
    """
    if tally.groups("moments").max() > LARGEST_SUM // GROUPS:
        raise RunError(f"cell {number}: sums of squares pass 64 bits after {pairs:,} pairs")


class Standing:
    """How far all cells have come by the journal, and the sums of it, which each record keeps up to date.

    Attributes
    ----------
    states : list of State
    finished : int
        Cells that play no more.
    pairs, total : int
        Pairs in the journal, and pairs when all is played (at most, where cells stop by themselves).
    """

    def __init__(self, experiment: Experiment, journal: Journal) -> None:
        self._journal = journal
        self._cap = experiment.spec.cap
        self.states = journal.states()
        self.finished = sum(state.stopped is not None for state in self.states)
        self.pairs = sum(state.pairs for state in self.states)
        self.total = sum(self._end(state) for state in self.states)

    def _end(self, state: State) -> int:
        return state.pairs if state.stopped is not None else state.target or self._cap

    def tally(self, number: int) -> Tally:
        """Return a cell's counters from the journal."""
        return self._journal.tally(number)

    def record(
        self, number: int, pairs: int, tally: Tally, seconds: float, reached: Stages, stopped: str | None
    ) -> None:
        """Keep what a cell has played by now; see `Journal.record`."""
        self._journal.record(number, pairs, tally, seconds, reached, stopped)
        before = self.states[number]
        after = State(pairs, stopped, before.target, before.seconds + seconds)
        self.states[number] = after
        self.finished += (stopped is not None) - (before.stopped is not None)
        self.pairs += pairs - before.pairs
        self.total += self._end(after) - self._end(before)


class _Sweep:
    """A sweep under way."""

    def __init__(
        self,
        experiment: Experiment,
        journal: Journal,
        threads: int,
        on_progress: Callable[[SweepProgress], None] | None,
        chunk: int | None,
    ) -> None:
        self.experiment = experiment
        self.standing = Standing(experiment, journal)
        self.threads = threads
        self.on_progress = on_progress
        self.chunk = chunk
        self.rates: dict[int, float] = {}  # pairs a second
        self.games = 0
        self.started = time.perf_counter()

    def run(self) -> bool:
        states, cells = self.standing.states, self.experiment.cells
        looks = stages(self.experiment.spec)
        try:
            for turn in turns_of(self.experiment, states):
                for number in range(len(cells)):
                    target = states[number].target
                    ends = [look for look in looks if look <= turn] if target is None else [target]
                    if states[number].stopped is not None or states[number].pairs >= ends[-1]:
                        continue
                    if self._play_to(cells[number], ends):
                        return True
        except KeyboardInterrupt:  # between two chunks
            return True
        return False

    def _play_to(self, cell: Cell, looks: list[int]) -> bool:
        """Play a cell through some stages, unless it stops before; tell whether Ctrl-C came."""
        tally = self.standing.tally(cell.number)
        pairs, stopped, target, _ = self.standing.states[cell.number]
        seconds: float = 0.0
        reached: list[tuple[int, Any]] = []
        for end in (look for look in looks if look > pairs):
            while pairs < end:
                chunk = self._chunk(cell.number, end - pairs)
                run = play(cell.match, self.threads, pairs, chunk, self._told(cell, pairs))
                if run.pairs:
                    tally = tally.merge(run.tally)
                    check_sums(cell.number, pairs, tally)
                    pairs += run.pairs
                    seconds += run.seconds
                    self.games += run.tally.outcome("games")
                    self.rates[cell.number] = run.pairs / max(run.seconds, 1e-6)
                if pairs == end:
                    reached.append((pairs, tally.total("moments")))
                    stopped = "extended" if target else stop(self.experiment.spec, pairs, tally)
                leaves = stopped is not None or run.interrupted or pairs == looks[-1]
                if leaves or self.chunk is not None or seconds >= CHUNK_SECONDS / 2:
                    self.standing.record(cell.number, pairs, tally, seconds, reached, stopped)
                    seconds, reached = 0.0, []
                if run.interrupted:
                    return True
            if stopped is not None:
                break
        return False

    def _chunk(self, number: int, left: int) -> int:
        if self.chunk is not None:
            return min(self.chunk, left)
        wanted = int(self.rates.get(number, 0.0) * CHUNK_SECONDS) or FIRST_CHUNK * self.threads
        return left if left < 1.5 * wanted else wanted

    def _told(self, cell: Cell, pairs: int) -> Callable[[Progress], None] | None:
        """Return what tells the progress of a chunk of a cell that has played so many pairs."""
        on_progress, standing = self.on_progress, self.standing
        if on_progress is None:
            return None
        before = standing.pairs - standing.states[cell.number].pairs + pairs

        def told(progress: Progress) -> None:
            on_progress(
                SweepProgress(
                    standing.finished, len(standing.states), before + progress.pairs, standing.total,
                    self.games, time.perf_counter() - self.started, cell.text,
                )
            )  # fmt: skip

        return told
