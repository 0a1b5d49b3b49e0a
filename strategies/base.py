"""The contract of a strategy, the registry, and how a strategy is written as text.

A strategy is a frozen dataclass: its parameters are its identity, and its text form
``name(param=value, ...)`` is its name in results. It names the modules that hold its compiled
decisions; they are imported when a run starts, so that listings do not wait for the compiler.

The order in a turn:

1. ``draw(view) -> bool``: true to take the upcard, false to draw from the stock (a pass, when the first
   upcard is offered).
2. ``knock(view) -> bool``: asked when the hand can legally be ended; ``view.best_deadwood`` is the least
   deadwood reachable. With all eleven cards melded and big gin played, true declares big gin.
3. ``discard(view) -> mask``: the one-bit mask of the card thrown. ``view.ending`` is 1 if the hand is
   being ended; the cards kept must then leave at most ``view.limit``.
4. ``spread(view, k) -> index``: at the end, which of the k least-deadwood arrangements to show, ordered
   by the mask of melded sets. Optional.

What a view holds is listed in `sim.view`; compiled decisions are made with the decorators there.
"""

from __future__ import annotations

import ast
import dataclasses
import hashlib
import importlib
import importlib.util
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

from strategies.text import MAX_NESTING, brief, first_line, one_line, quoted, shown, syntax, too_deep
from strategies.text import MAX_TEXT as MAX_TEXT
from strategies.text import StrategyError as StrategyError

if TYPE_CHECKING:
    from sim.run import Player

MAX_SOURCE = 1_000_000
"""Bytes a strategy file may have."""

USER = "ginlab_user_"
"""What the names of users' modules begin with."""

DEFAULT_SPREAD = ("sim.view", "default_spread_rule")


class Decisions(NamedTuple):
    """The modules in which the compiled decisions stand, under the names of the fields.

    Attributes
    ----------
    draw, knock, discard : str
        Importable modules with functions ``draw``, ``knock``, ``discard``.
    spread : str or None
        Module with a function ``spread``; None for the engine's default.
    """

    draw: str
    knock: str
    discard: str
    spread: str | None = None


def parameter(default: Any, low: float, high: float, doc: str) -> Any:
    """Return a dataclass field for a number, with its range (both ends allowed) and meaning."""
    return field(default=default, metadata={"range": (low, high), "doc": doc})


def switch(default: bool, doc: str) -> Any:
    """Return a dataclass field for a flag with its meaning."""
    return field(default=default, metadata={"doc": doc})


def file_path(doc: str) -> Any:
    """Return a dataclass field for the path of a file with its meaning; in text it stands in quotes."""
    return field(default="", metadata={"doc": doc, "file": True})


def component(doc: str, *, optional: bool = False, default: Strategy | None = None) -> Any:
    """Return a dataclass field for another strategy: one that lends a rule, or plays on in thought."""
    return field(default=default, metadata={"doc": doc, "component": True, "optional": optional})


@dataclass(frozen=True)
class Strategy:
    """The base of all strategies.

    A subclass is a frozen dataclass whose fields, made by `parameter`, `switch`, `file_path` and
    `component`, are its parameters; the first line of its docstring says its rule in one sentence.

    Raises
    ------
    StrategyError
        If a parameter is out of its range, naming it.
    """

    name: ClassVar[str]
    decisions: ClassVar[Decisions]
    remembers: ClassVar[tuple[str, ...]] = ()
    """The decisions that keep something in ``view.memory``."""

    def __post_init__(self) -> None:
        """Check every parameter."""
        for spec in dataclasses.fields(self):
            value = getattr(self, spec.name)
            if "component" in spec.metadata:
                continue
            shown = f"{self.name}({spec.name}={brief(value)})"
            if "file" in spec.metadata:
                if not isinstance(value, str):
                    raise StrategyError(f"{shown}: {spec.name} must be the path of a file, as text")
                continue
            if isinstance(spec.default, bool):
                if not isinstance(value, bool):
                    raise StrategyError(f"{shown}: {spec.name} must be true or false")
                continue
            low, high = spec.metadata["range"]
            whole = isinstance(spec.default, int)
            kinds = int if whole else (int, float)
            if isinstance(value, bool) or not isinstance(value, kinds) or not low <= value <= high:
                kind = "a whole number" if whole else "a number"
                raise StrategyError(f"{shown}: {spec.name} must be {kind} {low}-{high}")

    def __str__(self) -> str:
        values = []
        for place, spec in enumerate(dataclasses.fields(self)):
            value = getattr(self, spec.name)
            if value is not None:
                named = place > 0 or "file" not in spec.metadata  # a leading path says itself what it is
                values.append(f"{spec.name}={_text(value)}" if named else _text(value))
        return f"{self.name}({', '.join(values)})" if values else self.name

    def params(self) -> list[float]:
        """Return the parameters as the view carries them: numbers in the order of the fields."""
        fields = [spec for spec in dataclasses.fields(self) if "component" not in spec.metadata]
        return [float(getattr(self, spec.name)) for spec in fields]

    def modules(self) -> Decisions:
        """Return the modules of the decisions: those of the class, unless it is combined."""
        return self.decisions

    def owner(self, decision: str) -> Strategy:
        """Return the strategy that a decision comes from: this one, unless it is combined."""
        return self

    def starts(self) -> tuple[int, int, int, int]:
        """Return where among `params` those of the draw, knock, discard and spread rule begin."""
        return 0, 0, 0, 0

    def table(self) -> Any:
        """Return the values of the strategy's table, an array of float64, or None."""
        return None

    def rollout_policy(self) -> Strategy | None:
        """Return the strategy that plays on in this one's thoughts, or None; it reads this one's table."""
        return None

    def cells(self) -> Any:
        """Return the knock rule as `strategies.knock_cells.KnockCells` if it is a table, else None."""
        return None

    def files(self) -> dict[str, str]:
        """Return the files that the strategy was read from: path, and a hash of what it read."""
        return {}

    @classmethod
    def summary(cls) -> str:
        """Return the rule in one sentence."""
        return (cls.__doc__ or "").strip().split("\n")[0]

    @classmethod
    def parameters(cls) -> list[dict[str, Any]]:
        """Return name, kind, default, range (of numbers) and meaning of each parameter.

        The kind is ``number``, ``flag``, ``file``, ``strategy`` or ``strategy, optional``.
        """
        return [
            {
                "name": spec.name,
                "kind": _kind(spec),
                "default": str(spec.default) if isinstance(spec.default, Strategy) else spec.default,
                "range": spec.metadata.get("range"),
                "doc": spec.metadata["doc"],
            }
            for spec in dataclasses.fields(cls)
        ]


def _kind(spec: Any) -> str:
    if "component" in spec.metadata:
        return "strategy, optional" if spec.metadata["optional"] else "strategy"
    if "file" in spec.metadata:
        return "file"
    return "number" if "range" in spec.metadata else "flag"


def _text(value: object) -> str:
    if isinstance(value, Strategy):
        return str(value)
    if isinstance(value, str):
        return quoted(value)
    return str(value).lower() if isinstance(value, bool) else repr(value)


Family = TypeVar("Family", bound=type[Strategy])

_REGISTRY: dict[str, type[Strategy]] = {}


def strategy(name: str) -> Callable[[Family], Family]:
    """Return a decorator that registers a strategy class under a name.

    Raises
    ------
    StrategyError
        If the name is taken or is no identifier, or the class has no decisions.
    """

    def register(family: Family) -> Family:
        if not name.isidentifier():
            raise StrategyError(f"strategy name {name!r} is not an identifier")
        if name in _REGISTRY:
            raise StrategyError(f"strategy {name!r} is registered twice")
        _check_family(name, family)
        family.name = name
        _REGISTRY[name] = family
        return family

    return register


def _check_family(name: str, family: Any) -> None:
    """Refuse a class that is no frozen dataclass of parameters with decisions."""
    if not (isinstance(family, type) and issubclass(family, Strategy)):
        raise StrategyError(f"strategy {name!r} is not a class derived from Strategy")
    if "__dataclass_params__" not in vars(family) or not vars(family)["__dataclass_params__"].frozen:
        raise StrategyError(f"strategy {name!r} is not decorated with @dataclass(frozen=True)")
    decisions = getattr(family, "decisions", None)
    if not isinstance(decisions, Decisions):
        raise StrategyError(f"strategy {name!r} has no decisions")
    for decision, module in decisions._asdict().items():
        if not isinstance(module, str) and (decision, module) != ("spread", None):
            shown = repr(module)[:60]
            raise StrategyError(f"strategy {name!r}: decisions are names of modules, {decision} is {shown}")
    for spec in dataclasses.fields(family):
        if "doc" not in spec.metadata or spec.default is dataclasses.MISSING:
            raise StrategyError(
                f"strategy {name!r}: make its field {spec.name!r} with parameter() or switch()"
            )


def registered() -> dict[str, type[Strategy]]:
    """Return all registered strategies by name, sorted."""
    importlib.import_module("strategies")
    return dict(sorted(_REGISTRY.items()))


def parse_strategy(text: str) -> Strategy:
    """Read a strategy: ``name`` or ``name(value, param=value, ...)``.

    Parameters
    ----------
    text : str
        Values are numbers, ``true`` or ``false``, a path in quotes where the parameter is a file, or
        another strategy; those without a name stand in the order of the parameters. Quoted text is read
        as Python reads it: a backslash is written twice.

    Returns
    -------
    Strategy

    Raises
    ------
    StrategyError
        If the text cannot be read, the name is unknown, or a parameter is wrong.
    """
    tree = syntax(text)
    chosen = _read(tree, text)
    if (size := len(str(chosen))) > MAX_TEXT:  # it would not be read again from a run's folder
        raise StrategyError(f"{shown(text)}: {size} characters with all its parameters, at most {MAX_TEXT}")
    return chosen


def _read(tree: ast.expr, text: str, depth: int = 1) -> Strategy:
    """Read a strategy from its syntax tree."""
    if depth > MAX_NESTING:
        raise too_deep(text)
    call = tree if isinstance(tree, ast.Call) else ast.Call(tree, [], [])
    if not isinstance(call.func, ast.Name):
        raise StrategyError(f"{shown(text)}: expected name or name(param=value, ...)")
    known = registered()
    name = call.func.id
    if name not in known:
        raise StrategyError(f"unknown strategy {name[:40]!r}; known: {', '.join(known)}")
    family = known[name]
    specs = {spec.name: spec for spec in dataclasses.fields(family)}
    fields = list(specs)

    def read(field: str, node: ast.expr) -> Any:
        if "component" in specs[field].metadata:
            return _read(node, text, depth + 1)
        if "file" in specs[field].metadata:
            return _path(field, node, text)
        return _value(node, text)

    if len(call.args) > len(fields):
        raise StrategyError(f"{shown(text)}: {name} takes {len(fields)} parameters")
    values = {field: read(field, node) for field, node in zip(fields, call.args, strict=False)}
    for keyword in call.keywords:
        if keyword.arg is None or keyword.arg not in fields:
            takes = ", ".join(fields) or "none"
            raise StrategyError(
                f"{shown(text)}: {name} has no parameter {keyword.arg and keyword.arg[:40]!r} (has: {takes})"
            )
        if keyword.arg in values:
            raise StrategyError(f"{shown(text)}: {keyword.arg} is given twice")
        values[keyword.arg] = read(keyword.arg, keyword.value)
    try:
        return family(**values)
    except StrategyError:
        raise
    except Exception as error:  # in a user's own checks
        raise StrategyError(f"{name}: {first_line(error)}") from None


def _path(field: str, node: ast.expr, text: str) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    raise StrategyError(f'{shown(text)}: {field} is the path of a file in quotes, such as "table.csv"')


def _value(node: ast.expr, text: str) -> Any:
    if isinstance(node, ast.Name) and node.id in ("true", "false"):
        return node.id == "true"
    sign = 1
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        sign, node = -1, node.operand
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return node.value if isinstance(node.value, bool) else sign * node.value
    raise StrategyError(f"{shown(text)}: values are numbers, true or false")


def load_decisions(chosen: Strategy) -> tuple[Any, Any, Any, Any]:
    """Import the compiled decisions of a strategy.

    Returns
    -------
    tuple of function
        Draw, knock, discard, spread, as the engine takes them.

    Raises
    ------
    StrategyError
        If a module or function is missing.
    """
    from sim._jit import COMPILED, compiles_as, is_compiled
    from sim.view import DECISIONS

    functions = []
    for kind, (decision, module) in zip(DECISIONS, chosen.modules()._asdict().items(), strict=True):
        home, name = (module, decision) if module else DEFAULT_SPREAD
        try:
            function = getattr(importlib.import_module(home), name)
        except (ImportError, AttributeError):
            home = getattr(sys.modules.get(home), "__file__", None) if home.startswith(USER) else home
            raise StrategyError(f"{chosen}: no compiled {decision} in {home}") from None
        if COMPILED and not is_compiled(function):
            raise StrategyError(f"{chosen}: {decision} is not decorated with @{decision}_rule")
        try:
            fits = not COMPILED or compiles_as(function, kind)
        except Exception as error:
            raise StrategyError(f"{chosen}: {first_line(error)}") from None
        if not fits:
            wanted = f"@{decision}_rule"
            raise StrategyError(f"{chosen}: {decision} never answers, or has another decorator than {wanted}")
        functions.append(function)
    draw, knock, discard, spread = functions
    return draw, knock, discard, spread


def player(chosen: Strategy) -> Player:
    """Return a strategy as the engine takes it, its decisions imported.

    Raises
    ------
    StrategyError
        If a compiled decision is missing.
    """
    import numpy as np

    from sim.run import Player  # imported here so that listings do not wait for the compiler
    from sim.view import PARAMS, TABLE

    try:
        params = [float(value) for value in chosen.params()]
    except Exception as error:
        raise StrategyError(f"{chosen}: params: {first_line(error)}") from None
    thought = chosen.rollout_policy()
    if thought is not None and thought.rollout_policy() is not None:
        raise StrategyError(f"{chosen}: its rollout policy has one of its own")
    policy = player(thought) if thought is not None else None
    total = len(params) + (len(policy.params) if policy else 0)
    if total > PARAMS:
        raise StrategyError(f"{chosen}: {total} parameters, at most {PARAMS}")
    try:
        table = chosen.table()
        values = None if table is None else np.asarray(table, np.float64).ravel()
    except Exception as error:
        raise StrategyError(f"{chosen}: table: {first_line(error)}") from None
    if values is not None and values.size > TABLE:
        raise StrategyError(f"{chosen}: a table of {values.size} values, at most {TABLE}")
    starts = chosen.starts()
    if len(starts) != len(Decisions._fields) or not all(start in range(PARAMS) for start in starts):
        raise StrategyError(f"{chosen}: starts {starts}, expected a place below {PARAMS} for each decision")
    return Player(str(chosen), load_decisions(chosen), params, values, starts, policy)


def load_strategy_file(path: str | Path) -> list[str]:
    """Import a user's strategy file, so that the strategies it registers can be played.

    The file runs as Python: load only files you trust.

    Parameters
    ----------
    path : str or Path
        A Python file that registers strategies and holds their compiled decisions.

    Returns
    -------
    list of str
        Names of the strategies the file registered.

    Raises
    ------
    StrategyError
        If the file cannot be read or run, or registers nothing.
    """
    file = Path(path)
    if not str(path):
        raise StrategyError("strategy file '': expected the path of a Python file")
    try:
        if file.exists() and not file.is_file():
            raise ValueError("not a file")  # opening a pipe would wait for its other end
        with file.open("rb") as opened:
            source = opened.read(MAX_SOURCE + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise StrategyError(f"strategy file {one_line(path)}: {reason}") from None
    if len(source) > MAX_SOURCE:
        raise StrategyError(f"strategy file {path}: too large: more than {MAX_SOURCE:,} bytes")
    registered()
    before = dict(_REGISTRY)
    name = f"{USER}{file.stem}_{hashlib.sha256(source).hexdigest()[:12]}"
    if name in sys.modules:
        mine = [one for one in vars(sys.modules[name]).values() if getattr(one, "__module__", "") == name]
        families = {one.name: one for one in mine if isinstance(one, type) and issubclass(one, Strategy)}
        _REGISTRY.update({key: one for key, one in families.items() if key not in _REGISTRY})
        return list(families)
    spec = importlib.util.spec_from_file_location(name, file.resolve())
    if spec is None or spec.loader is None:
        raise StrategyError(f"strategy file {path}: not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException as error:
        del sys.modules[name]
        _REGISTRY.clear()
        _REGISTRY.update(before)
        if isinstance(error, KeyboardInterrupt):
            raise
        raise StrategyError(f"strategy file {path}: {first_line(error, file.resolve())}") from None
    new = [key for key in _REGISTRY if key not in before]
    if not new:
        del sys.modules[name]
        raise StrategyError(f"strategy file {path}: registers no strategy")
    return new
