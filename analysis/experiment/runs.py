"""Runs: begun, resumed, extended; each ends with its tables, whether finished or stopped by Ctrl-C."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analysis.console import UsageError
from analysis.experiment.experiment import Experiment
from analysis.experiment.sweep import SweepProgress, check_playable, sweep
from analysis.request import MAX_PAIRS, available_threads
from analysis.store.folder import MANIFEST, STRATEGY_FILES, check_format, load, load_stages
from analysis.store.journal import NAME as JOURNAL
from analysis.store.journal import Journal, State, alone
from analysis.store.links import refuse_links
from analysis.store.manifest import FACTS, cells_hash, facts, file_hash
from analysis.store.results import Results
from analysis.store.write import write_folder
from sim._jit import source_hash
from sim.run import RunError

if TYPE_CHECKING:
    from distributed import Client

OnProgress = Callable[[SweepProgress], None] | None


def start(
    experiment: Experiment,
    folder: Path | None,
    threads: int | None = None,
    on_progress: OnProgress = None,
    chunk: int | None = None,
    client: Client | None = None,
) -> Results:
    """Play an experiment from its beginning.

    Parameters
    ----------
    experiment : Experiment
    folder : Path or None
        A new folder; None keeps everything in memory.
    threads : int, optional
        All processors when left out.
    on_progress : callable, optional
        Called about ten times a second.
    chunk : int, optional
        Pairs between two records of the journal; by time when left out.
    client : distributed.Client, optional
        Of a cluster to play on, instead of this process.

    Returns
    -------
    Results
        Of what was played: after Ctrl-C ``manifest["interrupted"]`` is true.

    Raises
    ------
    UsageError
        If the folder holds something already, a cell cannot be played, or threads are told with a client.
    RunError
        If a strategy breaks the rules, the folder cannot be written, or the cluster cannot play or has gone.
    """
    if folder is not None:
        refuse_existing(folder)
    check_playable(experiment)
    _check_cluster(client, threads)
    told = facts(experiment)
    if folder is None:
        with closing(Journal(None)) as journal:
            journal.begin(told, len(experiment.cells))
            return _play(experiment, journal, None, threads, on_progress, chunk, client)
    folder.mkdir(parents=True, exist_ok=True)
    with alone(folder):
        if experiment.strategy_files:
            (folder / STRATEGY_FILES).mkdir()
        for file in experiment.strategy_files:
            shutil.copyfile(file, folder / STRATEGY_FILES / file.name)
        with closing(Journal(folder / JOURNAL)) as journal:
            journal.begin(told, len(experiment.cells))
            return _play(experiment, journal, folder, threads, on_progress, chunk, client)


def _check_cluster(client: Client | None, threads: int | None) -> None:
    """Refuse a cluster that would not play the same, before anything is written."""
    if client is None:
        return
    if threads is not None:
        raise UsageError("threads are of play in this process; a cluster has those of its workers")
    from analysis.cluster.driver import check_workers

    check_workers(client)


def refuse_existing(folder: Path) -> None:
    """Refuse a folder that holds something.

    Raises
    ------
    UsageError
        Naming it, and how a run in it goes on.
    """
    if folder.is_dir() and not any(folder.iterdir()):
        return
    if (folder / JOURNAL).exists() or (folder / MANIFEST).exists():
        raise UsageError(f"{folder}: holds a run already; 'ginlab resume {folder}' goes on with it")
    if folder.exists():
        raise UsageError(f"{folder}: exists already; name a new folder")


def resume(
    folder: Path,
    extend: int | None = None,
    threads: int | None = None,
    on_progress: OnProgress = None,
    chunk: int | None = None,
    client: Client | None = None,
) -> Results:
    """Go on with a run that was stopped or killed; or let every cell of a finished one play more pairs.

    Parameters
    ----------
    folder : Path
    extend : int, optional
        Pairs to add to each cell of a finished run. Its intervals are then told for any stop too.
    threads, on_progress, chunk, client
        As for `start`.

    Returns
    -------
    Results
        The same to the byte as those of a run that was never stopped.

    Raises
    ------
    UsageError
        If there is no run, or it is to be extended before it is finished.
    RunError
        If the run cannot go on: begun by other sources, or damaged.
    """
    if extend is not None and not 1 <= extend < MAX_PAIRS:
        raise UsageError(f"--extend {extend}: expected 1-{MAX_PAIRS - 1}")
    if not folder.is_dir():
        raise UsageError(f"{folder}: no such folder")
    refuse_links(folder)
    _check_cluster(client, threads)
    with alone(folder):
        if not (folder / JOURNAL).exists():
            results = load(folder)
            if extend is None and not results.manifest["interrupted"]:
                return results
            _check_sources(folder, results.manifest["source_hash"])
            _rebuild(folder, results)
        with closing(Journal(folder / JOURNAL)) as journal:
            experiment = _begun(folder, journal.facts())
            if (rows := len(journal.states())) != (count := len(experiment.cells)):
                raise RunError(f"{folder / JOURNAL}: damaged: {rows} cells of {count}")
            if extend is not None:
                if any(state.stopped is None for state in journal.states()):
                    raise UsageError(f"{folder}: not finished; 'ginlab resume {folder}' first, then --extend")
                journal.extend(extend)
            return _play(experiment, journal, folder, threads, on_progress, chunk, client)


def _begun(folder: Path, told: dict[str, Any]) -> Experiment:
    """Return the experiment that a run began with, if what it plays is still the same."""
    if not told:
        if (folder / MANIFEST).exists():
            raise RunError(
                f"{folder / JOURNAL}: empty; remove this file, the tables have all that was played"
            )
        raise RunError(f"{folder}: stopped before it began; remove it and sweep again")
    check_format(folder, told)
    if missing := sorted(set(FACTS) - set(told)):
        raise RunError(f"{folder / JOURNAL}: damaged: it does not say {', '.join(missing)}")
    _check_sources(folder, told["source_hash"])
    for name in told["experiment"]["strategy_files"]:
        copy = folder / STRATEGY_FILES / Path(name).name  # nothing outside of the folder is run
        if not copy.exists() or file_hash(copy) != told["files"][name]:
            raise RunError(f"{copy}: not the strategy file that the run began with")
    experiment = Experiment.from_dict(told["experiment"], str(folder), folder / STRATEGY_FILES)
    if cells_hash(experiment) != told["cells"] or facts(experiment)["files"] != told["files"]:
        raise RunError(f"{folder}: begun with other presets or knock tables than there are now")
    return experiment


def _check_sources(folder: Path, begun: str) -> None:
    if begun != source_hash():
        raise RunError(
            f"{folder}: begun by other sources of sim and strategies ({begun}, these are {source_hash()}): "
            "pairs of both would not belong together"
        )


def _rebuild(folder: Path, results: Results) -> None:
    """Make the journal of a folder that was kept without one."""
    draft = folder / f".{JOURNAL}.part"
    draft.unlink(missing_ok=True)
    courses = itertools.groupby(load_stages(folder), key=lambda course: course[0])
    course = next(courses, None)
    extended = results.manifest["extended"]
    if extended and results.manifest["interrupted"]:
        raise RunError(f"{folder}: stopped while it was extended, and how far is not known without {JOURNAL}")
    with closing(Journal(draft)) as journal:
        journal.begin({name: results.manifest[name] for name in FACTS}, len(results.cells))
        for number, stopped in enumerate(results.table("cells", ["stopped"])["stopped"]):
            pairs = results.pairs(number)
            why = None if stopped == "interrupted" else str(stopped)
            mine = []
            if course is not None and course[0] == number:
                mine = [(at, moments) for _, at, moments in course[1]]
                course = next(courses, None)
            state = State(pairs, why, pairs if extended else None, 0.0)
            journal.restore(number, state, results.tally(number), mine)
    draft.replace(folder / JOURNAL)


def _play(
    experiment: Experiment,
    journal: Journal,
    folder: Path | None,
    threads: int | None,
    on_progress: OnProgress,
    chunk: int | None,
    client: Client | None,
) -> Results:
    sweep(experiment, journal, threads or available_threads(), on_progress, chunk, client)
    if folder is None:
        return Results.of_journal(experiment, journal)
    write_folder(folder, experiment, journal)
    return load(folder)
