"""Worlds that fit all that a player has seen of a hand, weighed by how its opponent plays.

A world is the opponent's first hand and the order of the stock. Worlds in which the cards seen lie where they
were seen are drawn uniformly: each card that the opponent was the first to show lies in his first hand or is
one of his draws from the stock up to that throw, so the cards are put, earliest throw first, into a random
free one of these places. The places of an earlier throw are among those of a later one, so the number of free
ones never depends on where the others lie, and no world is favoured. All other places take the cards that
nobody has seen.

In each world the engine plays the hand again from the deal, the opponent by his own strategy with random
words of the world's own, the player as he did. A world in which the opponent does anything else than was seen
is thrown away, unless his hand may slip (`sim.slips`): the rest are as probable as he makes them, and equally
heavy. In them the hand is played on from the player's decision (`CHOICES`), with the same cards and words for
each choice; from then on the opponent plays as his strategy, without slips.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from sim._jit import (
    Array,
    Record,
    from_dtype,
    function_constant,
    int64,
    kernel,
    typed_kernel,
    types,
)
from sim.deal import HAND, MAX_TURNS, start_hand
from sim.faults import failure_text, fault_text, holding
from sim.game import begin_hand, start_game
from sim.hand import play_hand
from sim.rules import Rules
from sim.run import Player, RunError, Table
from sim.scoring import GOING, NOBODY
from sim.slips import SLIPS, address_of, as_seen, begin_slips, new_slips, tell_turn
from sim.streams import absorb, below
from sim.tables import MELDS
from sim.threads import MAX_THREADS
from sim.view import (
    DECISIONS,
    DISCARD,
    DRAW,
    KNOCK,
    LAYOFF,
    MEMORY,
    RULES,
    VIEW,
    discard_rule,
    draw_rule,
    knock_rule,
)

ME, OPPONENT = 0, 1
"""Sides of the hand that is played again."""

CHOICES = ("knock", "once", "gin")
"""Knock now; decline now, then by one's own rule; decline now and never knock short of gin."""
TAKE_IT, ONCE, FOR_GIN = range(len(CHOICES))

WORLDS_AT_ONCE, THINKING_AT_ONCE = 2**15, 2**8
"""Worlds drawn in a piece of work; fewer where a side plays on in thought, a millisecond or two a world."""
LAST_WORLD = 2**40
"""Worlds are numbered below this."""

PAST_DTYPE = np.dtype(
    [
        ("hand", "i8"),  # the player's first cards
        ("upcard", "i8"),  # the first upcard, one bit; 0: none is turned
        ("limit_card", "i8"),  # the card that sets the limit, one bit; 0: the rules fix it
        ("dealer", "i8"),  # side
        ("eleventh", "i8"),  # 1 if who acts first was dealt his first draw
        ("turns", "i8"),  # turns played before the one in which the player decides
        ("side", "i1", (MAX_TURNS,)),  # of each turn
        ("from_discard", "i1", (MAX_TURNS,)),  # 1 if the upcard was taken
        # The card drawn from the stock: its bit, for the opponent the number of the place it was put in.
        ("drawn", "i1", (MAX_TURNS,)),
        (
            "discard",
            "i8",
            (MAX_TURNS,),
        ),  # one bit; those of the last turn, which is being played, are not used
        ("last_drawn", "i8"),  # the card that the player has just drawn, one bit
        ("places", "i8"),  # the opponent's: of his first hand, then one for each draw from the stock
        ("shown", "i8"),  # cards that he was the first to show
        ("shown_bits", "i1", (52,)),  # their bits, in the order of throws
        ("shown_room", "i1", (52,)),  # of each, the number of the places in which it may have been
        ("unseen", "i8"),  # cards that nobody has shown and the player does not hold
        ("unseen_bits", "i1", (52,)),  # their bits
    ],
    align=True,
)
"""What a player has seen of a hand up to his decision. A bit of a card is its number in a mask."""

WORLD_DTYPE = np.dtype(
    [
        ("world", "i8"),  # its number
        ("hand", "i8"),  # the opponent's cards when the player decides
        ("discard", "i8", (len(CHOICES),)),  # what the player throws now, one bit; 0 with a big gin
        ("points", "i2", (len(CHOICES),)),  # of the hand: the player's less the opponent's
        ("winner", "i1", (len(CHOICES),)),  # side that wins the box, -1: nobody
        ("ending", "i1", (len(CHOICES),)),  # code of `sim.scoring.ENDINGS`
        ("boxes", "i1", (len(CHOICES),)),  # of the winner
    ]
)
"""A world that fits, and how the hand ends in it, by `CHOICES`."""

PAST, _WORLD = from_dtype(PAST_DTYPE), from_dtype(WORLD_DTYPE)

_TAKES, _THROWS = MEMORY - 2, MEMORY - 1
"""Words of the player's memory that tell a scripted turn what to do; empty when his strategy is asked."""


# --- a scripted player ---------------------------------------------------------------------------


@draw_rule
def _draw_as_told(view: Record) -> bool:
    """Take the upcard if told, and forget it."""
    told = view.memory[_TAKES]
    view.memory[_TAKES] = 0
    return told == 1


@discard_rule
def _throw_as_told(view: Record) -> int:
    """Throw the card told, and forget it.

    Where the opponent passes the first upcard that he took, the turn is the player's, who was told nothing;
    he throws any card, and the world does not fit.
    """
    card = view.memory[_THROWS]
    view.memory[_THROWS] = 0
    left = view.hand & ~view.banned
    return card if card else left & -left


@knock_rule
def _end(view: Record) -> bool:
    """End the hand."""
    return True


@knock_rule
def _go_on(view: Record) -> bool:
    """Let the hand go on."""
    return False


_draw_rule = function_constant(_draw_as_told, DRAW)
_throw_rule = function_constant(_throw_as_told, DISCARD)
_end_rule = function_constant(_end, KNOCK)
_go_on_rule = function_constant(_go_on, KNOCK)


# --- worlds --------------------------------------------------------------------------------------


@kernel
def draw_world(past: Record, key: int, places: Array, cards: Array) -> int:
    """Draw a world that fits the cards seen, uniformly.

    Parameters
    ----------
    past : record of `PAST_DTYPE`
    key : int
        Decides the world.
    places : ndarray of int8, shape (128,)
        Filled in with the bit of the card in each of the opponent's places.
    cards : ndarray of int8, shape (52,)
        Filled in with the bits of the unseen cards, those in his places first; the rest are the stock that
        nobody has drawn, in an order that is still to be shuffled.

    Returns
    -------
    int
        How many of ``cards`` lie in his places.
    """
    for place in range(past.places):
        places[place] = -1
    for i in range(past.unseen):
        cards[i] = past.unseen_bits[i]
    for shown in range(past.shown):
        left = below(key, shown, past.shown_room[shown] - shown)
        place = 0
        while left > 0 or places[place] >= 0:
            if places[place] < 0:
                left -= 1
            place += 1
        places[place] = past.shown_bits[shown]
    used = 0
    for place in range(past.places):
        if places[place] < 0:
            chosen = used + below(key, past.shown + used, past.unseen - used)
            card = cards[chosen]
            cards[chosen] = cards[used]
            cards[used] = card
            places[place] = card
            used += 1
    return used


@kernel
def _lay_next(state: Record, bit: int) -> None:
    """Lay a card where the next one is dealt from, the shuffle being done as cards are dealt."""
    if state.place < 52:
        state.deck[state.place + below(state.key, state.place, 52 - state.place)] = bit


@kernel
def _lay_stock(state: Record, past: Record, cards: Array, used: int) -> None:
    """Lay the rest of the stock, the card that the player draws now where it is dealt next."""
    kept = -1
    if past.from_discard[past.turns] == 0 and (past.turns > 0 or past.eleventh == 0):
        _lay_next(state, past.drawn[past.turns])
        kept = state.place + below(state.key, state.place, 52 - state.place)
    for place in range(state.place, 52):
        if place != kept:
            state.deck[place] = cards[used]
            used += 1


@kernel
def _play_past(
    past: Record, slips: Record, key: int, places: Array, cards: Array, state: Record, view_a: Record,
    view_b: Record, rules: Record, melds: Record, a: Any, b: Any, layoff: Any,
) -> bool:  # fmt: skip
    """Play the turns that were seen in a world; tell whether the opponent does in them what he did."""
    begin_slips(slips, key)
    used = draw_world(past, key, places, cards)
    hand = 0
    for place in range(rules.hand_size):
        hand |= 1 << int64(places[place])
    view_a.hand = past.hand
    view_b.hand = hand
    state.upcard = past.upcard
    state.limit_card = past.limit_card
    state.allowed = rules.deck
    if past.eleventh == 1:
        bit = places[rules.hand_size] if past.dealer == ME else past.drawn[0]
        state.drawn = 1 << int64(bit)
    start_hand(state, view_a, view_b, rules, absorb(key, 0), 0, 0, past.dealer)
    state.key = absorb(key, 1)
    state.place = 52 - state.stock
    script = (_draw_rule(), _go_on_rule(), _throw_rule(), a[3])
    for turn in range(past.turns):
        side = past.side[turn]
        from_discard = past.from_discard[turn]
        bit = cards[used] if used < past.unseen else past.unseen_bits[0]
        if side == ME:
            view_a.memory[_TAKES] = from_discard
            view_a.memory[_THROWS] = past.discard[turn]
            if from_discard == 0:
                bit = past.drawn[turn]
        elif from_discard == 0:
            bit = places[past.drawn[turn]]
        _lay_next(state, bit)
        tell_turn(slips, turn, side != ME and from_discard == 1, 0 if side == ME else past.discard[turn])
        play_hand(state, view_a, view_b, rules, melds, script, b, layoff, turn + 1)
        if (
            state.fault != 0
            or slips.fits == 0
            or state.ending != GOING
            or state.turns != turn + 1
            or state.player == side
            or state.from_discard != from_discard
            or state.discard != past.discard[turn]
        ):
            return False
    _lay_stock(state, past, cards, used)
    return True


@kernel
def _plays_now(past: Record, state: Record) -> bool:
    """Tell whether the turn that has just ended the hand, or not, was the player's, as it was drawn.

    In the opening the opponent may have been asked before.
    """
    mine = state.player == OPPONENT if state.ending == GOING else state.player == ME
    return (
        mine
        and state.turns == past.turns + 1
        and state.drawn == past.last_drawn
        and state.from_discard == past.from_discard[past.turns]
    )


@typed_kernel(
    types.int64(
        types.int64, types.int64, types.int64, PAST, SLIPS, types.int8[::1], types.int8[::1],
        types.Array(_WORLD, 1, "C"), VIEW, VIEW, HAND, RULES, MELDS, DECISIONS, KNOCK, DECISIONS, DECISIONS,
        LAYOFF,
    )
)  # fmt: skip
def _try_worlds(
    seed: int,
    first: int,
    count: int,
    past: Record,
    slips: Record,
    places: Array,
    cards: Array,
    worlds: Array,
    view_a: Record,
    view_b: Record,
    state: Record,
    rules: Record,
    melds: Record,
    a: Any,
    gin: Any,
    b: Any,
    seen_b: Any,
    layoff: Any,
) -> int:
    """Draw worlds ``first`` ... and write those that fit; return how many do, or -1 at a fault.

    The opponent plays the turns that were seen by ``seen_b``, which is ``b`` where he never slips, and then
    goes on by ``b``.
    """
    found = 0
    for index in range(first, first + count):
        key = absorb(seed, index)
        row = worlds[found]
        for choice in range(3):
            if not _play_past(
                past, slips, key, places, cards, state, view_a, view_b, rules, melds, a, seen_b, layoff
            ):
                break
            row.hand = view_b.hand
            view_a.memory[_TAKES] = past.from_discard[past.turns]
            now = _end_rule() if choice == TAKE_IT else _go_on_rule()
            first_turn = (_draw_rule(), now, a[2], a[3])
            tell_turn(slips, past.turns, False, 0)
            play_hand(state, view_a, view_b, rules, melds, first_turn, seen_b, layoff, past.turns + 1)
            if state.fault != 0 or slips.fits == 0 or not _plays_now(past, state):
                break
            row.discard[choice] = state.discard
            after = (a[0], gin if choice == FOR_GIN else a[1], a[2], a[3])
            play_hand(state, view_a, view_b, rules, melds, after, b, layoff, MAX_TURNS)
            if state.fault != 0:
                break
            sign = 0 if state.winner == NOBODY else 1 - 2 * state.winner
            row.points[choice] = sign * state.points
            row.winner[choice] = state.winner
            row.ending[choice] = state.ending
            row.boxes[choice] = state.boxes if state.winner != NOBODY else 0
            if choice == 2:
                row.world = index
                found += 1
        if state.fault != 0:
            return -1
    return found


# --- library -------------------------------------------------------------------------------------


class Tried(NamedTuple):
    """Worlds that were drawn.

    Attributes
    ----------
    tried : int
        How many.
    worlds : recarray of `WORLD_DTYPE`, shape (fitting,)
        Those that fit.
    """

    tried: int
    worlds: Any


class _Worker:
    """One thread's table."""

    def __init__(
        self, me: Player, gin: Any, opponent: Player, rules: Rules, past: Any, seed: int, scores: Any,
        slips: float,
    ) -> None:  # fmt: skip
        self.table = Table(me, opponent, rules, seed, scores, int(past.dealer))
        self.slips = new_slips(opponent, self.table.rules, slips)
        self.seen = opponent.decisions
        if slips > 0:
            self.seen = as_seen(opponent)
            self.table.views[OPPONENT].rules = address_of(self.slips)
            self.table.fix_settings()
        self.past = past
        self.gin = gin
        self.places, self.cards = np.zeros(128, np.int8), np.zeros(52, np.int8)
        table = self.table
        start_game(table.game, seed, 0, 0, table.rules)
        begin_hand(table.game, table.hand, table.views[0], table.views[1], table.rules)  # enters the scores

    def play(self, first: int, count: int) -> Tried:
        table = self.table
        worlds: Any = np.zeros(count, WORLD_DTYPE).view(np.recarray)
        me, opponent = table.players
        place = f"in a world that fits (seed {table.seed})"
        try:
            found = _try_worlds(
                table.seed, first, count, self.past, self.slips[0], self.places, self.cards, worlds,
                table.views[0], table.views[1], table.hand, table.rules, table.melds, me.decisions, self.gin,
                opponent.decisions, self.seen, table.layoff,
            )  # fmt: skip
        except Exception as error:
            keys = table.hand.decisions
            text = failure_text(error, place, table.views, keys, table.players, table.melds)
            raise RunError(text) from error
        if found < 0:
            side = int(table.hand.player)
            raise RunError(
                f"{table.players[side].name} {fault_text(table.hand)}, {place}, {holding(table.views[side])}"
            )
        table.check_views()
        return Tried(count, worlds[:found].copy())


def fitting_worlds(
    me: Player,
    opponent: Player,
    rules: Rules,
    past: Any,
    *,
    gin: Any,
    tries: int,
    seed: int = 0,
    threads: int = 1,
    scores: tuple[int, int] = (0, 0),
    slips: float = 0.0,
) -> Iterator[Tried]:
    """Draw worlds some at a time, in order, and yield those that fit with what each choice brings in them.

    Parameters
    ----------
    me, opponent : Player
        How the player goes on, and how the opponent has played and goes on.
    rules : Rules
        Of two players.
    past : record of `PAST_DTYPE`
        What the player has seen.
    gin : function
        The compiled knock rule that ends a hand with gin only.
    tries : int
        Worlds drawn in all, at most `LAST_WORLD`.
    seed : int
        World ``i`` is a function of the seed, ``past`` and ``i``.
    threads : int
        Threads to play in; what comes out does not depend on it.
    scores : tuple of int
        Points of the player and the opponent before the hand.
    slips : float
        Probability, 0-1, that the opponent has taken any legal action at a decision (`sim.slips`).

    Yields
    ------
    Tried
        Of `WORLDS_AT_ONCE` worlds (`THINKING_AT_ONCE`); fewer in the last.

    Raises
    ------
    RunError
        If a strategy breaks the rules or its code fails.
    RulesError, ValueError
        If an argument is out of range.
    """
    if not 1 <= tries <= LAST_WORLD:
        raise ValueError(f"tries {tries}: expected 1-{LAST_WORLD}")
    if not 1 <= threads <= MAX_THREADS:
        raise ValueError(f"threads {threads}: expected 1-{MAX_THREADS}")
    if not 0 <= slips <= 1:
        raise ValueError(f"slips {slips}: expected 0-1")
    at_once = WORLDS_AT_ONCE if me.policy is None and opponent.policy is None else THINKING_AT_ONCE
    count = min(threads, -(-tries // at_once))
    workers = [_Worker(me, gin, opponent, rules, past, seed, scores, slips) for _ in range(count)]
    starts = iter(range(0, tries, at_once))
    waiting: deque[tuple[_Worker, Future[Tried]]] = deque()
    with ThreadPoolExecutor(len(workers)) as pool:

        def begin(worker: _Worker) -> None:
            if (start := next(starts, None)) is not None:
                count = min(at_once, tries - start)
                waiting.append((worker, pool.submit(worker.play, start, count)))

        for worker in workers:
            begin(worker)
        while waiting:
            worker, work = waiting.popleft()
            done = work.result()
            begin(worker)
            yield done
