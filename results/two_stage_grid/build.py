"""Rebuild this folder: every two-stage knock rule against four opponents.

    python -m results.two_stage_grid.build

In each of the twelve settings (`results.settings`) the two rules of a headline, found against one opponent
with one style, are compared with the style's draws and discards and that opponent: the same difference of
points.

Took 407 seconds on two processors with other work beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.charts.heatmap import draw_heatmap, heatmap_alt, heatmap_height
from analysis.charts.save import save_chart
from analysis.knocking.policy import Policy, sums_by_group, threshold, two_stage
from analysis.metrics import METRICS, estimate, group_sums
from analysis.request import available_threads
from analysis.stats.estimates import Estimate, jackknife
from analysis.stats.joint import not_worse_than_best
from results import settings
from results.publish import Article, Claim, interval, publish, rules_of, write_table
from sim.forks import Forks, fork_chunks
from sim.rules import Rules
from sim.run import play_match
from sim.tally import GROUPS
from strategies.base import parse_strategy, player

HERE = Path(__file__).resolve().parent
PAIRS = 100_000
SETTINGS_PAIRS = 40_000
GAMES = 100_000
SEED, FRESH = 2026, 2027
RULES = "eaai"
STYLE = "gold"
OPPONENTS = ("simple", "threshold(4)", "two_stage(10, 0, 6)", "gin_only")
SWITCHES = range(2, 16)
PUBLISHED = (10, 0, 6)

Key = tuple[int, int, int]
"""Early threshold, late threshold, own turn of the switch; 1 where the two are the same."""
GRID: dict[Key, Policy] = {
    **{(k, k, 1): threshold(k) for k in range(11)},
    **{
        (early, late, switch): two_stage(early, late, switch)
        for early in range(11)
        for late in range(early)
        for switch in SWITCHES
    },
}
KEYS = list(GRID)
SOME: tuple[Key, ...] = ((0, 0, 1), (10, 10, 1), PUBLISHED)
THERE = (
    f"{2 * SETTINGS_PAIRS:,} hands",
    "Asked there of the same two rules, the one that was best against the opponent named and the one "
    "it is compared with, against the setting's opponent.",
)
"""What a setting plays, and what is asked there."""


class Played(NamedTuple):
    """Points a hand of rules: from all groups of pairs, and from all but each."""

    keys: list[Key]
    values: npt.NDArray[np.float64]
    without: npt.NDArray[np.float64]

    def of(self, key: Key) -> Estimate:
        """Return one rule's points a hand."""
        at = self.keys.index(key)
        return jackknife(float(self.values[at]), self.without[:, at])

    def gap(self, key: Key, other: Key) -> Estimate:
        """Return by how much one rule scores more than another on the same deals."""
        at, base = self.keys.index(key), self.keys.index(other)
        return jackknife(
            float(self.values[at] - self.values[base]), self.without[:, at] - self.without[:, base]
        )

    def best(self) -> Key:
        """Return the rule with the most points."""
        return self.keys[int(self.values.argmax())]


def play(opponent: str, seed: int) -> Played:
    """Play every rule of the grid on the same deals, which takes one recording of their forks."""
    chunks = fork_chunks(
        player(parse_strategy(STYLE)), player(parse_strategy(opponent)), Rules.preset(RULES),
        pairs=PAIRS, seed=seed, threads=available_threads(),
    )  # fmt: skip
    return points_of(KEYS, chunks)


def points_of(keys: list[Key], chunks: Iterable[Forks]) -> Played:
    """Return the points of some rules on the same hands."""
    sums, hands = np.zeros((len(keys), GROUPS)), np.zeros(GROUPS)
    for forks in chunks:
        for at, key in enumerate(keys):
            part, count = sums_by_group(forks.deals, forks.result(GRID[key].at(forks) == 1), GROUPS)
            sums[at] += part
        hands += count
    total = sums.sum(axis=1)
    return Played(keys, total / hands.sum(), ((total[:, None] - sums) / (hands.sum() - hands)).T)


def replay(pairs: int) -> dict[str, Any]:
    """Play the first pairs of every run again."""
    told: dict[str, Any] = {}
    for opponent in OPPONENTS:
        (forks,) = fork_chunks(
            player(parse_strategy(STYLE)), player(parse_strategy(opponent)), Rules.preset(RULES),
            pairs=pairs, seed=SEED,
        )  # fmt: skip
        told[opponent] = {
            "forks": len(forks.forks),
            **{str(key): int(forks.result(GRID[key].at(forks) == 1).sum()) for key in SOME},
        }
    told["settings"] = settings.replay(lambda style, opponent: _integers(style, opponent, pairs))
    return told


def _integers(style: str, opponent: str, pairs: int) -> dict[str, int]:
    """Return points of a few rules on the first pairs of a setting."""
    (forks,) = setting_forks(style, opponent, pairs)
    return {
        "forks": len(forks.forks),
        **{str(key): int(forks.result(GRID[key].at(forks) == 1).sum()) for key in SOME},
    }


def setting_forks(style: str, opponent: str, pairs: int) -> Iterator[Forks]:
    """Fork the hands of a setting."""
    return fork_chunks(
        player(parse_strategy(style)), player(parse_strategy(opponent)), Rules.preset(RULES),
        pairs=pairs, seed=settings.SEED, threads=available_threads(),
    )  # fmt: skip


def games(key: Key, opponent: str, seed: int) -> Estimate:
    """Return a rule's share of games against an opponent."""
    early, late, switch = key
    a = player(parse_strategy(f"two_stage({early}, {late}, {switch})"))
    tally = play_match(
        a, player(parse_strategy(opponent)), Rules.preset(RULES), pairs=GAMES, seed=seed,
        threads=available_threads(),
    ).tally  # fmt: skip
    return estimate(METRICS["game_share"], tally, group_sums(tally))


def name(key: Key) -> str:
    """Return a rule in words."""
    early, late, switch = key
    return f"at most {early}" if early == late else f"at most {early}, from turn {switch} at most {late}"


def map_table(played: Played) -> pd.DataFrame:
    """Return for early and late threshold the points a hand at the best switch."""
    kept = not_worse_than_best(played.values, played.without)
    rows = []
    for early in range(11):
        for late in range(early + 1):
            keys = [key for key in KEYS if key[:2] == (early, late)]
            key = max(keys, key=lambda one: played.values[KEYS.index(one)])
            told = played.of(key)
            rows.append(
                {
                    "row_axis": "early",
                    "row": str(early),
                    "column_axis": "late",
                    "column": str(late),
                    "switch": key[2],
                    "metric": "points_per_hand",
                    "estimate": told.estimate,
                    "low": told.low,
                    "high": told.high,
                    "kept_in_column": False,
                    "kept": any(kept[KEYS.index(one)] for one in keys),
                }
            )
    return pd.DataFrame(rows)


def main() -> None:
    """Play twice, write tables, charts and page."""
    rules = Rules.preset(RULES)
    played = {opponent: play(opponent, SEED) for opponent in OPPONENTS}
    again = {opponent: play(opponent, FRESH) for opponent in OPPONENTS}
    compared = [
        (best, key)
        for best in (one.best() for one in played.values())
        for key in (PUBLISHED, (0, 0, 1))
        if key != best
    ]

    def in_setting(style: str, opponent: str) -> dict[tuple[Key, Key], Estimate]:
        keys = list(dict.fromkeys(key for two in compared for key in two))
        found = points_of(keys, setting_forks(style, opponent, SETTINGS_PAIRS))
        return {two: found.gap(*two) for two in compared}

    asked = settings.ask(in_setting)
    charts, claims, lines = [], [], []
    for at, opponent in enumerate(OPPONENTS):
        one, other = played[opponent], again[opponent]
        info = map_table(one)
        charts.append(
            (
                save_chart(
                    draw_heatmap,
                    info,
                    HERE / f"map_{at + 1}",
                    height=heatmap_height(info, 7.0),
                    title=f"Two-stage rules against {opponent}: points a hand at the best turn of the switch",
                    caption=f"A draws and discards as {STYLE}. {2 * PAIRS:,} hands from 0:0, all rules on "
                    f"the same deals; rules {RULES} ({rules.hash}), seed {SEED}. The diagonal does "
                    "not switch.",
                    alt=heatmap_alt(info),
                ),
                f"Points a hand against `{opponent}`, by early and late threshold.",
            )
        )
        best = one.best()
        kept = not_worse_than_best(one.values, one.without)
        claims += [
            Claim(
                f"Against `{opponent}` the best rule of the grid ({name(best)}) scores more points a hand "
                f"than {name(key)}",
                one.gap(best, key),
                other.gap(best, key),
                settings=asked[best, key],
            )
            for key in (PUBLISHED, (0, 0, 1))
            if key != best
        ]
        for key in dict.fromkeys((best, PUBLISHED, (0, 0, 1), (10, 10, 1))):
            lines.append(
                {
                    "against": opponent,
                    "knocks with": name(key) + (" (best of the grid)" if key == best else ""),
                    "points a hand": interval(other.of(key), digits=3, signed=True),
                    "games won, %": interval(games(key, opponent, FRESH), 100),
                    "rules not worse than the best": f"{int(kept.sum())} of {len(KEYS)}",
                }
            )
    rows = [
        {
            "against": opponent,
            "early": key[0],
            "late": key[1],
            "switch": key[2],
            "points_per_hand": told.estimate,
            "low": told.low,
            "high": told.high,
        }
        for opponent, one in played.items()
        for key in KEYS
        for told in (one.of(key),)
    ]
    write_table(HERE, "grid.csv", pd.DataFrame(rows).round(6))
    article = Article(
        "The two-stage grid",
        "Should a player who knocks freely at first become careful, when, and how careful?",
        claims,
        charts,
        [("Some rules on fresh decks", "grid.csv", pd.DataFrame(lines))],
        [
            f"A draws and discards as `{STYLE}` and knocks with at most `early` points before own turn "
            f"`switch`, with at most `late` from it on: all {len(KEYS)} rules with early >= late and "
            f"switch at {SWITCHES.start}-{SWITCHES.stop - 1}.",
            f"Rules `{RULES}`. {2 * PAIRS:,} hands an opponent from 0:0, mirrored, every rule on the same "
            f"deals: seed {SEED}; fresh: {FRESH}. Games won: {GAMES:,} mirrored pairs with the fresh seed.",
            "The best rule is chosen on the first decks; its numbers in the table are of the fresh ones. "
            "Rules not worse than the best: multiple comparisons with the best, 95 %.",
        ],
        [
            "The best rule of the grid is the best against that opponent alone, and only of this form.",
            "Points a hand are those of hands at 0:0; nobody here plays by the score.",
        ],
        {
            "seeds": [SEED, FRESH],
            "pairs": PAIRS,
            "rules": rules_of(**{RULES: rules}),
            "a": f"{STYLE}, with every rule of the grid",
            "b": list(OPPONENTS),
            "population": "all hands from 0:0 of mirrored pairs",
            "continuation": "the rule of the grid itself",
        },
        THERE,
    )
    publish(HERE, article, replay)


if __name__ == "__main__":
    main()
