"""Rebuild this folder: what a knock gains over waiting, by own turn and deadwood, against four opponents.

    python -m results.what_a_knock_costs.build

Takes about three minutes on two processors.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from analysis.charts.knock_wait import draw_knock_wait, knock_wait_alt, knock_wait_height, knock_wait_info
from analysis.charts.save import save_chart
from results.forked import Forked, fork_integers, played
from results.publish import Article, Claim, interval, publish, rules_of, write_table
from sim.rules import Rules
from strategies.base import parse_strategy

HERE = Path(__file__).resolve().parent
PAIRS = 250_000
SEED, FRESH = 2026, 2027
RULES = "eaai"
A = "threshold(10)"
OPPONENTS = ("simple", "threshold(4)", "two_stage(10, 0, 6)", "gin_only")
BY = ("own_turn", "deadwood")
SPANS = (("turns 1-3", 1, 3), ("turns 4-6", 4, 6), ("turns 7-9", 7, 9), ("turn 10 and later", 10, 99))
WAYS = {"once": "declining once and knocking at the next chance", "gin": "waiting for gin"}


def play(seed: int) -> dict[str, Forked]:
    """Fork hands against every opponent."""
    return {b: played(A, b, Rules.preset(RULES), PAIRS, seed, BY) for b in OPPONENTS}


def replay(pairs: int) -> dict[str, Any]:
    """Play the first pairs of every run again."""
    return {b: fork_integers(A, b, Rules.preset(RULES), pairs, SEED) for b in OPPONENTS}


def within(first: int, last: int) -> Any:
    """Return a mask of cells: these own turns, short of gin."""
    return lambda keys: (keys["own_turn"] >= first) & (keys["own_turn"] <= last) & (keys["deadwood"] > 0)


def main() -> None:
    """Play twice, write tables, chart and page."""
    one, again = play(SEED), play(FRESH)
    rules = Rules.preset(RULES)
    tables = {f"v {b}": found.table() for b, found in one.items()}
    info = knock_wait_info(tables)
    saved = save_chart(
        draw_knock_wait,
        info,
        HERE / "knock_or_wait",
        height=knock_wait_height(info, 7.0),
        title="Knock now, or wait? Points a hand that a first legal knock gains",
        caption=f"A draws and discards as gold. First legal knock of each of {2 * PAIRS:,} hands an "
        f"opponent, "
        f"each played on both ways on the true deal; own rule: {A}. Hatched: the sign is not decided "
        f"with all "
        f"cells of an opponent judged together. Rules {RULES} ({rules.hash}), seed {SEED}.",
        alt=knock_wait_alt(info),
    )
    long = pd.concat([table.assign(against=name) for name, table in tables.items()], ignore_index=True)
    write_table(HERE, "knock_value.csv", long.round(5))
    claims = [
        Claim(
            f"Against `{b}`, first legal knock on own {words}: knocking instead of waiting for gin "
            f"brings points "
            "a hand",
            one[b].delta("gin", within(first, last)),
            again[b].delta("gin", within(first, last)),
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
                        one[b].delta(way, within(first, last)), digits=2, signed=True
                    )
                    for way in WAYS
                },
                "undercut, %": interval(one[b].share("undercut", within(first, last)), 100, digits=1),
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
                "Mean points of the hand if A knocks less those if A waits, by own turn and deadwood; left A "
                "declines once and then knocks at the next chance, right A never knocks short of gin.",
            )
        ],
        [("By own turn, all deadwoods short of gin", "knock_value.csv", table)],
        [
            "Every first legal knock is played on both ways on the true deal: cards, opponent and luck "
            "are the "
            "same, so nothing is selected by who chose to knock.",
            f"A draws and discards as `gold`; its own knock rule, which `once` goes back to, is `{A}`.",
            f"Rules `{RULES}`, hands from 0:0. {2 * PAIRS:,} hands an opponent, mirrored: seed {SEED}; "
            f"fresh: "
            f"{FRESH}. Void hands count 0.",
        ],
        [
            "A cell is a mean over all positions with that turn and deadwood; single positions differ, see "
            "nearer gin.",
            "Not at what score: points are counted, not games.",
            "The gain over `gin` is that over one way of waiting; a better plan may be worth more.",
        ],
        {
            "seeds": [SEED, FRESH],
            "pairs": PAIRS,
            "rules": rules_of(**{RULES: rules}),
            "a": str(parse_strategy(A)),
            "b": [str(parse_strategy(b)) for b in OPPONENTS],
            "population": "first: the first legal knock of A in each hand",
            "continuation": "once: decline, then A's own rule; gin: never short of gin",
        },
    )
    publish(HERE, article, replay)


if __name__ == "__main__":
    main()
