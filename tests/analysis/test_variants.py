"""Rule sets compared: every number against single pairs and told games, and the command line."""

from __future__ import annotations

import dataclasses
import json
import shlex
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t
from typer.testing import CliRunner

from analysis import match as match_module
from analysis.cli import app
from analysis.console import UsageError
from analysis.match import match_report
from analysis.metrics import METRICS, difference, group_sums
from analysis.request import Match, parse_rule_sets
from analysis.variants import FIRST_ROUND, ROUNDS, rounds, variants_report
from analysis.variants_text import gap_text, percent_text, stacked
from sim._jit import COMPILED
from sim.replay import replay_match
from sim.rules import Rules, RulesError
from sim.run import Run, play_match
from sim.tally import GROUPS
from strategies.base import parse_strategy, player

A, B = "gin_only", "two_stage(10, 2, 6)"
PAIRS = 150 if COMPILED else 3
SETS = ("eaai", "fournier", "bga_oklahoma", "tournament", "openspiel")


def request(preset: str, pairs: int = PAIRS, **changes: Any) -> Match:
    rules = Rules.preset(preset).replace(**changes)
    return Match(parse_strategy(A), parse_strategy(B), rules, preset, (), pairs, 5)


def play(told: Match, first: int = 0, pairs: int | None = None) -> Run:
    a, b = player(told.a), player(told.b)
    return play_match(a, b, told.rules, pairs=pairs or told.pairs, seed=told.seed, first=first)


@pytest.fixture(scope="module")
def runs() -> dict[str, Run]:
    return {name: play(request(name)) for name in SETS}


@pytest.fixture(scope="module")
def report(runs: dict[str, Run]) -> dict[str, Any]:
    return variants_report([request(name) for name in SETS], list(runs.values()), False)


# --- numbers -------------------------------------------------------------------------------------


def test_a_row_tells_what_a_match_tells(report: dict[str, Any], runs: dict[str, Run]) -> None:
    for row, name in zip(report["sets"], SETS, strict=True):
        told = match_report(request(name), runs[name])
        for key in ("games", "hands", "decisive", "game_share", "hand_share", "hands_per_game"):
            assert row[key] == told[key]
        for key in ("turns_per_hand", "endings"):
            assert row[key] == told[key]
        assert row["points_per_hand"] == told["points_per_hand"]["difference"]
        assert row["first_mover"]["game_share"] == told["first_mover"]["game_share"]
        dealer, other = row["dealer"]["hand_share"], told["first_mover"]["hand_share"]
        assert dealer["estimate"] == pytest.approx(1 - other["estimate"])
        assert dealer["low"] == pytest.approx(1 - other["high"])
        assert (row.get("matches"), row.get("match_share")) == (told.get("matches"), told.get("match_share"))
        assert row["rules"] == {key: told["rules"][key] for key in ("preset", "hash", "fields")}
        assert (row["difference"] is None) == (name == SETS[0])
    assert "match_share" in report["sets"][3] and report["pairs"] == PAIRS


@pytest.mark.parametrize("preset", SETS)
def test_sums_of_groups_by_the_told_games(preset: str) -> None:
    """Endings and the dealer's points, hand by hand, of pairs in different groups."""
    told = request(preset)
    for first in (126, 127, 128) if COMPILED else (0,):
        sums = group_sums(play(told, first, 1).tally)
        counts: Counter[str] = Counter()
        points = 0
        for game in (0, 1):
            story = replay_match(
                player(told.a), player(told.b), told.rules, pair=first, game=game, seed=told.seed
            )
            for hand in (hand for one in story.games for hand in one.hands):
                counts[hand.end] += 1
                points += hand.points if hand.winner == hand.dealer else -hand.points
        assert {name: int(sums[name].sum()) for name in counts} == dict(counts)
        assert int(sums["dealer_points"].sum()) == points
        assert int(sums["dealer_points"][first % GROUPS]) == points
        assert int(sums["hands"].sum()) == sum(counts.values())


def test_differences_by_single_pairs() -> None:
    """Ten pairs are ten groups: each left out by summing the others, one after the other."""
    count = 10 if COMPILED else 3
    one, two = request("eaai"), request("bga")
    single = [[group_sums(play(told, pair, 1).tally) for pair in range(count)] for told in (one, two)]
    whole = [group_sums(play(told, 0, count).tally) for told in (one, two)]

    def ratio(pairs: list[Any], name: str) -> float:
        metric = METRICS[name]
        x = sum(
            weight * sum(int(pair[key].sum()) for pair in pairs) for key, weight in metric.numerator.items()
        )
        return x / (metric.factor * sum(int(pair[metric.denominator].sum()) for pair in pairs))

    varied = 0
    for name, metric in METRICS.items():
        told = difference(metric, whole[1], whole[0])
        gap = ratio(single[1], name) - ratio(single[0], name)
        assert told.estimate == pytest.approx(gap, abs=1e-12)
        left_out = [
            ratio(single[1][:at] + single[1][at + 1 :], name)
            - ratio(single[0][:at] + single[0][at + 1 :], name)
            for at in range(count)
        ]
        error = np.sqrt((count - 1) / count * ((left_out - np.mean(left_out)) ** 2).sum())
        if told.low is None or told.high is None:
            assert error < 1e-12
            continue
        varied += 1
        assert told.high - told.low == pytest.approx(2 * t.ppf(0.975, count - 1) * error)
        assert told.high + told.low == pytest.approx(2 * gap)
    assert varied > 5 or not COMPILED


def test_the_same_rules_do_not_differ(runs: dict[str, Run]) -> None:
    one = group_sums(runs["eaai"].tally)
    for metric in METRICS.values():
        told = difference(metric, one, one)
        assert (told.estimate, told.low, told.high) == (0.0, None, None)


def test_a_difference_turned_round(runs: dict[str, Run]) -> None:
    one, two = (group_sums(runs[name].tally) for name in ("eaai", "fournier"))
    for metric in METRICS.values():
        there, back = difference(metric, one, two), difference(metric, two, one)
        assert there.estimate is not None and back.estimate is not None
        assert there.estimate == pytest.approx(-back.estimate, abs=1e-15)
        if there.low is not None and back.high is not None:
            assert there.low == pytest.approx(-back.high)


@pytest.mark.requires_jit  # needs thousands of games
def test_sharing_decks_narrows_a_difference() -> None:
    """Against a run of other decks; big gin changes few hands, so nearly all luck is shared."""
    one, two = request("eaai", 2_000), request("eaai", 2_000, big_gin_bonus=31)
    base = group_sums(play(one).tally)
    metric = METRICS["points_per_hand"]
    same = difference(metric, group_sums(play(two).tally), base)
    other = difference(metric, group_sums(play(dataclasses.replace(two, seed=6)).tally), base)
    assert same.low is not None and same.high is not None
    assert other.low is not None and other.high is not None
    assert same.high - same.low < 0.2 * (other.high - other.low)


def test_one_pair_has_no_differences(runs: dict[str, Run]) -> None:
    sums = [group_sums(play(request(name), 0, 1).tally) for name in ("eaai", "fournier")]
    told = difference(METRICS["points_per_hand"], sums[1], sums[0])
    assert told.estimate is not None and (told.low, told.high) == (None, None)


def test_shares_of_endings(report: dict[str, Any]) -> None:
    for row in report["sets"]:
        shares = row["ending_shares"]
        assert sum(share["estimate"] for share in shares.values()) == pytest.approx(1)
        for share in shares.values():
            assert 0 <= share["low"] <= share["estimate"] <= share["high"] <= 1
            assert share["high"] > 0  # never seen is not impossible


@given(st.integers(1, 200_000))
def test_rounds_are_all_pairs(pairs: int) -> None:
    told = rounds(pairs)
    assert [first for first, _ in told] == [sum(number for _, number in told[:at]) for at in range(len(told))]
    assert sum(number for _, number in told) == pairs and told[0] == (0, min(FIRST_ROUND, pairs))
    assert all(0 < number <= max(FIRST_ROUND, -(-pairs // ROUNDS)) for _, number in told)
    assert len(told) < 20


# --- words ---------------------------------------------------------------------------------------


def test_texts() -> None:
    assert gap_text({"estimate": 0.0123, "low": 0.008, "high": 0.0166}, 100) == "+1.23 (0.80-1.66)*"
    assert gap_text({"estimate": -1.5, "low": -2.0, "high": -1.0}) == "-1.50 (-2.00 to -1.00)*"
    assert gap_text({"estimate": 0.1, "low": -0.2, "high": 0.4}) == "+0.10 (-0.20 to 0.40)"
    assert gap_text({"estimate": 0.0, "low": None, "high": None}) == "equal"
    assert gap_text({"estimate": None, "low": None, "high": None}) == "n/a"
    assert percent_text({"estimate": 0.5951, "low": 0.5911, "high": 0.5991}) == "59.5 ±0.4"
    assert percent_text({"estimate": 0.0010, "low": 0.0006, "high": 0.0014}) == "0.10 ±0.04"
    assert percent_text({"estimate": 0.0, "low": 0.0, "high": 0.01}) == "0 (0-1)"
    assert percent_text({"estimate": 0.0, "low": 0.0, "high": 0.00037}) == "0 (0-0.037)"
    assert percent_text({"estimate": 1.0, "low": 0.025, "high": 1.0}) == "100.0 (2.5-100.0)"
    assert percent_text({"estimate": None, "low": None, "high": None}) == "n/a"


def test_tables_are_stacked_to_fit() -> None:
    headers, rows = ["", "one", "two", "three"], [["first", "1" * 10, "2" * 10, "3" * 10]]
    assert stacked(headers, rows, 100) == [(headers, rows)]
    parts = stacked(headers, rows, 30)
    assert [head for head, _ in parts] == [["", "one", "two"], ["", "three"]]
    assert parts[1][1] == [["first", "3" * 10]]
    assert len(stacked(headers, rows, 1)) == 3


# --- the command ---------------------------------------------------------------------------------

FEW = "40" if COMPILED else "2"


def typed(*words: str, columns: int = 100) -> Any:
    return CliRunner().invoke(app, ["variants", *words], env={"COLUMNS": str(columns)})


def test_json_is_the_library_s_report() -> None:
    result = typed(A, B, "--rules", "eaai, bga", "--games", FEW, "--seed", "5", "--json", "--threads", "2")
    assert result.exit_code == 0 and result.stderr == ""
    told = json.loads(result.stdout)
    requests = [request(name, int(FEW) // 2) for name in ("eaai", "bga")]
    expected = variants_report(requests, [play(one) for one in requests], False)
    assert {**told, "seconds": 0} == {**expected, "seconds": 0}
    assert told["sets"][1]["difference"]["game_share"].keys() == {"estimate", "low", "high"}


def test_settings_change_every_rule_set() -> None:
    words = (A, B, "--rules", "eaai,bga", "--games", "2", "--set", "gin_bonus=40", "--json")
    told = json.loads(typed(*words).stdout)
    assert [row["rules"]["fields"]["gin_bonus"] for row in told["sets"]] == [40, 40]
    assert told["settings"] == ["gin_bonus=40"]


@pytest.mark.parametrize("columns", [80, 100])
def test_tables_fit(columns: int) -> None:
    sets = "hollywood_scarne150,tournament_50th,openspiel_oklahoma,bga_big_gin,round_the_corner"
    result = typed(A, B, "--rules", sets, "--games", FEW if COMPILED else "2", columns=columns)
    assert result.exit_code == 0
    lines = [line.rstrip() for line in result.stdout.splitlines()]
    assert max(map(len, lines)) <= columns
    for name in sets.split(","):
        assert sum(line.startswith(f"{name} ") for line in lines) >= 3
    assert sum(line.startswith("hollywood_scarne150 ") for line in lines) == sum(
        line.split("  ")[0] in ("What A wins", "% of hands", "The game") for line in lines
    )
    assert any(line.startswith("Less hollywood_scarne150 ") for line in lines)
    assert any(line.startswith("tournament_50th") and " % (" in line for line in lines)
    assert "Under openspiel_oklahoma B always deals" in " ".join(lines)


def test_one_rule_set_is_told_without_differences() -> None:
    result = typed(A, B, "--rules", "eaai", "--games", "2")
    assert result.exit_code == 0 and "Less " not in result.stdout and "*" not in result.stdout


WRONG = {
    "twice": (["--rules", "eaai,bga,eaai"], "--rules 'eaai,bga,eaai': eaai is named twice"),
    "twice with blanks": (["--rules", "eaai, eaai"], "eaai is named twice"),
    "empty": (["--rules", "eaai,,bga"], "an empty name"),
    "nothing": (["--rules", ""], "an empty name"),
    "unknown": (["--rules", "eaai,nobodys"], "unknown rules 'nobodys'; known: "),
    "solo": (["--rules", "eaai,bga_solo"], "rules bga_solo: "),
    "contradiction": (["--rules", "eaai,rlcard", "--set", "knock_limit_source=upcard"], "rules rlcard: "),
    "bad value": (["--rules", "eaai,bga", "--set", "gin_bonus=many"], "rules eaai: gin_bonus=many: "),
    "unknown field": (["--rules", "eaai", "--set", "bonus=1"], "unknown rule 'bonus'"),
    "odd games": (["--rules", "eaai", "--games", "3"], "--games 3: "),
}


@pytest.mark.parametrize(("words", "text"), WRONG.values(), ids=WRONG)
def test_wrong_input_is_one_line(words: list[str], text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def unplayed(*_: Any, **__: Any) -> None:
        raise AssertionError("played")

    monkeypatch.setattr(match_module, "play", unplayed)
    result = typed(A, B, *words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("ginlab: ") and result.stderr.count("\n") == 1
    assert text in result.stderr


def test_wrong_strategies_are_named() -> None:
    result = typed("gold", "nobody", "--rules", "eaai,bga")
    assert result.exit_code == 2 and "nobody" in result.stderr and result.stderr.count("\n") == 1


def test_rule_sets_from_the_library() -> None:
    assert [name for name, _ in parse_rule_sets(" eaai , bga", [])] == ["eaai", "bga"]
    with pytest.raises(UsageError, match="named twice"):
        parse_rule_sets("bga,bga", [])
    with pytest.raises(RulesError, match="unknown rules 'x'"):
        parse_rule_sets("x", [])


@pytest.mark.parametrize(("stop", "pairs"), [(1, None), (2, None), (3, 20), (5, 100), (6, 100)])
def test_a_stopped_comparison_keeps_whole_rounds(
    stop: int, pairs: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C in the n-th run: only rounds that both rule sets have played count."""
    made: list[int] = []
    empty = play_match(player(parse_strategy(A)), player(parse_strategy(B)), Rules(), pairs=1, seed=5)

    def quick(told: Match, threads: int, first: int, pairs: int, on_progress: Any) -> Run:
        made.append(first)
        return dataclasses.replace(empty, first=first, pairs=pairs, interrupted=len(made) == stop)

    monkeypatch.setattr(match_module, "play", quick)
    result = typed(A, B, "--rules", "eaai,bga", "--games", "9_600")
    assert result.exit_code == 130 and len(made) == stop
    if pairs is None:
        assert result.stdout == "" and "before every rule set had played a round" in result.stderr
    else:
        assert result.stdout.startswith(f"Interrupted: what follows are the first {pairs} of 4,800 pairs.")
        assert "those that hold whenever a run is stopped" in " ".join(result.stdout.split())


def test_examples_of_the_help_work() -> None:
    text = CliRunner().invoke(app, ["variants", "--help"]).stdout
    examples = [line.strip() for line in text.splitlines() if line.strip().startswith("ginlab ")]
    assert len(examples) == 3
    for example in examples:
        words = shlex.split(example)[2:]
        if "--games" in words:
            at = words.index("--games")
            del words[at : at + 2]
        assert typed(*words, "--games", "2").exit_code == 0, example
