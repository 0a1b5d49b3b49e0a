from __future__ import annotations

import math

import pytest
from scipy.stats import binom

from analysis.console import UsageError
from analysis.metrics import METRICS, difference, group_sums
from analysis.report.compare import Change, Comparison, compare
from analysis.report.compare_text import change_rows, settings_rows, summary
from analysis.stats.estimates import Estimate
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
    runs = 150
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
