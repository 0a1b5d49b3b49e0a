"""Playing an experiment: stage by stage, cell by cell, chunk by chunk into the journal."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from analysis.console import UsageError
from analysis.experiment.cells import Cell
from analysis.experiment.experiment import Experiment
from analysis.experiment.schedule import stages, stop
from analysis.match import play
from analysis.store.journal import Journal, State
from sim.rules import RulesError
from sim.run import LARGEST_SUM, Progress, RunError, Table
from sim.tally import GROUPS
from strategies.base import player

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
    """

    finished: int
    cells: int
    pairs: int
    total: int
    games: int
    seconds: float
    cell: str


def check_playable(experiment: Experiment) -> None:
    """Load every strategy, and lay the table of every cell once, so that nothing is found out too late.

    Raises
    ------
    UsageError
        Naming the cell.
    StrategyError
        If a strategy's decisions cannot be loaded.
    """
    for cell in experiment.cells:
        match = cell.match
        try:
            Table(
                player(match.a), player(match.b), match.rules, match.seed, match.scores, match.dealer
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
) -> bool:
    """Play all cells of a run from where its journal stands.

    Parameters
    ----------
    experiment : Experiment
    journal : Journal
        Begun.
    threads : int
    on_progress : callable, optional
        Called about ten times a second.
    chunk : int, optional
        Pairs between two records; by time when left out. Nothing but speed hangs on it.

    Returns
    -------
    bool
        True if Ctrl-C came; all but perhaps the last second is in the journal.
    """
    return _Sweep(experiment, journal, threads, on_progress, chunk).run()


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
        self.journal = journal
        self.threads = threads
        self.on_progress = on_progress
        self.chunk = chunk
        self.states = journal.states()
        self.rates = [0.0] * len(self.states)  # pairs a second
        self.games = 0
        self.started = time.perf_counter()

    def run(self) -> bool:
        looks = stages(self.experiment.spec)
        turns = looks[-TURNS:] if self.experiment.spec.pairs is not None else looks
        if any(state.target is not None for state in self.states):
            turns = [0]  # each cell has an end of its own
        try:
            for turn in turns:
                for cell in self.experiment.cells:
                    target = self.states[cell.number].target
                    if target is None:
                        interrupted = self._play_to(cell, [look for look in looks if look <= turn])
                    else:
                        interrupted = self._play_to(cell, [target])
                    if interrupted:
                        return True
        except KeyboardInterrupt:  # between two chunks
            return True
        return False

    def _play_to(self, cell: Cell, looks: list[int]) -> bool:
        """Play a cell through some stages, unless it stops before; tell whether Ctrl-C came."""
        state = self.states[cell.number]
        if state.stopped is not None or state.pairs >= looks[-1]:
            return False
        tally = self.journal.tally(cell.number)
        pairs, stopped, target, before = state
        seconds, reached = 0.0, []
        for end in (look for look in looks if look > state.pairs):
            while pairs < end:
                chunk = self._chunk(cell.number, end - pairs)
                run = play(cell.match, self.threads, pairs, chunk, self._told(cell, pairs))
                if run.pairs:
                    tally = tally.merge(run.tally)
                    if tally.groups("moments").max() > LARGEST_SUM // GROUPS:
                        raise RunError(
                            f"cell {cell.number}: sums of squares pass 64 bits after {pairs:,} pairs"
                        )
                    pairs += run.pairs
                    seconds += run.seconds
                    self.games += run.tally.outcome("games")
                    self.rates[cell.number] = run.pairs / max(run.seconds, 1e-6)
                if pairs == end:
                    reached.append((pairs, tally.total("moments")))
                    stopped = "extended" if target else stop(self.experiment.spec, pairs, tally)
                leaves = stopped is not None or run.interrupted or pairs == looks[-1]
                if leaves or self.chunk is not None or seconds >= CHUNK_SECONDS / 2:
                    self.journal.record(cell.number, pairs, tally, seconds, reached, stopped)
                    before += seconds
                    self.states[cell.number] = State(pairs, stopped, target, before)
                    seconds, reached = 0.0, []
                if run.interrupted:
                    return True
            if stopped is not None:
                break
        return False

    def _chunk(self, number: int, left: int) -> int:
        if self.chunk is not None:
            return min(self.chunk, left)
        wanted = int(self.rates[number] * CHUNK_SECONDS) or FIRST_CHUNK * self.threads
        return left if left < 1.5 * wanted else wanted

    def _told(self, cell: Cell, pairs: int) -> Callable[[Progress], None] | None:
        """Return what tells the progress of a chunk of a cell that has played so many pairs."""
        on_progress = self.on_progress
        if on_progress is None:
            return None
        states, cap = self.states, self.experiment.spec.cap
        before = sum(state.pairs for state in states) - states[cell.number].pairs + pairs
        finished = sum(state.stopped is not None for state in states)
        total = sum(state.pairs if state.stopped is not None else state.target or cap for state in states)

        def told(progress: Progress) -> None:
            seconds = time.perf_counter() - self.started
            on_progress(
                SweepProgress(
                    finished, len(states), before + progress.pairs, total, self.games, seconds, cell.text
                )
            )

        return told
