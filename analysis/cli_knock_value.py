"""The command that says what a knock is worth: ``knock-value``."""

from __future__ import annotations

import importlib
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from analysis.app import PLAY, JsonOption, RulesOption, SetOption, app, compiling, stoppable, whole_number
from analysis.cli_play import DealerOption, FilesOption, ScoreOption, SeedOption, SideA, ThreadsOption
from analysis.console import (
    INTERRUPTED,
    UsageError,
    check_outputs,
    load_two_player_rules,
    print_json,
    print_table,
    print_text,
    progress_bar,
)

if TYPE_CHECKING:
    from pandas import DataFrame

    from analysis.request import Match

STYLE_OPPONENT = "simple"
"""Stands for side B where a style is read; the opponents of ``--styles`` are its own."""

STOPPED = "The intervals are made for a number of pairs fixed beforehand, and this run was stopped."


@app.command(
    "knock-value",
    rich_help_panel=PLAY,
    epilog="""Examples:

  ginlab knock-value "threshold(4)" simple --rules eaai --games 1_000_000
  ginlab knock-value gold gin_only --population every --chart map
  ginlab knock-value gold simple --by loose,deadwood --games 400_000 --all
  ginlab knock-value gold simple --by deadwood --score 62:80 --json
  ginlab knock-value "threshold(10)" --styles --games 100_000

Intervals are 95 %; docs/knocking.md says what is estimated.""",
)
def knock_value(
    a: SideA,
    b: Annotated[
        str | None, typer.Argument(metavar="B", help="Strategy of side B; left out with --styles.")
    ] = None,
    rules: RulesOption = "default",
    settings: SetOption = None,
    games: Annotated[
        int | None,
        typer.Option(
            metavar="N", parser=whole_number(0), help="Hands to deal, an even number; 100,000 if left out."
        ),
    ] = None,
    pairs: Annotated[
        int | None,
        typer.Option(metavar="N", parser=whole_number(0), help="Pairs of hands to deal, instead of --games."),
    ] = None,
    population: Annotated[
        str,
        typer.Option(
            metavar="first|every",
            help="first: the first legal knock of a hand; every: all of one who waits for gin.",
        ),
    ] = "first",
    by: Annotated[
        str,
        typer.Option(
            "--by",
            metavar="AXIS,...",
            help="Axes of the cells: deadwood, own_turn, stock, limit, loose, last, picked.",
        ),
    ] = "own_turn,deadwood",
    styles: Annotated[
        bool,
        typer.Option("--styles", help="A's knock rule under three styles of play against four opponents."),
    ] = False,
    seed: SeedOption = 7,
    threads: ThreadsOption = None,
    score: ScoreOption = None,
    dealer: DealerOption = None,
    files: FilesOption = None,
    everything: Annotated[bool, typer.Option("--all", help="Add the long table.")] = False,
    csv: Annotated[
        Path | None, typer.Option("--csv", metavar="FILE", help="Write the long table as CSV.")
    ] = None,
    chart: Annotated[
        Path | None,
        typer.Option(
            "--chart", metavar="FILE", help="Draw delta by own turn, or loose cards, and deadwood: SVG, PNG."
        ),
    ] = None,
    undercut_chart: Annotated[
        Path | None,
        typer.Option(
            "--undercut-chart", metavar="FILE", help="Draw how often knocks are undercut by own turn."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Tell what a knock is worth: knocking now against waiting, in each situation, on the same deals."""
    from analysis.knocking.cells import check_axes, check_population
    from analysis.request import Match, available_threads, pairs_of, parse_dealer, parse_score
    from strategies.base import load_decisions, load_strategy_file, parse_strategy

    asked = pairs_of(games, pairs)
    axes = check_axes([name.strip() for name in by.split(",")])
    check_population(population)
    _check_outputs(axes, styles, csv, chart, undercut_chart)
    if styles and b is not None:
        raise UsageError(f"B {b!r}: --styles has opponents of its own, leave B out")
    if b is None and not styles:
        raise UsageError("B is missing: name the strategy of side B, or ask for --styles")
    chosen = load_two_player_rules(rules, settings or ())
    if files:
        with compiling():
            for file in files:
                load_strategy_file(file)
    sides = parse_strategy(a), parse_strategy(b or STYLE_OPPONENT)
    told = Match(
        *sides, chosen, rules, tuple(settings or ()), asked, seed, parse_score(score, chosen),
        parse_dealer(dealer), tuple(files or ()),
    )  # fmt: skip
    with compiling():
        for side in sides:
            load_decisions(side)
        importlib.import_module("analysis.knocking.styles")  # the kernels that hands are forked with
    workers = threads or available_threads()
    if styles:
        interrupted = _styles(told, axes, population, workers, everything, csv, as_json)
    else:
        interrupted = _value(told, axes, population, workers, everything, csv, chart, undercut_chart, as_json)
    if interrupted:
        raise typer.Exit(INTERRUPTED)


def _check_outputs(
    axes: tuple[str, ...], styles: bool, csv: Path | None, chart: Path | None, undercut: Path | None
) -> None:
    """Refuse files that could not be written, before anything is played."""
    for option, path in (("--csv", csv), ("--chart", chart), ("--undercut-chart", undercut)):
        if path is not None and styles and option != "--csv":
            raise UsageError(f"{option}: there is no chart of --styles")
    if chart is not None and set(axes) not in ({"own_turn", "deadwood"}, {"loose", "deadwood"}):
        raise UsageError("--chart: give --by own_turn,deadwood or --by loose,deadwood")
    check_outputs({"--csv": csv}, {"--chart": chart, "--undercut-chart": undercut})
    if undercut is not None and set(axes) != {"own_turn", "deadwood"}:
        raise UsageError("--undercut-chart: give --by own_turn,deadwood")


# --- one opponent --------------------------------------------------------------------------------


def _value(
    told: Match,
    axes: tuple[str, ...],
    population: str,
    threads: int,
    everything: bool,
    csv: Path | None,
    chart: Path | None,
    undercut_chart: Path | None,
    as_json: bool,
) -> bool:
    """Tell what a knock is worth against one opponent; return whether Ctrl-C came."""
    from analysis.knocking.value import knock_counts, value_table
    from analysis.knocking.value_text import estimand, legend, long_rows, maps, verdict_counts
    from analysis.match import request_dict
    from strategies.base import player

    with stoppable(), progress_bar(told.pairs, "pairs", as_json) as update:
        counts, interrupted = knock_counts(
            player(told.a), player(told.b), told.rules, pairs=told.pairs, seed=told.seed,
            population=population, by=axes, threads=threads, scores=told.scores, dealer=told.dealer,
            on_progress=lambda pairs: update(pairs, ""),
        )  # fmt: skip
    _some_played(counts.pairs)
    table = value_table(counts, axes, population)
    reached = int(counts.of("hands").sum()) if population == "first" else None
    report = {
        **request_dict(told),
        "population": population,
        "by": list(axes),
        "pairs": counts.pairs,
        "hands": int(counts.dealt.sum()),
        "interrupted": interrupted,
        "estimand": estimand(population),
    }
    if reached is not None:
        report["hands_with_a_legal_knock"] = reached
    if csv is not None:
        _write_csv(table, csv)
    if as_json:
        print_json({**report, "cells": table.to_dict(orient="records")})
    else:
        _heading(report, told.pairs)
        if len(axes) == 2:
            _print_grids(maps(table, axes))
            print_text(legend())
            for line in verdict_counts(table):
                print_text(line)
        if everything or len(axes) != 2:
            typer.echo()
            _print_stacked(*long_rows(table, axes), keys=len(axes) + 1)
        if interrupted:
            print_text(STOPPED)
    _charts(table, axes, report, chart, undercut_chart, quiet=as_json)
    return interrupted


def _charts(
    table: DataFrame,
    axes: tuple[str, ...],
    report: dict[str, Any],
    chart: Path | None,
    undercut_chart: Path | None,
    quiet: bool,
) -> None:
    """Draw the charts that are asked for."""
    if chart is None and undercut_chart is None:
        return
    from analysis.charts import knock_wait
    from analysis.charts.curves import curves_alt, curves_height, draw_curves
    from analysis.charts.save import save_chart
    from analysis.charts.style import PAGE

    made: list[tuple[Path, str, Any, Any, Any, Any]] = []
    lines = draw_curves, curves_height, curves_alt
    if chart is not None and "loose" in axes:
        made.append((chart, "Nearer gin, knock less?", knock_wait.loose_info(table), *lines))
    elif chart is not None:
        maps = knock_wait.draw_knock_wait, knock_wait.knock_wait_height, knock_wait.knock_wait_alt
        made.append((chart, "Knock or wait?", knock_wait.knock_wait_info({"": table}), *maps))
    if undercut_chart is not None:
        info = knock_wait.undercut_info(table)
        made.append((undercut_chart, "How often is a knock undercut?", info, *lines))
    for path, title, info, draw, height, alt in made:
        saved = save_chart(
            draw, info, path, height=height(info, PAGE), title=title, caption=_caption(report), alt=alt(info)
        )
        if not quiet:
            print_text(f"Drawn in {saved.svg}, {saved.png}; its data in {saved.csv}.")


def _caption(report: dict[str, Any]) -> str:
    """Return what stands under a chart: the sides, the population, the decks."""
    rules = report["rules"]
    changed = "".join(f" {one}" for one in rules["settings"])
    population = {"first": "first legal knock of a hand", "every": "every legal knock up to the first gin"}
    return (
        f"A = {report['a']}, B = {report['b']}; rules {rules['preset']}{changed} ({rules['hash'][:8]}); "
        f"{population[report['population']]}; {report['pairs']:,} mirrored pairs of hands, "
        f"seed {report['seed']}. "
        f"Points of the hand, A less B. Intervals and the band over all cells, which says what is undecided, "
        f"are 95 %."
    )


# --- styles --------------------------------------------------------------------------------------


def _styles(
    told: Match,
    axes: tuple[str, ...],
    population: str,
    threads: int,
    everything: bool,
    csv: Path | None,
    as_json: bool,
) -> bool:
    """Tell the same under three styles against four opponents; return whether Ctrl-C came."""
    from analysis.knocking.styles import OPPONENTS, SETTINGS, STYLES, cautious_rule, play_styles, sign_table
    from analysis.knocking.value_text import (
        cautious_lines,
        estimand,
        legend,
        setting_rows,
        sign_maps,
        sign_rows,
    )
    from analysis.match import request_dict

    with stoppable(), progress_bar(told.pairs * len(SETTINGS), "pairs", as_json) as update:
        played = play_styles(
            told.a, told.rules, pairs=told.pairs, seed=told.seed, population=population, by=axes,
            threads=threads, scores=told.scores, dealer=told.dealer, on_progress=update,
        )  # fmt: skip
    pairs = played.counts[0].pairs
    _some_played(pairs)
    signs, rule = sign_table(played, axes), cautious_rule(played)
    asked = request_dict(told)
    report = {
        **asked,
        "a": f"draws and discards by a style, knocks as {told.a}",
        "b": "each opponent",
        "files": dict(told.a.files()),
        "knock": str(told.a),
        "styles": list(STYLES),
        "opponents": list(OPPONENTS),
        "population": population,
        "by": list(axes),
        "pairs": pairs,
        "hands": 2 * pairs,
        "interrupted": played.interrupted,
        "estimand": estimand(population),
    }
    if csv is not None:
        _write_csv(signs, csv)
    if as_json:
        print_json(
            {
                **report,
                "cells": signs.to_dict(orient="records"),
                "least_worst_case_loss": {
                    "rule": str(rule.rule),
                    "loss": rule.loss.to_dict(),
                    "bootstrap_share": rule.share,
                    "settings": rule.settings.to_dict(orient="records"),
                    "rules": rule.ranking.to_dict(orient="records"),
                },
            }
        )
        return played.interrupted
    _heading(report, told.pairs)
    print_text(f"Styles {', '.join(STYLES)}; opponents {', '.join(OPPONENTS)}.")
    if len(axes) == 2:
        _print_grids(sign_maps(signs, axes))
        print_text(legend(" and settings"))
    if everything or len(axes) != 2:
        typer.echo()
        _print_stacked(*sign_rows(signs, axes), keys=len(axes) + 1)
    typer.echo()
    _print_stacked(*setting_rows(rule), keys=2)
    typer.echo()
    for line in cautious_lines(rule):
        print_text(line)
    if played.interrupted:
        print_text(STOPPED)
    return played.interrupted


# --- shared --------------------------------------------------------------------------------------


def _some_played(pairs: int) -> None:
    """Leave if Ctrl-C came before anything was whole."""
    if pairs == 0:
        typer.echo("ginlab: interrupted before any hands were counted", err=True)
        raise typer.Exit(INTERRUPTED)


def _heading(report: dict[str, Any], asked: int) -> None:
    """Print what was played and what is estimated."""
    from analysis.match import files_text, rules_text

    if report["interrupted"]:
        typer.echo(f"Interrupted: what follows are the first {report['pairs']:,} of {asked:,} pairs.\n")
    start = "" if report["score"] == [0, 0] else f", from {report['score'][0]}:{report['score'][1]}"
    start += f", {report['dealer'].upper()} deals" if report["dealer"] else ""
    for line in (f"A = {report['a']}", f"B = {report['b']}", *files_text(report["files"]).splitlines()):
        print_text(line)
    print_text(f"{rules_text(report['rules'])}{start}")
    reached = report.get("hands_with_a_legal_knock")
    legal = "" if reached is None else f", {reached:,} of them with a legal knock of A"
    print_text(f"{report['hands']:,} hands in mirrored pairs{legal}, seed {report['seed']}")
    typer.echo()
    print_text(report["estimand"])


def _print_grids(grids: Any) -> None:
    for title, headers, rows in grids:
        typer.echo()
        print_text(title)
        _print_stacked(headers, rows)
    typer.echo()


def _print_stacked(headers: list[str], rows: list[list[str]], keys: int = 1) -> None:
    """Print a table in parts that fit the terminal; the first columns stand in all of them."""
    width = shutil.get_terminal_size().columns
    for part in _parts(headers, rows, keys, width):
        print_table(*part)


def _parts(
    headers: list[str], rows: list[list[str]], keys: int, width: int
) -> list[tuple[list[str], list[list[str]]]]:
    widths = [max(len(row[at]) for row in [headers, *rows]) + 2 for at in range(len(headers))]
    parts: list[list[int]] = []
    for at in range(keys, len(headers)):
        if not parts or sum(widths[one] for one in parts[-1]) + widths[at] - 2 > width:
            parts.append(list(range(keys)))
        parts[-1].append(at)
    return [
        (
            [headers[at] for at in part],
            [[row[at] for at in part] for row in rows if any(row[at] for at in part[keys:])],
        )
        for part in parts
    ]


def _write_csv(table: DataFrame, path: Path) -> None:
    table.to_csv(path, index=False, lineterminator="\n")
