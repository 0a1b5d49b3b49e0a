"""The tables of a report: the headline, all cells, and what else the tally knows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from analysis.charts.words import Quantity, quantity
from analysis.metrics import HEADLINES
from analysis.report.answer import axis_words, groups
from analysis.report.blocks import Block, Cell, Folded, Heading, Table, Text, code
from analysis.report.facts import CellFacts
from analysis.report.words import (
    NO_NUMBER,
    count_cell,
    interval,
    label_cell,
    number_cell,
    several,
    value_cell,
)
from analysis.stats.estimates import Estimate
from analysis.store.results import Results

_RATE = Quantity("share", "%", 100.0, digits=1)
_POINTS = Quantity("points", "points", even=0.0)
_CARDS = Quantity("cards", "cards", digits=3)
_DEADWOOD = Quantity("deadwood", "points")

HEADLINE_ROWS = 24
"""Cells that the short tables tell one by one; of more, the best of each circumstance."""
OPEN_ROWS = 12
"""Rows of a table of smaller facts that stands open."""
MOST_ROWS = 1_000
"""Cells that the page lists; all are in the file of the table."""

ENDINGS = (
    ("knock", ("knock",)),
    ("gin", ("gin", "big_gin")),
    ("undercut", ("undercut",)),
    ("tie", ("tie", "gin_cancelled")),
)
"""Endings as the headline groups them."""


def chosen(results: Results, facts: Sequence[CellFacts]) -> tuple[list[CellFacts], str]:
    """Return the cells that the short tables tell, and how they were chosen."""
    if len(facts) <= HEADLINE_ROWS:
        return list(facts), ""
    metric = results.experiment.spec.metric
    parted = groups(results, facts)
    best = [max(group.facts, key=lambda one: one.value(metric)) for group in parted]
    if 1 < len(parted) <= HEADLINE_ROWS:
        return best, "the best cell of each circumstance"
    ranked = sorted(facts, key=lambda one: -one.value(metric))
    half = HEADLINE_ROWS // 2
    return [
        *ranked[:half],
        *ranked[-half:],
    ], f"the {half} cells with the largest numbers and the {half} with the smallest"


def key_headers(results: Results) -> list[str]:
    """Return the headers of the columns that name a cell: the axes along which cells differ."""
    return [axis_words(axis.name) for axis in results.axes if len(axis.labels) > 1]


def key_cells(one: CellFacts, results: Results) -> list[Cell]:
    """Return the cells that name a cell of the experiment."""
    told = []
    for axis, text in zip(results.axes, one.cell.labels, strict=True):
        if len(axis.labels) == 1:
            continue
        value = one.cell.keys.get(axis.name, text)
        told.append(Cell(code(text)) if axis.name in ("a", "b") else label_cell(value))
    return told


def headline(results: Results, facts: Sequence[CellFacts]) -> list[Block]:
    """Return the headline numbers and how hands ended, together."""
    if len(facts) == 1:
        return _sides(facts[0])
    shown, how = chosen(results, facts)
    names = [name for name in (*HEADLINES, "match_share") if all(name in one.metrics for one in shown)]
    rows = [
        [*key_cells(one, results), *(number_cell(one.told(name), name) for name in names)] for one in shown
    ]
    rest = f" Shown: {how}; all {len(facts):,} cells are in the table below." if how else ""
    told = Table(
        f"What side A wins, with 95 % intervals.{rest}",
        [*key_headers(results), *(quantity(name).label for name in names)],
        rows,
    )
    ended = [[*key_cells(one, results), *(Cell(*cell) for cell in _ending_cells(one))] for one in shown]
    kinds = [f"{side} {kind}" for side in "AB" for kind, _ in ENDINGS]
    ends = Table(
        "How hands ended, % of all hands. An undercut stands under the side that won by it; ties and "
        "cancelled gins under who ended the hand.",
        [*key_headers(results), *kinds, "void"],
        ended,
    )
    return [told, ends]


def _ending_cells(one: CellFacts) -> list[tuple[str, float | None]]:
    hands = one.hands
    counts = [sum(one.endings[side][kind] for kind in kinds) for side in "ab" for _, kinds in ENDINGS] + [
        one.endings["void"] + one.endings["capped"]
    ]
    if not hands:
        return [(NO_NUMBER, None)] * len(counts)
    return [(f"{100 * count / hands:.1f}", 100 * count / hands) for count in counts]


def _sides(one: CellFacts) -> list[Block]:
    """Return the headline of a single cell, side by side."""
    a, b = code(one.cell.a), code(one.cell.b)
    rows: list[Sequence[str | Cell]] = []
    for name, what in (
        ("match_share", "matches won"),
        ("game_share", "games won"),
        ("hand_share", "hands won"),
    ):
        if name in one.metrics:
            share = one.told(name)
            rows.append((what, interval(share, name), interval(_other(share), name)))
    points = [int(one.sums[f"points_{side}"].sum()) for side in "ab"]
    hands = one.hands
    rows.append(("points a hand", *(f"{total / hands:.2f}" if hands else NO_NUMBER for total in points)))
    rows.append(("lead in points a hand", interval(one.told("points_per_hand"), "points_per_hand"), ""))
    told = Table(
        f"What each side wins: {one.games:,} games, {hands:,} hands, with 95 % intervals.",
        ["", f"A: {a}", f"B: {b}"],
        rows,
    )
    from sim.tally import SIDE_ENDINGS

    ended: list[Sequence[str | Cell]] = []
    for kind in SIDE_ENDINGS:
        counts = [one.endings[side][kind] for side in "ab"]
        if any(counts) or kind in ("knock", "gin", "undercut"):
            name = "undercut the other" if kind == "undercut" else kind.replace("_", " ")
            ended.append((name, *(_share(count, hands) for count in counts)))
    nobody = one.endings["void"]
    if one.endings["capped"]:
        ended.append(("broken off after too many turns", _share(one.endings["capped"], hands), Cell("")))
    ends = Table(
        f"How hands ended. {nobody:,} hands ({_percent(nobody, hands)}) were void: the stock ran out.",
        ["ended by", "A", "B"],
        ended,
    )
    return [told, ends]


def _other(told: Estimate) -> Estimate:
    """Return the other side's share."""
    low, value, high = (None if end is None else 1 - end for end in (told.high, told.estimate, told.low))
    return Estimate(value, low, high)


def _percent(count: int, total: int) -> str:
    return f"{100 * count / total:.2f} %" if total else NO_NUMBER


def _share(count: int, total: int) -> Cell:
    return Cell(f"{count:,} ({_percent(count, total)})", float(count))


def cells_table(results: Results, facts: Sequence[CellFacts], file: str) -> list[Block]:
    """Return the table of cells, sortable; of more than a page holds the first, and where the others are."""
    if len(facts) == 1:
        return [Text(f"All numbers with their intervals are in {code(file)} beside this page.")]
    same = {name: len({_key(one, name) for one in facts}) == 1 for name in ("a", "b", "rules", "pairs")}
    heads = [*key_headers(results)]
    axes = {axis.name for axis in results.axes}
    shown_sides = [side for side in "ab" if not same[side] and side not in axes]
    heads += [quantity(name).label for name in HEADLINES]
    heads += ["turns a hand", "hands", *([] if same["pairs"] else ["pairs"]), "stopped"]
    heads += [f"side {side.upper()}" for side in shown_sides]
    rows = []
    for one in facts[:MOST_ROWS]:
        row = key_cells(one, results)
        row += [number_cell(one.told(name), name) for name in HEADLINES]
        row += [value_cell(one.metrics["turns_per_hand"].estimate, 2), count_cell(one.hands)]
        row += [] if same["pairs"] else [count_cell(one.pairs)]
        row.append(Cell(one.stopped.replace("_", " ")))
        rows.append([*row, *(Cell(code(getattr(one.cell, side))) for side in shown_sides)])
    caption = f"{several(len(rows), 'cell')}, with 95 % intervals. On the web page a header sorts its column."
    told = [Table(caption, heads, rows, sortable=True)]
    rest = (
        f"These are the first {MOST_ROWS:,} of {len(facts):,} cells; all of them, with"
        if len(facts) > MOST_ROWS
        else "The same cells, with"
    )
    return [*told, Text(f"{rest} every number and its interval, are in {code(file)} beside this page.")]


def _key(one: CellFacts, name: str) -> Any:
    if name == "pairs":
        return one.pairs
    return one.cell.rules.hash if name == "rules" else getattr(one.cell, name)


# --- what else the tally knows ---------------------------------------------------------------------


def _folded(table: Table) -> Block:
    """Return a table of many rows as one that the reader opens."""
    if len(table.rows) <= OPEN_ROWS:
        return table
    return Folded(table.caption, [table])


def gain(results: Results, facts: Sequence[CellFacts]) -> list[Block]:
    """Return what mirrored pairs were worth."""
    shown, how = chosen(results, facts)
    rows = [[*key_cells(one, results), *(_gain_cell(one.gain[name]) for name in HEADLINES)] for one in shown]
    known = [one.gain["game_share"] for one in facts if one.gain["game_share"] is not None]
    middle = ""
    if known:
        median = float(np.median(np.array(known)))
        middle = (
            " For the share of games it is "
            f"{median:.2f}{' (the median of the cells)' if len(known) > 1 else ''}: as many mirrored pairs "
            f"are worth {median:.2f} times as many games on unrelated decks."
        )
    return [
        Heading("What mirroring was worth"),
        Text(
            "Pairing gain: the variance of the same estimate, had the two games of a pair been on "
            f"unrelated decks, over the variance of the mirrored pairs. Above 1 mirroring pays.{middle}"
        ),
        _folded(
            Table(
                f"Pairing gain{f', {how}' if how else ''}; no number where pairs do not vary.",
                [*key_headers(results), *(quantity(name).words for name in HEADLINES)],
                rows,
            )
        ),
    ]


def _gain_cell(value: float | None) -> Cell:
    if value is not None and value >= 1000:
        return Cell(f"{value:,.0f}", value)
    return value_cell(value, 2)


def declined(results: Results, facts: Sequence[CellFacts]) -> list[Block]:
    """Return what came of knocks taken and of knocks declined."""
    shown, how = chosen(results, facts)
    taken, let = [], []
    for one in shown:
        for side in range(2):
            name = [*key_cells(one, results), Cell("AB"[side])]
            rate = {key: told[side] for key, told in one.rates.items()}
            taken.append(
                [
                    *name,
                    count_cell(one.knocks["taken"][side]),
                    number_cell(rate["p_win"], _RATE),
                    number_cell(rate["p_undercut"], _RATE),
                    number_cell(rate["points"], _POINTS),
                ]
            )
            let.append(
                [
                    *name,
                    count_cell(one.knocks["declined"][side]),
                    number_cell(rate["p_win_later"], _RATE),
                    number_cell(rate["p_lose_later"], _RATE),
                    number_cell(rate["points_later"], _POINTS),
                ]
            )
    heads = [*key_headers(results), "side"]
    which = f", {how}" if how else ""
    return [
        Heading("Knocks taken and declined"),
        Text(
            "A knock is legal whenever a player could end the hand with little enough deadwood; gin counts "
            "as a knock without deadwood here. If it is declined, the hand goes on; a hand in which it was "
            "declined on several turns counts each time. Points are the player's own less the other's in "
            "that hand. Each player chose when to knock, so the two tables are of different situations: "
            "their difference is not what a knock is worth."
        ),
        _folded(
            Table(
                f"Knocks taken{which}.", [*heads, "knocks", "won, %", "undercut, %", "points a knock"], taken
            )
        ),
        _folded(
            Table(
                f"Knocks declined, and how the hand ended{which}.",
                [*heads, "declined", "won later, %", "lost later, %", "points in the end"],
                let,
            )
        ),
    ]


def layoffs(results: Results, facts: Sequence[CellFacts]) -> list[Block]:
    """Return what defenders laid off against knocks."""
    shown, how = chosen(results, facts)
    rows = []
    for one in shown:
        cells, points = one.rates["layoff_cards"], one.rates["layoff_points"]
        rows.append(
            [
                *key_cells(one, results),
                *(
                    number_cell(told, what)
                    for defender in (1, 0)
                    for told, what in ((cells[defender], _CARDS), (points[defender], _DEADWOOD))
                ),
            ]
        )
    heads = [
        *key_headers(results),
        "cards, on A's knocks",
        "points, on A's knocks",
        "cards, on B's knocks",
        "points, on B's knocks",
    ]
    return [
        Heading("Lay-offs"),
        Text(
            "When a player knocks with deadwood left, the defender may add cards to the knocker's melds. "
            "These are the cards he laid off and the deadwood that saved him, on average over such knocks."
        ),
        _folded(Table(f"Lay-offs a knock{f', {how}' if how else ''}.", heads, rows)),
    ]


def dealer(results: Results, facts: Sequence[CellFacts]) -> list[Block]:
    """Return what it is worth to deal, and to move first."""
    shown, how = chosen(results, facts)
    names = ("first_mover_game_share", "dealer_hand_share", "dealer_points_per_hand")
    rows = [
        [*key_cells(one, results), *(number_cell(one.metrics[name], name) for name in names)] for one in shown
    ]
    heads = [
        *key_headers(results),
        "games won by who moved first in them, %",
        "hands won by the dealer, %",
        "points a hand, dealer less the other",
    ]
    return [
        Heading("Dealer and first mover"),
        Text(
            "The non-dealer moves first, so a dealer's disadvantage is a first-mover's advantage. "
            + (
                "Both sides deal equally often; the numbers are of both sides together."
                if all(map(_deal_alike, facts))
                else "Where one side deals first in every game, or who deals hangs on who won, the sides do "
                "not deal equally often: the numbers then hold how well they play, too."
            )
        ),
        _folded(
            Table(f"Dealer and first mover, with 95 % intervals{f': {how}' if how else ''}.", heads, rows)
        ),
    ]


def _deal_alike(one: CellFacts) -> bool:
    """Tell if both sides of a cell deal equally often: by a draw that is mirrored, then in turn."""
    rules = one.cell.rules
    in_turn = rules.match_type == "single_hand" or rules.next_dealer in ("alternate", "random")
    return one.cell.dealer is None and rules.first_dealer != "fixed" and in_turn
