"""A run's folder: tables and manifest written whole or not at all, and checked when they are loaded."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.console import UsageError
from analysis.experiment.experiment import Experiment
from analysis.store.journal import NAME as JOURNAL
from analysis.store.manifest import FORMAT, SCHEMA, cells_hash, file_hash
from analysis.store.parquet import (
    Course,
    Groups,
    read_stages,
    read_table,
    write_groups,
    write_stages,
    write_table,
)
from analysis.store.results import Results
from analysis.store.tables import COUNTED, COUNTS, RECORDED, kept_fields
from sim.rules import Rules, RulesError
from sim.run import RunError

MANIFEST = "manifest.json"
STRATEGY_FILES = "strategy_files"
"""The folder's copies of the user's strategy files."""

EXACT = ("groups", "stages")
"""What every number can be computed from anew: counters by group, moments at the end of stages."""


def table_path(folder: Path, name: str) -> Path:
    """Return where a table stands."""
    return folder / f"{name}.parquet"


# --- writing -------------------------------------------------------------------------------------


def write_folder(folder: Path, results: Results, courses: list[Course]) -> None:
    """Write tables, then the manifest: without one a folder is unfinished.

    Parameters
    ----------
    folder : Path
        The run's folder; what it held before is replaced.
    results : Results
    courses : list of (int, int, ndarray)
        Moments at the end of stages.

    Raises
    ------
    RunError
        If something cannot be written; the journal has it all, so the run can be resumed.
    """
    writers: dict[str, Callable[[Path], None]] = {
        **{name: _writer(results.table(name)) for name in results.tables},
        "groups": lambda path: write_groups(
            path, results.tallies(), kept_fields(results.experiment.spec.record)
        ),
        "stages": lambda path: write_stages(path, courses),
    }
    told: dict[str, Any] = {}
    try:
        (folder / MANIFEST).unlink(missing_ok=True)
        for name, write in writers.items():
            told[name] = {"sha256": _put(table_path(folder, name), write)}
        results.manifest["tables"] = told
        text = json.dumps(results.manifest, indent=2, ensure_ascii=False) + "\n"
        _put(folder / MANIFEST, lambda path: path.write_text(text, encoding="utf-8"))
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise RunError(f"{folder}: {reason}; nothing is lost, 'ginlab resume' goes on") from None


def _writer(frame: pd.DataFrame) -> Callable[[Path], None]:
    return lambda path: write_table(path, frame)


def _put(path: Path, write: Callable[[Path], object]) -> str:
    """Write a file under a name of its own first, so that there is never half of it; return its hash."""
    draft = path.with_name(f".{path.name}.part")
    try:
        write(draft)
        digest = file_hash(draft)
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise
    return digest


# --- loading -------------------------------------------------------------------------------------


def load(run: str | Path) -> Results:
    """Load a run's folder.

    Nothing in it is run: a user's strategies are named, not imported.

    Parameters
    ----------
    run : str or Path
        A folder that a sweep, or a match with ``--out``, has written.

    Returns
    -------
    Results

    Raises
    ------
    UsageError
        If it is no such folder.
    RunError
        If it is unfinished, damaged, or written by a newer version; the reason is named.
    """
    folder = Path(run)
    manifest = read_manifest(folder)
    tables: dict[str, pd.DataFrame] = {}
    for name, told in _listed(folder, manifest).items():
        path = table_path(folder, name)
        try:
            digest = file_hash(path)
        except OSError as error:
            raise _damaged(folder, f"{path.name}: {error.strerror or error}") from None
        if digest != told:
            raise _damaged(folder, f"{path.name} is not what the manifest says (SHA-256 {digest[:12]}...)")
        if name not in EXACT:
            tables[name] = read_table(path)
    experiment = _experiment(folder, manifest, tables["cells"])
    groups = Groups(table_path(folder, "groups"))
    kept = kept_fields(experiment.spec.record)
    if groups.fields != kept:
        missing = sorted(set(kept) ^ set(groups.fields))
        raise _damaged(folder, f"groups.parquet has other counters than this version: {', '.join(missing)}")
    try:
        _check_identities(folder, experiment, tables, groups)
    except KeyError as error:
        raise _damaged(folder, f"a table has no column {error}") from None
    return Results(experiment, manifest, tables, groups.tally)


def load_stages(folder: Path) -> list[Course]:
    """Return the moments at the end of stages of a loaded run."""
    return read_stages(table_path(folder, "stages"))


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return a folder's manifest, its format and version checked.

    Raises
    ------
    UsageError, RunError
        As `load`.
    """
    path = folder / MANIFEST
    if not folder.is_dir():
        raise UsageError(f"{folder}: no such folder")
    if not path.exists():
        if (folder / JOURNAL).exists():
            raise RunError(f"{folder}: an unfinished run; 'ginlab resume {folder}' finishes it")
        raise UsageError(f"{folder}: not a run's folder, it has no {MANIFEST}")
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        raise _damaged(folder, f"{MANIFEST} is not JSON") from None
    return check_format(folder, manifest)


def check_format(folder: Path, told: Any) -> dict[str, Any]:
    """Refuse what is not a run of ginlab's, or is of a newer version than this one reads.

    Raises
    ------
    UsageError, RunError
        Naming the folder.
    """
    if not isinstance(told, dict) or told.get("format") != FORMAT:
        raise UsageError(f"{folder}: not a run's folder, it was written by another program")
    schema = told.get("schema")
    if not isinstance(schema, int) or schema < 1:
        raise _damaged(folder, f"schema {schema!r}")
    if schema > SCHEMA:
        raise RunError(f"{folder}: written by a newer ginlab (schema {schema}, this one reads {SCHEMA})")
    return told


def _damaged(folder: Path, reason: str) -> RunError:
    return RunError(f"{folder}: damaged: {reason}")


def _listed(folder: Path, manifest: Mapping[str, Any]) -> dict[str, str]:
    """Return the tables that the manifest lists, with their hashes."""
    try:
        listed = {str(name): str(told["sha256"]) for name, told in manifest["tables"].items()}
        record = manifest["experiment"]["record"]
        expected = {"cells", "convergence", *EXACT, *record}
    except (KeyError, TypeError, AttributeError):
        raise _damaged(folder, f"{MANIFEST} lists no tables") from None
    if set(listed) != expected or not expected <= {"cells", "convergence", *EXACT, *RECORDED}:
        wrong = ", ".join(sorted(set(listed) ^ expected))
        raise _damaged(folder, f"{MANIFEST} lists other tables than were recorded: {wrong}")
    return listed


def _experiment(folder: Path, manifest: Mapping[str, Any], cells: pd.DataFrame) -> Experiment:
    """Return the experiment that was played, with the rules that were played."""
    try:
        experiment = Experiment.from_dict(
            manifest["experiment"], str(folder), folder / STRATEGY_FILES, manifest["strategies"]
        )
        rules = {digest: Rules(**fields) for digest, fields in manifest["rules"].items()}
        if len(experiment.cells) != len(cells):
            raise _damaged(folder, f"{len(cells)} cells, the experiment has {len(experiment.cells)}")
        played = tuple(
            dataclasses.replace(cell, rules=rules[digest])
            for cell, digest in zip(experiment.cells, cells["rules_hash"], strict=True)
        )
    except (UsageError, RulesError, KeyError, TypeError, AttributeError) as error:
        raise _damaged(folder, f"{MANIFEST}: {error}") from None
    experiment = dataclasses.replace(experiment, cells=played)
    # Rules with a field that these sources have added since have another text than then.
    same_fields = all(set(fields) == set(Rules.__dataclass_fields__) for fields in manifest["rules"].values())
    if same_fields and cells_hash(experiment) != manifest.get("cells"):
        raise _damaged(folder, f"{MANIFEST} tells other cells than were played")
    return experiment


def _check_identities(
    folder: Path, experiment: Experiment, tables: Mapping[str, pd.DataFrame], groups: Groups
) -> None:
    """Check that every count is what the exact counters give, and that hands add up in all tables.

    Numbers with a fraction are not computed anew: they are those of the version that wrote them.

    Raises
    ------
    RunError
        Naming the table and the cell.
    """
    cells = tables["cells"]
    recorded = [name for name in RECORDED if name in tables]
    if groups.cells != len(experiment.cells):
        raise _damaged(folder, f"groups.parquet has {groups.cells} cells of {len(experiment.cells)}")
    theirs = {name: dict(iter(tables[name].groupby("cell"))) for name in recorded}
    for name in recorded:
        if not set(theirs[name]) <= set(range(groups.cells)):
            raise _damaged(folder, f"{name}.parquet has cells beyond the {groups.cells} of the run")
    for number in range(groups.cells):
        held = groups.tally(number, COUNTED)
        for name, outcome in COUNTS.items():
            told, count = int(cells[name].iloc[number]), held.outcome(outcome)
            if told != count:
                reason = f"{told} {name} in cells.parquet, {count} in groups.parquet"
                raise _damaged(folder, f"cell {number}: {reason}")
        for name in recorded:
            mine, rows = RECORDED[name](number, held), theirs[name].get(number, tables[name].head(0))
            if not mine.equals(rows.reset_index(drop=True)):
                raise _damaged(folder, f"cell {number}: {name}.parquet is not what groups.parquet gives")
        for name, total in (("endings", "hands"), ("lengths", "hands"), ("points", "decisive")):
            if name in theirs and number in theirs[name]:
                told, count = int(cells[total].iloc[number]), int(theirs[name][number]["hands"].sum())
                if told != count:
                    raise _damaged(folder, f"cell {number}: {told} {total}, but {count} in {name}.parquet")
    course = [(cell, pairs) for cell, pairs, _ in load_stages(folder)]
    told_course = tables["convergence"][["cell", "pairs"]]
    if course != list(told_course.itertuples(index=False, name=None)):
        raise _damaged(folder, "convergence.parquet has other stages than stages.parquet")
