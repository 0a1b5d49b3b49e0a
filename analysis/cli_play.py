"""The commands that play: ``match``, ``replay``, ``bench``."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from analysis.app import PLAY, JsonOption, RulesOption, SetOption, app, compiling, stoppable, whole_number
from analysis.console import (
    INTERRUPTED,
    UsageError,
    load_two_player_rules,
    print_fields,
    print_json,
    print_table,
    print_text,
    progress_bar,
)

if TYPE_CHECKING:
    from analysis.request import Match
    from sim.run import Run

SideA = Annotated[str, typer.Argument(metavar="A", help="Strategy of side A: name or name(param=value).")]
SideB = Annotated[str, typer.Argument(metavar="B", help="Strategy of side B.")]
FilesOption = Annotated[
    list[str] | None,
    typer.Option("--strategy-file", metavar="FILE", help="Python file with strategies; it is run."),
]
ThreadsOption = Annotated[
    int | None,
    typer.Option(metavar="N", parser=whole_number(1, 256), help="Threads; all processors if left out."),
]
SeedOption = Annotated[
    int, typer.Option(metavar="N", parser=whole_number(0, 2**63 - 1), help="Decides every deck.")
]
ScoreOption = Annotated[str | None, typer.Option("--score", metavar="A:B", help="Points when a game begins.")]
DealerOption = Annotated[
    str | None, typer.Option("--dealer", metavar="a|b", help="Who deals the first hand of each game.")
]


_SINGLE_HANDS = ("match_type=single_hand", "match_length=1")


def _unit(text: str) -> str:
    """Read ``--unit``."""
    if text not in ("game", "hand"):
        raise typer.BadParameter(f"{text!r} is not game or hand")
    return text


def _prepare(
    a: str,
    b: str,
    rules: str,
    settings: list[str] | None,
    files: list[str] | None,
    pairs: int,
    seed: int,
    score: str | None,
    dealer: str | None,
) -> Match:
    """Read what is to be played; everything wrong with it is told before the engine is compiled."""
    chosen = load_two_player_rules(rules, settings or ())
    from analysis.request import Match, parse_dealer, parse_score
    from strategies.base import load_strategy_file, parse_strategy

    if files:
        with compiling():
            for file in files:
                load_strategy_file(file)
    return Match(
        parse_strategy(a),
        parse_strategy(b),
        chosen,
        rules,
        tuple(settings or ()),
        pairs,
        seed,
        parse_score(score, chosen),
        parse_dealer(dealer),
        tuple(files or ()),
    )


@app.command(
    rich_help_panel=PLAY,
    epilog="""Examples:

  ginlab match gin_only "threshold(10)" --rules eaai --games 1_000_000
  ginlab match gold simple --rules standard --set gin_bonus=20 --seed 7
  ginlab match "two_stage(10, 0, 6)" gold --score 62:80 --dealer a --json
  ginlab match simple "threshold(4)" --knocks
  ginlab match simple gold --unit hand --score 62:80

Games go in pairs on the same decks, the sides changing packets; intervals are 95 %.""",
)
def match(
    a: SideA,
    b: SideB,
    rules: RulesOption = "default",
    settings: SetOption = None,
    games: Annotated[
        int | None,
        typer.Option(
            metavar="N", parser=whole_number(0), help="Games to play, an even number; 100,000 if left out."
        ),
    ] = None,
    pairs: Annotated[
        int | None,
        typer.Option(metavar="N", parser=whole_number(0), help="Pairs of games to play, instead of --games."),
    ] = None,
    seed: SeedOption = 7,
    threads: ThreadsOption = None,
    score: ScoreOption = None,
    dealer: DealerOption = None,
    files: FilesOption = None,
    knocks: Annotated[
        bool, typer.Option("--knocks", help="Add what knocks led to, by deadwood and own turn.")
    ] = False,
    unit: Annotated[
        str,
        typer.Option(
            metavar="game|hand",
            parser=_unit,
            help="hand: each deck is one hand, played twice, from the score.",
        ),
    ] = "game",
    out: Annotated[
        Path | None, typer.Option("--out", metavar="RUN", help="Keep the run in a new folder, as sweep does.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Play a match: who wins, by how much, how sure that is, and how hands ended."""
    from analysis.request import available_threads, pairs_of

    asked = pairs_of(games, pairs)
    changed = [*(settings or ()), *_SINGLE_HANDS] if unit == "hand" else settings
    told = _prepare(a, b, rules, changed, files, asked, seed, score, dealer)
    if pairs is None and told.rules.match_type in ("best_of", "first_to_points"):
        if out is not None:
            raise UsageError("--out: where the rules play matches of several games, give --pairs")
        told = dataclasses.replace(told, least_games=2 * asked)
    with compiling():
        from analysis.match import match_report

        _load_decisions(told)

    with stoppable():
        if out is None:
            run = _play(told, threads or available_threads(), quiet=as_json)
        else:
            run = _keep(told, unit, out, threads, quiet=as_json)
    report = match_report(told, run)
    if as_json:
        if knocks:
            from analysis.knocks_text import knocks_dict

            report["knocks"] = knocks_dict(run.tally)
        print_json(report)
    else:
        _show(told, report)
        if knocks:
            _show_knocks(run)
    if report["interrupted"]:
        raise typer.Exit(INTERRUPTED)


def _keep(told: Match, unit: str, out: Path, threads: int | None, quiet: bool) -> Run:
    """Play a match as an experiment of one cell, whose folder can be resumed, extended and loaded."""
    from analysis.cli_sweep import sweep_progress
    from analysis.experiment.experiment import Experiment
    from analysis.experiment.runs import start
    from sim.run import NO_SWING, Run

    with sweep_progress(quiet) as on_progress:
        results = start(Experiment.of_match(told, unit), out, threads, on_progress)
    seconds = results.manifest["timings"]["seconds"]
    interrupted = results.manifest["interrupted"]
    return Run(results.tally(0), 0, results.pairs(0), seconds, interrupted, NO_SWING)


def _load_decisions(told: Match) -> None:
    from strategies.base import load_decisions

    for side in (told.a, told.b):
        load_decisions(side)


def _play(told: Match, threads: int, quiet: bool) -> Run:
    """Play a match with a progress bar on a terminal; a long one shows its first result early."""
    from analysis.match import PREVIEW_PAIRS, preview_text

    run = None
    shown = quiet
    while (pairs := told.pairs_to_go(run.pairs if run else 0, run.tally.outcome("games") if run else 0)) > 0:
        preview = not shown and pairs >= 4 * PREVIEW_PAIRS
        first = run.pairs if run else 0
        before = run.tally.total("moments") if run else 0
        part = _with_progress(told, threads, first, PREVIEW_PAIRS if preview else pairs, before)
        run = run.then(part) if run else part
        if run.interrupted:  # even if its last pair was played before
            break
        if preview:
            typer.echo(preview_text(run), err=True)
            shown = True
    if run is None:
        raise ValueError("a match without pairs")
    return run


def _with_progress(told: Match, threads: int, first: int, pairs: int, before: Any) -> Run:
    """Play some pairs; ``before`` are the moments of those already played, for the running estimate."""
    from analysis.match import games_of, play, progress_text

    with progress_bar(pairs, "games") as update:

        def on_progress(state: Any) -> None:
            moments = before + state.moments
            each = games_of(state.moments) / max(state.pairs, 1)
            update(state.pairs, progress_text(moments), games_of(moments), each)

        return play(told, threads, first, pairs, on_progress)


def _show(told: Match, report: dict[str, Any]) -> None:
    from analysis.match import ending_rows, heading, remarks, replay_command, result_rows, verdict

    if report["interrupted"]:
        games = f"{report['games']:,} of {told.least_games or 2 * told.pairs:,}"
        typer.echo(f"Interrupted: what follows are the first {games} games.\n")
    for line in heading(report).split("\n"):
        print_text(line)
    typer.echo()
    print_table(("", "A", "B", "Ahead"), result_rows(report))
    typer.echo()
    print_table(("How hands ended", "A", "B"), ending_rows(report))
    typer.echo()
    for line in (verdict(report), *remarks(report)):
        print_text(line)
    if report["games_per_second"]:
        typer.echo(f"{report['seconds']:.1f} seconds, {report['games_per_second']:,.0f} games a second.")
    command = replay_command(told, report)
    if command is not None:
        typer.echo(f"The largest come-back, {report['largest_swing']['points']} points:\n  {command}")


def _show_knocks(run: Run) -> None:
    from analysis.knocks_text import matrices, remarks

    for title, headers, rows in matrices(run.tally):
        typer.echo(f"\n{title}, by deadwood and own turn")
        print_table(headers, rows)
    typer.echo()
    for line in remarks(run.tally):
        print_text(line)


@app.command(
    rich_help_panel=PLAY,
    epilog="""Example:

  ginlab replay gin_only "threshold(10)" --rules eaai --seed 7 --pair 12 --game 1""",
)
def replay(
    a: SideA,
    b: SideB,
    pair: Annotated[
        int, typer.Option(metavar="N", parser=whole_number(0, 2**62 - 1), help="Index of the pair, from 0.")
    ],
    game: Annotated[
        int, typer.Option(metavar="0|1", parser=whole_number(0, 1), help="0: A holds packet 0; 1: packet 1.")
    ] = 0,
    rules: RulesOption = "default",
    settings: SetOption = None,
    seed: SeedOption = 7,
    score: ScoreOption = None,
    dealer: DealerOption = None,
    files: FilesOption = None,
    as_json: JsonOption = False,
) -> None:
    """Tell one game (or match) of a pair hand by hand, turn by turn, as the engine plays it."""
    told = _prepare(a, b, rules, settings, files, 1, seed, score, dealer)
    with compiling():
        from analysis.match import request_dict
        from analysis.story import story_dict, tell_match
        from sim.replay import replay_match
        from strategies.base import player

        _load_decisions(told)

    story = replay_match(
        player(told.a),
        player(told.b),
        told.rules,
        pair=pair,
        game=game,
        seed=seed,
        scores=told.scores,
        dealer=told.dealer,
    )
    if as_json:
        print_json({**request_dict(told), "pair": pair, "game": game, **story_dict(story)})
        return
    for line in tell_match(story, str(told.a), str(told.b)):
        typer.echo(line)


@app.command(
    rich_help_panel=PLAY,
    epilog="""Examples:

  ginlab bench
  cc -O3 -march=native -o gin_limit docs/bench/gin_limit.c
  ginlab bench --reference ./gin_limit
  ginlab bench --presets
  ginlab bench --strategies --rounds 1""",
)
def bench(
    rounds: Annotated[
        int, typer.Option(metavar="N", parser=whole_number(1, 1000), help="Rounds; figures are medians.")
    ] = 5,
    threads: ThreadsOption = None,
    reference: Annotated[
        str | None, typer.Option(metavar="PROGRAM", help="The compiled gin_limit.c, to compare with.")
    ] = None,
    presets: Annotated[
        bool, typer.Option("--presets", help="Instead: what a turn costs under each preset.")
    ] = False,
    strategies: Annotated[
        bool, typer.Option("--strategies", help="Instead: how fast each strategy plays, against simple.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Measure the engine's speed on this machine."""
    if presets and strategies:
        raise UsageError("--presets and --strategies: give one of them")
    alone = "--presets" if presets else "--strategies" if strategies else None
    if alone and (threads is not None or reference is not None):
        raise UsageError(f"{alone}: goes with neither --threads nor --reference")
    with compiling():
        from analysis.bench import bench_fields, benchmark, benchmark_presets
        from analysis.bench_strategies import benchmark_strategies

    if strategies:
        stages = benchmark_strategies(rounds)
    else:
        stages = benchmark_presets(rounds) if presets else benchmark(rounds, threads, reference)
    report: dict[str, Any] = {}
    for stage, so_far in stages:
        typer.echo(stage, err=True)
        report = so_far
    if as_json:
        print_json(report)
    elif strategies:
        _show_strategies(report)
    elif presets:
        rows = [
            (name, f"{one['ns_per_turn']:.1f} ns", f"{one['ratio']:.2f}")
            for name, one in report["presets"].items()
        ]
        print_table(("Preset", "A turn", "By eaai's"), rows)
    else:
        print_fields(bench_fields(report))


def _show_strategies(report: dict[str, Any]) -> None:
    from analysis.bench_strategies import strategies_rows

    print_table(("Hands/s", "Ratio", "A turn", "Turns a hand", "Strategy"), strategies_rows(report))
    typer.echo()
    print_text(
        f"Against {report['against']} under {report['rules']}, a CPU second on one thread; ratios are to its "
        "hands a second against itself."
    )
    for name, reason in report["skipped"].items():
        print_text(f"Not measured: {name} ({reason}).")
