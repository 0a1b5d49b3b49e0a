"""Counters that travel: the same after as before, and small enough."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.experiment.model import RECORDS
from analysis.match import play
from analysis.store.fields import kept_fields
from analysis.store.packed import add, pack
from sim.run import RunError
from sim.tally import TALLY_DTYPE, Tally
from tests.analysis.experiments import small

RECORD_SETS = [(), ("endings",), ("knocks",), RECORDS]


@pytest.fixture(scope="module")
def tally() -> Tally:
    return play(small().cells[1].match, 1, 0, 5).tally


@pytest.mark.parametrize("record", RECORD_SETS, ids=lambda record: ",".join(record) or "none")
def test_kept_fields_come_back_and_no_others(tally: Tally, record: tuple[str, ...]) -> None:
    fields = kept_fields(record)
    once = add(Tally(), pack(tally, fields), fields)
    twice = add(once, pack(tally, fields), fields)
    for name in TALLY_DTYPE.names or ():
        kept = name in fields
        assert np.array_equal(once.groups(name), tally.groups(name) * kept), name
        assert np.array_equal(twice.groups(name), 2 * tally.groups(name) * kept), name


@pytest.mark.parametrize("largest", [2**7 - 1, 2**7, 2**15, 2**31, 2**62, -(2**7), -(2**31) - 1])
def test_counters_of_any_width(tally: Tally, largest: int) -> None:
    rows = tally.rows.copy()
    rows["hands"][3, 1, 0, 2] = largest
    rows["points"][127, 0, 1, 13] = -5  # of negative points there are none today
    wide = Tally(rows)
    fields = kept_fields(RECORDS)
    assert add(Tally(), pack(wide, fields), fields).tobytes() == wide.tobytes()


def test_a_tally_is_left_as_it_was(tally: Tally) -> None:
    fields = kept_fields(RECORDS)
    before = tally.tobytes()
    add(tally, pack(tally, fields), fields)
    assert tally.tobytes() == before


@pytest.mark.parametrize("change", ["short", "other fields", "noise", "empty"])
def test_damage_is_refused(tally: Tally, change: str) -> None:
    fields = kept_fields(RECORDS)
    blob = pack(tally, fields)
    damaged = {
        "short": blob[: len(blob) // 2],
        "other fields": pack(tally, kept_fields(())),
        "noise": blob[:40] + bytes(len(blob) - 40),
        "empty": b"",
    }[change]
    with pytest.raises(RunError, match="counters are not whole"):
        add(Tally(), damaged, fields)


@pytest.mark.requires_jit  # the pairs of a task of two seconds
def test_sizes() -> None:
    """Most of the counters are in use after so many pairs; more pairs add bits, not counters."""
    tally = play(small().cells[1].match, 2, 0, 20_000).tally
    assert len(pack(tally, kept_fields(()))) < 100_000
    assert len(pack(tally, kept_fields(RECORDS))) < 600_000
