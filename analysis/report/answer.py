"""The answer in a few sentences that the intervals support, and no more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from analysis.charts.words import quantity
from analysis.experiment.cells import Cell
from analysis.metrics import HEADLINES
from analysis.report.blocks import Block, Items, Table, Text, code, plain
from analysis.report.blocks import Cell as Shown
from analysis.report.facts import (
    CellFacts,
    even_value,
    gaps_to,
    judged_against,
    not_worse,
    same_pairs,
    shown_ahead,
    side_ahead,
)
from analysis.report.words import interval, label_cell, listing, number_cell, several
from analysis.stats.estimates import Estimate
from analysis.stats.quads import first_mover_effect
from analysis.store.results import Results

SENTENCES = 8
"""Circumstances told one by one in sentences; more are told in the table alone."""

DID = {"game_share": "wins", "hand_share": "wins", "points_per_hand": "scores"}
WHAT = {"game_share": "games", "hand_share": "hands", "points_per_hand": "points a hand"}
MORE = {
    "game_share": "win more games",
    "hand_share": "win more hands",
    "points_per_hand": "score more points",
}
NAME = {
    "game_share": "A's share of the games",
    "hand_share": "A's share of the hands won",
    "points_per_hand": "A's lead in points a hand",
}


@dataclass(frozen=True)
class Group:
    """Cells that differ only in what side A does: one circumstance.

    Attributes
    ----------
    label : str
        The circumstance in words; empty if there is only one.
    keys : dict
        What the circumstance sets.
    facts : list of CellFacts
    """

    label: str
    keys: Mapping[str, object]
    facts: list[CellFacts]


def choice_axes(results: Results) -> list[str]:
    """Return the axes that change what side A plays and nothing else: what there is to choose."""
    told = []
    for place, axis in enumerate(results.axes):
        settings: dict[tuple[str, ...], set[object]] = {}
        for cell in results.cells:
            rest = (*cell.labels[:place], *cell.labels[place + 1 :])
            settings.setdefault(rest, set()).add((cell.rules.hash, cell.b, cell.scores, cell.dealer))
        if len(axis.labels) > 1 and all(len(values) == 1 for values in settings.values()):
            told.append(axis.name)
    return told


def axis_words(name: str) -> str:
    """Return the name of an axis in a sentence."""
    return {"a": "side A", "b": "side B", "base": "rules"}.get(name, plain(name.replace("_", " ")))


def _choices(names: Sequence[str]) -> str:
    """Name what there is to choose, in a sentence: the best ..."""
    return listing(["strategy of side A" if name == "a" else axis_words(name) for name in names])


def label(cell: Cell, results: Results, names: Sequence[str]) -> str:
    """Name a cell by some axes."""
    parts = [
        f"{axis_words(axis.name)} {plain(text)}"
        for axis, text in zip(results.axes, cell.labels, strict=True)
        if axis.name in names and len(axis.labels) > 1
    ]
    return ", ".join(parts)


def groups(results: Results, facts: Sequence[CellFacts]) -> list[Group]:
    """Part the cells by circumstance."""
    chosen = choice_axes(results)
    rest = [axis.name for axis in results.axes if axis.name not in chosen and len(axis.labels) > 1]
    told: dict[tuple[str, ...], Group] = {}
    for one in facts:
        named = dict(zip((axis.name for axis in results.axes), one.cell.labels, strict=True))
        key = tuple(named[name] for name in rest)
        keys = {name: one.cell.keys.get(name, named[name]) for name in rest}
        told.setdefault(key, Group(label(one.cell, results, rest), keys, [])).facts.append(one)
    return list(told.values())


def answer(results: Results, facts: Sequence[CellFacts]) -> list[Block]:
    """Return the answer."""
    if len(facts) == 1:
        return _one_cell(facts[0], results.experiment.spec.metric)
    metric = results.experiment.spec.metric
    blocks: list[Block] = []
    quads = quads_of(results, facts)
    if choice_axes(results):
        blocks += _best(results, facts, metric)
    elif quads and all(one.fixed for one in facts):
        blocks += _first_mover(results, quads)
    else:
        blocks += _differences(results, facts, metric)
    blocks.append(Text(_against_even(facts, metric)))
    if results.experiment.spec.sprt is not None:
        blocks.append(Text(_decisions(results, facts)))
    return blocks


# --- one cell --------------------------------------------------------------------------------------


def _one_cell(one: CellFacts, metric: str) -> list[Block]:
    order = [metric, *(name for name in HEADLINES if name != metric)]
    sides = {1: f"Side A ({code(one.cell.a)})", -1: f"Side B ({code(one.cell.b)})"}
    other = {1: f"side B ({code(one.cell.b)})", -1: f"side A ({code(one.cell.a)})"}
    ahead = {name: side_ahead(one.told(name), even_value(name) or 0.0) for name in order}
    first = ahead[metric]
    if first:
        lead = f"{sides[first]} {DID[metric]} more {WHAT[metric]} than {other[first]}."
    elif one.cell.a == one.cell.b and one.told(metric).estimate == even_value(metric):
        lead = (
            f"Both sides are {code(one.cell.a)}: on mirrored decks they come out exactly equal, as they must."
        )
    else:
        lead = (
            f"Neither {code(one.cell.a)} (side A) nor {code(one.cell.b)} (side B) is shown to "
            f"{DID[metric][:-1]} more {WHAT[metric]}."
        )
    items = []
    for name in order:
        told = one.told(name)
        shown = {
            1: f"side A is shown to {DID[name][:-1]} more",
            -1: f"side B is shown to {DID[name][:-1]} more",
            0: "neither side is shown to be ahead",
        }[ahead[name]]
        items.append(f"{NAME[name]}: {interval(told, name)}; {shown}.")
    return [Text(lead, lead=True), Text("In brackets stand the ends of the 95 % intervals."), Items(items)]


# --- the best --------------------------------------------------------------------------------------


def _best(results: Results, facts: Sequence[CellFacts], metric: str) -> list[Block]:
    chosen = choice_axes(results)
    parted = groups(results, facts)
    what = _choices(chosen)
    told = []
    for group in parted:
        stays = not_worse(group.facts, metric, len(parted))
        best = max(group.facts, key=lambda one: one.value(metric))
        told.append((group, best, [one for one, kept in zip(group.facts, stays, strict=True) if kept]))
    if len(parted) == 1:
        group, best, among = told[0]
        return [Text(_best_of_one(results, chosen, best, among, len(group.facts), metric), lead=True)]
    common = _names(results, chosen, told[0][2])
    for _, _, among in told[1:]:
        names = _names(results, chosen, among)
        common = [name for name in common if name in names]
    lead = _whether_it_moves(results, chosen, told, what, common)
    blocks: list[Block] = [Text(lead, lead=True)]
    blocks.append(
        Text(
            f"The table has, for each circumstance, the {what} with the largest {_short(metric)}, and the "
            f"values among which the best is. All {len(told)} rows hold at once with a confidence of 95 %."
        )
    )
    rows = [
        (
            *(label_cell(value) for value in group.keys.values()),
            label(best.cell, results, chosen) if len(chosen) > 1 else _choice(best, results, chosen),
            number_cell(best.told(metric), metric),
            _region(_names(results, chosen, among), len(group.facts)),
        )
        for group, best, among in told
    ]
    headers = [
        *(axis_words(name) for name in parted[0].keys),
        f"best {what}",
        _header(metric),
        "the best is among",
    ]
    blocks.append(Table(f"The best {what} by circumstance", headers, rows, sortable=len(rows) > 5))
    ahead = {one.cell.number: sign for one, sign in zip(facts, shown_ahead(facts, metric), strict=True)}
    losing = [group.label for group, best, _ in told if ahead[best.cell.number] < 0]
    if losing:
        less = MORE[metric].replace("more", "fewer")
        blocks.append(Text(f"Even the best {what} is shown to {less} than side B with {listing(losing)}."))
    return blocks


def _short(metric: str) -> str:
    return {
        "game_share": "share of games",
        "hand_share": "share of hands",
        "points_per_hand": "lead in points",
    }[metric]


def _header(metric: str) -> str:
    return quantity(metric).label


def _choice(one: CellFacts, results: Results, chosen: Sequence[str]) -> Shown:
    at = [axis.name for axis in results.axes].index(chosen[0])
    return label_cell(one.cell.keys.get(chosen[0], one.cell.labels[at]))


def _names(results: Results, chosen: Sequence[str], kept: Sequence[CellFacts]) -> list[str]:
    if len(chosen) > 1:
        return [label(one.cell, results, chosen) for one in kept]
    return [_choice(one, results, chosen).text for one in kept]


def _region(names: Sequence[str], total: int) -> str:
    if len(names) == total:
        return f"all {total}"
    return listing(names, 8)


def _best_of_one(
    results: Results,
    chosen: Sequence[str],
    best: CellFacts,
    among: Sequence[CellFacts],
    total: int,
    metric: str,
) -> str:
    name = label(best.cell, results, chosen)
    share = interval(best.told(metric), metric)
    if len(among) == total:
        return (
            f"No best {_choices(chosen)} is shown: {_short(metric)} was largest at {name} ({share}), but "
            f"any of the {total} values may be the best."
        )
    lead = f"{NAME[metric]} is largest at {name}: {share}."
    if len(among) == 1:
        return f"{lead} With a confidence of 95 % it is the best of the {total} values."
    where = _where(results, chosen, among)
    return f"{lead} With a confidence of 95 % the best of the {total} values is {where}."


def _where(results: Results, chosen: Sequence[str], among: Sequence[CellFacts]) -> str:
    """Say among which values something is; of many combinations, what each axis has there."""
    if len(chosen) < 2 or len(among) <= SENTENCES:
        return f"among {listing(_names(results, chosen, among), 12)}"
    parts = []
    for at, axis in enumerate(results.axes):
        if axis.name in chosen:
            there = list(dict.fromkeys(one.cell.labels[at] for one in among))
            told = (
                "any"
                if len(there) == len(axis.labels)
                else listing([plain(text) for text in there], 12, "or")
            )
            parts.append(f"{axis_words(axis.name)} {told}")
    return f"one of {len(among)}, with {listing(parts)}"


def _whether_it_moves(
    results: Results,
    chosen: Sequence[str],
    told: Sequence[tuple[Group, CellFacts, Sequence[CellFacts]]],
    what: str,
    common: Sequence[str],
) -> str:
    """Say whether the best choice is shown to depend on the circumstance.

    The sets hold a best cell of each circumstance, all at once with a probability of 95 %; so where no
    value is in all of them, none is the best in all.
    """
    if common:
        if len(common) == len(told[0][0].facts):
            return f"No best {what} is shown: any value may be the best in all {len(told)} circumstances."
        if all(len(among) == 1 for _, _, among in told):
            return f"The best {what} is {common[0]} in all {len(told)} circumstances."
        return (
            f"The best {what} is not shown to depend on the circumstances: {listing(common, 6, 'or')} may "
            f"be the best in all {len(told)} of them."
        )
    for at, (group, _, among) in enumerate(told):
        for other, _, other_among in reversed(told[at + 1 :]):
            mine, theirs = _names(results, chosen, among), _names(results, chosen, other_among)
            if not set(mine) & set(theirs):
                return (
                    f"The best {what} depends on the circumstances: with {group.label} it is "
                    f"{_told_best(mine)}, with {other.label} it is {_told_best(theirs)}."
                )
    return (
        f"The best {what} depends on the circumstances: no value can be the best in all {len(told)} of "
        "them, though any two may share one."
    )


def _told_best(names: Sequence[str]) -> str:
    if len(names) == 1:
        return names[0]
    return f"one of {listing(names, 6, 'or')}"


# --- differences -----------------------------------------------------------------------------------


def _differences(results: Results, facts: Sequence[CellFacts], metric: str) -> list[Block]:
    first, *others = facts
    names = [axis.name for axis in results.axes]
    what = quantity(metric)
    gaps = gaps_to(others, first, metric)
    base = label(first.cell, results, names)
    more = sorted(
        ((gap, one) for gap, one in zip(gaps, others, strict=True) if gap.shown > 0),
        key=lambda pair: -(pair[0].told.estimate or 0),
    )
    less = sorted(
        ((gap, one) for gap, one in zip(gaps, others, strict=True) if gap.shown < 0),
        key=lambda pair: pair[0].told.estimate or 0,
    )
    alike = [one for gap, one in zip(gaps, others, strict=True) if not gap.shown]
    if not more and not less:
        lead = (
            f"None of the {len(others)} other cells is shown to differ from {base} in {NAME[metric]} "
            f"({interval(first.told(metric), metric)} there)."
        )
        return [Text(lead, lead=True)]
    parts = []
    for told, word in ((more, "larger"), (less, "smaller")):
        if told:
            gap, one = told[0]
            most = ", most of all" if len(told) > 1 else ""
            parts.append(
                f"{word} in {len(told)}{most} with {label(one.cell, results, names)}: by "
                f"{interval(gap.told, what, sign=True)}"
            )
    if alike:
        parts.append(f"not shown to differ in {len(alike)}")
    lead = (
        f"{NAME[metric]} is {interval(first.told(metric), metric)} with {base}. Of the "
        f"{several(len(others), 'other cell')} it is shown to be {listing(parts, last='and')}."
    ).replace("Of the 1 other cell it is", "In the other cell it is")
    items = []
    for told, word in ((more, "Larger"), (less, "Smaller")):
        if told:
            items.append(
                f"{word}: {listing([label(one.cell, results, names) for _, one in told], SENTENCES)}."
            )
    if alike:
        items.append(
            f"Not shown to differ: {listing([label(one.cell, results, names) for one in alike], SENTENCES)}."
        )
    return [Text(lead, lead=True), Items(items)]


# --- the first move --------------------------------------------------------------------------------


def quads_of(
    results: Results, facts: Sequence[CellFacts]
) -> list[tuple[tuple[str, ...], dict[str, Estimate]]]:
    """Return what acting first is worth where an experiment played each deck with either side first.

    Returns
    -------
    list of (tuple of str, dict of str to Estimate)
        For each setting, by the labels of the other axes, what `analysis.stats.quads.first_mover_effect`
        tells; nothing where there is no axis ``dealer``, or the pairs are not the same.
    """
    names = [axis.name for axis in results.axes]
    if "dealer" not in names:
        return []
    at = names.index("dealer")
    settings: dict[tuple[str, ...], dict[int | None, CellFacts]] = {}
    for one in facts:
        rest = (*one.cell.labels[:at], *one.cell.labels[at + 1 :])
        settings.setdefault(rest, {})[one.cell.dealer] = one
    return [
        (rest, first_mover_effect(both[1].sums, both[0].sums))  # A acts first where B deals
        for rest, both in settings.items()
        if 0 in both and 1 in both and same_pairs([both[0], both[1]]) and both[0].pairs
    ]


def _first_mover(
    results: Results, quads: Sequence[tuple[tuple[str, ...], dict[str, Estimate]]]
) -> list[Block]:
    """Say what acting first is worth, all settings judged together."""
    share = "first_mover_game_share"
    shares = [told[share] for _, told in quads]
    signs = judged_against(shares, 0.5)
    others = [axis.name for axis in results.axes if axis.name != "dealer"]

    def named(rest: Sequence[str]) -> str:
        parts = zip(others, rest, strict=True)
        return ", ".join(f"{axis_words(name)} {plain(text)}" for name, text in parts) or "this setting"

    told: dict[int, list[tuple[Estimate, str]]] = {1: [], -1: [], 0: []}
    for (rest, _), sign, one in zip(quads, signs, shares, strict=True):
        told[sign].append((one, named(rest)))
    parts = []
    for sign, word in ((1, "more"), (-1, "fewer")):
        if told[sign]:
            most, where = max(told[sign], key=lambda pair: sign * (pair[0].estimate or 0.0))
            parts.append(
                f"{word} games in {len(told[sign])} (furthest with {where}: {interval(most, share)})"
            )
    if not parts:
        lead = f"Moving first is not shown to matter in any of {several(len(quads), 'setting')}."
    else:
        rest_text = f"; it is not shown to matter in {len(told[0])}" if told[0] else ""
        lead = (
            f"Of {several(len(quads), 'setting')}, who moves first in a game is shown to win "
            f"{listing(parts)}{rest_text}."
        )
    rows = [
        [
            *(label_cell(text) for text in rest),
            number_cell(one[share], share),
            *(number_cell(one[name], name, sign=True) for name in HEADLINES),
        ]
        for rest, one in quads
    ]
    heads = [
        *(axis_words(name) for name in others),
        quantity(share).label,
        *(f"{quantity(name).words}: gain" for name in HEADLINES),
    ]
    table = Table(
        "What moving first is worth, by four games on each deck: either side first, with either packet. "
        "Gains are A's when first less A's when second, in percentage points and points.",
        heads,
        rows,
        sortable=len(rows) > 5,
    )
    return [Text(lead, lead=True), table]


# --- against an even score -------------------------------------------------------------------------


def _against_even(facts: Sequence[CellFacts], metric: str) -> str:
    signs = shown_ahead(facts, metric)
    a, b, none = signs.count(1), signs.count(-1), signs.count(0)
    idle = sum(one.pairs == 0 for one in facts)
    more = MORE[metric]
    if a == len(facts) or b == len(facts):
        one, other = "AB" if a else "BA"
        return f"In all {len(facts)} cells side {one} is shown to {more} than side {other}."
    told = f"Side A is shown to {more} in {several(a, 'cell')}, side B in {b}, and neither in {none}"
    unplayed = f" ({idle} have not been played)" if idle else ""
    return f"{told}{unplayed}, of {len(facts)} in all."


def _decisions(results: Results, facts: Sequence[CellFacts]) -> str:
    spec = results.experiment.spec.sprt
    assert spec is not None
    taken = {name: sum(one.stopped == name for one in facts) for name in ("H0", "H1")}
    open_ = len(facts) - sum(taken.values())
    rest = f" and did not decide in {open_}" if open_ else ""
    return (
        f"The sequential test took A's share of games to be {100 * spec.s1:g} % rather than "
        f"{100 * spec.s0:g} % in {several(taken['H1'], 'cell')}, the other way round in {taken['H0']}{rest}."
    )
