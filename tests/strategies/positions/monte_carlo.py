"""Positions of monte_carlo: clear enough that 200 worlds of any seed give one answer."""

from __future__ import annotations

from tests.strategies.position import discard, draw, knock

THREE_MELDS = "2S 3S 4S 6H 6D 6C TD JD QD KC"
TWO_RUNS = "2S 3S 4S 4H 5H 6H 7D 7C JD QD"
LATE = "KS QH JC 8C KH QS JH 9D TC TH 8S 8D 9H AC"
"""Fourteen discards, falling: who throws aces has little left."""

POSITIONS = [
    draw("monte_carlo(200)", THREE_MELDS, "5S", "take", "gin by throwing KC", unlike="random"),
    draw("monte_carlo(200)", THREE_MELDS, "KS", "leave", "a second king brings nothing", unlike="random"),
    draw("monte_carlo(200)", "2S 3S 4S 6H 6D TC JH QD KC 9D", "6C", "take", "a second meld", unlike="random"),
    draw("monte_carlo(200)", TWO_RUNS, "7S", "take", "a third meld, and the knock at hand", unlike="random"),
    draw("monte_carlo(200)", TWO_RUNS, "KD", "take", "a third meld", unlike="random"),
    knock("monte_carlo(200)", THREE_MELDS, "5S", "knock", "gin cannot be bettered", unlike="random"),
    knock("monte_carlo(200)", THREE_MELDS, "9C", "go on", "9 points against aces thrown: undercut", pile=LATE,
          turn=8, stock=17, unlike=("gold", "simple", "threshold(9)")),
    knock("monte_carlo(200)", THREE_MELDS, "4C", "go on", "4 points too, with five cards that make gin",
          pile=LATE, turn=8, stock=17, unlike=("gold", "greedy")),
    knock("monte_carlo(200, equity=true)", THREE_MELDS, "9C", "go on", "he has 95: few points are nothing",
          other_score=95, unlike=("gold", "simple")),
    discard("monte_carlo(200)", THREE_MELDS, "AC", "KC", "nine points less", unlike="random"),
    discard("monte_carlo(200)", THREE_MELDS, "AC", "KC", "the same to end the hand: AC stays", ending=True,
            unlike="random"),
    discard("monte_carlo(200)", "2S 3S 4S 6H 6D 6C AD AH QC KC", "TS", "TS",
            "he took KS and KH, so KC would make him a set", known="KS KH", stock=33,
            unlike=("gold", "gin_only")),
    discard("monte_carlo(200)", "2S 3S 4S 4H 5H 6H 4D TD JD QD", "4C", "3S",
            "gin: the fours are a set, with 3S thrown or 2S kept", ending=True, unlike="random"),
]  # fmt: skip
