"""Positions of gold: take what lowers deadwood, throw the highest of the best, knock at a threshold."""

from __future__ import annotations

from tests.strategies.position import discard, draw, knock

TWO_MELDS = "2S 3S 4S 6H 6D 6C TD JD KS KC"
THREE_MELDS = "2S 3S 4S 6H 6D 6C TD JD QD KC"

POSITIONS = [
    draw("gold", TWO_MELDS, "QD", "take", "a third meld: 40 points become 10", pile="9H"),
    draw("gold", TWO_MELDS, "AH", "take", "no meld, but an ace in place of a king is 31 for 40",
         unlike="simple"),
    draw("gold", TWO_MELDS, "KH", "take", "three kings: 40 become 10 by throwing a ten"),
    draw("gold", TWO_MELDS, "QC", "leave", "a queen for a king is 40 for 40: deadwood must fall"),
    draw("gold", "4S 5S 5H 5D 9H 9C 9D KS KH KC", "6S", "leave",
         "4-5-6 breaks the fives: 5 or more points in place of 4", unlike="simple"),
    draw("gold", "7S 8S 9S TS 2H 2D 2C 4H 4D 4C", "6S", "leave", "nothing is less than 0, though it melds",
         unlike="simple"),
    knock("gold", THREE_MELDS, "9H", "knock", "9 points, the threshold is 10",
          unlike=("gin_only", "gold(threshold=8)", "gold(10, hold_for_gin=true)")),
    knock("gold(8)", THREE_MELDS, "9H", "go on", "9 points are over a threshold of 8",
          unlike=("gold", "simple", "threshold(9)")),
    knock("gold(10, hold_for_gin=true)", THREE_MELDS, "AH", "go on", "1 point is no gin", unlike="gold"),
    knock("gold(0)", THREE_MELDS, "5S", "knock", "all ten kept are melded: gin"),
    discard("gold", "AS 2S 3S 7H 7D 7C KS QH JD TC", "2D", "TC",
            "four tens leave the same: the latest suit goes", unlike="simple"),
    discard("gold", "AS 2S 3S 7H 7D 7C KS KH 9D 4C", "5C", "KH",
            "the pair of kings is worth nothing to him: of the two the later suit", unlike="simple"),
    discard("gold", "AS 2S 3S 7H 7D 7C 9S 8H 6D 4C", "KC", "9S", "the king he took may not go back",
            taken=True),
    discard("gold", "2S 3S 4S 5S 6H 6D 6C TD JD QD", "KD", "KD",
            "all melded: 2S, 5S, TD or KD can go; KD is the highest", unlike="simple"),
]  # fmt: skip
"""What it draws, when it knocks, what it throws."""
