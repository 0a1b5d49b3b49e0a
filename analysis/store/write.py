"""Writing a run's folder: tables, then the manifest; each file whole or not at all."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

from analysis.experiment.experiment import Experiment
from analysis.store.batches import batches
from analysis.store.folder import EXACT, MANIFEST, table_path
from analysis.store.journal import Journal, State
from analysis.store.manifest import file_hash, state_facts
from analysis.store.parquet import Course, GroupsWriter, StagesWriter, TableWriter
from analysis.store.tables import TABLES
from sim.run import RunError
from sim.tally import Tally


def write_folder(folder: Path, experiment: Experiment, journal: Journal) -> None:
    """Write what a journal has: tables, then the manifest; without one a folder is unfinished.

    Parameters
    ----------
    folder : Path
        The run's folder; tables that it held before are replaced.
    experiment : Experiment
    journal : Journal

    Raises
    ------
    RunError
        If something cannot be written; the journal has it all, so the run can be resumed.
    """
    try:
        names = [name for name in TABLES if name in ("cells", "convergence", *experiment.spec.record)]
        drafts = {name: _draft(table_path(folder, name)) for name in (*names, *EXACT)}
        try:
            states = journal.states()
            _write_tables(drafts, names, experiment, journal, states)
            told = {name: {"sha256": file_hash(path)} for name, path in drafts.items()}
            (folder / MANIFEST).unlink(missing_ok=True)  # not before: the journal may turn out damaged
            for name, path in drafts.items():
                path.replace(table_path(folder, name))
        except BaseException:
            for path in drafts.values():
                path.unlink(missing_ok=True)
            raise
        manifest = {**journal.facts(), **state_facts(states), "tables": told}
        draft = _draft(folder / MANIFEST)
        draft.write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        draft.replace(folder / MANIFEST)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise RunError(f"{folder}: {reason}; nothing is lost, 'ginlab resume' goes on") from None


def _draft(path: Path) -> Path:
    """Return the name under which a file is written, so that there is never half of it."""
    return path.with_name(f".{path.name}.part")


def _write_tables(
    drafts: dict[str, Path],
    names: list[str],
    experiment: Experiment,
    journal: Journal,
    states: Sequence[State],
) -> None:
    tables = {name: TableWriter(drafts[name]) for name in names}
    groups, stages = GroupsWriter(drafts["groups"], journal.fields), StagesWriter(drafts["stages"])
    writers: list[TableWriter | GroupsWriter | StagesWriter] = [*tables.values(), groups, stages]

    def seen(tally: Tally, courses: list[Course]) -> None:
        groups.add(tally)
        stages.add(courses)

    try:
        for batch in batches(experiment, journal, states, seen):
            for name, frame in batch.items():
                tables[name].add(frame)
        while writers:
            writers.pop().close()
    finally:  # what is left has failed
        for writer in writers:
            writer.close(whole=False)
