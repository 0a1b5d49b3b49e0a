"""What a cell is made of: rules, sides, where its games begin; whose fault it is when it cannot be played.

A part hangs on some of the axes alone, so that it is made once for each combination of those: a million cells
have a few hundred rules and sides.
"""

from __future__ import annotations

import functools
import itertools
import json
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from analysis.console import UsageError
from analysis.experiment.axes import Axes, Option, key_text
from analysis.experiment.model import Spec
from analysis.request import parse_dealer, parse_score
from sim.rules import Rules, RulesError
from strategies.base import StrategyError

NAMED = ("a", "b", "base", "score", "dealer")
"""What an axis can set beside rule fields and placeholders."""

_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_RULES = {"base", *Rules.__dataclass_fields__}


class RuleSet(NamedTuple):
    """Rules in full, and how the command line asks for them."""

    rules: Rules
    preset: str
    settings: tuple[str, ...]


class Start(NamedTuple):
    """Where a cell's games begin."""

    scores: tuple[int, int]
    dealer: int | None


class Part(NamedTuple):
    """One part of all cells.

    Attributes
    ----------
    values : list
        All that differ.
    ids : ndarray of int, as many dimensions as there are axes
        Places in ``values`` by the options of the axes; of length 1 along an axis that it does not hang on.
    """

    values: list[Any]
    ids: npt.NDArray[np.intp]

    def at(self, place: tuple[int, ...]) -> Any:
        """Return what a cell has, by the places of its options."""
        return self.values[
            self.ids[tuple(at if size > 1 else 0 for at, size in zip(place, self.ids.shape, strict=True))]
        ]


class Maker:
    """Makes the parts of cells.

    Parameters
    ----------
    spec : Spec
    axes : Axes
    source : str
        Named in errors.
    canonical : callable
        From a strategy as it is written to its canonical text; it raises `StrategyError`.
    """

    def __init__(self, spec: Spec, axes: Axes, source: str, canonical: Callable[[str], str]) -> None:
        self.spec = spec
        self.axes = axes
        self.source = source
        self.canonical = functools.cache(canonical)
        self.used = {*NAMED, *Rules.__dataclass_fields__}

    def rules(self) -> Part:
        """Return the rules of all cells, each value a `RuleSet`."""
        return self._part(_RULES, self._rules)

    def side(self, side: str) -> Part:
        """Return the strategies of side ``a`` or ``b`` in canonical text."""
        texts = [getattr(self.spec.strategies, side)]
        texts += [option.sets.get(side) for _, options in self.axes for option in options]
        names = {name for text in texts if isinstance(text, str) for name in _PLACEHOLDER.findall(text)}
        return self._part({side, *names}, lambda sets, paths: self._strategy(side, sets, paths))

    def starts(self) -> Part:
        """Return where games begin, each value a `Start`. A score is checked against the rules' target."""
        keys = {"score", "dealer"}
        if self.spec.score is not None or self._axes_of({"score"}):
            keys |= _RULES
        return self._part(keys, self._start)

    def _axes_of(self, keys: set[str]) -> set[str]:
        """Return the axes of which some option sets one of the keys."""
        return {name for name, options in self.axes if any(keys & option.sets.keys() for option in options)}

    def _part(self, keys: set[str], make: Callable[[Mapping[str, Any], Mapping[str, str]], Any]) -> Part:
        """Make a part for every combination of the options of those axes that set one of its keys.

        ``make`` is given what all options set, and the path of each key.
        """
        hangs_on = self._axes_of(keys)
        sizes = [len(options) if name in hangs_on else 1 for name, options in self.axes]
        ids = np.empty(sizes, np.intp)
        numbers: dict[Any, int] = {}
        for place in itertools.product(*map(range, sizes)):
            sets: dict[str, Any] = {}
            paths: dict[str, str] = {}
            for (_, options), at in zip(self.axes, place, strict=True):
                option = options[at]
                sets |= option.sets
                paths |= {key: _path(option, key) for key in option.sets}
            ids[place] = numbers.setdefault(make(sets, paths), len(numbers))
        return Part(list(numbers), ids)

    def _start(self, sets: Mapping[str, Any], paths: Mapping[str, str]) -> Start:
        score = _text(sets.get("score", self.spec.score))
        dealer = _text(sets.get("dealer", self.spec.dealer))
        scores = (0, 0)
        if score is not None:
            rules = self._rules(sets, paths).rules
            scores = self._told(paths.get("score", "score"), lambda: parse_score(score, rules))
        return Start(scores, self._told(paths.get("dealer", "dealer"), lambda: parse_dealer(dealer)))

    def refuse_idle(self) -> None:
        """Refuse keys that set nothing: no rule, no placeholder of any strategy; the parts have been made."""
        for _, options in self.axes:
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

        written = _PLACEHOLDER.sub(fill, text)
        return str(self._told(" and ".join(filled) or path, lambda: self.canonical(written)))

    def _rules(self, sets: Mapping[str, Any], paths: Mapping[str, str]) -> RuleSet:
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
        return RuleSet(rules, base, settings)


def _path(option: Option, key: str) -> str:
    return f"{option.path}.{key}" if option.table else option.path


def _text(value: Any) -> str | None:
    return None if value is None else key_text(value)
