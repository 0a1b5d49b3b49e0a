"""Every deal of a little deck in a fixed order, played by the slow simulator.

The deck is 3 suits x 4 ranks, hands of 3, dead stock 2. Only who holds what and the order of the other
six cards matter, so there are 12! / (3! 3!) = 13,305,600 deals. The rules are `RULES`, under which
every ending but `capped` occurs; side B deals and side A acts first.

The order. Cards are numbered 0 ... 11 suit by suit, spades first, ranks from the ace. Combinations and
permutations are counted in lexicographic order of card numbers. Deal number ``index`` has

- ``pair, shift = divmod(index, 720)`` and ``a, b = divmod(pair, 84)``;
- hand A: combination ``a`` of 3 out of the 12 cards;
- hand B: combination ``b`` of 3 out of the 9 cards left;
- the other six cards: permutation ``(shift + pair) % 720`` of them; the first is the upcard, the
  others are the stock from the top.

Without the turn by ``pair`` every sixth deal would always have its last three cards in rising order.

The players, both without memory or luck:

- `Quick`, side A. Draw: take the upcard iff it lies in any meld of the hand and that card. Knock:
  always when asked. Discard: of the cards whose discard leaves the least deadwood (not the card just
  taken from the pile), the one of the lowest mask.
- `Gold` with a threshold of 0, side B. Draw: take the upcard iff the least deadwood after a discard
  other than that card is strictly lower than the least deadwood of the hand. Knock: iff the least
  deadwood this turn can end with is 0 (so it is with a big gin). Discard: of the best discards as
  above, the one of most pips, ties to the highest mask.

Both spread and lay off as the rules say by default. Run it as ``python -m tests.enumerate_small_deck``:
it plays every sixth deal here and with the engine, stops at the first that differs, and prints, for each
ending and who ended the hand, how many deals and points there are. All 2,217,600 agree.
"""

from __future__ import annotations

import argparse
import itertools
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

from tests import naive, naive_score
from tests.naive import Card
from tests.naive_game import Gold, Hand, Info

CHANGES: dict[str, Any] = {
    "hand_size": 3,
    "ranks": 4,
    "suits": 3,
    "dead_stock": 2,
    "knock_limit": 6,
    "big_gin_bonus": 31,
    "tie_rule": "push",
    "layoff_on_gin": True,
    "gin_vs_zero": "no_score",
}
RULES = naive_score.complete(CHANGES)
"""The rules of the enumeration: `CHANGES` to the defaults."""

CARDS: tuple[Card, ...] = tuple((rank, suit) for suit in range(3) for rank in range(4))
MASKS = tuple(naive.to_mask([one]) for one in CARDS)
ORDERS = tuple(itertools.permutations(range(6)))
HANDS_A = tuple(itertools.combinations(range(12), 3))
HANDS_B = tuple(itertools.combinations(range(9), 3))
DEALS = len(HANDS_A) * len(HANDS_B) * len(ORDERS)

DEALER = 1  # side B
STEP = 6


def numbers(index: int) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Return the card numbers of both hands and of the other six cards in order."""
    pair, shift = divmod(index, len(ORDERS))
    a, b = divmod(pair, len(HANDS_B))
    hand_a = HANDS_A[a]
    rest = [card for card in range(12) if card not in hand_a]
    hand_b = tuple(rest[place] for place in HANDS_B[b])
    left = [card for card in rest if card not in hand_b]
    order = ORDERS[(shift + pair) % len(ORDERS)]
    return hand_a, hand_b, tuple(left[place] for place in order)


def deal(index: int) -> tuple[int, int, list[int]]:
    """Return the masks of both hands and of the other six cards in order: upcard, then stock."""
    hand_a, hand_b, order = numbers(index)
    return sum(MASKS[one] for one in hand_a), sum(MASKS[one] for one in hand_b), [MASKS[one] for one in order]


@dataclass(frozen=True)
class Quick:
    """Takes what melds, knocks at once, throws the lowest card among the best."""

    def draw(self, info: Info) -> bool:
        """Take the upcard iff it lies in a meld of hand and card."""
        assert info.upcard is not None
        melds = naive.melds_in(info.hand | {info.upcard}, info.rules["runs_ace"])
        return any(info.upcard in meld for meld in melds)

    def knock(self, info: Info) -> bool:
        """Knock."""
        return True

    def discard(self, info: Info) -> Card:
        """Keep the least deadwood and throw the lowest mask."""
        least = min(info.after.values())
        return min(
            (one for one in info.after if info.after[one] == least), key=lambda one: naive.to_mask([one])
        )


PLAYERS = (Quick(), Gold(0))


def naive_hand(index: int) -> Hand:
    """Play one deal and return the finished hand."""
    hand_a, hand_b, order = numbers(index)
    packets = frozenset(CARDS[one] for one in hand_a), frozenset(CARDS[one] for one in hand_b)
    upcard, *stock = (CARDS[one] for one in order)
    return Hand(PLAYERS, packets, upcard, stock, DEALER, RULES).play()


def naive_small_deals(start: int = 0, stop: int = DEALS, step: int = STEP) -> list[tuple[str, int, int]]:
    """Play deals ``start``, ``start + step`` ... below ``stop``.

    Returns
    -------
    list of tuple
        For each the ending, the side that ended the hand (-1: nobody) and the points of the winner.
    """
    found = []
    for index in range(start, stop, step):
        hand = naive_hand(index)
        found.append((hand.ending, -1 if hand.knocker is None else hand.knocker, hand.points))
    return found


def compare(start: int, stop: int, step: int) -> Counter[tuple[str, int, int]]:
    """Play deals with this simulator and with the engine; count them if every one agrees.

    Raises
    ------
    AssertionError
        Naming the first deal that differs.
    """
    from sim.scoring import ENDINGS
    from tests.small_deck_engine import play_deals

    told = naive_small_deals(start, stop, step)
    for number, (ending, knocker, points) in enumerate(play_deals(start, stop, step).tolist()):
        found = (ENDINGS[ending], knocker, points)
        assert found == told[number], (start + number * step, found, told[number])
    return Counter(told)


def _block(span: tuple[int, int, int]) -> Counter[tuple[str, int, int]]:
    return compare(*span)


def main() -> None:
    """Play a part of the deals on all processes and print the counts."""
    parser = argparse.ArgumentParser(description="Play the deals of a little deck with the slow simulator.")
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--stop", type=int, default=DEALS)
    parser.add_argument("--step", type=int, default=STEP)
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    began = time.perf_counter()
    size = given.step * 5_000
    spans = [(low, min(low + size, given.stop), given.step) for low in range(given.start, given.stop, size)]
    totals: Counter[tuple[str, int, int]] = Counter()
    with ProcessPoolExecutor(given.processes) as pool:
        for part in pool.map(_block, spans):
            totals.update(part)
    kinds: Counter[tuple[str, int]] = Counter()
    points: Counter[tuple[str, int]] = Counter()
    for (ending, knocker, gain), count in totals.items():
        kinds[ending, knocker] += count
        points[ending, knocker] += count * gain
    for ending, knocker in sorted(kinds):
        who = "AB-"[knocker]
        print(f"{ending:14} {who} {kinds[ending, knocker]:10} {points[ending, knocker]:12}")
    print(f"{'all':16} {sum(kinds.values()):10} {sum(points.values()):12}")
    print(f"{time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
