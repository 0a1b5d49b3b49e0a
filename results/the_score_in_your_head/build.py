"""Rebuild this folder: what each score of a game is worth, and how the score changes when to knock.

    python -m results.the_score_in_your_head.build

Takes about five minutes on two processors.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from analysis.charts.equity_map import draw_equity_map, equity_map_alt, equity_map_height, equity_map_info
from analysis.charts.heatmap import draw_heatmap, heatmap_alt, heatmap_height
from analysis.charts.save import save_chart
from analysis.knocking.after_hand import AfterHand
from analysis.knocking.equity import Equity, solve
from analysis.knocking.equity_policy import everywhere, fit_equity, measure_game_gain
from analysis.knocking.outcomes import measure
from analysis.metrics import METRICS, estimate, group_sums
from analysis.request import available_threads
from analysis.stats.estimates import Estimate, jackknife
from results.forked import fork_integers
from results.publish import Article, Claim, interval, match_integers, publish, rules_of
from sim.forks import Forks, fork_hands
from sim.rules import Rules
from sim.run import play_match
from sim.tally import GROUPS
from strategies.base import parse_strategy, player

HERE = Path(__file__).resolve().parent
PAIRS = 100_000
FORKED = 50_000
GAMES = 250_000
FITTED = 30_000
SEED, FRESH = 2026, 2027
RULES = "eaai"
PLAYER = "two_stage(10, 0, 6)"
STYLE, OPPONENT = "gold", "simple"
CLINCHING = (("clinch", "gin_only"), ("clinch_low_stock", "clinch"))
SPAN = (4, 6)
GRID = tuple(range(0, 100, 10))


def replay(pairs: int) -> dict[str, Any]:
    """Play the first pairs of every run again."""
    rules = Rules.preset(RULES)
    return {
        "equity": fork_integers(PLAYER, PLAYER, rules, pairs, SEED),
        **{
            f"{a} v {b}": match_integers(
                player(parse_strategy(a)), player(parse_strategy(b)), rules, pairs, SEED
            )
            for a, b in CLINCHING
        },
    }


def equity(seed: int) -> Equity:
    """Measure and solve the game of two equal players."""
    rules, side, threads = Rules.preset(RULES), player(parse_strategy(PLAYER)), available_threads()
    return solve(measure(side, side, rules, pairs=PAIRS, seed=seed, threads=threads), rules, threads=threads)


def forks(seed: int) -> Forks:
    """Fork hands in which B deals, so that A acts first."""
    side = player(parse_strategy(PLAYER))
    return fork_hands(
        side, side, Rules.preset(RULES), pairs=FORKED, seed=seed, dealer=1, threads=available_threads()
    )


def delta(found: Forks, known: Equity, scores: tuple[int, int]) -> Estimate:
    """Return what a first legal knock gains over waiting for gin, as a share of games, at a score."""
    after = AfterHand(known.rules, scores, known.values[:1, 0])
    rows, deals = found.forks, found.deals
    turns = (rows.own_turn >= SPAN[0]) & (rows.own_turn <= SPAN[1]) & (rows.deadwood > 0)
    chosen = np.flatnonzero((found.number() == 0) & turns)
    gin = rows.deadwood == 0
    knock = after.shares(rows.points[chosen], rows.winner[chosen], rows.boxes[chosen], 1)[0]
    waits = [found.after(gin, field)[chosen] for field in ("points", "winner", "boxes")]
    gained = knock - after.shares(*waits, 1)[0]
    group = deals.pair[found.owner()[chosen]] % GROUPS
    x, n = np.bincount(group, gained, GROUPS), np.bincount(group, minlength=GROUPS)
    return jackknife(float(x.sum() / n.sum()), (x.sum() - x) / (n.sum() - n))


def game_share(a: str, b: str, seed: int) -> Estimate:
    """Return A's share of games by direct play."""
    tally = play_match(
        player(parse_strategy(a)), player(parse_strategy(b)), Rules.preset(RULES), pairs=GAMES, seed=seed,
        threads=available_threads(),
    ).tally  # fmt: skip
    return estimate(METRICS["game_share"], tally, group_sums(tally))


def tables_by_score(seed: int) -> tuple[Estimate, Estimate]:
    """Return the game share of tables that look at the score, and its gain over one table for points."""
    rules, base, threads = Rules.preset(RULES), parse_strategy(STYLE), available_threads()
    found = fit_equity(base, parse_strategy(OPPONENT), rules, pairs=FITTED, seed=seed, threads=threads)
    plain = everywhere(found.points, rules.game_target, len(found.policy.shares))
    told = measure_game_gain(
        found.policy.player(base), plain.player(base), player(parse_strategy(OPPONENT)), rules,
        pairs=GAMES, seed=seed + 1_000, threads=threads,
    )  # fmt: skip
    return told.first, told.gain


def main() -> None:
    """Measure twice, write tables, charts and page."""
    rules = Rules.preset(RULES)
    one, again = equity(SEED), equity(FRESH)
    played, other = forks(SEED + 100), forks(FRESH + 100)
    info = equity_map_info(one).round(6)
    maps = save_chart(
        draw_equity_map,
        info,
        HERE / "equity",
        height=equity_map_height(info, 7.0),
        title="The chance to win the game at every score",
        caption=f"Both sides play {PLAYER}. Outcomes of {2 * PAIRS:,} hands with each dealer, games solved "
        f"from them. Rules {RULES} ({rules.hash}), seed {SEED}.",
        alt=equity_map_alt(info),
    )
    gains = {(a, b): delta(played, one, (a, b)) for a in GRID for b in GRID}
    shift = pd.DataFrame(
        [
            {
                "row_axis": "score_a",
                "row": str(a),
                "column_axis": "score_b",
                "column": str(b),
                "metric": "delta_share",
                "estimate": value.estimate,
                "low": value.low,
                "high": value.high,
                "kept_in_column": False,
                "kept": False,
            }
            for (a, b), value in gains.items()
        ]
    )
    knocks = save_chart(
        draw_heatmap,
        shift,
        HERE / "knock_by_score",
        height=heatmap_height(shift, 7.0),
        title=f"First legal knock on own turns {SPAN[0]}-{SPAN[1]}: games that knocking wins over waiting "
        "for gin",
        caption=f"Both sides play {PLAYER}; {2 * FORKED:,} hands, B deals, each first legal knock played "
        f"on both ways on the true deal and valued by the score that follows. Rules {RULES} "
        f"({rules.hash}), seed {SEED + 100}.",
        alt=heatmap_alt(shift),
    )
    behind, ahead = (10, 90), (90, 10)
    clinch = [(a, b, game_share(a, b, SEED), game_share(a, b, FRESH)) for a, b in CLINCHING]
    (share, gain), (_, gain_again) = tables_by_score(SEED), tables_by_score(FRESH)
    points = " percentage points"
    claims = [
        Claim(
            f"At {a}:{b} a first legal knock on own turns {SPAN[0]}-{SPAN[1]} gains over waiting for gin, "
            "in games",
            gains[a, b],
            delta(other, again, (a, b)),
            0,
            100,
            points,
        )
        for a, b in (behind, (0, 0), ahead)
    ]
    claims += [
        Claim(f"`{a}` against `{b}` wins this share of games, even being 50 %", value, fresh, 0.5, 100, " %")
        for a, b, value, fresh in clinch
    ]
    claims.append(
        Claim(
            f"Against `{OPPONENT}`, knock tables that look at both scores win more games than one table "
            "made for points",
            gain,
            gain_again,
            0,
            100,
            points,
        )
    )
    rows = [
        {
            "A:B": f"{a}:{b}",
            "A wins if B deals, %": interval(one.at(a, b, 1)["win"], 100),
            "A wins if A deals, %": interval(one.at(a, b, 0)["win"], 100),
            "final margin if B deals": interval(one.at(a, b, 1)["margin"], signed=True, digits=1),
            "knock less gin, games, %-points": interval(gains[a, b], 100, signed=True),
        }
        for a, b in ((0, 0), (50, 50), (90, 90), (60, 80), (80, 60), (10, 90), (90, 10))
    ]
    article = Article(
        "The score in your head",
        "What is a score worth, and how does it change when to knock?",
        claims,
        [
            (maps, "A's chance to win the game by both scores, and what it gains if B deals rather than A."),
            (knocks, "What a knock gains over waiting for gin in games won, by both scores."),
        ],
        [("Some scores", "equity.csv", pd.DataFrame(rows))],
        [
            f"Both sides play `{PLAYER}`, which does not look at the score. Rules `{RULES}`.",
            f"Outcomes by dealer of {2 * PAIRS:,} hands each; all scores are solved from them, step 1 "
            f"point. The knocks are first legal ones of {2 * FORKED:,} other hands. Seed {SEED}; fresh: "
            f"{FRESH}.",
            f"Clinching and low-stock knocks, and the tables by score ({STYLE}'s draws and discards, "
            f"fitted to `{OPPONENT}` on other decks, which win {interval(share, 100)} % of games): "
            f"{GAMES:,} mirrored pairs of whole games.",
            "Intervals of equity carry the error of the outcomes (jackknife); those of the knocks that of "
            "the knocks alone.",
        ],
        [
            "The chance at a score is that of these two players. Others win from behind more or less often.",
            "Players who look at the score would change the equity they look at; the gain of tables by "
            "score is measured in whole games, where that counts.",
        ],
        {
            "seeds": [SEED, FRESH],
            "pairs": PAIRS,
            "rules": rules_of(**{RULES: rules}),
            "a": str(parse_strategy(PLAYER)),
            "b": str(parse_strategy(PLAYER)),
            "population": "all hands by dealer; for knocks the first legal knock of A in each hand that "
            "B deals",
            "continuation": "gin: never short of gin; afterwards both go on as before",
        },
    )
    publish(HERE, article, replay)


if __name__ == "__main__":
    main()
