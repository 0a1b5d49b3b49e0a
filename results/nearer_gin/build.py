"""Rebuild this folder: what a knock gains by how many cards it leaves unmelded, for each deadwood.

    python -m results.nearer_gin.build

In each of the twelve settings (`results.settings`) the question is that of the headline with the style's
draws and discards and that opponent: how much more a knock gains with more loose cards of the same deadwood.

Takes about 2 minutes of one processor.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from analysis.charts.curves import curves_alt, curves_height, draw_curves
from analysis.charts.knock_wait import loose_info
from analysis.charts.save import save_chart
from analysis.stats.estimates import Estimate
from results import settings
from results.forked import Forked, Pairings, all_tables, cell, played
from results.publish import Article, Claim, interval, publish, write_table
from sim.rules import Rules

HERE = Path(__file__).resolve().parent
PAIRS = 500_000
SETTINGS_PAIRS = 120_000
SEED, FRESH = 2026, 2027
RULES = "eaai"
A = "threshold(10)"
OPPONENTS = ("simple", "two_stage(10, 0, 6)")
BY = ("loose", "deadwood")
SHOWN = (4, 6, 8, 10)
LOOSE = (1, 2, 3, 4, 5)
STUDY = Pairings(A, OPPONENTS, RULES, PAIRS, (SEED, FRESH), BY, SETTINGS_PAIRS)
replay = STUDY.replay
COMPARED = ((6, 3, 1), (10, 4, 2))
"""Deadwood, and the two numbers of loose cards of a claim."""


def gaps(found: Forked) -> dict[int, Estimate]:
    """Return how much more a knock gains with more loose cards, by deadwood."""
    return {
        deadwood: found.delta_gap(
            "gin", cell(loose=more, deadwood=deadwood), cell(loose=fewer, deadwood=deadwood)
        )
        for deadwood, more, fewer in COMPARED
    }


def main() -> None:
    """Play twice, write tables, charts and page."""
    one, again = STUDY.twice()
    rules = Rules.preset(RULES)
    charts = []
    for at, (b, found) in enumerate(one.items(), start=1):
        info = loose_info(found.table())
        info = info[info["panel"].str.split().str[0].astype(int).isin(SHOWN)].reset_index(drop=True)
        saved = save_chart(
            draw_curves,
            info,
            HERE / f"loose_{at}",
            height=curves_height(info, 7.0),
            title=f"Nearer gin, knock less? Against {b}",
            caption="A draws and discards as gold; points a hand that a first legal knock gains over "
            f"waiting, by the cards it leaves unmelded, {2 * PAIRS:,} hands. 95 % bands, each for "
            f"itself; bars: hands. Own rule: {A}. Rules {RULES} ({rules.hash}), seed {SEED}.",
            alt=curves_alt(info),
        )
        charts.append((saved, f"What a first legal knock gains against `{b}`, a panel for each deadwood."))
    write_table(HERE, "loose.csv", all_tables(one).round(5))
    asked = settings.ask(lambda style, b: gaps(STUDY.setting(style, b)))
    claims = [
        Claim(
            f"Against `{b}`, knocking with {deadwood} instead of waiting for gin gains more with {more} "
            f"loose cards than with {fewer}, in points a hand",
            gaps(one[b])[deadwood],
            gaps(again[b])[deadwood],
            settings=asked[deadwood],
        )
        for b in OPPONENTS
        for deadwood, more, fewer in COMPARED
    ]
    table = pd.DataFrame(
        [
            {
                "against": b,
                "deadwood": deadwood,
                **{
                    f"{loose} loose": interval(
                        one[b].delta("gin", cell(loose=loose, deadwood=deadwood)), signed=True
                    )
                    for loose in LOOSE
                },
            }
            for b in OPPONENTS
            for deadwood in SHOWN
        ]
    )
    article = Article(
        "Nearer gin, knock less?",
        "With the same deadwood, should you knock less often the fewer loose cards it is made of?",
        claims,
        charts,
        [("Knock less waiting for gin, points a hand", "loose.csv", table)],
        [
            "Loose cards are those that the knock leaves unmelded, after the discard that A would make.",
            "Every first legal knock is played on both ways on the true deal, as in what a knock costs.",
            f"A draws and discards as `gold`; its own knock rule, which `once` goes back to, is `{A}`.",
            f"Rules `{RULES}`, hands from 0:0. {2 * PAIRS:,} hands an opponent, mirrored: seed {SEED}; "
            f"fresh: {FRESH}.",
        ],
        [
            "Hands with few loose cards come on other turns than hands with many; the turn is not held "
            "fixed here (`ginlab knock-value --by own_turn,deadwood,loose` does that).",
            "The claims compare a few cells; with 4 or 6 points a second loose card can change the sign "
            "against a player who waits, so read the table, not the claims alone.",
            "How many cards would meld a loose one is not looked at, only how many are loose.",
        ],
        STUDY.manifest("once: decline, then A's own rule; gin: never short of gin"),
        (
            played(SETTINGS_PAIRS),
            "Asked there of the same deadwood and loose cards, against the setting's opponent in place of "
            "the one named, so sentences on the same knocks have the same twelve answers.",
        ),
    )
    publish(HERE, article, replay)


if __name__ == "__main__":
    main()
