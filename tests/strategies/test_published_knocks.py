"""The tables of knock probabilities, and which cell a position is in."""

from __future__ import annotations

import pytest

from sim.cards import cards_of, parse_cards
from sim.rules import Rules
from strategies.base import parse_strategy
from tests.strategies.seat import Seat


def always(seen: int, points: int, unmatchable: int) -> bool | None:
    """Tell whether percent_twenty knocks; None for sometimes."""
    if points == 0:
        return True
    if seen < 15:
        if points == 3:
            return None
        return points >= 6 or (points in (4, 5) and unmatchable <= 2)
    if seen < 20:
        return points >= 6
    if seen < 25:
        return points >= 6 and unmatchable >= (0, 1, 1, 1, 2)[points - 6]
    if seen < 30:
        return (6 <= points <= 9 and unmatchable >= 2) or (points == 10 and unmatchable == 3)
    return seen < 35 and points == 6 and unmatchable >= 2


@pytest.mark.parametrize("sometimes", [0.5, 0.125])
def test_percent_twenty(sometimes: float) -> None:
    table = parse_strategy(f"percent_twenty({sometimes})").table()
    assert table.shape == (6, 11, 4)
    for row, seen in enumerate((10, 15, 20, 25, 30, 35)):
        for points in range(11):
            for unmatchable in range(4):
                knocks = always(seen, points, unmatchable)
                assert table[row, points, unmatchable] == (sometimes if knocks is None else knocks)


HANDS = {  # leftover cards that nothing would meld, and the deadwood, once the QC is thrown
    0: ("2S 3S 4S 6H 6D 6C TD JD QD 8H", 8),
    1: ("2S 3S 4S 6H 6D 6C TD JD QD 9H", 9),
    2: ("2S 3S 4S 5S TD JD QD KD 9H AC", 10),
    3: ("7S 8S 9S TS KH KD KC AH 4D 5C", 10),
}


@pytest.mark.parametrize("unmatchable", HANDS)
def test_the_cell_of_percent_twenty(unmatchable: int) -> None:
    """Whatever is seen: the one cell that says so is the one looked at."""
    hand, points = HANDS[unmatchable]
    seat = Seat("percent_twenty")
    mine = parse_cards(f"{hand} QC")
    # The 7H, which would meld the 8H of the first hand, is the last to be seen.
    others = [card for card in cards_of(Rules().deck & ~mine) if card != parse_cards("7H")]
    for seen in range(11, 51):
        seat.see(hand)
        seat.view.pile = sum(others[: (seen - 11) // 2])
        seat.view.known = sum(others[(seen - 11) // 2 : seen - 11])
        seat.view.unseen = Rules().deck & ~(mine | int(seat.view.pile) | int(seat.view.known))
        seat.drew("QC")
        assert seat.view.best_deadwood == points
        table = seat.view.table
        table[:] = 0
        assert not seat.knock(0)
        table[(min(seen // 5 - 2, 5) * 11 + points) * 4 + unmatchable] = 1
        assert seat.knock(2**63 - 1)


@pytest.mark.parametrize("last", ["", "5C", "9H", "AH", "TH", "KS"])
@pytest.mark.parametrize("taken", [False, True])
def test_the_cell_of_goldstein(last: str, taken: bool) -> None:
    seat = Seat("goldstein")
    for drawn in range(31):
        column = next(i for i, most in enumerate((0, 4, 8, 10, 31)) if drawn <= most)
        for own, points in (("9C", 9), ("2H", 2), ("AD", 1)):
            seat.see("2S 3S 4S 6H 6D 6C TD JD QD KC", last, stock=31 - drawn - (not taken))
            seat.drew(own)
            seat.view.from_discard = int(taken)
            table = seat.view.table
            table[:] = 0
            assert not seat.knock(0)
            ten = last[:1] in ("T", "K")
            table[(ten * 11 + points) * 5 + column] = 1
            assert seat.knock(2**63 - 1), (drawn, points)


@pytest.mark.parametrize(
    ("preset", "first"), [("seven_card", 37), ("rlcard", 31), ("bga_oklahoma", 31), ("standard", 31)]
)
def test_cards_of_the_stock_at_first(preset: str, first: int) -> None:
    """None is drawn before the first turn, whatever the size of the hands and of the deck."""
    rules = Rules.preset(preset)
    seat = Seat("goldstein", rules)
    hand = "2S 3S 4S 6H 6D 6C" + (" KD" if rules.hand_size == 7 else " TD JD QD KC")
    for before in (0, 1):
        seat.see(hand, "5C", stock=first - 1 - before).drew("9C")
        seat.view.table[:] = 0
        seat.view.table[9 * 5 + before] = 1
        assert seat.knock(0)


def test_goldstein_means() -> None:
    """What the published table comes to: he hardly knocks, but at once after a ten."""
    table = parse_strategy("goldstein").table()
    assert table.shape == (2, 11, 5)
    assert (table[:, 0] == 1).all() and ((table >= 0) & (table <= 1)).all()
    assert table[0, 1:].max() == 0.21 and table[0, 8, 0] == 0.21
    assert table[1, 2, 0] == table[1, 9, 0] == 1 and table[1, 8, 1] == 0.42
    assert not table[1, 1].any() and not table[1, 3:5].any() and not table[:, 1:, 4].any()
    assert table[0, 1:].sum().round(2) == 1.35 and table[1, 1:].sum().round(2) == 4.11
