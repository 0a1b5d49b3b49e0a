"""Axes: what each of their values sets, under which label, and where it stands in the file."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from analysis.console import UsageError
from analysis.experiment.model import Spec


@dataclass(frozen=True)
class Axis:
    """An axis of an experiment.

    Attributes
    ----------
    name : str
    labels : tuple of str
        One for each value.
    """

    name: str
    labels: tuple[str, ...]


def key_text(value: Any) -> str:
    """Write a value as a strategy's text takes it: no quotes, ``true`` and ``false``."""
    return value if isinstance(value, str) else json.dumps(value)


@dataclass(frozen=True)
class Option:
    """A value of an axis: what it sets, under which label, and where it stands in the file."""

    sets: dict[str, Any]
    label: str
    path: str
    table: bool


Axes = Sequence[tuple[str, Sequence[Option]]]
"""Each axis by name, with its options."""


def axes_of(spec: Spec, source: str) -> list[tuple[str, list[Option]]]:
    """Return each axis with its options.

    Raises
    ------
    UsageError
        If an axis is empty or mixes scalars and tables, a table is empty, two labels are the same, or two
        axes set the same key.
    """
    told = []
    owner: dict[str, str] = {}
    for name, values in spec.axes.items():
        path = f"axes.{name}"
        if not values:
            raise UsageError(f"{source}: {path}: no values")
        if len({isinstance(value, dict) for value in values}) > 1:
            raise UsageError(f"{source}: {path}: expected either scalars or tables, not both")
        options = [_option(name, value, f"{path}[{place}]", source) for place, value in enumerate(values)]
        labels = [option.label for option in options]
        counts = Counter(labels)
        for option in options:
            if counts[option.label] > 1:
                raise UsageError(f"{source}: {option.path}: {option.label} stands twice")
            for key in option.sets:
                before = owner.setdefault(key, name)
                if before != name:
                    raise UsageError(f"{source}: {option.path}: {key} is set by axes.{before} too")
        told.append((name, options))
    for name, options in told:
        if options[0].table and owner.get(name, name) != name:
            raise UsageError(f"{source}: axes.{name}: {name} is set by axes.{owner[name]} too")
    return told


def _option(name: str, value: Any, path: str, source: str) -> Option:
    if not isinstance(value, dict):
        return Option({name: value}, key_text(value), path, table=False)
    sets = {key: one for key, one in value.items() if key != "label"}
    if not sets:
        raise UsageError(f"{source}: {path}: sets nothing; repeat a value that holds anyway")
    if name in sets:
        raise UsageError(f"{source}: {path}.{name}: an axis of tables has a name of its own, not a key's")
    own = ", ".join(f"{key}={key_text(one)}" for key, one in sets.items())
    return Option(sets, key_text(value.get("label", own)), path, table=True)
