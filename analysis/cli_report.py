"""The commands that tell runs: ``report`` and ``compare``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from analysis.app import EXPERIMENTS, JsonOption, app, compiling
from analysis.console import print_json, print_table, print_text

if TYPE_CHECKING:
    from analysis.report.compare import Comparison


@app.command(
    rich_help_panel=EXPERIMENTS,
    epilog="""Examples:

  ginlab report run
  ginlab report run --out article --json

The folder gets report.html, which needs nothing else, report.md with its charts, and cells.csv.""",
)
def report(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run.", show_default=False)],
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FOLDER", help="Write there; into the run's folder if left out."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Write a run's report: question, method, numbers, charts, what can be concluded."""
    with compiling():
        from analysis.report.write import report as write_report

    told = write_report(run, out)
    if as_json:
        print_json(told.to_dict())
        return
    for path in (told.html, told.markdown, told.cells):
        typer.echo(str(path))
    typer.echo(f"{len(told.figures)} charts in {told.html.parent / 'figures'}")


@app.command(
    rich_help_panel=EXPERIMENTS,
    epilog="""Examples:

  ginlab compare before after
  ginlab compare before after --all
  ginlab compare before after --json

Cells are matched by what the axes set. Differences are of the second run less the first.""",
)
def compare(
    before: Annotated[
        Path, typer.Argument(metavar="RUN1", help="Folder of the first run.", show_default=False)
    ],
    after: Annotated[
        Path, typer.Argument(metavar="RUN2", help="Folder of the second run.", show_default=False)
    ],
    everything: Annotated[
        bool, typer.Option("--all", help="Show every comparison, not only the significant ones.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Compare two runs: settings that differ, then what changed significantly."""
    with compiling():
        from analysis.report.compare import compare as compare_runs
        from analysis.store.folder import load

    told = compare_runs(load(before), load(after))
    if as_json:
        print_json(told.to_dict(everything))
    else:
        _show(told, everything)


def _show(told: Comparison, everything: bool) -> None:
    from analysis.report.compare_text import HEADERS, by_cell, change_rows, settings_rows, summary

    if told.settings:
        print_table(("Setting", "First", "Second"), settings_rows(told))
    else:
        print_text("The settings of both runs are the same.")
    typer.echo()
    for line in summary(told):
        print_text(line)
    for cell, changes in by_cell(told.changes if everything else told.significant):
        typer.echo()
        if cell:
            print_text(cell)
        print_table(HEADERS, change_rows(changes))
