"""Rebuild this folder: how knocking moves with the gin and the undercut bonus.

    python -m results.does_the_bonus_matter.build

In each of the twelve settings (`results.settings`) the reply is fitted with the style's draws and discards to
that opponent under the rule sets of a headline, and its adaptation measured; self-play has no opponent, so
its headlines are asked under the three styles.

Takes about 7 minutes of one processor.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from analysis.knocking.moves import Plan
from analysis.knocking.rule_sets import GIN_BONUSES, UNDERCUT_BONUSES, variation
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
PAIRS = 50_000
SEED, FRESH = 2026, 2027
RULES = "eaai"
A, B = "gold", "simple"
PLAN = Plan(pairs=PAIRS, games=20_000, fit_pairs=15_000, learn_pairs=4_000, learn_iterations=100)
SETS = variation("bonuses", Rules.preset(RULES))
IN_SETTINGS = Plan(
    pairs=8_000, games=0, fit_pairs=2_500, fit_iterations=2, learn_pairs=1_000, learn_iterations=50
)
HEADLINES: dict[Headline, tuple[str, str]] = {
    (f"gin {gin}, undercut {under}", answer, measure): (
        f"From gin 20 and no undercut bonus to gin {gin} and undercut {under}, {words}",
        unit,
    )
    for gin, under in ((20, 25), (30, 25))
    for answer, measure, words, unit in (
        (
            "equilibrium",
            "knock_share",
            "adapting A's table changes the share of hands A knocks",
            " percentage points",
        ),
        ("reply", "edge", "adapting A's reply to the fixed opponent gains", " % of a standard deviation"),
    )
}
"""What is claimed, and the unit."""
QUOTED = [SETS[0], *(one for one in SETS if one.name in {name for name, _, _ in HEADLINES})]
THERE = (
    played(IN_SETTINGS),
    "Asked there: the reply is fitted anew to the setting's opponent, before and after the change of "
    "rules, with the style's draws and discards. A table of self-play has no fixed opponent and is "
    "made anew for each of the three styles. The intervals carry the chance of the hands measured, "
    "not that of the fit.",
)
"""What a setting plays, and what is asked there."""


def replay(pairs: int) -> dict[str, Any]:
    """Play the first pairs of A against B under every rule set again."""
    return {
        **{one.name: fork_integers(A, B, one.rules, pairs, SEED) for one in SETS},
        "settings": setting_integers(QUOTED, pairs),
    }


def main() -> None:
    """Fit and measure twice, write tables, charts and page."""
    one, again = (compared(A, B, SETS, PLAN, seed) for seed in (SEED, FRESH))
    places = {
        f"gin {gin}, undercut {under}": (f"gin bonus {gin}", str(under))
        for gin in GIN_BONUSES
        for under in UNDERCUT_BONUSES
    }
    titles = {
        "knock_share": "How often A knocks short of gin",
        "edge": "What a hand is worth to A, in its standard deviations",
    }
    charts = level_charts(
        HERE,
        one,
        titles,
        "undercut_bonus",
        places,
        panel_axis="gin_bonus",
        caption=f"A draws and discards as {A}, B is {B}. {2 * PAIRS:,} hands a point on decks that "
        f"nothing was fitted to; bands hold all points at once, 95 %. Rules {RULES} with the "
        f"bonuses named, seed {SEED}.",
        shown=", by undercut bonus; a panel for each gin bonus.",
    )
    write_table(HERE, "levels.csv", all_levels(one).round(6))
    asked = asked_in_settings(QUOTED, IN_SETTINGS, list(HEADLINES))
    claims = [
        adaptation(one, again, headline, words, asked, unit=unit)
        for headline, (words, unit) in HEADLINES.items()
    ]
    article = Article(
        "Does the bonus matter?",
        "How does the best knock rule move with what gin and the undercut pay?",
        claims,
        charts,
        [
            (
                "Rule sets",
                "levels.csv",
                level_rows(
                    one, {"knock_share": "A knocks, %", "edge": "edge, % of a SD", "game_share": "games, %"}
                ),
            )
        ],
        [
            f"A draws and discards as `{A}`; B is `{B}`. Three answers: A's own knock rule against B; A's "
            "best knock table (own turn by deadwood) against the same B; a table of self-play by regret "
            "matching, played by both.",
            f"Rules `{RULES}` with the bonuses named, hands from 0:0. Measured on {2 * PAIRS:,} hands and "
            f"{2 * PLAN.games:,} games a rule set, on decks that nothing was fitted to: seed {SEED}; the "
            f"whole fitted and measured again: {FRESH}.",
            "Changes are from gin 20 and undercut 0. A's adaptation is the new table less the old one "
            "under the new rules, after B has adapted where both do.",
        ],
        [
            "Points under different bonuses are different units: the edge is in standard deviations of a "
            "hand.",
            "The tables know own turn and deadwood, nothing else; a reply that knows more may gain more.",
            "The equilibrium is one of knock rules; draws and discards stay as they are.",
        ],
        {
            "seeds": [SEED, FRESH],
            "pairs": PAIRS,
            "rules": rules_of(**{chosen.name: chosen.rules for chosen in SETS}),
            "a": str(parse_strategy(A)),
            "b": str(parse_strategy(B)),
            "plan": PLAN._asdict(),
            "population": "all hands from 0:0 of mirrored pairs",
            "continuation": "fixed: A's own rule; reply: A's best table v B; equilibrium: the table of "
            "self-play",
            "settings_plan": IN_SETTINGS._asdict(),
        },
        THERE,
    )
    publish(HERE, article, replay)


if __name__ == "__main__":
    main()
