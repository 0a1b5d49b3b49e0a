from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from analysis.console import UsageError
from analysis.metrics import METRICS, difference, group_sums, whenever
from analysis.report.compare import Change, Comparison, compare
from analysis.report.compare_text import change_rows, has_p, headers, settings_rows, summary
from analysis.report.facts import apart
from analysis.stats.estimates import Estimate
from analysis.stats.significance import p_value
from sim.tally import GROUPS, OUTCOMES
from tests.analysis.report.made_up_runs import made_up, results_of


def change(told: Comparison, cell: str, metric: str) -> Change:
    return next(one for one in told.changes if (one.cell, one.metric) == (cell, metric))


def test_a_run_is_equal_to_itself() -> None:
    told = compare(made_up([0.0, 0.3]), made_up([0.0, 0.3]))
    assert told.significant == []
    assert told.settings == []
    assert all(one.gap.estimate == 0 for one in told.changes)
    assert summary(told)[-1] == "Every number is exactly the same in both runs."


def test_common_decks_give_paired_intervals() -> None:
    """The difference is that of the jackknife over common groups, narrower than of runs on other decks."""
    before, after = made_up([0.0, 0.0]), made_up([0.0, 0.3])
    told = change(compare(before, after), "k=1", "points_per_hand")
    sums = [group_sums(run.tally(1)) for run in (before, after)]
    assert told.paired
    assert told.gap == difference(METRICS["points_per_hand"], sums[1], sums[0])
    assert told.significant and told.p is not None and told.p.log10 < -2
    apart = change(compare(made_up([0.0, 0.0], seed=2), after), "k=1", "points_per_hand")
    assert not apart.paired
    assert width(told.gap) < width(apart.gap)


def width(told: Estimate) -> float:
    assert told.low is not None and told.high is not None
    return told.high - told.low


def test_variances_of_independent_runs_add() -> None:
    told = compare(made_up([0.0], seed=1), made_up([0.4], seed=2))
    one = change(told, "k=0", "game_share")
    assert one.gap.se is not None and one.before.se is not None and one.after.se is not None
    assert one.gap.se == pytest.approx(math.hypot(one.before.se, one.after.se))
    assert one.before.estimate is not None and one.after.estimate is not None
    assert one.gap.estimate == pytest.approx(one.after.estimate - one.before.estimate)
    assert "different seeds" in summary(told)[1]
    assert settings_rows(told) == [("seed", "1", "2")]


def test_only_what_changed_is_told() -> None:
    before, after = made_up([0.0, 0.0, 0.0]), made_up([0.0, 0.0, 1.0])
    told = compare(before, after)
    assert {one.cell for one in told.significant} == {"k=2"}
    assert {"game_share", "hand_share", "points_per_hand"} <= {one.metric for one in told.significant}
    assert told.to_dict()["comparisons"] == len(told.changes) > len(told.to_dict()["changes"])
    assert len(told.to_dict(everything=True)["changes"]) == len(told.changes)
    rows = {row[0]: row for row in change_rows(told.significant)}
    share = change(told, "k=2", "game_share")
    assert share.gap.estimate is not None
    shown = rows["games won by A, %"][3]
    assert shown.startswith(f"+{100 * share.gap.estimate:.1f}") and shown.endswith("*")


@pytest.mark.slow
def test_equal_runs_seldom_differ() -> None:
    """Of two runs of the same truth on other decks at most one in twenty may show any change.

    More than the bound below comes by chance once in a million.
    """
    runs = 100
    wrong = sum(
        bool(
            compare(
                made_up([0.0], pairs=256, seed=2 * at), made_up([0.0], pairs=256, seed=2 * at + 1)
            ).significant
        )
        for at in range(1, runs + 1)
    )
    assert wrong <= binom.isf(1e-6, runs, 0.05)


def test_cells_are_matched_by_their_keys() -> None:
    """Cells of an axis in another order are found; those of one run alone are named."""
    before = made_up([0.0, 0.5, 1.0])
    experiment = before.experiment.changed(axes={"k": [2, 1, 7]})
    after = results_of(experiment, [before.tally(2), before.tally(1), before.tally(0)])
    told = compare(before, after)
    assert told.cells == 2
    assert (told.only_before, told.only_after) == (["k=0"], ["k=7"])
    assert all(one.gap.estimate == 0 for one in told.changes)
    assert [row[0] for row in settings_rows(told)] == ["axes.k"]


def test_runs_without_common_cells_are_refused() -> None:
    with pytest.raises(UsageError, match=r"no cells in common: the first run has k = 0, 1, the second"):
        compare(made_up([0.0, 0.0]), made_up([0.0, 0.0], axis="undercut_bonus"))


def test_runs_that_were_stopped_are_marked() -> None:
    told = compare(made_up([0.0]), made_up([0.5], stopped="interrupted"))
    assert not told.fixed
    assert any("settled beforehand" in line for line in summary(told))
    for one in told.changes:
        assert one.anytime is not None and one.p is None
        if one.gap.low is not None and one.anytime.low is not None and one.anytime.high is not None:
            assert one.gap.high is not None
            assert one.anytime.low < one.gap.low and one.anytime.high > one.gap.high
    share = change(told, "k=0", "game_share")
    assert share.significant and share.anytime is not None and (share.anytime.low or 0) > 0
    row, below = change_rows([share], has_p(told))
    assert len(row) == len(below) == len(headers(told)) == 4
    assert below[0].strip() == "at any stop" and below[3].startswith("(+")
    told_again = told.to_dict()["changes"][0]
    assert told_again["difference_anytime"]["low"] < told_again["difference"]["low"]


def test_a_mixture_of_stops_shares_the_error() -> None:
    """One cell of fixed pairs, one interrupted: p-values of the first by Bonferroni, none of the second."""
    before = made_up([0.0, 0.0])
    after = made_up([0.5, 0.5])
    after = results_of(after.experiment, [after.tally(0), after.tally(1)], ["pairs", "interrupted"])
    told = compare(before, after)
    assert not told.fixed
    first, second = (change(told, f"k={k}", "game_share") for k in (0, 1))
    assert first.anytime is None and first.p is not None and first.significant
    assert second.anytime is not None and second.p is None and second.significant
    rows = change_rows([first, second], has_p(told))
    assert [row[-1] != "" for row in rows] == [True, False, False] and headers(told)[-1] == "p (Bonf.)"
    alone = p_value(first.gap, 0.0)
    assert alone is not None
    assert first.p.log10 == pytest.approx(alone.log10 + math.log10(len(told.changes)))


def counted(luck: np.ndarray, own: np.ndarray) -> tuple[Any, dict[str, Any]]:
    """Return moments and sums by group of even pairs, by the decks' luck and the run's own."""
    swing = 0.8 * luck + 0.6 * own
    pairs = len(swing)
    won = {
        "one": np.ones(pairs),
        "games": np.full(pairs, 2),
        "games_a": np.digitize(swing, [-1.5, -0.5, 0.5, 1.5]),
        "hands": np.full(pairs, 8),
        "points_a": np.rint(40 * swing),
    }
    values = np.stack([won.get(name, np.zeros(pairs)) for name in OUTCOMES], axis=1).astype(np.int64)
    groups = np.zeros((GROUPS, len(OUTCOMES)), np.int64)
    np.add.at(groups, np.arange(pairs) % GROUPS, values)
    sums = {name: groups[:, at] for at, name in enumerate(OUTCOMES)}
    return values.T @ values, {**sums, "dealer_points": sums["points_a"]}


@pytest.mark.parametrize(
    ("name", "truth"), [("game_share", 0.5), ("points_per_hand", 0.0), ("dealer_points_per_hand", 0.0)]
)
def test_differences_at_any_stop_cover(name: str, truth: float) -> None:
    """Two runs on common decks, the first stopped when it looks best, the second when it looks worst.

    Of the union of two intervals at 97.5 % at most 5 % may miss, of the last one too, which is counted by
    group alone; more than the bound come by chance once in ten million. The interval of fixed pairs does not
    survive such stops.
    """
    runs, looks = 200, [256 * 2**at for at in range(6)]
    rng = np.random.default_rng(11)
    metric = METRICS[name]
    missed = narrow = 0
    for _ in range(runs):
        luck = rng.standard_normal(looks[-1])
        stopped = []
        for sign in (1, -1):
            own = rng.standard_normal(looks[-1])
            seen = [counted(luck[:pairs], own[:pairs]) for pairs in looks]
            told = [whenever(metric, *one) for one in seen]
            far = [sign * ((one.estimate or 0.0) - truth) / (one.se or np.nan) for one in told]
            stopped.append(seen[int(np.argmax(far))])
        gap = apart(*(whenever(metric, *one, 0.975) for one in stopped)).told
        fixed = difference(metric, stopped[0][1], stopped[1][1])
        assert gap.low is not None and gap.high is not None
        assert fixed.low is not None and fixed.high is not None
        missed += not gap.low <= 0 <= gap.high
        narrow += not fixed.low <= 0 <= fixed.high
    assert missed <= binom.isf(1e-7, runs, 0.05)
    assert narrow > binom.isf(1e-3, runs, 0.05)


def test_other_deck_is_not_paired() -> None:
    """A deck of other cards is shuffled otherwise, whatever the seed."""
    before = made_up([0.0])
    small = before.experiment.changed(rules={"ranks": 12})
    told = compare(before, results_of(small, [before.tally(0)]))
    assert told.same_seed and not any(one.paired for one in told.changes)
    assert "variances add" in summary(told)[1]


def test_one_pair_shows_nothing() -> None:
    """A run of one pair has no standard error; that is not to be taken for one of nothing."""
    few, many = made_up([3.0], pairs=1, seed=1), made_up([0.0], pairs=300, seed=2)
    told = compare(few, many)
    assert change(told, "k=0", "game_share").before.estimate == 1.0
    assert not told.significant
    assert change(told, "k=0", "points_per_hand").gap.low is None


def test_what_never_came_counts_with_its_interval() -> None:
    """All of 1,000 pairs won against half of them is a difference, though the first has no standard error."""
    told = compare(made_up([9.0], pairs=1000, seed=1), made_up([0.0], pairs=1000, seed=2))
    one = change(told, "k=0", "game_share")
    assert one.before.se is None and one.significant and one.gap.high is not None and one.gap.high < -0.4
