"""The command ``score``: endings, limit cards, walls, rewards."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from analysis.cli import app
from tests.analysis.command_line import ELEVEN, OTHER, answer, refused, score


def test_score_keys() -> None:
    assert answer(*score("--discard", "QD", "--rules", "standard")) == {
        "end": "knock",
        "reason": None,
        "winner": "knocker",
        "points_knocker": 42,
        "points_defender": 0,
        "boxes": 1,
        "payoff_knocker": None,
        "payoff_defender": None,
        "limit": 10,
        "multiplier": 1,
        "knocker_deadwood": 1,
        "defender_deadwood": 43,
        "discard": "QD",
        "spread": ["KS KH KD", "4H 5H 6H", "8C 9C TC"],
        "knocker_leftover": "AS",
        "layoffs": [{"card": "KC", "meld": "KS KH KD"}],
        "defender_melds": ["2S 2H 2D"],
        "defender_leftover": "6S 9S JH QH 5D 3C",
    }


def test_what_the_benchmark_pays() -> None:
    """The catalogue's examples: gin pays 1 and the deadwood's hundredth, a knock 0.2; no lay-offs."""
    told = answer(*score("--discard", "QD", "--rules", "rlcard"))
    assert (told["end"], told["payoff_knocker"], told["payoff_defender"]) == ("knock", 0.2, -0.53)
    gin = "AS 2S 3S 4S 7H 7D 7C JD QD KD"
    other = "5S 7S TD 9H 9S 9D KH 4C 2D AH"
    told = answer(*score("--discard", "9C", "--rules", "rlcard", knocker=gin, defender=other))
    assert (told["end"], told["payoff_knocker"], told["payoff_defender"]) == ("gin", 1.0, -0.39)
    for words in (("--no-knock", "--discard", "9C"), ("--no-knock", "--discard", "KD")):
        knocker = gin if words[-1] == "9C" else gin.replace("KD", "9C")
        told = answer(*score(*words, "--rules", "rlcard", knocker=knocker, defender=other))
        assert (told["end"], told["reason"]) == ("illegal_discard", "who can go gin must")


def test_limit_cards_are_asked_for() -> None:
    refused(*score("--discard", "QD", "--rules", "bga_oklahoma"), names="--upcard CARD")
    separate = ("--set", "knock_limit_source=separate_card")
    refused(*score("--discard", "QD", *separate), names="--knock-card CARD")
    refused(*score("--discard", "QD", "--knock-card", "5S"), names="--knock-card 5S")
    refused(*score("--discard", "QD", "--upcard", "5S", "--set", "opening=eleven_ten"), names="--upcard 5S")
    told = answer(*score("--discard", "QD", "--knock-card", "AH", *separate))
    assert (told["end"], told["limit"], told["multiplier"]) == ("knock", 1, 1)
    told = answer(*score("--discard", "QD", "--knock-card", "AH", *separate, "--set", "oklahoma_ace=gin"))
    assert (told["end"], told["reason"]) == ("illegal_knock", "at most 0 may be knocked with")


def test_kisses_and_spades() -> None:
    kisses = ("--rules", "oklahoma_kisses", "--set", "spade_doubles_boxes=true")
    gin = "AS 2S 3S 4S 7H 7D 7C JD QD KD"
    other = "5S 7S TD 9H 9S 9D KH 4C 2D AH"
    for upcard, points, boxes in (("8S", 128, 6), ("8H", 64, 3)):
        told = answer(*score("--discard", "9C", "--upcard", upcard, *kisses, knocker=gin, defender=other))
        assert (told["end"], told["points_knocker"], told["boxes"]) == ("gin", points, boxes)


TIED = "4S 5S 6S 8H 8D 8C TC JC QC 6D"
OTHER_TIED = "KH KS KC 2H 2D 2C JH JD JS 6H"


@pytest.mark.parametrize(
    ("words", "end", "winner", "boxes", "text"),
    [
        (["--set", "tie_rule=defender_no_bonus"], "tie", "defender", 1, "the box to the defender"),
        (["--set", "tie_rule=knocker"], "knock", "knocker", 1, "no points, but the box to the knocker"),
        (["--set", "tie_rule=push"], "tie", None, 0, "nobody scores"),
        (
            ["--rules", "oklahoma_kisses", "--set", "undercut_bonus=0", "--upcard", "9H"],
            "undercut", "defender", 2, "no points, but 2 boxes to the defender",
        ),
        (["--rules", "fournier"], "undercut", "defender", 1, "10 points to the defender"),
    ],
)  # fmt: skip
def test_who_wins_the_box(words: list[str], end: str, winner: str | None, boxes: int, text: str) -> None:
    hand = score("--discard", "KD", *words, knocker=TIED, defender=OTHER_TIED)
    told = answer(*hand)
    assert (told["end"], told["winner"], told["boxes"]) == (end, winner, boxes)
    assert text in " ".join(CliRunner().invoke(app, hand).stdout.split())


def test_big_gin_of_few_cards() -> None:
    """Nine cards can be three melds of three: then none can be spared, and big gin alone ends with all."""
    eight = ("--set", "hand_size=8")
    other = "3S 4S 5H 6H 7D 8C TC JC"
    kept, nine = "2S 2H 9S 9H 9D KS KH KD", "2S 2H 2D 9S 9H 9D KS KH KD"
    must = ("--set", "gin_compulsory=true", "--set", "big_gin_bonus=31")
    for more in ((), ("--no-knock",)):
        told = answer(*score("--discard", "2D", *more, *eight, *must, knocker=kept, defender=other))
        assert (told["end"], told["reason"]) == ("illegal_discard", "who can go gin must")
    told = answer(*score("--big-gin", *eight, *must, knocker=nine, defender=other))
    assert told["end"] == "big_gin"
    told = answer(*score("--big-gin", *eight, knocker=nine, defender=other))
    assert (told["end"], told["reason"]) == ("illegal_knock", "no melded card can be spared")
    shown = CliRunner().invoke(app, ["solve", *eight, nine]).stdout
    assert "but none can be spared" in shown and "counts as gin" not in shown


def test_rewards_of_a_void_hand() -> None:
    told = answer(
        *score(
            "--discard", "QD", "--no-knock", "--stock", "2", "--rules", "rlcard", "--set", "wall_rule=void"
        )
    )
    assert (told["end"], told["payoff_knocker"], told["payoff_defender"]) == ("void", -0.01, -0.53)


def test_the_wall_decides() -> None:
    hand = score("--discard", "QD", "--stock", "2")
    assert answer(*hand, "--taken", "QD", "--set", "may_discard_taken=true")["end"] == "void"
    for wall, taken, knocks, end in (
        ("void", True, True, "void"),
        ("void", False, True, "knock"),
        ("void", False, False, "void"),
        ("last_discard_knock", True, True, "knock"),
        ("last_discard_knock", True, False, "void"),
        ("last_discard_knock", False, False, None),
        ("last_discard_play", True, True, "knock"),
        ("last_discard_play", True, False, None),
        ("last_discard_play", False, False, None),
    ):
        words = ["--set", f"wall_rule={wall}", *(["--taken", "KS"] if taken else [])]
        words += [] if knocks else ["--no-knock"]
        assert answer(*hand, *words)["end"] == end, (wall, taken, knocks)
    again = ("--set", "wall_rule=reshuffle")
    assert answer(*hand, *again)["end"] == "knock"
    assert answer(*hand, "--no-knock", *again)["end"] is None
    refused(*score("--discard", "QD", "--stock", "1", *again), names="--stock 1")
    nobody = score("--discard", "QD", "--stock", "1", "--set", "wall_rule=last_discard_play")
    assert answer(*nobody)["end"] == "void"  # nobody draws from the dead stock


def test_nothing_is_shown_when_the_hand_goes_on() -> None:
    told = answer(*score("--discard", "QD", "--no-knock"))
    assert told["end"] is None
    assert told["spread"] == told["layoffs"] == []
    assert told["knocker_deadwood"] is told["defender_deadwood"] is None
    assert told["points_knocker"] == told["points_defender"] == 0


def test_big_gin() -> None:
    eleven = score("--big-gin", knocker=ELEVEN, defender=OTHER)
    told = answer(*eleven, "--rules", "standard")
    assert (told["end"], told["points_knocker"], told["discard"]) == ("big_gin", 97, None)
    told = answer(*eleven)  # no big gin in these rules: the lowest card that can be spared goes
    assert (told["end"], told["points_knocker"], told["discard"]) == ("gin", 91, "9C")
    assert answer(*eleven, "--taken", "9C")["discard"] == "KC"  # it was just taken
    told = answer(*eleven, "--spread", "5C 5H 5D | AS 2S 3S | 9C TC JC QC")
    assert (told["discard"], told["spread"]) == ("KC", ["5C 5H 5D", "AS 2S 3S", "9C TC JC QC"])
    refused(*eleven, "--spread", "5H 5D 5C | AS 2S 3S | 9C TC JC QC KC", names="--spread")
    loose = score("--big-gin", knocker=ELEVEN.replace("KC", "6C"), defender=OTHER)
    for preset in ("standard", "default"):
        told = answer(*loose, "--rules", preset)
        assert (told["end"], told["knocker_deadwood"]) == ("illegal_knock", 6)
