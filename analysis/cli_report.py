"""The commands that tell runs: ``report`` and ``compare``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from analysis.app import EXPERIMENTS, JsonOption, app, compiling, stoppable
from analysis.cli_play import ThreadsOption
from analysis.cli_sweep import OnlyOption, read_only
from analysis.console import (
    INTERRUPTED,
    UsageError,
    complain,
    print_json,
    print_table,
    print_text,
    progress_bar,
)

if TYPE_CHECKING:
    from analysis.report.compare import Comparison


@app.command(
    rich_help_panel=EXPERIMENTS,
    epilog="""Examples:

  ginlab report run
  ginlab report run --out article --json
  ginlab report run --confirm
  ginlab report run --only b=simple --out against_simple

The folder gets report.html, which needs nothing else, report.md with its charts, and cells.csv.""",
)
def report(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run.", show_default=False)],
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FOLDER", help="Write there; into the run's folder if left out."),
    ] = None,
    confirm: Annotated[
        bool,
        typer.Option("--confirm", help="First play the quoted cells again, on fresh decks."),
    ] = False,
    only: OnlyOption = None,
    threads: ThreadsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write a run's report: question, method, numbers, charts, what can be concluded."""
    with compiling():
        from analysis.report.write import report as write_report

    choice = read_only(only)
    if choice and out is None:
        raise UsageError("--only: a report of a part of a run needs a folder of its own; add --out FOLDER")
    if choice and confirm:
        raise UsageError("--only and --confirm: a run is confirmed as a whole")
    if confirm:
        _confirm(run, threads, as_json)
    with drawing(as_json) as update:
        told = write_report(run, out, update, choice)
    if as_json:
        print_json(told.to_dict())
        return
    for path in (told.html, told.markdown, told.cells):
        typer.echo(str(path))
    if told.facts:
        typer.echo(f"{len(told.figures)} charts in {told.html.parent / 'figures'}")
    else:
        print_text("An overview; a report with charts is made of a part: --only AXIS=LABEL --out FOLDER.")


@contextmanager
def drawing(quiet: bool) -> Iterator[Callable[[int, int, str], None]]:
    """Show which chart is being drawn, on a terminal."""
    with ExitStack() as stack:
        bars: list[Callable[..., None]] = []

        def update(done: int, total: int, heading: str) -> None:
            if not bars:
                bars.append(stack.enter_context(progress_bar(total, "charts", quiet)))
            bars[0](done, heading)

        yield update


def _confirm(run: Path, threads: int | None, quiet: bool) -> None:
    """Play the quoted cells of a run again, and say whether they hold."""
    from analysis.report.confirm import confirm, quoted, read, verdict
    from analysis.report.facts import gather
    from analysis.request import available_threads
    from analysis.store.folder import load

    results = load(run)
    facts = gather(results)
    cells = quoted(results, facts)
    with progress_bar(sum(one.pairs for one in cells), "pairs", quiet) as update, stoppable():
        interrupted = confirm(run, results, cells, threads or available_threads(), update)
    if interrupted:
        complain("interrupted; cells that were finished are kept, the same command goes on")
        raise typer.Exit(INTERRUPTED)
    if not quiet:
        count = f"{len(cells)} quoted cell{'s' * (len(cells) > 1)} played again on fresh decks"
        print_text(f"{count}. {verdict(results, cells, read(run, results))}")


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
    from analysis.report.compare_text import by_cell, change_rows, has_p, headers, settings_rows, summary

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
        print_table(headers(told), change_rows(changes, has_p(told)))
