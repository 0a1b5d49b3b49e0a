"""The experiment file: its keys, what each may be, and errors that name the key's path."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StrictFloat,
    StrictInt,
    ValidationError,
    field_validator,
    model_validator,
)

from analysis.console import UsageError
from analysis.request import MAX_PAIRS

Record = Literal["endings", "knocks", "lengths", "points"]
RECORDS: tuple[Record, ...] = ("endings", "knocks", "lengths", "points")
"""Tables that can be kept; the cells always are."""

Headline = Literal["game_share", "hand_share", "points_per_hand"]
"""What a run can stop on, and what charts and reports lead with."""

DEFAULT_CAP = 1_024_000
"""Pairs a cell plays at most when it stops by width or by a sequential test: 1000 * 2**10."""

Scalar = StrictBool | StrictInt | StrictFloat | str
Value = Scalar | list[StrictInt]
"""A list stands for the rule ``column_multipliers`` alone."""

MAX_TITLE = 200
"""Characters of a title."""
MAX_BYTES = 10_000_000
"""Bytes of an experiment file; one of a million values has about seven million."""
MAX_STRING = 4_000
"""Characters of a question, and of any other text; a strategy's has a limit of its own."""
MAX_NAME = 200
"""Characters of a key."""
MAX_AXES = 32
"""Axes; an array has one dimension for each, and NumPy's have 64 at most."""
MAX_VALUES = 1_000_000
"""Values of a list, as many as an experiment may have cells."""
MAX_FILES = 100
"""Strategy files."""
MAX_NESTING = 16
"""How deep tables and lists may stand in each other; an experiment needs four levels."""

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_PART = r"""(?:[\w-]{1,1000}|"(?:[^"\\\n]|\\.){0,1000}"|'[^'\n]{0,1000}')[ \t]*\.[ \t]*"""
_LONG_KEY = re.compile(rf"(?<![\w-])(?:{_PART}){{{MAX_NESTING}}}")

_STRICT = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class SprtSpec(BaseModel):
    """A sequential test of two game shares, see `analysis.stats`."""

    model_config = _STRICT

    s0: float = Field(gt=0, lt=1, strict=True)
    s1: float = Field(gt=0, lt=1, strict=True)
    alpha: float = Field(0.05, gt=0, lt=0.5, strict=True)
    beta: float = Field(0.05, gt=0, lt=0.5, strict=True)

    @model_validator(mode="after")
    def _two_shares(self) -> SprtSpec:
        if self.s0 >= self.s1:
            raise ValueError(f"s1 = {self.s1}: expected more than s0 = {self.s0}")
        return self


class Sides(BaseModel):
    """The strategies; either may be left to an axis."""

    model_config = _STRICT

    a: str | None = None
    b: str | None = None


class Spec(BaseModel):
    """An experiment as it is written.

    Attributes
    ----------
    pairs, half_width, sprt : int, float, SprtSpec
        Exactly one: so many pairs a cell; or until the 95 % interval of ``metric`` reaches no further than
        this to either side; or until a sequential test has decided.
    metric : str
        What ``half_width`` looks at and what charts and reports lead with.
    unit : str
        ``game``, or ``hand``: each deck is one hand, played twice, the sides swapped, from the score.
    max_pairs : int
        Pairs a cell plays at most, where no number was asked for.
    rules : dict
        ``base``, a preset, and fields that differ from it.
    axes : dict
        By name: a list of scalars, or a list of tables of several keys.
    """

    model_config = _STRICT

    title: str = Field(min_length=1, max_length=MAX_TITLE)
    question: str = ""
    seed: StrictInt = Field(ge=0, lt=2**63)
    pairs: StrictInt | None = Field(None, ge=1, lt=MAX_PAIRS)
    half_width: float | None = Field(None, gt=0, strict=True)
    sprt: SprtSpec | None = None
    max_pairs: StrictInt | None = Field(None, ge=1000, lt=MAX_PAIRS)
    metric: Headline = "game_share"
    unit: Literal["game", "hand"] = "game"
    record: tuple[Record, ...] = RECORDS
    strategy_files: tuple[str, ...] = Field((), max_length=MAX_FILES)
    score: str | None = None
    dealer: Literal["a", "b"] | None = None
    strategies: Sides = Sides()
    rules: dict[str, Value] = Field(default_factory=dict)
    axes: dict[str, list[Scalar | dict[str, Value]]] = Field(default_factory=dict)

    @field_validator("record", "strategy_files")
    @classmethod
    def _once(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for one in value:
            if value.count(one) > 1:
                raise ValueError(f"{one!r} stands twice")
        return value

    @model_validator(mode="after")
    def _one_length(self) -> Spec:
        given = [name for name in ("pairs", "half_width", "sprt") if getattr(self, name) is not None]
        if len(given) != 1:
            what = " and ".join(given) if given else "none"
            raise ValueError(f"expected exactly one of pairs, half_width, sprt; there is {what}")
        if self.half_width is not None and self.half_width >= 0.5 and self.metric != "points_per_hand":
            raise ValueError(
                f"half_width = {self.half_width:g}: a share lies between 0 and 1; a percentage point is 0.01"
            )
        if self.max_pairs is not None and self.pairs is not None:
            raise ValueError("max_pairs goes with half_width or sprt, not with pairs")
        if self.sprt is not None and self.metric != "game_share":
            raise ValueError(f"sprt tests the game share, not metric = {self.metric!r}")
        return self

    @property
    def cap(self) -> int:
        """Pairs a cell plays at most."""
        return self.pairs or self.max_pairs or DEFAULT_CAP

    def to_dict(self) -> dict[str, Any]:
        """Return the experiment as plain JSON data in the order of the fields, without what is not set."""
        return self.model_dump(mode="json", exclude_none=True)


def read_file(path: Path) -> str:
    """Return the text of an experiment file.

    Raises
    ------
    UsageError
        If it is too large, no file, or not UTF-8.
    OSError
        If it cannot be read.
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        raise UsageError(f"{path}: not a file")  # opening a pipe would wait for its other end
    with path.open("rb") as file:
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise UsageError(f"{path}: too large: more than {MAX_BYTES:,} bytes")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        raise UsageError(f"{path}: not a text file in UTF-8") from None


def read_toml(text: str, source: str) -> dict[str, Any]:
    """Read TOML.

    Raises
    ------
    UsageError
        If it is not TOML, with the source and the line.
    """
    if deep := _LONG_KEY.search(text):  # reading a key of n parts takes n squared steps
        line = text.count("\n", 0, deep.start()) + 1
        raise UsageError(f"{source}: line {line}: a key of more than {MAX_NESTING} parts")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise UsageError(f"{source}: nested too deep, at most {MAX_NESTING} levels") from None
    except ValueError as error:  # also a number of more digits than Python reads
        told, _, place = str(error).removesuffix(")").rpartition(" (at ")
        if place and told:
            raise UsageError(f"{source}: {place}: {told[:1].lower()}{told[1:]}") from None
        raise UsageError(f"{source}: {error}") from None


def read_spec(data: dict[str, Any], source: str) -> Spec:
    """Check an experiment key by key.

    Raises
    ------
    UsageError
        With the source, the path of the key, and what is wrong with it.
    """
    _check_sizes(data, source)
    try:
        return Spec.model_validate(data)
    except ValidationError as error:
        problems = error.errors(include_url=False)
        problems.sort(
            key=lambda problem: problem["type"] != "extra_forbidden"
        )  # a slip makes another missing
        more = len({key_path(problem["loc"]) for problem in problems}) - 1
        rest = f" (and {more} more)" if more > 0 else ""
        raise UsageError(f"{source}: {_told(problems[0])}{rest}") from None


def _check_sizes(data: dict[str, Any], source: str) -> None:
    """Refuse what is larger than any experiment, and what would steer a terminal, before it is looked at.

    A check value by value would tell every one of a million, each in several ways.
    """
    axes = data.get("axes")
    if isinstance(axes, dict) and len(axes) > MAX_AXES:
        raise UsageError(f"{source}: axes: {len(axes):,} axes, at most {MAX_AXES}")
    left: list[tuple[tuple[int | str, ...], Any]] = [((), data)]
    while left:
        loc, value = left.pop()
        if isinstance(value, str):
            if len(value) > MAX_STRING:
                size = f"{len(value):,} characters, at most {MAX_STRING:,}"
                raise UsageError(f"{source}: {key_path(loc)}: a text of {size}")
            if found := _CONTROL.search(value):
                raise UsageError(f"{source}: {key_path(loc)}: a control character, {found[0]!r}")
        elif isinstance(value, int) and value.bit_length() > 64:
            raise UsageError(
                f"{source}: {key_path(loc)}: a number of {value.bit_length():,} bits, at most 64"
            )
        elif isinstance(value, (list, tuple, dict)):
            if len(loc) == MAX_NESTING:
                raise UsageError(
                    f"{source}: {key_path(loc[:3])}: nested too deep, at most {MAX_NESTING} levels"
                )
            if len(value) > MAX_VALUES:
                raise UsageError(f"{source}: {key_path(loc)}: {len(value):,} values, at most {MAX_VALUES:,}")
            if isinstance(value, dict):
                for key in value:
                    if isinstance(key, str) and (len(key) > MAX_NAME or _CONTROL.search(key)):
                        where = key_path((*loc, _short(key)))
                        raise UsageError(f"{source}: {where}: not a key (long, or a control character)")
            inner = value.items() if isinstance(value, dict) else enumerate(value)
            left += [((*loc, key), one) for key, one in inner]


def key_path(loc: tuple[int | str, ...]) -> str:
    """Write where a key stands, such as ``axes.k[3]``; places in a list count from 0."""
    path = ""
    for part in loc:
        if isinstance(part, int):
            path += f"[{part}]"
        elif part not in ("bool", "int", "float", "str") and not part.startswith(("list[", "dict[")):
            path += f".{part}" if path else part  # else: which of several types pydantic tried
    return path


def _told(problem: Any) -> str:
    path = key_path(problem["loc"])
    kind, given = problem["type"], problem["input"]
    if path.startswith(("axes.", "rules.")) and kind not in ("value_error",):
        what = "a number, true or false, or text" + (
            ", or a table of such" if path.startswith("axes") else ""
        )
        if kind == "list_type" and path.count(".") == 1:
            what = "a list of values"
        return f"{path}: expected {what}, not {_short(given)}"
    message = {
        "extra_forbidden": "unknown key",
        "missing": "missing",
        "model_type": "should be a table",
        "dict_type": "should be a table",
    }.get(kind, str(problem["msg"]).removeprefix("Value error, ").replace("Input should", "should"))
    shown = "" if kind in ("extra_forbidden", "missing", "value_error") else f", not {_short(given)}"
    return f"{path}: {message}{shown}" if path else message


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."
