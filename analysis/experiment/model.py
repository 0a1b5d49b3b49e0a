"""The experiment file: its keys, what each may be, and errors that name the key's path."""

from __future__ import annotations

import tomllib
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
    strategy_files: tuple[str, ...] = ()
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


def read_toml(text: str, source: str) -> dict[str, Any]:
    """Read TOML.

    Raises
    ------
    UsageError
        If it is not TOML, with the source and the line.
    """
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also a number of more digits than Python reads
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
    }.get(kind, str(problem["msg"]).removeprefix("Value error, ").replace("Input should", "should"))
    shown = "" if kind in ("extra_forbidden", "missing", "value_error") else f", not {_short(given)}"
    return f"{path}: {message}{shown}" if path else message


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."
