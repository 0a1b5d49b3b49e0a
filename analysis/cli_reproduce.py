"""The command that plays the published values again: ``reproduce``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from analysis.app import PLAY, JsonOption, app, compiling, stoppable
from analysis.cli_play import SeedOption, ThreadsOption
from analysis.console import INTERRUPTED, UsageError, print_json, print_table, print_text, progress_bar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from analysis.reproduction.model import Row
    from analysis.reproduction.run import Settings


def share_of_games(text: Any) -> float:
    """Read ``--scale``, a number above 0 and at most 100."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= 100:
        raise typer.BadParameter(f"{text!r} is not a number above 0 and up to 100")
    return value


share_of_games.__name__ = "X"


@app.command(
    rich_help_panel=PLAY,
    epilog="""Examples:

  ginlab reproduce --rows R1,R2,R3
  ginlab reproduce --rows R7,H1 --scale 0.1
  ginlab reproduce --out results/reproduction

Rows R1 to R13 are values, H1 to H5 claims about who beats whom. Ctrl-C keeps the finished rows.""",
)
def reproduce(
    rows: Annotated[
        str | None, typer.Option("--rows", metavar="ROW,...", help="Rows, parted by commas; all if left out.")
    ] = None,
    scale: Annotated[
        float,
        typer.Option(
            metavar="X", parser=share_of_games, help="Share of the full number of games, such as 0.1."
        ),
    ] = 1.0,
    seed: SeedOption = 2026,
    threads: ThreadsOption = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FOLDER", help="Write page, tables and manifest there.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Play what has been published again: their value, ours, whether they agree, and why not."""
    from analysis.reproduction.rows import ROWS, parse_rows

    chosen = parse_rows(rows)
    if out is not None and out.exists() and not out.is_dir():
        raise UsageError(f"--out {out}: is not a folder")
    from analysis.request import available_threads
    from strategies.base import load_decisions, parse_strategy

    with compiling():
        from analysis.reproduction.model import Play
        from analysis.reproduction.run import Settings

        for task in (task for row in chosen for task in row.tasks()):
            if isinstance(task, Play):
                for side in (task.a, task.b):
                    load_decisions(parse_strategy(side))
    settings = Settings(scale, seed, threads or available_threads())
    with stoppable():
        report = _play(chosen, settings, quiet=as_json)
    report["subset"] = len(chosen) < len(ROWS)
    if as_json:
        print_json(report)
    else:
        _show(report)
    if report["interrupted"]:
        if out is not None:
            typer.echo(f"ginlab: interrupted, so nothing is written to {out}", err=True)
        raise typer.Exit(INTERRUPTED)
    if out is not None:
        from analysis.reproduction.files import FILES, write

        write(report, out)
        if not as_json:
            print_text(f"Written to {out}: {', '.join(FILES)}.")


def _play(rows: Sequence[Row], settings: Settings, quiet: bool) -> dict[str, Any]:
    """Tell how long it takes, then play with a line for each row and a bar on a terminal."""
    from analysis.reproduction.model import Play, Task
    from analysis.reproduction.run import reproduce, seconds_to_go

    told: set[str] = set()

    def say(text: str) -> None:
        if not quiet:
            typer.echo(text, err=True)

    seconds = seconds_to_go(rows, settings)
    about = f"{seconds / 60:.0f} minutes" if seconds >= 90 else f"{max(seconds, 2):.0f} seconds"
    threads = f"{settings.threads} thread{'' if settings.threads == 1 else 's'}"
    say(f"{len(rows)} row{'' if len(rows) == 1 else 's'}: about {about} on {threads} of a common machine.")
    with progress_bar(1000, "of 1,000 parts", quiet) as update:

        def on_progress(row: Row, task: Task, behind: float, total: float) -> None:
            if row.name not in told:
                told.add(row.name)
                say(f"{row.name}: {row.title}")
            name = task.name if isinstance(task, Play) else f"counting {task.name.replace('_', ' ')}"
            update(round(1000 * behind / total) if total else 0, f"{row.name} {name}")

        return reproduce(rows, settings, on_progress)


def _show(report: dict[str, Any]) -> None:
    from analysis.reproduction.text import RULE, match_tables, notes, origin, parted, summary, value_table

    if report["interrupted"]:
        print_text(f"Interrupted; these rows were not finished: {', '.join(report['unfinished'])}.")
        typer.echo()
    for row in report["rows"]:
        print_text(f"{row['row']}. {row['title']}")
        print_text(origin(row))
        table = value_table(row)
        if table is not None:
            typer.echo()
            print_table(*table)
        for headers, rows in match_tables(row):
            typer.echo()
            print_table(headers, rows)
        told = notes(row)
        if told:
            typer.echo()
        for note in told:
            print_text(note)
        typer.echo()
    for line in (*parted(report), *summary(report), RULE):
        print_text(line)
    manifest = report["manifest"]
    scale = "" if manifest["scale"] == 1 else f" at {manifest['scale']:g} of the full number of games"
    typer.echo(f"Seed {manifest['seed']}{scale}, {report['seconds']:.1f} seconds.")
