"""Prove that bounds checks are on: plant reads that run out of bounds, each of which must raise.

Run as `python -m tests.planted_out_of_bounds` with NUMBA_BOUNDSCHECK=1 and a new, empty
NUMBA_CACHE_DIR; leaves with 1 if a read went unnoticed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from sim._jit import Array, Record, typed_kernel, types
from sim.tables import MELDS, meld_tables


@typed_kernel(types.int64(types.int64[::1], types.int64))
def read_array(values: Array, index: int) -> int:
    return values[index]


@typed_kernel(types.int64(MELDS, types.int64))
def read_record(melds: Record, index: int) -> int:
    return melds.suit[index]


def raises(function: Callable[..., int], *arguments: Any) -> bool:
    try:
        function(*arguments)
    except IndexError:
        return True
    return False


def main() -> int:
    values = np.arange(3)
    tables = meld_tables(0, 1)[0]
    assert read_array(values, 2) == 2
    unnoticed = [
        name
        for name, caught in (
            ("array", raises(read_array, values, 3)),
            ("array in a record", raises(read_record, tables, 8192)),
        )
        if not caught
    ]
    print(f"out-of-bounds reads unnoticed: {unnoticed or 'none'}")
    return 1 if unnoticed else 0


if __name__ == "__main__":
    sys.exit(main())
