"""What is given out and what is kept: for any order of answers, any losses, any stop, the same journal."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import numpy as np
import pytest

from analysis.cluster import work as work_module
from analysis.cluster.work import MOST_TRIES, Arrived, Piece, Work
from analysis.experiment.experiment import Experiment
from analysis.experiment.schedule import stages
from analysis.match import play
from analysis.store.journal import Journal
from analysis.store.manifest import facts
from analysis.store.packed import pack
from sim._jit import COMPILED
from sim.run import RunError
from sim.tally import Tally
from tests.analysis.experiments import small

FEW = 16 if COMPILED else 2
MORE = 3 if COMPILED else 1


def begun(experiment: Experiment) -> Journal:
    journal = Journal(None)
    journal.begin(facts(experiment), len(experiment.cells))
    return journal


def kept(journal: Journal, experiment: Experiment) -> list[Any]:
    """Return what a journal has, but for times."""
    return [
        (
            state.pairs,
            state.stopped,
            journal.tally(number).tobytes(),
            [(pairs, moments.tobytes()) for pairs, moments in journal.course(number)],
        )
        for number, state in enumerate(journal.states())
    ]


def answer(work: Work, piece: Piece) -> None:
    run = play(work.experiment.cells[piece.cell].match, 1, piece.first, piece.pairs)
    # Seconds that no clock had a part in.
    work.played(piece, 1e-4 * piece.pairs, run.tally.outcome("games"), pack(run.tally, work.fields))


def play_all(work: Work, order: random.Random, steps: int | None = None, out: int = 6) -> None:
    """Play with so many tasks out, answers in any order, some lost and some played in part."""
    flying: list[list[Piece]] = []
    while not work.done and steps != 0:
        while len(flying) < out and (pieces := work.task(3)):
            flying.append(pieces)
        pieces = flying.pop(order.randrange(len(flying)))
        if order.random() < 0.1:
            work.put_back(pieces)
            continue
        played = order.randrange(1, len(pieces) + 1)
        for piece in pieces[:played]:
            answer(work, piece)
        work.put_back(pieces[played:])
        steps = None if steps is None else steps - 1


@pytest.fixture(scope="module")
def whole() -> Iterator[list[Any]]:
    experiment = small(FEW)
    with closing(begun(experiment)) as journal:
        from analysis.experiment.sweep import sweep

        sweep(experiment, journal, 1)
        yield kept(journal, experiment)


@pytest.mark.parametrize(("seed", "chunk"), [(1, None), (2, 1), (3, 2), (4, 7)])
def test_any_order_gives_the_journal_of_one_process(
    whole: list[Any], monkeypatch: pytest.MonkeyPatch, seed: int, chunk: int | None
) -> None:
    monkeypatch.setattr(work_module, "MOST_EARLY", 2)  # so that intervals are merged
    experiment = small(FEW)
    with closing(begun(experiment)) as journal:
        work = Work(experiment, journal, chunk)
        play_all(work, random.Random(seed))
        assert kept(journal, experiment) == whole
        assert (work.pairs, work.games) == (4 * FEW, 8 * FEW)
        assert not work._courses and work._open == 0 and work._out == 0
        assert (work.standing.finished, work.standing.pairs, work.standing.total) == (4, 4 * FEW, 4 * FEW)


def test_what_is_stopped_is_a_prefix_and_goes_on(whole: list[Any]) -> None:
    experiment = small(FEW)
    order = random.Random(7)
    with closing(begun(experiment)) as journal:
        for steps in (1, 5, 12):
            work = Work(experiment, journal, 3 if COMPILED else 1)
            play_all(work, order, steps)
            work.flush()
            for number, state in enumerate(journal.states()):
                tally = journal.tally(number)
                assert tally.pairs == state.pairs
                if state.pairs:
                    same = play(experiment.cells[number].match, 1, 0, state.pairs).tally
                    assert np.array_equal(same.total("moments"), tally.total("moments"))
        play_all(Work(experiment, journal), order)
        assert kept(journal, experiment) == whole


def test_pieces_tile_every_stage(monkeypatch: pytest.MonkeyPatch) -> None:
    """None goes beyond the end of one, and together they are all pairs once."""
    experiment = small(1000)
    monkeypatch.setattr(Work, "_advance", lambda self, course: None)
    with closing(begun(experiment)) as journal:
        work = Work(experiment, journal)
        looks = stages(experiment.spec)
        given: dict[int, list[Piece]] = {}
        counters = pack(play(experiment.cells[0].match, 1, 0, 1).tally, work.fields)
        while not work.done:
            for piece in work.task(2):
                given.setdefault(piece.cell, []).append(piece)
                work.played(piece, 1e-3 * piece.pairs, 0, counters)
        for pieces in given.values():
            at = 0
            for piece in pieces:
                assert piece.first == at
                at += piece.pairs
                assert not [look for look in looks if piece.first < look < at]
            assert at == 1000


def test_cells_take_turns() -> None:
    """All cells come to an eighth of their pairs before any goes on to a quarter."""
    experiment = small(800)
    with closing(begun(experiment)) as journal:
        work = Work(experiment, journal, chunk=50)
        firsts = [(piece.cell, piece.first) for _ in range(16) for piece in work.task(2)]
    assert [cell for cell, _ in firsts] == sorted(cell for cell, _ in firsts)
    assert max(first for _, first in firsts) < 100


@pytest.mark.requires_jit  # stages of a thousand pairs
def test_a_cell_waits_for_its_judgement_while_others_play() -> None:
    experiment = small().changed(pairs=None, half_width=0.014, max_pairs=4_000)
    with closing(begun(experiment)) as journal:
        work = Work(experiment, journal, chunk=500)
        out = []
        while pieces := work.task(2):
            out += pieces
        assert sorted((piece.cell, piece.first) for piece in out) == [
            (cell, first) for cell in range(4) for first in (0, 500)
        ]
        assert not work.done
        answer(work, out[1])
        assert work.task(2) == []
        answer(work, out[0])
        more = work.task(2) + work.task(2)
        assert more == [Piece(0, 1000, 500), Piece(0, 1500, 500)]
    with closing(begun(experiment)) as one, closing(begun(experiment)) as two:
        from analysis.experiment.sweep import sweep

        sweep(experiment, one, 2)
        play_all(Work(experiment, two), random.Random(3))
        assert kept(one, experiment) == kept(two, experiment)


def test_an_extended_run() -> None:
    experiment = small(FEW)
    with closing(begun(experiment)) as journal:
        play_all(Work(experiment, journal), random.Random(1))
        journal.extend(MORE)
        play_all(Work(experiment, journal, 1), random.Random(2))
        assert [(state.pairs, state.stopped) for state in journal.states()] == [(FEW + MORE, "extended")] * 4
        same = small(FEW + MORE).run(threads=1)
        assert journal.tally(2).tobytes() == same.tally(2).tobytes()
        assert Work(experiment, journal).done


def test_a_finished_run_has_nothing_to_play() -> None:
    experiment = small(1)
    with closing(begun(experiment)) as journal:
        play_all(Work(experiment, journal), random.Random(1))
        work = Work(experiment, journal)
        assert work.done and work.task(2) == []


class TestSizes:
    """Tasks are of the time they should be, by each cell's own speed."""

    def test_cells_of_different_cost(self) -> None:
        experiment = small(1_000_000)
        with closing(begun(experiment)) as journal:
            work = Work(experiment, journal)
            work._rates = {0: 100.0, 1: 5_000.0, 2: 20_000.0, 3: 40_000.0}
            work.pairs, work.seconds = 1000, 1.0
            assert work.task(2) == [Piece(0, 0, 150)]
            work._heap = [(0, 3)]
            assert sum(piece.pairs for piece in work.task(2)) == 62_500  # up to the end of a stage
            assert work.task_seconds(2) == work_module.CHUNK_SECONDS
            assert work.task_seconds(100) == 100 * work_module.ANSWER_SECONDS

    def test_small_pieces_go_together(self) -> None:
        experiment = small(1000)
        with closing(begun(experiment)) as journal:
            work = Work(experiment, journal)
            work._rates = dict.fromkeys(range(4), 1_000.0)
            work.pairs, work.seconds = 1000, 1.0
            pieces = work.task(1)
            assert len(pieces) > 4 and len({piece.cell for piece in pieces}) > 1
            assert 1200 <= sum(piece.pairs for piece in pieces) <= 1700

    def test_towards_the_end_all_have_something_to_do(self) -> None:
        experiment = small(100)
        with closing(begun(experiment)) as journal:
            work = Work(experiment, journal)
            work.pairs, work.seconds = 100, 1.0  # 400 pairs are 4 s
            assert work.task_seconds(4) == 0.5
            assert work.task_seconds(100) == work_module.LEAST_SECONDS


def test_a_piece_that_every_worker_dies_of(monkeypatch: pytest.MonkeyPatch) -> None:
    experiment = small(FEW)
    with closing(begun(experiment)) as journal:
        work = Work(experiment, journal, chunk=1)
        pieces = work.task(1)
        for _ in range(MOST_TRIES):
            work.put_back(pieces, lost=True)
            assert work.task(1) == pieces
        with pytest.raises(RunError, match=r"cell 0 \(threshold\(k=0\) v .*pairs 0-0: every worker"):
            work.put_back(pieces, lost=True)


def test_intervals_are_merged() -> None:
    experiment = small(6 * 128)  # a stage ends at 6
    with closing(begun(experiment)) as journal:
        work = Work(experiment, journal)
        match = experiment.cells[0].match
        spans = [(1, 2), (3, 1), (5, 1), (6, 1), (7, 2)]
        early = {
            first: Arrived(pairs, 0.5, pack(play(match, 1, first, pairs).tally, work.fields))
            for first, pairs in spans
        }
        merged = work._intervals(dict(reversed(early.items())))
        assert {first: (one.pairs, one.seconds) for first, one in merged.items()} == {
            1: (3, 1.0),
            5: (1, 0.5),  # not with what follows, or the end of the stage would go by unseen
            6: (3, 1.0),
        }
        assert merged[6].counters == pack(play(match, 1, 6, 3).tally, work.fields)


def test_sums_that_would_not_be_exact_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("analysis.experiment.sweep.LARGEST_SUM", 128)
    experiment = small(FEW)
    with closing(begun(experiment)) as journal, pytest.raises(RunError, match="sums of squares pass 64"):
        play_all(Work(experiment, journal), random.Random(1))


def test_nothing_is_done_for_all_cells_at_each_answer() -> None:
    """A record looks at the cell it is of alone."""
    experiment = small(FEW)
    with closing(begun(experiment)) as journal:
        work = Work(experiment, journal)

        class Counted(list[Any]):
            def __iter__(self) -> Iterator[Any]:
                raise AssertionError("all states were looked at")

        work.standing.states = Counted(work.standing.states)
        play_all(work, random.Random(1))
        assert work.standing.finished == 4
        assert isinstance(journal.tally(0), Tally)
