"""Positions of threshold, gin_only and two_stage: knock rules on gold's draw and discard."""

from __future__ import annotations

from tests.strategies.position import discard, draw, knock

TWO_MELDS = "2S 3S 4S 6H 6D 6C TD JD KS KC"
THREE_MELDS = "2S 3S 4S 6H 6D 6C TD JD QD KC"
TENS = "AS 2S 3S 7H 7D 7C KS QH JD TC"
RUN_OR_SET = "4S 5S 5H 5D 9H 9C 9D KS KH KC"

THRESHOLD = [
    draw("threshold(4)", TWO_MELDS, "AH", "take", "an ace in place of a king, 31 for 40", unlike="simple"),
    draw("threshold(4)", RUN_OR_SET, "6S", "leave", "4-5-6 for the fives costs a point", unlike="simple"),
    discard("threshold(4)", TENS, "2D", "TC", "the latest suit of four equal tens", unlike="simple"),
    knock("threshold(7)", THREE_MELDS, "7S", "knock", "7 points at a threshold of 7",
          unlike=("threshold(6)", "greedy")),
    knock("threshold(6)", THREE_MELDS, "7S", "go on", "7 points at a threshold of 6",
          unlike=("threshold(7)", "simple")),
    knock("threshold(10)", THREE_MELDS, "KS", "knock", "10 points", unlike="threshold(9)"),
    knock("threshold(9)", THREE_MELDS, "KS", "go on", "10 points", unlike="threshold"),
    knock("threshold(4)", THREE_MELDS, "4C", "knock", "the turn does not matter", turn=12,
          unlike=("two_stage", "human")),
    knock("threshold(3)", "2S 3S 4S 5S 7S 7H 7D 7C AC 2D", "KC", "knock", "an ace and a two are 3 points",
          unlike="threshold(2)"),
    knock("threshold(2)", "2S 3S 4S 5S 7S 7H 7D 7C AC 2D", "KC", "go on", "3 points", unlike="threshold(3)"),
    knock("threshold(0)", THREE_MELDS, "AC", "go on", "1 point is no gin", unlike="threshold(1)"),
    knock("threshold(0)", THREE_MELDS, "KD", "knock", "T-J-Q-K: gin by throwing KC", unlike="random"),
    knock("threshold(8)", THREE_MELDS, "5D", "knock", "5 points where 5 is the limit", limit=5,
          unlike="gin_only"),
]  # fmt: skip

GIN_ONLY = [
    draw("gin_only", TWO_MELDS, "AH", "take", "deadwood falls, though a gin is no nearer", unlike="simple"),
    draw("gin_only", TWO_MELDS, "QC", "leave", "40 points either way", unlike="random"),
    discard("gin_only", "AS 2S 3S 7H 7D 7C KS KH 9D 4C", "5C", "KH", "gold's discard: no pair is kept",
            unlike="simple"),
    discard("gin_only", "2S 3S 4S 5S 6H 6D 6C TD JD QD", "KD", "KD", "gin, the highest that can go",
            ending=True, unlike="simple"),
    knock("gin_only", THREE_MELDS, "AC", "go on", "1 point is no gin", unlike=("threshold(1)", "greedy")),
    knock("gin_only", THREE_MELDS, "AC", "go on", "first turn or not", turn=1, stock=30,
          unlike=("two_stage", "human")),
    knock("gin_only", THREE_MELDS, "AC", "go on", "and if the point would end the game", score=99,
          unlike="clinch"),
    knock("gin_only", THREE_MELDS, "AC", "go on", "and with three cards in the stock", stock=3,
          unlike="clinch_low_stock"),
    knock("gin_only", THREE_MELDS, "KS", "go on", "10 points are no gin", unlike=("gold", "simple")),
    knock("gin_only", THREE_MELDS, "KD", "knock", "T-J-Q-K: gin", turn=3, unlike="random"),
    knock("gin_only", "2S 3S 4S 5S 6H 6D 6C TD JD QD", "KD", "knock", "eleven melded: big gin",
          preset="standard", unlike="random"),
]  # fmt: skip

TWO_STAGE = [
    draw("two_stage", TWO_MELDS, "AH", "take", "31 points for 40", turn=2, unlike="simple"),
    draw("two_stage", RUN_OR_SET, "6S", "leave", "4-5-6 costs the fives", turn=9, unlike="simple"),
    discard("two_stage", TENS, "2D", "TC", "the latest of four equal tens", turn=9, unlike="simple"),
    knock("two_stage", THREE_MELDS, "KS", "knock", "10 points on turn 5", turn=5,
          unlike=("gin_only", "two_stage(switch=5)")),
    knock("two_stage", THREE_MELDS, "AC", "go on", "1 point on turn 6: gin only from now on", turn=6,
          unlike=("gold", "two_stage(switch=7)", "human")),
    knock("two_stage", THREE_MELDS, "KD", "knock", "gin on turn 6", turn=6, unlike="random"),
    knock("two_stage(4, 9, 3)", THREE_MELDS, "5D", "go on", "5 points on turn 2, the threshold is 4", turn=2,
          unlike="two_stage"),
    knock("two_stage(4, 9, 3)", THREE_MELDS, "9C", "knock", "9 points on turn 3, the threshold is 9 now",
          turn=3, unlike=("gin_only", "threshold(4)")),
    knock("two_stage(10, 0, 1)", THREE_MELDS, "AC", "go on", "the second stage is all there is", turn=1,
          unlike="two_stage"),
    knock("two_stage(10, 5, 6)", THREE_MELDS, "5D", "knock", "5 points on turn 6", turn=6,
          unlike="two_stage"),
    knock("two_stage(10, 5, 6)", THREE_MELDS, "7S", "go on", "7 points on turn 6", turn=6, unlike="gold"),
    knock("two_stage(switch=200)", THREE_MELDS, "KS", "knock", "10 points on turn 30, still the first stage",
          turn=30, unlike="two_stage"),
]  # fmt: skip

POSITIONS = [*THRESHOLD, *GIN_ONLY, *TWO_STAGE]
