"""Spreads of cells that were not tried, and the nearest of those that were."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.experiment.cells import spread
from analysis.experiment.experiment import Experiment
from analysis.experiment.foretold import all_spreads, nearest


@pytest.mark.parametrize(("name", "most"), [("knock_threshold_by_undercut", 1.35), ("two_stage_grid", 2.5)])
def test_the_model_foretells_what_it_has_not_seen(name: str, most: float) -> None:
    """Spreads that are a product of effects, with a pilot's noise of 5 %, in cells of which 60 are tried.

    It is nearer than the nearest cell, and the error it tells of itself is the true one, or larger where
    there are nearly as many values as tried cells.
    """
    cells = Experiment.from_toml(name).cells
    rng = np.random.default_rng(8)
    values = [dict.fromkeys(labels) for labels in zip(*(cell.labels for cell in cells), strict=True)]
    effects = [{label: 0.3 * rng.standard_normal() for label in labels} for labels in values]
    truth = np.exp([sum(e[x] for e, x in zip(effects, c.labels, strict=True)) for c in cells])
    tried = np.array(list(spread(len(cells), 60)))
    known = {int(at): float(truth[at] * np.exp(0.05 * rng.standard_normal())) for at in tried}
    told, error = all_spreads(cells.shape, known)
    assert told[tried].tolist() == list(known.values())

    def missed(foretold: npt.NDArray[np.float64]) -> float:
        gaps = np.delete(np.log(foretold / truth), tried)
        return math.expm1(float(np.sqrt(np.mean(gaps**2))))

    assert error is not None
    true = missed(told)
    assert true < missed(np.array(list(known.values()))[nearest(cells.shape, tried)])
    assert 0.65 * true < error < most * true


@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.data())
def test_the_nearest_has_most_values_in_common(shape: list[int], data: st.DataObject) -> None:
    count = math.prod(shape)
    numbers = data.draw(st.lists(st.integers(0, count - 1), min_size=1, max_size=5, unique=True))
    places = [tuple(int(at) for at in np.unravel_index(number, shape)) for number in range(count)]
    told = nearest(shape, np.array(numbers))
    for number in range(count):

        def score(other: int, number: int = number) -> tuple[int, int]:
            same = sum(one == two for one, two in zip(places[number], places[other], strict=True))
            return same, -abs(number - other)

        assert score(numbers[told[number]]) == max(map(score, numbers))


def test_cells_that_are_tried_meet_every_value() -> None:
    """Also where an inner axis has as many values as evenly spaced cells would lie apart."""
    for inner in (2, 5, 10, 13):
        chosen = spread(59 * inner + 1, 60)
        assert len(chosen) == 60 and {at % inner for at in chosen} == set(range(inner))
    assert spread(7, 60) == set(range(7))


def test_without_a_model() -> None:
    shape = Experiment.from_toml("two_stage_grid").cells.shape
    told, error = all_spreads(shape, {0: 0.0, 824: None})
    assert error is None and told[1] == 0.0 and np.isnan(told[823])
    told, error = all_spreads((2,), {0: 0.5, 1: None})
    assert error is None and told[0] == 0.5 and np.isnan(told[1])
    told, error = all_spreads((), {0: 0.5})
    assert error is None and told.tolist() == [0.5]
