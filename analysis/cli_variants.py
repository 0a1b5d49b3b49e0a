"""The command that compares rule sets: ``variants``."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from analysis.app import PLAY, JsonOption, SetOption, app, compiling, stoppable, whole_number
from analysis.cli_play import FilesOption, SeedOption, SideA, SideB, ThreadsOption
from analysis.console import INTERRUPTED, print_json, print_table, print_text, progress_bar

if TYPE_CHECKING:
    from analysis.request import Match
    from sim.run import Run


@app.command(
    rich_help_panel=PLAY,
    epilog="""Examples:

  ginlab variants gin_only "threshold(10)" --rules eaai,standard,fournier,bga,bga_oklahoma
  ginlab variants gold simple --rules standard,straight_gin --games 200_000 --seed 7
  ginlab variants gold "two_stage(10, 0, 6)" --rules default,palace --set gin_bonus=20 --json

Every rule set plays the same pairs of games; where its rules play matches, as many pairs of matches.""",
)
def variants(
    a: SideA,
    b: SideB,
    rules: Annotated[
        str, typer.Option("--rules", metavar="PRESET,...", help="Rule sets, parted by commas.")
    ] = "standard,fournier,club,bga",
    settings: SetOption = None,
    games: Annotated[
        int | None,
        typer.Option(
            metavar="N", parser=whole_number(0), help="Games under each rule set; 100,000 if left out."
        ),
    ] = None,
    seed: SeedOption = 7,
    threads: ThreadsOption = None,
    files: FilesOption = None,
    as_json: JsonOption = False,
) -> None:
    """Compare rule sets: what the same two players win under each, on the same decks."""
    from analysis.request import Match, available_threads, pairs_of, parse_rule_sets
    from strategies.base import load_decisions, load_strategy_file, parse_strategy

    pairs = pairs_of(games, None)
    sets = parse_rule_sets(rules, settings or ())
    if files:
        with compiling():
            for file in files:
                load_strategy_file(file)
    sides = parse_strategy(a), parse_strategy(b)
    told = [
        Match(*sides, chosen, name, tuple(settings or ()), pairs, seed, files=tuple(files or ()))
        for name, chosen in sets
    ]
    with compiling():
        from analysis.variants import variants_report

        for side in sides:
            load_decisions(side)
    with stoppable():
        runs, interrupted = play_rounds(
            told, [match.preset for match in told], threads or available_threads(), quiet=as_json
        )
    if not runs:
        typer.echo("ginlab: interrupted before every rule set had played a round", err=True)
        raise typer.Exit(INTERRUPTED)
    report = variants_report(told, runs, interrupted)
    if as_json:
        print_json(report)
    else:
        _show(told[0], report)
    if interrupted:
        raise typer.Exit(INTERRUPTED)


def play_rounds(
    matches: Sequence[Match], names: Sequence[str], threads: int, quiet: bool
) -> tuple[list[Run], bool]:
    """Play matches of as many pairs round by round; what a stopped round has played is left out.

    Returns
    -------
    runs : list of Run
        One for each match, none if not even the first round was finished.
    interrupted : bool
        True if Ctrl-C came.
    """
    from analysis.match import play
    from analysis.variants import rounds

    runs: list[Run] = []
    try:
        with progress_bar(len(matches) * matches[0].pairs, "pairs", quiet) as update:
            for first, pairs in rounds(matches[0].pairs):
                fresh: list[Run] = []
                for match, name in zip(matches, names, strict=True):
                    done = first * len(matches) + pairs * len(fresh)

                    def on_progress(state: Any, name: str = name, done: int = done) -> None:
                        update(done + state.pairs, name)

                    fresh.append(play(match, threads, first, pairs, on_progress))
                    if fresh[-1].interrupted:
                        return runs, True
                runs = [run.then(more) for run, more in zip(runs, fresh, strict=True)] if runs else fresh
    except KeyboardInterrupt:  # between two matches, where `play` cannot see it
        return runs, True
    return runs, False


def _show(told: Match, report: dict[str, Any]) -> None:
    from analysis.variants_text import WIDTH, heading, remarks, tables

    if report["interrupted"]:
        typer.echo(f"Interrupted: what follows are the first {report['pairs']:,} of {told.pairs:,} pairs.\n")
    for line in heading(report):
        print_text(line)
    typer.echo()
    for group in tables(report, min(WIDTH, shutil.get_terminal_size().columns)):
        for headers, rows in group:
            print_table(headers, rows)
            typer.echo()
    for line in remarks(report):
        print_text(line)
    typer.echo(f"{report['seconds']:.1f} seconds.")
