"""Games and pairs: the slow simulator hand by hand, mirrored sides, dealers, scores, unfinished games."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy import stats

from sim._jit import COMPILED
from sim.game import MAX_HANDS, begin_hand, finish_hand, start_game
from sim.rules import Rules
from sim.run import Player, Table, play_match
from sim.scoring import ENDINGS
from sim.sheet import score_game
from sim.streams import CARD_PLACES, deck_key, hand_key, pair_key, place_card
from sim.tally import GROUPS, MATCH_OUTCOMES, OUTCOMES, SIDE_ENDINGS, Tally
from strategies.base import parse_strategy, player
from tests import naive, naive_game, naive_score
from tests.strategies.user_file import ANY, NEVER, STOCK, go_on, puppet

FALSE_ALARM = 1e-6
"""Probability with which a right engine fails one of the statistical tests here."""


def named(text: str) -> Player:
    return player(parse_strategy(text))


# --- against the slow simulator ------------------------------------------------------------------


class BigGin(naive_game.PlainPlay):
    """Ends a hand with all cards melded whenever the rules pay for it, as the engine's players do.

    With fewer than ten cards a hand can be melded whole and yet not spare a card.
    """

    def knock(self, info: naive_game.Info) -> bool:
        rules = info.rules
        if rules["big_gin_bonus"] is None:
            return super().knock(info)
        whole = naive.deadwood(info.hand, rules["runs_ace"], rules["ace_value"])
        return whole == 0 or super().knock(info)


@dataclass(frozen=True)
class Gold(BigGin, naive_game.Gold):
    pass


@dataclass(frozen=True)
class TwoStage(BigGin, naive_game.TwoStage):
    pass


PLAYERS: dict[str, naive_game.Player] = {
    "gold": Gold(),
    "gold(threshold=6)": Gold(6),
    "threshold(4)": Gold(4),
    "gin_only": Gold(0),
    "two_stage": TwoStage(),
    "two_stage(7, 3, 4)": TwoStage(7, 3, 4),
}


def deck_of(seed: int, pair: int, rules: Rules) -> Callable[[int], list[naive.Card]]:
    """Return the decks of a pair as the slow simulator takes them: a function of the hand."""

    def deck(hand: int) -> list[naive.Card]:
        order = CARD_PLACES.copy()
        key = deck_key(hand_key(pair_key(seed, pair), hand))
        bits = [int(place_card(order, place, key)) for place in range(52)]
        return [(bit % 16, bit // 16) for bit in bits if rules.deck >> bit & 1]

    return deck


def compare(
    a: str,
    b: str,
    rules: Rules,
    pairs: int,
    scores: tuple[int, int],
    dealer: int | None = None,
    seed: int = 11,
) -> set[str]:
    """Play pairs with both simulators and compare every hand; return the endings met."""
    fields = naive_score.complete(rules.to_dict())
    table = Table(named(a), named(b), rules, seed, scores, dealer)
    game, hand = table.game, table.hand
    met = set()
    for pair in range(pairs):
        for number in (0, 1):
            start_game(game, seed, pair, number, table.rules)
            first = int(game.first_dealer)
            told = naive_game.play_game(
                deck_of(seed, pair, rules), (PLAYERS[a], PLAYERS[b]), fields, number, first, scores=scores
            )
            for at, other in enumerate(told.hands):
                where = f"pair {pair}, game {number}, hand {at}"
                assert not game.over, where
                assert (int(game.hand), int(game.dealer)) == (at, other.dealer), where
                begin_hand(game, hand, table.views[0], table.views[1], table.rules)
                go_on(table)
                met.add(other.ending)
                assert not hand.fault, where
                assert ENDINGS[int(hand.ending)] == other.ending, where
                assert int(hand.winner) == (-1 if other.winner is None else other.winner), where
                assert int(hand.knocker) == (-1 if other.knocker is None else other.knocker), where
                assert int(hand.points) == other.points and int(hand.turns) == other.turns, where
                assert hand.upcard_draws.tolist() == other.upcard_draws, where
                assert [naive.to_mask(cards) for cards in other.hands] == table.views.hand.tolist(), where
                if other.knocker is not None:
                    assert int(hand.knocker_deadwood) == other.knocker_deadwood, where
                    assert int(hand.defender_deadwood) == other.defender_deadwood, where
                    if other.knocker_deadwood or rules.layoff_on_gin:  # else nobody chooses a spread
                        shown = [naive.to_mask(meld) for meld in other.spread if naive.is_set(meld)]
                        assert sum(shown) == int(hand.sets), where
                finish_hand(game, hand, table.rules)
            assert game.over and int(game.hand) == len(told.hands)
            assert tuple(game.points[0].tolist()) == told.points
            assert tuple(game.boxes[0].tolist()) == told.boxes
            assert tuple(game.totals.tolist()) == told.totals
            assert int(game.winner) == (-1 if told.winner is None else told.winner)
    return met


FEW = 4 if COMPILED else 1
PRESETS = (
    "eaai",
    "default",
    "standard",
    "fournier",
    "club",
    "bga",
    "straight_gin",
    "seven_card",
    "round_the_corner",
)
MATCHES = (("gold", "two_stage"), ("gin_only", "threshold(4)"))
VARIANTS: dict[str, dict[str, Any]] = {
    "winner-deals": {"next_dealer": "winner", "void_dealer": "rotate"},
    "loser-deals": {"next_dealer": "loser", "tie_rule": "push"},
    "fixed-dealer": {"next_dealer": "fixed", "first_dealer": "fixed"},
    "tie-to-defender": {"tie_rule": "defender_no_bonus", "undercut_bonus": 0, "shutout_test": "no_points"},
    "tie-to-knocker": {"tie_rule": "knocker", "shutout": "double_bonuses"},
    "throw-back": {"may_discard_taken": True, "knock_limit": 3},
    "aces-high": {"runs_ace": "high_low", "ace_value": 11, "big_gin_bonus": 50, "shutout": "double_total"},
    "gin-may-fail": {"layoff_on_gin": True, "gin_vs_zero": "no_score", "void_dealer": "rotate"},
    "whole-stock": {"dead_stock": 0, "knock_limit": 0},
    "short-stock": {"dead_stock": 20, "void_dealer": "rotate"},
    "reduced": {"hand_size": 5, "ranks": 8, "big_gin_bonus": 31},
    "two-suits": {"hand_size": 6, "suits": 2, "runs_ace": "corner", "knock_limit": 4},
    "tiny": {"hand_size": 3, "ranks": 5, "dead_stock": 1, "next_dealer": "winner", "big_gin_bonus": 20},
}


@pytest.mark.parametrize("match", MATCHES, ids=" v ".join)
@pytest.mark.parametrize("preset", PRESETS)
def test_presets_against_the_slow_simulator(preset: str, match: tuple[str, str]) -> None:
    met = compare(*match, Rules.preset(preset), FEW, (0, 0))
    assert met <= set(ENDINGS)


@pytest.mark.parametrize("changes", VARIANTS.values(), ids=VARIANTS)
def test_variants_against_the_slow_simulator(changes: dict[str, Any]) -> None:
    compare("gold", "two_stage(7, 3, 4)", Rules(**changes), FEW, (37, 61))
    compare("gin_only", "gold(threshold=6)", Rules(**changes), 1, (99, 0), dealer=0, seed=2**62)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*PRESETS, *VARIANTS])
def test_many_pairs_against_the_slow_simulator(name: str) -> None:
    rules = Rules.preset(name) if name in PRESETS else Rules(**VARIANTS[name])
    for number, (a, b) in enumerate(
        [("gold", "gin_only"), ("two_stage", "gold"), ("two_stage(7, 3, 4)",) * 2]
    ):
        compare(a, b, rules, 12, (3 * number, 50 - number), seed=100 + number)


# --- sides exchanged -----------------------------------------------------------------------------


def mirrored(tally: Tally) -> dict[str, np.ndarray[Any, Any]]:
    """Return the counters of each group as they must be when side A and side B change places.

    Whoever held packet 0 in the first game holds it in the second, so games change places too.
    """
    rows = tally.rows
    change = np.eye(len(OUTCOMES), dtype=np.int64)
    at = OUTCOMES.index
    for one, other in (("points_a", "points_b"), ("total_a", "total_b"), ("payoff_a", "payoff_b")):
        change[[at(one), at(other)]] = change[[at(other), at(one)]]
    for whole, times, halves in (("games", 2, "games_a"), ("one", 4, "matches_a")):
        change[at(halves)] = 0
        change[at(halves), [at(whole), at(halves)]] = times, -1
    change[at("hands_a")] = 0
    change[at("hands_a"), [at("decisive"), at("hands_a")]] = 1, -1
    alone = change[: len(MATCH_OUTCOMES), : len(MATCH_OUTCOMES)].copy()
    alone[at("matches_a"), at("one")] = 2  # a match has two halves, a pair four
    by_side = len(SIDE_ENDINGS)
    kinds = [*range(by_side, 2 * by_side), *range(by_side), 2 * by_side, 2 * by_side + 1]
    sides = {name: rows[name][:, ::-1] for name in BY_SIDE}
    return {
        **sides,
        "moments": change @ rows["moments"] @ change.T,
        "match_moments": alone @ rows["match_moments"] @ alone.T,
        "pair_scores": rows["pair_scores"][:, ::-1],
        "undiverged": rows["undiverged"],
        "unfinished": rows["unfinished"],
        "lengths": rows["lengths"],
        "hands": rows["hands"][:, ::-1, ::-1][..., kinds],
        "points": rows["points"][:, ::-1, ::-1][..., kinds],
        "games": rows["games"][:, ::-1, ::-1][..., [1, 0, 2]],
    }


BY_SIDE = ("shutouts", "knocks", "first_legal", "scores", "deadwoods", "layoffs", "upcard_draws")
MIRRORED: dict[str, dict[str, Any]] = {
    "eaai": {"game_bonus": 0, "box_bonus": 0, "shutout": "none"},
    "winner": {"next_dealer": "winner", "first_dealer": "high_card", "big_gin_bonus": 31},
    "loser": {"next_dealer": "loser", "void_dealer": "rotate", "first_dealer": "low_card"},
    "random": {"next_dealer": "random", "void_dealer": "random", "first_dealer": "high_card_chooses"},
    "push": {"tie_rule": "push", "void_dealer": "random", "dead_stock": 18},
    "corner": {"runs_ace": "corner", "ace_value": 15, "layoff_on_gin": True, "gin_vs_zero": "no_score"},
    "reduced": {"hand_size": 5, "ranks": 8, "big_gin_bonus": 31, "next_dealer": "winner"},
    "defender": {"tie_rule": "defender_no_bonus", "knock_limit": 2},
    "oklahoma": {"knock_limit_source": "upcard", "spade_multiplier": 2, "spade_doubles_boxes": True},
    "eleven": {"opening": "eleven_ten", "knock_limit_source": "separate_card", "oklahoma_ace": "gin"},
    "free": {"opening": "free_first_draw", "extra_boxes_gin": 2, "box_timing": "immediate"},
    "wall": {"wall_rule": "last_discard_play", "dead_stock": 18, "gin_compulsory": True},
    "fiftieth": {"wall_rule": "last_discard_knock", "dead_stock": 18, "payoff": "rlcard"},
    "shuffled": {"wall_rule": "reshuffle", "dead_stock": 18, "knock_limit": 3, "next_dealer": "random"},
    "sheet": {"columns": 3, "column_multipliers": (1, 1, 2), "shutout_test": "no_points"},
    "best": {"match_type": "best_of", "match_length": 3},
    "points": {"match_type": "first_to_points", "match_length": 500},
    "hand": {"match_type": "single_hand"},
}


class TestMirror:
    @pytest.mark.parametrize("changes", MIRRORED.values(), ids=MIRRORED)
    @pytest.mark.parametrize("dealer", [None, 1], ids=["by-rules", "b-deals"])
    def test_exchanged_integers(self, changes: dict[str, Any], dealer: int | None) -> None:
        rules = Rules(**changes)
        a, b, pairs = named("gold(7)"), named("two_stage(10, 2, 7)"), 400 if COMPILED else 2
        scores = (20, 5) if rules.columns == 1 and rules.match_type == "single_game" else (0, 0)
        one = play_match(a, b, rules, pairs=pairs, seed=3, scores=scores, dealer=dealer).tally
        other = play_match(
            b,
            a,
            rules,
            pairs=pairs,
            seed=3,
            scores=scores[::-1],
            dealer=None if dealer is None else 1 - dealer,
        ).tally
        expected = mirrored(one)
        assert set(expected) == set(one.rows.dtype.names)  # no counter forgotten
        for name, counts in expected.items():
            np.testing.assert_array_equal(other.rows[name], counts, err_msg=name)

    def test_a_fixed_dealer_is_not_mirrored(self) -> None:
        rules = Rules(first_dealer="fixed", next_dealer="fixed")
        tally = play_match(named("gold"), named("gold"), rules, pairs=20 if COMPILED else 1).tally
        assert tally.total("games")[:, 1].sum() == 0  # side A never deals first
        assert tally.total("hands")[:, 1].sum() == 0

    @pytest.mark.parametrize("who", ["gold", "gin_only", "two_stage"])
    def test_a_deterministic_player_against_himself_never_diverges(self, who: str) -> None:
        pairs = 200 if COMPILED else 2
        tally = play_match(named(who), named(who), Rules.preset("fournier"), pairs=pairs).tally
        assert int(tally.total("undiverged")) == pairs
        assert tally.total("pair_scores").tolist() == [0, 0, pairs, 0, 0]
        assert tally.outcome("points_a") == tally.outcome("points_b")

    def test_different_players_diverge(self) -> None:
        tally = play_match(named("gold"), named("gin_only"), Rules(), pairs=200 if COMPILED else 2).tally
        assert int(tally.total("undiverged")) < tally.pairs / 2

    @pytest.mark.requires_jit  # needs thousands of games
    @pytest.mark.parametrize("who", ["simple", "random", "gold"])
    def test_a_player_against_himself_is_even(self, who: str) -> None:
        # Unmirrored decks: only the games in which A holds packet 0, one of each pair. A's games
        # among n are normal with variance n/4; A's points and hands less B's have mean 0, and over the
        # 128 groups of pairs the mean by its standard error is Student-t. False alarm 1e-6 each.
        pairs = 1_500 if who == "random" else 30_000
        tally = play_match(named(who), named(who), Rules.preset("eaai"), pairs=pairs, seed=7).tally
        won, lost, unfinished = tally.total("games")[0].sum(axis=0)
        assert won + lost == pairs and unfinished == 0
        assert abs(won - pairs / 2) < stats.norm.isf(FALSE_ALARM / 2) * np.sqrt(pairs / 4)
        kinds = len(SIDE_ENDINGS)
        for name in ("hands", "points"):
            of_a = tally.groups(name)[:, 0, :, :kinds].sum(axis=(1, 2))
            of_b = tally.groups(name)[:, 0, :, kinds : 2 * kinds].sum(axis=(1, 2))
            ahead = of_a - of_b
            error = ahead.std(ddof=1) / np.sqrt(GROUPS)
            assert abs(ahead.mean()) < stats.t.isf(FALSE_ALARM / 2, GROUPS - 1) * error


# --- scores, dealers, games without an end -------------------------------------------------------


class TestGames:
    def test_scores_at_the_start(self) -> None:
        rules = Rules.preset("standard")
        table = Table(named("gold"), named("gold"), rules, 5, (99, 42))
        start_game(table.game, 5, 0, 0, table.rules)
        begin_hand(table.game, table.hand, table.views[0], table.views[1], table.rules)
        a, b = table.views
        assert (int(a.score), int(a.other_score), int(b.score), int(b.other_score)) == (99, 42, 42, 99)
        assert [int(view.target) for view in table.views] == [100, 100]
        go_on(table)
        finish_hand(table.game, table.hand, table.rules)
        winner, points = int(table.hand.winner), int(table.hand.points)
        scores = [99, 42]
        scores[winner] += points
        assert table.game.points[0].tolist() == scores
        assert table.game.boxes[0].tolist() == [int(side == winner) for side in (0, 1)]
        assert bool(table.game.over) == (max(scores) >= 100)

    @pytest.mark.parametrize("preset", ["eaai", "standard", "fournier", "bga"])
    def test_totals_as_the_library_says(self, preset: str) -> None:
        rules = Rules.preset(preset)
        table = Table(named("gold"), named("gin_only"), rules, 9)
        shutouts = 0
        won: list[tuple[int | None, int, int | None]]
        for pair in range(30 if COMPILED else 2):
            start_game(table.game, 9, pair, pair % 2, table.rules)
            won = []
            while not table.game.over:
                begin_hand(table.game, table.hand, table.views[0], table.views[1], table.rules)
                a, b = table.views
                assert [int(a.boxes), int(a.other_boxes)] == table.game.boxes[0].tolist()
                assert [int(b.other_boxes), int(b.boxes)] == table.game.boxes[0].tolist()
                go_on(table)
                winner = int(table.hand.winner)
                won.append((winner if winner >= 0 else None, int(table.hand.points), None))
                finish_hand(table.game, table.hand, table.rules)
            game = table.game
            told = score_game(won, rules)
            assert (told.totals, told.winner) == (tuple(game.totals.tolist()), int(game.winner))
            shutouts += told.end == "game_shutout"
        assert shutouts or rules.shutout == "none" or not COMPILED

    @pytest.mark.parametrize("dealer", [0, 1])
    def test_dealer_of_the_first_hand(self, dealer: int) -> None:
        pairs = 20 if COMPILED else 1
        tally = play_match(named("gold"), named("gold"), Rules(), pairs=pairs, dealer=dealer).tally
        games = tally.total("games")
        assert games[:, dealer].sum() == 0 and games[:, 1 - dealer].sum(axis=-1).tolist() == [pairs, pairs]

    def test_a_dealer_by_lot_changes_sides_in_the_second_game(self) -> None:
        table = Table(named("gold"), named("gold"), Rules(), 1)
        first = []
        for pair in range(40):
            sides = []
            for number in (0, 1):
                start_game(table.game, 1, pair, number, table.rules)
                sides.append(int(table.game.first_dealer))
            assert sides == [sides[0], 1 - sides[0]]
            first.append(sides[0])
        assert 0 < sum(first) < 40

    @pytest.mark.parametrize("rule", ["alternate", "winner", "loser", "fixed"])
    @pytest.mark.parametrize("void", ["same", "rotate"])
    def test_who_deals_next(self, rule: str, void: str) -> None:
        rules = Rules(next_dealer=rule, void_dealer=void, dead_stock=22, tie_rule="push")
        table = Table(named("gold"), named("gold"), rules, 4)
        game, hand = table.game, table.hand
        seen = set()
        for pair in range(4 if COMPILED else 1):
            start_game(game, 4, pair, 0, table.rules)
            while not game.over:
                begin_hand(game, hand, table.views[0], table.views[1], table.rules)
                go_on(table)
                dealer, winner = int(game.dealer), int(hand.winner)
                finish_hand(game, hand, table.rules)
                scored = {"alternate": 1 - dealer, "winner": winner, "loser": 1 - winner, "fixed": dealer}
                unscored = {"same": dealer, "rotate": 1 - dealer}
                assert int(game.dealer) == (unscored[void] if winner < 0 else scored[rule])
                seen.add(winner)
        assert seen == {-1, 0, 1} or not COMPILED

    def test_random_dealers_change_sides_with_the_packets(self) -> None:
        rules = Rules(next_dealer="random", void_dealer="random", dead_stock=22)
        table = Table(named("gold"), named("gold"), rules, 8)
        for pair in range(4 if COMPILED else 1):
            told = []
            for number in (0, 1):
                start_game(table.game, 8, pair, number, table.rules)
                dealers = []
                while not table.game.over:
                    dealers.append(int(table.game.dealer) ^ number)
                    begin_hand(table.game, table.hand, table.views[0], table.views[1], table.rules)
                    go_on(table)
                    finish_hand(table.game, table.hand, table.rules)
                told.append(dealers)
            assert told[0] == told[1] and len(set(told[0])) == 2

    @pytest.mark.requires_jit  # forty thousand turns
    def test_unfinished(self) -> None:
        """Players who never end a hand: 10,000 void hands, half a win to each side, no bonus."""
        a, b = puppet(STOCK, NEVER, ANY), puppet(STOCK, NEVER)
        rules = Rules(dead_stock=29, void_dealer="rotate")
        tally = play_match(a, b, rules, pairs=1, scores=(40, 0)).tally
        assert MAX_HANDS == 10_000
        assert tally.endings()["void"] == tally.outcome("hands") == 2 * MAX_HANDS
        assert int(tally.total("unfinished")) == int(tally.total("games")[:, :, 2].sum()) == 2
        assert tally.total("games")[..., 2].sum() == 2 and tally.total("games")[..., :2].sum() == 0
        assert tally.outcome("games_a") == tally.outcome("games_mover") == 2
        assert tally.total("pair_scores").tolist() == [0, 0, 1, 0, 0]
        assert (tally.outcome("total_a"), tally.outcome("total_b")) == (80, 0)
        assert tally.outcome("decisive") == tally.total("shutouts").sum() == 0
