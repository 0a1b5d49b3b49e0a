"""Rebuild this folder: the same two players under every set of house rules for two.

    python -m results.rule_variants.build

In each of the twelve settings (`results.settings`) A draws and discards as the style does and never knocks
short of gin, against that opponent, under the two presets of a headline: the same difference of games.

Took 332 seconds on two processors with other work beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.charts.endings import draw_endings, endings_alt, endings_height, endings_info
from analysis.charts.forest import draw_forest, forest_alt, forest_height, forest_info
from analysis.charts.save import save_chart
from analysis.experiment.experiment import Experiment
from analysis.metrics import METRICS, difference, group_sums
from analysis.request import available_threads
from analysis.stats.estimates import Estimate
from analysis.store.results import Results
from results import settings
from results.publish import Article, Claim, interval, match_integers, publish, rules_of, write_table
from sim.rules import Rules
from sim.run import Player, play_match
from strategies.base import parse_strategy, player

HERE = Path(__file__).resolve().parent
PAIRS = 100_000
SETTINGS_PAIRS = 8_000
SEED, FRESH = 2026, 2027
EXPERIMENT = "variants"
A, B = "gin_only", "threshold(10)"
BASELINE = "default"
SHOWN = ("hand_share", "game_share", "points_per_hand", "hands_per_game", "turns_per_hand")
THERE = (
    f"{SETTINGS_PAIRS:,} mirrored pairs of matches under each preset",
    "Asked there: A waits for gin, drawing and discarding by the style, under the two presets of the "
    "sentence.",
)
"""What a setting plays, and what is asked there."""


def experiment(seed: int) -> Experiment:
    """Return the built-in experiment with this article's players and pairs."""
    return Experiment.from_toml(EXPERIMENT).changed(strategies={"a": A, "b": B}, seed=seed, pairs=PAIRS)


def sides(style: str, opponent: str) -> tuple[Player, Player]:
    """Return the players of a setting."""
    return player(parse_strategy(settings.styled(style, A))), player(parse_strategy(opponent))


def replay(pairs: int) -> dict[str, Any]:
    """Play the first pairs of every run again; of the settings, those under the baseline."""
    a, b = player(parse_strategy(A)), player(parse_strategy(B))
    return {
        **{
            cell.labels[0]: match_integers(a, b, Rules.preset(cell.labels[0]), pairs, SEED)
            for cell in experiment(SEED).cells
        },
        "settings": settings.replay(
            lambda style, opponent: match_integers(
                *sides(style, opponent), Rules.preset(BASELINE), pairs, settings.SEED
            )
        ),
    }


def in_setting(style: str, opponent: str, presets: Sequence[str]) -> dict[str, Estimate]:
    """Return by how much the share of games differs from that under the baseline, on the same decks."""
    base, *others = (
        group_sums(
            play_match(
                *sides(style, opponent), Rules.preset(preset), pairs=SETTINGS_PAIRS, seed=settings.SEED,
                threads=available_threads(),
            ).tally
        )
        for preset in (BASELINE, *presets)
    )  # fmt: skip
    return {
        preset: difference(METRICS["game_share"], one, base)
        for preset, one in zip(presets, others, strict=True)
    }


def gap(results: Results, name: str, preset: str) -> Estimate:
    """Return by how much a metric differs from that under the baseline, on the same decks."""
    number = {cell.labels[0]: cell.number for cell in results.cells}
    one, base = (group_sums(results.tally(number[label])) for label in (preset, BASELINE))
    return difference(METRICS[name], one, base)


def main() -> None:
    """Play twice, write tables, charts and page."""
    played, again = experiment(SEED).run(), experiment(FRESH).run()
    cells = played.table("cells")
    number = {cell.labels[0]: cell.number for cell in played.cells}
    caption = f"{A} against {B}; {PAIRS:,} mirrored pairs of matches a row, all on the decks of seed {SEED}."
    forest = forest_info(played, "game_share", baseline=number[BASELINE])
    saved = save_chart(
        draw_forest,
        forest,
        HERE / "game_share",
        height=forest_height(forest, 7.0),
        title=f"{A} against {B}: games won under other rules, less those under {BASELINE}",
        caption=caption,
        alt=forest_alt(forest),
    )
    endings = endings_info(played)
    mixed = save_chart(
        draw_endings,
        endings,
        HERE / "endings",
        height=endings_height(endings, 7.0),
        title="How hands end",
        caption=caption,
        alt=endings_alt(endings),
    )
    write_table(HERE, "cells.csv", cells)
    ranked = cells[cells["base"] != BASELINE].sort_values("game_share")
    quoted = {ranked["base"].iloc[-1]: "more", ranked["base"].iloc[0]: "fewer"}
    asked = settings.ask(lambda style, opponent: in_setting(style, opponent, list(quoted)))
    claims = [
        Claim(
            f"Under `{preset}` {A} wins {words} games than under `{BASELINE}`",
            gap(played, "game_share", preset),
            gap(again, "game_share", preset),
            0,
            100,
            " percentage points",
            settings=asked[preset],
        )
        for preset, words in quoted.items()
    ]

    def told(row: dict[str, Any], name: str) -> str:
        share = METRICS[name].share
        value = Estimate(*(row[column] for column in (name, f"{name}_low", f"{name}_high")))
        return interval(value, 100 if share else 1, digits=2, signed=name == "points_per_hand")

    table = pd.DataFrame(
        [
            {"rules": row["base"], **{name.replace("_", " "): told(row, name) for name in SHOWN}}
            for row in cells.to_dict("records")
        ]
    ).rename(
        columns={
            "hand share": "hands won, %",
            "game share": "games won, %",
            "points per hand": "points a hand",
        }
    )
    article = Article(
        "Rule variants compared",
        "Which house rules reward waiting for gin, and which a knock at the first chance?",
        claims,
        [
            (saved, f"Games won by A under each preset less those under {BASELINE}, on the same decks."),
            (mixed, "Hands by ending, of both sides together."),
        ],
        [("Every preset for two players", "cells.csv", table)],
        [
            f"A is `{A}`, B is `{B}`; every preset of `ginlab rules` for two players. A game without a "
            "winner is half to each side.",
            f"{PAIRS:,} mirrored pairs of matches (of one game under most rules) a preset, on the same "
            f"decks: seed {SEED}; fresh: {FRESH}.",
            "Differences are on the same decks; their intervals leave a group of decks out under both rules.",
        ],
        [
            "Neither player changes his play with the rules but for the knock limit, so this is what the "
            "rules do to given players, not what good players would make of the rules.",
            "Points a hand under different bonuses are different units and are not compared.",
        ],
        {
            "seeds": [SEED, FRESH],
            "pairs": PAIRS,
            "rules": rules_of(**{name: Rules.preset(name) for name in number}),
            "a": str(parse_strategy(A)),
            "b": str(parse_strategy(B)),
            "population": "all hands and games of mirrored pairs of matches",
            "continuation": "the players' own rules",
        },
        THERE,
    )
    publish(HERE, article, replay)


if __name__ == "__main__":
    main()
