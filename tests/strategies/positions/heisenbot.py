"""Positions of heisenbot: low upcards and triangles, classes of discards, a knock by stages."""

from __future__ import annotations

from tests.strategies.position import discard, draw, knock

TWO_MELDS = "2S 3S 4S 6H 6D 6C TD JD KS KC"
THREE_MELDS = "2S 3S 4S 6H 6D 6C TD JD QD KC"
KINGS = "AS 2S 3S 7H 7D 7C KS KH 9D 4C"
TENS = "AS 2S 3S 7H 7D 7C KS QH JD TC"
TRIANGLE = "AC 2C 3C 4S 4H 4D KS KH QS 8D"
"""With the 9D: two melds, a triangle of king, king and queen, and a double."""

POSITIONS = [
    draw("heisenbot", TWO_MELDS, "QD", "take", "a meld, later than any triangle counts", turn=9),
    draw("heisenbot", "4S 5S 5H 5D 9H 9C 9D KS KH KC", "6S", "take", "4-5-6 is a meld, though it costs",
         turn=9, unlike=("gold", "marjj")),
    draw("heisenbot", "2S 3S 4S 6H 6D 6C TD JD QD AC", "2C", "take", "a two in any case, even for nothing",
         turn=9, unlike=("gold", "simple", "heisenbot(low=1)")),
    draw("heisenbot", TWO_MELDS, "3H", "leave", "33 for 40, but a three is not low enough",
         unlike=("gold", "heisenbot(low=3)")),
    draw("heisenbot", TWO_MELDS, "TH", "take", "TD TH JD: a pair and a neighbour in suit", turn=4,
         unlike=("gold", "simple", "marjj")),
    draw("heisenbot", TWO_MELDS, "TH", "leave", "triangles are drawn for on turns 1-4", turn=5,
         unlike="heisenbot(triangle_turn=6)"),
    draw("heisenbot", TWO_MELDS, "QC", "take", "KS KC QC, the JC may still come from his hand", known="JC",
         unlike="gold"),
    draw("heisenbot", TWO_MELDS, "TH", "leave", "9D and QD are gone: TD JD is no double", pile="9D QD"),
    draw("heisenbot", TWO_MELDS, "TH", "leave", "TS and TC are gone: the tens are no double", pile="TS TC"),
    draw("heisenbot", TWO_MELDS, "8D", "leave", "8D TD are no neighbours, and no pair", unlike="gold"),
    draw("heisenbot", "2S 3S 4S 6H 6D 6C TD JD QD 7C", "7D", "leave",
         "7C 7D, but the sixes beside them are melded"),
    draw("heisenbot", TWO_MELDS, "AH", "leave", "an ace of 15 is not low", preset="round_the_corner",
         unlike="heisenbot(low=15)"),
    knock("heisenbot", THREE_MELDS, "9H", "knock", "turn 3 is early", turn=3, unlike=("gin_only", "gold(8)")),
    knock("heisenbot", THREE_MELDS, "9H", "go on", "9 points in one card: wait", turn=4,
          unlike=("gold", "two_stage", "marjj(knock_turns=4)", "heisenbot(loose=1)", "heisenbot(points=9)")),
    knock("heisenbot", THREE_MELDS, "9H", "go on", "turn 13 is not late yet", turn=13, unlike="gold"),
    knock("heisenbot", THREE_MELDS, "9H", "knock", "turn 14 is late", turn=14,
          unlike=("marjj", "two_stage", "heisenbot(late=14)")),
    knock("heisenbot", THREE_MELDS, "5H", "knock", "5 points are low enough", turn=7,
          unlike=("marjj", "two_stage", "heisenbot(points=4)")),
    knock("heisenbot", "2S 3S 4S 5S 6H 6D 6C AC 3D 4H", "KC", "knock", "8 points in three cards: gin is far",
          turn=7, unlike=("marjj", "two_stage", "heisenbot(loose=4)")),
    knock("heisenbot", THREE_MELDS, "9H", "go on", "30 points ahead he waits for gin",
          score=60, other_score=30, unlike=("gold", "marjj", "heisenbot(gap=31)")),
    knock("heisenbot", THREE_MELDS, "9H", "go on", "30 points behind as well", score=30, other_score=60,
          unlike=("gold", "marjj")),
    knock("heisenbot", THREE_MELDS, "9H", "knock", "29 points are no gap", score=59, other_score=30),
    knock("heisenbot", THREE_MELDS, "5S", "knock", "gin whatever the score", score=90, turn=9),
    discard("heisenbot", KINGS, "5C", "9D", "kings and 4C 5C are doubles, the nine is single",
            unlike=("gold", "heisenbot(double_turn=1)")),
    discard("heisenbot", KINGS, "5C", "KH", "turn 8, all alike: a king has 2 melds, 5C 3, 4C 4, 9D 5",
            turn=8, unlike=("marjj", "heisenbot(double_turn=9)")),
    discard("heisenbot", TENS, "2D", "2D",
            "melds he could make: with 2D 3 (a set, two runs), KS 4, QH 5, JD and TC 6",
            unlike=("gold", "marjj")),
    discard("heisenbot", TENS, "2D", "KS", "without the QS: 3 each with KS, QH and 2D: the highest rank",
            pile="QS", unlike="gold"),
    discard("heisenbot", TRIANGLE, "9D", "9D", "a double before a triangle; 4 melds each: the higher",
            unlike=("gold", "marjj")),
    discard("heisenbot", TRIANGLE, "9D", "QS", "the JS is gone: KS QS is no double, and the queen single",
            pile="JS", unlike="gold"),
    discard("heisenbot", "AC 2C 3C 4C 9S 9H 9D 9C KS KH", "QS", "KS",
            "nothing but a triangle: he could meld KS once (a set), KH twice, QS four times", unlike="gold"),
    discard("heisenbot", "AS 2S 3S 7H 7D 7C KS KH 4C 5C", "9D", "KH",
            "the single nine may not go back: of the doubles a king", taken=True),
    discard("heisenbot", THREE_MELDS, "2H", "2H", "he could meld the two in 3 ways, the king in 4",
            unlike=("gold", "marjj")),
    discard("heisenbot", THREE_MELDS, "2H", "KC", "to knock, the king goes", ending=True, turn=1),
    discard("heisenbot", "2S 3S 4S 5S 6H 6D 6C TD JD QD", "KD", "KD", "all melded: the highest for gin",
            unlike="simple"),
    # In a combined strategy each rule finds its own parameters.
    draw("combine(draw=heisenbot(low=3), knock=marjj, discard=heisenbot)", TWO_MELDS, "3H", "take",
         "heisenbot's draw of cards up to three points", unlike="heisenbot"),
    discard("combine(draw=marjj, knock=heisenbot, discard=heisenbot(double_turn=1))", KINGS, "5C", "KH",
            "heisenbot's discard with doubles as single cards", unlike="heisenbot"),
]  # fmt: skip
