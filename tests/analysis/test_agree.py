"""When a published value and ours agree: by numbers worked out by hand, and by samples that agree."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm

from analysis.reproduction.agree import by_chance, compare
from analysis.reproduction.published import QUANTILE, Claim, Published, plain
from analysis.stats.estimates import Estimate


def around(value: float, half: float) -> Estimate:
    return Estimate(value, value - half, value + half)


@pytest.mark.parametrize(
    ("published", "ours", "agrees"),
    [
        # Joint half-interval of 3 and 4 is 5, and half a unit of the last digit is 0.05.
        (Published("50.0", interval=(46.0, 54.0)), around(55.05, 3), True),
        (Published("50.0", interval=(46.0, 54.0)), around(55.06, 3), False),
        (Published("50.0", interval=(46.0, 54.0)), around(44.95, 3), True),
        (Published("50.0", interval=(46.0, 54.0)), around(44.94, 3), False),
        # Without uncertainty: ours and rounding alone; half a unit is 0.5, 0.05, 0.005.
        (Published("73"), around(74.5, 1), True),
        (Published("73"), around(74.51, 1), False),
        (Published("4.9"), around(5.0, 0.05), True),
        (Published("4.9"), around(5.01, 0.05), False),
        (Published("15.10"), around(15.105, 0), True),
        (Published("15.10"), around(15.1051, 0), False),
        # A standard error of 1 is a half-interval of 1.96.
        (Published("10.0", error=1.0), around(12.0, 0), True),
        (Published("10.0", error=1.0), around(12.02, 0), False),
        # Counts are equal or not.
        (Published("136,694"), around(136_694, 0), True),
        (Published("136,694"), around(136_695, 0), False),
        # Claims: the whole interval on the side that is claimed.
        (Claim(50), around(52, 1.9), True),
        (Claim(50), around(52, 2), False),
        (Claim(50), around(48, 1), False),
        (Claim(0, above=False), around(-1, 0.5), True),
        (Claim(0, above=False), around(-1, 1.5), False),
    ],
)
def test_agreement(published: Published | Claim, ours: Estimate, agrees: bool) -> None:
    assert compare(published, ours).agrees is agrees


def test_a_sample_of_known_size() -> None:
    """Ours is four times as large, so theirs is twice as wide: the joint half-interval is sqrt(5)."""
    published = Published("20.0", sample=(1_000, "hands"))
    inside, outside = 20 + math.sqrt(5) + 0.049, 20 + math.sqrt(5) + 0.051
    assert compare(published, around(inside, 1), 4_000).agrees
    assert not compare(published, around(outside, 1), 4_000).agrees


def test_distance_is_in_joint_half_intervals() -> None:
    verdict = compare(Published("50.0", interval=(46.0, 54.0)), around(60.1, 3))
    assert verdict.distance == pytest.approx(2)
    assert compare(Claim(50), around(60, 3)).distance is None


@pytest.mark.parametrize("ours", [Estimate(None, None, None), Estimate(5.0, None, None)])
def test_without_an_interval_there_is_no_verdict(ours: Estimate) -> None:
    for published in (Published("5.0"), Claim(4)):
        verdict = compare(published, ours)
        assert (verdict.agrees, verdict.distance) == (None, None)


def test_samples_of_one_law_agree_nineteen_times_in_twenty() -> None:
    """Both normal about 0, theirs of four times the variance; 20,000 trials, so 0.0015 of standard error."""
    random = np.random.default_rng(1)
    theirs, ours = random.normal(0, 2, 20_000), random.normal(0, 1, 20_000)
    agreed = [
        compare(Published(f"{value:.6f}", error=2.0), around(our, QUANTILE)).agrees
        for value, our in zip(theirs, ours, strict=True)
    ]
    assert abs(np.mean(agreed) - 0.95) < 5 * 0.0015


def test_quantile() -> None:
    assert norm.ppf(0.975) == pytest.approx(QUANTILE, abs=1e-6)


def test_what_chance_may_do() -> None:
    """One value: nothing beyond its interval. Fifty: up to 3.29 standard errors, Bonferroni's bound."""
    assert by_chance(0.9999, 1) and not by_chance(1.0001, 1)
    bound = norm.ppf(1 - 0.025 / 50) / QUANTILE
    assert 1.67 < bound < 1.69
    assert by_chance(bound - 1e-6, 50) and not by_chance(bound + 1e-6, 50)


def test_published_as_plain_data() -> None:
    assert plain(None) is None
    assert plain(Claim(50)) == {"text": "above 50", "bound": 50, "above": True}
    assert plain(Published("3.65", interval=(3.6, 3.7))) == {
        "text": "3.65", "value": 3.65, "interval": [3.6, 3.7], "standard_error": None, "sample": None,
    }  # fmt: skip
