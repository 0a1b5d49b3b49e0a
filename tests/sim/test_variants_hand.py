"""Hands, games and matches under random legal rules: the engine and the slow simulator in step.

Both play the same deal with the same players; after every turn the cards, the views and the counts are
compared, after every hand its result, after every game its sheet.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from sim._jit import COMPILED
from sim.deal import MAX_STREAK, MAX_TURNS
from sim.game import begin_hand, finish_game, finish_hand, next_game, start_game
from sim.rules import Rules, preset_names
from sim.run import Player, Table, play_match
from sim.scoring import ENDINGS, GOING
from sim.tally import OUTCOMES
from strategies.base import parse_strategy, player
from tests import naive, naive_game, naive_match, naive_score
from tests.any_rules import any_rules
from tests.naive_luck import Luck
from tests.strategies.user_file import (
    ALWAYS,
    ANY,
    BEST,
    COIN,
    NEVER,
    STOCK,
    TOSS,
    UPCARD,
    cards_left,
    go_on,
    puppet,
)


def named(text: str) -> Player:
    return player(parse_strategy(text))


PLAYERS: dict[str, tuple[Player, naive_game.Player]] = {
    "gold": (named("gold"), naive_game.Gold(10)),
    "gold(threshold=4)": (named("gold(threshold=4)"), naive_game.Gold(4)),
    "gin_only": (named("gin_only"), naive_game.Gold(0)),
    "two_stage": (named("two_stage"), naive_game.TwoStage(10, 0, 6)),
    "dice": (puppet(COIN, TOSS, ANY), naive_match.Dice()),
    "hoarder": (puppet(STOCK, NEVER, BEST), naive_match.Hoarder()),
    "taker": (puppet(UPCARD, ALWAYS, BEST), naive_match.Taker()),
}
"""Each player of the engine with his twin in the slow simulator."""

PAIRINGS = st.tuples(*[st.sampled_from([*PLAYERS, "dice", "dice", "gold"])] * 2)


def none_as(value: int | None) -> int:
    """Return -1, the engine's nobody, for None."""
    return -1 if value is None else value


class Step:
    """One match of a pair, played by both."""

    def __init__(
        self, fields: dict[str, Any], who: tuple[str, str], seed: int, pair: int, number: int
    ) -> None:
        self.fields = naive_score.complete(fields)
        self.rules = Rules(**fields)
        (a, naive_a), (b, naive_b) = (PLAYERS[name] for name in who)
        self.players = naive_a, naive_b
        self.table = Table(a, b, self.rules, seed)
        self.luck = Luck(seed, pair, number, self.rules.ranks, self.rules.suits)
        self.games: list[tuple[int | None, tuple[int, int]]] = []
        self.hands = 0
        start_game(self.table.game, seed, pair, number, self.table.rules)
        self.new_game()

    def new_game(self) -> None:
        self.sheet = naive_score.Sheet(self.fields)
        self.dealer = naive_match.first_dealer(self.fields, self.luck, len(self.games))

    def play(self, most: int) -> Counter[str]:
        """Play until the match is over, at most so many hands; return the endings met."""
        met: Counter[str] = Counter()
        while not self.table.game.match_over and self.hands < most:
            met[self.hand().ending] += 1
            if self.sheet.over:
                self.end_game()
        return met

    def hand(self) -> naive_game.Hand:
        """Play one hand with both, compare them turn by turn, and enter it."""
        table, (a, b) = self.table, self.table.views
        game, hand = table.game, table.hand
        assert (int(game.hand), int(game.dealer), bool(game.over)) == (self.hands, self.dealer, False)
        told = naive_game.deal(
            self.luck.deck(self.hands), self.players, self.fields, self.luck.game, self.dealer,
            number=self.hands, luck=self.luck,
        )  # fmt: skip
        begin_hand(game, hand, a, b, table.rules)
        assert int(hand.limit) == int(a.limit) == int(b.limit) == told.limit
        limit_card = 0 if told.limit_card is None else naive.to_mask([told.limit_card])
        assert int(hand.limit_card) == limit_card
        told.play()
        self.partition()
        for at, (side, source, drawn, thrown) in enumerate(told.told):
            before = int(hand.place), int(hand.reshuffles)
            go_on(table, at + 1)
            assert not hand.fault and int(hand.turns) == at + 1
            assert int(hand.drawn) == naive.to_mask([drawn])
            assert bool(hand.from_discard) == (source == "upcard")
            assert int(hand.discard) == (0 if thrown is None else naive.to_mask([thrown]))
            view = table.views[side]
            assert int(view.drawn) == int(hand.drawn) and int(view.multiplier) == int(hand.multiplier)
            if hand.ending == GOING:
                assert at + 1 < len(told.told) or told.ending == "void"  # a last discard not taken
                assert int(hand.player) == 1 - side
            assert int(hand.place) >= before[0] or int(hand.reshuffles) == before[1] + 1
            self.partition()
        if hand.ending == GOING:
            go_on(table, len(told.told) + 1)  # to see that the last discard is not taken
        self.same_end(told)
        finish_hand(game, hand, table.rules)
        self.sheet.enter(told.winner, told.points, told.boxes)
        for number, column in enumerate(self.sheet.columns):
            assert game.points[number].tolist() == column.points
            assert game.boxes[number].tolist() == column.boxes
        assert bool(game.over) == self.sheet.over
        self.dealer = naive_game.next_dealer(told, self.fields)
        self.hands += 1
        return told

    def partition(self) -> None:
        """Check that every card is in one place, and that both views are right about all of them."""
        table, hand = self.table, self.table.hand
        hands = [int(view.hand) for view in table.views]
        stock = cards_left(table)
        places = [*(1 << bit for held in hands for bit in range(64) if held >> bit & 1), *stock]
        places += [1 << bit for bit in range(64) if int(hand.pile) >> bit & 1]
        if hand.turns == 0 and self.rules.opening == "eleven_ten":
            places.append(int(hand.drawn))
        if ENDINGS[int(hand.ending)] not in ("none", "void", "capped") and hand.discard:
            places.append(int(hand.discard))  # the card that was thrown with the knock
        assert len(places) == len(set(places)) and sum(places) == self.rules.deck
        assert int(hand.stock) == len(stock)
        assert int(hand.streak) <= MAX_STREAK and int(hand.turns) <= MAX_TURNS
        if ENDINGS[int(hand.ending)] not in ("none", "void", "capped"):
            return
        eleventh = int(hand.drawn) if hand.turns == 0 and self.rules.opening == "eleven_ten" else 0
        for side, view in enumerate(table.views):
            assert hands[side].bit_count() == self.rules.hand_size
            assert int(view.pile) == int(hand.pile)
            assert int(view.known) & ~hands[1 - side] == 0
            assert int(view.unseen) == sum(stock) | eleventh | hands[1 - side] & ~int(view.known)

    def same_end(self, told: naive_game.Hand) -> None:
        """Check that both ended the hand alike."""
        table, hand = self.table, self.table.hand
        assert not hand.fault
        assert ENDINGS[int(hand.ending)] == told.ending
        assert (int(hand.winner), int(hand.knocker)) == (none_as(told.winner), none_as(told.knocker))
        assert (int(hand.points), int(hand.boxes)) == (told.points, told.boxes)
        assert (int(hand.turns), hand.upcard_draws.tolist()) == (told.turns, told.upcard_draws)
        assert tuple(hand.payoff.tolist()) == told.payoffs
        assert table.views.hand.tolist() == [naive.to_mask(cards) for cards in told.hands]
        if told.ending != "capped":  # a cap may come with a reshuffle that nobody sees
            assert int(hand.reshuffles) == told.reshuffles
            assert int(hand.stock) == len(told.stock)
        if told.knocker is not None:
            assert int(hand.knocker_deadwood) == told.knocker_deadwood
            assert int(hand.defender_deadwood) == told.defender_deadwood
            if told.knocker_deadwood or self.rules.layoff_on_gin:  # else nobody chooses a spread
                shown = [naive.to_mask(meld) for meld in told.spread if naive.is_set(meld)]
                assert sum(shown) == int(hand.sets)

    def end_game(self) -> None:
        """Compare the account of the game, count it, and begin the next one."""
        game, score = self.table.game, self.sheet.score()
        assert int(game.winner) == none_as(score.winner)
        assert tuple(game.totals.tolist()) == score.totals
        self.games.append((score.winner, score.totals))
        finish_game(game, self.table.rules)
        told = naive_score.score_match(self.games, self.fields)
        assert (bool(game.match_over), int(game.match_winner)) == (told.over, none_as(told.winner))
        assert tuple(game.games_won.tolist()) == told.games
        assert tuple(game.match_totals.tolist()) == told.sums
        if not told.over:
            next_game(game, self.table.rules)
            self.new_game()


SEEDS = st.tuples(st.integers(0, 2**63 - 1), st.integers(0, 10**9), st.integers(0, 1))
FEW = settings(max_examples=60 if COMPILED else 8)
MANY = settings(max_examples=600)


def play(fields: dict[str, Any], who: tuple[str, str], seeds: tuple[int, int, int], most: int) -> None:
    step = Step(fields, who, *seeds)
    for ending in step.play(most):
        event(ending)
    event(f"{len(step.games)} games, {fields['wall_rule']}, {fields['opening']}")


@FEW
@given(any_rules(), PAIRINGS, SEEDS)
def test_any_rules(fields: dict[str, Any], who: tuple[str, str], seeds: tuple[int, int, int]) -> None:
    play(fields, who, seeds, 3)


@pytest.mark.slow
@pytest.mark.requires_jit
@MANY
@given(any_rules(), PAIRINGS, SEEDS)
def test_many_rules(fields: dict[str, Any], who: tuple[str, str], seeds: tuple[int, int, int]) -> None:
    play(fields, who, seeds, 6)


# --- presets, whole matches and whole runs -------------------------------------------------------

PRESETS = [name for name in preset_names() if Rules.preset(name).solo is None]


@pytest.mark.parametrize("who", [("gold", "two_stage"), ("dice", "taker")], ids=" v ".join)
@pytest.mark.parametrize("name", PRESETS)
def test_presets(name: str, who: tuple[str, str]) -> None:
    fields = {**Rules.preset(name).to_dict()}
    for number in (0, 1):
        Step(fields, who, 77, 5, number).play(4 if COMPILED else 1)


def test_a_preset_of_two_players_is_left_out_by_nobody() -> None:
    assert len(PRESETS) == 23 and set(preset_names()) - set(PRESETS) == {"bga_solo"}


# At these walls a hand of patient players goes on after the stock, or ends by the last discard.
WALLS = {
    "knock": {"wall_rule": "last_discard_knock", "dead_stock": 22, "big_gin_bonus": 31},
    "play": {"wall_rule": "last_discard_play", "dead_stock": 26},
    "play-elevens": {"wall_rule": "last_discard_play", "dead_stock": 30, "opening": "eleven_ten"},
    "reshuffle": {"wall_rule": "reshuffle", "dead_stock": 27, "may_discard_taken": True},
    "small-reshuffle": {
        "wall_rule": "reshuffle",
        "hand_size": 5,
        "ranks": 5,
        "dead_stock": 5,
        "knock_limit": 3,
    },
    "small-knock": {
        "wall_rule": "last_discard_knock",
        "hand_size": 4,
        "ranks": 6,
        "suits": 3,
        "dead_stock": 3,
    },
}


@pytest.mark.parametrize("changes", WALLS.values(), ids=WALLS)
def test_walls(changes: dict[str, Any]) -> None:
    fields: dict[str, Any] = {**changes, "game_target": 10_000}
    met: Counter[str] = Counter()
    after_wall = 0
    for who in (
        ("gold", "gold"),
        ("dice", "dice"),
        ("hoarder", "dice"),
        ("taker", "dice"),
        ("taker", "hoarder"),
    ):
        step = Step(fields, who, 5, 9, 1)
        hands = 12 if "hoarder" not in who else 4  # his are long
        for _ in range(hands if COMPILED else 2):
            told = step.hand()
            met[told.ending] += 1
            at_wall = len(told.stock) <= step.rules.dead_stock and told.told[-1][1] == "upcard"
            after_wall += at_wall or told.reshuffles > 0
    if COMPILED:
        assert after_wall and met["knock"] and (met["void"] or changes["wall_rule"] == "reshuffle")


RUNS: dict[str, dict[str, Any]] = {
    "tournament_50th": {"game_target": 60},
    "rlcard": {},
    "hollywood": {"game_target": 40, "column_multipliers": [1, 2, 1]},
    "palace": {"match_type": "first_to_points", "match_length": 250, "game_target": 50},
    "openspiel_oklahoma": {"match_type": "best_of", "match_length": 3, "payoff": "rlcard", "game_target": 30},
    "oklahoma_kisses": {"spade_doubles_boxes": True, "box_timing": "immediate", "opening": "free_first_draw"},
}


@pytest.mark.parametrize("name", RUNS)
def test_whole_runs(name: str) -> None:
    """A run counts what the slow simulator plays in both matches of every pair."""
    rules = Rules.preset(name).replace(**RUNS[name])
    fields = rules.to_dict()
    (a, naive_a), (b, naive_b) = PLAYERS["gold"], PLAYERS["two_stage"]
    pairs = 3 if COMPILED else 1
    tally = play_match(a, b, rules, pairs=pairs, seed=21).tally
    sums: Counter[str] = Counter(one=pairs)
    for pair in range(pairs):
        for number in (0, 1):
            luck = Luck(21, pair, number, rules.ranks, rules.suits)
            match = naive_match.play_match((naive_a, naive_b), fields, luck)
            sums["matches"] += 1
            sums["matches_a"] += HALVES[match.score.winner]
            for game in match.games:
                sums["games"] += 1
                sums["games_a"] += HALVES[game.winner]
                first = game.hands[0].dealer
                sums["games_mover"] += HALVES[game.winner] if first == 1 else 2 - HALVES[game.winner]
                sums["total_a"] += game.totals[0]
                sums["total_b"] += game.totals[1]
                for hand in game.hands:
                    sums["hands"] += 1
                    sums["turns"] += hand.turns
                    sums["payoff_a"] += hand.payoffs[0]
                    sums["payoff_b"] += hand.payoffs[1]
                    if hand.winner is not None:
                        sums["decisive"] += 1
                        sums["hands_a"] += hand.winner == 0
                        sums["hands_mover"] += hand.winner != hand.dealer
                        sums[f"points_{'ab'[hand.winner]}"] += hand.points
    assert {name: tally.outcome(name) for name in OUTCOMES} == {name: sums[name] for name in OUTCOMES}


HALVES: dict[int | None, int] = {0: 2, 1: 0, None: 1}
"""Side A's share of a game or match, in halves."""
