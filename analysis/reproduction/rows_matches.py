"""Rows R7-R10: published matches."""

from __future__ import annotations

from analysis.reproduction.model import FAST, Line, Play, Row
from analysis.reproduction.published import Published

HANDS = ("match_type=single_hand",)
SINGLE, PARADISE = (8_000, "hands"), (240, "games")
"""Sizes of samples: single hands of R7 and R8, games of R10."""

_EAAI = "mirrored pairs, eaai"

GREEDY = Play("greedy", "simple")
GREEDY_HANDS = Play("greedy", "simple", 400_000, HANDS, cost=0.005, label="greedy v simple, hands")
LEVEL = Play("greedy(score_weight=0)", "simple", label="score_weight=0 v simple")
UNSAFE = Play("greedy(safety=false)", "simple", label="safety=false v simple")
UNSAFE_HANDS = Play(
    "greedy(safety=false)",
    "simple",
    400_000,
    HANDS,
    cost=0.005,
    label="safety=false v simple, hands",
)
FOUR = Play("threshold(4)", "simple")
FOUR_HANDS = Play("threshold(4)", "simple", 400_000, HANDS, cost=0.005, label="threshold(4) v simple, hands")

MC64 = Play("monte_carlo(64)", "simple", 3_000, cost=55)
MC128 = Play("monte_carlo(128)", "simple", 2_000, cost=110)
MC64_HANDS = Play("monte_carlo(64)", "simple", 6_000, HANDS, cost=9, label="monte_carlo(64) v simple, hands")
MC128_HANDS = Play(
    "monte_carlo(128)", "simple", 4_000, HANDS, cost=18, label="monte_carlo(128) v simple, hands"
)
ALIKE64 = Play("monte_carlo(64, likely=false)", "simple", 1_000, cost=45, label="64, likely=false v simple")
ALIKE128 = Play("monte_carlo(128, likely=false)", "simple", 600, cost=90, label="128, likely=false v simple")
EQUITY64 = Play("monte_carlo(64, equity=true)", "simple", 1_000, cost=60, label="64, equity=true v simple")
GREEDY64 = Play(
    "monte_carlo(64, policy=greedy)", "simple", 1_000, cost=60, label="64, policy=greedy v simple"
)
FOUR64 = Play(
    "monte_carlo(64, policy=threshold(4))", "simple", 1_000, cost=50, label="64, policy=threshold(4) v simple"
)

GIN_ITSELF = Play("gin_only", "gin_only")
GIN_KNOCK = Play("gin_only", "threshold(10)")
SIMPLE_CARDS = Play(
    "combine(draw=simple, knock=gin_only, discard=simple)",
    "simple",
    label="simple's cards, gin only v simple",
)
MARJJ_CARDS = Play(
    "combine(draw=marjj, knock=gin_only, discard=marjj)",
    "combine(draw=marjj, knock=threshold(10), discard=marjj)",
    40_000,
    cost=0.3,
    label="marjj's cards, gin only v at 10",
)
HUMAN_CARDS = Play(
    "combine(draw=human, knock=gin_only, discard=human)",
    "combine(draw=human, knock=threshold(10), discard=human)",
    label="human's cards, gin only v at 10",
)


def _itself(cards: str, games: int = 100_000, cost: float = FAST) -> Play:
    """Return gin only against itself with the draw and discard of another player."""
    text = f"combine(draw={cards}, knock=gin_only, discard={cards})"
    return Play(text, text, games, cost=cost, label=f"{cards}'s cards v itself")


SIMPLE_ITSELF, HUMAN_ITSELF = _itself("simple"), _itself("human")
MARJJ_ITSELF = _itself("marjj", 20_000, 0.4)
NOVICE_ITSELF = _itself("rlcard_novice")


ROWS = (
    Row(
        "R7",
        "greedy (knock at 4) against simple",
        f"{_EAAI}: 8,000 single hands; 12,000 games",
        "README of jdh8/gin-rummy-engine",
        (
            Line(
                "hands won, single hands",
                "hand_share",
                GREEDY_HANDS,
                Published("39.4", interval=(38.5, 40.4)),
                True,
            ),
            Line(
                "points a hand, single hands",
                "points_a",
                GREEDY_HANDS,
                Published("8.92", sample=SINGLE),
            ),
            Line("simple's, single hands", "points_b", GREEDY_HANDS, Published("8.29", sample=SINGLE)),
            Line("games won", "game_share", GREEDY, Published("59.8", interval=(59.0, 60.6)), True),
            Line("  hands won within games", "hand_share", GREEDY, percent=True),
            Line("  points a hand within games", "points_a", GREEDY),
            Line("  simple's within games", "points_b", GREEDY),
            Line("  hands in games, score_weight=0", "hand_share", LEVEL, percent=True),
            Line("  points in games, score_weight=0", "points_a", LEVEL),
            Line("  simple's in games, score_weight=0", "points_b", LEVEL),
            Line("  games won, score_weight=0", "game_share", LEVEL, percent=True),
            Line("  hands singly, safety=false", "hand_share", UNSAFE_HANDS, percent=True),
            Line("  points singly, safety=false", "points_a", UNSAFE_HANDS),
            Line("  games won, safety=false", "game_share", UNSAFE, percent=True),
            Line("  hands singly, threshold(4)", "hand_share", FOUR_HANDS, percent=True),
            Line("  points singly, threshold(4)", "points_a", FOUR_HANDS),
            Line("  games won, threshold(4)", "game_share", FOUR, percent=True),
        ),
        reading="The publication's hands are single ones, at 0:0, apart from its games. Within games the "
        "score moves greedy's threshold, so he wins more hands there; without that (score_weight=0) hands "
        "within games are as single ones, and fewer games are won. So hand share and points of single hands "
        "must not be read beside the share of games as if they were of one match.",
        why="The description of greedy leaves details open (ties among equally safe discards; his lay-offs, "
        "greedy there and joint-optimal here), so a rest of a few tenths of a point is of the policy.",
        panel=(GREEDY_HANDS, GREEDY, LEVEL, UNSAFE, FOUR_HANDS, FOUR),
    ),
    Row(
        "R8",
        "Monte Carlo against simple",
        f"{_EAAI}: 8,000 single hands; 12,000 games with 64 samples, 8,000 with 128",
        "README of jdh8/gin-rummy-engine",
        (
            Line("games won, 64 samples", "game_share", MC64, Published("65.4", interval=(64.6, 66.2)), True),
            Line(
                "games won, 128 samples", "game_share", MC128, Published("69.2", interval=(68.3, 70.2)), True
            ),
            Line(
                "hands singly, 64 samples",
                "hand_share",
                MC64_HANDS,
                Published("46.1", interval=(45.2, 47.1)),
                True,
            ),
            Line(
                "points singly, 64 samples",
                "points_a",
                MC64_HANDS,
                Published("11.48", sample=SINGLE),
            ),
            Line(
                "hands singly, 128 samples",
                "hand_share",
                MC128_HANDS,
                Published("47.1", interval=(46.1, 48.1)),
                True,
            ),
            Line(
                "points singly, 128 samples",
                "points_a",
                MC128_HANDS,
                Published("12.29", sample=SINGLE),
            ),
            Line("  games won, 64, likely=false", "game_share", ALIKE64, percent=True),
            Line("  hands won, 64, likely=false", "hand_share", ALIKE64, percent=True),
            Line("  games won, 128, likely=false", "game_share", ALIKE128, percent=True),
            Line("  games won, 64, policy=greedy", "game_share", GREEDY64, percent=True),
            Line("  games won, 64, policy=threshold(4)", "game_share", FOUR64, percent=True),
            Line("  games won, 64, equity=true", "game_share", EQUITY64, percent=True),
        ),
        reading="Which worlds are sampled, who plays on in them, how a hand is valued and how sure an action "
        "must be before it is chosen is open in the description. Ours samples the hands of an opponent who "
        "has played plainly (likely=true), lets gold play on, values points, and takes the best mean; the "
        "published one lets a greedy policy play on, values the chance to win the game and leaves that "
        "policy only beyond two standard errors. For the time it takes ours plays a quarter of the published "
        "games, so its intervals are twice as wide.",
        why="The worlds and the play in them decide. Where all hands of the opponent are alike "
        "(likely=false) the same player takes the other for as poor as one just dealt, knocks at once, and "
        "so gives up the undercuts that waiting brings (see how hands ended): he loses most games. Where "
        "greedy or threshold(4) plays on in the worlds he wins fewer games than where gold does. The "
        "published player models the opponent in a third way and is slower to leave his policy, neither "
        "described closely enough to be played; his shares of hands and games lie among ours, his points a "
        "hand are fewer than in any of them.",
        panel=(MC64, MC128, MC64_HANDS, MC128_HANDS, ALIKE64, ALIKE128, GREEDY64, FOUR64, EQUITY64),
    ),
    Row(
        "R9",
        "Gin only against itself",
        "rules like eaai, sample not given",
        "gin-paradise, report 57",
        (
            Line("gins a game", "gins_a_game", GIN_ITSELF, Published("4.9")),
            Line("hands a game", "hands_a_game", GIN_ITSELF, Published("5.9")),
            Line("  gins, simple's cards", "gins_a_game", SIMPLE_ITSELF),
            Line("  hands, simple's cards", "hands_a_game", SIMPLE_ITSELF),
            Line("  gins, marjj's cards", "gins_a_game", MARJJ_ITSELF),
            Line("  hands, marjj's cards", "hands_a_game", MARJJ_ITSELF),
            Line("  gins, human's cards", "gins_a_game", HUMAN_ITSELF),
            Line("  hands, human's cards", "hands_a_game", HUMAN_ITSELF),
            Line("  gins, random draw (rlcard_novice)", "gins_a_game", NOVICE_ITSELF),
            Line("  hands, random draw", "hands_a_game", NOVICE_ITSELF),
        ),
        reading="Draw and discard are those of gold.",
        why="How cards are drawn and thrown is not described, and decides: with other draw and discard rules "
        "gins and hands a game are others, and the published numbers lie among them.",
        panel=(GIN_ITSELF, SIMPLE_ITSELF, MARJJ_ITSELF, HUMAN_ITSELF, NOVICE_ITSELF),
    ),
    Row(
        "R10",
        "Gin only against knocking, same draw and discard",
        "240 games twice, rules like eaai",
        "gin-paradise, report 56",
        (
            Line("games won, first 240", "game_share", GIN_KNOCK, Published("66", sample=PARADISE), True),
            Line("games won, second 240", "game_share", GIN_KNOCK, Published("69", sample=PARADISE), True),
            Line("  games won, simple's cards", "game_share", SIMPLE_CARDS, percent=True),
            Line("  games won, human's cards", "game_share", HUMAN_CARDS, percent=True),
            Line("  games won, marjj's cards", "game_share", MARJJ_CARDS, percent=True),
        ),
        reading="gin_only against threshold(10), which is gold: both draw and discard as gold. Beside it "
        "other ways to draw and discard, the same for both.",
        why="With other cards drawn and thrown the share is another, see the lines beside it.",
        panel=(GIN_KNOCK, SIMPLE_CARDS, HUMAN_CARDS, MARJJ_CARDS),
    ),
)
