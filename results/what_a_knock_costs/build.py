"""Rebuild this folder: what a knock gains over waiting, by own turn and deadwood, against four opponents.

    python -m results.what_a_knock_costs.build

In each of the twelve settings (`results.settings`) the question is that of the headline with the style's
draws and discards and that opponent: what a first legal knock on these turns gains over waiting for gin.

Takes about 80 seconds of one processor.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from analysis.charts.knock_wait import draw_knock_wait, knock_wait_alt, knock_wait_height, knock_wait_info
from analysis.charts.save import save_chart
from analysis.stats.estimates import Estimate
from results import settings
from results.forked import Pairings, all_tables, played, turns
from results.publish import Article, Claim, interval, publish, write_table
from sim.rules import Rules

HERE = Path(__file__).resolve().parent
PAIRS = 250_000
SETTINGS_PAIRS = 40_000
SEED, FRESH = 2026, 2027
RULES = "eaai"
A = "threshold(10)"
OPPONENTS = ("simple", "threshold(4)", "two_stage(10, 0, 6)", "gin_only")
BY = ("own_turn", "deadwood")
SPANS = (("turns 1-3", 1, 3), ("turns 4-6", 4, 6), ("turns 7-9", 7, 9), ("turn 10 and later", 10, 99))
WAYS = {"once": "declining once and knocking at the next chance", "gin": "waiting for gin"}
STUDY = Pairings(A, OPPONENTS, RULES, PAIRS, (SEED, FRESH), BY, SETTINGS_PAIRS)
replay = STUDY.replay


def in_setting(style: str, opponent: str) -> dict[str, Estimate]:
    """Return what a first legal knock on the turns of the headlines gains in a setting."""
    found = STUDY.setting(style, opponent)
    return {words: found.delta("gin", turns(first, last)) for words, first, last in (SPANS[0], SPANS[-1])}


def main() -> None:
    """Play twice, write tables, chart and page."""
    one, again = STUDY.twice()
    rules = Rules.preset(RULES)
    info = knock_wait_info({f"v {b}": found.table() for b, found in one.items()})
    saved = save_chart(
        draw_knock_wait,
        info,
        HERE / "knock_or_wait",
        height=knock_wait_height(info, 7.0),
        title="Knock now, or wait? Points a hand that a first legal knock gains",
        caption=f"A draws and discards as gold. First legal knock of each of {2 * PAIRS:,} hands an "
        f"opponent, each played on both ways on the true deal; own rule: {A}. Hatched: the sign is "
        f"not decided with all cells of an opponent judged together. Rules {RULES} ({rules.hash}), "
        f"seed {SEED}.",
        alt=knock_wait_alt(info),
    )
    write_table(HERE, "knock_value.csv", all_tables(one).round(5))
    asked = settings.ask(in_setting)
    claims = [
        Claim(
            f"Against `{b}`, first legal knock on own {words}: knocking instead of waiting for gin brings "
            "points a hand",
            one[b].delta("gin", turns(first, last)),
            again[b].delta("gin", turns(first, last)),
            settings=asked[words],
        )
        for b in OPPONENTS
        for words, first, last in (SPANS[0], SPANS[-1])
    ]
    table = pd.DataFrame(
        [
            {
                "against": b,
                "first legal knock on": words,
                **{
                    f"knock less {WAYS[way]}": interval(
                        one[b].delta(way, turns(first, last)), digits=2, signed=True
                    )
                    for way in WAYS
                },
                "undercut, %": interval(one[b].share("undercut", turns(first, last)), 100, digits=1),
            }
            for b in OPPONENTS
            for words, first, last in SPANS
        ]
    )
    article = Article(
        "What a knock costs",
        "You can knock for the first time. What do you gain or lose by knocking instead of waiting?",
        claims,
        [
            (
                saved,
                "Mean points of the hand if A knocks less those if A waits, by own turn and deadwood; "
                "left A declines once and then knocks at the next chance, right A never knocks short of "
                "gin.",
            )
        ],
        [("By own turn, all deadwoods short of gin", "knock_value.csv", table)],
        [
            "Every first legal knock is played on both ways on the true deal: cards, opponent and luck "
            "are the same, so nothing is selected by who chose to knock.",
            f"A draws and discards as `gold`; its own knock rule, which `once` goes back to, is `{A}`.",
            f"Rules `{RULES}`, hands from 0:0. {2 * PAIRS:,} hands an opponent, mirrored: seed {SEED}; "
            f"fresh: {FRESH}. Void hands count 0.",
        ],
        [
            "A cell is a mean over all positions with that turn and deadwood; single positions differ, "
            "see nearer gin.",
            "Not at what score: points are counted, not games.",
            "The gain over `gin` is that over one way of waiting; a better plan may be worth more.",
        ],
        STUDY.manifest("once: decline, then A's own rule; gin: never short of gin"),
        (
            played(SETTINGS_PAIRS),
            "Asked there of first legal knocks on the same turns, against the setting's opponent in place of "
            "the one named, so sentences on the same turns have the same twelve answers.",
        ),
    )
    publish(HERE, article, replay)


if __name__ == "__main__":
    main()
