"""The command that plays the solo game: ``solo``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from analysis.app import PLAY, JsonOption, RulesOption, SetOption, app, compiling, stoppable, whole_number
from analysis.cli_play import FilesOption, SeedOption, ThreadsOption
from analysis.console import INTERRUPTED, load_rules, print_json, print_table, print_text, progress_bar

if TYPE_CHECKING:
    from analysis.solo import Solo
    from sim.solo import SoloRun

MAX_GAMES = 2**40
"""The counters are exact for so many games."""


@app.command(
    rich_help_panel=PLAY,
    epilog="""Examples:

  ginlab solo gold
  ginlab solo "threshold(5)" --games 1_000_000 --seed 7
  ginlab solo gin_only --set 'solo={"jokers": 2, "count_joker_card": false}' --json

One strategy plays against the jokers in the deck; the interval is 95 %.""",
)
def solo(
    strategy: Annotated[
        str, typer.Argument(metavar="STRATEGY", help="The player: name or name(param=value).")
    ],
    rules: RulesOption = "bga_solo",
    settings: SetOption = None,
    games: Annotated[
        int, typer.Option(metavar="N", parser=whole_number(1, MAX_GAMES), help="Games to play.")
    ] = 100_000,
    seed: SeedOption = 7,
    threads: ThreadsOption = None,
    score: Annotated[
        str | None,
        typer.Option("--score", metavar="P:J", help="Points of player and joker when a game begins."),
    ] = None,
    files: FilesOption = None,
    as_json: JsonOption = False,
) -> None:
    """Play the one-player game: how often a strategy beats the joker, and how hands ended."""
    chosen = load_rules(rules, settings or ())
    from analysis.request import available_threads, parse_score
    from strategies.base import load_decisions, load_strategy_file, parse_strategy

    scores = parse_score(score, chosen, "player and joker")
    with compiling():
        for file in files or ():
            load_strategy_file(file)
        who = parse_strategy(strategy)
        from analysis.solo import Solo, solo_report
        from sim.solo_rules import require_solo

        require_solo(chosen)
        load_decisions(who)
    told = Solo(who, chosen, rules, tuple(settings or ()), games, seed, scores)
    with stoppable():
        run = _play(told, threads or available_threads(), quiet=as_json)
    report = solo_report(told, run)
    if as_json:
        print_json(report)
    else:
        _show(told, report)
    if report["interrupted"]:
        raise typer.Exit(INTERRUPTED)


def _play(told: Solo, threads: int, quiet: bool) -> SoloRun:
    """Play the games, with a progress bar on a terminal."""
    from analysis.solo import play, progress_text

    with progress_bar(told.games, "games", quiet) as update:
        return play(told, threads, lambda state: update(state.games, progress_text(state.moments)))


def _show(told: Solo, report: dict[str, Any]) -> None:
    from analysis.solo import ending_rows, heading, remarks, result_rows, verdict

    if report["interrupted"]:
        typer.echo(f"Interrupted: what follows are the first {report['games']:,} of {told.games:,} games.\n")
    for line in heading(report).split("\n"):
        print_text(line)
    typer.echo()
    print_table(("", "Player", "Joker"), result_rows(report))
    typer.echo()
    print_table(("How hands ended", "Hands", "Player's points", "Joker's points"), ending_rows(report))
    typer.echo()
    for line in (verdict(report), *remarks(report)):
        print_text(line)
    if report["games_per_second"]:
        typer.echo(f"{report['seconds']:.1f} seconds, {report['games_per_second']:,.0f} games a second.")
