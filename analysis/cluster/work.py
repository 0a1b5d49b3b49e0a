"""What to play next, and what has come back: pieces of cells out, a gap-free prefix of each cell kept.

Answers come in any order. A cell's counters take a piece only when all pairs before it are in; pieces that
came early wait, compressed. So the journal has the same prefix it has of a run in one process, and what is
counted does not hang on who played what, or when.

A piece never goes beyond the end of a stage. Where a stage decides whether a cell plays on, the cell waits
for it while others play; where the number of pairs is fixed it does not.
"""

from __future__ import annotations

import heapq
import time
from collections import deque
from collections.abc import Sequence
from typing import Any, NamedTuple

from analysis.experiment.experiment import Experiment
from analysis.experiment.schedule import stages, stop
from analysis.experiment.sweep import FIRST_CHUNK, Standing, check_sums, turns_of
from analysis.store.fields import kept_fields
from analysis.store.journal import Journal
from analysis.store.packed import add, pack
from sim.run import RunError
from sim.tally import Tally

CHUNK_SECONDS = 1.5
"""About how long a task plays."""
ANSWER_SECONDS = 0.03
"""What an answer takes this process at most: tasks grow with the cluster, so that it does not fall behind."""
LEAST_SECONDS = 0.1
"""About how long a task plays when there is little left."""
RECORD_SECONDS = 2.0
"""A cell under way is recorded about so often."""
MOST_PIECES = 32
"""In a task."""
MOST_EARLY = 8
"""Pieces of a cell that wait singly; more are merged into intervals."""
MOST_TRIES = 3
"""How often a piece is given out again after Dask has given it up: each time several workers have died."""


class Piece(NamedTuple):
    """Pairs ``first`` ... ``first + pairs - 1`` of a cell."""

    cell: int
    first: int
    pairs: int


class Arrived(NamedTuple):
    """What was played of a piece: so many pairs, seconds of play, and packed counters."""

    pairs: int
    seconds: float
    counters: bytes


class Held(NamedTuple):
    """The gap-free prefix of a cell; replaced as a whole, so that Ctrl-C cannot fall between its parts.

    Attributes
    ----------
    pairs : int
    tally : Tally or None
        None where nothing has come since the journal was read.
    seconds : float
        Since the last record.
    reached : tuple of (int, ndarray)
        Stages ended since the last record.
    stopped : str or None
    """

    pairs: int
    tally: Tally | None
    seconds: float
    reached: tuple[tuple[int, Any], ...]
    stopped: str | None


class _Course:
    """A cell of which pieces are out."""

    def __init__(self, number: int, pairs: int) -> None:
        self.number = number
        self.given = pairs
        self.out = 0  # pieces
        self.blind = 0  # pairs given out while its speed is not known
        self.waits: int | None = None  # for its speed to be known, with this turn
        self.held = Held(pairs, None, 0.0, (), None)
        self.early: dict[int, Arrived] = {}
        self.recorded = time.monotonic()


class Work:
    """The pieces of a run that are left to play.

    Parameters
    ----------
    experiment : Experiment
    journal : Journal
    chunk : int, optional
        Pairs of a piece, one a task, each recorded; by time when left out.

    Attributes
    ----------
    fields : tuple of str
        Fields of the tally that answers must have.
    pairs, games : int
        Pairs that have come back, and games.
    seconds : float
        Of play.
    cell : int
        The cell that came back last.
    """

    def __init__(self, experiment: Experiment, journal: Journal, chunk: int | None = None) -> None:
        self.experiment = experiment
        self.standing = Standing(experiment, journal)
        self.chunk = chunk
        self.fields = kept_fields(experiment.spec.record)
        self.pairs = self.games = self.cell = 0
        self.seconds = 0.0
        self._looks = stages(experiment.spec)
        self._turns = turns_of(experiment, self.standing.states)
        self._judged = experiment.spec.pairs is None and self._turns != [0]
        self._courses: dict[int, _Course] = {}
        self._again: deque[Piece] = deque()
        self._tries: dict[Piece, int] = {}
        self._rates: dict[int, float] = {}  # pairs a second
        self._open = 0  # pairs that could be given out now
        self._out = 0  # pieces
        self._heap: list[tuple[int, int]] = []  # turn and number of cells that have pairs to give out
        for number, state in enumerate(self.standing.states):
            if state.stopped is None:
                turn = next(t for t in range(len(self._turns)) if self._ends(number, t)[-1] > state.pairs)
                self._heap.append((turn, number))
                last = turn if self._judged else len(self._turns) - 1
                self._open += self._ends(number, last)[-1] - state.pairs
        heapq.heapify(self._heap)

    @property
    def done(self) -> bool:
        """True when all has been played and come back."""
        return not (self._heap or self._again or self._out)

    def _ends(self, number: int, turn: int) -> Sequence[int]:
        """Return the ends of the stages that a cell plays up to a turn."""
        target = self.standing.states[number].target
        if target is not None:
            return (target,)
        return [look for look in self._looks if look <= self._turns[turn]]

    # --- out -------------------------------------------------------------------------------------

    def task_seconds(self, threads: int) -> float:
        """Return how long a task should play when so many threads do."""
        wanted = max(CHUNK_SECONDS, threads * ANSWER_SECONDS)
        if self.seconds > 0:  # towards the end, and where few pairs are open, all have something to do
            wanted = min(wanted, self._open * self.seconds / (2 * threads * max(self.pairs, 1)))
        return max(wanted, LEAST_SECONDS)

    def task(self, threads: int) -> list[Piece]:
        """Return the pieces of the next task, none if nothing can be given out now.

        Parameters
        ----------
        threads : int
            That play at the moment.
        """
        wanted = self.task_seconds(threads)
        pieces: list[Piece] = []
        seconds = 0.0
        while len(pieces) < MOST_PIECES and seconds < 0.9 * wanted:
            piece = self._again.popleft() if self._again else self._next(wanted - seconds)
            if piece is None:
                break
            pieces.append(piece)
            self._out += 1
            if self.chunk is not None:
                break
            seconds += self._guess(piece, wanted)
        return pieces

    def _guess(self, piece: Piece, wanted: float) -> float:
        """Return how long a piece will take, by its cell or by all; as long as wanted if none is known."""
        if (rate := self._rates.get(piece.cell)) is not None:
            return piece.pairs / rate
        return piece.pairs * self.seconds / self.pairs if self.pairs else wanted

    def _next(self, seconds: float) -> Piece | None:
        if not self._heap:
            return None
        turn, number = self._heap[0]
        course = self._courses.get(number)
        if course is None:
            course = self._courses[number] = _Course(number, self.standing.states[number].pairs)
        ends = self._ends(number, turn)
        left = next(end for end in ends if end > course.given) - course.given
        rate = self._rates.get(number)
        if self.chunk is not None:
            pairs = min(self.chunk, left)
        elif rate is None:
            pairs = min(left, FIRST_CHUNK)
            course.blind += pairs
        else:
            fit = max(int(rate * seconds), 1)
            pairs = left if left < 1.5 * fit else fit
        piece = Piece(number, course.given, pairs)
        course.given += pairs
        course.out += 1
        self._open -= pairs
        if course.given == ends[-1]:
            heapq.heappop(self._heap)
            if not self._judged and turn + 1 < len(self._turns):
                heapq.heappush(self._heap, (turn + 1, number))
        elif rate is None and self.chunk is None and course.blind >= FIRST_CHUNK:
            heapq.heappop(self._heap)
            course.waits = turn
        return piece

    def put_back(self, pieces: Sequence[Piece], lost: bool = False) -> None:
        """Take pieces back that were not played, to give them out again.

        Parameters
        ----------
        pieces : sequence of Piece
        lost : bool
            If the cluster has given them up, which it may do only so often.

        Raises
        ------
        RunError
            If it has done so too often.
        """
        for piece in pieces:
            if lost:
                self._tries[piece] = self._tries.get(piece, 0) + 1
                if self._tries[piece] > MOST_TRIES:
                    cell = self.experiment.cells[piece.cell]
                    raise RunError(
                        f"cell {cell.number} ({cell.a} v {cell.b}), pairs {piece.first}-"
                        f"{piece.first + piece.pairs - 1}: every worker that plays them dies"
                    )
        self._out -= len(pieces)
        self._again.extend(pieces)

    # --- in --------------------------------------------------------------------------------------

    def played(self, piece: Piece, seconds: float, games: int, counters: bytes) -> None:
        """Take what was played of a piece.

        Parameters
        ----------
        piece : Piece
        seconds : float
            Of play.
        games : int
        counters : bytes
            Packed `fields`.

        Raises
        ------
        RunError
            If counters are damaged or too large, or the journal cannot be written.
        """
        course = self._courses[piece.cell]
        self.pairs += piece.pairs
        self.games += games
        self.seconds += seconds
        self.cell = piece.cell
        self._rates[piece.cell] = piece.pairs / max(seconds, 1e-6)
        course.early[piece.first] = Arrived(piece.pairs, seconds, counters)
        course.out -= 1
        self._out -= 1
        self._tries.pop(piece, None)
        if course.waits is not None:
            heapq.heappush(self._heap, (course.waits, course.number))
            course.waits = None
        self._advance(course)
        if len(course.early) > MOST_EARLY:
            course.early = self._intervals(course.early)
        idle = course.out == 0 and not course.early
        late = time.monotonic() - course.recorded > RECORD_SECONDS
        if idle or late or self.chunk is not None or course.held.stopped is not None:
            self._record(course)
        if idle:
            del self._courses[course.number]

    def _advance(self, course: _Course) -> None:
        """Let the prefix of a cell take what follows on it, and judge the stages that it ends."""
        while (arrived := course.early.get(course.held.pairs)) is not None:
            before = course.held
            tally = before.tally or self.standing.tally(course.number)
            tally = add(tally, arrived.counters, self.fields)
            pairs = before.pairs + arrived.pairs
            check_sums(course.number, before.pairs, tally)
            reached, stopped = before.reached, None
            target = self.standing.states[course.number].target
            ended = pairs == target if target else pairs in self._looks
            if ended:
                reached = (*reached, (pairs, tally.total("moments")))
                stopped = "extended" if target else stop(self.experiment.spec, pairs, tally)
            course.held = Held(pairs, tally, before.seconds + arrived.seconds, reached, stopped)
            del course.early[before.pairs]
            if ended and self._judged and stopped is None:
                turn = self._turns.index(pairs) + 1
                self._open += self._turns[turn] - pairs
                heapq.heappush(self._heap, (turn, course.number))

    def _intervals(self, early: dict[int, Arrived]) -> dict[int, Arrived]:
        """Merge pieces that follow on one another, but not beyond the end of a stage, which is looked at."""
        merged: dict[int, Arrived] = {}
        run: list[int] = []
        for first in [*sorted(early), None]:
            if run and (
                first is None or first in self._looks or first != run[-1] + early[run[-1]].pairs
            ):  # fmt: skip
                parts = [early[one] for one in run]
                merged[run[0]] = parts[0]
                if len(parts) > 1:
                    tally = Tally()
                    for part in parts:
                        tally = add(tally, part.counters, self.fields)
                    total, seconds = sum(part.pairs for part in parts), sum(part.seconds for part in parts)
                    merged[run[0]] = Arrived(total, seconds, pack(tally, self.fields))
                run = []
            if first is not None:
                run.append(first)
        return merged

    def _record(self, course: _Course) -> None:
        held = course.held
        if held.tally is None or held.pairs == self.standing.states[course.number].pairs:
            return
        self.standing.record(
            course.number, held.pairs, held.tally, held.seconds, held.reached, held.stopped
        )  # fmt: skip
        course.held = held._replace(seconds=0.0, reached=())
        course.recorded = time.monotonic()

    def flush(self) -> None:
        """Record the prefix of every cell.

        Raises
        ------
        RunError
            If the journal cannot be written.
        """
        for course in self._courses.values():
            self._record(course)
