"""Writing a report: charts, Markdown and HTML into a folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.metrics import HEADLINES
from analysis.report.blocks import Figure
from analysis.report.confirm import read
from analysis.report.facts import CellFacts, gather
from analysis.report.figures import plan, save_forms
from analysis.report.html import to_html
from analysis.report.markdown import to_markdown
from analysis.report.overview import MOST_CELLS, overview_page
from analysis.report.page import CELLS_FILE, make_page
from analysis.store.folder import MANIFEST
from analysis.store.journal import NAME as JOURNAL
from analysis.store.links import refuse_links
from analysis.store.results import Results
from sim.run import RunError

FIGURES = "figures"


@dataclass(frozen=True)
class Report:
    """What was written.

    Attributes
    ----------
    markdown, html, cells : Path
        The pages, and the table of cells.
    figures : list of Path
        The SVG of each chart.
    facts : list of CellFacts
    """

    markdown: Path
    html: Path
    cells: Path
    figures: list[Path]
    facts: list[CellFacts]

    def to_dict(self) -> dict[str, Any]:
        """Return paths and headline numbers as plain data."""
        return {
            "markdown": str(self.markdown),
            "html": str(self.html),
            "cells_csv": str(self.cells),
            "figures": [str(path) for path in self.figures],
            "cells": [
                {
                    "cell": one.cell.number,
                    "keys": one.cell.keys,
                    "a": one.cell.a,
                    "b": one.cell.b,
                    "pairs": one.pairs,
                    "stopped": one.stopped,
                    **{name: one.told(name).to_dict() for name in HEADLINES},
                }
                for one in self.facts
            ],
        }


def report(
    run: Results | str | Path,
    out: str | Path | None = None,
    on_progress: Callable[[int, int, str], None] | None = None,
    only: Mapping[str, str | Iterable[str]] | None = None,
) -> Report:
    """Write the report of a run: ``report.md``, ``report.html``, ``cells.csv`` and ``figures/``.

    Of more than `analysis.report.overview.MOST_CELLS` cells it is an overview, without charts.

    Parameters
    ----------
    run : Results or str or Path
        Results, or a run's folder.
    out : str or Path, optional
        Folder to write to, made if need be; the run's folder when left out.
    on_progress : callable, optional
        Called with charts drawn, charts in all, and what is drawn next: a chart takes a second or two.
    only : mapping of str to str or iterable of str, optional
        Labels by axis: the report is of these cells, and needs a folder of its own.

    Returns
    -------
    Report

    Raises
    ------
    UsageError
        If the folder is no run, or results were given without a folder to write to.
    RunError
        If the run is damaged or unfinished, or something cannot be written.
    """
    from analysis.console import UsageError

    if isinstance(run, Results):
        results = run
        confirmed = []
        if out is None:
            raise UsageError("report of results in memory: expected a folder to write to")
        folder = Path(out)
    else:
        from analysis.store.folder import load

        if out is None:
            refuse_links(Path(run))
        results = load(run)
        confirmed = read(Path(run), results)
        folder = Path(run if out is None else out)
    if only:
        if out is None:
            raise UsageError("report of a part of a run: expected a folder of its own to write to")
        if (folder / MANIFEST).exists() or (folder / JOURNAL).exists():
            raise UsageError(f"{folder}: holds a run; a report of a part of a run needs a folder of its own")
        results, confirmed = results.only(only), []
    large = len(results.cells) > MOST_CELLS
    facts = [] if large else gather(results)
    charts = [] if large else plan(results, facts)
    try:
        (folder / FIGURES).mkdir(parents=True, exist_ok=True)
        saved: list[Figure] = []
        for chart in charts:
            if on_progress is not None:
                on_progress(len(saved), len(charts), chart.heading.partition(":")[0])
            saved.append(save_forms(chart, folder / FIGURES))
        page = overview_page(results, CELLS_FILE) if large else make_page(results, facts, saved, confirmed)
        _write(folder / CELLS_FILE, results.table("cells").to_csv(index=False, lineterminator="\n"))
        _write(folder / "report.md", to_markdown(page))
        _write(
            folder / "report.html",
            to_html(page, lambda name: (folder / FIGURES / f"{name}.svg").read_bytes()),
        )
    except OSError as error:
        raise RunError(f"{error.filename or folder}: {error.strerror or error}") from None
    return Report(
        folder / "report.md",
        folder / "report.html",
        folder / CELLS_FILE,
        [folder / FIGURES / f"{figure.name}.svg" for figure in saved],
        facts,
    )


def _write(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    draft = path.with_name(f".{path.name}.part")
    draft.write_text(text, encoding="utf-8")
    os.replace(draft, path)
