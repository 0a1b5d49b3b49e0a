from __future__ import annotations

import gc
import re

import numpy as np
import pytest
from scipy.stats import binom, t

from analysis.experiment.experiment import Experiment
from analysis.report import answer as told_answer
from analysis.report.blocks import Block, Items, Note, Table, Text
from analysis.report.facts import gaps_to, gather, judged_against, not_worse, shown_ahead, wider_at_once
from analysis.report.method import conclusions, stopped_note
from analysis.stats import joint
from analysis.stats.estimates import Estimate
from analysis.store.results import Results
from sim.tally import OUTCOMES, Tally
from tests.analysis.report.made_up_runs import bare_facts, made_up, results_of

NEVER = 1e-6
"""False-alarm probability of the statistical tests below."""


def sentences(results: Results) -> str:
    """Return the answer as one text, tables left out."""
    blocks: list[Block] = told_answer.answer(results, gather(results))
    parts = [block.text for block in blocks if isinstance(block, Text)]
    parts += [item for block in blocks if isinstance(block, Items) for item in block.items]
    return " ".join(parts)


def lead(results: Results) -> str:
    first = told_answer.answer(results, gather(results))[0]
    assert isinstance(first, Text) and first.lead
    return first.text


def test_nothing_significant_claims_no_winner() -> None:
    results = made_up([0.0, 0.0, 0.0, 0.0])
    assert lead(results).startswith("No best k is shown")
    assert "Side A is shown to win more games in 0 cells, side B in 0, and neither in 4" in sentences(results)


def test_nothing_significant_claims_no_difference_of_rules() -> None:
    results = made_up([0.0, 0.0, 0.0], axis="undercut_bonus")
    assert lead(results).startswith("None of the 2 other cells is shown to differ from undercut bonus 0")


def test_one_cell_that_is_even_claims_nothing() -> None:
    results = made_up([0.0])
    text = sentences(results)
    assert lead(results).startswith("Neither `threshold(k=0)` (side A) nor `simple(pair_memory=true)`")
    assert text.count("neither side is shown to be ahead") == 3


def test_what_is_there_is_said() -> None:
    assert lead(made_up([1.0])).startswith("Side A (`threshold(k=0)`) wins more games than side B")
    assert lead(made_up([-1.0])).startswith("Side B (`simple(pair_memory=true)`) wins more games than side A")
    best = lead(made_up([0.0, 1.0, 0.0]))
    assert best.startswith("A's share of the games is largest at k 1: ")
    assert best.endswith("With a confidence of 95 % it is the best of the 3 values.")
    rules = sentences(made_up([0.0, 1.0, -1.0, 0.0], axis="undercut_bonus"))
    assert "Larger: undercut bonus 1." in rules
    assert "Smaller: undercut bonus 2." in rules
    assert "Not shown to differ: undercut bonus 3." in rules


def test_the_numbers_of_the_lead_are_those_of_the_table() -> None:
    results = made_up([0.0, 0.6, 0.1])
    row = results.table("cells").iloc[1]
    shown = re.search(r"largest at k 1: ([\d.]+) % \(([\d.]+) to ([\d.]+)\)", lead(results))
    assert shown is not None
    expected = [100 * row[name] for name in ("game_share", "game_share_low", "game_share_high")]
    assert [float(part) for part in shown.groups()] == pytest.approx(expected, abs=0.051)


@pytest.fixture
def _quick_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw largest deviations less often: the critical value is then right to 1 % in coverage.

    Nor let statsmodels sweep the memory each time it judges a few p-values.
    """
    monkeypatch.setattr(joint, "DRAWS", 1_000)
    monkeypatch.setattr(gc, "collect", lambda *_: 0)


@pytest.mark.usefixtures("_quick_draws")
def test_equal_cells_are_seldom_told_apart() -> None:
    """Of null experiments at most one in twenty may claim anything, of each kind of claim.

    With 300 experiments and three kinds, more than the bound below comes by chance once in a million.
    """
    runs = 300
    winner = differ = ahead = 0
    for seed in range(runs):
        facts = bare_facts([0.5] * 4, 256, seed)
        winner += sum(not_worse(facts, "game_share")) == 1
        differ += any(gap.shown for gap in gaps_to(facts[1:], facts[0], "game_share"))
        ahead += any(shown_ahead(facts, "game_share"))
    most = binom.isf(NEVER / 3, runs, 0.06)
    assert max(winner, differ, ahead) <= most
    assert min(differ, ahead) > 0  # the claims can be made at all


@pytest.mark.usefixtures("_quick_draws")
def test_the_best_is_seldom_left_out() -> None:
    """The set that is told holds the best cell in 95 of 100 experiments, however close the others are."""
    runs = 300
    facts = (bare_facts([0.5, 0.51, 0.5], 256, seed) for seed in range(runs))
    missed = sum(not not_worse(one, "game_share")[1] for one in facts)
    assert missed <= binom.isf(NEVER, runs, 0.06)


def test_a_run_that_was_stopped_is_judged_more_strictly() -> None:
    """The same numbers: significant when the pairs were settled, not when the run may have been stopped."""
    for lead in (0.05, 0.08, 0.11, 0.14, 0.17, 0.2):
        fixed = gather(made_up([lead], pairs=256))
        stopped = gather(made_up([lead], pairs=256, stopped="interrupted"))
        low, high = fixed[0].told("game_share").low, fixed[0].told("game_share").high
        wide = stopped[0].told("game_share")
        assert low is not None and high is not None and wide.low is not None and wide.high is not None
        assert wide.low < low and wide.high > high
        if shown_ahead(fixed, "game_share") == [1] and shown_ahead(stopped, "game_share") == [0]:
            return
    pytest.fail("no lead at which only the settled run is significant")


def test_holm_shares_the_error() -> None:
    """A p-value of 0.03 is shown alone, not among ten; one without a standard error goes by its interval."""
    close = Estimate(0.5 + 2.17 * 0.01, 0.5, 0.55, se=0.01)
    even = Estimate(0.5, 0.48, 0.52, se=0.01)
    assert judged_against([close], 0.5) == [1]
    assert judged_against([close, *[even] * 9], 0.5) == [0] * 10
    assert judged_against([Estimate(1.0, 0.99, 1.0)], 0.5) == [1]
    assert judged_against([Estimate(0.5, 0.4, 0.6), Estimate(None, None, None)], 0.5) == [0, 0]


def two_circumstances(first: list[float], second: list[float]) -> Results:
    """Return a run over k and the undercut bonus, made of two made-up runs."""
    runs = [made_up(first, seed=1), made_up(second, seed=1)]
    experiment = runs[0].experiment.changed(axes={"undercut_bonus": [0, 25], "k": list(range(len(first)))})
    tallies = [run.tally(number) for run in runs for number in range(len(first))]
    return results_of(experiment, tallies)


def test_the_best_is_told_for_each_circumstance() -> None:
    moved = two_circumstances([1.0, 0.0, 0.0], [0.0, 0.0, 1.0])
    assert lead(moved) == (
        "The best k depends on the circumstances: with undercut bonus 0 it is 0, with undercut bonus 25 it "
        "is 2."
    )
    table = next(block for block in told_answer.answer(moved, gather(moved)) if isinstance(block, Table))
    assert [[cell.text for cell in row][:2] for row in table.cells()] == [["0", "0"], ["25", "2"]]
    same = two_circumstances([0.0, 1.0, 0.0], [0.0, 1.0, 0.0])
    assert lead(same) == "The best k is 1 in all 2 circumstances."
    either = two_circumstances([0.0, 1.0, 0.0], [0.0, 1.0, 1.0])
    assert lead(either) == (
        "The best k is not shown to depend on the circumstances: 1 may be the best in all 2 of them."
    )
    none = two_circumstances([0.0, 0.0, 0.0], [0.0, 0.0, 0.0])
    assert lead(none).startswith("No best k is shown")


def test_a_best_that_loses_all_the_same_is_said_to() -> None:
    one = sentences(two_circumstances([-1.0, -0.5], [0.5, -1.0]))
    assert "Even the best k is shown to win fewer games than side B with undercut bonus 0." in one
    assert "Even the best" not in sentences(two_circumstances([0.0, 1.0], [1.0, 0.0]))


def test_axes_that_change_side_a_alone_are_choices() -> None:
    assert told_answer.choice_axes(two_circumstances([0.0, 0.0], [0.0, 0.0])) == ["k"]
    assert told_answer.choice_axes(made_up([0.0, 0.0], axis="undercut_bonus")) == []


def test_the_best_of_groups_that_never_vary_is_decided() -> None:
    """Cells of exactly the same counters are tied, and both kept."""
    results = made_up([0.0, 0.0])
    same = results_of(results.experiment, [results.tally(0)] * 2)
    assert not_worse(gather(same), "game_share") == [True, True]
    assert np.array_equal(gather(same)[0].sums["one"], gather(same)[1].sums["one"])


def test_the_first_move_is_told_from_quads() -> None:
    """Where each deck is played with either side first, that is the question, not one cell against others."""
    made = made_up([0.6, -0.6])  # as if A acted first, and won, in the first cell, and second in the other
    text = """
    title = "First"
    seed = 1
    pairs = 384
    strategies = {a = "simple", b = "simple"}
    axes = {dealer = ["b", "a"]}
    """
    tallies = [made.tally(0), made.tally(1)]
    for tally, first in zip(tallies, (1, -1), strict=True):
        moments = tally.rows["moments"]
        games, mine, mover = (OUTCOMES.index(name) for name in ("games", "games_a", "games_mover"))
        won = moments[:, 0, mine]
        moments[:, 0, mover] = won if first > 0 else 2 * moments[:, 0, games] - won
        moments[:, mover, 0] = moments[:, 0, mover]
    results = results_of(Experiment.from_text(text), tallies)
    ((_, effect),) = told_answer.quads_of(results, gather(results))
    expected = made.table("cells")["game_share"]
    assert effect["first_mover_game_share"].estimate == pytest.approx((expected[0] + 1 - expected[1]) / 2)
    assert effect["game_share"].estimate == pytest.approx(expected[0] - expected[1])
    assert lead(results).startswith("Of 1 setting, who moves first in a game is shown to win more games in 1")


def test_cells_without_a_pair_are_counted() -> None:
    made = made_up([0.0, 1.0, 0.0])
    results = results_of(made.experiment, [made.tally(0), made.tally(1), Tally()], "interrupted")
    assert "neither in 2 (1 have not been played)" in sentences(results)
    assert "1 of them none" in " ".join(
        block.text for block in stopped_note(results, gather(results)) if isinstance(block, Note)
    )


def test_how_much_wider_for_all_cells_at_once() -> None:
    leads = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5]
    results = made_up(leads)
    facts = gather(results)
    factor = wider_at_once(facts, "game_share")
    alone, bonferroni = (t.isf(0.025 / count, 127) for count in (1, len(leads)))
    assert factor is not None and 1.2 < factor <= bonferroni / alone
    assert wider_at_once(facts[:1], "game_share") == pytest.approx(1)
    page = str(conclusions(results, facts))
    assert f"would have to be {factor:.2f} times as wide to hold in all 6 cells at once" in page
    assert wider_at_once(gather(made_up(leads, stopped="width")), "game_share") is None


def test_cells_that_never_varied_share_the_error() -> None:
    """Six pairs all won are 0.54 to 1 alone; judged with nine others that is no longer above a half."""
    assert shown_ahead(gather(made_up([9.0], pairs=6)), "game_share") == [1]
    assert shown_ahead(gather(made_up([9.0] * 10, pairs=6)), "game_share") == [0] * 10
    assert shown_ahead(gather(made_up([9.0] * 10, pairs=60)), "game_share") == [1] * 10
