"""A slow, obviously right oracle for melds, lay-offs and scores. It shares no code with ``sim``.

A card is a pair ``(rank, suit)`` of small integers, a hand or a meld a frozenset of cards. Every
question is answered by listing all possibilities and taking the best, so nothing here knows about
suit tables, ranks worth a choice or tie-breaking tricks. Only ``to_mask`` and ``from_mask`` know the
engine's card layout, because that layout is a published contract (bit ``16 * suit + rank``).

Rules are passed as plain values: ``ace`` is the ace rule in runs (``"low"``, ``"high_low"``,
``"corner"``), ``ace_value`` the points of an ace, and for scores a mapping of rule fields.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import combinations
from typing import NamedTuple

RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
SUITS = ("S", "H", "D", "C")
ACE_RULES = ("low", "high_low", "corner")

Card = tuple[int, int]
Cards = frozenset[Card]
Meld = Cards

DECK: Cards = frozenset((rank, suit) for rank in range(13) for suit in range(4))

# ---------------------------------------------------------------- cards


def card(text: str) -> Card:
    """Read one card, rank then suit: ``AS``, ``10h``, ``Td``."""
    rank, suit = text[:-1].upper(), text[-1].upper()
    return RANKS.index("10" if rank == "T" else rank), SUITS.index(suit)


def cards(text: str) -> Cards:
    """Read cards that are separated by blanks."""
    listed = [card(word) for word in text.split()]
    assert len(set(listed)) == len(listed), f"duplicate card in {text!r}"
    return frozenset(listed)


def melds(text: str) -> tuple[Meld, ...]:
    """Read melds that are separated by ``|``."""
    return tuple(cards(part) for part in text.split("|") if part.strip())


def show(hand: Iterable[Card]) -> str:
    """Write cards in suit order S H D C, by rank within a suit."""
    names = []
    for rank, suit in sorted(hand, key=lambda one: (one[1], one[0])):
        names.append(("T" if RANKS[rank] == "10" else RANKS[rank]) + SUITS[suit])
    return " ".join(names)


def to_mask(hand: Iterable[Card]) -> int:
    """Return the engine's integer for some cards: bit ``16 * suit + rank`` for each."""
    return sum(2 ** (16 * suit + rank) for rank, suit in hand)


def from_mask(mask: int) -> Cards:
    """Return the cards of the engine's integer; bits that are no card are an error."""
    found = frozenset(one for one in DECK if mask // 2 ** (16 * one[1] + one[0]) % 2)
    assert to_mask(found) == mask, f"{mask:#x} has bits that are no card"
    return found


def pip(one: Card, ace_value: int = 1) -> int:
    """Return the points of one card: faces and ten 10, ace by the rule, others their number."""
    rank = one[0]
    return ace_value if rank == 0 else min(rank + 1, 10)


def pips(hand: Iterable[Card], ace_value: int = 1) -> int:
    """Return the points of some cards."""
    return sum(pip(one, ace_value) for one in hand)


# ---------------------------------------------------------------- melds


@cache
def all_melds(ace: str = "low") -> tuple[Meld, ...]:
    """List every meld of the 52 cards: sets of 3 or 4, runs of 3 or more of one suit.

    ``low``: the ace only before the 2. ``high_low``: also after the king, but a run never goes on
    from there. ``corner``: ranks form a ring, so K-A-2 is a run.
    """
    found: set[Meld] = set()
    for rank in range(13):
        for size in (3, 4):
            for suits in combinations(range(4), size):
                found.add(frozenset((rank, suit) for suit in suits))
    for suit in range(4):
        for start in range(13):
            for length in range(3, 14):
                places = range(start, start + length)  # place 13 is the ace above the king
                last = {"low": 12, "high_low": 13, "corner": 25}[ace]
                if places[-1] <= last:
                    run = frozenset((place % 13, suit) for place in places)
                    if len(run) == length:  # never the same ace at both ends
                        found.add(run)
    return tuple(sorted(found, key=lambda meld: sorted(meld)))


@cache
def meld_table(ace: str = "low") -> frozenset[Meld]:
    """Return the melds as a set, to ask whether some cards are one meld."""
    return frozenset(all_melds(ace))


def is_set(meld: Meld) -> bool:
    """Tell a set from a run: all its cards have one rank."""
    return len({rank for rank, _ in meld}) == 1


@lru_cache(maxsize=100_000)
def melds_in(hand: Cards, ace: str = "low") -> tuple[Meld, ...]:
    """List the melds that lie wholly in some cards."""
    return tuple(meld for meld in all_melds(ace) if meld <= hand)


def choices(hand: Cards, ace: str = "low") -> Iterator[tuple[Meld, ...]]:
    """Yield every way to lay disjoint melds from a hand, also none, each way once."""

    def extend(left: Cards, rest: tuple[Meld, ...]) -> Iterator[tuple[Meld, ...]]:
        yield ()
        for place, meld in enumerate(rest):
            if meld <= left:
                for more in extend(left - meld, rest[place + 1 :]):
                    yield (meld, *more)

    return extend(hand, melds_in(hand, ace))


def left_after(hand: Cards, laid: Iterable[Meld]) -> Cards:
    """Return the cards of a hand that are in none of the melds laid."""
    return hand.difference(*laid)


def deadwood(hand: Cards, ace: str = "low", ace_value: int = 1) -> int:
    """Return the least deadwood of some cards, over every way to meld them."""
    return min(pips(left_after(hand, laid), ace_value) for laid in choices(hand, ace))


def least_choices(hand: Cards, ace: str = "low", ace_value: int = 1) -> list[tuple[Meld, ...]]:
    """List every way to meld that leaves the least deadwood (a run of six also as 3 + 3)."""
    ways = [(pips(left_after(hand, laid), ace_value), laid) for laid in choices(hand, ace)]
    least = min(points for points, _ in ways)
    return [laid for points, laid in ways if points == least]


class Form(NamedTuple):
    """What tells two arrangements apart once runs are made as long as they can be."""

    sets: int  # mask of the cards melded in sets
    leftover: int  # mask of the deadwood


def form(hand: Cards, laid: Sequence[Meld]) -> Form:
    """Return the form of one way to meld a hand."""
    in_sets = [one for meld in laid if is_set(meld) for one in meld]
    return Form(to_mask(in_sets), to_mask(left_after(hand, laid)))


def forms(hand: Cards, ace: str = "low", ace_value: int = 1) -> list[Form]:
    """List the distinct forms of the least-deadwood arrangements, lowest mask of sets first."""
    return sorted({form(hand, laid) for laid in least_choices(hand, ace, ace_value)})


def discard_deadwoods(
    hand: Cards, banned: Cards = frozenset(), ace: str = "low", ace_value: int = 1
) -> dict[Card, int]:
    """Return for each card that may be thrown the least deadwood of the cards kept.

    A way to meld the cards kept is a way to meld all cards in which the thrown card is left over,
    so one listing of the whole hand serves every discard.
    """
    best = {one: pips(hand, ace_value) for one in hand - banned}
    for laid in choices(hand, ace):
        left = left_after(hand, laid)
        points = pips(left, ace_value)
        for one in left - banned:
            best[one] = min(best[one], points - pip(one, ace_value))
    return best


def best_discards(
    hand: Cards, banned: Cards = frozenset(), ace: str = "low", ace_value: int = 1
) -> tuple[int, Cards]:
    """Return the least deadwood after a discard and every card whose discard reaches it."""
    after = discard_deadwoods(hand, banned, ace, ace_value)
    least = min(after.values())
    return least, frozenset(one for one, points in after.items() if points == least)


def legal_knocks(
    hand: Cards, limit: int, banned: Cards = frozenset(), ace: str = "low", ace_value: int = 1
) -> dict[Card, int]:
    """Return the discards with which a player may knock, with the deadwood each leaves."""
    after = discard_deadwoods(hand, banned, ace, ace_value)
    return {one: points for one, points in after.items() if points <= limit}


# ---------------------------------------------------------------- lay-offs


def lay(spread: Sequence[Meld], one: Card, place: int, ace: str = "low") -> tuple[Meld, ...] | None:
    """Return the spread after one card is laid on one meld, or None where that is no meld."""
    grown = spread[place] | {one}
    if one in spread[place] or grown not in meld_table(ace):
        return None
    return (*spread[:place], grown, *spread[place + 1 :])


def could_be_laid(loose: Cards, spread: Sequence[Meld], ace: str = "low") -> Cards:
    """Return every card of ``loose`` that some chain of lay-offs, all from ``loose``, can reach."""
    reached: set[Card] = set()
    for meld in spread:
        waiting = [meld]
        seen = {meld}
        while waiting:
            grown = waiting.pop()
            for one in loose:
                after = lay((grown,), one, 0, ace)
                if after is not None:
                    reached.add(one)
                    if after[0] not in seen:
                        seen.add(after[0])
                        waiting.append(after[0])
    return frozenset(reached)


def most_laid(loose: Cards, spread: tuple[Meld, ...], ace: str = "low", ace_value: int = 1) -> int:
    """Return the most points of ``loose`` that can be laid off, trying every order and place."""
    known: dict[tuple[Cards, tuple[Meld, ...]], int] = {}

    def best(left: Cards, melds_now: tuple[Meld, ...]) -> int:
        key = (left, melds_now)
        if key not in known:
            points = 0
            for one in left:
                for place in range(len(melds_now)):
                    after = lay(melds_now, one, place, ace)
                    if after is not None:
                        gain = pip(one, ace_value) + best(left - {one}, after)
                        points = max(points, gain)
            known[key] = points
        return known[key]

    return best(loose, spread)


def defence(
    hand: Cards,
    spread: Sequence[Meld],
    ace: str = "low",
    ace_value: int = 1,
    layoffs: bool = True,
) -> int:
    """Return the defender's least deadwood: every way to meld, then every way to lay off."""
    if not layoffs:
        return deadwood(hand, ace, ace_value)
    spread = tuple(spread)
    useful = could_be_laid(hand, spread, ace)
    laid_off: dict[Cards, int] = {}
    least = pips(hand, ace_value)
    for laid in choices(hand, ace):
        left = left_after(hand, laid)
        loose = left & useful
        if loose not in laid_off:
            laid_off[loose] = most_laid(loose, spread, ace, ace_value)
        least = min(least, pips(left, ace_value) - laid_off[loose])
    return least


def layable(loose: Cards, spread: Sequence[Meld], ace: str = "low") -> set[Cards]:
    """Return every group of cards out of ``loose`` that can be laid off together, one by one."""
    waiting: list[tuple[Cards, tuple[Meld, ...]]] = [(frozenset(), tuple(spread))]
    seen = set(waiting)
    while waiting:
        gone, now = waiting.pop()
        for one in loose - gone:
            for place in range(len(now)):
                after = lay(now, one, place, ace)
                state = (gone | {one}, after) if after is not None else None
                if state is not None and state not in seen:
                    seen.add(state)
                    waiting.append(state)
    return {gone for gone, _ in seen}


def defence_by_groups(hand: Cards, spread: Sequence[Meld], ace: str = "low", ace_value: int = 1) -> int:
    """Return the same as ``defence``, the other way about: first which cards go, then the melds.

    Few groups of cards fit a spread, so this is quick enough for a hundred thousand pairs.
    """
    lefts = {left_after(hand, laid) for laid in choices(hand, ace)}
    useful = could_be_laid(hand, spread, ace)
    return min(
        pips(left - gone, ace_value)
        for gone in layable(useful, spread, ace)
        for left in lefts
        if gone <= left
    )


def play_layoffs(
    spread: Sequence[Meld], order: Iterable[tuple[Card, int]], ace: str = "low"
) -> tuple[Meld, ...]:
    """Lay cards off one by one as reported; a card that does not fit when its turn comes fails."""
    now = tuple(spread)
    for one, place in order:
        after = lay(now, one, place, ace)
        assert after is not None, f"{show([one])} does not fit {show(now[place])}"
        now = after
    return now


def spread_costs(hand: Cards, unseen: Cards, ace: str = "low", ace_value: int = 1) -> list[tuple[int, Form]]:
    """Return for every least-deadwood way to meld the pips that could be laid off, and its form.

    The cost counts each unseen card once, chains included (rules, section C, duty (e)).
    """
    found = []
    for laid in least_choices(hand, ace, ace_value):
        cost = pips(could_be_laid(unseen, laid, ace), ace_value)
        found.append((cost, form(hand, laid)))
    return sorted(found)


def default_spread(hand: Cards, unseen: Cards, ace: str = "low", ace_value: int = 1) -> Form:
    """Return the knocker's default spread: least cost, then the lowest mask of melded sets."""
    return spread_costs(hand, unseen, ace, ace_value)[0][1]


def default_melds(hand: Cards, unseen: Cards, ace: str = "low", ace_value: int = 1) -> tuple[Meld, ...]:
    """Return the melds of the default spread with runs as long as possible (fewest melds)."""
    wanted = default_spread(hand, unseen, ace, ace_value)
    ways = [way for way in least_choices(hand, ace, ace_value) if form(hand, way) == wanted]
    return min(ways, key=lambda way: (len(way), [sorted(meld) for meld in way]))
