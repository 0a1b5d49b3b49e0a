"""Tables of a run: from the counters of its cells to DataFrames, one row a fact."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from analysis.experiment.cells import Cell
from analysis.experiment.experiment import Experiment
from analysis.experiment.model import RECORDS
from analysis.metrics import MATCH_SHARE, METRICS, Metric, estimate, group_sums
from analysis.stats.estimates import Estimate, ratio
from sim.tally import (
    KNOCK_FIELDS,
    SIDE_ENDINGS,
    TALLY_DTYPE,
    Tally,
)

if TYPE_CHECKING:
    import numpy.typing as npt

HEADLINES = ("game_share", "hand_share", "points_per_hand")
"""The metrics that have a course over the stages, and an interval that holds at any stop."""

FIELDS: dict[str, tuple[str, ...]] = {
    "knocks": ("knocks", "first_legal", "deadwoods", "layoffs"),
    "lengths": ("lengths",),
    "points": ("scores",),
}
"""Fields of the tally that are kept only where the table is recorded; all others always are."""

TABLES = ("cells", *RECORDS, "convergence")
"""Tables in the order in which they are listed."""


def kept_fields(record: Iterable[str]) -> tuple[str, ...]:
    """Return the fields of the tally that a run keeps when it records some tables."""
    recorded = set(record)
    dropped = {field for table, fields in FIELDS.items() if table not in recorded for field in fields}
    return tuple(name for name in TALLY_DTYPE.names or () if name not in dropped)


def only_kept(tally: Tally, record: Iterable[str]) -> Tally:
    """Return a tally whose fields that are not kept are zero."""
    dropped = set(TALLY_DTYPE.names or ()) - set(kept_fields(record))
    if not dropped:
        return tally
    rows = tally.rows.copy()
    for name in dropped:
        rows[name] = 0
    return Tally(rows)


# --- cells ---------------------------------------------------------------------------------------


def cells_table(experiment: Experiment, tallies: Iterable[Tally], stopped: Sequence[str]) -> pd.DataFrame:
    """Return one row a cell: keys, what was played, every metric with its 95 % interval.

    Parameters
    ----------
    experiment : Experiment
    tallies : iterable of Tally
        Of each cell in turn; only one is held at a time.
    stopped : sequence of str
        Why each cell played no more.

    Returns
    -------
    DataFrame
        ``cell``; a column for each key the axes set; ``a``, ``b``, ``rules`` (the preset), ``rules_hash``;
        ``pairs``, ``games``, ``hands``, ``decisive``; for each metric its value, ``_low`` and ``_high``
        (shares 0-1 of side A; points a hand A less B), not a number where there is none; ``stopped``.
    """
    told = zip(experiment.cells, tallies, stopped, strict=True)
    rows = [_cell_row(cell, tally, why) for cell, tally, why in told]
    return keyed(pd.DataFrame(rows), experiment)


def keyed(frame: pd.DataFrame, experiment: Experiment) -> pd.DataFrame:
    """Put a column for each key of the axes behind the column ``cell``."""
    names = list(dict.fromkeys(name for cell in experiment.cells for name in cell.keys))
    at = frame["cell"].to_numpy()
    for place, name in enumerate(names, start=1):
        values = key_column([cell.keys.get(name) for cell in experiment.cells])
        frame.insert(place, column_name(name), values.take(at).reset_index(drop=True))
    return frame


def column_name(key: str) -> str:
    """Return the name of a key's column: the key, or ``axis_`` and the key where that is taken.

    So the strategies of an axis ``b`` stand as they are written in ``axis_b`` and in canonical text in ``b``.
    """
    return f"axis_{key}" if key in _OWN or key.removesuffix("_low").removesuffix("_high") in _TOLD else key


def key_column(values: Sequence[Any]) -> pd.Series[Any]:
    """Return the values of a key as a column of one type: whole numbers, numbers, flags, else texts.

    A cell without the key has an empty text, so that such a column is of texts.
    """
    kinds = {type(value) for value in values}
    if kinds == {bool}:
        return pd.Series(values, dtype="bool")
    if kinds == {int}:
        return pd.Series(values, dtype="int64")
    if kinds and kinds <= {int, float}:
        return pd.Series(values, dtype="float64")
    from analysis.experiment.cells import key_text

    return pd.Series(["" if value is None else key_text(value) for value in values], dtype="str")


def _cell_row(cell: Cell, tally: Tally, stopped: str) -> dict[str, Any]:
    sums = group_sums(tally)
    row: dict[str, Any] = {
        "cell": cell.number,
        "a": cell.a,
        "b": cell.b,
        "rules": cell.preset,
        "rules_hash": cell.rules.hash,
        **{name: tally.outcome(outcome) for name, outcome in COUNTS.items()},
    }
    for name, metric in _TOLD.items():
        row |= columns(name, estimate(metric, tally, sums))
    row["stopped"] = stopped
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


def endings_table(numbered: Iterable[tuple[int, Tally]]) -> pd.DataFrame:
    """Return hands and winners' points by ending.

    Returns
    -------
    DataFrame
        ``cell``; ``side``: ``a``, ``b`` (of an undercut its winner, else who ended the hand) or empty;
        ``ending``; ``hands``; ``points`` of the hands' winners.
    """
    rows = []
    for cell, tally in numbered:
        hands, points = tally.endings(), tally.points_by_ending()
        for side in "ab":
            rows += [(cell, side, kind, hands[side][kind], points[side][kind]) for kind in SIDE_ENDINGS]
        rows += [(cell, "", kind, hands[kind], points[kind]) for kind in ("void", "capped")]
    names = ["cell", "side", "ending", "hands", "points"]
    return _typed(pd.DataFrame(rows, columns=names), texts=("side", "ending"))


def knocks_table(numbered: Iterable[tuple[int, Tally]]) -> pd.DataFrame:
    """Return what came of each legal knock, taken or declined.

    Returns
    -------
    DataFrame
        ``cell``; ``side``; ``own_turn`` 1-32, the last being this one and later; ``deadwood`` 0-10, the
        least that could be kept; ``legal`` = ``taken`` + ``declined``; of those taken ``won``,
        ``undercut`` and the player's ``points`` less the other's; of those declined the same of the hand
        as it ended: ``won_later``, ``lost_later``, ``points_later``. Rows without a legal knock are left out.
    """
    frames = []
    for cell, tally in numbered:
        counts = tally.total("knocks")
        at = KNOCK_FIELDS.index
        legal = counts[..., at("taken")] + counts[..., at("declined")]
        side, turn, deadwood = np.nonzero(legal)
        held = counts[side, turn, deadwood]
        frames.append(
            pd.DataFrame(
                {
                    "cell": np.full(len(side), cell),
                    "side": np.array(["a", "b"], dtype=object)[side],
                    "own_turn": turn + 1,
                    "deadwood": deadwood,
                    "legal": legal[side, turn, deadwood],
                    **{name: held[:, at(name)] for name in KNOCK_ORDER},
                }
            )
        )
    names = ["cell", "side", "own_turn", "deadwood", "legal", *KNOCK_ORDER]
    return _joined(frames, names, texts=("side",))


KNOCK_ORDER = ("taken", "declined", "won", "undercut", "points", "won_later", "lost_later", "points_later")
if sorted(KNOCK_ORDER) != sorted(KNOCK_FIELDS):
    raise AssertionError("the table of knocks must have every counter")


def lengths_table(numbered: Iterable[tuple[int, Tally]]) -> pd.DataFrame:
    """Return hands by length.

    Returns
    -------
    DataFrame
        ``cell``; ``turns`` of both players, 63 being this length and longer; ``hands``.
    """
    frames = []
    for cell, tally in numbered:
        counts = tally.total("lengths")
        (turns,) = np.nonzero(counts)
        frames.append(
            pd.DataFrame({"cell": np.full(len(turns), cell), "turns": turns, "hands": counts[turns]})
        )
    return _joined(frames, ["cell", "turns", "hands"])


def points_table(numbered: Iterable[tuple[int, Tally]]) -> pd.DataFrame:
    """Return hands that somebody won by their points.

    Returns
    -------
    DataFrame
        ``cell``; ``side`` that won; ``points``, 255 being so many and more; ``hands``.
    """
    frames = []
    for cell, tally in numbered:
        counts = tally.total("scores")
        side, points = np.nonzero(counts)
        frames.append(
            pd.DataFrame(
                {
                    "cell": np.full(len(side), cell),
                    "side": np.array(["a", "b"], dtype=object)[side],
                    "points": points,
                    "hands": counts[side, points],
                }
            )
        )
    return _joined(frames, ["cell", "side", "points", "hands"], texts=("side",))


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


def _joined(frames: Sequence[pd.DataFrame], names: Sequence[str], texts: Sequence[str] = ()) -> pd.DataFrame:
    whole = pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=list(names))
    return _typed(whole[list(names)], texts)


def _typed(frame: pd.DataFrame, texts: Sequence[str]) -> pd.DataFrame:
    return frame.astype({name: "str" if name in texts else "int64" for name in frame.columns})


RECORDED = {
    "endings": endings_table,
    "knocks": knocks_table,
    "lengths": lengths_table,
    "points": points_table,
}
"""By the table's name, what makes it from cells and their tallies."""
