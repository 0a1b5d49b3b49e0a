"""The command ``moves``: how knocking moves with the rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from analysis.app import PLAY, JsonOption, RulesOption, SetOption, app, compiling, stoppable, whole_number
from analysis.cli_play import FilesOption, SeedOption, SideA, SideB, ThreadsOption
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
    from analysis.knocking.moves import Moves
    from analysis.stats.estimates import Estimate

TITLES = {
    "edge": ("Edge of a hand, in hundredths of a standard deviation of its points", 100),
    "knock_share": ("Hands that A ends by a knock short of gin, in a hundred", 100),
    "knock_deadwood": ("Mean deadwood of these knocks, tenths of a point", 10),
    "game_share": ("Games that A wins, in a hundred", 100),
}
"""By measure, what is printed above its table, and the factor of the numbers in it."""
ESTIMAND = (
    "hands at 0:0, both seatings of every deck, a void hand counting 0; games from 0:0. Rule sets share "
    "decks, which no table was fitted to. Intervals of a measure hold together with 95 %"
)


@app.command(
    rich_help_panel=PLAY,
    epilog="""Examples:

  ginlab moves gold simple --vary bonuses --rules eaai
  ginlab moves "threshold(4)" gin_only --vary target --games 200_000
  ginlab moves gold simple --vary oklahoma --rules bga_oklahoma --pairs 200_000 --json

Each other rule set is compared with the first: undercut 0 and gin 20, limit 10, 100, no big gin.""",
)
def moves(
    a: SideA,
    b: SideB,
    vary: Annotated[
        str, typer.Option("--vary", metavar="WHAT", help="bonuses, oklahoma, target or big-gin.")
    ] = "bonuses",
    rules: RulesOption = "default",
    settings: SetOption = None,
    pairs: Annotated[
        int,
        typer.Option(metavar="N", parser=whole_number(128), help="Pairs of hands a rule set is measured on."),
    ] = 40_000,
    games: Annotated[
        int,
        typer.Option(metavar="N", parser=whole_number(0), help="Games a rule set is measured on; 0: none."),
    ] = 20_000,
    fit_pairs: Annotated[
        int, typer.Option(metavar="N", parser=whole_number(1), help="Pairs of a step of a best reply.")
    ] = 10_000,
    learn_pairs: Annotated[
        int, typer.Option(metavar="N", parser=whole_number(1), help="Pairs of an iteration of self-play.")
    ] = 4_000,
    iterations: Annotated[
        int, typer.Option(metavar="K", parser=whole_number(1, 100_000), help="Iterations of self-play.")
    ] = 100,
    seed: SeedOption = 7,
    threads: ThreadsOption = None,
    files: FilesOption = None,
    as_json: JsonOption = False,
) -> None:
    """Compare under rule sets: the same strategies, A's best reply to B, and an equilibrium."""
    from analysis.knocking.variations import VARIATIONS
    from analysis.request import available_threads
    from strategies.base import load_decisions, load_strategy_file, parse_strategy

    if vary not in VARIATIONS:
        raise UsageError(f"--vary {vary[:40]!r}: expected one of {', '.join(VARIATIONS)}")
    if games % 2 or 0 < games < 256:
        raise UsageError(f"--games {games}: expected 0, or an even number, 256 or more")
    chosen = load_two_player_rules(rules, settings or ())
    if files:
        with compiling():
            for file in files:
                load_strategy_file(file)
    sides = parse_strategy(a), parse_strategy(b)
    with compiling():
        from analysis.knocking.moves import Plan, compare_rule_sets
        from analysis.knocking.policy import threshold
        from analysis.knocking.rule_sets import variation
        from strategies.base import player
        from strategies.table_player import table_player

        sets = variation(vary, chosen)
        for side in sides:
            load_decisions(side)
        table_player(sides[0], threshold(0).cells())  # refuses a strategy that cannot play by a table
    plan = Plan(
        pairs, games // 2, fit_pairs, 3, learn_pairs, iterations, seed, threads or available_threads()
    )
    doing = ""
    try:
        with stoppable(), progress_bar(len(sets), "rule sets", as_json) as update:

            def on_step(done: int, name: str) -> None:
                nonlocal doing
                doing = name
                update(done, name)

            found = compare_rule_sets(sides[0], player(sides[1]), sets, plan, on_step)
    except KeyboardInterrupt:
        typer.echo(f"ginlab: interrupted at {doing or 'the start'}, nothing is kept", err=True)
        raise typer.Exit(INTERRUPTED) from None
    told = {
        "a": str(sides[0]),
        "b": str(sides[1]),
        "files": {**sides[0].files(), **sides[1].files()},
        "rules": rules,
        "settings": list(settings or ()),
        "vary": vary,
        "seed": seed,
        "pairs": pairs,
        "games": games,
        "fit_pairs": fit_pairs,
        "learn_pairs": learn_pairs,
        "iterations": iterations,
        "estimand": ESTIMAND,
        **_numbers(found),
    }
    if as_json:
        print_json(told)
    else:
        _show(told, found)


def _numbers(found: Moves) -> dict[str, Any]:
    """Return what was found as plain data."""
    return {
        "sets": [
            {
                "name": chosen.name,
                "limit": chosen.limit,
                "multiplier": chosen.multiplier,
                "rules": {"hash": chosen.rules.hash, "fields": chosen.rules.to_dict()},
                "hands": hands,
                "best_reply_gain": gain.to_dict(),
                "reply": tables.reply.shares,
                "equilibrium": tables.equilibrium.shares,
            }
            for chosen, hands, gain, tables in zip(
                found.sets, found.hands, found.gains, found.tables, strict=True
            )
        ],
        "levels": [
            {
                "rule_set": one.rule_set,
                "answer": one.answer,
                "measure": one.measure,
                **one.value.to_dict(),
            }
            for one in found.levels
        ],
        "changes": [
            {
                "rule_set": one.rule_set,
                "answer": one.answer,
                "measure": one.measure,
                "mechanical": one.mechanical.to_dict(),
                "opponent": one.opponent.to_dict(),
                "adaptation": one.adaptation.to_dict(),
                "total": one.total.to_dict(),
            }
            for one in found.changes
        ],
    }


def _show(told: dict[str, Any], found: Moves) -> None:
    from analysis.knocking.moves import ANSWERS

    least, most = min(found.hands), max(found.hands)
    number = f"{most:,}" if least == most else f"{least:,} to {most:,}"
    print_fields(
        [
            ("A", told["a"]),
            ("B", told["b"]),
            ("Rules", " ".join([told["rules"], *told["settings"], f"varied: {told['vary']}"])),
            (
                "Decks",
                f"seed {told['seed']}: {number} hands a rule set; tables fitted on "
                f"{told['fit_pairs']:,} pairs a step, {told['iterations']:,} iterations of "
                f"{told['learn_pairs']:,} pairs in self-play",
            ),
        ]
    )
    print_text(
        "fixed: A's own knocks against B; reply: A's best knock table against B; equilibrium: both by the "
        "table of self-play, drawing and discarding as A. Changes are from the first rule set: the old "
        "tables under the new rules, then what B's adaptation adds, then A's."
    )
    for measure, (title, factor) in TITLES.items():
        levels = {(one.rule_set, one.answer): one.value for one in found.levels if one.measure == measure}
        if not levels:
            continue
        typer.echo(f"\n{title}")
        print_table(
            ("rules", *ANSWERS),
            [
                [chosen.name, *(_level(levels.get((chosen.name, answer)), factor) for answer in ANSWERS)]
                for chosen in found.sets
            ],
        )
        typer.echo("  and its change, part by part")
        print_table(
            ("rules", "answer", "old tables", "B adapts", "A adapts"),
            [
                [
                    one.rule_set,
                    one.answer,
                    *(_change(part, factor) for part in (one.mechanical, one.opponent, one.adaptation)),
                ]
                for one in found.changes
                if one.measure == measure and one.answer != "fixed"
            ],
        )
    typer.echo("\nWhat the best reply found wins from the equilibrium's table, as the edge")
    print_table(
        ("rules", "gain"),
        [[chosen.name, _change(gain, 100)] for chosen, gain in zip(found.sets, found.gains, strict=True)],
    )
    print_text(
        "Intervals of a measure hold all at once with 95 %; 0 without one is so by the rules of the game."
    )


def _level(value: Estimate | None, factor: float) -> str:
    return "-" if value is None else _text(value, factor, "")


def _change(value: Estimate, factor: float) -> str:
    return _text(value, factor, "+")


def _text(value: Estimate, factor: float, sign: str) -> str:
    """Write a number and how far its interval reaches."""
    if value.estimate is None:
        return "-"
    shown = factor * value.estimate
    if value.reach is None:
        return f"{shown:.0f}" if shown == round(shown) else f"{shown:{sign}.1f}"
    return f"{shown:{sign}.1f} ±{factor * value.reach:.1f}"
