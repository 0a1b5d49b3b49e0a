"""Rows H1-H5: what has been claimed about when to knock, played head to head."""

from __future__ import annotations

from analysis.reproduction.model import Line, Play, Row
from analysis.reproduction.published import Claim, Published
from analysis.reproduction.rows_matches import GREEDY, GREEDY_HANDS, HANDS

_MARJJ = 40_000
_SLOW = 0.2


def _marjj(a: str, b: str, label: str = "") -> Play:
    return Play(a, b, _MARJJ, cost=_SLOW, label=label)


def _cards_of_marjj(knock: str) -> str:
    return f"combine(draw=marjj, knock={knock}, discard=marjj)"


TEN = Play("threshold(10)", "simple")
TEN_HANDS = Play("threshold(10)", "simple", 400_000, HANDS, cost=0.005, label="threshold(10) v simple, hands")
FOUR_TEN = Play("threshold(4)", "threshold(10)")
GIN = Play("gin_only", "simple")
GOLDSTEIN = Play("goldstein", "simple")
GOLDSTEIN_MARJJ = _marjj(_cards_of_marjj("goldstein"), "simple", "goldstein, marjj's cards v simple")
GOLDSTEIN_GIN = Play("goldstein", "gin_only")
STAGES = Play("two_stage(10, 0, 6)", "simple")
STAGES_TEN = Play("two_stage(10, 0, 6)", "threshold(10)", label="two_stage v threshold(10)")
STAGES_GIN = Play("two_stage(10, 0, 6)", "gin_only")
MARJJ = _marjj("marjj", "simple")
MARJJ_GIN = _marjj("marjj", "gin_only")
MARJJ_STAGES = _marjj("marjj", "two_stage(10, 0, 6)")
MARJJ_OWN_GIN = _marjj("marjj", _cards_of_marjj("gin_only"), "marjj v its cards, gin only")
PERCENT = Play("percent_twenty", "simple")
PERCENT_GIN = Play("percent_twenty", "gin_only")
PERCENT_TEN = Play("percent_twenty", "threshold(10)")
PERCENT_STAGES = Play("percent_twenty", "two_stage(10, 0, 6)")
PERCENT_MARJJ = _marjj("marjj", "percent_twenty")
HEISENBOT = Play("heisenbot", "simple")
HEISENBOT_GIN = Play("heisenbot", "gin_only")
HEISENBOT_PERCENT = Play("heisenbot", "percent_twenty")

MORE = Claim(50)

ROWS = (
    Row(
        "H1",
        "Who knocks at the first chance wins more hands",
        "under eaai, simple knocks at once, greedy at 4 or less; 8,000 single hands",
        "README of jdh8/gin-rummy-engine",
        (
            Line(
                "hands, simple v greedy",
                "hand_share_b",
                GREEDY_HANDS,
                Published("60.6", interval=(59.6, 61.5)),
                True,
            ),
            Line("hands, threshold(10) v (4)", "hand_share_b", FOUR_TEN, MORE, True),
            Line("hands, simple v gin_only", "hand_share_b", GIN, MORE, True),
            Line("hands, simple v two_stage", "hand_share_b", STAGES, MORE, True),
        ),
        why="The policy has open details, see R7.",
        panel=(GREEDY_HANDS, FOUR_TEN, TEN_HANDS, TEN),
    ),
    Row(
        "H2",
        "Patience wins more points and more games",
        "under eaai, gin and undercut 25; greedy against simple in mirrored pairs",
        "README of jdh8/gin-rummy-engine",
        (
            Line("points, greedy less simple", "points_lead", GREEDY, Claim(0)),
            Line("games, greedy v simple", "game_share", GREEDY, MORE, True),
            Line("games, threshold(4) v (10)", "game_share", FOUR_TEN, MORE, True),
            Line("points, gin_only less simple", "points_lead", GIN, Claim(0)),
            Line("games, gin_only v simple", "game_share", GIN, MORE, True),
        ),
        why="The claim does not hold for what is played here.",
        panel=(GREEDY, FOUR_TEN, GIN),
    ),
    Row(
        "H3",
        "With bonuses of 25, knock with gin only",
        "solved by counterfactual regret over the deadwood alone: hardly any knock with 1-10 points; 73 % "
        "against simple, sample not given",
        "Goldstein et al., AAAI-21",
        (
            Line("games, goldstein v simple", "game_share", GOLDSTEIN, Published("73"), True),
            Line("  games, gin_only v simple", "game_share", GIN, percent=True),
            Line("  games, marjj's draw and discard", "game_share", GOLDSTEIN_MARJJ, percent=True),
            Line("  games, goldstein v gin_only", "game_share", GOLDSTEIN_GIN, percent=True),
            Line("  games, two_stage v gin_only", "game_share", STAGES_GIN, percent=True),
        ),
        reading="The knock table alone is known, by its means; draw and discard are those of gold here.",
        why="The published player drew and discarded by rules of its own. The same knock table over marjj's "
        "draw and discard wins several games in a hundred more against simple than over gold's: the rest is "
        "of the cards, not of the knocks.",
        panel=(GOLDSTEIN, GIN, GOLDSTEIN_MARJJ, GOLDSTEIN_GIN),
    ),
    Row(
        "H4",
        "Knock early, later with gin only",
        "MARJJ, the winner of 2021, knocks on its turns 1-3; the DePauw team on about the first 5",
        "Ahmed et al., AAAI-21; the DePauw entry",
        (
            Line("games, two_stage v gin_only", "game_share", STAGES_GIN, MORE, True),
            Line("games, two_stage v threshold(10)", "game_share", STAGES_TEN, MORE, True),
            Line("games, marjj v it with gin only", "game_share", MARJJ_OWN_GIN, MORE, True),
            Line("games, marjj v simple", "game_share", MARJJ, MORE, True),
        ),
        reading="two_stage is two_stage(10, 0, 6). marjj against its own draw and discard with gin only is "
        "what its early knocks are worth.",
        why="The claim does not hold for what is played here.",
        panel=(STAGES, STAGES_TEN, STAGES_GIN, MARJJ, MARJJ_GIN, MARJJ_OWN_GIN, MARJJ_STAGES),
    ),
    Row(
        "H5",
        "A rule that gains points a hand can lose games",
        '"knock if P(gin) < 0.20" gained points a hand and lost by 229 to 251 games',
        "not named",
        (
            Line(
                "games won by the rule",
                "game_share",
                PERCENT_GIN,
                Published("47.7", sample=(480, "games")),
                True,
            ),
            Line("  points, percent_twenty's lead", "points_lead", PERCENT_GIN),
        ),
        context=True,
        reading="The rule and its opponent are not described. The nearest that can be played is "
        "percent_twenty against gin_only; beside it matches in which points and games might part. The "
        "published count is in itself no evidence: the interval of 480 games is 4.5 percentage points each "
        "way.",
        panel=(
            PERCENT,
            PERCENT_TEN,
            PERCENT_GIN,
            PERCENT_STAGES,
            PERCENT_MARJJ,
            HEISENBOT,
            HEISENBOT_GIN,
            HEISENBOT_PERCENT,
        ),
    ),
)
