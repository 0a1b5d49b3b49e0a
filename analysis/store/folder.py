"""A run's folder: what is in it, and its loading; nothing in it is taken on trust."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from analysis.console import UsageError
from analysis.experiment.cells import spread
from analysis.experiment.experiment import Experiment
from analysis.store.fields import kept_fields
from analysis.store.identities import Identities, damaged
from analysis.store.journal import NAME as JOURNAL
from analysis.store.manifest import FORMAT, SCHEMA, cells_hash, file_hash
from analysis.store.parquet import Course, Groups, column_names, read_stages, read_table
from analysis.store.results import Results
from analysis.store.tables import RECORDED
from sim.rules import Rules, RulesError
from sim.run import RunError

MANIFEST = "manifest.json"
STRATEGY_FILES = "strategy_files"
"""The folder's copies of the user's strategy files."""

EXACT = ("groups", "stages")
"""What every number can be computed from anew: counters by group, moments at the end of stages."""
CHECKED = 1_000
"""Cells whose counts are compared with the exact counters when a run is loaded: two seconds."""


def table_path(folder: Path, name: str) -> Path:
    """Return where a table stands."""
    return folder / f"{name}.parquet"


class FolderTables:
    """Tables of a run's folder, read when they are asked for."""

    def __init__(self, folder: Path, names: Sequence[str]) -> None:
        self._folder = folder
        self.names = tuple(names)

    def columns(self, name: str) -> Sequence[str]:
        """Return the names of a table's columns."""
        return column_names(table_path(self._folder, name))

    def read(self, name: str, columns: Sequence[str] | None, cells: Sequence[int] | None) -> pd.DataFrame:
        """Return a table, or some of its columns, or the rows of some cells."""
        return read_table(table_path(self._folder, name), columns, cells)


def load(run: str | Path) -> Results:
    """Load a run's folder.

    Nothing in it is run: a user's strategies are named, not imported. Every file is compared with its hash,
    and in runs of up to `CHECKED` cells every count with the exact counters; in larger ones those of
    `CHECKED` cells spread over all, and those of any other cell when its counters are asked for.

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
    listed = _listed(folder, manifest)
    for name, told in listed.items():
        path = table_path(folder, name)
        try:
            digest = file_hash(path)
        except OSError as error:
            raise damaged(folder, f"{path.name}: {error.strerror or error}") from None
        if digest != told:
            raise damaged(folder, f"{path.name} is not what the manifest says (SHA-256 {digest[:12]}...)")
    tables = FolderTables(folder, [name for name in listed if name not in EXACT])
    try:
        digests = tables.read("cells", ["rules_hash"], None)["rules_hash"].tolist()
        groups = Groups(table_path(folder, "groups"))
        experiment = _experiment(folder, manifest, digests)
        kept = kept_fields(experiment.spec.record)
        if groups.fields != kept:
            missing = sorted(set(kept) ^ set(groups.fields))
            reason = f"groups.parquet has other counters than this version: {', '.join(missing)}"
            raise damaged(folder, reason)
        check = Identities(folder, tables, groups, len(experiment.cells))
        check.whole()
        check.cells(spread(len(experiment.cells), CHECKED))
    except KeyError as error:
        raise damaged(folder, f"a table has no column {error}") from None
    except (pa.ArrowException, ValueError, OSError) as error:
        if isinstance(error, UsageError | RulesError):
            raise
        raise damaged(folder, str(error).splitlines()[0]) from None
    return Results(experiment, manifest, tables, check.tally)


def load_stages(folder: Path) -> Iterator[Course]:
    """Yield the moments at the end of stages of a loaded run, by cell."""
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
        raise damaged(folder, f"{MANIFEST} is not JSON") from None
    return check_format(folder, manifest)


def check_format(folder: Path, told: Any) -> dict[str, Any]:
    """Refuse what is not a run of ginlab's, or is of a version that this one does not read.

    Raises
    ------
    UsageError, RunError
        Naming the folder.
    """
    if not isinstance(told, dict) or told.get("format") != FORMAT:
        raise UsageError(f"{folder}: not a run's folder, it was written by another program")
    schema = told.get("schema")
    if not isinstance(schema, int) or schema < 1:
        raise damaged(folder, f"schema {schema!r}")
    if schema != SCHEMA:
        age = "a newer" if schema > SCHEMA else "an older"
        raise RunError(f"{folder}: written by {age} ginlab (schema {schema}, this one reads {SCHEMA})")
    return told


def _listed(folder: Path, manifest: Mapping[str, Any]) -> dict[str, str]:
    """Return the tables that the manifest lists, with their hashes."""
    try:
        listed = {str(name): str(told["sha256"]) for name, told in manifest["tables"].items()}
        record = manifest["experiment"]["record"]
        expected = {"cells", "convergence", *EXACT, *record}
    except (KeyError, TypeError, AttributeError):
        raise damaged(folder, f"{MANIFEST} lists no tables") from None
    if set(listed) != expected or not expected <= {"cells", "convergence", *EXACT, *RECORDED}:
        wrong = ", ".join(sorted(set(listed) ^ expected))
        raise damaged(folder, f"{MANIFEST} lists other tables than were recorded: {wrong}")
    return listed


def _experiment(folder: Path, manifest: Mapping[str, Any], digests: Sequence[str]) -> Experiment:
    """Return the experiment that was played, with the rules that were played, told by cell."""
    try:
        experiment = Experiment.from_dict(
            manifest["experiment"], str(folder), folder / STRATEGY_FILES, manifest["strategies"]
        )
        rules = {digest: Rules(**fields) for digest, fields in manifest["rules"].items()}
        if len(experiment.cells) != len(digests):
            raise damaged(folder, f"{len(digests)} cells, the experiment has {len(experiment.cells)}")
        if unknown := set(digests) - set(rules):
            raise damaged(folder, f"{MANIFEST}: no rules {min(unknown)}")
    except (UsageError, RulesError, KeyError, TypeError, AttributeError) as error:
        raise damaged(folder, f"{MANIFEST}: {error}") from None
    played = experiment.cells.as_played(lambda number: rules[digests[number]])
    experiment = experiment.with_cells(played)
    # Rules with a field that these sources have added since have another text than then.
    same_fields = all(set(fields) == set(Rules.__dataclass_fields__) for fields in manifest["rules"].values())
    if same_fields and cells_hash(experiment) != manifest.get("cells"):
        raise damaged(folder, f"{MANIFEST} tells other cells than were played")
    return experiment
