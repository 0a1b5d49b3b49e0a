"""House rules as one frozen dataclass of independent knobs, with named presets.

A `Rules` object is validated when it is made, has a canonical text form and a hash, and becomes the
record that kernels read with `rules_record`. Every field is honoured by the engine; what cannot be
played together is refused with the reason.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from importlib import resources
from typing import Any

import numpy as np

from sim.cards import deck_mask


class RulesError(ValueError):
    """Rules that cannot be; the message names the field."""


def _choice(default: str, *others: str, doc: str) -> Any:
    return field(default=default, metadata={"choices": (default, *others), "doc": doc})


def _number(default: int | None, low: int, high: int, *, doc: str, null: bool = False) -> Any:
    return field(default=default, metadata={"range": (low, high), "null": null, "doc": doc})


def _flag(default: bool, *, doc: str) -> Any:
    return field(default=default, metadata={"doc": doc})


BONUS_MAX = 1_000
"""No bonus in any source passes 200; the bound keeps the sums of a chunk of games inside int64."""
TARGET_MAX = 10_000
"""No target in any source passes 500."""
COLUMNS_MAX = 10
"""Hollywood is played with three columns, now and then more."""


@dataclass(frozen=True)
class SoloRules:
    """The one-player game against jokers (every point the source leaves open is a field)."""

    jokers: int = _number(3, 1, 4, doc="jokers added to the deck")
    end_on_joker: int = _number(2, 1, 4, doc="the drawn joker that ends the hand")
    jokers_enter: str = _choice("after_deal", "before_deal", doc="when the jokers are shuffled in")
    start: str = _choice("ten_plus_upcard", "eleven", doc="cards at the start")
    replace_drawn_joker: bool = _flag(True, doc="a removed joker is replaced by the next card")
    draw_from_discard: str = _choice(
        "opening_upcard_only", "any", doc="when one's own discard may be taken back"
    )
    count_joker_card: bool = _flag(True, doc="the joker turned over counts as a card")
    both_reach_target: str = _choice(
        "higher_total_then_joker", "player", "joker", doc="who wins when both reach the target"
    )

    def __post_init__(self) -> None:
        """Check every field."""
        problems = _problems(self)
        if not problems and self.end_on_joker > self.jokers:
            problems.append(f"end_on_joker={self.end_on_joker}: only {self.jokers} jokers")
        if problems:
            raise RulesError("; ".join(f"solo.{problem}" for problem in problems))


@dataclass(frozen=True)
class Rules:
    """One set of house rules.

    Every field is one knob, described by ``Rules.doc(name)``; the defaults are the preset
    ``default``. Points are points of deadwood or score.

    Raises
    ------
    RulesError
        If a value is out of range or two fields contradict each other; all problems are named.
    """

    hand_size: int = _number(10, 3, 10, doc="cards dealt to each player")
    ranks: int = _number(13, 3, 13, doc="the deck has the first so many ranks, from the ace")
    suits: int = _number(4, 1, 4, doc="the deck has the first so many suits (S H D C)")
    opening: str = _choice(
        "upcard_offer",
        "eleven_ten",
        "free_first_draw",
        doc="first turn: offer of the upcard, eleven cards to the non-dealer, or a normal turn",
    )
    first_dealer: str = _choice(
        "random",
        "high_card",
        "low_card",
        "high_card_chooses",
        "fixed",
        doc="who deals the first hand of a game; a cut is a fair draw, fixed: side A never deals",
    )
    next_dealer: str = _choice(
        "alternate", "winner", "loser", "random", "fixed", doc="who deals after a scored hand"
    )
    void_dealer: str = _choice("same", "rotate", "random", doc="who deals after a void hand")
    may_discard_taken: bool = _flag(False, doc="the card just taken from the discard pile may be thrown back")
    dead_stock: int = _number(2, 0, 45, doc="stock cards never drawn: the hand is void when so few are left")
    wall_rule: str = _choice(
        "void",
        "last_discard_knock",
        "last_discard_play",
        "reshuffle",
        doc="what happens when only the dead stock is left",
    )
    runs_ace: str = _choice("low", "high_low", "corner", doc="aces in runs: A-2-3; also Q-K-A; also K-A-2")
    ace_value: int = _number(1, 1, 15, doc="points of an ace as deadwood")
    knock_limit: int = _number(10, 0, 10, doc="most deadwood that may knock; 0 is gin only")
    knock_limit_source: str = _choice(
        "fixed",
        "upcard",
        "separate_card",
        doc="what sets the limit: the rules, the upcard, or a card of its own (Oklahoma)",
    )
    oklahoma_ace: str = _choice("one", "gin", doc="an ace as limit card: knock with 1, or gin only")
    spade_multiplier: int = _number(1, 1, 2, doc="hand score times this when the limit card is a spade")
    spade_doubles_boxes: bool = _flag(False, doc="the spade multiplies boxes too")
    gin_compulsory: bool = _flag(False, doc="a player who can go gin must")
    gin_bonus: int = _number(25, 0, BONUS_MAX, doc="points for gin")
    big_gin_bonus: int | None = _number(
        None, 0, BONUS_MAX, doc="points for eleven melded cards; null: counts as gin", null=True
    )
    layoff_on_gin: bool = _flag(False, doc="the defender may lay off against gin")
    gin_vs_zero: str = _choice(
        "score", "no_score", doc="gin against a defender without deadwood scores, or does not"
    )
    undercut_bonus: int = _number(25, 0, BONUS_MAX, doc="points for an undercut")
    tie_rule: str = _choice(
        "undercut",
        "defender_no_bonus",
        "push",
        "knocker",
        doc="equal deadwood: an undercut, a box without points, nothing, or the knocker's box",
    )
    extra_boxes_gin: int = _number(0, 0, 3, doc="boxes more for gin")
    extra_boxes_big_gin: int = _number(0, 0, 3, doc="boxes more for big gin")
    extra_boxes_undercut: int = _number(0, 0, 3, doc="boxes more for an undercut")
    game_target: int = _number(100, 1, TARGET_MAX, doc="a game ends at this score or more")
    game_bonus: int = _number(100, 0, BONUS_MAX, doc="points for winning the game")
    box_bonus: int = _number(25, 0, BONUS_MAX, doc="points a hand won (line, box), both sides")
    box_timing: str = _choice(
        "end",
        "immediate",
        doc="boxes count at the end of the game, or at once towards the target",
    )
    shutout: str = _choice(
        "double_hands",
        "none",
        "flat",
        "double_bonuses",
        "double_total",
        doc="reward for winning to nothing: hand points, bonuses or all doubled, or a flat sum",
    )
    shutout_flat: int = _number(100, 0, BONUS_MAX, doc="the flat shutout reward, in points")
    shutout_test: str = _choice("no_hands", "no_points", doc="what the loser must lack to be shut out")
    columns: int = _number(1, 1, COLUMNS_MAX, doc="Hollywood columns")
    column_multipliers: tuple[int, ...] = field(default=(1,), metadata={"doc": "factor of each column"})
    match_type: str = _choice(
        "single_game",
        "single_hand",
        "best_of",
        "first_to_points",
        doc="what is played: one hand, one game, best of so many, or first to so many points",
    )
    match_length: int = _number(1, 1, TARGET_MAX, doc="games of a best-of match, or points to reach")
    solo: SoloRules | None = field(default=None, metadata={"doc": "the one-player game"})
    payoff: str = _choice(
        "points", "rlcard", doc="what a hand pays: its points, or also the reward of that benchmark"
    )

    def __post_init__(self) -> None:
        """Check every field, then what they say together."""
        plain: dict[str, Any] = self.__dict__  # lists and dicts come from JSON
        if isinstance(plain["column_multipliers"], list):
            object.__setattr__(self, "column_multipliers", tuple(plain["column_multipliers"]))
        if isinstance(plain["solo"], dict):
            unknown = sorted(set(plain["solo"]) - set(SoloRules.__dataclass_fields__))
            if unknown:
                raise RulesError(f"unknown rule solo.{_brief(str(unknown[0]))}")
            object.__setattr__(self, "solo", SoloRules(**plain["solo"]))
        problems = [*self._deck_problems(), *_problems(self)] or self._contradictions()
        if problems:
            raise RulesError("; ".join(problems))

    def _deck_problems(self) -> list[str]:
        numbers = (self.hand_size, self.ranks, self.suits, self.dead_stock)
        if not all(_is_int(number) for number in numbers):
            return []
        needed = 2 * self.hand_size + 1 + self.dead_stock
        if needed < self.ranks * self.suits:
            return []
        return [
            f"not enough cards: hand_size={self.hand_size} and dead_stock={self.dead_stock} need "
            f"more than {needed}, {self.ranks} ranks x {self.suits} suits are "
            f"{self.ranks * self.suits}"
        ]

    def _contradictions(self) -> list[str]:
        problems = []
        if self.hand_size < 7 and self.ranks * self.suits == 52:
            problems.append(f"hand_size={self.hand_size}: fewer than 7 needs a reduced deck")
        if self.spade_multiplier > 1 and self.knock_limit_source == "fixed":
            problems.append("spade_multiplier=2: needs a limit card (knock_limit_source)")
        if self.opening == "eleven_ten" and self.knock_limit_source == "upcard":
            problems.append("knock_limit_source=upcard: opening=eleven_ten turns no upcard")
        if len(self.column_multipliers) != self.columns:
            problems.append(
                f"column_multipliers={list(self.column_multipliers)}: "
                f"expected one for each of {self.columns} columns"
            )
        if self.match_type == "best_of" and self.match_length % 2 == 0:
            problems.append(f"match_length={self.match_length}: best of an odd number")
        if self.columns > 1 and self.match_type == "single_hand":
            problems.append(f"columns={self.columns}: a single hand fills no sheet")
        if self.match_type in ("single_hand", "single_game") and self.match_length != 1:
            problems.append(f"match_length={self.match_length}: {self.match_type} is 1")
        return problems

    @classmethod
    def preset(cls, name: str) -> Rules:
        """Return the rules of a named preset.

        Raises
        ------
        RulesError
            If there is no preset of that name.
        """
        presets = _presets()
        if name not in presets:
            raise RulesError(f"unknown rules {_brief(name)!r}; known: {', '.join(sorted(presets))}")
        return cls(**presets[name]["changes"])

    @staticmethod
    def doc(name: str) -> str:
        """Return the one-line description of a field."""
        return str(Rules.__dataclass_fields__[name].metadata["doc"])

    def replace(self, **changes: Any) -> Rules:
        """Return these rules with some fields changed, checked anew.

        Raises
        ------
        RulesError
            If a field is unknown or the result is illegal.
        """
        for name in changes:
            if name not in Rules.__dataclass_fields__:
                raise RulesError(f"unknown rule {_brief(name)!r}; see 'ginlab rules default' for all")
        return dataclasses.replace(self, **changes)

    def changes(self) -> dict[str, Any]:
        """Return the fields that differ from the preset ``default``, in order."""
        default = Rules()
        return {name: value for name, value in self.to_dict().items() if value != default.to_dict()[name]}

    def to_dict(self) -> dict[str, Any]:
        """Return every field as plain data, in order."""
        plain = dataclasses.asdict(self)
        plain["column_multipliers"] = list(self.column_multipliers)
        return plain

    def canonical(self) -> str:
        """Return the canonical text: every field as JSON, in order, without blanks."""
        return json.dumps(self.to_dict(), separators=(",", ":"))

    @property
    def hash(self) -> str:
        """Twelve hexadecimal digits that name these rules."""
        return hashlib.sha256(self.canonical().encode()).hexdigest()[:12]

    @property
    def deck(self) -> int:
        """The mask of the deck these rules play with."""
        return deck_mask(self.ranks, self.suits)

    def require_two_players(self) -> None:
        """Refuse the one-player game.

        Raises
        ------
        RulesError
            If these are the rules of the solo game.
        """
        if self.solo is not None:
            raise RulesError("solo: a one-player game, see 'ginlab solo'; set solo=null for two players")


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _shown(value: object) -> str:
    if dataclasses.is_dataclass(value):
        return "{...}"
    return _brief(value if isinstance(value, str) else json.dumps(value))


def _brief(text: str) -> str:
    """Return a text for a message: short, and on one line."""
    text = text if len(text) <= 60 else f"{text[:57]}..."
    return text if text.isprintable() else repr(text)[1:-1]


def _problems(rules: Rules | SoloRules) -> list[str]:
    """Check each field by itself: type, choices, range."""
    problems = []
    for name, spec in rules.__dataclass_fields__.items():
        value = getattr(rules, name)
        meta = spec.metadata
        shown = (
            f"{name}={_shown(value) if not isinstance(value, (list, tuple)) else _brief(str(list(value)))}"
        )
        if "choices" in meta:
            if value not in meta["choices"]:
                problems.append(f"{shown}: expected one of {', '.join(meta['choices'])}")
        elif "range" in meta:
            low, high = meta["range"]
            null = " or null" if meta["null"] else ""
            if value is None and meta["null"]:
                continue
            if not _is_int(value) or not low <= value <= high:
                problems.append(f"{shown}: expected a whole number {low}-{high}{null}")
        elif name == "column_multipliers":
            listed = isinstance(value, tuple) and value
            if not listed or not all(_is_int(factor) and 1 <= factor <= 10 for factor in value):
                problems.append(f"{shown}: expected whole numbers 1-10")
        elif name == "solo":
            if value is not None and not isinstance(value, SoloRules):
                problems.append("solo: expected null or an object")
        elif not isinstance(value, bool):
            problems.append(f"{shown}: expected true or false")
    return problems


@functools.cache
def _presets() -> dict[str, dict[str, Any]]:
    text = resources.files("sim").joinpath("presets.json").read_text(encoding="utf-8")
    presets: dict[str, dict[str, Any]] = json.loads(text)
    return presets


def preset_names() -> list[str]:
    """Return the names of all presets, in the order of the reference table."""
    return list(_presets())


def preset_description(name: str) -> str:
    """Return the one-line description of a preset."""
    return str(_presets()[name]["description"])


def parse_overrides(settings: Iterable[str]) -> dict[str, Any]:
    """Read settings such as ``gin_bonus=20`` or ``big_gin_bonus=null``.

    Parameters
    ----------
    settings : iterable of str
        Each ``field=value``; a value is JSON or a bare word.

    Returns
    -------
    dict
        Field names to values, for `Rules.replace`.

    Raises
    ------
    RulesError
        If a setting is not of that form or names a field twice.
    """
    changes: dict[str, Any] = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        name, text = name.strip(), text.strip()
        if not equals or not name or not text:
            raise RulesError(f"{_brief(setting)!r}: expected field=value, such as gin_bonus=20")
        if name in changes:
            raise RulesError(f"{_brief(name)!r} is set twice")
        try:
            changes[name] = json.loads(text)
        except (ValueError, RecursionError):
            changes[name] = text
    return changes


# What kernels read. Codes are positions in the field's list of choices.
OPENING_OFFER, OPENING_ELEVEN, OPENING_FREE = 0, 1, 2
RUNS_LOW, RUNS_HIGH_LOW, RUNS_CORNER = 0, 1, 2
DEALER_RANDOM, DEALER_FIXED = 0, 4
NEXT_ALTERNATE, NEXT_WINNER, NEXT_LOSER, NEXT_RANDOM, NEXT_FIXED = 0, 1, 2, 3, 4
VOID_SAME, VOID_ROTATE, VOID_RANDOM = 0, 1, 2
WALL_VOID, WALL_KNOCK, WALL_PLAY, WALL_RESHUFFLE = 0, 1, 2, 3
LIMIT_FIXED, LIMIT_UPCARD, LIMIT_SEPARATE = 0, 1, 2
ACE_ONE, ACE_GIN = 0, 1
TIE_UNDERCUT, TIE_DEFENDER, TIE_PUSH, TIE_KNOCKER = 0, 1, 2, 3
BOXES_AT_END, BOXES_NOW = 0, 1
SHUTOUT_HANDS, SHUTOUT_NONE, SHUTOUT_FLAT, SHUTOUT_BONUSES, SHUTOUT_TOTAL = 0, 1, 2, 3, 4
MATCH_GAME, MATCH_HAND, MATCH_BEST_OF, MATCH_POINTS = 0, 1, 2, 3
PAYOFF_POINTS, PAYOFF_RLCARD = 0, 1
NO_BIG_GIN = -1

_NOT_RECORDED = ("column_multipliers", "solo")

RULES_DTYPE = np.dtype(
    [
        ("deck", "i8"),
        *((name, "i8") for name in Rules.__dataclass_fields__ if name not in _NOT_RECORDED),
        ("column_multipliers", "i8", (COLUMNS_MAX,)),
    ]
)
"""The rules as kernels read them: one int64 a field, choices as codes, null as -1."""


@functools.cache
def rules_record(rules: Rules) -> Any:
    """Return the rules as the record that kernels read; made once and kept, so that its address stays good.

    Returns
    -------
    numpy.record of `RULES_DTYPE`
    """
    record = np.zeros(1, RULES_DTYPE).view(np.recarray)[0]
    record.deck = rules.deck
    record.column_multipliers[: rules.columns] = rules.column_multipliers
    for name in Rules.__dataclass_fields__:
        if name in _NOT_RECORDED:
            continue
        value = getattr(rules, name)
        meta = Rules.__dataclass_fields__[name].metadata
        if "choices" in meta:
            value = meta["choices"].index(value)
        record[name] = NO_BIG_GIN if value is None else int(value)
    return record
