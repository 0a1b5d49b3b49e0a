"""The rules of the solo game: what they must leave alone, and the record that its kernels read.

Rules: RULES, section A3.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from sim._jit import from_dtype
from sim.rules import Rules, RulesError, SoloRules
from sim.view import new_views

_WITHOUT_MEANING = {
    **dict.fromkeys(("first_dealer", "next_dealer", "void_dealer"), "nobody deals"),
    "opening": "solo.start says how a hand begins",
    **dict.fromkeys(
        ("knock_limit_source", "oklahoma_ace", "spade_multiplier", "spade_doubles_boxes"),
        "no card sets the limit",
    ),
    "wall_rule": "nobody is left to take the last discard",
    "big_gin_bonus": "eleven melded cards are gin",
    **dict.fromkeys(
        ("layoff_on_gin", "gin_vs_zero", "undercut_bonus", "tie_rule", "extra_boxes_undercut"),
        "there is no defender",
    ),
    **dict.fromkeys(
        (
            "gin_bonus", "extra_boxes_gin", "extra_boxes_big_gin", "game_bonus", "box_bonus", "box_timing",
            "shutout", "shutout_flat", "shutout_test",
        ),
        "no bonuses are paid",
    ),
    **dict.fromkeys(("columns", "column_multipliers"), "the score sheet has one column"),
    **dict.fromkeys(("match_type", "match_length"), "single games are played"),
    "payoff": "points are played for",
}  # fmt: skip
"""Fields that say nothing in the solo game, with the reason: they must stay as `_NEUTRAL` has them."""

_NEUTRAL = Rules(gin_bonus=0, undercut_bonus=0, game_bonus=0, box_bonus=0, shutout="none")


def require_solo(rules: Rules) -> SoloRules:
    """Return the solo rules of these rules, if they can be played.

    Raises
    ------
    RulesError
        If these are rules for two players, or a field is set that means nothing in the solo game; all
        such fields are named.
    """
    if rules.solo is None:
        raise RulesError("solo=null: a game for two players, see 'ginlab match'; 'bga_solo' is for one")
    problems = [
        f"{name}={_plain(given)}: the solo game has {_plain(needed)}, {reason}"
        for name, reason in _WITHOUT_MEANING.items()
        if (given := getattr(rules, name)) != (needed := getattr(_NEUTRAL, name))
    ]
    if problems:
        raise RulesError("; ".join(problems))
    return rules.solo


def _plain(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


_OF_RULES = ("hand_size", "may_discard_taken", "dead_stock", "knock_limit", "gin_compulsory", "game_target")

SOLO_RULES_DTYPE = np.dtype(
    [("deck", "i8"), *((name, "i8") for name in (*_OF_RULES, *SoloRules.__dataclass_fields__))]
)
"""The rules as the solo kernels read them: one int64 a field, choices as codes."""

SOLO_RULES = from_dtype(SOLO_RULES_DTYPE)

BEFORE_DEAL = 1  # of solo.jokers_enter
ELEVEN = 1  # of solo.start
ANY_DISCARD = 1  # of solo.draw_from_discard
BOTH_HIGHER, BOTH_PLAYER, BOTH_JOKER = 0, 1, 2  # of solo.both_reach_target


def solo_record(rules: Rules) -> Any:
    """Return the rules as the record that the solo kernels read.

    Returns
    -------
    numpy.record of `SOLO_RULES_DTYPE`

    Raises
    ------
    RulesError
        As `require_solo`.
    """
    solo = require_solo(rules)
    record = np.zeros(1, SOLO_RULES_DTYPE).view(np.recarray)[0]
    record.deck = rules.deck
    for name in _OF_RULES:
        record[name] = int(getattr(rules, name))
    for name, spec in SoloRules.__dataclass_fields__.items():
        value = getattr(solo, name)
        record[name] = spec.metadata["choices"].index(value) if "choices" in spec.metadata else int(value)
    return record


def new_solo_view(rules: Rules) -> Any:
    """Return the player's view with everything that the rules decide filled in.

    Returns
    -------
    numpy.recarray of `VIEW_DTYPE`, shape (1,)
    """
    require_solo(rules)
    views = new_views(rules.replace(solo=None))[:1]
    views.rules = 0  # nobody holds other cards, so there are no worlds to play on in
    return views
