"""The command by which every two of several strategies play: ``tournament``."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Annotated, Any

import typer

from analysis.app import PLAY, JsonOption, RulesOption, SetOption, app, compiling, stoppable, whole_number
from analysis.cli_play import FilesOption, SeedOption, ThreadsOption
from analysis.cli_variants import play_rounds
from analysis.console import (
    INTERRUPTED,
    load_two_player_rules,
    print_json,
    print_table,
    print_text,
)

if TYPE_CHECKING:
    from analysis.request import Tournament


@app.command(
    rich_help_panel=PLAY,
    epilog="""Examples:

  ginlab tournament simple gold "threshold(5)" gin_only --rules eaai
  ginlab tournament gold "two_stage(10, 0, 6)" "threshold(0)" --games 1_000_000 --seed 11
  ginlab tournament gold simple gin_only --rules standard --set gin_bonus=20 --json

Every pairing plays the same pairs of games; where the rules play matches, as many pairs of matches.""",
)
def tournament(
    strategies: Annotated[
        list[str], typer.Argument(metavar="STRATEGY...", help="Two or more: name or name(param=value).")
    ],
    rules: RulesOption = "default",
    settings: SetOption = None,
    games: Annotated[
        int | None,
        typer.Option(metavar="N", parser=whole_number(0), help="Games of each pairing; 100,000 if left out."),
    ] = None,
    seed: SeedOption = 7,
    threads: ThreadsOption = None,
    files: FilesOption = None,
    as_json: JsonOption = False,
) -> None:
    """Let every two strategies play: who beats whom, ratings, circles of three, seats and void hands."""
    from analysis.request import Tournament, available_threads, pairs_of

    pairs = pairs_of(games, None)
    chosen = load_two_player_rules(rules, settings or ())
    from strategies.base import load_decisions, load_strategy_file, parse_strategy

    if files:
        with compiling():
            for file in files:
                load_strategy_file(file)
    sides = tuple(parse_strategy(text) for text in strategies)
    told = Tournament(sides, chosen, rules, tuple(settings or ()), pairs, seed, tuple(files or ()))
    with compiling():
        from analysis.tournament import label, tournament_report

        for side in sides:
            load_decisions(side)
    with stoppable():
        names = [f"{label(i)} v {label(j)}" for i, j in told.pairings()]
        runs, interrupted = play_rounds(told.matches(), names, threads or available_threads(), quiet=as_json)
    if not runs:
        typer.echo("ginlab: interrupted before every pairing had played a round", err=True)
        raise typer.Exit(INTERRUPTED)
    report = tournament_report(told, runs, interrupted)
    if as_json:
        print_json(report)
    else:
        _show(told, report)
    if interrupted:
        raise typer.Exit(INTERRUPTED)


def _show(told: Tournament, report: dict[str, Any]) -> None:
    from analysis.tournament_text import heading, matrix_tables, rating_rows, remarks, seat_tables
    from analysis.variants_text import WIDTH

    if report["interrupted"]:
        typer.echo(f"Interrupted: what follows are the first {report['pairs']:,} of {told.pairs:,} pairs.\n")
    for line in heading(report):
        print_text(line)
    typer.echo()
    width = min(WIDTH, shutil.get_terminal_size().columns)
    for headers, rows in (rating_rows(report), *matrix_tables(report, width), *seat_tables(report, width)):
        print_table(headers, rows)
        typer.echo()
    for line in remarks(report):
        print_text(line)
    typer.echo(f"{report['seconds']:.1f} seconds.")
