"""Rows of info tables, without the types of their columns, which pandas cannot know."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pandas import DataFrame


def rows(info: DataFrame) -> Iterator[Any]:
    """Yield the rows, columns as attributes."""
    yield from info.itertuples()


def most(info: DataFrame, column: str) -> Any:
    """Return the first row with the largest value; columns as items."""
    return info.iloc[int(info[column].to_numpy(float).argmax())]


def least(info: DataFrame, column: str) -> Any:
    """Return the first row with the smallest value; columns as items."""
    return info.iloc[int(info[column].to_numpy(float).argmin())]
