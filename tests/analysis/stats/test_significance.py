"""P-values: exact where they are small, far beyond what a double holds, and several judged together."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, norm, t
from statsmodels.stats.multitest import multipletests

from analysis.stats.estimates import Estimate, ratio
from analysis.stats.significance import (
    PValue,
    benjamini_hochberg,
    format_p,
    holm,
    p_value,
    sign_test,
)
from sim.tally import OUTCOMES

CASES = {
    case["id"]: case
    for case in json.loads((Path(__file__).parents[2] / "data" / "cases.json").read_text(encoding="utf-8"))
}
METHODS = {"holm": holm, "fdr_bh": benjamini_hochberg}


def exact(for_a: int, for_b: int) -> float:
    """Return log10 of the sign test's p-value from whole binomial coefficients."""
    trials, more = for_a + for_b, max(for_a, for_b)
    tail = sum(math.comb(trials, k) for k in range(more, trials + 1))
    p = min(Fraction(1), Fraction(2 * tail, 2**trials))
    # A fraction of huge integers has a logarithm where it has no double.
    return math.log10(p.numerator) - math.log10(p.denominator)


# --- sign test -----------------------------------------------------------------------------------


def test_published_sign_test() -> None:
    case = CASES["GR-150"]
    told = sign_test(*case["input"]["sign_test"])
    assert format_p(told, 5).upper() == case["expected"]["p"]


def test_sign_test_beyond_a_double() -> None:
    case = CASES["GR-151"]
    told = sign_test(*case["input"]["sign_test"])
    assert case["expected"]["p"].startswith(f"log10 p = {told.log10:.2f} ")
    assert told.value == 0.0  # this is why p-values are kept by their logarithm
    assert str(told) == format_p(told) == "5.2e-699"
    assert case["expected"]["print_rule"] == "never 0" and float(format_p(told).split("e")[0]) > 0


@given(st.integers(0, 400), st.integers(0, 400))
def test_sign_test_by_whole_numbers(for_a: int, for_b: int) -> None:
    told = sign_test(for_a, for_b)
    assert told.log10 == pytest.approx(exact(for_a, for_b), abs=1e-10)
    assert told == sign_test(for_b, for_a)


@pytest.mark.parametrize("counts", [(5_000, 4_900), (60_000, 61_000), (500_500, 499_500)])
def test_sign_test_of_many_pairs(counts: tuple[int, int]) -> None:
    assert sign_test(*counts).value == pytest.approx(binomtest(counts[0], sum(counts)).pvalue, rel=1e-7)


def test_sign_test_at_the_edges() -> None:
    assert sign_test(0, 0) == sign_test(7, 7) == PValue(0.0)
    assert sign_test(10_000_000, 0).log10 == pytest.approx((1 - 10_000_000) * math.log10(2))
    with pytest.raises(ValueError, match="pairs swept -1, 3"):
        sign_test(-1, 3)


def test_a_decided_share_that_rounds_to_half() -> None:
    """GR-154: 50.0 % of games, but pairs decided a little more often for one side."""
    case = CASES["GR-154"]["input"]
    wins, losses, draws = case["wins"], case["losses"], case["draws"]
    assert ((wins + draws / 2) / (wins + losses + draws) > 0.5) == CASES["GR-154"]["expected"][
        "plain_share_above_half"
    ]
    assert sign_test(wins, losses).value == pytest.approx(binomtest(wins, wins + losses).pvalue, rel=1e-7)


# --- printing ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (1.0, "1.0000"),
        (0.04321, "0.0432"),
        (0.001, "0.0010"),
        (0.00099949, "1.0e-03"),
        (2.34e-7, "2.3e-07"),
        (9.96e-12, "1.0e-11"),
        (2.5e-300, "2.5e-300"),
    ],
)
def test_printed(p: float, text: str) -> None:
    assert format_p(PValue(math.log10(p))) == text


@given(st.floats(-1e7, 0))
def test_never_printed_as_nothing(log10: float) -> None:
    text = format_p(PValue(log10))
    mantissa, _, exponent = text.partition("e")
    assert float(mantissa) > 0
    shown = math.log10(float(mantissa)) + int(exponent or 0)
    assert shown == pytest.approx(log10, abs=0.03)


# --- of an estimate ------------------------------------------------------------------------------


@given(st.floats(-8, 8), st.floats(0.01, 3), st.sampled_from([None, 1, 5, 127, 10_000]))
def test_of_an_estimate_against_scipy(value: float, error: float, freedom: int | None) -> None:
    told = p_value(Estimate(value, None, None, error, freedom), 0.5)
    distance = abs(value - 0.5) / error
    tail = norm.sf(distance) if freedom is None else t.sf(distance, freedom)
    assert told is not None
    if tail > 0:
        assert told.log10 == pytest.approx(math.log10(2 * tail), abs=1e-9)


@pytest.mark.parametrize(
    ("distance", "freedom", "log10"),
    [
        # 2 P(T > t) for one degree of freedom is 2/pi arctan(1/t), for two it is 1 - t / sqrt(2 + t^2).
        (1e200, 1, math.log10(2 / math.pi) - 200),
        (1e160, 2, -320.0),
        (1e5, 127, None),  # far out the tail falls as the power -127
    ],
)
def test_of_an_estimate_beyond_a_double(distance: float, freedom: int, log10: float | None) -> None:
    told = p_value(Estimate(distance, None, None, 1.0, freedom))
    assert told is not None
    if log10 is None:
        nearer = p_value(Estimate(distance / 10, None, None, 1.0, freedom))
        assert nearer is not None
        assert nearer.log10 - told.log10 == pytest.approx(freedom, abs=1e-3)
    else:
        assert told.log10 == pytest.approx(log10, abs=1e-9)


@pytest.mark.parametrize("freedom", [400, 9_999, 10**6])
def test_no_step_where_a_double_ends(freedom: int) -> None:
    """The logarithm is smooth across the place where the library's tail ends and the series takes over."""
    distances = np.linspace(30, 60, 61) * (1 if freedom > 1000 else 2)
    logs = []
    for distance in distances:
        told = p_value(Estimate(float(distance), None, None, 1.0, freedom))
        assert told is not None
        logs.append(told.log10)
    assert min(logs) < -310 and max(logs) > -290
    bends = np.diff(logs, 2)
    assert np.abs(np.diff(bends)).max() < 0.05 * np.abs(bends).max()


def test_from_a_run_s_moments() -> None:
    pairs = np.array(
        [[1 if name == "one" else 4 * (index % 3 > 0) for name in OUTCOMES] for index in range(30)]
    )
    told = ratio(pairs.T @ pairs, "games_a", "one", factor=4, share=True)
    scores = pairs[:, OUTCOMES.index("games_a")] / 4
    known = p_value(told, 0.5)
    assert known is not None
    statistic = (scores.mean() - 0.5) / (scores.std(ddof=1) / np.sqrt(30))
    assert known.value == pytest.approx(2 * t.sf(statistic, 29), rel=1e-9)


def test_no_error_no_p_value() -> None:
    for told in (Estimate(None, None, None), Estimate(0.5, 0.4, 0.6), Estimate(0.5, None, None, 0.0, 4)):
        assert p_value(told) is None


# --- several -------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@given(
    values=st.lists(st.floats(1e-12, 1.0) | st.sampled_from([0.01, 0.02, 0.04]), min_size=1, max_size=12),
    alpha=st.sampled_from([0.01, 0.05, 0.2]),
)
def test_several_against_statsmodels(method: str, values: list[float], alpha: float) -> None:
    told = METHODS[method]([PValue(math.log10(value)) for value in values], alpha)
    rejected, adjusted = multipletests(values, alpha, method)[:2]
    near = np.abs(adjusted - alpha) < 1e-9  # the verdict there hangs on a rounding
    assert [a for a, skip in zip(told.rejected, near, strict=True) if not skip] == list(rejected[~near])
    assert [one.value for one in told.adjusted] == pytest.approx(list(adjusted))


def test_several_by_hand() -> None:
    values = [PValue(math.log10(p)) for p in (0.04, 0.01, 0.03)]
    told = holm(values)  # 0.03, then 0.06 and max(0.06, 0.04)
    assert told.rejected == [False, True, False]
    assert [one.value for one in told.adjusted] == pytest.approx([0.06, 0.03, 0.06])
    told = benjamini_hochberg(values)  # 0.03, min(0.045, 0.04), 0.04
    assert told.rejected == [True, True, True]
    assert [one.value for one in told.adjusted] == pytest.approx([0.04, 0.03, 0.04])


@pytest.mark.parametrize("method", METHODS)
def test_what_a_double_cannot_hold_keeps_its_order(method: str) -> None:
    logs = [-900.0, -0.1, -350.0, -901.0, -2.0, -5000.0]
    told = METHODS[method]([PValue(log) for log in logs])
    assert told.rejected == [True, False, True, True, True, True]
    order = np.argsort([one.log10 for one in told.adjusted]).tolist()
    assert order == np.argsort(logs).tolist()
    assert told.adjusted[5].log10 == pytest.approx(-5000 + math.log10(6))
    assert "0.0000" not in [format_p(one) for one in told.adjusted]


def test_none_to_judge() -> None:
    assert holm([]) == benjamini_hochberg([]) == ([], [])
