"""Rebuild this folder: knocking in Oklahoma, limit by limit.

    python -m results.oklahoma_by_upcard.build

In each of the twelve settings (`results.settings`) the reply is fitted with the style's draws and discards to
that opponent at the limits of a headline, and its adaptation measured; self-play has no opponent, so its
headlines are asked under the three styles.

Takes about 10 minutes of one processor.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from analysis.knocking.moves import Plan
from analysis.knocking.rule_sets import variation
from results.forked import fork_integers
from results.moved import (
    Headline,
    adaptation,
    all_levels,
    asked_in_settings,
    compared,
    level_charts,
    level_rows,
    played,
    setting_integers,
)
from results.publish import Article, publish, rules_of, write_table
from sim.rules import Rules
from strategies.base import parse_strategy

HERE = Path(__file__).resolve().parent
PAIRS = 100_000
SEED, FRESH = 2026, 2027
RULES = "eaai"
A, B = "gold", "simple"
OKLAHOMA = Rules.preset(RULES).replace(knock_limit_source="upcard", spade_multiplier=2)
PLAN = Plan(pairs=PAIRS, games=0, fit_pairs=20_000, learn_pairs=10_000, learn_iterations=40)
SETS = variation("oklahoma", OKLAHOMA)
IN_SETTINGS = Plan(
    pairs=20_000, games=0, fit_pairs=8_000, fit_iterations=1, learn_pairs=4_000, learn_iterations=20
)
HEADLINES: dict[Headline, tuple[str, str]] = {
    (f"limit {limit}", answer, "knock_share"): (
        f"From limit 10 to limit {limit}, {words}",
        " percentage points",
    )
    for limit in (5, 2)
    for answer, words in (
        ("reply", "adapting A's reply changes the share of hands A knocks"),
        ("equilibrium", "adapting A's table of self-play changes it"),
    )
}
"""What is claimed, and the unit."""
QUOTED = [SETS[0], *(one for one in SETS if one.name in {name for name, _, _ in HEADLINES})]
THERE = (
    played(IN_SETTINGS),
    "Asked there: the reply is fitted anew to the setting's opponent, at limit 10 and at the limit "
    "named, with the style's draws and discards. A table of self-play has no fixed opponent and is "
    "made anew for each of the three styles. Of these hands about one in seventeen has the limit "
    "named and no spade. The intervals carry the chance of the hands measured, not that of the fit, "
    "which saw about 1,200 hands of a limit a step: a decided change, even a large one, may be the fit's.",
)
"""What a setting plays, and what is asked there."""


def replay(pairs: int) -> dict[str, Any]:
    """Play the first pairs of A against B again."""
    return {
        "all limits": fork_integers(A, B, OKLAHOMA, pairs, SEED),
        "settings": setting_integers(QUOTED, pairs),
    }


def main() -> None:
    """Fit and measure twice, write tables, charts and page."""
    one, again = (compared(A, B, SETS, PLAN, seed) for seed in (SEED, FRESH))
    plain = [chosen for chosen in SETS if chosen.multiplier == 1]
    places = {chosen.name: ("", str(chosen.limit)) for chosen in reversed(plain)}
    titles = {
        "knock_share": "Oklahoma: how often A knocks short of gin, by the limit",
        "edge": "Oklahoma: what a hand is worth to A, in its standard deviations",
    }
    charts = level_charts(
        HERE,
        one,
        titles,
        "knock_limit",
        places,
        caption=f"A draws and discards as {A}, B is {B}; hands whose upcard is no spade. Decks that "
        f"nothing was fitted to; bands hold all points at once, 95 %. Rules {RULES} with the "
        f"limit of the upcard and doubled spades, seed {SEED}.",
        shown="; a court card or ten sets 10, an ace 1.",
    )
    write_table(HERE, "levels.csv", all_levels(one).round(6))
    asked = asked_in_settings(QUOTED, IN_SETTINGS, list(HEADLINES))
    claims = [
        adaptation(one, again, headline, words, asked, unit=unit)
        for headline, (words, unit) in HEADLINES.items()
    ]
    article = Article(
        "Oklahoma by upcard",
        "The upcard sets the knock limit. Does the best knock rule change with it, or is it cut off at it?",
        claims,
        charts,
        [
            (
                "Each limit, spades apart",
                "levels.csv",
                level_rows(one, {"knock_share": "A knocks, %", "edge": "edge, % of a SD"}),
            )
        ],
        [
            f"A draws and discards as `{A}`; B is `{B}`. Three answers: A's own knock rule against B; A's "
            "best knock table (own turn by deadwood) against the same B; a table of self-play by regret "
            "matching, played by both. Tables are fitted for each limit, spades and other suits together.",
            f"Rules `{RULES}` with `knock_limit_source=upcard`, `spade_multiplier=2`, hands from 0:0, each "
            f"counted under its own limit. {2 * PAIRS:,} hands measured: seed {SEED}; the whole fitted and "
            f"measured again: {FRESH}.",
            "Changes are from limit 10. A's adaptation is the new table less the old one at the new limit.",
        ],
        [
            "Points are those before the spade's doubling where tables are fitted, so that spades do not "
            "count twice; the edge is in standard deviations of a hand of the row.",
            "Games are not counted limit by limit: a game has hands of many limits.",
            "A share of 0.0 without an interval is exact: that table knocks on no count short of gin.",
        ],
        {
            "seeds": [SEED, FRESH],
            "pairs": PAIRS,
            "rules": rules_of(oklahoma=OKLAHOMA),
            "a": str(parse_strategy(A)),
            "b": str(parse_strategy(B)),
            "plan": PLAN._asdict(),
            "population": "all hands from 0:0 of mirrored pairs whose upcard sets the limit named",
            "continuation": "fixed: A's own rule; reply: A's best table v B; equilibrium: the table of "
            "self-play",
            "settings_plan": IN_SETTINGS._asdict(),
        },
        THERE,
    )
    publish(HERE, article, replay)


if __name__ == "__main__":
    main()
