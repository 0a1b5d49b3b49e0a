"""Rebuild this folder: what each score of a game is worth, and how the score changes when to knock.

    python -m results.the_score_in_your_head.build

In each of the twelve settings (`results.settings`) the equity of the style, knocking as PLAYER does,
against that opponent is solved anew, and the knocks of other hands of the two are valued by it at the score
of the headline. For the named clinching strategies a setting asks how many more games the style wins from
that opponent with the first one's knock rule than with the second one's; tables by score are not asked.

Takes about 3 minutes of one processor.
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
from analysis.metrics import METRICS, difference, estimate, group_sums
from analysis.request import available_threads
from analysis.stats.estimates import Estimate, jackknife
from results import settings
from results.forked import fork_integers
from results.publish import Article, Claim, interval, match_integers, publish, rules_of
from sim.forks import Forks, fork_hands
from sim.rules import Rules
from sim.run import Player, play_match
from sim.tally import GROUPS
from strategies.base import parse_strategy, player

HERE = Path(__file__).resolve().parent
PAIRS = 100_000
FORKED = 50_000
GAMES = 250_000
FITTED = 30_000
SETTINGS_PAIRS, SETTINGS_FORKED, SETTINGS_GAMES = 8_000, 15_000, 15_000
SEED, FRESH = 2026, 2027
RULES = "eaai"
PLAYER = "two_stage(10, 0, 6)"
STYLE, OPPONENT = "gold", "simple"
CLINCHING = (("clinch", "gin_only"), ("clinch_low_stock", "clinch"))
CLINCHERS = ("gin_only", "clinch", "clinch_low_stock")
SPAN = (4, 6)
GRID = tuple(range(0, 100, 10))
SCORES = ((10, 90), (0, 0), (90, 10))
Asked = tuple[int, int] | tuple[str, str]
"""What a headline asks: a score, or two clinching strategies."""
THERE = (
    f"{2 * SETTINGS_PAIRS:,} hands with each dealer for the equity, {2 * SETTINGS_FORKED:,} hands for the "
    f"knocks, {SETTINGS_GAMES:,} mirrored pairs of games with each clinching rule",
    f"Asked there: at the same score, the style knocks as `{PLAYER}` and equity is that against the "
    "setting's opponent. Of two clinching strategies: whether the style wins more games from that opponent "
    "with the knock rule of the first than with that of the second, even being 0. Tables by score are not "
    "asked: what they gain here is not settled, and less would be in shorter runs.",
)
"""What a setting plays, and what is asked there."""


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
        "settings": settings.replay(
            lambda style, opponent: {
                "equity": fork_integers(
                    settings.styled(style, PLAYER), opponent, rules, pairs, settings.SEED
                ),
                **{
                    knocks: match_integers(*sides(style, knocks, opponent), rules, pairs, settings.SEED)
                    for knocks in CLINCHERS
                },
            }
        ),
    }


def sides(style: str, knocks: str, opponent: str) -> tuple[Player, Player]:
    """Return the players of a setting, A with a knock rule."""
    return player(parse_strategy(settings.styled(style, knocks))), player(parse_strategy(opponent))


def equity(a: Player, b: Player, pairs: int, seed: int) -> Equity:
    """Measure and solve the game of two players."""
    rules, threads = Rules.preset(RULES), available_threads()
    return solve(measure(a, b, rules, pairs=pairs, seed=seed, threads=threads), rules, threads=threads)


def forks(a: Player, b: Player, pairs: int, seed: int) -> Forks:
    """Fork hands in which B deals, so that A acts first."""
    return fork_hands(
        a, b, Rules.preset(RULES), pairs=pairs, seed=seed, dealer=1, threads=available_threads()
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


def in_setting(style: str, opponent: str) -> dict[Asked, Estimate]:
    """Return the estimates of a setting: by score, and by pair of clinching strategies."""
    a, b = sides(style, PLAYER, opponent)
    known = equity(a, b, SETTINGS_PAIRS, settings.SEED)
    played = forks(a, b, SETTINGS_FORKED, settings.SEED + 100)
    told: dict[Asked, Estimate] = {scores: delta(played, known, scores) for scores in SCORES}
    sums = {
        knocks: group_sums(
            play_match(
                *sides(style, knocks, opponent), Rules.preset(RULES), pairs=SETTINGS_GAMES,
                seed=settings.SEED, threads=available_threads(),
            ).tally
        )
        for knocks in CLINCHERS
    }  # fmt: skip
    told |= {
        pair: difference(METRICS["game_share"], *(sums[knocks] for knocks in pair)) for pair in CLINCHING
    }
    return told


def main() -> None:
    """Measure twice, write tables, charts and page."""
    rules = Rules.preset(RULES)
    side = player(parse_strategy(PLAYER))
    one, again = (equity(side, side, PAIRS, seed) for seed in (SEED, FRESH))
    played, other = (forks(side, side, FORKED, seed + 100) for seed in (SEED, FRESH))
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
    clinch = [(a, b, game_share(a, b, SEED), game_share(a, b, FRESH)) for a, b in CLINCHING]
    (share, gain), (_, gain_again) = tables_by_score(SEED), tables_by_score(FRESH)
    asked = settings.ask(in_setting)
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
            settings=asked[a, b],
        )
        for a, b in SCORES
    ]
    claims += [
        Claim(
            f"`{a}` against `{b}` wins this share of games, even being 50 %",
            value,
            fresh,
            0.5,
            100,
            " %",
            settings=asked[a, b],
            settings_even=0.0,
        )
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
        THERE,
    )
    publish(HERE, article, replay)


if __name__ == "__main__":
    main()
