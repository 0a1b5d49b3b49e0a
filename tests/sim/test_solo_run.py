"""Runs of solo games: splits, what the player sees, every strategy, faults, Ctrl-C, arguments."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from sim._jit import COMPILED
from sim.cards import parse_card, parse_cards
from sim.deal import MAX_STREAK, MAX_TURNS
from sim.hand import BAD_GIN
from sim.rules import Rules, RulesError
from sim.run import Player, RunError
from sim.solo import SoloProgress, SoloRun, SoloTable, play_solo
from sim.solo_hand import SOLO_ENDINGS, SOLO_GOING, SOLO_HAND_DTYPE
from sim.solo_tally import SOLO_OUTCOMES
from sim.streams import CARD_PLACES, deck_key, hand_key, pair_key, place_card, word
from sim.view import VIEW_DTYPE, discard_rule, draw_rule, knock_rule
from strategies.base import parse_strategy, player, registered
from strategies.helpers import highest
from tests.strategies import user_file
from tests.strategies.user_file import (
    ALWAYS,
    ANY,
    BANNED,
    BEST,
    COIN,
    GIN,
    JUST_DRAWN,
    LOWER,
    NEVER,
    NO_CARD,
    NO_MASK,
    NOT_HELD,
    RAISE,
    STALE,
    STOCK,
    TOO_MUCH,
    TOSS,
    TWO_CARDS,
    UPCARD,
    puppet,
)

BGA_SOLO = Rules.preset("bga_solo")


def solo_rules(solo: dict[str, Any] | None = None, **changes: Any) -> Rules:
    """Return `bga_solo` with some fields of the solo game and others changed."""
    return BGA_SOLO.replace(solo=solo or {}, **changes)


VARIANTS = {
    "bga_solo": BGA_SOLO,
    "eleven": solo_rules({"start": "eleven", "draw_from_discard": "any", "jokers": 1, "end_on_joker": 1}),
    "before": solo_rules({"jokers_enter": "before_deal", "replace_drawn_joker": False}, dead_stock=6),
    "corner": solo_rules({"draw_from_discard": "any"}, runs_ace="corner", ace_value=15, gin_compulsory=True),
    "reduced": solo_rules({"jokers": 4, "end_on_joker": 4}, hand_size=5, ranks=8, may_discard_taken=True),
}


def named(text: str) -> Player:
    return player(parse_strategy(text))


def facts(run: SoloRun) -> tuple[Any, ...]:
    """Return all that a run must say again when it is played again."""
    return run.tally.tobytes(), run.first, run.games, run.interrupted


# --- splits --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["bga_solo", "before"])
@pytest.mark.parametrize("who", [named("simple"), puppet(COIN, TOSS, ANY)], ids=["simple", "random"])
def test_threads_and_chunks(who: Player, name: str) -> None:
    games = 301 if COMPILED else 3
    splits = [(1, None), (2, None), (5, None), (1, 1), (1, 100), (2, 7), (5, 1), (3, 129), (1, 10_000)]
    played = [
        play_solo(who, VARIANTS[name], games=games, seed=3, threads=threads, chunk=chunk)
        for threads, chunk in (splits if COMPILED else splits[:3])
    ]
    assert {facts(run) for run in played} == {facts(played[0])}
    assert played[0].games == played[0].tally.games == games and not played[0].interrupted


def test_runs_add_up() -> None:
    half = 100 if COMPILED else 1
    parts = [play_solo(named("gold"), BGA_SOLO, games=half, seed=3, first=first) for first in (0, half)]
    whole = play_solo(named("gold"), BGA_SOLO, games=2 * half, seed=3)
    assert parts[0].tally.merge(parts[1].tally).tobytes() == whole.tally.tobytes()
    other = play_solo(named("gold"), BGA_SOLO, games=2 * half, seed=4)
    assert other.tally.tobytes() != whole.tally.tobytes()


def test_sums_agree_with_each_other() -> None:
    run = play_solo(named("threshold(6)"), VARIANTS["before"], games=400 if COMPILED else 3, seed=5)
    tally = run.tally
    endings, points = tally.endings(), tally.points_by_ending()
    assert sum(endings.values()) == tally.outcome("hands")
    ended = endings["solo_knock"] + endings["solo_gin"]
    assert ended == tally.outcome("ended") == tally.total("deadwood").sum() == tally.total("turned").sum()
    assert endings["solo_gin"] == tally.total("deadwood")[0]
    assert tally.total("turned") @ np.arange(64) == tally.outcome("turned")
    for side in ("player", "joker"):
        told = tally.outcome(f"points_{side}")
        assert told == sum(one[side] for one in points.values()) == tally.outcome(f"score_{side}")
    assert points["solo_gin"]["joker"] == points["solo_second_joker"]["player"] == 0
    assert points["void"] == points["capped"] == {"player": 0, "joker": 0}
    assert points["solo_knock"]["joker"] == tally.total("deadwood") @ np.arange(11)
    moments = tally.total("moments")
    assert np.array_equal(moments, moments.T) and moments[0, 0] == run.games
    won, lost, unfinished = tally.total("games").tolist()
    assert won + lost == run.games and unfinished == 0 and tally.outcome("games") == 2 * won


def test_scores_at_the_beginning() -> None:
    games = 200 if COMPILED else 4
    run = play_solo(named("gold"), BGA_SOLO, games=games, scores=(99, 0), threads=2)
    tally = run.tally
    assert tally.outcome("score_player") == 99 * games + tally.outcome("points_player")
    assert tally.outcome("score_joker") == tally.outcome("points_joker")
    assert tally.total("games")[0] > tally.total("games")[1]


def test_games_without_an_end_are_unfinished(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who takes back his discard for ever: each hand is capped, the game stops after 10,000."""
    if not COMPILED:  # a constant of the kernel otherwise
        monkeypatch.setattr("sim.solo.MAX_HANDS", 2)
    run = play_solo(puppet(UPCARD, NEVER), solo_rules({"draw_from_discard": "any"}), games=1)
    hands = 10_000 if COMPILED else 2
    assert run.tally.endings()["capped"] == run.tally.outcome("hands") == hands
    assert run.tally.outcome("turns") == hands * MAX_STREAK
    assert run.tally.total("games").tolist() == [0, 0, 1] and run.tally.outcome("games") == 1


def test_a_hand_of_400_turns_is_capped() -> None:
    rules = solo_rules({"draw_from_discard": "any"})
    table = SoloTable(puppet(user_file.STOCK_EVERY, NEVER, number=40), rules)
    table.deal()
    table.go_on()
    assert SOLO_ENDINGS[int(table.hand.ending)] == "capped" and int(table.hand.turns) == MAX_TURNS
    assert int(table.hand.streak) < MAX_STREAK


# --- the deck ------------------------------------------------------------------------------------


def test_the_deck_does_not_depend_on_the_strategy() -> None:
    tables = [SoloTable(who, BGA_SOLO, 9) for who in (puppet(STOCK, NEVER), named("gold"), named("random"))]
    for game, hand in ((0, 0), (0, 1), (5, 0)):
        for table in tables:
            table.deal(game, hand)
        assert len({(int(table.views[0].hand), int(table.hand.upcard)) for table in tables}) == 1
        deck = np.array(CARD_PLACES)
        key = deck_key(hand_key(pair_key(9, game), hand))
        order = [1 << int(place_card(deck, place, key)) for place in range(11)]
        assert int(tables[0].views[0].hand) == sum(order[:10])
        assert int(tables[0].hand.upcard) == order[10]


# --- what the player sees ------------------------------------------------------------------------


def test_hands_of_ten_and_eleven_at_decisions() -> None:
    for rules in VARIANTS.values():
        size = rules.hand_size
        table = SoloTable(puppet(COIN, TOSS, BEST), rules, 2)
        asked = [0, 0, 0, 0]
        for hand in range(40 if COMPILED else 8):
            table.deal(hand=hand)
            table.go_on()
            memory = table.views[0].memory
            asked = [one | int(more) for one, more in zip(asked, memory[1:5], strict=True)]
        sizes = (1 << size, 1 << size + 1, 1 << size + 1, 1 << size + 1)
        assert all(one in (0, expected) for one, expected in zip(asked, sizes, strict=True))
        assert asked[0] and asked[1] and asked[2]


def test_the_draw_is_asked_when_there_is_a_choice() -> None:
    """Once for the opening upcard; each turn where own discards may be taken back; never before one."""
    expected = {
        ("ten_plus_upcard", "opening_upcard_only"): lambda turns: 1,
        ("eleven", "opening_upcard_only"): lambda turns: 0,
        ("ten_plus_upcard", "any"): lambda turns: turns,
        ("eleven", "any"): lambda turns: turns - 1,
    }
    for (start, taking), count in expected.items():
        rules = solo_rules({"start": start, "draw_from_discard": taking})
        table = SoloTable(puppet(STOCK, NEVER), rules, 2)
        table.deal()
        table.go_on()
        assert int(table.views[0].memory[user_file.ASKED]) == count(int(table.hand.turns))


def test_the_card_taken_back_may_not_be_thrown_unless_allowed() -> None:
    for allowed in (False, True):
        rules = solo_rules({"draw_from_discard": "any"}, may_discard_taken=allowed)
        who = puppet(UPCARD, NEVER, BANNED, name="stubborn")
        if allowed:
            run = play_solo(who, rules.replace(game_target=1), games=1, seed=1) if COMPILED else None
            assert run is None or run.tally.endings()["capped"] == run.tally.outcome("hands")
        else:
            with pytest.raises(RunError, match="stubborn discards a card it may not discard"):
                play_solo(who, rules, games=1, seed=1)


def test_compulsory_gin() -> None:
    """Who never ends a hand goes gin all the same when he can, and only then."""
    games = 100 if COMPILED else 2
    rules = solo_rules(gin_compulsory=True)
    forced, free, willing = (
        play_solo(puppet(LOWER, when), one, games=games, seed=3).tally
        for when, one in ((NEVER, rules), (NEVER, BGA_SOLO), (GIN, BGA_SOLO))
    )
    assert forced.endings()["solo_gin"] > 0 and forced.endings()["solo_knock"] == 0
    assert free.endings()["solo_gin"] == 0
    assert forced.tobytes() == willing.tobytes()


@discard_rule
def throw_the_highest(view: Any) -> int:
    return highest(view, view.hand & ~view.banned)


def test_compulsory_gin_must_be_gin() -> None:
    """A forced end with a discard that keeps a few points, though within the limit, is a fault."""
    draw, knock, _, spread = puppet(LOWER, NEVER).decisions
    careless = puppet(LOWER, NEVER, name="careless")._replace(
        decisions=(draw, knock, throw_the_highest, spread)
    )
    kept = "5H 6H 7H 8H AS AD AC 2S 2D 2C"  # gin already: the eight of hearts can go, then 3 are left
    for compulsory in (True, False):
        table = SoloTable(careless, solo_rules(gin_compulsory=compulsory))
        table.deal()
        state = table.hand
        table.views[0].hand = parse_cards(kept)
        state.drawn, state.began = parse_card("3C"), 1
        table.go_on(1)
        if compulsory:
            told = "careless must go gin and throws a card that leaves deadwood (8H), seed 0, game 0, hand 0"
            assert state.fault == BAD_GIN and str(table.fault()).startswith(told)
        else:  # nobody is forced, and who does not knock may throw what he likes
            assert state.fault == 0 and state.ending == SOLO_GOING


def test_who_must_go_gin_sees_no_other_limit() -> None:
    """The random player throws any card that leaves no more than the limit he sees."""
    table = SoloTable(named("random"), solo_rules(gin_compulsory=True))
    for hand in range(50):
        table.deal(hand=hand)
        table.views[0].hand = parse_cards("5H 6H 7H 8H AS AD AC 2S 2D 2C")
        table.hand.drawn, table.hand.began = parse_card("3C"), 1
        table.go_on(1)
        assert table.hand.fault == 0 and SOLO_ENDINGS[int(table.hand.ending)] == "solo_gin"
        assert int(table.views[0].limit) == 10


def test_scores_in_the_view() -> None:
    table = SoloTable(puppet(), solo_rules(game_target=77))
    table.game.scores[:] = (30, 41)
    table.deal()
    view = table.views[0]
    assert (int(view.score), int(view.other_score), int(view.target)) == (30, 41, 77)
    assert int(view.big_gin_bonus) == -1 and int(view.gin_bonus) == int(view.undercut_bonus) == 0


def test_each_decision_has_its_own_word() -> None:
    table = SoloTable(puppet(STOCK, ALWAYS), solo_rules({"draw_from_discard": "any"}), 2)
    seen = []
    for hand in range(20):
        table.deal(hand=hand)
        table.go_on()
        if SOLO_ENDINGS[int(table.hand.ending)] != "solo_knock":
            continue
        words = [int(one) for one in table.views[0].memory[5:8]]
        key, turn = table.hand.decisions, int(table.hand.turns) - 1
        assert words == [int(word(key, 4 * turn + kind)) for kind in range(3)]
        seen += words
    assert len(seen) > 20 and len(set(seen)) == len(seen)


def test_a_decision_sees_nothing_of_other_hands() -> None:
    games = 150 if COMPILED else 2
    rules = solo_rules({"draw_from_discard": "any"})
    runs = [play_solo(puppet(STALE, ALWAYS), rules, games=games, chunk=chunk) for chunk in (1, games)]
    assert len({run.tally.tobytes() for run in runs}) == 1


# --- every strategy ------------------------------------------------------------------------------

NEEDY = {"combine", "knock_table"}
"""Strategies without defaults."""
ALL = ["combine(draw=simple, knock=threshold(6), discard=gold)", *sorted(set(registered()) - NEEDY)]


@pytest.mark.parametrize("rules", VARIANTS.values(), ids=VARIANTS)
@pytest.mark.parametrize("text", ALL)
def test_every_strategy_plays(text: str, rules: Rules) -> None:
    # The engine checks every card and every end; a fault would raise.
    games = 30 if COMPILED else 1
    rules = rules.replace(game_target=rules.game_target if COMPILED else 30)
    run = play_solo(named(text), rules, games=games, seed=12)
    won, lost, unfinished = run.tally.total("games").tolist()
    assert won + lost == games and unfinished == 0
    again = play_solo(named(text), rules, games=games, seed=12, threads=2, chunk=1)
    assert again.tally.tobytes() == run.tally.tobytes()


@pytest.mark.parametrize("text", ALL)
def test_the_order_of_the_stock_does_not_matter(text: str) -> None:
    """Other cards and jokers to come: the same draw, and from the same card drawn the same end."""
    table = SoloTable(named(text), VARIANTS["corner"], 9)
    source = random.Random(text)
    state, views = table.hand, table.views
    turns = 0
    for hand in range(4 if COMPILED else 1):
        table.deal(hand=hand)
        while state.ending == SOLO_GOING:
            here = saved(table)
            until = int(state.turns) + 1
            draws, ends = set(), set()
            table.go_on(until)
            after, drawn = saved(table), int(state.drawn)
            for _ in range(3):
                restore(table, here)
                shuffle_stock(table, source)
                table.go_on(until)
                draws.add(int(state.from_discard))
            assert draws == {int(np.frombuffer(after[0], SOLO_HAND_DTYPE)[0]["from_discard"])}
            for _ in range(3 if drawn else 0):
                restore(table, after)
                counts = [int(state[name]) for name in ("cards", "jokers", "from_discard")]
                restore(table, here)
                if counts[2]:
                    state.pile = int(state.pile) ^ int(state.upcard)
                    state.upcard = 0
                elif np.frombuffer(after[0], SOLO_HAND_DTYPE)[0]["ending"] == SOLO_GOING:
                    state.cards, state.jokers = counts[:2]
                state.drawn, state.from_discard, state.began = drawn, counts[2], 1
                shuffle_stock(table, source)
                table.go_on(until)
                shown = SOLO_ENDINGS[int(state.ending)]
                ends.add((int(state.discard), shown in ("solo_knock", "solo_gin")))
            assert len(ends) <= 1
            restore(table, after)
            turns += 1
            assert int(views[0].turn) == until + 1
    assert turns > 5


def saved(table: SoloTable) -> tuple[bytes, bytes]:
    return np.array(table.hand).tobytes(), np.asarray(table.views).tobytes()


def restore(table: SoloTable, copy: tuple[bytes, bytes]) -> None:
    for name in SOLO_HAND_DTYPE.names or ():
        table.hand[name] = np.frombuffer(copy[0], SOLO_HAND_DTYPE)[0][name]
    table.views[:] = np.frombuffer(copy[1], VIEW_DTYPE)


def shuffle_stock(table: SoloTable, source: random.Random) -> None:
    """Give the stock, cards and jokers, another order."""
    state = table.hand
    state.joker_key = source.getrandbits(62)
    state.key = source.getrandbits(62)


# --- faults --------------------------------------------------------------------------------------

FAULTS = {
    "no card": (puppet(throw=NO_CARD, name="culprit"), "no card"),
    "not held": (puppet(throw=NOT_HELD, name="culprit"), "may not discard"),
    "two cards": (puppet(throw=TWO_CARDS, name="culprit"), "may not discard"),
    "no mask": (puppet(throw=NO_MASK, name="culprit"), "the mask"),
    "too much": (puppet(throw=TOO_MUCH, name="culprit"), "leaves more than the limit"),
    "raises": (puppet(throw=RAISE, name="culprit"), "the puppet is broken"),
}


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(("who", "message"), FAULTS.values(), ids=FAULTS)
def test_a_fault_names_strategy_game_and_hand(who: Player, message: str, threads: int) -> None:
    with pytest.raises(RunError, match=r"^culprit.*, seed 3, game \d+, hand \d+") as error:
        play_solo(who, BGA_SOLO, games=40 if COMPILED else 3, seed=3, threads=threads)
    assert message in str(error.value)


@knock_rule
def forget_parameters(view: Any) -> bool:
    view.params[0] += 1.0
    return False


@draw_rule
def swap_cards(view: Any) -> bool:
    view.hand = view.unseen
    view.pile = 0
    view.unseen = 0
    view.stock = 1
    return False


def test_writing_to_the_view() -> None:
    """To parameters it ends the run, to the cards it changes nothing."""
    gold = named("gold")
    draw, _, discard, spread = gold.decisions
    culprit = gold._replace(name="culprit", decisions=(draw, forget_parameters, discard, spread))
    with pytest.raises(
        RunError, match=r"culprit writes to view\.params, which is read only, seed 0, game \d+"
    ):
        play_solo(culprit, BGA_SOLO, games=2)
    rules = solo_rules({"draw_from_discard": "any"})
    honest = puppet(STOCK, ALWAYS, JUST_DRAWN)
    _, knock, discard, spread = honest.decisions
    cheat = honest._replace(decisions=(swap_cards, knock, discard, spread))
    runs = [play_solo(who, rules, games=20 if COMPILED else 1, seed=3) for who in (honest, cheat)]
    assert runs[0].tally.tobytes() == runs[1].tally.tobytes()


# --- progress, Ctrl-C, arguments -----------------------------------------------------------------


def test_progress() -> None:
    seen: list[SoloProgress] = []
    games = 60_000 if COMPILED else 3
    run = play_solo(named("gold"), BGA_SOLO, games=games, threads=2, on_progress=seen.append)
    assert [one.games for one in seen] == sorted(one.games for one in seen)
    assert {one.total for one in seen} == {games} and seen[-1].games == games
    np.testing.assert_array_equal(seen[-1].moments, run.tally.total("moments"))
    assert seen[0].moments.shape == (len(SOLO_OUTCOMES),) * 2


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_keeps_what_was_played(threads: int) -> None:
    calls: list[int] = []

    def stop(state: SoloProgress) -> None:
        calls.append(state.games)
        if len(calls) == 1:
            raise KeyboardInterrupt

    run = play_solo(named("gold"), BGA_SOLO, games=10_000_000, threads=threads, on_progress=stop)
    assert run.interrupted and 0 < run.games < 10_000_000
    again = play_solo(named("gold"), BGA_SOLO, games=run.games, threads=2)
    assert again.tally.tobytes() == run.tally.tobytes() and not again.interrupted


WRONG: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "no games": ({"games": 0}, ValueError, "expected at least one"),
    "first": ({"first": -1}, ValueError, "expected at least one"),
    "threads": ({"threads": 0}, ValueError, "threads 0"),
    "chunk": ({"chunk": 0}, ValueError, "chunk 0"),
    "seed": ({"seed": -1}, ValueError, "seed -1"),
    "score": ({"scores": (100, 0)}, RulesError, "score 100:0: expected 0-99 each"),
    "two players": ({"rules": Rules()}, RulesError, "solo=null"),
}


@pytest.mark.parametrize(("changes", "kind", "message"), WRONG.values(), ids=WRONG)
def test_wrong_arguments(changes: dict[str, Any], kind: type[Exception], message: str) -> None:
    asked = {"rules": BGA_SOLO, "games": 1, **changes}
    with pytest.raises(kind, match=message):
        play_solo(puppet(LOWER, ALWAYS, BEST), **asked)
