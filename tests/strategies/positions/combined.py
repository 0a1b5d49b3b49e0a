"""Positions of combined players: which of the parts decides what."""

from __future__ import annotations

from tests.strategies.position import discard, draw, knock

TWO_MELDS = "2S 3S 4S 6H 6D 6C TD JD KS KC"
THREE_MELDS = "2S 3S 4S 6H 6D 6C TD JD QD KC"
TENS = "AS 2S 3S 7H 7D 7C KS QH JD TC"
RUN_OR_SET = "4S 5S 5H 5D 9H 9C 9D KS KH KC"

ONE = "combine(draw=simple, knock=threshold(6), discard=gold)"
OTHER = "combine(draw=gold, knock=two_stage(early=8, late=2, switch=5), discard=simple)"
PATIENT = "combine(draw=openspiel_simple, knock=clinch(20), discard=greedy)"

POSITIONS = [
    draw(ONE, TWO_MELDS, "AH", "leave", "simple draws: no meld", unlike=("gold", OTHER)),
    draw(ONE, RUN_OR_SET, "6S", "take", "simple draws: a meld", unlike=("gold", OTHER)),
    draw(OTHER, TWO_MELDS, "AH", "take", "gold draws: deadwood falls", unlike=("simple", ONE)),
    draw(PATIENT, RUN_OR_SET, "QC", "take", "openspiel_simple draws: it could knock",
         unlike=("gold", "clinch")),
    discard(ONE, TENS, "2D", "TC", "gold throws: the latest suit", unlike=("simple", OTHER)),
    discard(OTHER, TENS, "2D", "KS QH JD TC", "simple throws: any of four", unlike=("gold", ONE)),
    discard(PATIENT, TENS, "2D", "KS", "greedy throws: the king is of least use to the other",
            unlike=("gold", "simple")),
    knock(ONE, THREE_MELDS, "5D", "knock", "5 points at the threshold's own parameter, 6", turn=9,
          unlike=("threshold(4)", OTHER, PATIENT)),
    knock(ONE, THREE_MELDS, "7S", "go on", "7 points", unlike=("simple", "gold")),
    knock(OTHER, THREE_MELDS, "8S", "knock", "8 points before turn 5", turn=4, unlike=("gin_only", ONE)),
    knock(OTHER, THREE_MELDS, "3C", "go on", "3 points from turn 5 on, where 2 are wanted", turn=5,
          unlike=("simple", ONE)),
    knock(PATIENT, THREE_MELDS, "9C", "knock", "20 - 9 points are enough at 89", score=89,
          unlike=("clinch", ONE)),
]  # fmt: skip
