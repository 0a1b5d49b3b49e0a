"""A slow, obviously right scorer for hands, games, score sheets and matches of two players.

It shares no code with ``sim`` and is written from the rules alone, sections A to C: one step after
another on plain lists. A side is 0 (A) or 1 (B), a card a pair ``(rank, suit)`` as in ``tests.naive``,
and rules are a mapping of the field names of section C.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

Card = tuple[int, int]
Pair = tuple[int, int]
"""A number of side A and one of side B."""
Entry = tuple[int | None, int, int | None]
"""A hand for a score sheet: winner (None: nobody), points, boxes (None: one)."""

SPADES = 0
GAMES_IN_ALL = 1_000
"""Games after which a match stops unfinished."""

RULES: dict[str, Any] = {
    "hand_size": 10,
    "ranks": 13,
    "suits": 4,
    "opening": "upcard_offer",
    "first_dealer": "random",
    "next_dealer": "alternate",
    "void_dealer": "same",
    "may_discard_taken": False,
    "dead_stock": 2,
    "wall_rule": "void",
    "runs_ace": "low",
    "ace_value": 1,
    "knock_limit": 10,
    "knock_limit_source": "fixed",
    "oklahoma_ace": "one",
    "spade_multiplier": 1,
    "spade_doubles_boxes": False,
    "gin_compulsory": False,
    "gin_bonus": 25,
    "big_gin_bonus": None,
    "layoff_on_gin": False,
    "gin_vs_zero": "score",
    "undercut_bonus": 25,
    "tie_rule": "undercut",
    "extra_boxes_gin": 0,
    "extra_boxes_big_gin": 0,
    "extra_boxes_undercut": 0,
    "game_target": 100,
    "game_bonus": 100,
    "box_bonus": 25,
    "box_timing": "end",
    "shutout": "double_hands",
    "shutout_flat": 100,
    "shutout_test": "no_hands",
    "columns": 1,
    "column_multipliers": [1],
    "match_type": "single_game",
    "match_length": 1,
    "payoff": "points",
}
"""Every field of section C that two players need, at its default."""


def complete(rules: Mapping[str, Any]) -> dict[str, Any]:
    """Return rules with the fields that are missing at their defaults."""
    unknown = set(rules) - set(RULES) - {"solo"}
    assert not unknown, f"the oracle does not know {sorted(unknown)}"
    assert rules.get("solo") is None, "the oracle plays for two"
    return {**RULES, **rules}


# ---------------------------------------------------------------- one hand


def limit_of(rules: Mapping[str, Any], limit_card: Card | None = None) -> int:
    """Return the most deadwood that may knock in a hand with this limit card."""
    if rules["knock_limit_source"] == "fixed":
        return int(rules["knock_limit"])
    assert limit_card is not None, "these rules need a limit card"
    value = min(limit_card[0] + 1, 10)
    if limit_card[0] == 0 and rules["oklahoma_ace"] == "gin":
        value = 0
    return min(value, int(rules["knock_limit"]))


def is_doubled(rules: Mapping[str, Any], limit_card: Card | None) -> bool:
    """Tell whether the limit card of a hand is a spade and rules have limit cards."""
    if rules["knock_limit_source"] == "fixed":
        return False
    assert limit_card is not None, "these rules need a limit card"
    return limit_card[1] == SPADES


class HandResult(NamedTuple):
    """How a hand ended, who won it (knocker, defender, None), with what points and boxes."""

    end: str
    winner: str | None
    points: int
    boxes: int


def hand_result(
    knocker: int,
    defender: int,
    rules: Mapping[str, Any],
    big_gin: bool = False,
    limit_card: Card | None = None,
) -> HandResult:
    """Score a hand that somebody ended, from both deadwoods (the defender's after lay-offs).

    ``big_gin`` says that all eleven cards are melded and that none was thrown.
    """
    winner: str | None
    extra = 0
    if knocker == 0:
        winner = "knocker"
        if big_gin and rules["big_gin_bonus"] is not None:
            end, bonus, extra = "big_gin", rules["big_gin_bonus"], rules["extra_boxes_big_gin"]
        else:
            end, bonus, extra = "gin", rules["gin_bonus"], rules["extra_boxes_gin"]
        points = bonus + defender
        if defender == 0 and rules["gin_vs_zero"] == "no_score":
            end, winner, points = "gin_cancelled", None, 0
    elif defender > knocker:
        end, winner, points = "knock", "knocker", defender - knocker
    elif defender < knocker or rules["tie_rule"] == "undercut":
        end, winner, points = "undercut", "defender", knocker - defender + rules["undercut_bonus"]
        extra = rules["extra_boxes_undercut"]
    elif rules["tie_rule"] == "defender_no_bonus":
        end, winner, points = "tie", "defender", 0
    elif rules["tie_rule"] == "push":
        end, winner, points = "tie", None, 0
    else:
        end, winner, points = "knock", "knocker", 0

    boxes = 0 if winner is None else 1 + extra
    if is_doubled(rules, limit_card):
        points *= rules["spade_multiplier"]
        if rules["spade_doubles_boxes"]:
            boxes *= rules["spade_multiplier"]
    return HandResult(end, winner, points, boxes)


def rlcard_payoffs(end: str, knocker: int | None, deadwoods: Pair) -> Pair:
    """Return what a hand pays to each side in hundredths, as the RLCard benchmark counts.

    ``deadwoods`` is the least deadwood of each side's own cards without lay-offs. Who ended the hand
    gets 100 for gin and 20 for any other knock, everybody else pays his deadwood.
    """
    paid = [-deadwoods[0], -deadwoods[1]]
    if knocker is not None:
        paid[knocker] = 100 if end in ("gin", "big_gin", "gin_cancelled") else 20
    return paid[0], paid[1]


# ---------------------------------------------------------------- one game


@dataclass
class Column:
    """One column of a score sheet: a game of its own.

    ``points`` are those of the hands, ``boxes`` the boxes, by side; ``entered`` tells which side has
    an entry. ``winner`` is set when the column closes.
    """

    points: list[int] = field(default_factory=lambda: [0, 0])
    boxes: list[int] = field(default_factory=lambda: [0, 0])
    entered: list[bool] = field(default_factory=lambda: [False, False])
    winner: int | None = None


class ColumnScore(NamedTuple):
    """The account of a column, its multiplier already in ``totals``.

    ``shutout`` says that it was won to nothing, whether or not the rules reward that.
    """

    points: Pair
    boxes: Pair
    winner: int | None
    shutout: bool
    totals: Pair


class GameScore(NamedTuple):
    """The account of a game: how it ended, who won it, numbers by side, and its columns.

    ``end`` is game, game_shutout (a shutout that is rewarded), match (a full sheet of several columns)
    or unfinished. ``boxes`` are summed over the columns, ``bonuses`` is what the totals hold beyond the
    points of hands and boxes in the columns.
    """

    end: str
    winner: int | None
    totals: Pair
    boxes: Pair
    bonuses: Pair
    columns: tuple[ColumnScore, ...]


class Sheet:
    """The score sheet of one game, which may begin with points and boxes in its first column."""

    def __init__(self, rules: Mapping[str, Any], points: Pair = (0, 0), boxes: Pair = (0, 0)) -> None:
        self.rules = complete(rules)
        assert len(self.rules["column_multipliers"]) == self.rules["columns"]
        self.columns = [Column() for _ in range(self.rules["columns"])]
        self.started = (points[0] > 0, points[1] > 0)
        self.columns[0].points = list(points)
        self.columns[0].boxes = list(boxes)
        self.columns[0].entered = [boxes[side] > 0 for side in (0, 1)]
        self.hands: list[Entry] = []

    @property
    def over(self) -> bool:
        """Tell whether no hand can be entered any more."""
        if self.rules["match_type"] == "single_hand":
            return len(self.hands) == 1
        return all(column.winner is not None for column in self.columns)

    def shown(self, column: Column, side: int) -> int:
        """Return what a side has in a column on the way to the target."""
        if self.rules["box_timing"] == "immediate":
            return column.points[side] + column.boxes[side] * int(self.rules["box_bonus"])
        return column.points[side]

    def enter(self, winner: int | None, points: int = 0, boxes: int | None = None) -> None:
        """Enter a hand; a hand after the end of the game is an error."""
        if self.over:
            raise ValueError(f"hand {len(self.hands) + 1}: the game is over")
        self.hands.append((winner, points, boxes))
        if winner is None:
            return
        first_entry_made = False
        for column in self.columns:
            if column.winner is not None:
                continue
            if not column.entered[winner]:
                if first_entry_made:
                    continue
                first_entry_made = True
                column.entered[winner] = True
            column.points[winner] += points
            column.boxes[winner] += 1 if boxes is None else boxes
            if self.shown(column, winner) >= self.rules["game_target"]:
                column.winner = winner

    def is_shutout(self, column: Column) -> bool:
        """Tell whether a column was won to nothing."""
        if column.winner is None:
            return False
        loser = 1 - column.winner
        if self.rules["shutout_test"] == "no_points":
            return column.points[loser] == 0
        # Who began the game with points has won a hand before.
        began = column is self.columns[0] and self.started[loser]
        return column.boxes[loser] == 0 and not began

    def column_score(self, number: int) -> ColumnScore:
        """Return the account of one column."""
        rules, column = self.rules, self.columns[number]
        shutout = self.is_shutout(column)
        totals = []
        for side in (0, 1):
            hands = column.points[side]
            lines = column.boxes[side] * rules["box_bonus"]
            total = hands + lines
            if side == column.winner:
                bonus = rules["game_bonus"]
                total = hands + lines + bonus
                if shutout and rules["shutout"] == "flat":
                    total = hands + lines + bonus + rules["shutout_flat"]
                if shutout and rules["shutout"] == "double_hands":
                    total = 2 * hands + lines + bonus
                if shutout and rules["shutout"] == "double_bonuses":
                    total = hands + 2 * lines + 2 * bonus
                if shutout and rules["shutout"] == "double_total":
                    total = 2 * (hands + lines + bonus)
            totals.append(total * rules["column_multipliers"][number])
        return ColumnScore(
            (column.points[0], column.points[1]),
            (column.boxes[0], column.boxes[1]),
            column.winner,
            shutout,
            (totals[0], totals[1]),
        )

    def single_hand(self) -> GameScore:
        """Return the account of a game that is one hand: its points alone, won by its winner."""
        winner = self.hands[0][0] if self.hands else None
        points = (self.columns[0].points[0], self.columns[0].points[1])
        boxes = (self.columns[0].boxes[0], self.columns[0].boxes[1])
        column = ColumnScore(points, boxes, winner, False, points)
        return GameScore("game" if self.over else "unfinished", winner, points, boxes, (0, 0), (column,))

    def score(self) -> GameScore:
        """Return the account of the game as it stands."""
        if self.rules["match_type"] == "single_hand":
            return self.single_hand()
        columns = tuple(self.column_score(number) for number in range(len(self.columns)))
        totals, boxes, bonuses = [0, 0], [0, 0], [0, 0]
        for side in (0, 1):
            for column in columns:
                totals[side] += column.totals[side]
                boxes[side] += column.boxes[side]
                bonuses[side] += column.totals[side] - column.points[side]
                bonuses[side] -= column.boxes[side] * self.rules["box_bonus"]
        winner: int | None = None
        if not self.over:
            end = "unfinished"
        elif len(columns) == 1:
            rewarded = columns[0].shutout and self.rules["shutout"] != "none"
            end, winner = "game_shutout" if rewarded else "game", columns[0].winner
        else:
            end = "match"
            if totals[0] != totals[1]:
                winner = 0 if totals[0] > totals[1] else 1
        return GameScore(
            end, winner, (totals[0], totals[1]), (boxes[0], boxes[1]), (bonuses[0], bonuses[1]), columns
        )


def score_game(hands: Sequence[Entry], rules: Mapping[str, Any]) -> GameScore:
    """Score a game from its hands in order."""
    sheet = Sheet(rules)
    for winner, points, boxes in hands:
        sheet.enter(winner, points, boxes)
    return sheet.score()


# ---------------------------------------------------------------- one match


class MatchScore(NamedTuple):
    """The account of a match: whether it is over, who won it, games won and sums of totals by side."""

    over: bool
    winner: int | None
    games: Pair
    sums: Pair


def score_match(games: Sequence[tuple[int | None, Pair]], rules: Mapping[str, Any]) -> MatchScore:
    """Score a match from its games in order, each a winner (None: nobody) and the totals by side."""
    rules = complete(rules)
    won, sums = [0, 0], [0, 0]
    over, winner = False, None
    for number, (side, totals) in enumerate(games, start=1):
        if over:
            raise ValueError(f"game {number}: the match is over")
        if side is not None:
            won[side] += 1
        sums[0] += totals[0]
        sums[1] += totals[1]
        if rules["match_type"] in ("single_game", "single_hand"):
            over, winner = True, side
        elif rules["match_type"] == "best_of":
            if max(won) >= (rules["match_length"] + 1) // 2:
                over, winner = True, side
        elif max(sums) >= rules["match_length"] and sums[0] != sums[1]:
            over, winner = True, 0 if sums[0] > sums[1] else 1
        if not over and number == GAMES_IN_ALL:
            over = True
    return MatchScore(over, winner, (won[0], won[1]), (sums[0], sums[1]))
