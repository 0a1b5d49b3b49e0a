"""An opponent whose hand slips: what was seen of him, accepted as probably as he does it.

At each decision (the draw, the knock where one is legal, the discard) he plays as his strategy with
probability 1 - p and otherwise takes any legal action, all alike. What was seen of him is then accepted with
probability 1 - p + p / n, of n legal actions, where his strategy answers the same, and p / n where it does
not, by words that nothing else is drawn from; so the hands in which all is accepted are as likely as he makes
them, and equally heavy. Accepted or not, the hand goes on with what was seen, and his strategy is asked the
next time as it then stands. What it keeps in memory is what it meant to do.

The decisions here ask his strategy and answer what was seen. They find the script where a view has the
address of the rules: it begins with the rules, so whoever reads those there reads the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sim._jit import Record, from_dtype, function_address, function_reader, kernel, popcount, record_reader
from sim.rules import RULES_DTYPE
from sim.run import Player
from sim.streams import absorb, word
from sim.view import DECISION_TYPES, DISCARD, DRAW, KNOCK, discard_rule, draw_rule, knock_rule

SLIPS_DTYPE = np.dtype(
    [
        ("rules", RULES_DTYPE),  # first, see above
        ("decisions", "i8", (3,)),  # addresses of his strategy's draw, knock and discard rule
        ("chance", "f8"),  # p
        ("key", "i8"),  # of the words by which decisions are accepted in this world
        ("turn", "i8"),  # turns of both before this one
        ("takes", "i8"),  # 1 if he was seen to take the upcard in this turn
        ("throws", "i8"),  # the card that he was seen to throw in it, one bit; 0: it is not his
        ("fits", "i8"),  # 1 while all has been accepted
    ],
    align=True,
)
"""What was seen of an opponent in a turn, and how his decisions are accepted."""

SLIPS = from_dtype(SLIPS_DTYPE)

_slips_at = record_reader(SLIPS, SLIPS_DTYPE)
_draw_at = function_reader(DRAW)
_knock_at = function_reader(KNOCK)
_discard_at = function_reader(DISCARD)

_DRAW, _KNOCK, _DISCARD = range(3)
_SLIPS = 2
"""What the words are for: an integer absorbed into the key of a world, beside those of `sim.worlds`."""


@kernel
def begin_slips(slips: Record, key: int) -> None:
    """Begin a world of a key."""
    slips.key = absorb(key, _SLIPS)
    slips.fits = 1


@kernel
def tell_turn(slips: Record, turn: int, takes: bool, throws: int) -> None:
    """Tell what was seen of him in a turn; nothing is taken or thrown in one of the player's."""
    slips.turn = turn
    slips.takes = 1 if takes else 0
    slips.throws = throws


@kernel
def _weigh(slips: Record, kind: int, same: bool, actions: int) -> None:
    """Accept a decision or not, his strategy answering the same or something else."""
    chance = slips.chance / actions
    if same:
        chance += 1.0 - slips.chance
    if word(slips.key, 4 * slips.turn + kind) >= chance * 2.0**63:
        slips.fits = 0


@draw_rule
def _draw_as_seen(view: Record) -> bool:
    """Draw as was seen; in the opening he is asked in a turn that becomes the player's if he passes."""
    slips = _slips_at(view.rules)
    seen = slips.takes == 1
    if slips.fits == 1:
        own = _draw_at(slips.decisions[_DRAW])(view)
        _weigh(slips, _DRAW, own == seen, 2)
    return seen


@knock_rule
def _knock_as_seen(view: Record) -> bool:
    """Let the hand go on, as was seen."""
    slips = _slips_at(view.rules)
    if slips.fits == 1:
        own = _knock_at(slips.decisions[_KNOCK])(view)
        _weigh(slips, _KNOCK, not own, 2)
    return False


@discard_rule
def _throw_as_seen(view: Record) -> int:
    """Throw the card seen; where that cannot be, which no world is that fits, what his strategy throws."""
    slips = _slips_at(view.rules)
    legal = view.hand & ~view.banned
    seen = slips.throws & legal
    if view.ending == 1 or seen == 0:
        slips.fits = 0
    elif slips.fits == 0:
        return seen
    own = _discard_at(slips.decisions[_DISCARD])(view)
    if slips.fits == 0 or own & (own - 1) != 0 or own & legal == 0:
        return own  # an illegal card is the engine's to find
    _weigh(slips, _DISCARD, own == seen, popcount(legal))
    return seen


def new_slips(opponent: Player, rules: Any, chance: float) -> Any:
    """Return the script of an opponent, to stand where his view has the address of the rules.

    Parameters
    ----------
    opponent : Player
    rules : record of `RULES_DTYPE`
    chance : float
        That he does anything at a decision, 0-1.

    Returns
    -------
    recarray of `SLIPS_DTYPE`, shape (1,)
        To be kept as long as the view is used.
    """
    slips = np.zeros(1, SLIPS_DTYPE).view(np.recarray)
    slips["rules"][0] = rules
    slips["chance"] = chance
    own = opponent.decisions[: _DISCARD + 1]
    slips["decisions"][0] = [
        function_address(rule, kind) for rule, kind in zip(own, DECISION_TYPES, strict=False)
    ]
    return slips


def as_seen(opponent: Player) -> tuple[Any, Any, Any, Any]:
    """Return the decisions of an opponent who does what was seen, for `sim.hand.play_hand`."""
    return _draw_as_seen, _knock_as_seen, _throw_as_seen, opponent.decisions[3]


def address_of(slips: Any) -> int:
    """Return the address of a script."""
    return int(slips.__array_interface__["data"][0])
