"""Tables of a run: from the counters of its cells to DataFrames, one row a fact."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from analysis.experiment.axes import key_text
from analysis.experiment.cells import Cell, Cells
from analysis.experiment.model import RECORDS
from analysis.metrics import HEADLINES, MATCH_SHARE, METRICS, Metric, at_any_stop, estimate, gains, group_sums
from analysis.stats.estimates import Estimate, ratio
from sim.tally import (
    KNOCK_FIELDS,
    SIDE_ENDINGS,
    Tally,
)

if TYPE_CHECKING:
    import numpy.typing as npt

TABLES = ("cells", *RECORDS, "convergence")
"""Tables in the order in which they are listed."""


# --- cells ---------------------------------------------------------------------------------------


def cells_table(cells: Cells, rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Return one row a cell: keys, what was played, every metric with its 95 % interval.

    Parameters
    ----------
    cells : Cells
        All of the experiment.
    rows : sequence of dict
        Of some cells, from `cell_row`.

    Returns
    -------
    DataFrame
        ``cell``; a column for each key the axes set; ``a``, ``b``, ``rules`` (the preset), ``rules_hash``;
        ``pairs``, ``games``, ``hands``, ``decisive``; for each metric its value, ``_low`` and ``_high``
        (shares 0-1 of side A; points a hand A less B), not a number where there is none;
        ``pairing_gain`` of the experiment's metric; ``stopped``: ``pairs`` as asked for, ``width``, ``H0``,
        ``H1``, ``max_pairs``, ``extended`` or ``interrupted``; and for each headline metric
        ``_anytime_low`` and ``_anytime_high``, which hold however the number of pairs came about, not a
        number where it was fixed beforehand.
    """
    frame = pd.DataFrame(rows)
    keys = [cells[row["cell"]].keys for row in rows]
    for place, (name, values) in enumerate(cells.key_values().items(), start=1):
        column = key_column([one.get(name) for one in keys], key_type(values))
        frame.insert(place, column_name(name), column)
    return frame


def column_name(key: str) -> str:
    """Return the name of a key's column: the key, or ``axis_`` and the key where that is taken.

    So the strategies of an axis ``b`` stand as they are written in ``axis_b`` and in canonical text in
    ``b``. A key that itself begins with ``axis_`` gets another, so that no two keys have the same column.
    """
    stem = key.removesuffix("_low").removesuffix("_high").removesuffix("_anytime")
    return f"axis_{key}" if key in _OWN or stem in _TOLD or key.startswith("axis_") else key


def key_type(values: Iterable[Any]) -> str:
    """Return the one type of a key's column: whole numbers, numbers, flags, else texts.

    A cell without the key has an empty text, so that such a column is of texts.
    """
    kinds = {type(value) for value in values}
    if kinds == {bool}:
        return "bool"
    if kinds == {int}:
        return "int64"
    return "float64" if kinds and kinds <= {int, float} else "str"


def key_column(values: Sequence[Any], kind: str) -> pd.Series[Any]:
    """Return the values of a key as a column of a type of `key_type`."""
    if kind == "str":
        values = ["" if value is None else key_text(value) for value in values]
    return pd.Series(values, dtype=kind)


def cell_row(cell: Cell, tally: Tally, stopped: str, metric: str) -> dict[str, Any]:
    """Return a cell's row but for its keys.

    Parameters
    ----------
    cell : Cell
    tally : Tally
    stopped : str
        Why it plays no more.
    metric : str
        The headline metric whose gain from pairing is told.
    """
    sums = group_sums(tally)
    row: dict[str, Any] = {
        "cell": cell.number,
        "a": cell.a,
        "b": cell.b,
        "rules": cell.preset,
        "rules_hash": cell.rules.hash,
        **{name: tally.outcome(outcome) for name, outcome in COUNTS.items()},
    }
    for name, told in _TOLD.items():
        row |= columns(name, estimate(told, tally, sums))
    gain = gains(tally)[metric]
    row["pairing_gain"] = float("nan") if gain is None else gain
    row["stopped"] = stopped
    # What was played for as long as it was wanted, whatever came out, needs no wider interval.
    open_ended = at_any_stop(tally, stopped != "pairs").get("anytime", {})
    for name in HEADLINES:
        for end in ("low", "high"):
            value = open_ended.get(name, {}).get(end)
            row[f"{name}_anytime_{end}"] = float("nan") if value is None else value
    return row


_TOLD: dict[str, Metric] = {**METRICS, "match_share": MATCH_SHARE}
"""Every metric of the table of cells."""

COUNTS = {"pairs": "one", "games": "games", "hands": "hands", "decisive": "decisive"}
"""Columns of counts, and the outcomes they are."""

_OWN = ("cell", "a", "b", "rules", "rules_hash", *COUNTS, "stopped", "pairing_gain")


def columns(name: str, told: Estimate) -> dict[str, float]:
    """Return an estimate as three columns, not a number where there is none."""
    parts = {name: told.estimate, f"{name}_low": told.low, f"{name}_high": told.high}
    return {key: float("nan") if value is None else float(value) for key, value in parts.items()}


# --- what is recorded ----------------------------------------------------------------------------


def endings_of(cell: int, tally: Tally) -> pd.DataFrame:
    """Return a cell's hands and winners' points by ending.

    Returns
    -------
    DataFrame
        ``cell``; ``side``: ``a``, ``b`` (of an undercut its winner, else who ended the hand) or empty;
        ``ending``; ``hands``; ``points`` of the hands' winners.
    """
    hands, points = tally.endings(), tally.points_by_ending()
    rows = [(side, kind, hands[side][kind], points[side][kind]) for side in "ab" for kind in SIDE_ENDINGS]
    rows += [("", kind, hands[kind], points[kind]) for kind in ("void", "capped")]
    side, ending, count, score = zip(*rows, strict=True)
    return _frame(cell, side=side, ending=ending, hands=count, points=score)


def knocks_of(cell: int, tally: Tally) -> pd.DataFrame:
    """Return what came of each legal knock of a cell, taken or declined.

    Returns
    -------
    DataFrame
        ``cell``; ``side``; ``own_turn`` 1-32, the last being this one and later; ``deadwood`` 0-10, the
        least that could be kept; ``legal`` = ``taken`` + ``declined``; of those taken ``won``,
        ``undercut`` and the player's ``points`` less the other's; of those declined the same of the hand
        as it ended: ``won_later``, ``lost_later``, ``points_later``. Rows without a legal knock are left out.
    """
    counts = tally.total("knocks")
    parts = {name: counts[..., KNOCK_FIELDS.index(name)] for name in KNOCK_ORDER}
    legal = parts["taken"] + parts["declined"]
    held = np.nonzero(legal)
    side, turn, deadwood = held
    return _frame(
        cell,
        side=_SIDES[side],
        own_turn=turn + 1,
        deadwood=deadwood,
        legal=legal[held],
        **{name: part[held] for name, part in parts.items()},
    )


KNOCK_ORDER = ("taken", "declined", "won", "undercut", "points", "won_later", "lost_later", "points_later")
if sorted(KNOCK_ORDER) != sorted(KNOCK_FIELDS):
    raise AssertionError("the table of knocks must have every counter")


def lengths_of(cell: int, tally: Tally) -> pd.DataFrame:
    """Return a cell's hands by length.

    Returns
    -------
    DataFrame
        ``cell``; ``turns`` of both players, 63 being this length and longer; ``hands``.
    """
    counts = tally.total("lengths")
    (turns,) = np.nonzero(counts)
    return _frame(cell, turns=turns, hands=counts[turns])


def points_of(cell: int, tally: Tally) -> pd.DataFrame:
    """Return a cell's hands that somebody won by their points.

    Returns
    -------
    DataFrame
        ``cell``; ``side`` that won; ``points``, 255 being so many and more; ``hands``.
    """
    counts = tally.total("scores")
    side, points = np.nonzero(counts)
    return _frame(cell, side=_SIDES[side], points=points, hands=counts[side, points])


_SIDES = np.array(["a", "b"])


def _frame(cell: int, **columns: Any) -> pd.DataFrame:
    """Return columns behind one of the cell's number: texts, else whole numbers."""
    frame = pd.DataFrame({"cell": cell, **columns}, index=range(len(next(iter(columns.values())))))
    return frame.astype({name: "str" if name in ("side", "ending") else "int64" for name in frame.columns})


def convergence_table(courses: Iterable[tuple[int, int, npt.NDArray[np.int64]]]) -> pd.DataFrame:
    """Return how the headline metrics went.

    Parameters
    ----------
    courses : iterable of (int, int, ndarray)
        Cell, pairs, and the cell's moments at the end of that stage.

    Returns
    -------
    DataFrame
        ``cell``, ``pairs``, and each headline metric with ``_low`` and ``_high``.
    """
    rows = []
    for cell, pairs, moments in courses:
        row: dict[str, Any] = {"cell": cell, "pairs": pairs}
        for name in HEADLINES:
            metric = METRICS[name]
            row |= columns(
                name,
                ratio(
                    moments, metric.numerator, metric.denominator, factor=metric.factor, share=metric.share
                ),
            )
        rows.append(row)
    names = ["cell", "pairs"]
    names += [f"{name}{end}" for name in HEADLINES for end in ("", "_low", "_high")]
    frame = pd.DataFrame(rows, columns=names)
    return frame.astype({name: "int64" if name in ("cell", "pairs") else "float64" for name in names})


RECORDED = {
    "endings": endings_of,
    "knocks": knocks_of,
    "lengths": lengths_of,
    "points": points_of,
}
"""By the table's name, what makes a cell's rows of it."""

COUNTED = ("moments", "hands", "points", "knocks", "lengths", "scores")
"""Fields of the tally from which all counts of these tables are made."""
