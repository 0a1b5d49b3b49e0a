"""Positions of random, simple, openspiel_simple and rlcard_novice: players that knock as soon as they may."""

from __future__ import annotations

from tests.strategies.position import discard, draw, knock

TWO_MELDS = "2S 3S 4S 6H 6D 6C TD JD KS KC"
THREE_MELDS = "2S 3S 4S 6H 6D 6C TD JD QD KC"
TENS = "AS 2S 3S 7H 7D 7C KS QH JD TC"
NINE_MELDED = "AS 2S 3S 7H 7D 7C 9S 9H 9D 4C"
ALL_MELDED = "2S 3S 4S 5S 6H 6D 6C TD JD QD"
RUN_OR_SET = "4S 5S 5H 5D 9H 9C 9D KS KH KC"

KINGS_LEFT = discard(
    "simple", "AS 2S 3S 7H 7D 7C KS JD TC 2D", "QH", "KS", "the first of four equal tens, by word 0"
)  # fmt: skip

RANDOM = [
    draw("random", TWO_MELDS, "QD", "either", "the third meld does not tempt him", share=0.5,
         unlike=("gold", "simple")),
    draw("random", TWO_MELDS, "5C", "either", "nor does a useless card put him off", share=0.5,
         unlike="simple"),
    draw("random", ALL_MELDED, "9C", "either", "even with gin in hand", share=0.5, unlike="gold"),
    discard("random", "AS 3S 5H 7D 9C JS QH KD 2C 4D", "6H", "AS 3S 5H 7D 9C JS QH KD 2C 4D 6H",
            "any of eleven", unlike="rlcard_novice"),
    discard("random", "AS 3S 5H 7D JS QH KD 2C 4D 6H", "9C", "AS 3S 5H 7D JS QH KD 2C 4D 6H",
            "any but the upcard just taken", taken=True, unlike="rlcard_novice"),
    discard("random", THREE_MELDS, "5D", "2S 3S 4S 6H 6D 6C TD JD QD KC 5D", "melds are broken like anything",
            unlike="simple"),
    knock("random", NINE_MELDED, "6D", "either", "4C or 6D can end it: 2 of 13 actions", share=2 / 13,
          unlike="simple"),
    discard("random", NINE_MELDED, "6D", "4C 6D", "once he knocks, either of the two", ending=True,
            unlike="gold"),
    knock("random", NINE_MELDED.replace("4C", "6D"), "4C", "either", "4C taken: 6D alone, 1 of 11",
          taken=True, share=1 / 11, unlike="gold"),
    discard("random", NINE_MELDED.replace("4C", "6D"), "4C", "6D", "and it has to be thrown", taken=True,
            ending=True),
    knock("random", "AS 2S 3S 7H 7D 7C 9S 9H 9D 9C", "KD", "either",
          "KD, or one of four nines and 10 points: 5 of 16", share=5 / 16, unlike="gin_only"),
    discard("random", "AS 2S 3S 7H 7D 7C 9S 9H 9D 9C", "KD", "KD 9S 9H 9D 9C", "gin and knocks are alike",
            ending=True, unlike=("simple", "rlcard_novice")),
    knock("random", "AS 2S 3S 4S 7H 7D 7C 9S 9H 9D", "9C", "either", "big gin is 1 action of 12",
          preset="standard", share=1 / 12, unlike="simple"),
]  # fmt: skip

SIMPLE = [
    draw("simple", TWO_MELDS, "QD", "take", "ten, jack, queen of diamonds"),
    draw("simple", TWO_MELDS, "AH", "leave", "no meld, though deadwood would fall", unlike="gold"),
    draw("simple", RUN_OR_SET, "6S", "take", "4-5-6 is a meld, though it breaks the fives", unlike="gold"),
    draw("simple", "7S 8S 9S TS 2H 2D 2C 4H 4D 4C", "6S", "take", "it melds, though he has gin already",
         unlike="gold"),
    draw("simple", TWO_MELDS, "5S", "take", "5S lengthens 2-3-4"),
    discard("simple", TENS, "2D", "KS QH JD TC", "any of four that leave the same", unlike="gold"),
    discard("simple", "AS 2S 3S 7H 7D 7C KS KH 9D 4C", "5C", "KS KH", "either king, the pair is nothing",
            unlike="gold"),
    discard("simple", "AS 2S 3S 7H 7D 7C 9S 8H 6D 4C", "KC", "9S", "the king taken may not go back",
            taken=True),
    discard("simple", "AS 2S 3S 7H 7D 7C QH JD TC 2D", "KS", "JD TC",
            "he drew QH and threw KS: that pair may not come again", before=(KINGS_LEFT,), taken=True,
            unlike="simple(pair_memory=false)"),
    discard("simple(pair_memory=false)", "AS 2S 3S 7H 7D 7C QH JD TC 2D", "KS", "QH JD TC",
            "without the clause the queen may go too", before=(KINGS_LEFT,), taken=True, unlike="simple"),
    knock("simple", THREE_MELDS, "KS", "knock", "10 points, on the ninth turn too", turn=9,
          unlike=("two_stage", "gin_only", "threshold(9)")),
    knock("simple", THREE_MELDS, "AC", "knock", "1 point from gin he does not wait", turn=7,
          unlike="gin_only"),
    discard("simple", NINE_MELDED, "6D", "6D", "knocks with the least he can", ending=True,
            unlike=("random", "rlcard_novice")),
]  # fmt: skip

JACKS = "AC 2C 3C 4C 9D TD JD QD 3H JH"
"""OpenSpiel's own example: a third jack would break the run of diamonds."""
SEVENS = "4S 7S 5H 6H 7H 8H 5D 6D 7D 6C"

OPENSPIEL = [
    draw("openspiel_simple", JACKS, "JS", "leave", "three jacks cost 9-T-Q of diamonds; 13 is no knock",
         unlike="simple"),
    draw("openspiel_simple", JACKS, "AH", "take", "3 + 1 points without the jack: he can knock",
         unlike="simple"),
    draw("openspiel_simple", JACKS, "7S", "take", "3 + 7 points are still a knock", unlike="simple"),
    draw("openspiel_simple", JACKS, "8S", "leave", "3 + 8 points are not", unlike="gold"),
    draw("openspiel_simple", TWO_MELDS, "AH", "leave", "31 points are no knock, and the ace melds nothing",
         unlike="gold"),
    draw("openspiel_simple", TWO_MELDS, "QD", "take", "melded in the best arrangement, 10 points",
         unlike="random"),
    draw("openspiel_simple", "4S 5S 5H 5D 9H 9C 9D KS QH JC", "6S", "leave",
         "fives or 4-5-6, 40 points of eleven cards both ways: melding it gains nothing",
         unlike=("simple", "gold")),
    draw("openspiel_simple", "4S 5S 5H 5D 9H 9C 9D KS QH JC", "9S", "take", "the fourth nine, at no cost",
         unlike="random"),
    draw("openspiel_simple", RUN_OR_SET, "QC", "take",
         "dealt 4 points: with any card he can knock, here by throwing the 4", unlike=("gold", "simple")),
    knock("openspiel_simple", THREE_MELDS, "KS", "knock", "10 points on turn 9", turn=9,
          unlike=("two_stage", "greedy", "human")),
    knock("openspiel_simple", THREE_MELDS, "AC", "knock", "1 point, no waiting for gin", turn=7,
          unlike=("gin_only", "clinch")),
    discard("openspiel_simple", TENS, "2D", "TC", "four loose tens: the latest suit", unlike="simple"),
    discard("openspiel_simple", SEVENS, "7C", "6C",
            "7S 7D 7C and 5-8 of hearts leave 21; he throws a six, though three sixes and four sevens "
            "(22) would leave 14 without the 8", unlike=("gold", "simple")),
    discard("openspiel_simple", ALL_MELDED, "KD", "KD", "all melded: the highest that keeps gin",
            ending=True, unlike="rlcard_novice"),
    discard("openspiel_simple", NINE_MELDED, "6D", "6D", "the higher of the two loose cards", ending=True,
            unlike="rlcard_novice"),
]  # fmt: skip

RLCARD = [
    draw("rlcard_novice", TWO_MELDS, "QD", "either", "a coin decides, not the third meld", share=0.5,
         unlike=("simple", "gold")),
    draw("rlcard_novice", TWO_MELDS, "5C", "either", "nor the lack of one", share=0.5, unlike="simple"),
    draw("rlcard_novice", ALL_MELDED, "9C", "either", "even with gin in hand", share=0.5, unlike="gold"),
    discard("rlcard_novice", TENS, "2D", "KS QH JD TC", "any of four that leave the same",
            unlike=("gold", "random")),
    discard("rlcard_novice", "AS 2S 3S 7H 7D 7C KS KH 9D 4C", "5C", "KS KH", "either king", unlike="gold"),
    discard("rlcard_novice", "AS 2S 3S 7H 7D 7C 9S 8H 6D 4C", "KC", "9S", "the king taken may not go back",
            taken=True, unlike="random"),
    discard("rlcard_novice", "AS 2S 3S 7H 7D 7C QH JD TC 2D", "KS", "QH JD TC", "no pair is remembered",
            before=(KINGS_LEFT,), taken=True, unlike="simple"),
    knock("rlcard_novice", THREE_MELDS, "KS", "knock", "10 points on turn 9", turn=9,
          unlike=("two_stage", "random")),
    knock("rlcard_novice", THREE_MELDS, "AC", "knock", "1 point from gin", unlike=("gin_only", "random")),
    discard("rlcard_novice", NINE_MELDED, "6D", "4C 6D", "each knock is an action: 6 or 4 points",
            ending=True, share=0.5, unlike=("simple", "gold")),
    discard("rlcard_novice", "AS 2S 3S 7H 7D 7C 9S 9H 9D 9C", "KD", "KD", "gin comes before all knocks",
            ending=True, unlike="random"),
    discard("rlcard_novice", ALL_MELDED, "KD", "2S 5S TD KD", "gin four ways, each as likely", ending=True,
            unlike=("gold", "random")),
]  # fmt: skip

POSITIONS = [*RANDOM, *SIMPLE, *OPENSPIEL, *RLCARD]
