"""Worlds that fit what a player knows, and the hand played on in them.

A world is a hand for the other player and an order of the stock, with every card where it is known to be:
any such world alike (`deal_world`), or those that a plain player would have come to (`likely_world`). The
hand is played on by `sim.hand.play_hand`, so every rule holds; its side 0 is the player whose view it is.

For kernels, in this order: `list_unknown` once a decision, a world, and in it for each action
`set_out`, then one of the functions that say what is done first, then `play_on` and `result`.
"""

from __future__ import annotations

from sim._jit import (
    Array,
    Record,
    function_constant,
    function_reader,
    int64,
    kernel,
    lowest_bit_index,
    popcount,
    record_maker,
)
from sim.deadwood import best_discard, highest_card
from sim.deal import (
    DRAWN,
    FORCED_STOCK,
    HAND_DTYPE,
    LAST_DISCARD,
    MAX_TURNS,
    NORMAL,
    OFFER_FIRST,
    OFFER_SECOND,
    clear_record,
)
from sim.hand import play_hand
from sim.rules import OPENING_OFFER
from sim.scoring import NOBODY
from sim.streams import absorb, below
from sim.tables import tables_at
from sim.view import (
    DISCARD,
    DRAW,
    KNOCK,
    LAYOFF,
    MEMORY,
    PARAMS,
    SPREAD,
    VIEW_DTYPE,
    discard_rule,
    joint_layoff,
    knock_rule,
    rules_at,
)

new_hands = record_maker(HAND_DTYPE)
new_rollout_views = record_maker(VIEW_DTYPE)

_draw_at = function_reader(DRAW)
_knock_at = function_reader(KNOCK)
_discard_at = function_reader(DISCARD)
_spread_at = function_reader(SPREAD)

ME, OTHER = 0, 1
"""Sides of the hand that is played on."""

_FORCED = MEMORY - 1
"""The word of memory that carries the card to be thrown, until it is thrown."""


@knock_rule
def _end(view: Record) -> bool:
    """End the hand."""
    return True


@knock_rule
def _go_on(view: Record) -> bool:
    """Let the hand go on."""
    return False


@discard_rule
def _throw(view: Record) -> int:
    """Throw the card that was told, and forget it."""
    card = view.memory[_FORCED]
    view.memory[_FORCED] = 0
    return card


_end_rule = function_constant(_end, KNOCK)
_go_on_rule = function_constant(_go_on, KNOCK)
_throw_rule = function_constant(_throw, DISCARD)
_layoff_rule = function_constant(joint_layoff, LAYOFF)


# --- worlds --------------------------------------------------------------------------------------


@kernel
def list_unknown(view: Record, places: Array) -> tuple[int, int]:
    """List the bits of the unseen cards; return how many there are and how many the other holds of them.

    Parameters
    ----------
    view : record of `VIEW_DTYPE`
    places : ndarray of int8, shape (52,)
        Filled in from the start, lowest bit first.
    """
    cards = view.unseen
    count = 0
    while cards:
        places[count] = lowest_bit_index(cards)
        cards &= cards - 1
        count += 1
    return count, rules_at(view.rules).hand_size - popcount(view.known)


MAX_TRIES = 16
"""Worlds drawn until one fits the other's last turn; the last is kept as it is."""
_DRAWS = 64
"""The first word of a world's key that draws for the other; those below deal his hand and the stock."""


@kernel
def deal_world(view: Record, places: Array, count: int, held: int, key: int) -> int:
    """Draw a world, uniformly: shuffle the cards that the other holds to the front and return his hand.

    The rest of ``places`` is the stock, shuffled with the same key when it is dealt. Any order of
    ``places`` may be shuffled on, so worlds are drawn one after another from the same list.
    """
    hand = view.known
    for place in range(held):
        chosen = place + below(key, place, count - place)
        card = places[chosen]
        places[chosen] = places[place]
        places[place] = card
        hand |= 1 << int64(card)
    return hand


@kernel
def _play_up(view: Record, places: Array, count: int, held: int, key: int, hand: int, draws: int) -> int:
    """Let the other draw so often and throw the highest of the best discards back; return his hand."""
    melds = tables_at(view.tables)
    for draw in range(draws):
        place = held + below(key, _DRAWS + draw, count - held)
        drawn = 1 << int64(places[place])
        _, cards = best_discard(hand | drawn, view.known, melds)
        thrown = highest_card(cards, view.ace_value)
        if thrown != drawn:
            hand ^= drawn | thrown
            bit = lowest_bit_index(thrown)
            for i in range(held):
                if places[i] == bit:
                    places[i] = places[place]
                    places[place] = bit
    return hand


@kernel
def likely_world(view: Record, places: Array, count: int, held: int, key: int) -> int:
    """Draw a world in which the other has played as well as a plain player, and return his hand.

    Drawn uniformly, his hand would be as poor as one just dealt. Here he has drawn as many more unseen cards
    as he has had turns, less those that are known to be his, and thrown the highest of the best discards back
    each time; and a world is drawn again, `MAX_TRIES` times at most, unless his last discard is then among
    the best and leaves him more than the knock limit.
    """
    draws = max(0, view.other_turn - 1 - popcount(view.known)) if count > held else 0
    hand = 0
    melds = tables_at(view.tables)
    for attempt in range(MAX_TRIES):
        word = absorb(key, attempt)
        hand = deal_world(view, places, count, held, word)
        hand = _play_up(view, places, count, held, word, hand, draws)
        if view.last_discard == 0:
            break
        left, cards = best_discard(hand | view.last_discard, 0, melds)
        if cards & view.last_discard and left > view.limit:
            break
    return hand


# --- setting out ---------------------------------------------------------------------------------


@kernel
def start_views(view: Record, views: Array) -> None:
    """Fill in what stays the same through all worlds of a decision; both sides follow the view's policy.

    Parameters
    ----------
    view : record of `VIEW_DTYPE`
        The player's.
    views : array of `VIEW_DTYPE`, shape (2,)
        For him and the other.
    """
    for side in range(2):
        copy = views[side]
        copy.multiplier = view.multiplier
        copy.runs_ace = view.runs_ace
        copy.ace_value = view.ace_value
        copy.gin_bonus = view.gin_bonus
        copy.big_gin_bonus = view.big_gin_bonus
        copy.undercut_bonus = view.undercut_bonus
        copy.target = view.target
        copy.tables = view.tables
        copy.rules = view.rules
        copy.draw_params = view.policy_params[0]
        copy.knock_params = view.policy_params[1]
        copy.discard_params = view.policy_params[2]
        copy.spread_params = view.policy_params[3]
        for i in range(4):  # a policy has no policy of its own
            copy.policy[i] = 0
            copy.policy_params[i] = 0
        for i in range(PARAMS):
            copy.params[i] = view.params[i]
        for i in range(view.table_size):
            copy.table[i] = view.table[i]
        copy.table_size = view.table_size
    views[ME].score = views[OTHER].other_score = view.score
    views[ME].other_score = views[OTHER].score = view.other_score
    views[ME].boxes = views[OTHER].other_boxes = view.boxes
    views[ME].other_boxes = views[OTHER].boxes = view.other_boxes
    views[ME].dealer = view.dealer
    views[OTHER].dealer = 1 - view.dealer


@kernel
def _see(view: Record, copy: Record) -> None:
    """Let a view show what another one does, its memory empty."""
    copy.hand = view.hand
    copy.limit = view.limit  # a rollout that ended with a compulsory gin has lowered it
    copy.upcard = view.upcard
    copy.pile = view.pile
    copy.stock = view.stock
    copy.unseen = view.unseen
    copy.known = view.known
    copy.declined = view.declined
    copy.last_discard = view.last_discard
    copy.turn = view.turn
    copy.drawn = view.drawn
    copy.from_discard = view.from_discard
    copy.banned = view.banned
    copy.best_deadwood = view.best_deadwood
    copy.best_discards = view.best_discards
    copy.big_gin = view.big_gin
    copy.ending = view.ending
    for i in range(MEMORY):
        copy.memory[i] = 0


@kernel
def set_out(
    view: Record,
    views: Array,
    hands: Array,
    places: Array,
    held: int,
    key: int,
    yours: int,
) -> None:
    """Set out the position of a view in a world, the player to act, before he draws.

    Parameters
    ----------
    view : record of `VIEW_DTYPE`
        The player's; asked at a draw, or after it (the card drawn is then laid aside).
    views : array of `VIEW_DTYPE`, shape (2,)
        Started by `start_views`.
    hands : array of `HAND_DTYPE`, shape (1,)
    places, held, key : ndarray of int8, int, int
        The world, see `deal_world`.
    yours : int
        The other's hand.
    """
    state = hands[0]
    rules = rules_at(view.rules)
    state.place = 52 - view.stock
    for i in range(view.stock):
        state.deck[state.place + i] = places[held + i]
    state.key = key
    state.limit_card = 0
    state.limit = view.limit
    state.multiplier = view.multiplier
    state.decisions[ME] = absorb(key, ME)
    state.decisions[OTHER] = absorb(key, OTHER)
    state.allowed = rules.deck
    state.stock = view.stock
    state.upcard = view.upcard
    state.pile = view.pile
    state.phase = NORMAL
    state.player = ME
    state.drawn = 0
    state.take_at = 0  # the policy knocks as it answers
    clear_record(state)
    _see(view, views[ME])
    other = views[OTHER]
    _see(view, other)  # pile, upcard, stock and limit are the same for both
    other.drawn = 0
    other.from_discard = 0
    other.banned = 0
    other.best_deadwood = 0
    other.best_discards = 0
    other.big_gin = 0
    other.ending = 0
    other.hand = yours
    other.unseen = rules.deck & ~(yours | view.pile | view.shown)
    other.known = view.shown
    other.declined = view.left
    other.last_discard = view.thrown
    other.turn = view.other_turn


# --- what is done first --------------------------------------------------------------------------


@kernel
def draw_phase(view: Record) -> int:
    """Tell from a view that is asked to draw where the hand stands: a phase of `sim.deal`."""
    rules = rules_at(view.rules)
    if view.turn == 1 and view.last_discard == 0 and rules.opening == OPENING_OFFER:
        return OFFER_SECOND if view.dealer else OFFER_FIRST
    return LAST_DISCARD if view.stock <= rules.dead_stock else NORMAL


@kernel
def begin_with_upcard(views: Array, hands: Array) -> None:
    """Let the player take the upcard first."""
    state = hands[0]
    card = state.upcard
    state.phase = DRAWN
    state.drawn = card
    state.from_discard = 1
    state.streak = 1
    state.upcard_draws[ME] = 1
    state.pile ^= card
    views[ME].pile = views[OTHER].pile = state.pile
    views[OTHER].known |= card


@kernel
def begin_without_upcard(views: Array, hands: Array, phase: int) -> None:
    """Let the player leave the upcard first: pass, or draw; left on the last discard, the hand is over."""
    state = hands[0]
    if phase == OFFER_FIRST or phase == OFFER_SECOND:
        views[OTHER].declined |= state.upcard
        state.phase = phase + 1
        state.player = OTHER
    else:
        state.phase = phase if phase == LAST_DISCARD else FORCED_STOCK


@kernel
def begin_after_draw(view: Record, views: Array, hands: Array) -> None:
    """Let the player draw first what he has drawn: for a view that is asked to knock or to discard."""
    state = hands[0]
    state.phase = DRAWN
    state.drawn = view.drawn
    state.from_discard = view.from_discard
    views[ME].hand = view.hand & ~view.drawn


# --- playing on ----------------------------------------------------------------------------------


@kernel
def play_on(view: Record, views: Array, hands: Array) -> None:
    """Play the hand to its end, both sides by the policy."""
    policy = (
        _draw_at(view.policy[0]),
        _knock_at(view.policy[1]),
        _discard_at(view.policy[2]),
        _spread_at(view.policy[3]),
    )
    play_hand(
        hands[0], views[ME], views[OTHER], rules_at(view.rules), tables_at(view.tables), policy, policy,
        _layoff_rule(), MAX_TURNS,
    )  # fmt: skip


@kernel
def play_turn(view: Record, views: Array, hands: Array, ends: bool, card: int) -> None:
    """Play the player's turn: end the hand or not, and throw a card, the policy's where ``card`` is 0."""
    views[ME].memory[_FORCED] = card
    knock = _end_rule() if ends else _go_on_rule()
    discard = _throw_rule() if card else _discard_at(view.policy[2])
    policy = (
        _draw_at(view.policy[0]),
        _knock_at(view.policy[1]),
        _discard_at(view.policy[2]),
        _spread_at(view.policy[3]),
    )
    play_hand(
        hands[0], views[ME], views[OTHER], rules_at(view.rules), tables_at(view.tables),
        (policy[0], knock, discard, policy[3]), policy, _layoff_rule(), 1,
    )  # fmt: skip


@kernel
def result(hands: Array) -> int:
    """Return the player's signed points of a hand that has been played to its end; 0 when nobody won."""
    state = hands[0]
    if state.fault:
        raise ValueError("the policy of the rollouts breaks the rules")
    if state.winner == NOBODY:
        return 0
    return state.points if state.winner == ME else -state.points


# --- asking the policy itself --------------------------------------------------------------------


@kernel
def _present(view: Record, views: Array) -> None:
    """Let the policy see what the view shows now."""
    start_views(view, views)
    _see(view, views[ME])
    views[ME].random = view.random


@kernel
def ask_draw(view: Record, views: Array) -> bool:
    """Return the policy's draw decision, its memory empty."""
    _present(view, views)
    return _draw_at(view.policy[0])(views[ME])


@kernel
def ask_knock(view: Record, views: Array) -> bool:
    """Return the policy's knock decision, its memory empty."""
    _present(view, views)
    return _knock_at(view.policy[1])(views[ME])


@kernel
def ask_discard(view: Record, views: Array) -> int:
    """Return the policy's discard, its memory empty."""
    _present(view, views)
    return _discard_at(view.policy[2])(views[ME])
