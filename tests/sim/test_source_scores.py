"""The numbered rules of the sources on showing, laying off and scoring, played out.

`tests/rules_index.csv` says which rule each test proves. Turns and ends are in `test_source_rules.py`.
"""

from __future__ import annotations

from typing import Any

import pytest

from sim._jit import COMPILED
from sim.cards import cards_of, parse_card, parse_cards
from sim.melds import deadwood
from sim.replay import HandStory, replay_game
from sim.rules import Rules
from sim.run import Table
from sim.scoring import ENDINGS
from tests.strategies.user_file import (
    ALWAYS,
    COIN,
    DEFAULT,
    FIRST,
    GIVEN,
    LAST,
    STOCK,
    at_discard,
    go_on,
    puppet,
)

SOURCES = ("standard", "fournier", "club", "bga")
"""A preset of each source."""

every_source = pytest.mark.parametrize("preset", SOURCES)

KING = "KS KH KD 4H 5H 6H 8C 9C TC AS", "QD", "KC 2S 2H 2D QH 9S 5D 3C 6S JH"
TEN_LEFT = "3D 4D 5D JS JH JC 8S 8C 8D TH", "QC", "AC 2C 3C 4C 6S 6H 6D 9D 9S KH"
GIN = "AS 2S 3S 4S 7H 7D 7C JD QD KD", "9C", "5S 7S TD 9H 9S 9D KH 4C 2D AH"
GIN_V_GIN = "3S 4S 5S 9H 9D 9C TC JC QC KC", "2H", "AS AH AD AC 6H 7H 8H KS KH KD"
LOWER = "5H 6H 7H 9S 9D 9C JS QS KS 8D", "2C", "AD AC AH 3C 3D 3S 4H 8H 9H 2D"
EQUAL = "4S 5S 6S 8H 8D 8C TC JC QC 6D", "KD", "KH KS KC 2H 2D 2C JH JD JS 6H"
ELEVEN = "AS 2S 3S 5H 5D 5C 9C TC JC QC KC", "", "KH KD QH 8S 8D 7S 4H 4C 3D 2H"
SEVENS = "4H 5H 6H 7H 7S 7D 7C AS AD 3C", "KS", "8H 9H KD KC KH QC JD 4C 2D 6S"


def ended(kept: str, thrown: str, defender: str, preset: str, show: int = DEFAULT, **changes: Any) -> Table:
    """Let A, who has drawn ``thrown``, throw it and end the hand; without one, throw what he can spare."""
    rules = Rules.preset(preset).replace(**changes)
    if thrown:
        bit = parse_card(thrown).bit_length() - 1
        knocker = puppet(STOCK, ALWAYS, GIVEN, show, number=bit)
    else:
        knocker = puppet(STOCK, ALWAYS, show=show)
    table = at_discard(kept, thrown, defender, rules, knocker)
    go_on(table, 1)
    assert not table.hand.fault and int(table.hand.knocker) == 0
    return table


def result(table: Table) -> tuple[str, int, int]:
    """Return how the hand ended, the side that won it, and its points."""
    hand = table.hand
    return ENDINGS[int(hand.ending)], int(hand.winner), int(hand.points)


def left(table: Table) -> tuple[int, int]:
    """Return what knocker and defender are left with."""
    return int(table.hand.knocker_deadwood), int(table.hand.defender_deadwood)


def is_meld(mask: int) -> bool:
    places = [card.bit_length() - 1 for card in cards_of(mask)]
    ranks, suits = {place % 16 for place in places}, {place // 16 for place in places}
    if len(ranks) == 1:
        return len(places) >= 3
    return len(suits) == 1 and len(places) >= 3 and max(ranks) - min(ranks) == len(places) - 1


def stories(preset: str) -> list[HandStory]:
    """Return hands of some games that somebody ended."""
    sides = puppet(), puppet(COIN)
    games = 4 if COMPILED else 1
    told = [replay_game(*sides, Rules.preset(preset), pair=pair, seed=6) for pair in range(games)]
    return [hand for game in told for hand in game.hands if hand.spread is not None]


class TestShowing:
    @every_source
    def test_both_show_all_their_cards(self, preset: str) -> None:
        """The knocker's melds and what is left over; the defender's, and what he lays off."""
        hands = stories(preset)
        assert len(hands) > 3
        for hand in hands:
            assert hand.spread is not None and hand.defence is not None
            last = hand.turns[-1]
            melds = hand.spread.melds
            assert all(is_meld(meld) for meld in melds)
            assert sum(melds) | hand.spread.leftover == last.hand
            assert hand.spread.deadwood == deadwood(last.hand) == last.deadwood
            off = sum(card for card, _ in hand.layoffs)
            cards = sum(hand.defence.melds) | hand.defence.leftover | off
            assert cards.bit_count() == 10 and not cards & (last.hand | last.discard)
            assert all(is_meld(meld) for meld in hand.defence.melds)

    @every_source
    def test_every_card_laid_off_makes_a_meld_of_the_knocker_s(self, preset: str) -> None:
        seen = 0
        for hand in stories(preset):
            assert hand.spread is not None
            melds = list(hand.spread.melds)
            for card, index in hand.layoffs:
                melds[index] |= card
                assert is_meld(melds[index])
                seen += 1
        assert seen

    @every_source
    def test_the_knocker_chooses_his_melds(self, preset: str) -> None:
        """And the defender may not rearrange them: 8H does not go on a run whose 7H lies with the sevens."""
        told = set()
        for show in (FIRST, LAST):
            table = ended(*SEVENS, preset, show)
            told.add((int(table.hand.sets), int(table.hand.layoffs), *result(table)))
        assert told == {
            (parse_cards("7S 7H 7D 7C"), 0, "knock", 0, 49 - 5),
            (parse_cards("7S 7D 7C"), parse_cards("8H 9H"), "knock", 0, 32 - 5),
        }

    @every_source
    def test_the_knocker_s_melds_are_not_broken(self, preset: str) -> None:
        # 8D would make three eights of the defender's two, and leave 5-6-7 whole.
        table = ended("5D 6D 7D 8D JS JH JC AS AH 3C", "TH", "8S 8H KS KH QD QC 9C 6C 4S 2H", preset)
        assert left(table) == (5, 8 + 8 + 10 + 10 + 10 + 10 + 9 + 6 + 4 + 2)
        assert not table.hand.layoffs

    @every_source
    def test_a_card_is_melded_or_laid_off(self, preset: str) -> None:
        # 8D is needed for the eights, so it cannot carry 9D on the run 5-6-7.
        table = ended("5D 6D 7D JS JH JC 2S 2H 2C 9S", "KS", "8D 8S 8H 9D KH KD QC TH 6C 4S", preset)
        assert left(table) == (9, 9 + 10 + 10 + 10 + 10 + 6 + 4) and not table.hand.layoffs


class TestLayoffs:
    @every_source
    def test_the_fourth_king(self, preset: str) -> None:
        table = ended(*KING, preset)
        assert deadwood(parse_cards(KING[2])) == 53 and left(table) == (1, 43)
        assert int(table.hand.layoffs) == parse_card("KC")

    @every_source
    def test_the_knocker_lays_nothing_off(self, preset: str) -> None:
        # His queen would go on the defender's three queens.
        position = "3D 4D 5D JS JH JC 8S 8C 8D QC", "2H", "QS QH QD KS KH 7C 6S 4H 2C AS"
        assert left(ended(*position, preset)) == (10, 10 + 10 + 7 + 6 + 4 + 2 + 1)

    @every_source
    def test_on_a_set_and_both_ends_of_a_run(self, preset: str) -> None:
        position = "QS QH QC 5D 6D 7D 2S 3S 4S 7C", "TH", "QD 4D 8D KH KC JH TS 6H 6C 2H"
        table = ended(*position, preset)
        assert int(table.hand.layoffs) == parse_cards("QD 4D 8D") and left(table) == (7, 54)

    @every_source
    def test_one_after_the_other(self, preset: str) -> None:
        """The four of clubs goes on 6-7-8 after the five, and not without it."""
        knocker = "6C 7C 8C QS QH QD 2D 3D 4D 9H", "KS"
        table = ended(*knocker, "5C 4C KH KD KC TS 8H 3S AS 7D", preset)
        assert int(table.hand.layoffs) == parse_cards("5C 4C") and left(table) == (9, 29)
        table = ended(*knocker, "5S 4C KH KD KC TS 8H 3S AS 7D", preset)
        assert not table.hand.layoffs and left(table) == (9, 38)

    @pytest.mark.parametrize("preset", ["standard", "club", "bga"])
    def test_nothing_against_gin(self, preset: str) -> None:
        """5S, 7S and TD would fit; only the defender's own melds help him."""
        table = ended(*GIN, preset)
        assert left(table) == (0, 39) == (0, deadwood(parse_cards(GIN[2]))) and not table.hand.layoffs

    def test_against_gin_in_fournier(self) -> None:
        """After a knock and after gin alike."""
        table = ended(*GIN, "fournier")
        assert int(table.hand.layoffs) == parse_cards("5S 7S TD") and left(table) == (0, 17)
        assert result(table) == ("gin", 0, 20 + 17)
        table = ended(*KING, "fournier")
        assert int(table.hand.layoffs) == parse_card("KC") and result(table) == ("knock", 0, 42)


class TestPoints:
    @every_source
    def test_the_difference(self, preset: str) -> None:
        """What the other is left with above one's own goes to the knocker."""
        for position, points in ((KING, 43 - 1), (TEN_LEFT, 28 - 10)):
            assert result(ended(*position, preset)) == ("knock", 0, points)

    @pytest.mark.parametrize(
        ("preset", "bonus"), [("standard", 25), ("fournier", 10), ("club", 25), ("bga", 10)]
    )
    def test_an_undercut(self, preset: str, bonus: int) -> None:
        table = ended(*LOWER, preset)
        assert left(table) == (8, 2) and result(table) == ("undercut", 1, 6 + bonus)
        for agreed in (0, 15):
            assert result(ended(*LOWER, preset, undercut_bonus=agreed)) == ("undercut", 1, 6 + agreed)

    @every_source
    def test_an_undercut_by_laying_off(self, preset: str) -> None:
        # 23 before the lay-offs, far above the knocker's 8.
        assert deadwood(parse_cards(LOWER[2])) == 23
        table = ended(*LOWER, preset)
        assert int(table.hand.layoffs) == parse_cards("4H 8H 9H")
        assert result(table)[:2] == ("undercut", 1)

    @pytest.mark.parametrize(
        ("preset", "told"),
        [
            ("standard", ("undercut", 1, 25)),
            ("fournier", ("undercut", 1, 10)),
            ("club", ("undercut", 1, 25)),
            ("bga", ("tie", -1, 0)),
        ],
    )
    def test_equal_counts(self, preset: str, told: tuple[str, int, int]) -> None:
        """And one point more or less than equal is no matter of taste."""
        table = ended(*EQUAL, preset)
        assert left(table) == (6, 6) and result(table) == told
        higher, lower = (f"{EQUAL[2][:-2]}{card}" for card in ("7H", "5H"))
        assert result(ended(*EQUAL[:2], higher, preset)) == ("knock", 0, 1)
        bonus = Rules.preset(preset).undercut_bonus
        assert result(ended(*EQUAL[:2], lower, preset)) == ("undercut", 1, 1 + bonus)

    @pytest.mark.parametrize(("preset", "bonus"), [("standard", 25), ("club", 25), ("bga", 25)])
    def test_gin(self, preset: str, bonus: int) -> None:
        assert result(ended(*GIN, preset)) == ("gin", 0, bonus + 39)
        assert result(ended(*GIN, preset, gin_bonus=30)) == ("gin", 0, 30 + 39)

    def test_gin_in_fournier(self) -> None:
        assert result(ended(*GIN, "fournier")) == ("gin", 0, 20 + 17)

    @every_source
    def test_gin_always_wins_and_a_knock_does_not(self, preset: str) -> None:
        table = ended(*GIN_V_GIN, preset)
        assert left(table) == (0, 0) and result(table) == ("gin", 0, Rules.preset(preset).gin_bonus)
        assert [int(ended(*one, preset).hand.winner) for one in (KING, LOWER)] == [0, 1]

    @pytest.mark.parametrize(
        "kept",
        [
            "AS 2S 3S 4S 5S 6S 7S 8S 9S TS",
            "AS 2S 3S 4S 5S 9H TH JH QH KH",
            "AS 2S 3S 7H 7D 7C TD JD QD KD",
            "AS AH AD 7H 7D 7C 7S QD QS QH",
        ],
    )
    def test_gin_of_few_melds(self, kept: str) -> None:
        for preset in SOURCES:
            table = ended(kept, "5C", "3C 4C 6D 6C 8C 8D 9C JC KC KS", preset)
            assert result(table)[0] == "gin" and int(table.views[0].hand).bit_count() == 10

    @every_source
    def test_the_card_thrown_is_no_part_of_gin(self, preset: str) -> None:
        """The nine of clubs fits nowhere: the discard is what makes the hand gin."""
        assert deadwood(parse_cards(f"{GIN[0]} {GIN[1]}")) == 9
        table = ended(*GIN, preset)
        assert result(table)[0] == "gin" and int(table.views[0].big_gin) == 0
        assert int(table.hand.discard) == parse_card("9C")
        assert int(table.views[0].hand) == parse_cards(GIN[0], 10)

    @pytest.mark.parametrize("preset", ["standard", "bga_big_gin"])
    def test_big_gin(self, preset: str) -> None:
        """All eleven melded, nothing thrown: 31 instead of the gin bonus, or as agreed."""
        table = ended(*ELEVEN, preset)
        assert result(table) == ("big_gin", 0, 31 + 66) and not table.hand.discard
        assert int(table.views[0].hand) == parse_cards(ELEVEN[0], 11)
        assert result(ended(*ELEVEN, preset, big_gin_bonus=50)) == ("big_gin", 0, 50 + 66)
        assert result(ended(*GIN, preset)) == ("gin", 0, 25 + 39)  # ten melded are ordinary gin

    @pytest.mark.parametrize("preset", ["club", "bga", "fournier"])
    def test_eleven_melded_count_as_gin(self, preset: str) -> None:
        """Where big gin was not agreed on; a card is thrown and ten are shown."""
        table = ended(*ELEVEN, preset)
        ending, winner, points = result(table)
        assert (ending, winner) == ("gin", 0) and int(table.hand.discard).bit_count() == 1
        assert int(table.views[0].hand).bit_count() == 10
        assert points == Rules.preset(preset).gin_bonus + left(table)[1]
        assert left(table)[1] == 66 or preset == "fournier"
