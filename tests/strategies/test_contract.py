"""The suite that every registered strategy passes, at its defaults and at other parameters."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from sim._jit import COMPILED
from sim.cards import cards_of
from sim.deal import DRAWN
from sim.rules import Rules, preset_names
from sim.run import PARAMS, Table, play_match
from sim.scoring import CAPPED, GOING, VOID
from strategies.base import Strategy, parse_strategy, player, registered
from tests.strategies.user_file import COIN, deal, go_on, puppet, restore, snapshot

TABLE = Path(__file__).resolve().parents[2] / "docs" / "examples" / "knock_table.csv"
SETTINGS = {
    "combine": [
        "combine(draw=simple, knock=threshold(6), discard=gold)",
        "combine(draw=gold, knock=two_stage(early=8, late=2, switch=5), discard=simple)",
        "combine(draw=heisenbot, knock=percent_twenty, discard=marjj(weight=5.0), spread=marjj)",
    ],
    "monte_carlo": [
        "monte_carlo(2)",
        "monte_carlo(samples=2, policy=simple, likely=false, equity=true)",
        "combine(draw=monte_carlo(1, threshold(4)), knock=two_stage, discard=gold)",
    ],
    "knock_table": [f'knock_table("{TABLE.as_posix()}")'],
    "simple": ["simple(pair_memory=false)"],
    "clinch": ["clinch(30)"],
    "clinch_low_stock": ["clinch_low_stock(other_deadwood=0, stock=20)"],
    "greedy": ["greedy(0, false, 0)", "greedy(threshold=10, score_weight=500)"],
    "human": ["human(early=0, middle=200, care=3, shed=1, high=1)", "human(2, 3, 10, 200, 15)"],
    "gold": ["gold(3)", "gold(threshold=10, hold_for_gin=true)"],
    "threshold": ["threshold(k=0)", "threshold(5)"],
    "marjj": ["marjj(0.0, pip_margin=15, knock_turns=200)", "marjj(10.0, 0.5, ahead=1, knock_turns=0)"],
    "heisenbot": ["heisenbot(low=0, triangle_turn=1, double_turn=1, gap=10000, early=1, late=200, loose=0)"],
    "percent_twenty": ["percent_twenty(sometimes=0.1)"],
    "two_stage": ["two_stage(early=0, late=10, switch=1)", "two_stage(7, 2, 4)", "two_stage(5, 5, 200)"],
}
"""Parameters beside the defaults; a strategy that is not listed is tested at its defaults."""

BY_DEFAULT = sorted(set(registered()) - {"combine", "knock_table", "monte_carlo"})
ALL = sorted({*BY_DEFAULT, *(text for texts in SETTINGS.values() for text in texts)})
PRESETS = {name: rules for name in preset_names() if (rules := Rules.preset(name)).solo is None}
QUICK = ("eaai", "standard", "fournier", "straight_gin", "bga_oklahoma", "openspiel_oklahoma", "rlcard")
"""Presets for the kernels as plain Python: the others differ from these in games and matches alone."""
VARIANTS = {
    **(PRESETS if COMPILED else {name: PRESETS[name] for name in QUICK}),
    "corner": Rules.preset("round_the_corner"),
    "throw-back": Rules(may_discard_taken=True, runs_ace="high_low", ace_value=15),
    "reduced": Rules(hand_size=5, ranks=8, big_gin_bonus=31),
    "must": Rules(gin_compulsory=True, big_gin_bonus=31, knock_limit_source="separate_card"),
    "fiftieth": Rules(wall_rule="last_discard_knock", dead_stock=15, opening="free_first_draw"),
    "shuffled": Rules(wall_rule="reshuffle", dead_stock=15, knock_limit=3),
}

WAYS = 3
"""Ways to deal the hidden cards at each decision."""


def test_settings_are_of_registered_strategies() -> None:
    assert set(SETTINGS) <= set(registered())


@pytest.mark.parametrize("text", ALL)
class TestContract:
    def test_text_and_parameters(self, text: str) -> None:
        chosen = parse_strategy(text)
        again = parse_strategy(str(chosen))
        assert again == chosen and hash(again) == hash(chosen) and str(again) == str(chosen)
        assert type(again).name == chosen.name and str(chosen).startswith(chosen.name)
        listed = chosen.parameters()
        assert len(chosen.params()) <= PARAMS
        assert all(spec["doc"].strip() for spec in listed)
        if chosen.name not in ("combine", "knock_table"):  # whose parameters are others', or a layout
            numbers = [spec for spec in listed if not spec["kind"].startswith("strategy")]
            for spec, value in zip(numbers, chosen.params(), strict=True):
                assert float(getattr(chosen, spec["name"])) == value
                assert isinstance(spec["default"], bool) == (spec["kind"] == "flag")
        assert chosen.summary().endswith(".")
        assert isinstance(chosen, Strategy)

    def test_player(self, text: str) -> None:
        chosen = parse_strategy(text)
        made = player(chosen)
        assert (made.name, list(made.params)) == (str(chosen), chosen.params())
        assert len(made.decisions) == 4
        view = Table(made, made, Rules()).views[1]
        policy = list(made.policy.params) if made.policy else []
        assert view.params[: len(chosen.params()) + len(policy)].tolist() == chosen.params() + policy
        assert not view.params[len(chosen.params()) + len(policy) :].any()

    @pytest.mark.parametrize("rules", VARIANTS.values(), ids=VARIANTS)
    def test_legal_choices_only(self, text: str, rules: Rules) -> None:
        # The engine checks every card, every end and every spread; a fault would raise.
        made = player(parse_strategy(text))
        single = rules.match_type == "single_hand"
        pairs = (400 if single else 25) if COMPILED else 1
        if "monte_carlo" in text:
            if rules != VARIANTS["eaai"]:
                needs_the_jit_to_sample(text)
            pairs = -(-pairs // 10)
            rules = rules if COMPILED else rules.replace(match_type="single_hand")
        for other in (made, puppet(COIN)) if COMPILED else (puppet(COIN),):
            run = play_match(made, other, rules, pairs=pairs, seed=12)
            assert run.pairs == pairs and (run.tally.outcome("decisive") > 0 or single)

    def test_deterministic(self, text: str) -> None:
        needs_the_jit_to_sample(text)
        made = player(parse_strategy(text))
        rules = Rules.preset("standard")
        pairs = 64 if COMPILED else 1
        one, two = (
            play_match(made, puppet(COIN), rules, pairs=pairs, seed=5, threads=threads, chunk=chunk)
            for threads, chunk in ((1, pairs), (2, 1))
        )
        assert one.tally.tobytes() == two.tally.tobytes()
        if COMPILED:
            again = play_match(player(parse_strategy(text)), puppet(COIN), rules, pairs=pairs, seed=5)
            assert again.tally.tobytes() == one.tally.tobytes()

    @pytest.mark.parametrize("name", ["standard", "corner", "openspiel_oklahoma", "rlcard", "shuffled"])
    def test_hidden_cards_do_not_matter(self, text: str, name: str) -> None:
        """Other cards in the other hand and another stock: the same draw, knock, discard and spread."""
        needs_the_jit_to_sample(text)
        made = player(parse_strategy(text))
        table = Table(made, puppet(COIN), VARIANTS[name], 9)
        source = random.Random(f"{text} {name}")
        decisions: set[Any] = set()
        for pair in range(2 if COMPILED else 1):
            deal(table, pair, pair % 2)
            while table.hand.ending == GOING:
                if int(table.hand.player) == 0 and int(table.hand.phase) != DRAWN:
                    here = snapshot(table)
                    drawn = draw_decisions(table, source)
                    restore(table, here)
                    end = end_decisions(table, source)
                    restore(table, here)
                    assert len(drawn) == 1 and len(end) <= 1, (pair, int(table.hand.turns))
                    decisions |= drawn | end
                go_on(table, int(table.hand.turns) + 1)
        assert len(decisions) > 2


def needs_the_jit_to_sample(text: str) -> None:
    """Skip what would take minutes in plain Python."""
    if "monte_carlo" in text and not COMPILED:
        pytest.skip("sampled worlds take minutes in plain Python, where tests/sim/test_rollout.py plays some")


def shuffle_hidden(table: Table, source: random.Random) -> None:
    """Deal all that side A does not know anew: B's unknown cards and the stock, from the top."""
    hand, (mine, other) = table.hand, table.views
    hidden = cards_of(int(mine.unseen))
    source.shuffle(hidden)
    stock = int(hand.stock)
    other.hand = sum(hidden[stock:]) | int(mine.known)
    assert int(other.hand).bit_count() == table.rules.hand_size
    other.unseen = int(table.rules.deck) & ~int(other.hand | other.pile | other.known)
    for place in range(int(hand.place), 52):  # the places of the stock keep cards that are not played
        if int(hand.allowed) >> int(hand.deck[place]) & 1:
            hand.deck[place] = hidden.pop(0).bit_length() - 1


def who_played(table: Table) -> int:
    """Return the side whose turn was the last."""
    return 1 - int(table.hand.player) if table.hand.ending == GOING else int(table.hand.player)


def draw_decisions(table: Table, source: random.Random) -> set[Any]:
    """Return what side A, to act, draws, over `WAYS` to deal the hidden cards."""
    found = set()
    before = snapshot(table)
    for _ in range(WAYS):
        restore(table, before)
        shuffle_hidden(table, source)
        go_on(table, int(table.hand.turns) + 1)
        # If the turn was the other's, A passed on the first upcard.
        found.add(("draw", who_played(table) == 0 and bool(table.views[0].from_discard)))
    return found


def end_decisions(table: Table, source: random.Random) -> set[Any]:
    """Return how side A goes on after his draw, the card drawn being the same each time."""
    before = snapshot(table)
    hand, (mine, other) = table.hand, table.views
    upcard = int(hand.upcard)
    go_on(table, int(hand.turns) + 1)
    if who_played(table) != 0:  # he passed on the first upcard, and the other took it
        return set()
    drawn, took = int(mine.drawn), int(mine.from_discard)
    restore(table, before)
    hand.drawn, hand.from_discard, hand.phase = drawn, took, DRAWN
    if took:
        hand.pile ^= upcard
        mine.pile = other.pile = hand.pile
        other.known |= upcard
    else:
        mine.unseen ^= drawn
        hand.stock -= 1
        place = next(i for i in range(int(hand.place), 52) if 1 << int(hand.deck[i]) == drawn)
        hand.deck[place] = hand.deck[int(hand.place)]
        hand.place += 1
    ready = snapshot(table)
    found = set()
    for _ in range(WAYS):
        restore(table, ready)
        shuffle_hidden(table, source)
        go_on(table, int(hand.turns) + 1)
        ended = hand.ending not in (GOING, VOID, CAPPED)
        found.add(("end", ended, int(hand.discard), int(hand.sets) if ended else 0))
    return found
