"""Runs: the same bytes however the work is split, Ctrl-C, faults of strategies, arguments, caches."""

from __future__ import annotations

import _thread
import importlib
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sim._jit import COMPILED, is_compiled
from sim.replay import replay_game
from sim.rules import Rules, RulesError
from sim.run import Player, Progress, Run, RunError, Swing, Table, play_match
from sim.tally import OUTCOMES
from sim.view import PARAMS, TABLE
from strategies.base import parse_strategy, player
from tests.strategies import user_file
from tests.strategies.user_file import ALWAYS, ANY, COIN, LOWER, STALE, TOSS, UPCARD, puppet

ROOT = Path(__file__).resolve().parents[2]
EAAI = Rules.preset("eaai")


def named(text: str) -> Player:
    return player(parse_strategy(text))


def facts(run: Run) -> tuple[Any, ...]:
    """Return all that a run must say again when it is played again."""
    return run.tally.tobytes(), run.first, run.pairs, run.interrupted, run.swing


# --- splits --------------------------------------------------------------------------------------

PLAYERS = {
    "simple-gold": (named("simple"), named("gold")),
    "random": (puppet(COIN, TOSS, ANY), named("gin_only")),
}


class TestSplits:
    @pytest.mark.parametrize("who", PLAYERS)
    @pytest.mark.parametrize("preset", ["eaai", "standard"])
    def test_threads_and_chunks(self, who: str, preset: str) -> None:
        a, b = PLAYERS[who]
        pairs = 301 if COMPILED else 3
        splits = [(1, None), (2, None), (5, None), (1, 1), (1, 100), (2, 7), (5, 1), (3, 129), (1, 10_000)]
        if not COMPILED:
            splits = [(1, None), (2, 1), (5, 2)]
        played = [
            play_match(a, b, Rules.preset(preset), pairs=pairs, seed=3, threads=threads, chunk=chunk)
            for threads, chunk in splits
        ]
        assert {facts(run) for run in played} == {facts(played[0])}
        assert played[0].pairs == pairs and not played[0].interrupted

    def test_runs_that_go_on(self) -> None:
        a, b = PLAYERS["simple-gold"]
        half = 100 if COMPILED else 1
        first, second = (
            play_match(a, b, EAAI, pairs=half, seed=3, threads=2),
            play_match(a, b, EAAI, pairs=half, seed=3, first=half),
        )
        whole = play_match(a, b, EAAI, pairs=2 * half, seed=3)
        assert facts(first.then(second)) == facts(whole)
        assert (second.first, second.pairs) == (half, half)
        with pytest.raises(ValueError, match=f"a run from pair 0 does not go on from {2 * half}"):
            second.then(first)

    def test_seeds_and_pairs_matter(self) -> None:
        a, b = PLAYERS["simple-gold"]
        few = 5 if COMPILED else 1
        runs = [
            play_match(a, b, EAAI, pairs=few, seed=seed, first=first)
            for seed, first in ((0, 0), (1, 0), (0, 128), (2**63 - 1, 0), (0, 2**40))
        ]
        assert len({run.tally.tobytes() for run in runs}) == len(runs)

    def test_a_seed_leaves_the_rules_alone(self) -> None:
        # Case GR-125.
        rules = Rules(gin_bonus=30, undercut_bonus=15)
        tables = [Table(named("gold"), named("gold"), rules, seed) for seed in (0, 7)]
        assert tables[0].rules.tobytes() == tables[1].rules.tobytes()
        assert [int(table.views[1].gin_bonus) for table in tables] == [30, 30]

    @pytest.mark.parametrize("how", [LOWER, STALE])
    def test_a_decision_sees_nothing_of_other_hands(self, how: int) -> None:
        # What a turn has not filled in yet must be the same whatever was played before the hand.
        a, b = puppet(how, ALWAYS), puppet(COIN, ALWAYS)
        pairs = 150 if COMPILED else 4
        runs = [play_match(a, b, EAAI, pairs=pairs, chunk=chunk) for chunk in (1, 2, pairs)]
        assert len({run.tally.tobytes() for run in runs}) == 1


def test_progress() -> None:
    seen: list[Progress] = []
    pairs = 50_000 if COMPILED else 3
    run = play_match(named("gold"), named("gin_only"), EAAI, pairs=pairs, threads=2, on_progress=seen.append)
    assert [one.pairs for one in seen] == sorted(one.pairs for one in seen)
    assert {one.total for one in seen} == {pairs}
    assert seen[-1].pairs == pairs
    np.testing.assert_array_equal(seen[-1].moments, run.tally.total("moments"))
    for one in seen:
        assert one.moments.shape == (len(OUTCOMES),) * 2 and one.moments[0, 0] == one.pairs


# --- the largest come-back -----------------------------------------------------------------------


def test_swing() -> None:
    a, b = PLAYERS["simple-gold"]
    pairs = 8 if COMPILED else 1
    run = play_match(a, b, EAAI, pairs=pairs, seed=8, first=5, scores=(10, 0))
    told = {}
    for pair in range(5, 5 + pairs):
        for game in (0, 1):
            story = replay_game(a, b, EAAI, pair=pair, game=game, seed=8, scores=(10, 0))
            behind = [hand.scores[1 - story.winner] - hand.scores[story.winner] for hand in story.hands]
            told[pair, game] = max(0, *behind, 10 if story.winner == 1 else 0)
    most = max(told.values())
    assert run.swing == Swing(most, *next(place for place, points in told.items() if points == most))
    assert Swing(5, 3, 0).or_larger(Swing(5, 2, 1)) == Swing(5, 2, 1)
    assert Swing(5, 3, 0).or_larger(Swing(-1, 0, 0)) == Swing(5, 3, 0)


# --- Ctrl-C --------------------------------------------------------------------------------------


def _by_signal() -> None:
    signal.raise_signal(signal.SIGINT)


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """Let SIGINT raise KeyboardInterrupt: a shell starts background jobs with the signal ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("ctrl_c")
@pytest.mark.parametrize("stop", [_thread.interrupt_main, _by_signal], ids=["thread", "signal"])
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_interrupted(threads: int, stop: Callable[[], None]) -> None:
    """Ctrl-C leaves the pairs from the first on without a gap, as a run of so many pairs has them."""
    a, b = PLAYERS["simple-gold"]
    chunk = None if COMPILED else 1
    asked = False

    def on_progress(progress: Progress) -> None:
        nonlocal asked
        if progress.pairs and not asked:
            asked = True
            stop()

    started = time.perf_counter()
    run = play_match(
        a, b, EAAI, pairs=50_000_000, seed=4, first=9, threads=threads, chunk=chunk, on_progress=on_progress
    )
    assert time.perf_counter() - started < 60  # case GR-170; minutes if it plays on
    assert run.interrupted and 0 < run.pairs < 50_000_000
    assert facts(run)[:3] == facts(play_match(a, b, EAAI, pairs=run.pairs, seed=4, first=9, threads=2))[:3]


def test_a_failing_progress_stops_the_run() -> None:
    def on_progress(_: Progress) -> None:
        raise OSError("no terminal")

    a, b = PLAYERS["simple-gold"]
    pairs = 50_000_000 if COMPILED else 20  # minutes if it plays on
    started = time.perf_counter()
    with pytest.raises(OSError, match="no terminal"):
        play_match(a, b, EAAI, pairs=pairs, on_progress=on_progress, chunk=None if COMPILED else 1)
    assert time.perf_counter() - started < 60


# --- faults of strategies ------------------------------------------------------------------------

CARD = "discards a card it may not discard"
KNOCK = "ends the hand with a discard that leaves more than the limit"
FAULTS = {
    "no-card": (user_file.NO_CARD, rf"{CARD} \(no card\)"),
    "not-held": (user_file.NOT_HELD, rf"{CARD} \(\w\w\)"),
    "two-cards": (user_file.TWO_CARDS, rf"{CARD} \(\w\w \w\w\)"),
    "no-mask": (user_file.NO_MASK, rf"{CARD} \(the mask -0x1\)"),
    "taken": (user_file.BANNED, rf"{CARD} \(\w\w\)"),
    "too-much": (
        user_file.TOO_MUCH,
        r"ends the hand with a discard that leaves more than the limit \(\w\w\)",
    ),
}


class TestFaults:
    @pytest.mark.parametrize("fault", FAULTS)
    @pytest.mark.parametrize("threads", [1, 3])
    def test_named_with_its_place(self, fault: str, threads: int) -> None:
        throw, message = FAULTS[fault]
        culprit = puppet(UPCARD if fault == "taken" else LOWER, ALWAYS, throw, since=3, name="culprit")
        place = r"seed 6, pair \d+, game [01], hand \d+, turn \d+, holding( [A2-9TJQK][SHDC]){10,11}"
        with pytest.raises(RunError, match=rf"^culprit {message}, {place}$"):
            play_match(named("gold"), culprit, EAAI, pairs=40, seed=6, first=20, threads=threads)

    def test_the_place_can_be_played_again(self) -> None:
        culprit = puppet(throw=user_file.NOT_HELD, since=3, name="culprit")
        with pytest.raises(RunError) as error:
            play_match(culprit, named("gold"), EAAI, pairs=1, seed=6, first=17)
        assert "pair 17, game 0, hand 0, turn" in str(error.value)
        turn = re.search(r"turn (\d+), holding", str(error.value))
        assert turn is not None and int(turn[1]) in (5, 6)  # the culprit's third turn
        with pytest.raises(RunError) as again:
            replay_game(culprit, named("gold"), EAAI, pair=17, game=0, seed=6)
        assert str(again.value) == str(error.value)

    @pytest.mark.parametrize("show", [user_file.BEYOND, user_file.BELOW])
    def test_bad_spread(self, show: int) -> None:
        culprit = puppet(show=show, name="culprit")
        table, turns = hand_with_a_choice(culprit)
        user_file.go_on(table)
        message = str(table.fault())
        assert message.startswith("culprit chooses a spread that is not among its arrangements, seed 1")
        assert f"turn {turns}, holding" in message

    @pytest.mark.parametrize("threads", [1, 2])
    def test_exception(self, threads: int) -> None:
        culprit = puppet(throw=user_file.RAISE, since=2, name="culprit")
        with pytest.raises(RunError) as error:
            play_match(culprit, named("gin_only"), EAAI, pairs=40, seed=6, first=20, threads=threads)
        assert re.match(
            r"culprit: discard raised ValueError: the puppet is broken, seed 6, pair \d+, game [01], "
            r"hand 0, turn [34], holding( \w\w){11}$",
            str(error.value),
        )

    def test_the_others_stop(self) -> None:
        culprit = puppet(throw=user_file.NO_CARD)
        started = time.perf_counter()
        with pytest.raises(RunError):
            play_match(culprit, named("gold"), EAAI, pairs=50_000_000, threads=2)
        assert time.perf_counter() - started < 60


def hand_with_a_choice(culprit: Player) -> tuple[Table, int]:
    """Return a table in whose next turn the culprit knocks with two arrangements to show (E23)."""
    table = user_file.at_discard(
        "4H 5H 6H 7H 7S 7D 7C AS AD 3C", "KS", "8H 9H KD KC KH QC JD 4C 2D 6S", Rules(), culprit
    )
    table.hand.turns = 6
    return table, 7


# --- arguments -----------------------------------------------------------------------------------

WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "no-pairs": ({"pairs": 0}, "pairs"),
    "negative-pairs": ({"pairs": -4}, "pairs"),
    "negative-first": ({"first": -1}, "pairs -1"),
    "far-first": ({"first": 2**63}, str(2**63)),
    "over-the-end": ({"first": 2**63 - 1, "pairs": 2}, str(2**63 - 1)),
    "negative-seed": ({"seed": -1}, "seed -1"),
    "large-seed": ({"seed": 2**63}, f"seed {2**63}"),
    "no-threads": ({"threads": 0}, "threads 0"),
    "many-threads": ({"threads": 100_000}, "threads 100000"),
    "no-chunk": ({"chunk": 0}, "chunk 0"),
    "score-reached": ({"scores": (0, 100)}, "score 0:100"),
    "negative-score": ({"scores": (-1, 5)}, "score -1:5"),
    "dealer": ({"dealer": 2}, "dealer 2"),
    "negative-dealer": ({"dealer": -1}, "dealer -1"),
}


@pytest.mark.parametrize(("changes", "named_so"), WRONG.values(), ids=WRONG)
def test_wrong_arguments(changes: dict[str, Any], named_so: str) -> None:
    arguments: dict[str, Any] = {"pairs": 1, **changes}
    with pytest.raises((ValueError, RulesError), match=named_so):
        play_match(named("gold"), named("gold"), EAAI, **arguments)


@pytest.mark.parametrize(("changes", "named_so"), [({"pair": -1}, "pair -1"), ({"game": 2}, "game 2")])
def test_wrong_replay(changes: dict[str, Any], named_so: str) -> None:
    arguments: dict[str, Any] = {"pair": 0, **changes}
    with pytest.raises(ValueError, match=named_so):
        replay_game(named("gold"), named("gold"), EAAI, **arguments)


def test_the_one_player_game_is_refused() -> None:
    with pytest.raises(RulesError, match="one-player game"):
        play_match(named("gold"), named("gold"), Rules.preset("bga_solo"), pairs=1)


@pytest.mark.parametrize("preset", ["hollywood", "tournament"])
def test_scores_that_no_game_begins_at(preset: str) -> None:
    with pytest.raises(RulesError, match="score 5:0: only a game of one column or a hand"):
        play_match(named("gold"), named("gold"), Rules.preset(preset), pairs=1, scores=(5, 0))


def test_players_that_do_not_fit() -> None:
    gold = named("gold")
    with pytest.raises(ValueError, match="long has 49 parameters, at most 48"):
        Table(Player("long", gold.decisions, [0.0] * (PARAMS + 1)), gold, EAAI)
    with pytest.raises(ValueError, match=f"wide has a table of {TABLE + 1} values"):
        Table(Player("wide", gold.decisions, (), np.zeros(TABLE + 1)), gold, EAAI)
    table = Table(Player("fits", gold.decisions, [1.5, -2.0], [[1.0, 2.0], [3.0, 4.0]]), gold, EAAI)
    assert table.views[0].params[:3].tolist() == [1.5, -2.0, 0.0]
    assert table.views[0].table[:5].tolist() == [1.0, 2.0, 3.0, 4.0, 0.0]
    assert not table.views[1].table.any()


# --- memory and caches ---------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.requires_jit
def test_memory_does_not_grow() -> None:
    # Case GR-174, with ten times the hands.
    import resource

    a, b = named("gold"), named("simple")
    play_match(a, b, EAAI, pairs=50_000, threads=2)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    run = play_match(a, b, EAAI, pairs=500_000, threads=2)
    assert run.tally.outcome("hands") > 9_000_000
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50 * 1024


@pytest.mark.slow
@pytest.mark.requires_jit
def test_an_edit_meets_no_stale_machine_code(tmp_path: Path) -> None:
    # Case GR-168: a constant in a module that kernels import is edited between two processes.
    (tmp_path / "strategies").mkdir()
    (tmp_path / "sim").mkdir()
    for path in [*(ROOT / "sim").glob("*.*"), ROOT / "strategies" / "__init__.py"]:
        text = path.read_text(encoding="utf-8") if path.parent.name == "sim" else ""
        (tmp_path / path.relative_to(ROOT)).write_text(text, encoding="utf-8")
    code = "from sim import cards, melds; print(melds.deadwood(cards.parse_cards('KS KH 9D')))"

    def points() -> str:
        found = subprocess.run(
            [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True,
            env={"XDG_CACHE_HOME": str(tmp_path / "cache"), "HOME": str(tmp_path), "PATH": ""},
        )  # fmt: skip
        return found.stdout.strip()

    assert [points(), points()] == ["29", "29"]
    tables = tmp_path / "sim" / "tables.py"
    source = tables.read_text(encoding="utf-8")
    assert source.count("min(rank + 1, 10)") == 1
    tables.write_text(source.replace("min(rank + 1, 10)", "min(rank + 1, 8)"), encoding="utf-8")
    assert points() == "24"


@pytest.mark.requires_jit
def test_nothing_is_compiled_again_for_other_rules() -> None:
    """Rules and parameters are arguments: after a first match no kernel gains machine code."""
    engine = ("sim.game", "sim.hand", "sim.deal", "sim.deadwood", "sim.layoff", "sim.sheet", "sim.tally")
    others = ("sim.rollout", "strategies.compiled.threshold", "strategies.compiled.monte_carlo")
    modules = [importlib.import_module(name) for name in (*engine, *others)]

    def compiled() -> dict[str, int]:
        kernels = {f"{m.__name__}.{k}": v for m in modules for k, v in vars(m).items() if is_compiled(v)}
        return {name: len(kernel.overloads) for name, kernel in kernels.items()}

    play_match(named("threshold(4)"), named("monte_carlo(1)"), EAAI, pairs=1)
    before = compiled()
    assert before["sim.game.play_pairs"] == before["sim.hand.play_hand"] == 1
    for preset in ("hollywood", "tournament", "rlcard", "bga_oklahoma", "round_the_corner", "seven_card"):
        play_match(named("threshold(7)"), named("monte_carlo(2, simple)"), Rules.preset(preset), pairs=1)
    assert compiled() == before


def test_single_hands_from_a_score() -> None:
    """The players know the score; the hand's points alone are won."""
    a, b = named("clinch"), named("gold")
    rules = EAAI.replace(match_type="single_hand")
    pairs = 300 if COMPILED else 5
    run = play_match(a, b, rules, pairs=pairs, seed=8, scores=(95, 0))
    tally = run.tally
    assert tally.outcome("hands") == tally.outcome("games") == 2 * pairs
    assert (tally.outcome("total_a"), tally.outcome("total_b")) == (
        tally.outcome("points_a"),
        tally.outcome("points_b"),
    )
    level = play_match(a, b, rules, pairs=pairs, seed=8).tally
    assert level.tobytes() != tally.tobytes()  # who needs five points knocks for them
