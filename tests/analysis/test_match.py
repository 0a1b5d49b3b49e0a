"""The report of a match: its keys and identities, and what is said of it in words."""

from __future__ import annotations

import itertools
import json
import re
import shlex
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from analysis import match as told
from analysis.metrics import METRICS, gains
from analysis.request import Match
from analysis.stats.significance import sign_test
from sim._jit import COMPILED
from sim.rules import Rules, parse_overrides
from sim.run import Progress, Run, Swing
from sim.tally import SIDE_ENDINGS, Tally
from strategies.base import parse_strategy

PAIRS = 300 if COMPILED else 4

KEYS = {
    "schema", "rules", "a", "b", "seed", "pairs", "games", "hands", "game_share", "hand_share",
    "points_per_hand", "endings", "drawn", "unfinished", "turns_per_hand", "hands_per_game", "first_mover",
    "seconds", "games_per_second",
}  # fmt: skip
"""What every report has; it may have more."""

MATCHES = {
    "gold simple eaai": (),
    "gin_only threshold(10) standard": (),
    "simple gold bga": ("gin_bonus=20", "undercut_bonus=12"),
    "random two_stage fournier": (),
    "gold gold straight_gin": ("tie_rule=push",),
    "threshold(3) gold round_the_corner": ("big_gin_bonus=40",),
}


def asked(
    a: str, b: str, preset: str = "eaai", settings: tuple[str, ...] = (), pairs: int = PAIRS, **more: Any
) -> Match:
    """Return a match as the command line asks for it."""
    rules = Rules.preset(preset).replace(**parse_overrides(settings))
    sides = parse_strategy(a), parse_strategy(b)
    return Match(*sides, rules, preset, settings, pairs, **{"seed": 7, **more})


def reported(match: Match, threads: int = 1) -> dict[str, Any]:
    return told.match_report(match, told.play(match, threads))


def nothing() -> tuple[Match, dict[str, Any]]:
    """Return a match that was interrupted before its first pair, and its report."""
    match = asked("gold", "simple")
    return match, told.match_report(match, Run(Tally(), 0, 0, 0.0, True, Swing(-1, 0, 0)))


def all_text(match: Match, report: dict[str, Any]) -> str:
    """Return everything that is printed about a report."""
    rows = [*told.result_rows(report), *told.ending_rows(report)]
    lines = [told.heading(report), told.verdict(report), *told.remarks(report)]
    return "\n".join(
        [*lines, *(cell for row in rows for cell in row), told.replay_command(match, report) or ""]
    )


@pytest.fixture(scope="module", params=MATCHES.items(), ids=MATCHES)
def played(request: pytest.FixtureRequest) -> tuple[Match, Run, dict[str, Any]]:
    words, settings = request.param
    match = asked(*words.split(), settings=settings)
    run = told.play(match, 2)
    return match, run, told.match_report(match, run)


Played = tuple[Match, Run, dict[str, Any]]

# --- numbers -------------------------------------------------------------------------------------


def estimates(report: dict[str, Any]) -> dict[str, dict[str, Any]]:
    mover = {f"mover {name}": value for name, value in report["first_mover"].items()}
    points = {f"points {name}": value for name, value in report["points_per_hand"].items()}
    names = ("game_share", "hand_share", "turns_per_hand", "hands_per_game")
    return {**{name: report[name] for name in names}, **mover, **points}


def test_keys(played: Played) -> None:
    report = played[2]
    assert set(report) >= KEYS
    assert set(report["points_per_hand"]) == {"a", "b", "difference"}
    assert set(report["first_mover"]) == {"game_share", "hand_share"}
    assert set(report["endings"]) == {"a", "b", "void", "capped"}
    for side in "ab":
        assert set(report["endings"][side]) == {
            "knock", "gin", "big_gin", "undercut", "tie", "gin_cancelled",
        }  # fmt: skip
    for estimate in estimates(report).values():
        assert set(estimate) == {"estimate", "low", "high"}


def test_a_report_is_plain_data(played: Played) -> None:
    report = played[2]
    assert json.loads(json.dumps(report, allow_nan=False)) == report


def test_what_was_asked_for_is_echoed(played: Played) -> None:
    match, run, report = played
    assert (report["a"], report["b"]) == (str(match.a), str(match.b))
    assert (report["seed"], report["pairs"], report["games"]) == (7, PAIRS, 2 * PAIRS)
    assert report["rules"]["preset"] == match.preset
    assert report["rules"]["fields"] == match.rules.to_dict()
    assert report["rules"]["hash"] == match.rules.hash
    assert report["seconds"] == run.seconds > 0
    assert report["games_per_second"] == pytest.approx(report["games"] / run.seconds)


def test_every_hand_ends_one_way(played: Played) -> None:
    """GR-130: the counts add up to the hands played."""
    _, run, report = played
    endings = report["endings"]
    counts = [*endings["a"].values(), *endings["b"].values(), endings["void"], endings["capped"]]
    assert all(isinstance(count, int) and count >= 0 for count in counts)
    assert sum(counts) == report["hands"] == int(run.tally.total("lengths").sum())
    assert report["hands"] == run.tally.outcome("hands")


def test_hands_won_are_those_of_the_endings(played: Played) -> None:
    match, run, report = played
    endings, rule = report["endings"], match.rules.tie_rule
    won = {}
    for side, other in ("ab", "ba"):
        mine = endings[side]
        won[side] = mine["knock"] + mine["gin"] + mine["big_gin"] + mine["undercut"]
        won[side] += endings[other]["tie"] if rule == "defender_no_bonus" else 0
    assert report["hand_share"]["estimate"] == pytest.approx(won["a"] / (won["a"] + won["b"]), rel=1e-12)
    assert run.tally.outcome("decisive") == won["a"] + won["b"]


def test_estimates_lie_in_their_intervals(played: Played) -> None:
    for name, estimate in estimates(played[2]).items():
        if estimate["low"] is None:  # a mean that never varied
            assert estimate["high"] is None
            continue
        assert estimate["low"] <= estimate["estimate"] <= estimate["high"], name
        if "share" in name:
            assert 0 <= estimate["low"] <= estimate["high"] <= 1


def test_points_and_their_difference(played: Played) -> None:
    _, run, report = played
    points = report["points_per_hand"]
    gap = points["a"]["estimate"] - points["b"]["estimate"]
    assert points["difference"]["estimate"] == pytest.approx(gap, abs=1e-12)
    for side in "ab":
        total = run.tally.outcome(f"points_{side}")
        assert points[side]["estimate"] * report["hands"] == pytest.approx(total)


def test_means_and_games(played: Played) -> None:
    _, run, report = played
    assert report["hands_per_game"]["estimate"] == pytest.approx(report["hands"] / report["games"])
    turns = report["turns_per_hand"]["estimate"] * report["hands"]
    assert turns == pytest.approx(run.tally.outcome("turns"))
    games = run.tally.total("games").sum(axis=(0, 1))
    assert games.sum() == report["games"] and games[2] == report["drawn"] + report["unfinished"]
    share = (games[0] + games[2] / 2) / report["games"]
    assert report["game_share"]["estimate"] == pytest.approx(share)


@pytest.mark.parametrize("name", ["game_share", "hand_share", "points_per_hand"])
def test_pairing_gain_by_single_pairs(name: str) -> None:
    """Variances of the residuals of games and of pairs, from the pairs played one at a time."""
    match = asked("gin_only", "simple")
    pairs = 60 if COMPILED else 8
    single = [told.play(match, 1, pair, 1).tally for pair in range(pairs)]
    metric = METRICS[name]
    games, whole = [], []
    for tally in single:
        # Each pair's games by the packet that A held: hands, games and points by packet are in the tally.
        hands, points, won = (tally.total(field).sum(axis=1) for field in ("hands", "points", "games"))
        a, b = slice(0, 4), slice(6, 10)  # knock, gin, big gin, undercut; no other ending has a winner here
        assert points[:, [4, 5, 10, 11]].sum() == hands[:, [4, 5, 10, 11]].sum() == 0
        rows = {
            "game_share": [(2 * g[0] + g[2], 2 * g.sum()) for g in won],
            "hand_share": [(h[a].sum(), h[a].sum() + h[b].sum()) for h in hands],
            "points_per_hand": [
                (p[a].sum() - p[b].sum(), h.sum()) for h, p in zip(hands, points, strict=True)
            ],
        }[name]
        games += rows
        whole.append(tuple(np.sum(rows, axis=0)))
    x, n = np.sum(games, axis=0)

    def variance(units: list[Any]) -> float:
        rest = [above - below * x / n for above, below in units]
        return float(np.sum(np.square(rest)) * len(rest) / (len(rest) - 1))

    tally = told.play(match, 1, 0, pairs).tally
    assert metric.share == (name != "points_per_hand")
    assert gains(tally)[name] == pytest.approx(variance(games) / variance(whole))


def test_swept_pairs(played: Played) -> None:
    match, run, report = played
    swept, scores = report["swept_pairs"], run.tally.total("pair_scores")
    assert (swept["a"], swept["b"]) == (scores[4], scores[0])
    decided = swept["a"] + swept["b"]
    if decided:
        assert swept["p"] == pytest.approx(binomtest(swept["a"], decided).pvalue, rel=1e-6)
        assert swept["log10_p"] == pytest.approx(np.log10(swept["p"]))
    assert ("Pairs won whole: " in all_text(match, report)) == (decided > 0)


def test_a_p_value_is_never_printed_as_zero() -> None:
    """GR-151, in a match: 3,114 pairs to 171."""
    match, report = nothing()
    report["swept_pairs"] = {"a": 3114, "b": 171, "p": 0.0, "log10_p": sign_test(3114, 171).log10}
    assert "a probability of 5.2e-699 (sign test)" in " ".join(told.remarks(report))


def test_a_strategy_against_itself() -> None:
    """Undiverged pairs are split: half the games each, and a report of who moves first (GR-157)."""
    report = reported(asked("gold", "gold"))
    assert report["undiverged_pairs"] == report["pairs"]
    assert report["game_share"]["estimate"] == report["hand_share"]["estimate"] == 0.5
    low, high = report["game_share"]["low"], report["game_share"]["high"]
    assert 0 < low < 0.5 < high < 1 and low == pytest.approx(1 - high)
    assert report["points_per_hand"]["difference"] == {"estimate": 0.0, "low": None, "high": None}
    assert report["first_mover"]["game_share"]["low"] is not None
    assert told.verdict(report).startswith("Neither side")


@pytest.mark.parametrize("preset", ["eaai", "fournier", "standard"])
def test_sides_exchanged_mirror_the_report(preset: str) -> None:
    one, two = (
        reported(asked(*sides, preset)) for sides in (("gold", "threshold(4)"), ("threshold(4)", "gold"))
    )
    for name in ("pairs", "games", "hands", "unfinished", "undiverged_pairs", "rules", "seed"):
        assert one[name] == two[name]
    assert (one["a"], one["b"]) == (two["b"], two["a"])
    assert one["endings"]["a"] == two["endings"]["b"] and one["endings"]["b"] == two["endings"]["a"]
    for name in ("void", "capped"):
        assert one["endings"][name] == two["endings"][name]
    for name in ("turns_per_hand", "hands_per_game", "first_mover"):
        assert one[name] == two[name]
    for name in ("game_share", "hand_share"):
        here, there = one[name], two[name]
        mirrored = {"estimate": 1 - there["estimate"], "low": 1 - there["high"], "high": 1 - there["low"]}
        assert here == pytest.approx(mirrored, rel=1e-9)
    here, there = one["points_per_hand"], two["points_per_hand"]
    assert (here["a"], here["b"]) == (there["b"], there["a"])
    gap = {"estimate": "estimate", "low": "high", "high": "low"}
    assert here["difference"] == {end: -there["difference"][other] for end, other in gap.items()}
    assert one["largest_swing"]["points"] == two["largest_swing"]["points"]
    assert one["largest_swing"]["pair"] == two["largest_swing"]["pair"]


def test_who_moves_first_when_the_dealer_is_given() -> None:
    for dealer, share in ((0, -1), (1, 1)):
        report = reported(asked("gold", "simple", dealer=dealer))
        mover, game = report["first_mover"]["game_share"], report["game_share"]
        expected = game["estimate"] if share > 0 else 1 - game["estimate"]
        assert mover["estimate"] == pytest.approx(expected)
        assert report["dealer"] == "ab"[dealer]


def test_two_runs_make_one() -> None:
    match = asked("gold", "simple", "standard")
    whole = told.match_report(match, told.play(match, 1))
    first = told.play(match, 1, 0, PAIRS // 3)
    second = told.play(match, 2, first.pairs)
    joined = told.match_report(match, first.then(second))
    for name in ("seconds", "games_per_second"):
        whole.pop(name), joined.pop(name)
    assert joined == whole


@pytest.mark.parametrize("seed", [None, 7])
def test_a_seed_does_not_change_the_rules(seed: int | None) -> None:
    """GR-125: the parameters in force are the ones asked for, with a seed and without."""
    more = {} if seed is None else {"seed": seed}
    report = reported(asked("gold", "simple", "default", ("gin_bonus=30", "undercut_bonus=15"), 2, **more))
    fields = report["rules"]["fields"]
    assert (fields["gin_bonus"], fields["undercut_bonus"]) == (30, 15)
    assert report["rules"]["settings"] == ["gin_bonus=30", "undercut_bonus=15"]
    assert report["rules"]["hash"] == Rules(gin_bonus=30, undercut_bonus=15).hash
    text = told.heading(report)
    assert "gin 30" in text and "undercut 15" in text


# --- nothing to tell -----------------------------------------------------------------------------


def test_no_games_is_not_a_number_nowhere() -> None:
    """GR-184: no games give n/a in words and null in data, never NaN."""
    match, report = nothing()
    assert (report["games"], report["hands"], report["games_per_second"]) == (0, 0, None)
    for estimate in estimates(report).values():
        assert estimate == {"estimate": None, "low": None, "high": None}
    text = all_text(match, report)
    assert "n/a" in text and "nan" not in text.lower()
    assert told.replay_command(match, report) is None
    assert "NaN" not in json.dumps(report, allow_nan=False)
    assert told.verdict(report).startswith("Neither side")


def test_shares_and_means_of_nothing() -> None:
    none = {"estimate": None, "low": None, "high": None}
    assert told.share_text(none) == told.share_text(none, other=True) == told.mean_text(none) == "n/a"
    assert told.percent(None) == told.number(None) == "n/a"
    assert told.lead(none, 0.5) == 0


# --- words ---------------------------------------------------------------------------------------

SIGNS = (1, 0, -1)


def signed(games: int, hands: int, points: int) -> dict[str, Any]:
    """Return as much of a report as the verdict reads, with A ahead (1), behind (-1) or neither (0)."""

    def estimate(sign: int, even: float) -> dict[str, float]:
        middle = even + sign * 0.2
        return {"estimate": middle, "low": middle - 0.1, "high": middle + 0.1}

    return {
        "a": "left",
        "b": "right(k=1)",
        "game_share": estimate(games, 0.5),
        "hand_share": estimate(hands, 0.5),
        "points_per_hand": {"difference": estimate(points, 0.0)},
    }


COMBINATIONS = list(itertools.product(SIGNS, SIGNS, SIGNS))


@pytest.mark.parametrize(("games", "hands", "points"), COMBINATIONS)
def test_one_sentence(games: int, hands: int, points: int) -> None:
    sentence = told.verdict(signed(games, hands, points))
    assert sentence.endswith(".") and sentence.count(".") == 1
    assert (
        "  " not in sentence and " ," not in sentence and ",," not in sentence and "and and" not in sentence
    )
    assert sentence.startswith({1: "A (left) wins", -1: "B (right(k=1)) wins", 0: "Neither side"}[games])


@pytest.mark.parametrize(("games", "hands", "points"), COMBINATIONS)
def test_no_paradox_unless_it_is_significant(games: int, hands: int, points: int) -> None:
    sentence = told.verdict(signed(games, hands, points))
    opposed = games != 0 and hands == -games
    assert ("fewer hands but more games" in sentence) == opposed
    assert (" but " in sentence) == opposed
    assert ("more hands and more games" in sentence) == (games != 0 and hands == games)
    assert ("fewer points" in sentence) == (games != 0 and points == -games)
    assert ("more points" in sentence) == (points != 0 and games in (0, points))
    if games == 0:  # whoever is ahead in something is named
        for sign, what in ((hands, "wins more hands"), (points, "scores more points")):
            assert (f"A {what}" in sentence) == (sign > 0)
            assert (f"B {what}" in sentence) == (sign < 0)


@pytest.mark.parametrize(("games", "hands", "points"), COMBINATIONS)
def test_what_is_shown_is_said(games: int, hands: int, points: int) -> None:
    sentence = told.verdict(signed(games, hands, points))
    if games == 0:
        assert ("hands" in sentence) == (hands != 0)
        assert ("points" in sentence) == (points != 0)
    else:
        assert ("neither side is shown to win more hands" in sentence) == (hands == 0)
        assert ("points" in sentence) == (points != 0)


def test_the_first_minute_s_sentence() -> None:
    assert told.verdict(signed(1, -1, 1)).startswith("A (left) wins fewer hands but more games")
    mirrored = told.verdict(signed(-1, 1, -1))
    assert mirrored.startswith("B (right(k=1)) wins fewer hands but more games")


def test_a_lead_needs_the_whole_interval() -> None:
    for low, high, sign in ((0.4, 0.6, 0), (0.5, 0.6, 0), (0.51, 0.6, 1), (0.4, 0.5, 0), (0.4, 0.49, -1)):
        assert told.lead({"estimate": 0.5, "low": low, "high": high}, 0.5) == sign


@given(st.floats(0, 1), st.floats(1e-5, 0.2))
def test_intervals_are_never_printed_as_a_point(middle: float, half: float) -> None:
    """More digits are shown as the interval shrinks, and the estimate is printed to the same."""
    low, high = max(0.0, middle - half), min(1.0, middle + half)
    for text in (
        told.share_text({"estimate": middle, "low": low, "high": high}),
        told.share_text({"estimate": middle, "low": low, "high": high}, other=True),
        told.mean_text({"estimate": middle, "low": low, "high": high}),
    ):
        value, start, end = re.findall(r"\d+\.\d+", text)
        assert float(start) < float(end) and float(start) <= float(value) <= float(end)
        assert len({len(number.split(".")[1]) for number in (value, start, end)}) == 1


def test_heading_names_the_variant_and_its_limit() -> None:
    """GR-135."""
    text = told.heading(reported(asked("gold", "simple", "standard", pairs=1)))
    assert "Rules standard" in text and "knock at 10" in text and "big gin 31" in text
    text = told.heading(reported(asked("gold", "simple", "standard", ("knock_limit=7",), pairs=1)))
    assert "knock at 7" in text and "knock_limit=7" in text


def test_heading_names_what_was_asked_for(played: Played) -> None:
    """GR-180: a changed rule shows."""
    match, _, report = played
    text = told.heading(report)
    assert f"A = {match.a}" in text and f"B = {match.b}" in text and "seed 7" in text
    assert f"Rules {match.preset}" in text and all(setting in text for setting in match.settings)
    assert f"gin {match.rules.gin_bonus}" in text and f"undercut {match.rules.undercut_bonus}" in text
    assert ("big gin" in text) == (match.rules.big_gin_bonus is not None)
    assert f"{report['games']:,} games" in text and f"{report['hands']:,} hands" in text


def test_heading_names_where_games_begin() -> None:
    text = told.heading(reported(asked("gold", "simple", scores=(62, 80), dealer=0, pairs=1)))
    assert "62:80" in text and "A deals first" in text


def test_rows(played: Played) -> None:
    _, _, report = played
    rows = told.result_rows(report)
    assert [row[0] for row in rows] == ["Hands won", "Points a hand", "Games won"]
    for row, key in ((rows[0], "hand_share"), (rows[2], "game_share")):
        assert row[1] == told.share_text(report[key])
        assert row[3] == {1: "A", -1: "B", 0: "-"}[told.lead(report[key], 0.5)]
    ahead = told.lead(report["points_per_hand"]["difference"], 0.0)
    assert rows[1][3].startswith({1: "A by ", -1: "B by ", 0: "-"}[ahead])


def test_ending_rows_hold_every_hand(played: Played) -> None:
    """An ending that happened is never left out of the table."""
    _, _, report = played
    rows = told.ending_rows(report)
    counts = [int(cell.split()[0].replace(",", "")) for row in rows for cell in row[1:] if cell]
    assert sum(counts) == report["hands"]
    shares = [float(number) for row in rows for cell in row[1:] for number in re.findall(r"([\d.]+) %", cell)]
    assert sum(shares) == pytest.approx(100, abs=0.005 * len(shares))
    assert len(rows) <= len(SIDE_ENDINGS) + 2


def test_all_that_is_printed_is_plain(played: Played) -> None:
    match, _, report = played
    text = all_text(match, report)
    assert text.isascii() and not re.search(r"\bnan\b|None", text)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", text)


def test_replay_command_can_be_read_back() -> None:
    match = asked("two_stage(10, 2, 6)", "simple", "standard", ("gin_bonus=20",), scores=(10, 0), dealer=1)
    match = Match(**{**vars(match), "files": ("my file.py",)})
    report = {"largest_swing": {"points": 9, "pair": 12, "game": 1}}
    command = told.replay_command(match, report)
    assert command is not None
    assert shlex.split(command) == [
        "ginlab", "replay", "two_stage(early=10, late=2, switch=6)", "simple(pair_memory=true)",
        "--rules", "standard", "--set", "gin_bonus=20", "--strategy-file", "my file.py", "--seed", "7",
        "--score", "10:0", "--dealer", "b", "--pair", "12", "--game", "1",
    ]  # fmt: skip


def test_preview_and_progress() -> None:
    match = asked("gold", "simple")
    run = told.play(match, 1)
    share = told.share_text(told.game_share(run.tally.total("moments")).to_dict())
    preview = told.preview_text(run)
    assert share in preview and f"{2 * PAIRS:,} games" in preview
    assert share in told.progress_text(run.tally.total("moments"))
    assert told.progress_text(Tally().total("moments")) == ""


def test_progress_is_told_to_the_end() -> None:
    seen: list[Progress] = []
    run = told.play(asked("gold", "simple"), 2, on_progress=seen.append)
    assert seen[-1].pairs == seen[-1].total == PAIRS
    assert (seen[-1].moments == run.tally.total("moments")).all()
    assert [state.pairs for state in seen] == sorted(state.pairs for state in seen)
