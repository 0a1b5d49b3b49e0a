"""Rows R1-R6, R11 and R12: counts, dealt hands, random play, and what is context only."""

from __future__ import annotations

from analysis.reproduction.model import Line, Play, Row, Survey
from analysis.reproduction.published import Published

GIN_HANDS = Survey("gin_hands", cost=6)
MELDS = Survey("melds", cost=1)
DEALS = Survey("deals", deals=10_000_000, cost=4)

ANYBODY = Play("random", "random", 400_000, rules="rlcard", cost=0.05)
FREE_GIN = Play("random", "random", 400_000, ("gin_compulsory=false",), "rlcard", cost=0.05)
KNOCKS_AT_ONCE = "greedy(threshold=10, score_weight=0)"
AT_ONCE = Play(KNOCKS_AT_ONCE, KNOCKS_AT_ONCE, label="greedy(threshold=10) v itself")
NO_UNDERCUT_BONUS = Play(
    "gold", "gold", settings=("undercut_bonus=0",), label="gold v itself, no undercut bonus"
)

FIRST, SECOND, SIXTH = (250_000, "deals"), (100_000, "deals"), (92_017, "hands")
"""Sizes of the samples of R3, from two sources, and of R6."""

JDH8 = "jdh8/gin-rummy-engine"

ROWS = (
    Row(
        "R1",
        "Gin hands of ten cards",
        "exact count",
        "exhaustive enumeration",
        (
            Line("gin hands", "gin_hands", GIN_HANDS, Published("136,694")),
            Line("ten-card hands", "hands", GIN_HANDS, Published("15,820,024,220")),
            Line("one gin in so many hands", "one_in", GIN_HANDS, Published("115,733")),
        ),
        reading="Every card of a gin hand lies in a meld of three within the hand, so the engine is asked "
        "about all 378,092 unions of melds of three that have ten cards, not about all hands.",
    ),
    Row(
        "R2",
        "Melds",
        "exact count",
        "documentation of jdh8/gin-rummy; test of OpenSpiel",
        (
            Line("melds", "melds", MELDS, Published("329")),
            Line("sets", "sets", MELDS, Published("65")),
            Line("runs", "runs", MELDS, Published("264")),
            Line("melds of 3-5 cards", "short_melds", MELDS, Published("185")),
        ),
        reading="Every group of cards of one rank or one suit is put to the engine.",
    ),
    Row(
        "R3",
        "Deadwood as dealt",
        "250,000 and 100,000 deals",
        "yimmaw.com; ThomasBonham/Gin-Rummy-Investigation",
        (
            Line("mean, points", "mean", DEALS, Published("56.6", sample=FIRST)),
            Line("deviation, points", "deviation", DEALS, Published("13.76", sample=FIRST)),
            Line("mean, points; second source", "mean", DEALS, Published("56.71", sample=SECOND)),
            Line("deviation; second source", "deviation", DEALS, Published("13.68", sample=SECOND)),
            Line("at most 10 points", "at_most_10", DEALS, Published("0.037", sample=FIRST), True),
            Line("  below 10 points", "below_10", DEALS, percent=True),
            Line("  mean, sets melded first", "mean_sets_first", DEALS),
            Line("  deviation, sets melded first", "deviation_sets_first", DEALS),
            Line("largest, points", "largest", DEALS, Published("98")),
        ),
        why="The share published for at most 10 points agrees with ours for fewer than 10, so its bound was "
        "very likely read strictly. Mean and deviation of the second source agree with hands whose sets are "
        "melded first and runs of the rest, which is not always the least deadwood: so it very likely "
        "counted; the first agrees with the least.",
    ),
    Row(
        "R4",
        "Random play under RLCard's rules",
        "random v random, sample not given",
        "issue 103 of datamllab/rlcard (2020)",
        (
            Line("knocks", "knocked", ANYBODY, Published("3.65"), True),
            Line("gins", "gin", ANYBODY, Published("0.06"), True),
            Line("void hands", "void", ANYBODY, Published("96.29"), True),
            Line("  knocks, gin not compulsory", "knocked", FREE_GIN, percent=True),
            Line("  gins, gin not compulsory", "gin", FREE_GIN, percent=True),
        ),
        why="RLCard's own program does not show the published figures either, in none of the seven releases "
        "tried, and ours agrees with its later releases. Gin is a matter of the rule that who can go gin "
        "must: left to chance it is ten times rarer, and the published share lies between. The share of "
        "knocks is met by neither.",
        apart=(
            "RLCard 1.2.0, 17,483 hands: knocks 2.88 %, gins 0.35 %, void 96.77 %",
            "RLCard 0.1.13-0.1.17: knocks 2.6-2.8 %, gins 0.37-0.43 %, void 96.9 %",
            "RLCard 0.1.11-0.1.12, whose judge was faulty: knocks 0.7 %, gins 0.03 %, void 99.3 %",
        ),
    ),
    Row(
        "R5",
        "Knocking at once against itself",
        "greedy that knocks at the first chance, eaai; the policy is not fully described",
        f"{JDH8}, src/value.rs",
        (
            Line("void hands", "void", AT_ONCE, Published("0.05"), True),
            Line("hands dealer wins", "dealer", AT_ONCE, Published("50.55", interval=(50.2, 50.9)), True),
            Line("winner's mean, points", "winner_points", AT_ONCE, Published("16.48")),
            Line("winner's median, points", "winner_median", AT_ONCE, Published("13")),
            Line("undercuts", "undercut", AT_ONCE, Published("3.7"), True),
            Line("gins", "gin", AT_ONCE, Published("2.1"), True),
            Line("scored hands a game", "scored_hands_a_game", AT_ONCE, Published("10.1")),
            Line("deviation, points a hand", "points_deviation", AT_ONCE, Published("20.8")),
        ),
        context=True,
        reading=f"Played by {KNOCKS_AT_ONCE}.",
    ),
    Row(
        "R6",
        "Greedy against itself without an undercut bonus",
        "92,017 hands; the policy is not fully described",
        "Project2-1Group4/GinRummy",
        (
            Line("gins", "gin", NO_UNDERCUT_BONUS, Published("1.98", sample=SIXTH), True),
            Line("void hands", "void", NO_UNDERCUT_BONUS, Published("0.06", sample=SIXTH), True),
            Line(
                "loser's less winner's deadwood",
                "deadwood_gap",
                NO_UNDERCUT_BONUS,
                Published("17.5", sample=SIXTH),
            ),
            Line("hands a game", "hands_a_game", NO_UNDERCUT_BONUS, Published("9.2", sample=SIXTH)),
        ),
        context=True,
        reading="Played by gold under eaai with undercut_bonus=0. Published are a mean deadwood of 7.0 for "
        "winners and 24.5 for losers.",
    ),
    Row(
        "R11",
        "Learned players",
        "convolutional network 55.4 ± 0.8 % of games against simple; random forest 61 % against its own "
        "baseline",
        "Truong and Neller; Hein et al.",
        context=True,
        reading="Weights are not published, so there is nothing to play.",
    ),
    Row(
        "R12",
        "Weight of melds against deadwood",
        "best near 0.16: .570, against .497 at 0 and .16 at 1.0; 300 games a point",
        "Hein et al.",
        context=True,
        reading="The policy is not fully described, so it is not played. An interval of 300 games is 5.7 "
        "percentage points each way: the best and the zero point hardly differ by more.",
    ),
)
