"""Row R13: the framework of the EAAI-21 challenge, its simple player against itself, number by number."""

from __future__ import annotations

from analysis.reproduction.model import EQUAL_COUNTS_BONUS, Line, Play, Row
from analysis.reproduction.published import Published

HANDS = 460_160
"""Hands that were played with the framework."""

_GAMES = 400_000
_ODD = (f"undercut_bonus={EQUAL_COUNTS_BONUS}",)

FRAMEWORK = Play("simple", "simple", _GAMES, framework=True, label="simple v itself, framework's")
FRAMEWORK_ODD = Play("simple", "simple", _GAMES, _ODD, framework=True, label="the same, equal counts apart")
JOINT = Play("simple", "simple", _GAMES, label="simple v itself, joint optimum")
JOINT_ODD = Play("simple", "simple", _GAMES, _ODD, label="joint optimum, equal counts apart")

NUMBERS: tuple[tuple[str, str, str, float | None], ...] = (
    ("turns a hand", "turns", "12.528", 0.008),
    ("knocks won", "knock", "0.93517", 0.00036),
    ("gins", "gin", "0.02079", 0.00021),
    ("undercuts", "undercut", "0.04231", 0.0003),
    ("undercuts, equal counts", "equal_counts", "0.0134", None),
    ("void hands", "void", "0.00173", 0.00006),
    ("winner's mean, points", "winner_points", "16.269", 0.019),
    ("points of a knock", "points_of_knock", "15.10", None),
    ("points of a gin", "points_of_gin", "47.64", None),
    ("points of an undercut", "points_of_undercut", "26.63", None),
    ("hands the non-dealer wins", "non_dealer", "0.50263", 0.00074),
    ("hands a game", "hands_a_game", "10.226", 0.015),
    ("knocker's mean deadwood", "knocker_deadwood", "7.126", None),
    ("cards laid off, decisive hand", "laid_off", "0.595", None),
    ("upcards drawn a hand", "upcard_draws", "2.055", None),
)
"""What, measure, as printed, standard error where one is given. Shares are of hands, not in percent."""


def _lines() -> tuple[Line, ...]:
    lines = []
    for what, measure, text, error in NUMBERS:
        published = Published(text, error=error, sample=None if error else (HANDS, "hands"))
        odd = measure == "equal_counts"
        lines.append(Line(what, measure, FRAMEWORK_ODD if odd else FRAMEWORK, published))
        lines.append(Line("  joint-optimal lay-offs", measure, JOINT_ODD if odd else JOINT))
    return tuple(lines)


ROWS = (
    Row(
        "R13",
        "The framework's own player against itself",
        "the Java framework itself, 460,160 hands, measured apart",
        "tneller/gin-rummy-eaai 559c712",
        _lines(),
        reading="Judged is the framework's way to settle a knock: both show a random least-deadwood "
        "arrangement, the defender melds first and lays off greedily. Beside it this laboratory's, where the "
        "knocker shows what takes the fewest lay-offs, and the defender chooses melds and lay-offs together: "
        "about 0.1 % of hands move from knock to undercut. Undercuts at equal counts are told apart by an "
        "undercut bonus of 200, which the players do not look at.",
        why="Of fifteen numbers that agree one may lie outside its joint interval by chance.",
        panel=(FRAMEWORK, JOINT),
    ),
)
