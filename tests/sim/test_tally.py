"""Counters: against a second count in plain Python, the identities between them, and the signature."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import pytest

from sim._jit import COMPILED
from sim.cards import cards_of
from sim.deal import new_hand
from sim.game import begin_hand, finish_hand, start_game
from sim.melds import deadwood, discard_deadwoods
from sim.rules import Rules
from sim.run import Player, Table, play_match
from sim.scoring import CAPPED, ENDINGS, GOING, KNOCK, NOBODY, UNDERCUT, VOID
from sim.tally import (
    DEFENDER_POINTS,
    GROUPS,
    KINDS,
    KNOCK_FIELDS,
    KNOCK_TURNS,
    LENGTHS,
    MATCH_OUTCOMES,
    OUTCOMES,
    PAIR_DTYPE,
    POINTS,
    SIDE_ENDINGS,
    TALLY_DTYPE,
    Tally,
    record_hand,
)
from strategies.base import parse_strategy, player
from tests.strategies.user_file import ANY, BEST, COIN, STOCK, TOSS, go_on, puppet

PIPS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10]
Counters = dict[str, np.ndarray[Any, Any]]


def named(text: str) -> Player:
    return player(parse_strategy(text))


# --- a second count ------------------------------------------------------------------------------


def retold(a: Player, b: Player, rules: Rules, pair: int, seed: int) -> Counters:
    """Play one pair turn by turn and count it all again, in plain Python."""
    count: Counters = {name: np.zeros(TALLY_DTYPE[name].shape, np.int64) for name in TALLY_DTYPE.names or ()}
    table = Table(a, b, rules, seed)
    sums = dict.fromkeys(OUTCOMES, 0)
    sums["one"] = 1
    told = []
    before = np.zeros(len(MATCH_OUTCOMES), np.int64)
    for number in (0, 1):
        start_game(table.game, seed, pair, number, table.rules)
        first = int(table.game.first_dealer)
        played: list[Any] = []
        while not table.game.over:
            dealer = int(table.game.dealer)
            begin_hand(table.game, table.hand, table.views[0], table.views[1], table.rules)
            played.append([])
            legal = _play(table, rules, played[-1])
            _count_hand(count, sums, table, legal, number, dealer)
            finish_hand(table.game, table.hand, table.rules)
        told.append(played)
        winner = int(table.game.winner)
        halves = {0: (2, 0), 1: (0, 2), -1: (1, 1)}[winner]
        sums["games"] += 1
        sums["games_a"] += halves[0]
        sums["matches_a"] += halves[0]
        sums["games_mover"] += halves[1 - first]
        sums["total_a"] += int(table.game.totals[0])
        sums["total_b"] += int(table.game.totals[1])
        count["games"][number, 1 - first, 2 if winner < 0 else winner] += 1
        if winner >= 0:
            loser = table.game.boxes if rules.shutout_test == "no_hands" else table.game.points
            count["shutouts"][winner] += loser[0, 1 - winner] == 0
        now = np.array([number + 1, *(sums[name] for name in MATCH_OUTCOMES[1:])])
        count["match_moments"] += np.outer(now - before, now - before)
        before = now
    vector = np.array([sums[name] for name in OUTCOMES])
    count["moments"] += np.outer(vector, vector)
    count["pair_scores"][sums["games_a"]] += 1
    count["undiverged"] += told[0] == told[1]
    return count


def _play(table: Table, rules: Rules, moves: list[Any]) -> list[tuple[int, int, int, bool]]:
    """Play a hand out; return each legal knock as side, own turn, least deadwood, taken or not."""
    legal = []
    while table.hand.ending == GOING:
        go_on(table, int(table.hand.turns) + 1)
        going = table.hand.ending == GOING
        side = 1 - int(table.hand.player) if going else int(table.hand.player)
        view = table.views[side]
        moves.append((int(table.hand.discard), bool(view.from_discard)))
        taken = int(table.hand.knocker) == side
        turn = int(view.turn) - (0 if taken else 1)
        held = int(view.hand) | int(table.hand.discard)
        banned = int(view.drawn) if view.from_discard and not rules.may_discard_taken else 0
        least = min(discard_deadwoods(held, rules, banned).values())
        if rules.big_gin_bonus is not None and deadwood(held, rules) == 0:
            least = 0
        if least <= rules.knock_limit:
            legal.append((side, turn, least, taken))
    moves.append(int(table.hand.ending))
    return legal


def _count_hand(
    count: Counters, sums: dict[str, int], table: Table, legal: list[Any], packet: int, dealer: int
) -> None:
    hand, rules = table.hand, table.rules
    ending, winner, points = int(hand.ending), int(hand.winner), int(hand.points)
    sums["hands"] += 1
    sums["turns"] += int(hand.turns)
    gain = {0: points, 1: -points, -1: 0}[winner]  # of side A
    if winner >= 0:
        sums["decisive"] += 1
        sums["hands_a"] += winner == 0
        sums["points_a" if winner == 0 else "points_b"] += points
        sums["hands_mover"] += winner != dealer
        count["scores"][winner, min(points, 255)] += 1
    if ending in (VOID, CAPPED):
        kind = KINDS - 2 + (ending == CAPPED)
    else:
        knocker = int(hand.knocker)
        owner = 1 - knocker if ending == UNDERCUT else knocker
        kind = owner * len(SIDE_ENDINGS) + SIDE_ENDINGS.index(ENDINGS[ending])
        count["deadwoods"][knocker, int(hand.knocker_deadwood), min(int(hand.defender_deadwood), 99)] += 1
        for card in cards_of(int(hand.layoffs)):
            rank = (card.bit_length() - 1) % 16
            pips = int(rules.ace_value) if rank == 0 else PIPS[rank]
            count["layoffs"][1 - knocker] += (1, pips)
    count["hands"][packet, int(dealer == 0), kind] += 1
    count["points"][packet, int(dealer == 0), kind] += points
    count["lengths"][min(int(hand.turns), 63)] += 1
    count["upcard_draws"] += hand.upcard_draws
    for side in (0, 1):
        turns = [turn for one, turn, _, _ in legal if one == side]
        count["first_legal"][side, min(turns, default=0)] += 1
    for side, turn, least, taken in legal:
        cell = count["knocks"][side, min(turn, 32) - 1, least]
        own = gain if side == 0 else -gain
        if taken:
            cell += (1, winner == side, ending == UNDERCUT, own, 0, 0, 0, 0)
        else:
            cell += (0, 0, 0, 0, 1, winner == side, winner == 1 - side, own)


SECOND_COUNTS = {
    "eaai": (puppet(COIN, TOSS, ANY), named("simple"), Rules.preset("eaai")),
    "fournier": (named("gold"), puppet(COIN, TOSS, BEST), Rules.preset("fournier")),
    "push": (puppet(STOCK, TOSS), named("gin_only"), Rules(tie_rule="push", big_gin_bonus=31)),
    "corner": (named("gold"), named("two_stage"), Rules.preset("round_the_corner")),
    "tie": (named("gold"), named("gold(3)"), Rules(tie_rule="defender_no_bonus", shutout_test="no_points")),
    "reduced": (named("two_stage"), puppet(COIN, TOSS), Rules(hand_size=5, ranks=8, big_gin_bonus=31)),
}


@pytest.mark.parametrize("name", SECOND_COUNTS)
def test_second_count(name: str) -> None:
    a, b, rules = SECOND_COUNTS[name]
    pairs = 4 if COMPILED else 1
    run = play_match(a, b, rules, pairs=pairs, seed=21, first=126)
    rows = run.tally.rows
    for pair in range(126, 126 + pairs):
        for field, counts in retold(a, b, rules, pair, 21).items():
            np.testing.assert_array_equal(rows[field][pair % GROUPS], counts, err_msg=f"{pair} {field}")
    used = {pair % GROUPS for pair in range(126, 126 + pairs)}  # over the end: 126, 127, 0, 1
    assert set(np.flatnonzero(rows["moments"][:, 0, 0])) == used


# --- identities ----------------------------------------------------------------------------------

MATCHES = {
    "simple-gold-eaai": ("simple", "gold", Rules.preset("eaai")),
    "random-gold-standard": ("random", "gold", Rules.preset("standard")),
    "gin-two-fournier": ("gin_only", "two_stage", Rules.preset("fournier")),
    "gold-gold-bga": ("gold", "gold", Rules.preset("bga")),
    "straight": ("gold", "simple", Rules.preset("straight_gin")),
    "corner": ("gin_only", "gold", Rules.preset("round_the_corner")),
    "seven": ("simple", "two_stage", Rules.preset("seven_card")),
    "defender": ("gold", "threshold(3)", Rules(tie_rule="defender_no_bonus")),
}


@pytest.fixture(scope="module", params=MATCHES)
def played(request: pytest.FixtureRequest) -> tuple[Rules, Tally]:
    a, b, rules = MATCHES[request.param]
    pairs = 300 if COMPILED else 1
    return rules, play_match(named(a), named(b), rules, pairs=pairs, seed=5).tally


class TestIdentities:
    def test_endings_sum_to_hands(self, played: tuple[Rules, Tally]) -> None:
        rules, tally = played
        ends = tally.endings()
        by_side = [sum(ends[side].values()) for side in "ab"]
        hands = tally.outcome("hands")
        assert sum(by_side) + ends["void"] + ends["capped"] == hands == int(tally.total("hands").sum())
        nobody = ends["void"] + ends["capped"] + sum(ends[side]["gin_cancelled"] for side in "ab")
        if rules.tie_rule == "push":
            nobody += sum(ends[side]["tie"] for side in "ab")
        assert tally.outcome("decisive") == hands - nobody
        won = {side: sum(ends[side][end] for end in ("knock", "gin", "big_gin", "undercut")) for side in "ab"}
        if rules.tie_rule == "defender_no_bonus":
            won = {"a": won["a"] + ends["b"]["tie"], "b": won["b"] + ends["a"]["tie"]}
        assert (won["a"], won["a"] + won["b"]) == (tally.outcome("hands_a"), tally.outcome("decisive"))
        assert (rules.tie_rule in ("push", "defender_no_bonus")) or ends["a"]["tie"] == ends["b"]["tie"] == 0
        assert rules.big_gin_bonus is not None or ends["a"]["big_gin"] == ends["b"]["big_gin"] == 0
        assert rules.knock_limit or ends["a"]["knock"] == ends["a"]["undercut"] == 0

    def test_points(self, played: tuple[Rules, Tally]) -> None:
        rules, tally = played
        points = tally.points_by_ending()
        for side in "ab":
            assert sum(points[side].values()) == tally.outcome(f"points_{side}")
            assert points[side]["tie"] == points[side]["gin_cancelled"] == 0
            ends = tally.endings()[side]
            assert points[side]["gin"] >= rules.gin_bonus * ends["gin"]
            assert points[side]["undercut"] >= rules.undercut_bonus * ends["undercut"]
        assert points["void"] == points["capped"] == 0

    def test_histograms(self, played: tuple[Rules, Tally]) -> None:
        _, tally = played
        hands, decisive, of_a = (tally.outcome(name) for name in ("hands", "decisive", "hands_a"))
        scores, lengths = tally.total("scores"), tally.total("lengths")
        assert scores.sum(axis=1).tolist() == [of_a, decisive - of_a]
        assert lengths.sum() == hands
        if not scores[:, -1].any():
            assert (scores @ np.arange(POINTS)).tolist() == [
                tally.outcome("points_a"),
                tally.outcome("points_b"),
            ]
        if not lengths[-1]:
            assert lengths @ np.arange(LENGTHS) == tally.outcome("turns")
        assert tally.total("first_legal").sum(axis=1).tolist() == [hands, hands]
        assert tally.total("upcard_draws").sum() <= tally.outcome("turns")
        assert int(tally.total("pair_scores").sum()) == tally.pairs
        assert tally.total("pair_scores") @ np.arange(5) == tally.outcome("games_a")
        assert tally.total("games").sum() == 2 * tally.pairs

    def test_legal_knocks(self, played: tuple[Rules, Tally]) -> None:
        rules, tally = played
        knocks = tally.total("knocks")
        fields = dict(zip(KNOCK_FIELDS, np.moveaxis(knocks, -1, 0), strict=True))
        ends = tally.endings()
        ended = {
            side: sum(ends[side].values()) - ends[side]["undercut"] + ends[other]["undercut"]
            for side, other in ("ab", "ba")
        }
        assert fields["taken"].sum(axis=(1, 2)).tolist() == [ended["a"], ended["b"]]
        assert tally.total("deadwoods").sum(axis=(1, 2)).tolist() == [ended["a"], ended["b"]]
        assert fields["undercut"].sum(axis=(1, 2)).tolist() == [ends["b"]["undercut"], ends["a"]["undercut"]]
        assert (fields["won"] + fields["undercut"] <= fields["taken"]).all()
        assert (fields["won_later"] + fields["lost_later"] <= fields["declined"]).all()
        assert not knocks[:, :, rules.knock_limit + 1 :].any()
        # A hand without a legal knock of a side has none taken or declined by it.
        legal = (fields["taken"] + fields["declined"]).sum(axis=(1, 2))
        some = tally.outcome("hands") - tally.total("first_legal")[:, 0]
        assert (some <= legal).all() and (some >= [ended["a"], ended["b"]]).all()
        # What the knocks taken bring is what the hands bring.
        net = fields["points"].sum(axis=(1, 2))
        assert net[0] - net[1] == tally.outcome("points_a") - tally.outcome("points_b")

    def test_moments(self, played: tuple[Rules, Tally]) -> None:
        _, tally = played
        moments = tally.total("moments")
        assert (moments == moments.T).all() and moments[0, 0] == tally.pairs
        assert np.linalg.eigvalsh(moments.astype(float)).min() > -1e-6 * moments.max()
        alone = tally.total("match_moments")
        assert (alone == alone.T).all() and alone[0, 0] == 2 * tally.pairs
        assert (alone[0, 1:] == moments[0, 1 : len(alone)]).all()  # matches add up to pairs


def test_moments_are_those_of_single_pairs() -> None:
    a, b, rules = named("simple"), named("gin_only"), Rules.preset("eaai")
    pairs = 40 if COMPILED else 3
    together = play_match(a, b, rules, pairs=pairs, seed=2).tally
    expected = np.zeros((len(OUTCOMES),) * 2, np.int64)
    for pair in range(pairs):
        vector = play_match(a, b, rules, pairs=1, seed=2, first=pair).tally.total("moments")[0]
        expected += np.outer(vector, vector)
    np.testing.assert_array_equal(together.total("moments"), expected)
    for number, name in enumerate(OUTCOMES):
        assert together.outcome(name) == expected[0, number]


def test_always_and_never() -> None:
    """Who knocks at once declines nothing, and his first legal knock is the one he takes."""
    pairs = 50 if COMPILED else 1
    tally = play_match(puppet(), named("gin_only"), Rules(), pairs=pairs).tally
    knocks, first = tally.total("knocks"), tally.total("first_legal")
    taken = knocks[0, :, :, KNOCK_FIELDS.index("taken")].sum(axis=1)
    assert taken.tolist() == first[0, 1:].tolist()
    assert not knocks[0, ..., KNOCK_FIELDS.index("declined")].any()
    assert not knocks[1, :, 1:, KNOCK_FIELDS.index("taken")].any()


# --- merging, groups, ends of the scales ---------------------------------------------------------


def test_merge_is_associative() -> None:
    a, b, rules = named("simple"), named("gold"), Rules()
    step = 30 if COMPILED else 1
    one, two, three = (play_match(a, b, rules, pairs=step, first=step * i).tally for i in range(3))
    whole = play_match(a, b, rules, pairs=3 * step).tally
    empty = Tally()
    for merged in (
        one.merge(two).merge(three),
        one.merge(two.merge(three)),
        three.merge(one).merge(two),
        empty.merge(one).merge(two).merge(three).merge(empty),
    ):
        assert merged.tobytes() == whole.tobytes()
    assert one.pairs == step and empty.pairs == 0  # merging leaves its parts alone


def test_groups() -> None:
    assert GROUPS == 128
    tally = play_match(named("gold"), named("simple"), Rules(), pairs=300 if COMPILED else 2).tally
    for name in TALLY_DTYPE.names or ():
        assert tally.groups(name).shape == (GROUPS, *TALLY_DTYPE[name].shape)
        np.testing.assert_array_equal(tally.groups(name).sum(axis=0), tally.total(name))
    assert tally.groups("moments")[:, 0, 0].tolist() == [
        len(range(group, tally.pairs, GROUPS)) for group in range(GROUPS)
    ]


def test_the_ends_of_the_scales() -> None:
    """What lies beyond a scale is counted in its last place."""
    row = np.zeros(1, TALLY_DTYPE).view(np.recarray)[0]
    pair = np.zeros(1, PAIR_DTYPE).view(np.recarray)[0]
    table = Table(puppet(), puppet(), Rules())
    hand = new_hand()
    hand.ending, hand.winner, hand.knocker, hand.points, hand.turns = KNOCK, 0, 0, 300, 390
    hand.taken, hand.first_legal[:] = 195 << 8 | 4, (33, 200)
    hand.declines[0], hand.declined[0, 0], hand.declined[0, 1] = 2, 32 << 8 | 10, 33 << 8 | 10
    hand.knocker_deadwood, hand.defender_deadwood = 4, 108
    record_hand(row, pair, hand, table.melds, 1, 0)
    assert np.argwhere(row.scores).tolist() == [[0, POINTS - 1]]
    assert np.argwhere(row.lengths).tolist() == [[LENGTHS - 1]]
    assert np.argwhere(row.first_legal).tolist() == [[0, KNOCK_TURNS], [1, KNOCK_TURNS]]
    assert np.argwhere(row.knocks[..., 0]).tolist() == [[0, KNOCK_TURNS - 1, 4]]
    assert row.knocks[0, KNOCK_TURNS - 1, 10].tolist() == [0, 0, 0, 0, 2, 2, 0, 600]
    assert np.argwhere(row.deadwoods).tolist() == [[0, 4, DEFENDER_POINTS - 1]]
    assert np.argwhere(row.hands).tolist() == [[1, 1, 0]]
    assert pair.points_a == 300 and pair.hands_mover == 0
    hand.winner, hand.ending, hand.knocker, hand.points, hand.turns = NOBODY, VOID, NOBODY, 0, 62
    record_hand(row, pair, hand, table.melds, 0, 1)
    assert row.lengths[62] == 1 and row.hands[0, 0, KINDS - 2] == 1
    assert (pair.hands, pair.decisive, pair.turns) == (2, 1, 452)


# --- signature -----------------------------------------------------------------------------------

BATCH = (
    ("simple", "gold", "eaai", 2),
    ("random", "two_stage(early=7, late=2, switch=4)", "standard", 1),
    ("gin_only", "threshold(4)", "fournier", 1),
    ("simple(pair_memory=false)", "gold(hold_for_gin=true)", "bga", 1),
    ("gold", "simple", "seven_card", 1),
    ("two_stage", "random", "round_the_corner", 1),
    ("gold", "simple", "oklahoma_kisses", 1),
    ("simple", "threshold(4)", "hollywood", 1),
    ("random", "random", "rlcard", 2),
    ("gold", "gin_only", "openspiel_oklahoma", 3),
)

SIGNATURE = 59743306763893942
"""Of what the engine and its players do in the batch, compiled or not.

It changes only with their behaviour: a deck, a rule, a decision, a counter. When a change of behaviour
is meant, put in the number that the failing test prints and say in the commit why it changed.
"""


def test_signature() -> None:
    digest = hashlib.sha256()
    for a, b, preset, pairs in BATCH:
        run = play_match(named(a), named(b), Rules.preset(preset), pairs=pairs, seed=2024, threads=1)
        digest.update(run.tally.tobytes())
    assert int.from_bytes(digest.digest()[:7], "big") == SIGNATURE
