"""What articles on changing rules share: the comparison, its levels as curves and tables, claims."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from analysis.charts.curves import curves_alt, curves_height, draw_curves
from analysis.charts.save import Saved, save_chart
from analysis.knocking.moves import (
    ANSWERS,
    FIT,
    LEARN,
    MEASURE,
    MEASURES,
    Moves,
    Plan,
    compare_rule_sets,
    follow,
    measures_of,
)
from analysis.knocking.policy import Policy
from analysis.knocking.recorded import Opponent
from analysis.knocking.regret import recorder, self_play
from analysis.knocking.reply import fit_reply
from analysis.knocking.rule_sets import RuleSet
from analysis.knocking.styles import STYLES
from analysis.request import available_threads
from analysis.stats.estimates import Estimate, jackknife
from analysis.stats.joint import sample
from results import settings
from results.forked import fork_integers
from results.publish import Claim, interval
from results.settings import Setting
from sim.forks import fork_chunks
from sim.tally import GROUPS
from strategies.base import Strategy, parse_strategy, player
from strategies.table_player import table_player

WORDS = {
    "fixed": "A's own rule v B",
    "reply": "A's best knock table v B",
    "equilibrium": "both by the table of self-play",
}
"""The three answers."""
SCALES = {"edge": (100.0, 2), "knock_share": (100.0, 1), "knock_deadwood": (1.0, 2), "game_share": (100.0, 2)}
"""Factor to what is printed, and decimals, of each measure."""


def compared(a: str, b: str, sets: Sequence[RuleSet], plan: Plan, seed: int) -> Moves:
    """Fit and measure the answers under each rule set."""
    return compare_rule_sets(
        parse_strategy(a),
        player(parse_strategy(b)),
        sets,
        plan._replace(seed=seed, threads=available_threads()),
    )


def level(moves: Moves, name: str, answer: str, measure: str) -> Estimate | None:
    """Return a measure under a rule set; None where there is none."""
    for one in moves.levels:
        if (one.rule_set, one.answer, one.measure) == (name, answer, measure):
            return one.value
    return None


Headline = tuple[str, str, str]
"""A rule set, an answer and a measure, of which A's adaptation is claimed."""


def adaptation(
    one: Moves,
    again: Moves,
    headline: Headline,
    words: str,
    asked: dict[Headline, tuple[Setting, ...]],
    **how: Any,
) -> Claim:
    """Return the claim that A's adaptation to a rule set changes a measure."""

    def found(moves: Moves) -> Estimate:
        return next(
            change.adaptation
            for change in moves.changes
            if (change.rule_set, change.answer, change.measure) == headline
        )

    scale, digits = SCALES[headline[2]]
    return Claim(words, found(one), found(again), 0, scale, digits=digits, settings=asked[headline], **how)


def asked_in_settings(
    sets: Sequence[RuleSet], plan: Plan, headlines: Sequence[Headline]
) -> dict[Headline, tuple[Setting, ...]]:
    """Fit and measure A's adaptation in the twelve settings, that of self-play under the three styles.

    Parameters
    ----------
    sets : sequence of RuleSet
        The one that changes are from, and those of the headlines.
    plan : Plan
        How much a setting plays; its seed and threads are left out.
    headlines : sequence of tuple
        Of ``reply`` and ``equilibrium``.
    """
    plan = plan._replace(seed=settings.SEED, threads=available_threads())

    def chosen(answer: str, style: str, opponent: str | None) -> dict[Headline, Estimate]:
        wanted = [headline for headline in headlines if headline[1] == answer]
        found = _adaptations(parse_strategy(style), opponent, sets, plan) if wanted else {}
        return {headline: found[headline[0], headline[2]] for headline in wanted}

    return {
        **settings.ask(lambda style, opponent: chosen("reply", style, opponent)),
        **settings.ask_styles(lambda style: chosen("equilibrium", style, None)),
    }


def _adaptations(
    base: Strategy, opponent: str | None, sets: Sequence[RuleSet], plan: Plan
) -> dict[tuple[str, str], Estimate]:
    """Return what the new table adds to the old one under new rules, by rule set and measure.

    It is `analysis.knocking.moves.Change.adaptation` with an interval for itself: of the reply to an
    opponent, or of the table of self-play where there is none.
    """

    def fit(chosen: RuleSet) -> Policy:
        if opponent is not None:
            fixed = [Opponent(1.0, player(parse_strategy(opponent)))]
            return fit_reply(
                player(base), fixed, chosen.rules, pairs=plan.fit_pairs, seed=plan.seed_for(FIT),
                iterations=plan.fit_iterations, threads=plan.threads, worth=chosen.worth,
            ).policy  # fmt: skip
        record = recorder(
            base, chosen.rules, pairs=plan.learn_pairs, seed=plan.seed_for(LEARN), threads=plan.threads,
            keep=chosen.keep,
        )  # fmt: skip
        return self_play(record, plan.learn_iterations, ())[-1].policy

    def gained(sums: dict[str, Any]) -> Any:
        new, old = measures_of(sums["both"])
        return new - old

    old = fit(sets[0].any_suit())
    told = {}
    for chosen in sets[1:]:
        new = fit(chosen.any_suit())
        other = table_player(base, new.cells()) if opponent is None else player(parse_strategy(opponent))
        both = np.zeros((GROUPS, 2, 7))  # no games: the last two stay 0
        for forks in fork_chunks(
            player(base), other, chosen.rules, pairs=plan.pairs, seed=plan.seed_for(MEASURE),
            threads=plan.threads,
        ):  # fmt: skip
            kept = chosen.counts(forks)
            for line, table in enumerate((new, old)):
                both[:, line, :5] += follow(forks, table.at(forks), kept)
        known = sample(gained, {"both": both})
        for at, measure in enumerate(MEASURES):
            told[chosen.name, measure] = jackknife(float(known.values[at]), known.without[:, at])
    return told


def setting_integers(sets: Sequence[RuleSet], pairs: int) -> dict[str, Any]:
    """Return sums over the forks of the first pairs of the settings, and of self-play, by rule set."""

    def told(style: str, opponent: str) -> dict[str, Any]:
        return {
            one.name: fork_integers(style, opponent, one.rules, pairs, settings.SEED)
            for one in {one.rules.hash: one for one in sets}.values()
        }

    return {
        **settings.replay(told),
        **{f"{style} v {settings.ITSELF}": told(style, style) for style in STYLES},
    }


def played(plan: Plan) -> str:
    """Return how much a setting plays, in words."""
    return (
        f"{2 * plan.pairs:,} hands a rule set on decks that nothing was fitted to "
        f"(fitted on {2 * plan.fit_pairs:,} a step)"
    )


def curves(
    moves: Moves, measure: str, axis: str, places: dict[str, tuple[str, str]], panel_axis: str = ""
) -> pd.DataFrame:
    """Return a measure as the table of `analysis.charts.curves.draw_curves`, a line for each answer.

    Parameters
    ----------
    places : dict of str to (str, str)
        Rule sets shown, with their panel and their place along the axis.
    """
    rows = []
    for answer in ANSWERS:
        for name, (panel, x) in places.items():
            value = level(moves, name, answer, measure)
            if value is not None and value.estimate is not None:
                rows.append(
                    {
                        "x_axis": axis,
                        "x": x,
                        "line_axis": "answer",
                        "line": WORDS[answer],
                        "panel_axis": panel_axis,
                        "panel": panel,
                        "metric": measure,
                        "estimate": value.estimate,
                        "low": value.estimate if value.low is None else value.low,
                        "high": value.estimate if value.high is None else value.high,
                    }
                )
    return pd.DataFrame(rows)


def level_charts(
    folder: Path,
    moves: Moves,
    titles: dict[str, str],
    axis: str,
    places: dict[str, tuple[str, str]],
    *,
    caption: str,
    shown: str,
    panel_axis: str = "",
) -> list[tuple[Saved, str]]:
    """Draw a chart of each measure that has a title; ``shown`` is added to what the page says of it."""
    charts = []
    for measure, title in titles.items():
        info = curves(moves, measure, axis, places, panel_axis)
        saved = save_chart(
            draw_curves,
            info,
            folder / measure,
            height=curves_height(info, 7.0),
            title=title,
            caption=caption,
            alt=curves_alt(info),
        )
        charts.append((saved, f"{title}{shown}"))
    return charts


def all_levels(moves: Moves) -> pd.DataFrame:
    """Return every measure at full precision."""
    return pd.DataFrame(
        [
            {"rules": one.rule_set, "answer": one.answer, "measure": one.measure, **one.value.to_dict()}
            for one in moves.levels
        ]
    )


def level_rows(moves: Moves, measures: dict[str, str]) -> pd.DataFrame:
    """Return a table to be read: a row for each rule set, the measures by answer."""
    rows = []
    for chosen in moves.sets:
        row: dict[str, Any] = {"rules": chosen.name}
        for measure, title in measures.items():
            scale, digits = SCALES[measure]
            for answer in ANSWERS:
                value = level(moves, chosen.name, answer, measure)
                if value is not None:
                    row[f"{title}, {answer}"] = interval(value, scale, digits=digits)
        rows.append(row)
    return pd.DataFrame(rows).fillna("")
