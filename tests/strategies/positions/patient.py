"""Positions of greedy, clinch, clinch_low_stock and human: players that wait, each for something else."""

from __future__ import annotations

from tests.strategies.position import discard, draw, knock

TWO_MELDS = "2S 3S 4S 6H 6D 6C TD JD KS KC"
THREE_MELDS = "2S 3S 4S 6H 6D 6C TD JD QD KC"
TENS = "AS 2S 3S 7H 7D 7C KS QH JD TC"
RUN_OR_SET = "4S 5S 5H 5D 9H 9C 9D KS KH KC"

KING_OR_TEN = "AS 2S 3S 7H 7D 7C KS TC 5D 4C"
JACK_THROWN = discard(
    "greedy", TENS, "2D", "TC", "he threw JC: JD and TC 6 - 2 = 4, KS 5, QH 6; the later suit", pile="JC"
)

GREEDY = [
    draw("greedy", TWO_MELDS, "AH", "take", "draws as gold: 31 points for 40",
         unlike=("simple", "openspiel_simple")),
    discard("greedy", TENS, "2D", "KS",
            "unseen cards near: KS 3 kings and QS JS, 5; QH 3 + 3 (JH TH KH), 6; JD and TC 3 + 4, 7",
            unlike=("gold", "greedy(safety=false)")),
    discard("greedy(safety=false)", TENS, "2D", "TC", "without safety gold's ties", unlike="greedy"),
    discard("greedy", TENS, "2D", "QH", "he threw JH: QH 5 - 2 = 3, JD 6 - 2 = 4, KS 5, TC 7", pile="JH",
            unlike=("gold", "greedy(safety=false)")),
    JACK_THROWN,
    discard("greedy", TENS, "2D", "TC", "the jack went a turn ago and is not forgotten: JD and TC 4",
            pile="JC 4H", before=(JACK_THROWN,), unlike="simple"),
    discard("greedy", TENS, "2D", "KS", "a jack that he did not throw is only gone: JD and TC 6, KS 5",
            pile="JC 4H", unlike=("gold", "greedy(safety=false)")),
    discard("greedy", TENS, "2D", "JD", "he left QD and holds KH TH: JD 6 - 2 = 4, QH 7 - 2 = 5, KS 6, TC 8",
            pile="QD 4H", declined="QD", known="KH TH", unlike="gold"),
    discard("greedy", "AS 2S 3S 7H 7D 7C KS QC 5D 4C", "2D", "QC",
            "he took two kings: KS 2 x 2 + KC QS JS is 7; QC 3 queens and KC JC TC are 6", known="KH KD"),
    discard("greedy", KING_OR_TEN, "2D", "KS", "he holds kings and threw QS: KS 3 x 2 + 1 - 2 = 5, TC 6",
            pile="8C QS", known="KH KD KC", unlike="gold"),
    discard("greedy", KING_OR_TEN, "2D", "KS", "the same if he left QS", pile="QS 8C 4H", declined="QS",
            known="KH KD KC", unlike="gold"),
    discard("greedy", KING_OR_TEN, "2D", "TC", "QS was not his to refuse: KS 3 x 2 + 1 = 7, TC 6",
            pile="QS 8C 4H", known="KH KD KC", unlike="random"),
    knock("greedy", THREE_MELDS, "4C", "knock", "4 points at equal scores", unlike=("gin_only", "gold(3)")),
    knock("greedy", THREE_MELDS, "5D", "go on", "5 points at equal scores", unlike=("gold", "simple")),
    knock("greedy", THREE_MELDS, "8C", "knock", "ahead by 10, 90 to go: 4 + 40/9 = 8", score=10,
          unlike="threshold(4)"),
    knock("greedy", THREE_MELDS, "9C", "go on", "9 points then are one too many", score=10, unlike="gold"),
    knock("greedy", THREE_MELDS, "KS", "knock", "60 to 50, 40 to go: 4 + 10, so whatever is legal", score=60,
          other_score=50, unlike="greedy(score_weight=0)"),
    knock("greedy", THREE_MELDS, "AC", "go on", "behind by 10, the other has 90 to go: 4 - 4", other_score=10,
          unlike=("greedy(score_weight=0)", "threshold(4)")),
    knock("greedy", THREE_MELDS, "4C", "knock", "behind by 2: 80/98 is cut to nothing", other_score=2,
          unlike="threshold(3)"),
    knock("greedy", THREE_MELDS, "4C", "go on", "behind by 3: 120/97 takes one point off", other_score=3,
          unlike="threshold(4)"),
    knock("greedy", THREE_MELDS, "3C", "go on", "58 to 60, the leader's 40 to go count: 4 - 80/40", score=58,
          other_score=60, unlike="threshold(4)"),
    knock("greedy", THREE_MELDS, "2C", "knock", "and 2 points are few enough", score=58, other_score=60,
          unlike="gin_only"),
    knock("greedy", THREE_MELDS, "KD", "knock", "far behind gin is gin", other_score=99, unlike="random"),
]  # fmt: skip

CLINCH = [
    draw("clinch", TWO_MELDS, "AH", "take", "draws as gold", unlike="simple"),
    discard("clinch", TENS, "2D", "TC", "throws as gold", unlike=("simple", "greedy")),
    knock("clinch", THREE_MELDS, "AC", "knock", "98 and 10 - 1 points", score=98, unlike="gin_only"),
    knock("clinch", THREE_MELDS, "AC", "go on", "74 and 9 points: only gin would do", score=74,
          unlike=("gold", "clinch(30)")),
    knock("clinch", THREE_MELDS, "AC", "knock", "91 and 9 points are just 100", score=91, unlike="gin_only"),
    knock("clinch", THREE_MELDS, "AC", "go on", "90 and 9 points are 99", score=90, unlike="gold"),
    knock("clinch", THREE_MELDS, "KS", "knock", "99 and the 1 point that any knock is taken to win", score=99,
          unlike="gin_only"),
    knock("clinch", THREE_MELDS, "KS", "go on", "98 and 1 point", score=98, unlike="simple"),
    knock("clinch(30)", THREE_MELDS, "KS", "knock", "80 and 30 - 10 points", score=80, unlike="clinch"),
    knock("clinch", THREE_MELDS, "AC", "knock", "82 and twice 9 points", score=82, multiplier=2,
          unlike="gin_only"),
    knock("clinch", THREE_MELDS, "AC", "go on", "98 of 250", score=98, target=250, unlike="gold"),
    knock("clinch", THREE_MELDS, "8C", "go on", "a stock of 5 does not hurry him", stock=5,
          unlike="clinch_low_stock"),
    knock("clinch", THREE_MELDS, "KD", "knock", "gin", unlike="random"),
]  # fmt: skip

LOW_STOCK = [
    draw("clinch_low_stock", TWO_MELDS, "AH", "take", "draws as gold", stock=5, unlike="simple"),
    discard("clinch_low_stock", TENS, "2D", "TC", "throws as gold", stock=5, unlike="simple"),
    knock("clinch_low_stock", THREE_MELDS, "8C", "knock", "8 cards are left", stock=8,
          unlike=("clinch", "gin_only")),
    knock("clinch_low_stock", THREE_MELDS, "8C", "go on", "9 cards are left", stock=9,
          unlike=("gold", "clinch_low_stock(stock=9)")),
    knock("clinch_low_stock", THREE_MELDS, "KS", "knock", "anything legal will do", stock=3,
          unlike=("clinch", "greedy")),
    knock("clinch_low_stock(stock=4)", THREE_MELDS, "AC", "go on", "5 cards are left, 4 are wanted", stock=5,
          unlike="clinch_low_stock"),
    knock("clinch_low_stock", THREE_MELDS, "AC", "knock", "91 and 9 points end the game", score=91,
          unlike="gin_only"),
    knock("clinch_low_stock", THREE_MELDS, "AC", "go on", "90 and 9 points do not", score=90, unlike="gold"),
    knock("clinch_low_stock(other_deadwood=20)", THREE_MELDS, "AC", "knock", "81 and 20 - 1 points", score=81,
          unlike="clinch_low_stock"),
    knock("clinch_low_stock", THREE_MELDS, "KD", "knock", "gin", unlike="random"),
    knock("clinch_low_stock", THREE_MELDS, "AC", "go on", "30 cards left, nothing to clinch", turn=2,
          stock=30, unlike=("two_stage", "human")),
]  # fmt: skip

KINGS = "AS 2S 3S 7H 9D 4C KS KH 6D 5H"
"""One meld; chances: the kings, and 7H-5H for 6H."""

HUMAN = [
    draw("human", TWO_MELDS, "AH", "take", "draws as gold", unlike="simple"),
    discard("human", KINGS, "8C", "9D", "the kings and 7H-5H have a chance, of 9D 8C 6D 4C the nine goes",
            turn=2, unlike=("gold", "human(shed=2)")),
    discard("human", KINGS, "8C", "KH", "turn 6: the kings were not filled", turn=6,
            unlike=("simple", "human(shed=7)")),
    discard("human", KINGS, "8C", "KH", "turn 2, but the other kings are gone", pile="KD KC", turn=2,
            unlike="simple"),
    discard("human", KINGS, "8C", "9D", "one king of two in the pile: there is a chance left", pile="KD",
            turn=2, unlike="gold"),
    discard("human", "7H 7D 7C 8H KS KH 2C AC 4D 6C", "5S", "8H",
            "7H is in a meld, so 8H has no partner", turn=2, unlike="gold"),
    discard("human", "AS 2S 3S 7H 7D 7C KS KH 9D 4C", "5C", "KH", "two melds: what is beside must be low",
            turn=2, unlike="simple"),
    discard("human", "AS 2S 3S 9H 9D 8C 6D 5H 3C 4D", "2C", "8C",
            "turn 7, but no card is high: nines, 6D-4D and 3C-2C stay, of 8C and 5H the eight goes", turn=7,
            unlike=("gold", "human(high=9)")),
    discard("human", "KS KH QD QC 9S 9H 5D 5C 2H 2S", "JC", "QC", "all have a chance: highest, latest suit",
            turn=2, unlike="simple"),
    knock("human", THREE_MELDS, "KS", "knock", "10 points on turn 4", turn=4,
          unlike=("gin_only", "greedy", "human(early=3)")),
    knock("human", THREE_MELDS, "7S", "go on", "7 points on turn 5: 5 are careful", turn=5,
          unlike=("two_stage", "human(early=5)")),
    knock("human", THREE_MELDS, "5D", "knock", "5 points on turn 7", turn=7,
          unlike=("two_stage", "human(middle=6)")),
    knock("human", THREE_MELDS, "AC", "go on", "1 point on turn 8: now for gin", turn=8,
          unlike=("gold", "human(middle=8)")),
    knock("human", THREE_MELDS, "KD", "knock", "gin on turn 8", turn=8, unlike="random"),
]  # fmt: skip

POSITIONS = [*GREEDY, *CLINCH, *LOW_STOCK, *HUMAN]
