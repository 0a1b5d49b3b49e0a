"""Replayed games: consistent card by card, the same as the run's, and told alike in words and data."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any, NamedTuple

import pytest

from analysis.story import SIDES, story_dict, tell_match
from sim._jit import COMPILED
from sim.cards import format_card, format_cards, parse_card, parse_cards
from sim.replay import GameStory, HandStory, MatchStory, replay_game, replay_match
from sim.rules import Rules, parse_overrides
from sim.run import Player, Run, RunError, play_match
from sim.tally import OUTCOMES
from strategies.base import parse_strategy, player
from tests import naive, naive_score

GAMES = {
    "gold simple eaai": (),
    "gin_only threshold(10) standard": (),
    "simple two_stage(10, 2, 5) bga": (),
    "random gold fournier": (),
    "threshold(3) gold round_the_corner": (),
    "gold gin_only straight_gin": ("big_gin_bonus=40", "void_dealer=rotate"),
    "simple gold seven_card": ("ranks=11", "may_discard_taken=true"),
}
PAIRS = 4 if COMPILED else 1
SEED = 3


class Case(NamedTuple):
    """A few pairs of a match: the rules, the stories of all games, and a run of each pair."""

    rules: Rules
    stories: list[tuple[GameStory, GameStory]]
    runs: list[Run]


def sides(a: str, b: str) -> tuple[Player, Player]:
    return player(parse_strategy(a)), player(parse_strategy(b))


def words_of(text: str) -> list[str]:
    """Split at the blanks that stand outside brackets."""
    return re.findall(r"\S+\([^)]*\)|\S+", text)


@pytest.fixture(scope="module", params=GAMES.items(), ids=GAMES)
def case(request: pytest.FixtureRequest) -> Case:
    text, settings = request.param
    a, b, preset = words_of(text)
    rules, both = Rules.preset(preset).replace(**parse_overrides(settings)), sides(a, b)
    stories = []
    for pair in range(PAIRS):
        first, second = (replay_game(*both, rules, pair=pair, game=game, seed=SEED) for game in (0, 1))
        stories.append((first, second))
    runs = [play_match(*both, rules, pairs=1, first=pair, seed=SEED) for pair in range(PAIRS)]
    return Case(rules, stories, runs)


def hands_of(case: Case) -> list[HandStory]:
    return [hand for both in case.stories for story in both for hand in story.hands]


def naive_deadwood(mask: int, rules: Rules) -> int:
    return naive.deadwood(naive.from_mask(mask), rules.runs_ace, rules.ace_value)


# --- a story is consistent -----------------------------------------------------------------------


def test_every_card_is_in_one_place(case: Case) -> None:
    """The whole deck at every turn: two hands, the discard pile, the stock."""
    size = case.rules.hand_size
    for hand in hands_of(case):
        hands, pile = list(hand.dealt), [hand.upcard]
        stock = case.rules.deck & ~(hands[0] | hands[1] | hand.upcard)
        assert hands[0] & hands[1] == 0 and hand.upcard & (hands[0] | hands[1]) == 0
        assert [cards.bit_count() for cards in hands] == [size, size]
        for turn in hand.turns:
            assert turn.upcard == pile[-1] and turn.drawn.bit_count() == 1
            if turn.from_discard:
                assert pile.pop() == turn.drawn
            else:
                assert stock & turn.drawn
                stock ^= turn.drawn
            held = hands[turn.side] | turn.drawn
            assert held.bit_count() == size + 1
            if turn.discard:
                assert held & turn.discard and turn.discard.bit_count() == 1
                pile.append(turn.discard)
            else:
                assert hand.end == "big_gin" and turn is hand.turns[-1]
            hands[turn.side] = held & ~turn.discard
            assert turn.hand == hands[turn.side] and turn.stock == stock.bit_count()
            everything = [*hands, *pile, stock]
            assert sum(cards.bit_count() for cards in everything) == case.rules.deck.bit_count()
            assert sum(everything) == case.rules.deck


def test_turns_are_played_in_turn(case: Case) -> None:
    for hand in hands_of(case):
        mover = 1 - hand.dealer
        first = hand.turns[0]
        assert first.passes in ((), (mover,), (mover, 1 - mover))
        # A pass gives the other the choice; after two passes the first draws from the stock.
        assert first.side == (1 - mover if first.passes == (mover,) else mover)
        assert first.from_discard == (len(first.passes) < 2)
        for before, after in zip(hand.turns, hand.turns[1:], strict=False):
            assert after.side == 1 - before.side and after.passes == ()
        assert hand.knocker in (-1, hand.turns[-1].side)


def test_taken_cards_are_not_thrown_back(case: Case) -> None:
    for hand in hands_of(case):
        for turn in hand.turns:
            if turn.from_discard and not case.rules.may_discard_taken:
                assert turn.discard != turn.drawn


def test_deadwood_by_the_oracle(case: Case) -> None:
    """Of each turn's hand (the first hands of each game: the oracle is slow)."""
    for both in case.stories[:2]:
        for story in both:
            for hand in story.hands[:1]:
                for turn in hand.turns:
                    assert turn.deadwood == naive_deadwood(turn.hand, case.rules)


def test_endings_by_the_oracle(case: Case) -> None:
    """What is shown and laid off fits, and the hand is worth what the oracle says."""
    rules = case.rules
    for hand in hands_of(case):
        if hand.end in ("void", "capped"):
            assert (hand.knocker, hand.winner, hand.points, hand.layoffs) == (-1, -1, 0, ())
            assert hand.spread is None and hand.defence is None
            assert hand.end == "capped" or hand.turns[-1].stock == rules.dead_stock
            continue
        assert hand.spread is not None and hand.defence is not None
        last = hand.turns[-1]
        assert last.deadwood <= rules.knock_limit
        shown = [naive.from_mask(meld) for meld in hand.spread.melds]
        assert set(shown) <= naive.meld_table(rules.runs_ace)
        assert sum(hand.spread.melds) + hand.spread.leftover == last.hand
        assert (
            hand.spread.deadwood
            == last.deadwood
            == naive.pips(naive.from_mask(hand.spread.leftover), rules.ace_value)
        )
        order = [(naive.card(format_card(card)), home) for card, home in hand.layoffs]
        naive.play_layoffs(shown, order, rules.runs_ace)
        other = hand.defence
        defender = sum(other.melds) + other.leftover + sum(card for card, _ in hand.layoffs)
        held = [turn.hand for turn in hand.turns if turn.side != hand.knocker]
        assert defender == (held[-1] if held else hand.dealt[1 - hand.knocker])
        assert all(naive.from_mask(meld) in naive.meld_table(rules.runs_ace) for meld in other.melds)
        assert other.deadwood == naive.pips(naive.from_mask(other.leftover), rules.ace_value)
        if not rules.layoff_on_gin and last.deadwood == 0:
            assert hand.layoffs == ()
        big_gin = last.hand.bit_count() > rules.hand_size
        score = naive_score.hand_result(last.deadwood, other.deadwood, rules.to_dict(), big_gin)
        assert (hand.end, hand.points, hand.boxes) == (score.end, score.points, score.boxes)
        winner = {"knocker": hand.knocker, "defender": 1 - hand.knocker, None: -1}[score.winner]
        assert hand.winner == winner


def test_scores_add_up(case: Case) -> None:
    for both in case.stories:
        for story in both:
            sheet = naive_score.Sheet(case.rules.to_dict())
            for hand in story.hands:
                assert not sheet.over
                won = hand.winner >= 0
                sheet.enter(hand.winner if won else None, hand.points, hand.boxes if won else None)
                assert hand.scores == tuple(sheet.columns[0].points)
            game = sheet.score()
            assert (story.boxes, story.totals, story.winner) == (game.boxes, game.totals, game.winner)


# --- a story is the run's ------------------------------------------------------------------------


def outcomes_of(both: tuple[GameStory, GameStory]) -> dict[str, int]:
    """Return the outcomes of a pair as its stories have them."""
    hands = [hand for story in both for hand in story.hands]
    won = [hand for hand in hands if hand.winner >= 0]
    movers = [1 - story.hands[0].dealer for story in both]
    return {
        "one": 1,
        "matches_a": sum({0: 2, 1: 0, -1: 1}[story.winner] for story in both),
        "games": 2,
        "games_a": sum({0: 2, 1: 0, -1: 1}[story.winner] for story in both),
        "hands": len(hands),
        "decisive": len(won),
        "hands_a": sum(hand.winner == 0 for hand in won),
        "points_a": sum(hand.points for hand in won if hand.winner == 0),
        "points_b": sum(hand.points for hand in won if hand.winner == 1),
        "turns": sum(len(hand.turns) for hand in hands),
        "games_mover": sum(
            1 if story.winner < 0 else 2 * (story.winner == mover)
            for story, mover in zip(both, movers, strict=True)
        ),
        "hands_mover": sum(hand.winner == 1 - hand.dealer for hand in won),
        "total_a": sum(story.totals[0] for story in both),
        "total_b": sum(story.totals[1] for story in both),
        "payoff_a": 0,
        "payoff_b": 0,
    }


def test_a_pair_s_stories_are_its_tally(case: Case) -> None:
    for both, run in zip(case.stories, case.runs, strict=True):
        assert outcomes_of(both) == {name: run.tally.outcome(name) for name in OUTCOMES}
        hands = [hand for story in both for hand in story.hands]
        endings = run.tally.endings()
        for side in (0, 1):
            counted = Counter(
                hand.end
                for hand in hands
                if hand.knocker >= 0 and side == (hand.winner if hand.end == "undercut" else hand.knocker)
            )
            assert counted == Counter(endings[SIDES[side].lower()])
        for end in ("void", "capped"):
            assert endings[end] == sum(hand.end == end for hand in hands)


def test_a_pair_s_stories_have_its_draws_and_layoffs(case: Case) -> None:
    for both, run in zip(case.stories, case.runs, strict=True):
        hands = [hand for story in both for hand in story.hands]
        for side in (0, 1):
            taken = sum(turn.from_discard for hand in hands for turn in hand.turns if turn.side == side)
            assert run.tally.total("upcard_draws")[side] == taken
            cards = [card for hand in hands if hand.knocker == 1 - side for card, _ in hand.layoffs]
            points = sum(naive.pips(naive.from_mask(card), case.rules.ace_value) for card in cards)
            assert run.tally.total("layoffs")[side].tolist() == [len(cards), points]


def test_the_largest_swing_is_found(case: Case) -> None:
    """The winner furthest behind at any time, the earliest game of equals."""
    swings = []
    for pair, both in enumerate(case.stories):
        for game, story in enumerate(both):
            if story.winner >= 0:
                gaps = [hand.scores[1 - story.winner] - hand.scores[story.winner] for hand in story.hands]
                swings.append((-max(0, *gaps), pair, game))
    found = case.runs[0]
    for run in case.runs[1:]:
        found = found.then(run)
    behind, pair, game = min(swings)
    assert tuple(found.swing) == (-behind, pair, game)


def test_the_games_of_a_pair_share_their_decks(case: Case) -> None:
    for first, second in case.stories:
        for one, two in zip(first.hands, second.hands, strict=False):
            assert one.dealt == two.dealt[::-1] and one.upcard == two.upcard


def test_scores_and_dealer_at_the_start() -> None:
    both, rules = sides("gold", "simple"), Rules.preset("eaai")
    story = replay_game(*both, rules, pair=1, seed=2, scores=(62, 80), dealer=0)
    run = play_match(*both, rules, pairs=1, first=1, seed=2, scores=(62, 80), dealer=0)
    assert story.hands[0].dealer == 0
    gained = [sum(hand.points for hand in story.hands if hand.winner == side) for side in (0, 1)]
    assert story.hands[-1].scores == (62 + gained[0], 80 + gained[1])
    assert run.tally.total("games")[0, 1].sum() == 1  # with packet 0 side A dealt first
    assert run.tally.total("games")[0].sum(axis=0).argmax() == story.winner


def test_arguments_out_of_range() -> None:
    both, rules = sides("gold", "simple"), Rules.preset("eaai")
    for wrong in ({"pair": -1}, {"pair": 0, "game": 2}, {"pair": 0, "seed": -1}):
        with pytest.raises(ValueError, match=str([*wrong.values()][-1])):
            replay_game(*both, rules, **wrong)


# --- a story is told -----------------------------------------------------------------------------


def told(story: GameStory) -> list[str]:
    return list(tell_match(MatchStory((story,), story.winner), "left", "right"))


def data_of(story: GameStory) -> dict[str, Any]:
    (game,) = story_dict(MatchStory((story,), story.winner))["games"]
    assert isinstance(game, dict)
    return game


def parts(lines: list[str]) -> list[list[str]]:
    """Return the lines of each hand."""
    starts = [index for index, line in enumerate(lines) if line.startswith("Hand ")]
    return [lines[start:end] for start, end in zip(starts, [*starts[1:], len(lines)], strict=True)]


def test_words_and_data_tell_the_same_game(case: Case) -> None:
    for both in case.stories[:3]:
        for story in both:
            lines, data = told(story), data_of(story)
            assert lines[0] == "A = left   B = right"
            texts = parts(lines)
            assert len(texts) == len(data["hands"]) == len(story.hands)
            for number, (text, hand) in enumerate(zip(texts, data["hands"], strict=True), 1):
                _same_hand(number, text, hand)
            totals = data["totals"]
            assert f"A {totals[0]}, B {totals[1]}" in lines[-1]
            assert f"{data['boxes'][0]}:{data['boxes'][1]}" in lines[-1]
            assert lines[-1].startswith(f"{data['winner'].upper()} wins the game")


def _same_hand(number: int, text: list[str], hand: dict[str, Any]) -> None:
    assert text[0].startswith(f"Hand {number}: {hand['dealer'].upper()} deals")
    assert hand["upcard"] in text[0]
    assert text[1].split() == ["A", *hand["dealt"]["a"].split()]
    assert text[2].split() == ["B", *hand["dealt"]["b"].split()]
    turns = text[3 : 3 + len(hand["turns"])]
    for index, (line, turn) in enumerate(zip(turns, hand["turns"], strict=True), 1):
        verb = "takes" if turn["from_discard"] else "draws"
        assert line.split()[0] == str(index)
        assert f"{turn['side'].upper()} {verb} {turn['drawn']}" in line
        assert [word[0].lower() for word in re.findall(r"[AB] passes", line)] == turn["passes"]
        assert (f"throws {turn['discard']}" in line) == (turn["discard"] is not None)
        assert f"deadwood {turn['deadwood']}" in line and f"stock {turn['stock']}" in line
    rest = "\n".join(text[3 + len(turns) :])
    assert f"A {hand['scores']['a']}, B {hand['scores']['b']}" in rest
    for shown in (hand["spread"], hand["defence"]):
        if shown is not None:
            assert all(meld in rest for meld in shown["melds"])
            left = f"left {shown['leftover']} ({shown['deadwood']})" if shown["leftover"] else "nothing left"
            assert left in rest
    for one in hand["layoffs"]:
        assert f"{one['card']} on {one['meld']}" in rest
    if hand["winner"] is not None:
        assert f"{hand['winner'].upper()} scores {hand['points']}" in rest
    elif hand["knocker"] is not None:
        assert "obody" in rest
    assert ("void" in rest) == (hand["end"] in ("void", "capped"))


def test_data_is_plain(case: Case) -> None:
    story = case.stories[0][0]
    data = data_of(story)
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    for hand, plain in zip(story.hands, data["hands"], strict=True):
        assert tuple(parse_cards(plain["dealt"][side]) for side in "ab") == hand.dealt
        assert [parse_card(turn["drawn"]) for turn in plain["turns"]] == [turn.drawn for turn in hand.turns]
        assert plain["end"] == hand.end and plain["points"] == hand.points


def first_with(end: str, a: str, b: str, rules: Rules, seed: int = 1) -> HandStory:
    """Return the first hand that ends so, of the first pair whose tally has one."""
    both = sides(a, b)
    for pair in range(20_000):
        endings = play_match(*both, rules, pairs=1, first=pair, seed=seed).tally.endings()
        if endings.get(end) or any(endings[side].get(end) for side in "ab"):
            for game in (0, 1):
                for hand in replay_game(*both, rules, pair=pair, game=game, seed=seed).hands:
                    if hand.end == end:
                        return hand
    raise AssertionError(f"no hand ended by {end}")


def text_of(hand: HandStory) -> str:
    return "\n".join(told(GameStory((hand,), -1, (0, 0), (0, 0))))


@pytest.mark.requires_jit
class TestRareHands:
    """Hands that few games have, each searched for and read."""

    def test_big_gin(self) -> None:
        rules = Rules.preset("standard")
        hand = first_with("big_gin", "gin_only", "gin_only", rules)
        text = text_of(hand)
        assert hand.spread is not None and hand.turns[-1].discard == 0
        assert hand.spread.leftover == 0 and sum(hand.spread.melds).bit_count() == 11
        assert f"{SIDES[hand.knocker]} has big gin: " in text and "nothing left" in text
        assert hand.defence is not None and hand.points == 31 + hand.defence.deadwood
        data = data_of(GameStory((hand,), -1, (0, 0), (0, 0)))["hands"][0]
        assert data["turns"][-1]["discard"] is None and data["end"] == "big_gin"
        assert sum(len(meld.split()) for meld in data["spread"]["melds"]) == 11

    def test_void(self) -> None:
        hand = first_with("void", "gin_only", "gin_only", Rules.preset("straight_gin"))
        assert hand.turns[-1].stock == 2
        text = text_of(hand)
        assert "void" in text and "scores" not in text and "knocks" not in text

    def test_undercut_and_layoffs(self) -> None:
        hand = first_with("undercut", "simple", "simple", Rules.preset("eaai"))
        assert "is undercut" in text_of(hand) and hand.winner == 1 - hand.knocker

    @pytest.mark.parametrize(
        ("end", "words", "changes"),
        [
            ("tie", "is tied", {"tie_rule": "push"}),
            ("gin_cancelled", "cancelled", {"gin_vs_zero": "no_score", "layoff_on_gin": True}),
        ],
    )
    def test_nobody_scores(self, end: str, words: str, changes: dict[str, Any]) -> None:
        hand = first_with(end, "simple", "gin_only", Rules.preset("eaai").replace(**changes))
        text = text_of(hand)
        assert words in text and "Nobody scores" in text
        assert (hand.winner, hand.points) == (-1, 0)

    def test_layoffs_are_told_in_the_order_they_can_be_played(self) -> None:
        """Long chains among many hands: the words name a meld of the spread for each card."""
        rules = Rules.preset("eaai").replace(game_target=1500)
        story = replay_game(*sides("simple", "simple"), rules, pair=0, seed=5)
        long = [hand for hand in story.hands if len(hand.layoffs) > 1]
        assert len(long) >= 3
        for hand in long:
            assert hand.spread is not None
            shown = [naive.from_mask(meld) for meld in hand.spread.melds]
            order = [(naive.card(format_card(card)), home) for card, home in hand.layoffs]
            naive.play_layoffs(shown, order)
            told_so = ", ".join(
                f"{format_card(card)} on {format_cards(hand.spread.melds[home])}"
                for card, home in hand.layoffs
            )
            assert f"lays off {told_so}" in text_of(hand)


def test_passes_are_told(case: Case) -> None:
    hands = hands_of(case)
    told_passes = sum(text_of(hand).count(" passes.") for hand in hands)
    assert told_passes == sum(len(turn.passes) for hand in hands for turn in hand.turns)
    assert told_passes > 0 or not COMPILED


def test_a_game_without_a_winner_is_told() -> None:
    lines = told(GameStory((), -1, (2, 1), (30, 12)))
    assert "Nobody wins" in lines[-1] and "A 30, B 12" in lines[-1]
    assert data_of(GameStory((), -1, (2, 1), (30, 12)))["winner"] is None


@pytest.mark.parametrize("preset", ["tournament", "hollywood", "openspiel_oklahoma", "rlcard"])
def test_matches_are_told(preset: str) -> None:
    rules = Rules.preset(preset)
    both = sides("gold", "simple")
    for game in (0, 1):
        story = replay_match(*both, rules, pair=2, game=game, seed=5)
        lines = list(tell_match(story, "left", "right"))
        won = [sum(one.winner == side for one in story.games) for side in (0, 1)]
        data = story_dict(story)
        assert len(data["games"]) == len(story.games) == (sum(won) if rules.match_type == "best_of" else 1)
        assert data["match_winner"] == (None if story.winner < 0 else "ab"[story.winner])
        headings = [line for line in lines if line.startswith("Game ")]
        if rules.match_type == "best_of":
            assert won[story.winner] == 3 and len(headings) == len(story.games) >= 3
            assert lines[-1] == f"{SIDES[story.winner]} wins the match, games {won[0]}:{won[1]}."
        else:
            assert headings == [] and "the game" in lines[-1]
        hands = [hand for one in data["games"] for hand in one["hands"]]
        for hand in hands:
            assert (hand["upcard"] is None) == (rules.opening == "eleven_ten")
            assert (hand["limit_card"] is None) == (rules.knock_limit_source == "fixed")
        text = "\n".join(lines)
        assert text.count("No upcard.") == (len(hands) if rules.opening == "eleven_ten" else 0)
        assert text.count(" or less") + text.count("Gin only") == (
            len(hands) if rules.knock_limit_source != "fixed" else 0
        )


def test_a_cheat_cannot_be_replayed() -> None:
    from tests.strategies.user_file import NOT_HELD, puppet

    with pytest.raises(RunError, match=r"cheat .*pair 4.*hand 0"):
        replay_game(puppet(throw=NOT_HELD, name="cheat"), puppet(), Rules.preset("eaai"), pair=4)
