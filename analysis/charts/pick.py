"""Which cells of a run a chart shows, and what it calls them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from analysis.charts.words import is_number
from analysis.console import UsageError
from analysis.metrics import HEADLINES, MATCH_SHARE, METRICS, group_sums, whenever, with_left_out
from analysis.stats.estimates import Estimate
from analysis.stats.joint import Sample, not_worse_than_best
from sim.tally import GROUPS
from strategies.base import registered

if TYPE_CHECKING:
    from pandas import DataFrame

    from analysis.experiment.cells import Cell
    from analysis.store.results import Results


def pick(
    results: Results, cells: Iterable[int] | None = None, where: Mapping[str, Any] | None = None
) -> list[Cell]:
    """Return cells of a run.

    Parameters
    ----------
    results : Results
    cells : iterable of int, optional
        Their numbers, in the order wanted; all when left out.
    where : mapping of str to object, optional
        By axis, the label that cells must have.

    Raises
    ------
    UsageError
        If there is no such cell, axis or label, or nothing is left.
    """
    names = [axis.name for axis in results.axes]
    for name, value in (where or {}).items():
        if name not in names:
            raise UsageError(f"axis {name!r}: there are {', '.join(names) or 'none'}")
        labels = results.axes[names.index(name)].labels
        if str(value) not in labels:
            raise UsageError(f"axis {name} has no {str(value)!r}; it has {', '.join(labels)}")
    count = len(results.cells)
    numbers = list(range(count)) if cells is None else list(cells)
    for number in numbers:
        if not 0 <= number < count:
            raise UsageError(f"no cell {number}: there are {count}, from 0")
    wanted = [(names.index(name), str(value)) for name, value in (where or {}).items()]
    chosen = [
        results.cells[number]
        for number in numbers
        if all(results.cells[number].labels[at] == value for at, value in wanted)
    ]
    if not chosen:
        raise UsageError("no cells to draw")
    return chosen


def varying(results: Results, cells: Sequence[Cell]) -> list[str]:
    """Return the axes along which cells differ, in order."""
    return [axis.name for at, axis in enumerate(results.axes) if len({cell.labels[at] for cell in cells}) > 1]


def labels_along(results: Results, cells: Sequence[Cell], name: str) -> list[str]:
    """Return the label of each cell on an axis.

    Raises
    ------
    UsageError
        If there is no such axis.
    """
    names = [axis.name for axis in results.axes]
    if name not in names:
        raise UsageError(f"axis {name!r}: there are {', '.join(names) or 'none'}")
    return [cell.labels[names.index(name)] for cell in cells]


def names_of(results: Results, cells: Sequence[Cell]) -> list[str]:
    """Return a name for each cell: its labels on the axes along which the cells differ.

    A single cell, or cells that differ along no axis, are named by their sides.
    """
    axes = varying(results, cells)
    if not axes:
        return [f"{short(cell.a)} v {short(cell.b)}" for cell in cells]
    columns = [[part_name(axis, text) for text in labels_along(results, cells, axis)] for axis in axes]
    return [", ".join(parts) for parts in zip(*columns, strict=True)]


def part_name(axis: str, label: str) -> str:
    """Return the name of a value of an axis: ``k = 3``; what stands for itself, such as a strategy, alone."""
    if is_number(label) or label in ("true", "false"):
        return f"{axis.replace('_', ' ')} = {label}"
    return label


def short(strategy: str) -> str:
    """Return a strategy's canonical text without flags that stand as they do by default."""
    family = registered().get(strategy.partition("(")[0])  # a user's family need not be loaded
    parameters = family.parameters() if family else []
    usual = [
        f"{one['name']}={str(one['default']).lower()}"
        for one in parameters
        if isinstance(one["default"], bool)
    ]
    for text in usual:
        strategy = re.sub(rf"(, {text})(?=[,)])|(?<=\(){text}(, )?", "", strategy, count=1)
    return strategy.removesuffix("()")


def ordered(results: Results, cells: Sequence[Cell]) -> list[Cell]:
    """Return cells along the one axis on which they differ, if it is of numbers; else as they come."""
    axes = varying(results, cells)
    if len(axes) != 1:
        return list(cells)
    labels = labels_along(results, cells, axes[0])
    if not all(map(is_number, labels)):
        return list(cells)
    places = sorted(range(len(cells)), key=lambda at: float(labels[at]))
    return [cells[at] for at in places]


def labelled(results: Results, name: str, cells: Sequence[Cell], share_of: str | None = None) -> DataFrame:
    """Return a table's rows of cells, in their order, with a column ``label``.

    Parameters
    ----------
    share_of : str, optional
        A column; ``share`` is then its part of the cell's sum.
    """
    table = results.table(name)
    names = dict(zip((cell.number for cell in cells), names_of(results, cells), strict=True))
    table = table[table["cell"].isin(list(names))]
    place = {number: at for at, number in enumerate(names)}
    table = table.sort_values("cell", key=lambda column: column.map(place), kind="stable", ignore_index=True)
    table.insert(1, "label", table["cell"].map(names))
    if share_of is not None:
        table["share"] = table[share_of] / table.groupby("cell")[share_of].transform("sum")
    return table


def side_number(side: str) -> int:
    """Return 0 for side A, 1 for side B.

    Raises
    ------
    UsageError
        If it is neither.
    """
    if side not in ("a", "b"):
        raise UsageError(f"side {side!r}: expected a or b")
    return "ab".index(side)


def recorded(results: Results, name: str) -> None:
    """Refuse a table that the run did not record.

    Raises
    ------
    UsageError
    """
    if name not in results.tables:
        results.table(name)


def metric_columns(results: Results, cells: Sequence[Cell], metric: str | None) -> dict[str, Any]:
    """Return the columns ``cell``, ``metric``, ``estimate``, ``low``, ``high`` of cells.

    The intervals of headline metrics hold whenever a cell was stopped, where its pairs were not settled.

    Raises
    ------
    UsageError
        If there is no such metric.
    """
    name = metric_of(results, metric)
    rows = results.table("cells").set_index("cell").loc[[cell.number for cell in cells]]
    ends = {end: rows[f"{name}_{end}"].to_numpy(float) for end in ("low", "high")}
    if name in HEADLINES:
        fixed = (rows["stopped"] == "pairs").to_numpy()
        ends = {end: np.where(fixed, ends[end], rows[f"{name}_anytime_{end}"]) for end in ends}
    return {
        "cell": [cell.number for cell in cells],
        "metric": name,
        "estimate": rows[name].to_numpy(float),
        **ends,
    }


def settled(results: Results, cells: Sequence[Cell]) -> bool:
    """Tell whether all of some cells played a number of pairs settled beforehand."""
    stopped = results.table("cells")["stopped"]
    return all(stopped.iloc[cell.number] == "pairs" for cell in cells)


def at_any_stop(results: Results, cells: Sequence[Cell], metric: str, alpha: float = 0.05) -> list[Estimate]:
    """Return a metric of cells with intervals that hold at any stop, all at once but for ``alpha``."""
    of = MATCH_SHARE if metric == "match_share" else METRICS[metric]
    told = []
    for cell in cells:
        tally = results.tally(cell.number)
        told.append(whenever(of, tally.total("moments"), group_sums(tally), 1 - alpha / len(cells)))
    return told


def best_among(results: Results, cells: Sequence[Cell], metric: str) -> npt.NDArray[np.bool_]:
    """Return the cells that are not shown to be worse than the best of them.

    By multiple comparisons with the best; by intervals that hold whenever a cell stops, which share the
    error, where the pairs were not settled beforehand. None of the cells where there is but a group of pairs.
    """
    if settled(results, cells):
        values, without = sampled(results, cells, metric)
        return not_worse_than_best(values, without) if len(without) > 1 else np.zeros(len(cells), bool)
    told = at_any_stop(results, cells, metric)
    floor = max((one.low for one in told if one.low is not None), default=-np.inf)
    return np.array([one.high is None or one.high >= floor for one in told])


def metric_of(results: Results, metric: str | None) -> str:
    """Return a metric's name, the experiment's own when left out.

    Raises
    ------
    UsageError
        If there is no such metric.
    """
    name = metric or results.experiment.spec.metric
    if name not in METRICS and name != "match_share":
        raise UsageError(f"metric {name!r}: expected one of {', '.join(METRICS)}, match_share")
    return name


def sampled(results: Results, cells: Sequence[Cell], metric: str) -> Sample:
    """Return a metric of cells, from all groups of pairs and from all but each."""
    definition = MATCH_SHARE if metric == "match_share" else METRICS[metric]
    values, rests = [], []
    for cell in cells:
        value, rest = with_left_out(definition, group_sums(results.tally(cell.number)))
        whole = np.full(GROUPS, np.nan)
        whole[: len(rest)] = rest
        values.append(np.nan if value is None else value)
        rests.append(whole)
    without = np.array(rests).T
    return Sample(np.array(values), without[~np.isnan(without).all(axis=1)])


def caption(results: Results, cells: Sequence[Cell] | None = None, intervals: bool = True) -> str:
    """Return what a caption must say of a run: pairs, seed, rules and their hash, level of its intervals."""
    shown = list(cells if cells is not None else results.cells)
    pairs = sorted({results.pairs(cell.number) for cell in shown})
    played = f"{pairs[0]:,}" if len(pairs) == 1 else f"{pairs[0]:,} to {pairs[-1]:,}"
    hashes = list(dict.fromkeys(cell.rules.hash for cell in shown))
    presets = list(dict.fromkeys(cell.preset for cell in shown))
    rules = ", ".join(presets[:3]) + (", ..." if len(presets) > 3 else "")
    told = hashes[0] if len(hashes) == 1 else f"{hashes[0]} and {len(hashes) - 1} more"
    seed = shown[0].seed
    each = " a cell" if len(shown) > 1 else ""
    level = "; 95 % intervals" if intervals else ""
    return f"{played} mirrored pairs{each}, seed {seed}, rules {rules} ({told}){level}."
