"""Advice: its estimates by plain sums, its verdicts, its refusals, and the command."""

from __future__ import annotations

import json

import numpy as np
import pytest

from analysis.knocking.advise import KNOCK, UNDECIDED, WAIT, Effort, advise, draw_worlds, judge, sentence
from sim.scoring import ENDINGS
from sim.worlds import WORLD_DTYPE
from strategies.base import parse_strategy
from tests.analysis.command_line import refused, run
from tests.analysis.knocking.test_position import HAND, LONG, read

GOLD = parse_strategy("gold")
WORDS = (
    "advise", HAND, "--dealer", "opp", "--upcard", "TH", "--drawn", "KH", "--my-discards", "TC JD KS",
    "--opp-discards", "KD QC QH",
)  # fmt: skip


def made_up(points: list[list[int]], times: int = 200) -> np.recarray:
    worlds = np.zeros(len(points) * times, WORLD_DTYPE).view(np.recarray)
    worlds.points = np.tile(points, (times, 1))
    worlds.winner = np.where(worlds.points > 0, 0, 1)
    return worlds


@pytest.mark.requires_jit
def test_estimates_are_plain_sums() -> None:
    effort = Effort(worlds=300, tries=2**18, seconds=600)
    position = read(my_discards="TC", opp_discards="KD")
    tried, worlds = draw_worlds(position, GOLD, parse_strategy("gin_only"), effort=effort, seed=1)
    assert 200 <= len(worlds) <= tried
    told = judge(worlds, None, position.dealer)
    points = worlds.points.astype(float)
    for place, name in enumerate(("knock", "once", "gin")):
        assert told["choices"][name].points.estimate == pytest.approx(points[:, place].mean())
        assert told["choices"][name].share is None
    for place, name in ((1, "once"), (2, "gin")):
        gain = points[:, 0] - points[:, place]
        found = told["gains"][name].points
        assert found.estimate == pytest.approx(gain.mean())
        half = 1.96 * gain.std() / len(gain) ** 0.5
        assert found.high - found.low == pytest.approx(2 * half, rel=0.02)
    undercut = (worlds.ending[:, 0] == ENDINGS.index("undercut")).mean()
    assert told["undercut"].estimate == pytest.approx(undercut)
    assert (worlds.ending[:, 2] != ENDINGS.index("none")).all()


@pytest.mark.parametrize(
    ("points", "verdict"),
    [
        ([[20, 10, 8], [22, 11, 9]], KNOCK),
        ([[20, 10, 30], [22, 11, 28]], WAIT),  # worse than waiting for gin
        ([[20, 30, 10], [22, 28, 12]], WAIT),
        ([[20, 10, 40], [20, 10, 0]], UNDECIDED),  # as good as waiting for gin, within chance
        ([[20, 40, 19], [20, 0, 19]], UNDECIDED),
    ],
)
def test_verdicts(points: list[list[int]], verdict: str) -> None:
    assert judge(made_up(points), None, 0)["verdict"] == verdict


def test_a_verdict_is_by_game_share_where_it_is_known() -> None:
    """Two points a hand more, but a game that only a win of 30 decides."""
    worlds = made_up([[20, 5, 4], [22, 35, 3], [20, 2, 31]])

    def equity(points: np.ndarray, winner: np.ndarray, boxes: np.ndarray, dealer: int) -> np.ndarray:
        assert dealer == 1 and boxes.shape == winner.shape == points.shape
        return np.where(points >= 30, 1.0, 0.1)

    assert judge(worlds, None, 1)["verdict"] == KNOCK
    told = judge(worlds, equity, 1)
    assert told["verdict"] == WAIT
    assert told["choices"]["once"].share.estimate == pytest.approx((0.1 + 1 + 0.1) / 3)
    assert told["gains"]["gin"].share.estimate == pytest.approx(-0.3)


def test_too_few_worlds_are_no_advice() -> None:
    told = advise(read(), GOLD, parse_strategy("gin_only"), effort=Effort(tries=300, seconds=600))
    assert told.worlds < 200 and told.verdict is None and told.choices == {} and told.gains == {}
    assert sentence([told]) == "No advice against 1 of 1 (gin_only)."


def test_the_command_refuses_to_advise() -> None:
    result = run(*WORDS, "--tries", "300", "--against", "gin_only")
    assert result.exit_code == 1 and result.stdout == ""
    assert result.stderr.startswith("ginlab: no advice: ") and len(result.stderr.splitlines()) == 1
    assert "of 300; 200 are needed" in result.stderr and "--seconds" in result.stderr


@pytest.mark.requires_jit
def test_the_command_tells_what_json_holds() -> None:
    words = (*WORDS, "--tries", "60000", "--score", "62:80", "--seconds", "600", "--seed", "3")
    words = (*words, "--against", "gin_only")
    one, two = (run(*words, "--json", "--threads", threads) for threads in ("1", "2"))
    assert one.exit_code == 0 and one.stderr == ""
    told = json.loads(one.stdout)
    again = json.loads(two.stdout)
    for report in (told, again):
        for row in report["against"]:
            del row["seconds"]
    assert told == again
    assert [row["opponent"] for row in told["against"]] == ["gin_only"]
    assert all(row["worlds_tried"] == 60_000 for row in told["against"])
    assert told["position"]["deadwood"] == 7 and told["score"] == [62, 80]
    share = told["against"][0]["choices"]["knock"]["game_share"]
    assert 0 < share["low"] < share["estimate"] < share["high"] < 1


def test_input_is_refused() -> None:
    refused("advise", HAND, "--dealer", "you", "--upcard", "TH", "--history", LONG, names="--dealer 'you'")
    refused(*WORDS, "--against", "gold", "--against", "gold", names="named twice")
    refused(*WORDS, "--against", "nobody", names="unknown strategy 'nobody'")
    refused(*WORDS, "--score", "62-80", names="--score '62-80'")
    refused(*WORDS, "--opp-took", "5C", names="--opp-took 5C")
    for slips in ("-0.1", "1.5", "nan"):
        refused(*WORDS, "--slips", slips, names="'--slips'")
    refused(*WORDS, "--rules", "bga_solo", names="one-player")
    refused("advise", HAND, "--upcard", "TH", names="--dealer")


@pytest.mark.requires_jit
def test_rules_without_a_game_give_points_alone() -> None:
    result = run(*WORDS, "--tries", "40000", "--against", "gin_only", "--set", "match_type=single_hand")
    assert result.exit_code == 0, result.stderr
    shown = " ".join(result.stdout.split())
    assert "No game share: match_type=single_hand" in shown and "Games won" not in shown
    assert "effective sample size" in shown and "knock less it" in shown and "Undercut if you knock" in shown
    assert shown.endswith("against 1 of 1 (gin_only).")


@pytest.mark.requires_jit
def test_the_command_lets_an_opponent_slip() -> None:
    """A discard after which no world of his fits; nothing is said of slips where there are none."""
    words = [*WORDS[:-1], "KD QC 3H", "--against", "simple", "--seconds", "600", "--seed", "3"]
    never = run(*words, "--tries", "40000")
    assert never.exit_code == 1 and "--slips 0.05" in never.stderr
    again = run(*words, "--tries", "40000", "--slips", "1e-15")
    assert again.exit_code == 1 and "simple(pair_memory=true) 0 of 40,000;" in again.stderr
    assert "--slips" not in again.stderr
    words += ["--tries", "1000000", "--worlds", "200", "--slips", "0.2", "--set", "match_type=single_hand"]
    shown = run(*words)
    assert shown.exit_code == 0, shown.stderr
    told = " ".join(shown.stdout.split())
    assert (
        "anything legal, all alike, with probability 0.2, else" in told
        and "From now on he never slips" in told
    )
    report = json.loads(run(*words, "--json").stdout)
    assert report["slips"] == 0.2 and report["against"][0]["effective_sample_size"] >= 200
