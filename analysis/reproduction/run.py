"""Play what the rows need, each match once, and put published values and ours into one report."""

from __future__ import annotations

import functools
import hashlib
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.console import load_two_player_rules
from analysis.reproduction import surveys
from analysis.reproduction.agree import by_chance, compare
from analysis.reproduction.measures import MEASURES, PANEL
from analysis.reproduction.model import SEED, Line, Play, Row, Survey, Task, task_dict
from analysis.reproduction.published import plain
from analysis.reproduction.referee import framework_player, greedy_layoff
from analysis.stats.estimates import Estimate
from analysis.versions import versions
from sim.run import play_match
from sim.tally import Tally
from sim.view import joint_layoff
from strategies.base import parse_strategy, player

SCHEMA = 1
"""Version of the report's keys."""


@dataclass(frozen=True)
class Settings:
    """How much is played.

    Attributes
    ----------
    scale : float
        Share of the full number of games and deals.
    seed : int
        Decides every deck.
    threads : int
        Threads to play in.
    """

    scale: float = 1.0
    seed: int = SEED
    threads: int = 1


Result = Tally | dict[str, Estimate]
"""What came of a match, or of a survey."""

Progress = Callable[[Row, Task, float, float], None]
"""Told the row, the task, and the seconds of one thread behind it and in all, as estimated."""


class _Stopped(Exception):
    """Ctrl-C came during a match."""


def seconds_to_go(rows: Iterable[Row], settings: Settings) -> float:
    """Return about how long the rows take, from what games take on a common machine."""
    tasks = {task: None for row in rows for task in row.tasks()}
    plays = sum(task.seconds(settings.scale) for task in tasks if isinstance(task, Play))
    counts = sum(task.seconds(settings.scale) for task in tasks if isinstance(task, Survey))
    return plays / settings.threads + counts


def play_task(task: Task, settings: Settings, on_share: Callable[[float], None] | None = None) -> Result:
    """Play or count what a line needs; ``on_share`` is told what share is done.

    Raises
    ------
    _Stopped
        If Ctrl-C came.
    """
    if isinstance(task, Survey):
        try:
            if task.name == "gin_hands":
                return surveys.gin_hands()
            if task.name == "melds":
                return surveys.count_melds()
            return surveys.dealt_deadwood(task.size(settings.scale), settings.seed)
        except KeyboardInterrupt:
            raise _Stopped from None
    seat = framework_player if task.framework else player
    run = play_match(
        seat(parse_strategy(task.a)),
        seat(parse_strategy(task.b)),
        load_two_player_rules(task.rules, task.settings),
        pairs=task.pairs(settings.scale),
        seed=settings.seed,
        threads=settings.threads,
        layoff=greedy_layoff if task.framework else joint_layoff,
        on_progress=None if on_share is None else lambda state: on_share(state.pairs / state.total),
    )
    if run.interrupted:
        raise _Stopped
    return run.tally


def _tell(
    on_progress: Progress, row: Row, task: Task, behind: float, cost: float, total: float, share: float
) -> None:
    on_progress(row, task, behind + share * cost, total)


def play_rows(
    rows: Sequence[Row], settings: Settings, on_progress: Progress | None = None
) -> tuple[list[Row], dict[Task, Result], bool]:
    """Play row after row; what several rows need is played once.

    Returns
    -------
    rows : list of Row
        Those that were finished, in order.
    results : dict
        By match or survey.
    interrupted : bool
        True if Ctrl-C came; the row it came in is left out.
    """
    results: dict[Task, Result] = {}
    finished: list[Row] = []
    all_tasks = list({task: None for row in rows for task in row.tasks()})
    total = sum(task.seconds(settings.scale) for task in all_tasks)
    behind = 0.0
    try:
        for row in rows:
            for task in row.tasks():
                if task in results:
                    continue
                cost = task.seconds(settings.scale)
                tell = None
                if on_progress is not None:
                    tell = functools.partial(_tell, on_progress, row, task, behind, cost, total)
                    tell(0.0)
                results[task] = play_task(task, settings, tell)
                behind += cost
            finished.append(row)
    except (_Stopped, KeyboardInterrupt):
        return finished, results, True
    return finished, results, False


# --- the report ----------------------------------------------------------------------------------


def measured(line: Line, result: Result) -> Estimate:
    """Return our number of a line, in the unit it is told in."""
    told = result[line.measure] if isinstance(result, dict) else MEASURES[line.measure](result)
    unit = 100 if line.percent else 1
    value, low, high = (None if end is None else unit * end for end in (told.estimate, told.low, told.high))
    return Estimate(value, low, high)


def _size(line: Line, result: Result, scale: float) -> int | None:
    """Return the size of our sample in the unit of the published one."""
    sample = getattr(line.published, "sample", None)
    if sample is None:
        return None
    if isinstance(line.task, Survey) or isinstance(result, dict):
        return line.task.size(scale) if isinstance(line.task, Survey) else None
    return result.outcome(sample[1])


def line_dict(row: Row, line: Line, result: Result, scale: float) -> dict[str, Any]:
    """Return a line as plain data, with the verdict where it is judged."""
    ours = measured(line, result)
    judged = line.published is not None and not row.context
    told: dict[str, Any] = {
        "what": line.what.strip(),
        "measure": line.measure,
        "experiment": line.published is None,
        "percent": line.percent,
        "published": plain(line.published),
        "ours": ours.to_dict(),
        "judged": judged,
        "agrees": None,
        "distance": None,
        "task": task_dict(line.task, scale),
    }
    if judged and line.published is not None:
        verdict = compare(line.published, ours, _size(line, result, scale))
        told["agrees"], told["distance"] = verdict.agrees, verdict.distance
    return told


def panel_dict(play: Play, tally: Tally, scale: float) -> dict[str, Any]:
    """Return a match as it stands in the head-to-head table."""
    return {
        "name": play.name,
        "single_hands": play.single_hands,
        "games": tally.outcome("games"),
        "hands": tally.outcome("hands"),
        **{name: MEASURES[name](tally).to_dict() for name in PANEL},
        "task": task_dict(play, scale),
    }


def row_dict(row: Row, results: dict[Task, Result], scale: float) -> dict[str, Any]:
    """Return a row as plain data."""
    panel = []
    for play in row.panel:
        tally = results[play]
        if isinstance(tally, Tally):
            panel.append(panel_dict(play, tally, scale))
    return {
        "row": row.name,
        "title": row.title,
        "conditions": row.conditions,
        "source": row.source,
        "context": row.context,
        "lines": [line_dict(row, line, results[line.task], scale) for line in row.lines],
        "reading": row.reading,
        "why": None,
        "measured_apart": list(row.apart),
        "panel": panel,
    }


def report_of(
    asked: Sequence[Row],
    finished: Sequence[Row],
    results: dict[Task, Result],
    settings: Settings,
    interrupted: bool,
    seconds: float,
) -> dict[str, Any]:
    """Return the report: rows with published values, ours and verdicts, and what was played.

    Parameters
    ----------
    asked, finished : sequence of Row
        Rows asked for, and those of them that were played to the end.
    results : dict
        By match or survey.
    settings : Settings
    interrupted : bool
        True if Ctrl-C came.
    seconds : float
        Wall time.

    Returns
    -------
    dict
        Plain data; ``manifest`` in it says what the numbers hang on, and nothing of times and machine.
    """
    rows = [row_dict(row, results, settings.scale) for row in finished]
    judged = [line for row in rows for line in row["lines"] if line["judged"] and line["agrees"] is not None]
    apart = [line for line in judged if not line["agrees"]]
    for line in apart:
        line["perhaps_chance"] = line["distance"] is not None and by_chance(line["distance"], len(judged))
    for row, told in zip(finished, rows, strict=True):
        if any(line in apart for line in told["lines"]):
            told["why"] = row.why
    return {
        "schema": SCHEMA,
        "rows": rows,
        "judged": len(judged),
        "agree": len(judged) - len(apart),
        "manifest": manifest(finished, settings),
        "unfinished": [row.name for row in asked if row not in finished],
        "interrupted": interrupted,
        "seconds": seconds,
    }


def manifest(rows: Sequence[Row], settings: Settings) -> dict[str, Any]:
    """Return what the numbers of some rows hang on: seed, games, versions, the sources' hash."""
    tasks = list({task: None for row in rows for task in row.tasks()})
    return {
        "schema": SCHEMA,
        "rows": [row.name for row in rows],
        "seed": settings.seed,
        "scale": settings.scale,
        "tasks": [task_dict(task, settings.scale) for task in tasks],
        "versions": versions("numba", "numpy", "scipy"),
        "source_hash": source_hash(),
    }


def source_hash() -> str:
    """Return 16 hexadecimal digits over the sources of all three packages."""
    digest = hashlib.sha256()
    root = Path(__file__).resolve().parent.parent.parent
    for package in ("sim", "strategies", "analysis"):
        for path in sorted((root / package).rglob("*")):
            if path.suffix in (".py", ".json"):
                digest.update(path.relative_to(root).as_posix().encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def reproduce(rows: Sequence[Row], settings: Settings, on_progress: Progress | None = None) -> dict[str, Any]:
    """Play rows and return their report, see `report_of`."""
    started = time.perf_counter()
    finished, results, interrupted = play_rows(rows, settings, on_progress)
    return report_of(rows, finished, results, settings, interrupted, time.perf_counter() - started)
