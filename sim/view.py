"""What a seat may know: the record that every decision of a strategy is handed.

A view holds what its player has seen and nothing else, the rules and scores of the hand, and the
quantities that the engine computes once. It is a record passed by reference, so that ``view.hand`` reads
the same compiled and interpreted. A strategy only reads it, but for ``memory``; the engine keeps its own
account of the cards. Decisions are compiled by the four decorators at the end.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sim._jit import Record, from_dtype, function_type, kernel, record_reader, tuple_type, typed_kernel, types
from sim.layoff import best_layoff, default_arrangement
from sim.rules import RULES_DTYPE, Rules, rules_record
from sim.tables import tables_at, tables_for

PARAMS = 48
"""Parameters a strategy may have, all its parts together."""
MEMORY = 32
"""Words of memory a strategy has in a hand."""
TABLE = 8192
"""Values a knock table may have."""

VIEW_DTYPE = np.dtype(
    [
        ("hand", "i8"),  # own cards: ten at a draw or a spread, eleven at a knock or a discard
        ("upcard", "i8"),  # top of the discard pile at a draw, one bit
        ("drawn", "i8"),  # the card drawn this turn, one bit
        ("from_discard", "i8"),  # 1 if it was the upcard, 0 if it came from the stock
        ("banned", "i8"),  # the card that may not be thrown this turn, one bit; 0: none
        ("pile", "i8"),  # the discard pile, its top included
        ("unseen", "i8"),  # cards in the stock or in the other hand, not known which
        ("known", "i8"),  # cards known to be in the other hand
        ("declined", "i8"),  # upcards that the other player left lying
        ("last_discard", "i8"),  # the other's last discard, one bit; 0 before his first
        ("shown", "i8"),  # own cards that the other knows
        ("left", "i8"),  # upcards that this player left lying
        ("thrown", "i8"),  # own last discard, one bit; 0 before the first
        ("other_turn", "i8"),  # the other's next own turn, from 1
        ("stock", "i8"),  # cards left in the stock
        ("turn", "i8"),  # own turn, from 1; a pass of the opening is no turn
        ("limit", "i8"),  # most deadwood that may knock in this hand; 0 while gin is compulsory
        ("runs_ace", "i8"),  # ace rule: 0 low, 1 high_low, 2 corner
        ("ace_value", "i8"),  # points of an ace
        ("gin_bonus", "i8"),  # points
        ("big_gin_bonus", "i8"),  # points; -1: eleven melded cards count as gin
        ("undercut_bonus", "i8"),  # points
        ("multiplier", "i8"),  # factor on the score of this hand
        ("score", "i8"),  # own points towards the target; of several columns in the first open one
        ("other_score", "i8"),  # the other's
        ("target", "i8"),  # points that end the game, or close a column
        ("boxes", "i8"),  # boxes in the game so far, in the same column
        ("other_boxes", "i8"),  # the other's
        ("dealer", "i8"),  # 1 if this player dealt the hand
        ("best_deadwood", "i8"),  # least deadwood this turn can end with (0 with a big gin)
        ("best_discards", "i8"),  # the discards that reach it
        ("big_gin", "i8"),  # 1 if all eleven cards are melded and big gin is played
        ("ending", "i8"),  # at a discard: 1 if the hand is being ended
        ("random", "i8"),  # uniform on 0 ... 2**63 - 1, another at each decision
        ("tables", "i8"),  # address of the meld tables, for the helpers of `strategies.helpers`
        ("rules", "i8"),  # address of the rules, for `sim.rollout`; 0 in the solo game
        ("policy", "i8", (4,)),  # addresses of the decisions that a strategy plays on with in its thoughts
        ("policy_params", "i8", (4,)),  # where in `params` those of these decisions begin
        ("draw_params", "i8"),  # where in `params` those of the draw rule begin
        ("knock_params", "i8"),  # those of the knock rule; other than 0 in a combined strategy alone
        ("discard_params", "i8"),
        ("spread_params", "i8"),
        ("table_size", "i8"),  # values in `table`
        ("params", "f8", (PARAMS,)),  # the strategy's parameters, in the order of its fields
        ("memory", "i8", (MEMORY,)),  # the strategy's own; zeroed before each hand
        ("table", "f8", (TABLE,)),  # the strategy's table, if it has one
    ],
    align=True,
)

FIXED_FIELDS = (
    "runs_ace", "ace_value", "gin_bonus", "big_gin_bonus", "undercut_bonus", "target", "tables", "rules",
    "policy", "policy_params", "table_size", "draw_params", "knock_params", "discard_params", "spread_params",
)  # fmt: skip
"""Fields that stay as they are all through a run."""

VIEW = from_dtype(VIEW_DTYPE)
RULES = from_dtype(RULES_DTYPE)

rules_at = record_reader(RULES, RULES_DTYPE)
"""Kernel function: the rules at an address, as a view holds it (0 in the solo game)."""

_FLAG, _INT = types.boolean, types.int64

DRAW = KNOCK = function_type(_FLAG, VIEW)
DISCARD = function_type(_INT, VIEW)
SPREAD = function_type(_INT, VIEW, _INT)

DECISION_TYPES = (DRAW, KNOCK, DISCARD, SPREAD)
DECISIONS = tuple_type(*DECISION_TYPES)
"""The compiled decisions of one strategy, as an argument of the engine's kernels."""

LAYOFF = function_type(_INT, VIEW, _INT, _INT)
"""The defender's lay-off rule, as an argument: (view, cards open sets accept, runs) -> cards."""

draw_rule = typed_kernel(_FLAG(VIEW))
"""Decorator: compile ``draw(view) -> bool``, true to take the upcard."""

knock_rule = typed_kernel(_FLAG(VIEW))
"""Decorator: compile ``knock(view) -> bool``, asked when the hand can legally be ended."""

discard_rule = typed_kernel(_INT(VIEW))
"""Decorator: compile ``discard(view) -> mask``, the one-bit mask of the card thrown."""

spread_rule = typed_kernel(_INT(VIEW, _INT))
"""Decorator: compile ``spread(view, k) -> index``, which of k least-deadwood arrangements to show."""


@spread_rule
def default_spread_rule(view: Record, k: int) -> int:
    """Show the arrangement on which the fewest pips that the other may hold can be laid off."""
    return default_arrangement(view.hand, view.unseen | view.known, tables_at(view.tables))


@typed_kernel(_INT(VIEW, _INT, _INT))
def joint_layoff(view: Record, open_cards: int, runs: int) -> int:
    """Defend as well as can be: melds and lay-offs chosen together."""
    return best_layoff(view.hand, open_cards, runs, tables_at(view.tables))


def new_views(rules: Rules) -> Any:
    """Return the views of both sides with everything that the rules decide filled in.

    Parameters
    ----------
    rules : Rules
        Of two players.

    Returns
    -------
    numpy.recarray of `VIEW_DTYPE`, shape (2,)
        Side A, side B.
    """
    record = rules_record(rules)
    views = np.zeros(2, VIEW_DTYPE).view(np.recarray)
    views.limit = record.knock_limit  # a limit card sets another, hand by hand
    views.multiplier = 1
    views.target = record.game_target
    for name in ("runs_ace", "ace_value", "gin_bonus", "big_gin_bonus", "undercut_bonus"):
        views[name] = record[name]
    # Tables and rules are kept for the life of the process, so the addresses stay good.
    views.tables = tables_for(rules).__array_interface__["data"][0]
    views.rules = record.__array_interface__["data"][0]
    return views


@kernel
def start_view(view: Record, deck: int, upcard: int, deals: bool, limit: int, multiplier: int) -> None:
    """Fill in what a player knows when a hand is dealt; his cards are in the view already.

    What a turn fills in is cleared, so that nothing of the last hand can be read.
    """
    view.limit = limit
    view.multiplier = multiplier
    view.upcard = upcard
    view.pile = upcard
    view.unseen = deck & ~(view.hand | upcard)
    view.known = 0
    view.declined = 0
    view.last_discard = 0
    view.shown = 0
    view.left = 0
    view.thrown = 0
    view.other_turn = 1
    view.turn = 1
    view.dealer = 1 if deals else 0
    view.drawn = 0
    view.from_discard = 0
    view.banned = 0
    view.best_deadwood = 0
    view.best_discards = 0
    view.big_gin = 0
    view.ending = 0
    for i in range(MEMORY):
        view.memory[i] = 0
