"""The command that seeks a strategy's parameters: ``tune``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from analysis.app import (
    EXPERIMENTS,
    JsonOption,
    RulesOption,
    SetOption,
    app,
    compiling,
    stoppable,
    whole_number,
)
from analysis.cli_play import FilesOption, SeedOption, ThreadsOption
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
    from analysis.tuning.question import Question


@app.command(
    rich_help_panel=EXPERIMENTS,
    epilog="""Examples:

  ginlab tune threshold --against simple --rules eaai
  ginlab tune marjj --free weight,decay --against simple --out tuned --chart tuned.svg
  ginlab tune "combine(gold, two_stage, marjj)" --free knock.late --against gold
  ginlab tune heisenbot --range gap=0:60 --against simple --against gold

With --out a search that was stopped goes on when the same command is given again.""",
)
def tune(
    family: Annotated[
        str, typer.Argument(metavar="FAMILY", help="Strategy to begin with: name or name(param=value).")
    ],
    against: Annotated[
        list[str], typer.Option("--against", metavar="STRATEGY", help="Opponent; can be repeated.")
    ],
    rules: RulesOption = "default",
    settings: SetOption = None,
    free: Annotated[
        str | None,
        typer.Option(metavar="NAME,...", help="Parameters to change; all its numbers if left out."),
    ] = None,
    ranges: Annotated[
        list[str] | None,
        typer.Option("--range", metavar="NAME=LOW:HIGH", help="A narrower range; can be repeated."),
    ] = None,
    objective: Annotated[
        str, typer.Option(metavar="METRIC", help="points_per_hand, game_share or hand_share.")
    ] = "points_per_hand",
    pairs: Annotated[
        int, typer.Option(metavar="N", parser=whole_number(1), help="Pairs a strategy plays, to begin with.")
    ] = 500,
    most_pairs: Annotated[
        int,
        typer.Option(metavar="N", parser=whole_number(1), help="At most so many, where the order is unsure."),
    ] = 8_000,
    generations: Annotated[
        int, typer.Option(metavar="N", parser=whole_number(1), help="Generations of CMA-ES, at most.")
    ] = 30,
    final_pairs: Annotated[
        int, typer.Option(metavar="N", parser=whole_number(1), help="Fresh pairs of the final figure.")
    ] = 100_000,
    seed: SeedOption = 7,
    threads: ThreadsOption = None,
    files: FilesOption = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FOLDER", help="Keep what is played; goes on from there.")
    ] = None,
    chart: Annotated[
        Path | None, typer.Option("--chart", metavar="FILE", help="Draw the search: SVG, PNG and CSV.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Seek the parameters with which a strategy does best against some opponents."""
    check_outputs({}, {"--chart": chart})
    chosen = load_two_player_rules(rules, settings or ())
    with compiling():
        from analysis.request import available_threads
        from analysis.tuning.question import Question, parse_ranges
        from analysis.tuning.space import space
        from strategies.base import load_decisions, load_strategy_file, parse_strategy

        for file in files or ():
            load_strategy_file(file)
        names = [name.strip() for name in free.split(",")] if free else []
        told = Question(
            space(parse_strategy(family), names, parse_ranges(ranges or ())),
            tuple(parse_strategy(text) for text in against),
            chosen,
            rules,
            tuple(settings or ()),
            objective,
            pairs,
            most_pairs,
            generations,
            final_pairs,
            seed,
            tuple(files or ()),
        )
        for side in (told.space.start, *told.against):
            load_decisions(side)
    report = _search(told, threads or available_threads(), out, as_json)
    if out is not None:
        from analysis.tuning.journal import write_result

        write_result(out, json.dumps(report, indent=2, allow_nan=False) + "\n")
    if chart is not None:
        _draw(report, chart)
    if as_json:
        print_json(report)
    else:
        _show(report, out, chart)


def _search(told: Question, threads: int, out: Path | None, quiet: bool) -> dict[str, Any]:
    """Run the search, with a progress bar on a terminal; Ctrl-C leaves, saying what is kept."""
    from analysis.tuning.journal import opened
    from analysis.tuning.measure import matches
    from analysis.tuning.search import tune as seek
    from analysis.versions import versions
    from sim._jit import source_hash

    played = 0
    part, word = 0.0, ""
    question = {
        **told.to_dict(),
        "versions": versions("numba", "numpy", "cma"),
        "source_hash": source_hash(),
    }
    with stoppable(), opened(out, question) as journal, progress_bar(1000, "games", quiet) as update:

        def show() -> None:
            done = max(round(1000 * part), 1)
            update(done, word, played, played / done)

        def on_progress(games: int) -> None:
            nonlocal played
            played += games
            show()

        def tell(now: float, what: str) -> None:
            nonlocal part, word
            part, word = now, what
            show()

        try:
            return seek(told, matches(told, threads, on_progress), journal, tell)
        except KeyboardInterrupt:
            kept = journal.kept
    if out is None:
        typer.echo("ginlab: interrupted; nothing is kept without --out FOLDER", err=True)
    else:
        typer.echo(
            f"ginlab: interrupted; {kept:,} evaluations are kept in {out}, "
            "the same command goes on from there",
            err=True,
        )
    raise typer.Exit(INTERRUPTED)


def _draw(report: dict[str, Any], path: Path) -> None:
    from analysis.charts import style
    from analysis.charts.save import save_chart
    from analysis.charts.tune_trace import (
        draw_tune_trace,
        tune_trace_alt,
        tune_trace_caption,
        tune_trace_height,
        tune_trace_info,
    )
    from sim.run import RunError

    info = tune_trace_info(report)
    try:
        save_chart(
            draw_tune_trace,
            info,
            path,
            width=style.PAGE,
            height=tune_trace_height(info, style.PAGE),
            caption=tune_trace_caption(report),
            alt=tune_trace_alt(info),
        )
    except OSError as error:
        raise RunError(f"{path}: {error.strerror or error}") from None


def _show(report: dict[str, Any], out: Path | None, chart: Path | None) -> None:
    from analysis.tuning.text import fields, final_rows, remark, trace_rows, verdict

    print_fields(fields(report))
    typer.echo()
    print_table(*trace_rows(report))
    typer.echo()
    print_table(*final_rows(report))
    typer.echo()
    for line in (verdict(report), remark(report)):
        print_text(line)
    if out is not None:
        print_text(f"Kept in {out}.")
    if chart is not None:
        print_text(f"Drawn in {chart.with_suffix('.svg')}, with .png and .csv.")
