"""Rebuild this folder: what a knock is worth under three styles of play against four opponents.

    python -m results.depends_on_discards.build

Takes about ten minutes on two processors.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from analysis.charts.heatmap import draw_heatmap, heatmap_alt, heatmap_height
from analysis.charts.save import save_chart
from analysis.knocking.styles import (
    OPPONENTS,
    SETTINGS,
    STYLES,
    Played,
    cautious_rule,
    play_styles,
    sign_table,
    style_player,
)
from analysis.request import available_threads
from analysis.stats.estimates import Estimate
from results.forked import Forked, turns
from results.publish import Article, Claim, interval, publish, rules_of, write_table
from sim.forks import fork_hands
from sim.rules import Rules
from strategies.base import parse_strategy, player

HERE = Path(__file__).resolve().parent
PAIRS = 25_000
SEED, FRESH = 2026, 2027
RULES = "eaai"
KNOCK = "threshold(10)"
BY = ("own_turn", "deadwood")
SPANS = (("own turns 1-3", 1, 3), ("own turns 4-6", 4, 6), ("own turns 7-9", 7, 9))


def play(seed: int) -> Played:
    """Play all settings on the same decks."""
    return play_styles(
        parse_strategy(KNOCK), Rules.preset(RULES), pairs=PAIRS, seed=seed, by=BY, threads=available_threads()
    )


def replay(pairs: int) -> dict[str, Any]:
    """Play the first pairs of every setting again."""
    told = {}
    for style, opponent in SETTINGS:
        forks = fork_hands(
            style_player(style, parse_strategy(KNOCK)), player(parse_strategy(opponent)), Rules.preset(RULES),
            pairs=pairs, seed=SEED,
        )  # fmt: skip
        gin = forks.after(forks.forks.deadwood == 0)
        told[f"{style} v {opponent}"] = {
            "forks": len(forks.forks),
            "v_knock": int(forks.forks.points.sum()),
            "v_gin": int(gin.sum()),
        }
    return told


def deltas(played: Played, first: int, last: int) -> list[Estimate]:
    """Return what a first legal knock on these turns gains over waiting for gin, by setting."""
    return [Forked(counts, BY, "first").delta("gin", turns(first, last)) for counts in played.counts]


def map_table(found: list[Estimate]) -> pd.DataFrame:
    """Return deltas as the table of a heat map."""
    return pd.DataFrame(
        [
            {
                "row_axis": "style",
                "row": style,
                "column_axis": "b",
                "column": opponent,
                "metric": "delta",
                "estimate": value.estimate,
                "low": value.low,
                "high": value.high,
                "kept_in_column": False,
                "kept": False,
            }
            for (style, opponent), value in zip(SETTINGS, found, strict=True)
        ]
    )


def sided(found: list[Estimate]) -> str:
    """Say in how many settings the sign is decided which way."""
    up = sum(value.low is not None and value.low > 0 for value in found)
    down = sum(value.high is not None and value.high < 0 for value in found)
    return f"knock in {up} of {len(found)}, wait in {down}"


def main() -> None:
    """Play twice, write tables, charts and page."""
    one, again = play(SEED), play(FRESH)
    rules = Rules.preset(RULES)
    charts, lines, claims = [], [], []
    for at, (words, first, last) in enumerate(SPANS, start=1):
        found, fresh = deltas(one, first, last), deltas(again, first, last)
        info = map_table(found)
        saved = save_chart(
            draw_heatmap,
            info,
            HERE / f"map_{at}",
            height=heatmap_height(info, 7.0),
            title=f"First legal knock on {words}: knock less waiting for gin",
            caption=f"{2 * PAIRS:,} hands a setting, all on the same decks; deadwood 1-10 together. Rules "
            f"{RULES} ({rules.hash}), seed {SEED}.",
            alt=heatmap_alt(info),
        )
        charts.append(
            (saved, f"Points a hand that a knock gains over waiting for gin, {words}: {sided(found)}.")
        )
        for (style, opponent), value in zip(SETTINGS, found, strict=True):
            lines.append({"first legal knock on": words, "style": style, "against": opponent, "delta": value})
        order = np.argsort([value.estimate or 0.0 for value in found])
        for place in (int(order[0]), int(order[-1])):
            style, opponent = SETTINGS[place]
            claims.append(
                Claim(
                    f"{words[0].upper()}{words[1:]}, {style} against `{opponent}` "
                    f"({'least' if place == order[0] else 'most'} of the twelve): knocking instead of "
                    "waiting for gin brings points a hand",
                    found[place],
                    fresh[place],
                )
            )
    named, named_again = cautious_rule(one), cautious_rule(again)
    claims.append(
        Claim(
            f"The knock rule with the least worst-case loss over the twelve settings is `{named.rule}` (on "
            f"fresh decks `{named_again.rule}`); it loses at most, points a hand",
            named.loss,
            named_again.loss,
        )
    )
    write_table(HERE, "signs.csv", sign_table(one, BY).round(5))
    write_table(HERE, "worst_losses.csv", named.ranking.round(5))
    table = pd.DataFrame(lines).assign(
        delta=[interval(line["delta"], digits=2, signed=True) for line in lines]
    )
    wide = table.pivot(index=["first legal knock on", "style"], columns="against", values="delta")
    wide = wide.reindex(
        [(words, style) for words, _, _ in SPANS for style in STYLES], columns=list(OPPONENTS)
    )
    losses = pd.DataFrame(
        {
            "rule": named.ranking["rule"].head(8),
            "most it loses, points a hand": [f"{value:.2f}" for value in named.ranking["worst"].head(8)],
            "where": [
                f"{style} v {opponent}"
                for style, opponent in zip(
                    named.ranking["style"].head(8), named.ranking["opponent"].head(8), strict=True
                )
            ],
        }
    )
    article = Article(
        "Does it depend on your discards?",
        "Is the answer to knock or wait the same for other styles of drawing and discarding, and other "
        "opponents?",
        claims,
        charts,
        [
            ("Knock less waiting for gin, points a hand", "signs.csv", wide.reset_index()),
            ("Knock rules by their worst case", "worst_losses.csv", losses),
        ],
        [
            f"Style `S` is `combine(draw=S, knock={KNOCK}, discard=S)`, S one of {', '.join(STYLES)}; "
            f"opponents {', '.join(f'`{one}`' for one in OPPONENTS)}: twelve settings on the same decks.",
            "Every first legal knock is played on both ways on the true deal.",
            f"Rules `{RULES}`, hands from 0:0. {2 * PAIRS:,} hands a setting, mirrored: seed {SEED}; "
            f"fresh: {FRESH}.",
            "Worst case: what a rule loses to the best rule of a setting, among thresholds 0-10 and "
            "two-stage rules with a switch on turns 2-15, and the largest of that over the twelve.",
        ],
        [
            "Three styles and four opponents are not all there are.",
            "The intervals of the map are each for one setting; `signs.csv` counts with all cells and "
            "settings judged together.",
        ],
        {
            "seeds": [SEED, FRESH],
            "pairs": PAIRS,
            "rules": rules_of(**{RULES: rules}),
            "a": [f"{style}, knocking by {KNOCK}" for style in STYLES],
            "b": [str(parse_strategy(one)) for one in OPPONENTS],
            "population": "first: the first legal knock of A in each hand",
            "continuation": "gin: never short of gin",
        },
    )
    publish(HERE, article, replay)


if __name__ == "__main__":
    main()
