"""The command that values scores: ``equity``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from analysis.app import PLAY, JsonOption, RulesOption, SetOption, app, compiling, stoppable, whole_number
from analysis.cli_play import FilesOption, SeedOption, SideA, SideB, ThreadsOption
from analysis.console import (
    INTERRUPTED,
    check_outputs,
    load_two_player_rules,
    print_fields,
    print_json,
    print_table,
    print_text,
    progress_bar,
)

if TYPE_CHECKING:
    from analysis.knocking.equity import Equity
    from analysis.knocking.outcomes import Outcomes
    from analysis.request import Match

SCORE_COLUMNS = ("", "Deals", "95 % interval in brackets")


@app.command(
    rich_help_panel=PLAY,
    epilog="""Examples:

  ginlab equity gold simple --rules eaai
  ginlab equity gold "two_stage(10, 0, 6)" --score 62:80 --dealer a
  ginlab equity clinch gin_only --rules eaai --step 5 --pairs 400_000
  ginlab equity gold gold --rules palace --csv equity.csv --chart equity

Games are solved from how hands ended; intervals are 95 %.""",
)
def equity(
    a: SideA,
    b: SideB,
    rules: RulesOption = "default",
    settings: SetOption = None,
    pairs: Annotated[
        int,
        typer.Option(metavar="N", parser=whole_number(1, 2**31), help="Pairs of hands with each dealer."),
    ] = 200_000,
    seed: SeedOption = 7,
    threads: ThreadsOption = None,
    score: Annotated[
        str | None, typer.Option("--score", metavar="A:B", help="Only this score, all told of it.")
    ] = None,
    dealer: Annotated[
        str | None, typer.Option("--dealer", metavar="a|b", help="Only with this side to deal.")
    ] = None,
    step: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            parser=whole_number(1),
            help="Measure apart in square cells of N points; left out: where play is seen to differ.",
        ),
    ] = None,
    files: FilesOption = None,
    csv: Annotated[
        Path | None, typer.Option("--csv", metavar="FILE", help="Write every score as a row of a table.")
    ] = None,
    chart: Annotated[
        Path | None, typer.Option("--chart", metavar="FILE", help="Draw maps of both scores: SVG, PNG, CSV.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Value every score of a game: who wins from there, and by how much, whoever deals."""
    from analysis.request import Match, available_threads, parse_dealer, parse_score
    from strategies.base import load_decisions, load_strategy_file, parse_strategy

    chosen = load_two_player_rules(rules, settings or ())
    asked = None if score is None else parse_score(score, chosen)
    side = parse_dealer(dealer)
    check_outputs({"--csv": csv}, {"--chart": chart})
    if files:
        with compiling():
            for file in files:
                load_strategy_file(file)
    told = Match(
        parse_strategy(a), parse_strategy(b), chosen, rules, tuple(settings or ()), pairs, seed,
        dealer=side, files=tuple(files or ()),
    )  # fmt: skip
    with compiling():
        from analysis.knocking.equity import require_one_game

        require_one_game(chosen)
        for strategy in (told.a, told.b):
            load_decisions(strategy)
    try:
        with stoppable():
            outcomes, found = _measure(told, step, threads or available_threads(), as_json)
    except KeyboardInterrupt:
        typer.echo("ginlab: interrupted before all hands were played; nothing is kept", err=True)
        raise typer.Exit(INTERRUPTED) from None
    _tell(told, outcomes, found, asked, csv, chart, as_json)


def _measure(told: Match, step: int | None, threads: int, quiet: bool) -> tuple[Outcomes, Equity]:
    """Play hands and solve the game."""
    from analysis.knocking.equity import solve
    from analysis.knocking.outcomes import measure
    from analysis.knocking.score_cells import play_cells, reads_score, square_cells
    from strategies.base import player

    a, b = player(told.a), player(told.b)
    with progress_bar(2 * told.pairs, "pairs of hands", quiet) as update:
        cells = None
        if step is not None:
            cells = square_cells(told.rules.game_target, step)
        elif reads_score(a) or reads_score(b):
            update(0, "looking where play differs by the score")
            cells = play_cells(a, b, told.rules, seed=told.seed, threads=threads)
        outcomes = measure(
            a, b, told.rules, pairs=told.pairs, seed=told.seed, threads=threads, cells=cells,
            on_progress=lambda done: update(done, "playing"),
        )  # fmt: skip
        update(2 * told.pairs, "solving")
        return outcomes, solve(outcomes, told.rules, threads=threads)


def _tell(
    told: Match,
    outcomes: Outcomes,
    found: Equity,
    score: tuple[int, int] | None,
    csv: Path | None,
    chart: Path | None,
    as_json: bool,
) -> None:
    """Print what was found, and write the files asked for."""
    from analysis.knocking.equity_text import equity_report, equity_table

    table = equity_table(found, score, told.dealer)
    if as_json:
        print_json(equity_report(told, outcomes, found, table, score))
    else:
        _show(told, outcomes, found, score)
    if csv is not None:
        csv.write_text(table.to_csv(index=False, lineterminator="\n"), encoding="utf-8")
        if not as_json:
            print_text(f"Written to {csv}, {len(table):,} rows.")
    if chart is not None:
        _draw(told, outcomes, found, chart, as_json)


def _show(told: Match, outcomes: Outcomes, found: Equity, score: tuple[int, int] | None) -> None:
    from analysis.knocking.equity_text import measured_text, score_rows, widest, win_rows
    from analysis.match import files_text, request_dict, rules_text

    asked = request_dict(told)
    typer.echo(f"A = {told.a}\nB = {told.b}\n{files_text(asked['files'])}", nl=False)
    print_text(rules_text(asked["rules"]))
    print_fields([("Rests on", measured_text(told, outcomes))])
    typer.echo()
    if score is not None:
        typer.echo(f"From {score[0]}:{score[1]} (A:B)")
        print_table(SCORE_COLUMNS, score_rows(found, score, told.dealer))
        return
    for side in (0, 1) if told.dealer is None else (told.dealer,):
        typer.echo(f"A wins the game, %, when {'AB'[side]} deals the next hand; A's points down, B's across")
        print_table(*win_rows(found, side))
        typer.echo()
    print_text(f"Every chance is known to {widest(found):.2f} percentage points or better (95 %).")
    typer.echo("\nFrom 0:0")
    print_table(SCORE_COLUMNS, score_rows(found, (0, 0), told.dealer))


def _draw(told: Match, outcomes: Outcomes, found: Equity, path: Path, quiet: bool) -> None:
    """Draw the maps."""
    from analysis.charts.equity_map import draw_equity_map, equity_map_alt, equity_map_height, equity_map_info
    from analysis.charts.save import save_chart
    from analysis.charts.style import PAGE
    from analysis.knocking.equity_text import measured_text, widest

    info = equity_map_info(found)
    changed = "".join(f" {one}" for one in told.settings)
    saved = save_chart(
        draw_equity_map, info, path, height=equity_map_height(info, PAGE),
        title=f"Match equity: A = {told.a}, B = {told.b}",
        caption=(
            "Left: the mean of both dealers, lines at every tenth. Right: A acts first if B deals. "
            f"Rules {told.preset}{changed} ({told.rules.hash[:8]}); {measured_text(told, outcomes)}. "
            f"Chances are known to {widest(found):.2f} percentage points or better (95 %)."
        ),
        alt=equity_map_alt(info),
    )  # fmt: skip
    if not quiet:
        print_text(f"Drawn in {saved.svg}, {saved.png}; its data in {saved.csv}.")
