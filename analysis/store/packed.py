"""Counters small enough to keep and to travel: some fields of a tally, what is said twice left out."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sim.run import RunError
from sim.tally import GROUPS, TALLY_DTYPE, Tally

SYMMETRIC = ("moments", "match_moments")
"""Sums of products: the lower half of each is its upper half mirrored."""
CODEC = "zstd"
WIDTHS = (np.int8, np.int16, np.int32, np.int64)


def pack(tally: Tally, fields: Sequence[str]) -> bytes:
    """Return some fields of a tally, compressed.

    Each is narrowed to the least integers that hold it: a byte that is always zero costs time all the same.

    Parameters
    ----------
    tally : Tally
    fields : sequence of str
        Names of `sim.tally.TALLY_DTYPE`; the others are left out.

    Returns
    -------
    bytes
        For `add`, told the same fields.
    """
    parts = [bytes([len(fields)])]
    columns = []
    for name in fields:
        values = _taken(name, tally.groups(name))
        low, high = int(values.min()), int(values.max())
        width = next(kind for kind in WIDTHS if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max)
        parts.append(bytes([WIDTHS.index(width)]))
        # By counter, not by group: the groups of one counter are alike.
        columns.append(np.ascontiguousarray(values.T.astype(np.dtype(width).newbyteorder("<"))).tobytes())
    plain = b"".join(columns)
    return b"".join(parts) + bytes(pa.compress(plain, codec=CODEC, asbytes=True))


def add(tally: Tally, blob: bytes, fields: Sequence[str]) -> Tally:
    """Return some fields of a tally with packed counters added to them; the tally itself is left as it is.

    Raises
    ------
    RunError
        If the counters are not whole.
    """
    told = Tally()
    head = 1 + len(fields)
    try:
        if blob[0] != len(fields):
            raise ValueError("another number of fields")
        widths = [np.dtype(WIDTHS[code]).newbyteorder("<") for code in blob[1:head]]
        sizes = [_size(name) * width.itemsize for name, width in zip(fields, widths, strict=True)]
        plain = pa.decompress(blob[head:], decompressed_size=sum(sizes), codec=CODEC, asbytes=True)
        if len(plain) != sum(sizes):
            raise ValueError("another size")
    except (pa.ArrowException, OSError, ValueError, IndexError) as error:
        raise RunError(f"counters are not whole: {error}") from None
    at = 0
    for name, width, size in zip(fields, widths, sizes, strict=True):
        values = np.frombuffer(plain, width, size // width.itemsize, at).reshape(-1, GROUPS).T
        at += size
        before, field = tally.groups(name), told.groups(name)
        if name in SYMMETRIC:
            up, across = _upper(field.shape[1])
            field[:, up, across] = before[:, up, across] + values
            field[:, across, up] = field[:, up, across]
        else:
            field[...] = before + values.reshape(field.shape)
    return told


def _taken(name: str, field: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return a field as ``(GROUPS, counters)``, of a symmetric one the upper half."""
    if name in SYMMETRIC:
        up, across = _upper(field.shape[1])
        return field[:, up, across]
    return field.reshape(GROUPS, -1)


def _size(name: str) -> int:
    """Return the integers that a field takes."""
    shape = TALLY_DTYPE[name].shape
    if name in SYMMETRIC:
        return GROUPS * len(_upper(shape[0])[0])
    return GROUPS * int(np.prod(shape, dtype=np.int64))


@functools.cache
def _upper(size: int) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    return np.triu_indices(size)
