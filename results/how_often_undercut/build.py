"""Rebuild this folder: how often a first legal knock is undercut, by own turn and deadwood.

    python -m results.how_often_undercut.build

In each of the twelve settings (`results.settings`) the question is that of the headline with the style's
draws and discards and that opponent: by how much more often one of two first legal knocks is undercut.

Takes about 2 minutes of one processor.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from analysis.charts.curves import curves_alt, curves_height, draw_curves
from analysis.charts.knock_wait import undercut_info
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
A = "gold"
OPPONENTS = ("simple", "gold")
BY = ("own_turn", "deadwood")
SHOWN = (1, 4, 7, 10)
TURNS = (1, 2, 3, 4, 6, 8, 10, 12)
STUDY = Pairings(A, OPPONENTS, RULES, PAIRS, (SEED, FRESH), BY, SETTINGS_PAIRS)
replay = STUDY.replay
COMPARED = (
    (
        "A knock with 10 on turn 8 is undercut more often than one on turn 2",
        dict(own_turn=8, deadwood=10),
        dict(own_turn=2, deadwood=10),
    ),
    (
        "On turn 6 a knock with 10 is undercut more often than one with 4",
        dict(own_turn=6, deadwood=10),
        dict(own_turn=6, deadwood=4),
    ),
)
"""What is claimed, the knocks that are undercut more often, and those they are compared with."""


def gaps(found: Forked) -> dict[str, Estimate]:
    """Return by how much more often knocks are undercut, for each claim."""
    return {words: found.gap("undercut", cell(**more), cell(**less)) for words, more, less in COMPARED}


def main() -> None:
    """Play twice, write tables, charts and page."""
    one, again = STUDY.twice()
    rules = Rules.preset(RULES)
    charts = []
    for b, found in one.items():
        info = undercut_info(found.table())
        info = info[info["line"].str.split().str[0].astype(int).isin(SHOWN)].reset_index(drop=True)
        saved = save_chart(
            draw_curves,
            info,
            HERE / f"undercut_{b}",
            height=curves_height(info, 7.0),
            title=f"How often is a first legal knock undercut by {b}?",
            caption=f"A draws and discards as {A}; if A knocked at the first legal knock of each of "
            f"{2 * PAIRS:,} hands. 95 % bands, each for itself; bars: hands. Rules {RULES} "
            f"({rules.hash}), seed {SEED}.",
            alt=curves_alt(info),
        )
        charts.append(
            (saved, f"Share of knocks that `{b}` undercuts, by own turn; a line for each deadwood.")
        )
    long = all_tables(one)
    columns = ["against", *BY, "population", "hands", "p_undercut", "p_undercut_low", "p_undercut_high"]
    columns += ["p_win", "p_win_low", "p_win_high", "v_knock", "v_knock_low", "v_knock_high"]
    write_table(HERE, "undercut.csv", long.loc[long["continuation"] == "gin", columns].round(6))
    asked = settings.ask(lambda style, b: gaps(STUDY.setting(style, b)))
    claims = [
        Claim(
            f"{words}, against `{b}`, percentage points",
            gaps(one[b])[words],
            gaps(again[b])[words],
            0,
            100,
            settings=asked[words],
        )
        for b in OPPONENTS
        for words, _, _ in COMPARED
    ]
    table = pd.DataFrame(
        [
            {
                "against": b,
                "deadwood": deadwood,
                **{
                    f"turn {turn}": interval(
                        one[b].share("undercut", cell(own_turn=turn, deadwood=deadwood)), 100, digits=1
                    )
                    for turn in TURNS
                },
            }
            for b in OPPONENTS
            for deadwood in SHOWN
        ]
    )
    article = Article(
        "How often are you undercut?",
        "A first legal knock with so many points on such a turn: how often does the other have as few or "
        "fewer?",
        claims,
        charts,
        [("Knocks undercut, %", "undercut.csv", table)],
        [
            f"A draws and discards as `{A}`. At the first legal knock of every hand A knocks, whatever its "
            "own rule.",
            f"Rules `{RULES}`: an equal count is an undercut too. Lay-offs are the best there are. "
            f"{2 * PAIRS:,} hands an opponent from 0:0, mirrored: seed {SEED}; fresh: {FRESH}.",
        ],
        [
            "Later legal knocks, after declining one, are another population: the other has had more turns.",
            "An opponent who keeps low cards on purpose is undercut and undercuts otherwise.",
        ],
        STUDY.manifest("none: A knocks"),
        (
            played(SETTINGS_PAIRS),
            "Asked there of the same turns and deadwoods, against the setting's opponent in place of the one "
            "named, so sentences on the same knocks have the same twelve answers.",
        ),
    )
    publish(HERE, article, replay)


if __name__ == "__main__":
    main()
