"""Positions of marjj: what melds and lowers, a throw by look-ahead and danger, early knocks."""

from __future__ import annotations

from tests.strategies.position import discard, draw, knock

TWO_MELDS = "2S 3S 4S 6H 6D 6C TD JD KS KC"
THREE_MELDS = "2S 3S 4S 6H 6D 6C TD JD QD KC"
TENS = "AS 2S 3S 7H 7D 7C KS QH JD TC"
"""Two melds and four tens of four suits and ranks: no draw melds any of them, so danger decides."""
KINGS = "AS 2S 3S 7H 7D 7C KS KH 9D 4C"
"""With the 5C: two pairs of cards that one draw melds, and a nine."""

POSITIONS = [
    draw("marjj", TWO_MELDS, "QD", "take", "a third meld: 40 points become 10"),
    draw("marjj", TWO_MELDS, "5S", "take", "on the run, and a king goes"),
    draw("marjj", TWO_MELDS, "AH", "leave", "31 for 40, but in no meld", unlike=("gold", "heisenbot")),
    draw("marjj", "4S 5S 5H 5D 9H 9C 9D KS KH KC", "6S", "leave", "4-5-6 costs the fives: 5 in place of 4",
         unlike=("simple", "heisenbot")),
    draw("marjj", "4S 5S 5H 5D 9H 9C 9D KS KH QC", "6S", "leave",
         "30 for 34, but the three fives are as good with the six left over", unlike=("gold", "simple")),
    draw("marjj", "7S 8S 9S TS 2H 2D 2C 4H 4D 4C", "6S", "leave", "nothing is less than 0", unlike="simple"),
    knock("marjj", THREE_MELDS, "9H", "knock", "own turn 3 is the last to knock on",
          turn=3, unlike=("gin_only", "threshold(8)", "marjj(knock_turns=2)")),
    knock("marjj", THREE_MELDS, "9H", "go on", "gin only from own turn 4", turn=4,
          unlike=("gold", "simple", "two_stage", "marjj(knock_turns=4)")),
    knock("marjj", THREE_MELDS, "AH", "go on", "one point is no gin", turn=4, unlike=("gold", "heisenbot")),
    knock("marjj", THREE_MELDS, "5S", "knock", "gin on any turn", turn=20),
    discard("marjj", TENS, "2D", "TC", "32 left by each ten, all equally dangerous: the latest suit"),
    discard("marjj", TENS, "2D", "KS", "without the QS no run (-10 for +20), and -5; QH has -4 of it",
            pile="QS", unlike=("gold", "marjj(impossible=0.0, possible=0.0, beside=0.0)")),
    discard("marjj", TENS, "2D", "QH", "he holds the JC: TC +5, JD +4; of the others QH is the later suit",
            known="JC", unlike="gold"),
    discard("marjj", TENS, "2D", "JD", "he holds QC: QH +4, TC +3; KS and JD +0: JD is the later", known="QC",
            unlike=("gold", "heisenbot")),
    discard("marjj", "AS 2S 3S 7H 7D 7C 2D QH JD TC", "KS", "QH", "the king may not go back, QH has -4",
            pile="QS", taken=True, unlike="gold"),
    # Best 7 of the look-ahead: without 9D 4 4 10 10 19 19 20 (mean 12.3); without a king
    # 9 9 18 18 19 19 19 (15.9); without 5C 4 4 23 23 24 24 24 (18). Danger: 37, 36, and
    # 2 for the 5C, of which no run can be made.
    discard("marjj", KINGS, "5C", "9D", "29 + 18 * 12.3 + 37 = 287; a king 28 + 18 * 15.9 + 36 = 349",
            unlike=("gold", "marjj(weight=0.0)", "marjj(pip_margin=0)", "marjj(deadwood_margin=0)")),
    discard("marjj", KINGS, "5C", "5C", "18 * 0.9 ** 39 = 0.3: 33 + 5.3 + 2 for the five, 69 or 70 else",
            turn=40, unlike=("marjj(decay=1.0)", "heisenbot(double_turn=200)")),
    discard("marjj(weight=0.0)", KINGS, "5C", "5C", "28 + 36 for a king, 29 + 37 for the nine, 33 + 2",
            unlike="marjj"),
    discard("marjj", "2S 3S 4S 5S 6H 6D 6C TD JD QD", "KD", "KD", "gin with 2S, 5S, TD or KD: the highest",
            unlike="simple"),
    discard("marjj", THREE_MELDS, "KH", "KH", "10 left by either king: the QH is gone, so he runs on KC only",
            pile="QH", unlike="gold"),
    discard("marjj", THREE_MELDS, "KH", "KC", "danger is past when the hand ends: the later suit", pile="QH",
            ending=True, turn=2),
    # In a combined strategy each rule finds its own parameters.
    discard("combine(draw=heisenbot, knock=two_stage, discard=marjj(weight=0.0))", KINGS, "5C", "5C",
            "marjj's discard without look-ahead", unlike=("marjj", "heisenbot")),
    knock("combine(draw=two_stage, knock=marjj(knock_turns=6), discard=heisenbot)", THREE_MELDS, "9H",
          "knock", "marjj's knock, until own turn 6", turn=6, unlike=("marjj", "heisenbot", "two_stage")),
]  # fmt: skip
