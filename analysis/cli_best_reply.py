"""The command ``best-reply``: the best knock table against an opponent."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from analysis.app import PLAY, JsonOption, RulesOption, SetOption, app, compiling, stoppable, whole_number
from analysis.cli_play import DealerOption, FilesOption, ScoreOption, SeedOption, ThreadsOption
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
    from collections.abc import Sequence

    from analysis.knocking.gain import Gain
    from analysis.knocking.recorded import Opponent
    from analysis.knocking.reply import Reply
    from analysis.request import Match
    from analysis.stats.estimates import Estimate
    from strategies.base import Strategy

OUT_ENDINGS = (".csv", ".parquet")


@app.command(
    "best-reply",
    rich_help_panel=PLAY,
    epilog="""Examples:

  ginlab best-reply --against simple --rules eaai --out table.parquet
  ginlab best-reply heisenbot --against gin_only --out reply.csv --chart reply
  ginlab best-reply --against simple --against gold --weights 0.3,0.7 --iterations 6 --json
  ginlab match 'knock_table("table.parquet")' simple --rules eaai --seed 8

Only A's knocks are fitted; what is gained is a lower bound of what can be won.""",
)
def best_reply(
    a: Annotated[
        str, typer.Argument(metavar="[A]", help="Strategy whose draws and discards are kept.")
    ] = "gold",
    against: Annotated[
        list[str] | None,
        typer.Option("--against", metavar="B", help="The opponent; repeated: one of them, drawn each hand."),
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option("--weights", metavar="P,P,...", help="Their probabilities; equal if left out."),
    ] = None,
    rules: RulesOption = "default",
    settings: SetOption = None,
    pairs: Annotated[
        int,
        typer.Option(metavar="N", parser=whole_number(2), help="Pairs of hands an iteration and start."),
    ] = 50_000,
    iterations: Annotated[
        int, typer.Option(metavar="K", parser=whole_number(1, 1000), help="Iterations from each start.")
    ] = 4,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="The table, .parquet or .csv, for knock_table; replaced."),
    ] = None,
    seed: SeedOption = 7,
    threads: ThreadsOption = None,
    score: ScoreOption = None,
    dealer: DealerOption = None,
    files: FilesOption = None,
    chart: Annotated[
        Path | None, typer.Option("--chart", metavar="FILE", help="Draw the table as a map: SVG, PNG, CSV.")
    ] = None,
    trace_chart: Annotated[
        Path | None,
        typer.Option("--trace-chart", metavar="FILE", help="Draw the value by iteration from each start."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Find the best knock table against an opponent, and measure what it gains on fresh decks."""
    from analysis.request import Match, available_threads, parse_dealer, parse_score
    from strategies.base import load_decisions, load_strategy_file, parse_strategy

    if not against:
        raise UsageError("--against is missing: name the opponent")
    shares = _weights(weights, len(against))
    _check_outputs(out, chart, trace_chart)
    chosen = load_two_player_rules(rules, settings or ())
    if files:
        with compiling():
            for file in files:
                load_strategy_file(file)
    base, others = parse_strategy(a), [parse_strategy(text) for text in against]
    told = Match(
        base, others[0], chosen, rules, tuple(settings or ()), pairs, seed, parse_score(score, chosen),
        parse_dealer(dealer), tuple(files or ()),
    )  # fmt: skip
    with compiling():
        from analysis.knocking.policy import threshold
        from analysis.knocking.recorded import Opponent
        from strategies.base import player
        from strategies.table_player import table_player

        table_player(base, threshold(0).cells())  # refuses a strategy that cannot play by a table
        for strategy in (base, *others):
            load_decisions(strategy)
    opponents = [Opponent(share, player(one)) for share, one in zip(shares, others, strict=True)]
    _run(
        told, others, opponents, iterations, threads or available_threads(), out, chart, trace_chart, as_json
    )


def _weights(text: str | None, count: int) -> list[float]:
    """Read ``--weights``."""
    if text is None:
        return [1 / count] * count
    try:
        weights = [float(part) for part in text.split(",")]
    except ValueError:
        raise UsageError(f"--weights {text[:60]!r}: expected probabilities parted by commas") from None
    if len(weights) != count:
        raise UsageError(f"--weights {text[:60]!r}: {len(weights)} for {count} opponents")
    if not all(0 <= weight <= 1 for weight in weights) or abs(sum(weights) - 1) > 1e-9:
        raise UsageError(f"--weights {text[:60]!r}: expected probabilities that sum to 1")
    return weights


def _check_outputs(out: Path | None, chart: Path | None, trace_chart: Path | None) -> None:
    """Refuse files that could not be written, before anything is played."""
    if out is not None and out.suffix.lower() not in OUT_ENDINGS:
        raise UsageError(f"--out {str(out)!r}: expected a file that ends in .csv or .parquet")
    check_outputs({"--out": out}, {"--chart": chart, "--trace-chart": trace_chart})


def _run(
    told: Match,
    others: Sequence[Strategy],
    opponents: Sequence[Opponent],
    iterations: int,
    threads: int,
    out: Path | None,
    chart: Path | None,
    trace_chart: Path | None,
    as_json: bool,
) -> None:
    """Fit, measure, play and tell; say what there is if Ctrl-C comes."""
    from analysis.knocking.gain import games_won, measure_gain
    from analysis.knocking.recorded import Place
    from analysis.knocking.reply import STARTS, fit_reply
    from strategies.base import player
    from strategies.table_file import write_table
    from strategies.table_player import table_player

    base, place = player(told.a), Place(told.rules, told.scores, told.dealer, threads)
    members = sum(opponent.weight > 0 for opponent in opponents)
    fitting = 2 * members * told.pairs * (iterations * len(STARTS) + 1)
    measuring = 4 * members * told.pairs
    doing = "fitting"
    try:
        with stoppable(), progress_bar(fitting + measuring, "hands", as_json) as update:

            def on_fit(done: int, total: int, words: str) -> None:
                nonlocal doing
                doing = words
                update(done, words)

            reply = fit_reply(
                base, opponents, told.rules, pairs=told.pairs, seed=told.seed, iterations=iterations,
                threads=threads, scores=told.scores, dealer=told.dealer, on_progress=on_fit,
            )  # fmt: skip
            cells = reply.policy.cells()
            rows = write_table(str(out), cells) if out is not None else 0
            doing = "measuring"
            gain = measure_gain(
                reply.policy, base, opponents, place, decks=reply.decks, pairs=told.pairs,
                on_progress=lambda done: update(fitting + done, "measuring"),
            )  # fmt: skip
            doing = "playing"
            update(fitting + measuring, "playing games")
            games = games_won(
                table_player(told.a, cells), opponents, place, decks=reply.decks, pairs=_game_pairs(told)
            )
    except KeyboardInterrupt:
        written = out is not None and doing in ("measuring", "playing")
        kept = f"the table is in {out}, what it gains was not measured" if written else "nothing is kept"
        typer.echo(f"ginlab: interrupted at {doing}; {kept}", err=True)
        raise typer.Exit(INTERRUPTED) from None
    plays = None if out is None else str(playing(told.a, str(out)))
    if as_json:
        print_json(_report(told, others, opponents, iterations, reply, gain, games, plays))
    else:
        _show(told, others, opponents, iterations, reply, gain, games)
        if out is not None:
            print_text(
                f"Written to {out}, {rows} rows. In a match, on another seed than {told.seed}, whose decks "
                "it was fitted on, it plays as"
            )
            typer.echo(f"  '{plays}'")
    _charts(told, others, opponents, reply, chart, trace_chart, as_json)


def _game_pairs(told: Match) -> int:
    """Return the pairs of games to play: a game is ten hands or so, and the fit is to take longer."""
    return max(1, told.pairs // 4)


def playing(a: Strategy, path: str) -> Strategy:
    """Return the strategy that draws and discards as A does and knocks by the table in a file."""
    from strategies.combine import Combine
    from strategies.gold import COMPILED
    from strategies.knock_table import KnockTable

    table = KnockTable(path)
    modules = a.modules()
    if modules.draw == modules.discard == COMPILED and modules.spread is None:
        return table
    draw, discard = a.owner("draw"), a.owner("discard")
    spread = a.owner("spread") if modules.spread is not None else None
    return Combine(draw=draw, knock=table, discard=discard, spread=spread)


def _against(others: Sequence[Strategy], opponents: Sequence[Opponent]) -> str:
    if len(others) == 1:
        return str(others[0])
    return ", ".join(
        f"{100 * opponent.weight:g} % {other}" for other, opponent in zip(others, opponents, strict=True)
    )


def _report(
    told: Match,
    others: Sequence[Strategy],
    opponents: Sequence[Opponent],
    iterations: int,
    reply: Reply,
    gain: Gain,
    games: Estimate,
    plays: str | None,
) -> dict[str, Any]:
    from analysis.charts.reply_map import reply_map_info
    from analysis.match import request_dict

    asked = request_dict(told)
    del asked["b"]
    for other in others:
        asked["files"].update(other.files())
    return {
        **asked,
        "against": [
            {"strategy": str(other), "weight": opponent.weight}
            for other, opponent in zip(others, opponents, strict=True)
        ],
        "estimand": "knock-only best-reply gain: points a hand, A less B, a void hand counting 0",
        "pairs": told.pairs,
        "iterations": iterations,
        "pairs_in_all": reply.decks.free,
        "game_pairs": _game_pairs(told),
        "value": gain.value.to_dict(),
        "gain_over_own": gain.over_own.to_dict(),
        "best_of_grid": gain.best,
        "gain_over_best_of_grid": gain.over_best.to_dict(),
        "rules_better": gain.better(),
        "game_share": games.to_dict(),
        "undetermined_share": float(reply.reach[reply.undetermined].sum() / max(reply.reach.sum(), 1e-300)),
        "plays_as": plays,
        "table": reply.policy.shares,
        "cells": reply_map_info(reply).to_dict(orient="records"),
        "trace": reply.trace.to_dict(orient="records"),
        "rules_compared": gain.rules.to_dict(orient="records"),
    }


def _show(
    told: Match,
    others: Sequence[Strategy],
    opponents: Sequence[Opponent],
    iterations: int,
    reply: Reply,
    gain: Gain,
    games: Estimate,
) -> None:
    from analysis.knocking.reply_text import GAIN, LEGEND, gain_rows, map_rows, remarks, trace_rows
    from analysis.match import mean_text, share_text

    print_fields(
        [
            ("A draws, discards as", str(told.a)),
            ("Against", _against(others, opponents)),
            ("Rules", " ".join([told.preset, *told.settings, f"({told.rules.hash[:8]})"])),
            (
                "Decks",
                f"seed {told.seed}: {told.pairs:,} pairs of hands for each of {iterations} iterations from "
                f"{len(reply.last)} starts, to validate, to choose and to measure; each used once",
            ),
        ]
    )
    typer.echo("\nThe table")
    print_table(*map_rows(reply))
    print_text(LEGEND)
    typer.echo("\nWhat it gains")
    print_fields(
        [
            ("Points a hand", mean_text(gain.value.to_dict())),
            ("Gain over A's own rule", mean_text(gain.over_own.to_dict())),
            ("Games won", f"{share_text(games.to_dict())} of {2 * _game_pairs(told):,} played"),
        ]
    )
    print_text(GAIN)
    typer.echo()
    print_table(*gain_rows(gain))
    for line in remarks(reply, gain):
        print_text(line)
    typer.echo("\nHow it was found: values on the validation decks")
    print_table(*trace_rows(reply))


def _charts(
    told: Match,
    others: Sequence[Strategy],
    opponents: Sequence[Opponent],
    reply: Reply,
    chart: Path | None,
    trace_chart: Path | None,
    quiet: bool,
) -> None:
    """Draw what is asked for."""
    if chart is None and trace_chart is None:
        return
    from analysis.charts import reply_map
    from analysis.charts.save import save_chart
    from analysis.charts.style import PAGE

    changed = "".join(f" {one}" for one in told.settings)
    caption = (
        f"A draws and discards as {told.a}; against {_against(others, opponents)}; "
        f"rules {told.preset}{changed} ({told.rules.hash[:8]}); "
        f"{told.pairs:,} pairs of hands an iteration and start, seed {told.seed}. "
        "Knock tables alone were sought; undetermined: the tables from the starts disagree."
    )
    title = f"When to knock against {_against(others, opponents)}"
    if chart is not None:
        info = reply_map.reply_map_info(reply)
        saved = save_chart(
            reply_map.draw_reply_map, info, chart, height=reply_map.reply_map_height(info, PAGE), title=title,
            caption=caption, alt=reply_map.reply_map_alt(info),
        )  # fmt: skip
        if not quiet:
            print_text(f"Drawn in {saved.svg}, {saved.png}; its data in {saved.csv}.")
    if trace_chart is not None:
        info = reply_map.reply_trace_info(reply)
        saved = save_chart(
            reply_map.draw_reply_trace, info, trace_chart, height=reply_map.reply_trace_height(info, PAGE),
            title=f"Finding the best reply to {_against(others, opponents)}",
            caption=caption + " Intervals 95 %, on decks that no table was fitted on.",
            alt=reply_map.reply_trace_alt(info),
        )  # fmt: skip
        if not quiet:
            print_text(f"Drawn in {saved.svg}, {saved.png}; its data in {saved.csv}.")
