"""Which cells of a run a chart shows, and what it calls them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from analysis.console import UsageError

if TYPE_CHECKING:
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
    return [
        axis.name for at, axis in enumerate(results.axes) if len({cell.labels[at] for cell in cells}) > 1
    ]


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
        return [f"{short(str(cell.match.a))} v {short(str(cell.match.b))}" for cell in cells]
    columns = [[part_name(axis, text) for text in labels_along(results, cells, axis)] for axis in axes]
    return [", ".join(parts) for parts in zip(*columns, strict=True)]


def part_name(axis: str, label: str) -> str:
    """Return the name of a value of an axis: ``k = 3``; what stands for itself, such as a strategy, alone."""
    try:
        float(label)
        bare = False
    except ValueError:
        bare = label not in ("true", "false")
    return label if bare else f"{axis.replace('_', ' ')} = {label}"


def short(strategy: str) -> str:
    """Return a strategy's text without the default that all of simple's kin share."""
    return strategy.removesuffix("(pair_memory=true)")


def caption(results: Results, cells: Sequence[Cell] | None = None) -> str:
    """Return what a caption must say of a run: pairs, seed, rules and their hash, level of the intervals."""
    shown = list(cells if cells is not None else results.cells)
    pairs = sorted({results.pairs(cell.number) for cell in shown})
    played = f"{pairs[0]:,}" if len(pairs) == 1 else f"{pairs[0]:,} to {pairs[-1]:,}"
    hashes = list(dict.fromkeys(cell.match.rules.hash for cell in shown))
    presets = list(dict.fromkeys(cell.match.preset for cell in shown))
    rules = ", ".join(presets[:3]) + (", ..." if len(presets) > 3 else "")
    told = hashes[0] if len(hashes) == 1 else f"{hashes[0]} and {len(hashes) - 1} more"
    seed = shown[0].match.seed
    each = " a cell" if len(shown) > 1 else ""
    return f"{played} mirrored pairs{each}, seed {seed}, rules {rules} ({told}); 95 % intervals."
