"""The command ``equilibrium``: how two players knock who know what the other does."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from analysis.app import PLAY, JsonOption, RulesOption, SetOption, app, compiling, stoppable, whole_number
from analysis.cli_play import FilesOption, SeedOption, ThreadsOption
from analysis.console import (
    INTERRUPTED,
    UsageError,
    check_outputs,
    load_two_player_rules,
    print_fields,
    print_json,
    print_table,
    print_text,
    progress_bar,
)

if TYPE_CHECKING:
    from analysis.knocking.equilibrium import Learned, Mixed
    from analysis.stats.estimates import Estimate

OUT_ENDINGS = (".csv", ".parquet")
SHOWN = 0.0005
"""Cells with fewer decisions a hand are left out of the printed map."""
ESTIMAND = (
    "points a hand that a reply wins from the mixture, both drawing and discarding alike, both seatings of "
    "every deck, at 0:0, a void hand counting 0; a lower bound of what can be won: knocks alone are sought"
)


@app.command(
    rich_help_panel=PLAY,
    epilog="""Examples:

  ginlab equilibrium --rules eaai --out equilibrium.parquet
  ginlab equilibrium heisenbot --rules standard --pairs 5_000 --iterations 300 --chart map
  ginlab equilibrium --set undercut_bonus=0 --grid-pairs 0 --json
  ginlab match 'knock_table("equilibrium.parquet")' "threshold(10)" --rules eaai

Both players draw and discard by the same style; only knocks are sought.""",
)
def equilibrium(
    style: Annotated[
        str, typer.Argument(metavar="[STYLE]", help="Strategy by which both draw and discard.")
    ] = "gold",
    rules: RulesOption = "default",
    settings: SetOption = None,
    pairs: Annotated[
        int, typer.Option(metavar="N", parser=whole_number(1), help="Pairs of hands an iteration.")
    ] = 5_000,
    iterations: Annotated[
        int, typer.Option(metavar="K", parser=whole_number(1, 100_000), help="Iterations of self-play.")
    ] = 100,
    measure_pairs: Annotated[
        int,
        typer.Option(metavar="N", parser=whole_number(128), help="Pairs of hands a gain is measured on."),
    ] = 20_000,
    grid_pairs: Annotated[
        int,
        typer.Option(
            metavar="N", parser=whole_number(0), help="Pairs of hands of the grid of rules; 0: no grid."
        ),
    ] = 20_000,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="The table, .parquet or .csv, for knock_table; replaced."),
    ] = None,
    chart: Annotated[
        Path | None, typer.Option("--chart", metavar="FILE", help="Draw the table as a map: SVG, PNG, CSV.")
    ] = None,
    gain_chart: Annotated[
        Path | None, typer.Option("--gain-chart", metavar="FILE", help="Draw the gain by iteration.")
    ] = None,
    seed: SeedOption = 7,
    threads: ThreadsOption = None,
    files: FilesOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find how to knock when both know, by self-play, and measure what the best reply still wins."""
    from analysis.request import available_threads
    from strategies.base import load_decisions, load_strategy_file, parse_strategy

    if 0 < grid_pairs < 128:
        raise UsageError(f"--grid-pairs {grid_pairs}: expected 0, or 128 or more")
    _check_outputs(out, chart, gain_chart)
    chosen = load_two_player_rules(rules, settings or ())
    if files:
        with compiling():
            for file in files:
                load_strategy_file(file)
    base = parse_strategy(style)
    with compiling():
        from analysis.knocking import equilibrium as solving
        from analysis.knocking.metagame import rule_grid
        from analysis.knocking.policy import threshold
        from strategies.table_file import write_table
        from strategies.table_player import table_player

        load_decisions(base)
        table_player(base, threshold(0).cells())  # refuses a strategy that cannot play by a table
    threads = threads or available_threads()
    doing, mixed = "self-play", None
    written = ""
    try:
        with stoppable():
            with progress_bar(solving.learn_hands(pairs, iterations), "hands", as_json) as update:
                kept = solving.learn(
                    base, chosen, pairs=pairs, iterations=iterations, seed=seed, threads=threads, told=update
                )
            if out is not None:
                rows = write_table(str(out), kept[-1].policy.cells())
                written = f"{out}, {rows} rows"
            doing = "measuring"
            with progress_bar(len(kept), "tables", as_json) as update:
                learned = solving.judge(
                    base, kept, chosen, pairs=measure_pairs, seed=seed, threads=threads, told=update
                )
            if grid_pairs:
                doing = "the grid"
                with progress_bar(len(rule_grid()), "rules", as_json) as update:
                    mixed = solving.mix(
                        base, chosen, pairs=grid_pairs, seed=seed, threads=threads, told=update
                    )
    except KeyboardInterrupt:
        kept_text = f"the table is in {written}" if written else "nothing is kept"
        typer.echo(f"ginlab: interrupted at {doing}; {kept_text}", err=True)
        raise typer.Exit(INTERRUPTED) from None
    told = {
        "style": str(base),
        "files": base.files(),
        "rules": {"preset": rules, "hash": chosen.hash, "fields": chosen.to_dict()},
        "settings": list(settings or ()),
        "seed": seed,
        "pairs": pairs,
        "iterations": iterations,
        "measure_pairs": measure_pairs,
        "grid_pairs": grid_pairs,
        "estimand": ESTIMAND,
        **_numbers(learned, mixed),
    }
    if as_json:
        print_json(told)
    else:
        _show(told, learned, mixed, written)
    _charts(told, learned, chart, gain_chart, as_json)


def _check_outputs(out: Path | None, chart: Path | None, gain_chart: Path | None) -> None:
    """Refuse files that could not be written, before anything is played."""
    if out is not None and out.suffix.lower() not in OUT_ENDINGS:
        raise UsageError(f"--out {str(out)!r}: expected a file that ends in .csv or .parquet")
    check_outputs({"--out": out}, {"--chart": chart, "--gain-chart": gain_chart})


def _numbers(learned: Learned, mixed: Mixed | None) -> dict[str, Any]:
    """Return what was found as plain data."""
    from analysis.knocking.equilibrium import gains_info, table_info

    told: dict[str, Any] = {
        "gains": gains_info(learned).to_dict(orient="records"),
        "replies": _replies(learned.gains[-1][1]),
        "table": learned.policy.shares,
        "cells": table_info(learned).to_dict(orient="records"),
        "grid": None,
    }
    if mixed is not None:
        told["grid"] = {
            "value": mixed.value,
            "weights": [
                {"rule": rule.name, **weight.to_dict()}
                for rule, weight in zip(mixed.grid, mixed.weights, strict=True)
            ],
            "best_reply": mixed.gain.replies[mixed.gain.best].name,
            "gain": mixed.gain.gain.to_dict(),
            "bound": mixed.gain.bound,
            "replies": _replies(mixed.gain),
        }
    return told


def _replies(gain: Any) -> list[dict[str, Any]]:
    return [{"reply": reply.name, **reply.gain.to_dict()} for reply in gain.replies]


def _show(told: dict[str, Any], learned: Learned, mixed: Mixed | None, written: str) -> None:
    changed = " ".join([told["rules"]["preset"], *told["settings"], f"({told['rules']['hash'][:8]})"])
    print_fields(
        [
            ("Both draw, discard as", told["style"]),
            ("Rules", changed),
            (
                "Decks",
                f"seed {told['seed']}: {told['pairs']:,} pairs of hands for each of {told['iterations']:,} "
                f"iterations; gains on {told['measure_pairs']:,} other pairs",
            ),
        ]
    )
    typer.echo("\nThe table: knocks in a hundred, by own turn (down) and deadwood (across)")
    print_table(*_map(learned))
    print_text("Blank: fewer than one decision in 2,000 hands. Gin is always taken.")
    typer.echo("\nWhat the best reply wins from it, points a hand")
    rows = [
        (f"{iteration:,}", gain.replies[gain.best].name, _signed(gain.gain), _bound(gain))
        for iteration, gain in learned.gains
    ]
    print_table(("iterations", "best reply", "gain, 95 %", "none of the replies more than"), rows)
    print_text(
        "Replies: a table fitted to it and the rules of the grid; the best is chosen on other decks. "
        "Below 0: none was found that wins. A gain of knocks alone: a lower bound of what can be won."
    )
    if mixed is not None:
        typer.echo(f"\nThe grid of {len(mixed.grid)} rules: equilibrium weights in a hundred")
        likely = [
            (rule.name, _weight(weight))
            for rule, weight in zip(mixed.grid, mixed.weights, strict=True)
            if weight.estimate or (weight.high or 0) > 0.005
        ]
        print_table(("rule", "weight, 95 %"), likely)
        gain = mixed.gain
        print_text(
            f"The best reply to this mix, {gain.replies[gain.best].name}, wins {_signed(gain.gain)} points a "
            f"hand; none of the replies more than {_bound(gain)}."
        )
    if written:
        print_text(f"Table written to {written}.")


def _map(learned: Learned) -> tuple[list[str], list[list[str]]]:
    rows = []
    for turn in range(len(learned.reach)):
        cells = [
            f"{100 * learned.policy.shares[turn, deadwood]:3.0f}"
            if learned.reach[turn, deadwood] >= SHOWN
            else ""
            for deadwood in range(1, learned.reach.shape[1])
        ]
        if any(cells):
            rows.append([f"{turn + 1:3d}{'+' if turn + 1 == len(learned.reach) else ' '}", *cells])
    return ["turn", *(f"{deadwood:3d}" for deadwood in range(1, learned.reach.shape[1]))], rows


def _signed(value: Estimate) -> str:
    if value.low is None or value.high is None or value.estimate is None:
        return "-" if value.estimate is None else f"{value.estimate:+.3f}"
    return f"{value.estimate:+.3f} ({value.low:+.3f} to {value.high:+.3f})"


def _bound(gain: Any) -> str:
    return "-" if gain.bound is None else f"{gain.bound:+.3f}"


def _weight(value: Estimate) -> str:
    shown = f"{100 * (value.estimate or 0):.0f}"
    if value.low is None or value.high is None:
        return f"{shown} (the same in every draw)"
    return f"{shown} ({100 * value.low:.0f} to {100 * value.high:.0f})"


def _charts(
    told: dict[str, Any], learned: Learned, chart: Path | None, gain_chart: Path | None, quiet: bool
) -> None:
    """Draw what is asked for."""
    if chart is None and gain_chart is None:
        return
    from analysis.charts import equilibrium_map as drawing
    from analysis.charts.save import save_chart
    from analysis.charts.style import PAGE
    from analysis.knocking.equilibrium import gains_info, table_info

    changed = " ".join([told["rules"]["preset"], *told["settings"], f"({told['rules']['hash'][:8]})"])
    last = learned.gains[-1][1].gain
    caption = (
        f"Both draw and discard as {told['style']}; rules {changed}; {told['iterations']:,} iterations of "
        f"{told['pairs']:,} pairs of hands, seed {told['seed']}. On {told['measure_pairs']:,} other pairs "
        f"the best reply found, of knocks alone, wins {_signed(last)} points a hand (95 %)."
    )
    if chart is not None:
        info = table_info(learned)
        saved = save_chart(
            drawing.draw_equilibrium_map, info, chart, height=drawing.equilibrium_map_height(info, PAGE),
            title="How often to knock when both know", caption=caption, alt=drawing.equilibrium_map_alt(info),
        )  # fmt: skip
        if not quiet:
            print_text(f"Drawn in {saved.svg}, {saved.png}; its data in {saved.csv}.")
    if gain_chart is not None:
        info = gains_info(learned)
        saved = save_chart(
            drawing.draw_equilibrium_gain, info, gain_chart,
            height=drawing.equilibrium_gain_height(info, PAGE),
            title="How far self-play is from an equilibrium", caption=caption,
            alt=drawing.equilibrium_gain_alt(info),
        )  # fmt: skip
        if not quiet:
            print_text(f"Drawn in {saved.svg}, {saved.png}; its data in {saved.csv}.")
