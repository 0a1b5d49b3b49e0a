"""From axes to cells: the product, what each cell plays, and whose fault it is when it cannot be played."""

from __future__ import annotations

import functools
import itertools
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from analysis.console import UsageError
from analysis.experiment.model import Spec
from analysis.request import Match, parse_dealer, parse_score
from sim.rules import Rules, RulesError
from strategies.base import StrategyError, load_strategy_file, parse_strategy

NAMED = ("a", "b", "base", "score", "dealer")
"""What an axis can set beside rule fields and placeholders."""

LARGEST = 100_000
"""Cells of an experiment; each takes half a megabyte on disk."""

Key = str | int | float | bool


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


@dataclass(frozen=True)
class Cell:
    """One combination of the axes' values.

    Attributes
    ----------
    number : int
        From 0; the first axis changes slowest.
    keys : dict
        What the axes set, and the label of each axis of tables under the axis' name.
    labels : tuple of str
        One for each axis.
    a, b : str
        Strategies in canonical text.
    rules : Rules
        In full.
    preset, settings : str, tuple of str
        The same rules as the command line asks for them.
    pairs : int
        Pairs to play, or at most.
    seed, scores, dealer, files
        As in `analysis.request.Match`.
    text : str
        The cell in words: ``k = 3, b = gold``; empty where there are no axes.
    """

    number: int
    keys: dict[str, Key]
    labels: tuple[str, ...]
    a: str
    b: str
    rules: Rules
    preset: str
    settings: tuple[str, ...]
    pairs: int
    seed: int
    scores: tuple[int, int] = (0, 0)
    dealer: int | None = None
    files: tuple[str, ...] = field(default=(), compare=False)
    text: str = ""

    @functools.cached_property
    def match(self) -> Match:
        """What is played. Strategy files are loaded for it: they run as Python."""
        for file in self.files:
            load_strategy_file(file)
        return Match(
            parse_strategy(self.a), parse_strategy(self.b), self.rules, self.preset, self.settings,
            self.pairs, self.seed, self.scores, self.dealer, self.files,
        )  # fmt: skip


def key_text(value: Any) -> str:
    """Write a value as a strategy's text takes it: no quotes, ``true`` and ``false``."""
    return value if isinstance(value, str) else json.dumps(value)


@dataclass(frozen=True)
class _Option:
    """A value of an axis: what it sets, under which label, and where it stands in the file."""

    sets: dict[str, Any]
    label: str
    path: str
    table: bool


def axes_of(spec: Spec, source: str) -> list[tuple[str, list[_Option]]]:
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
        for option in options:
            if labels.count(option.label) > 1:
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


def _option(name: str, value: Any, path: str, source: str) -> _Option:
    if not isinstance(value, dict):
        return _Option({name: value}, key_text(value), path, table=False)
    sets = {key: one for key, one in value.items() if key != "label"}
    if not sets:
        raise UsageError(f"{source}: {path}: sets nothing; repeat a value that holds anyway")
    if name in sets:
        raise UsageError(f"{source}: {path}.{name}: an axis of tables has a name of its own, not a key's")
    own = ", ".join(f"{key}={key_text(one)}" for key, one in sets.items())
    return _Option(sets, key_text(value.get("label", own)), path, table=True)


def make_cells(
    spec: Spec,
    axes: Sequence[tuple[str, Sequence[_Option]]],
    source: str,
    canonical: Callable[[str], str],
    files: tuple[str, ...] = (),
) -> tuple[Cell, ...]:
    """Return the cells: the product of the axes, the first slowest.

    Parameters
    ----------
    spec : Spec
    axes : sequence of (str, sequence of option)
        From `axes_of`, or fewer options of them.
    source : str
        Named in errors.
    canonical : callable
        From a strategy as it is written to its canonical text; it raises `StrategyError`.
    files : tuple of str
        Strategy files.

    Raises
    ------
    UsageError
        With the path of the key that is wrong.
    """
    count = 1
    for _, options in axes:
        count *= len(options)
    if count > LARGEST:
        raise UsageError(f"{source}: axes: {count:,} cells, at most {LARGEST:,}")
    maker = _Maker(spec, source, canonical, files)
    cells = tuple(
        maker.cell(number, dict(zip((name for name, _ in axes), chosen, strict=True)))
        for number, chosen in enumerate(itertools.product(*(options for _, options in axes)))
    )
    maker.refuse_idle(axes)
    seen: dict[Any, Cell] = {}
    for cell in cells:
        before = seen.setdefault((cell.a, cell.b, cell.preset, cell.rules, cell.scores, cell.dealer), cell)
        if before is not cell:
            raise UsageError(f"{source}: axes: the cells ({before.text}) and ({cell.text}) are alike")
    return cells


class _Maker:
    """Makes cells; remembers which keys strategies have used."""

    def __init__(
        self, spec: Spec, source: str, canonical: Callable[[str], str], files: tuple[str, ...]
    ) -> None:
        self.spec = spec
        self.source = source
        self.canonical = functools.cache(canonical)
        self.files = files
        self.used = {*NAMED, *Rules.__dataclass_fields__}

    def cell(self, number: int, chosen: Mapping[str, _Option]) -> Cell:
        sets: dict[str, Any] = {}
        paths: dict[str, str] = {}
        keys: dict[str, Key] = {}
        for name, option in chosen.items():
            if option.table:
                keys[name] = option.label
            for key, value in option.sets.items():
                sets[key] = value
                keys.setdefault(key, json.dumps(value) if isinstance(value, list) else value)
                paths[key] = f"{option.path}.{key}" if option.table else option.path
        rules, preset, settings = self._rules(sets, paths)
        score = sets.get("score", self.spec.score)
        dealer = sets.get("dealer", self.spec.dealer)
        return Cell(
            number,
            keys,
            tuple(option.label for option in chosen.values()),
            self._strategy("a", sets, paths),
            self._strategy("b", sets, paths),
            rules,
            preset,
            settings,
            self.spec.cap,
            self.spec.seed,
            self._told(paths.get("score", "score"), lambda: parse_score(_text(score), rules)),
            self._told(paths.get("dealer", "dealer"), lambda: parse_dealer(_text(dealer))),
            self.files,
            ", ".join(f"{name} = {option.label}" for name, option in chosen.items()),
        )

    def refuse_idle(self, axes: Iterable[tuple[str, Sequence[_Option]]]) -> None:
        """Refuse keys that set nothing: no rule, no placeholder of any strategy."""
        for _, options in axes:
            for option in options:
                for key in option.sets:
                    if key not in self.used:
                        path = f"{option.path}.{key}" if option.table else option.path.rpartition("[")[0]
                        raise UsageError(
                            f"{self.source}: {path}: sets nothing; {key} is no rule, and no strategy has "
                            f"{{{key}}}"
                        )

    def _told(self, path: str, read: Callable[[], Any]) -> Any:
        try:
            return read()
        except (UsageError, StrategyError) as error:
            told = re.sub(r"^--(score|dealer) ", "", str(error))  # as the command line says it
            raise UsageError(f"{self.source}: {path}: {told}") from None

    def _strategy(self, side: str, sets: Mapping[str, Any], paths: Mapping[str, str]) -> str:
        text = sets.get(side, getattr(self.spec.strategies, side))
        path = paths.get(side, f"strategies.{side}")
        if text is None:
            raise UsageError(f"{self.source}: strategies.{side}: missing, and no axis sets it")
        if not isinstance(text, str):
            raise UsageError(f"{self.source}: {path}: expected a strategy, not {key_text(text)}")
        filled = []

        def fill(found: re.Match[str]) -> str:
            name = found[1]
            if name not in sets or name in NAMED:
                raise UsageError(f"{self.source}: {path}: {{{name}}} in {text!r} has no axis")
            self.used.add(name)
            filled.append(paths[name])
            return key_text(sets[name])

        written = re.sub(r"\{(\w+)\}", fill, text)
        return str(self._told(" and ".join(filled) or path, lambda: self.canonical(written)))

    def _rules(self, sets: Mapping[str, Any], paths: Mapping[str, str]) -> tuple[Rules, str, tuple[str, ...]]:
        written = {**self.spec.rules, **{key: one for key, one in sets.items() if key in _RULES}}
        base = written.pop("base", "default")
        where = {key: paths.get(key, f"rules.{key}") for key in (*written, "base")}
        for key in written:
            if key not in Rules.__dataclass_fields__:
                raise UsageError(f"{self.source}: {where[key]}: no such rule; 'ginlab rules default' has all")
        if not isinstance(base, str):
            raise UsageError(f"{self.source}: {where['base']}: expected a preset, not {key_text(base)}")
        changes = {key: None if value == "null" else value for key, value in written.items()}
        try:
            rules = Rules.preset(base)
            rules.require_two_players()
        except RulesError as error:
            raise UsageError(f"{self.source}: {where['base']}: {error}") from None
        for key, value in changes.items():
            allowed = Rules.__dataclass_fields__[key].metadata.get("choices")
            if allowed and value not in allowed:  # said here, for a list cannot be looked up
                raise UsageError(
                    f"{self.source}: {where[key]}: {key}={key_text(written[key])}: expected one of "
                    f"{', '.join(allowed)}"
                )
        if self.spec.unit == "hand":
            changes |= {"match_type": "single_hand", "match_length": 1}
            where |= {"match_type": "unit", "match_length": "unit"}
        try:
            rules = rules.replace(**changes)
            rules.require_two_players()
        except RulesError as error:
            # What an axis sets is named before what stands under [rules], and that before the preset.
            names = [key for key in changes if re.search(rf"\b{key}\b", str(error))]
            names.sort(key=lambda key: key not in paths)
            path = where[names[0]] if names else "rules"
            raise UsageError(f"{self.source}: {path}: {error}") from None
        settings = tuple(f"{key}={json.dumps(value)}" for key, value in changes.items())
        return rules, base, settings


_RULES = {"base", *Rules.__dataclass_fields__}


def _text(value: Any) -> str | None:
    return None if value is None else key_text(value)
