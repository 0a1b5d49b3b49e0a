"""Rebuild this folder: what a knock threshold wins of hands, points and games against `simple`.

    python -m results.three_scoreboards.build

In each of the twelve settings (`results.settings`) A draws and discards as the style does and knocks as the
two thresholds of a headline do, against that opponent: the same difference of hands, points or games.

Takes about 5 minutes of one processor.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from analysis.charts.save import save_chart
from analysis.charts.scoreboards import (
    BOARDS,
    draw_scoreboards,
    scoreboards_alt,
    scoreboards_height,
    scoreboards_info,
)
from analysis.metrics import METRICS, difference, estimate, group_sums
from analysis.request import available_threads
from analysis.stats.estimates import Estimate
from results import settings
from results.publish import Article, Claim, interval, match_integers, publish, rules_of
from sim.rules import Rules
from sim.run import Player, play_match
from sim.tally import Tally
from strategies.base import parse_strategy, player

HERE = Path(__file__).resolve().parent
PAIRS = 400_000
SETTINGS_PAIRS = 20_000
SEED, FRESH = 2026, 2027
RULES = "eaai"
OPPONENT = "simple"
THRESHOLDS = tuple(range(11))


def tallies(seed: int) -> dict[int, Tally]:
    """Play every threshold on the decks of a seed."""
    rules, b = Rules.preset(RULES), player(parse_strategy(OPPONENT))
    return {
        k: play_match(
            player(parse_strategy(f"threshold({k})")),
            b,
            rules,
            pairs=PAIRS,
            seed=seed,
            threads=available_threads(),
        ).tally
        for k in THRESHOLDS
    }


def sides(style: str, opponent: str, k: int) -> tuple[Player, Player]:
    """Return the players of a setting, A with a threshold."""
    knocks = settings.styled(style, f"threshold({k})")
    return player(parse_strategy(knocks)), player(parse_strategy(opponent))


def replay(pairs: int) -> dict[str, Any]:
    """Play the first pairs of every run again."""
    rules, b = Rules.preset(RULES), player(parse_strategy(OPPONENT))
    return {
        **{
            f"k={k}": match_integers(player(parse_strategy(f"threshold({k})")), b, rules, pairs, SEED)
            for k in THRESHOLDS
        },
        "settings": settings.replay(
            lambda style, opponent: {
                f"k={k}": match_integers(*sides(style, opponent, k), rules, pairs, settings.SEED)
                for k in (THRESHOLDS[0], THRESHOLDS[-1])
            }
        ),
    }


def estimates(tally: Tally) -> dict[str, Estimate]:
    """Return what the three scoreboards show."""
    sums = group_sums(tally)
    return {name: estimate(METRICS[name], tally, sums) for name in BOARDS}


def gap(played: dict[int, Tally], name: str, k: int, other: int) -> Estimate:
    """Return by how much a threshold does better than another, on the same decks."""
    return difference(METRICS[name], group_sums(played[k]), group_sums(played[other]))


def main() -> None:
    """Play twice, write tables, chart and page."""
    played, again = tallies(SEED), tallies(FRESH)
    told = {k: estimates(tally) for k, tally in played.items()}
    info = scoreboards_info("k", list(told.items()))
    rules = Rules.preset(RULES)
    saved = save_chart(
        draw_scoreboards,
        info,
        HERE / "scoreboards",
        height=scoreboards_height(info, 7.0),
        title="What a knock threshold wins, on three scoreboards",
        caption=f"threshold(k) against {OPPONENT}; {PAIRS:,} mirrored pairs of games a point, 95 % bands; "
        f"the best is filled in. Rules {RULES} ({rules.hash}), seed {SEED}.",
        alt=scoreboards_alt(info),
    )
    best = {name: max(THRESHOLDS, key=lambda k: told[k][name].estimate or 0.0) for name in BOARDS}

    hands, points, games = (best[name] for name in BOARDS)
    compared = {
        "hand_share": (hands, games),
        "points_per_hand": (points, hands),
        "game_share": (games, hands),
    }

    def in_setting(style: str, opponent: str) -> dict[str, Estimate]:
        found = {
            k: play_match(
                *sides(style, opponent, k), rules, pairs=SETTINGS_PAIRS, seed=settings.SEED,
                threads=available_threads(),
            ).tally
            for k in {hands, points, games}
        }  # fmt: skip
        return {name: gap(found, name, *ks) for name, ks in compared.items()}

    asked = settings.ask(in_setting)

    def claim(name: str, words: str) -> Claim:
        k, other = compared[name]
        scale, unit = (100.0, " percentage points") if METRICS[name].share else (1.0, " points")
        return Claim(
            words, gap(played, name, k, other), gap(again, name, k, other), 0, scale, unit,
            settings=asked[name],
        )  # fmt: skip

    claims = [
        claim("hand_share", f"k = {hands} wins more hands than k = {games}"),
        claim("points_per_hand", f"k = {points} scores more points a hand than k = {hands}"),
        claim("game_share", f"k = {games} wins more games than k = {hands}"),
    ]
    table = pd.DataFrame(
        [
            {
                "k": k,
                "hands won, %": interval(told[k]["hand_share"], 100, digits=2),
                "points a hand": interval(told[k]["points_per_hand"], digits=3, signed=True),
                "games won, %": interval(told[k]["game_share"], 100, digits=2),
            }
            for k in THRESHOLDS
        ]
    )
    article = Article(
        "Three scoreboards",
        "Which knock threshold is best depends on what is counted. Hands, points or games?",
        claims,
        [(saved, "Shares of decided hands and of games, and points a hand, A less B.")],
        [("Every threshold", "scoreboards.csv", table)],
        [
            f"A is `threshold(k)`, which draws and discards as `gold`; B is `{OPPONENT}`.",
            f"Rules `{RULES}`: gin and the undercut pay 25 points, games to 100, no other bonus.",
            f"{PAIRS:,} mirrored pairs of games for each k, all on the decks of seed {SEED}; fresh: {FRESH}.",
            "Intervals are over pairs; differences between thresholds over groups of the same decks.",
        ],
        [
            "The order of the thresholds is that against this opponent under these bonuses; others stand "
            "in the other articles.",
            "A threshold that does not change with the turn is not the best rule; see the best reply.",
        ],
        {
            "seeds": [SEED, FRESH],
            "pairs": PAIRS,
            "rules": rules_of(**{RULES: rules}),
            "a": [str(parse_strategy(f"threshold({k})")) for k in THRESHOLDS],
            "b": str(parse_strategy(OPPONENT)),
            "population": "all hands and games of mirrored pairs",
            "continuation": "A's own rule",
        },
        (
            f"{SETTINGS_PAIRS:,} mirrored pairs of games with each k",
            "Asked there: the same two thresholds, knocking with the style's draws and discards.",
        ),
    )
    publish(HERE, article, replay)


if __name__ == "__main__":
    main()
