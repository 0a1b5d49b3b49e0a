"""What was played, in words: the house rules, what differs from the default first, and the strategies."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from analysis.experiment.cells import Cell
from analysis.families import family_named
from analysis.report.blocks import Block, Folded, Items, Table, Text, code, plain
from analysis.report.words import listing
from sim.rules import Rules, preset_description
from strategies.base import StrategyError

OPEN_SETS = 30
"""Rule sets in a table that stands open."""
_ENTRIES = 12
"""Strategies named one by one; a family with more is told by its parameters."""

_CARDS = {"upcard_offer": "", "eleven_ten": " and eleven to the non-dealer", "free_first_draw": ""}
_LIMITS = {
    "upcard": "the value of the upcard",
    "separate_card": "the value of a card turned for the purpose",
}


def rules_text(rules: Rules) -> str:
    """Say what matters most about rules, to someone who knows the game or is learning it."""
    limit = _LIMITS.get(rules.knock_limit_source, f"{rules.knock_limit} points of deadwood")
    if rules.knock_limit_source == "fixed" and rules.knock_limit == 0:
        knock = "Nobody may knock: a hand is won by gin alone"
    else:
        knock = f"A player may knock with at most {limit}"
    big = "" if rules.big_gin_bonus is None else f", big gin {rules.big_gin_bonus}"
    parts = [
        f"{rules.hand_size} cards each{_CARDS[rules.opening]}.",
        f"{knock}.",
        f"Gin pays {rules.gin_bonus} points on top of the difference in deadwood{big}, an undercut "
        f"{rules.undercut_bonus}.",
        _goal(rules),
    ]
    return " ".join(parts)


def _goal(rules: Rules) -> str:
    if rules.match_type == "single_hand":
        return "Each deal is one hand by itself."
    columns = f" on a sheet of {rules.columns} columns" if rules.columns > 1 else ""
    goal = f"A game goes to {rules.game_target} points{columns}"
    if rules.match_type == "best_of":
        goal += f", a match is the best of {rules.match_length} games"
    if rules.match_type == "first_to_points":
        goal += f", a match goes to {rules.match_length} points"
    bonus = [
        f"{points} for {what}"
        for points, what in ((rules.game_bonus, "winning the game"), (rules.box_bonus, "each hand won"))
        if points
    ]
    return f"{goal}, with bonuses of {listing(bonus)}." if bonus else f"{goal}, without further bonuses."


def value_text(value: Any) -> str:
    """Write the value of a rule."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return "none"
    if isinstance(value, str):
        return value.replace("_", " ")
    return plain(json.dumps(value))


def rules_blocks(cells: Sequence[Cell]) -> list[Block]:
    """Tell the rules of all cells: what they share, what differs from the default, what varies."""
    if len({cell.preset for cell in cells}) > 1:
        return _presets(list({(cell.preset, cell.settings): cell for cell in cells}.values()))
    first = cells[0]
    distinct = {cell.rules.hash: cell for cell in cells}
    fields = first.rules.to_dict()
    varied = {
        name: list(dict.fromkeys(json.dumps(cell.rules.to_dict()[name]) for cell in distinct.values()))
        for name in fields
    }
    moving = [name for name, values in varied.items() if len(values) > 1]
    default = Rules().to_dict()
    changed = [name for name in fields if name in moving or fields[name] != default[name]]
    base = f"The rules start from the set {code(first.preset)} ({plain(preset_description(first.preset))})."
    blocks: list[Block] = [Text(base)]
    if moving:
        names = listing([name.replace("_", " ") for name in moving])
        blocks.append(
            Text(f"The experiment varies the {names}; with its first values: {rules_text(first.rules)}")
        )
    else:
        blocks.append(Text(rules_text(first.rules)))
    if changed:
        rows = [
            (
                name.replace("_", " "),
                listing([value_text(json.loads(value)) for value in varied[name]], 16, "or"),
                value_text(default[name]),
                Rules.doc(name),
            )
            for name in changed
        ]
        blocks.append(
            Table("Rules that differ from the default", ["Rule", "Here", "Default", "What it is"], rows)
        )
    else:
        blocks.append(Text("No rule differs from the default."))
    return [*blocks, Folded("All rules in full", [_full(first.rules, moving, varied)])]


def _full(rules: Rules, moving: Sequence[str], varied: dict[str, list[str]]) -> Table:
    rows = [
        (
            code(name),
            listing([value_text(json.loads(one)) for one in varied[name]], 99, "or"),
            Rules.doc(name),
        )
        for name in rules.to_dict()
    ]
    told = "Every rule" + ("; several values where the experiment varies it" if moving else "")
    return Table(f"{told}.", ["Rule", "Value", "What it is"], rows)


def _presets(cells: Sequence[Cell]) -> list[Block]:
    """Tell several rule sets, a row each."""
    rows = []
    for cell in cells:
        changes = cell.rules.changes()
        told = "; ".join(f"{name.replace('_', ' ')} {value_text(value)}" for name, value in changes.items())
        name = " ".join([cell.preset, *cell.settings])
        rows.append(
            (code(name), plain(preset_description(cell.preset)), told or "nothing", code(cell.rules.hash))
        )
    same = len({cell.rules.hash for cell in cells})
    alike = f", {same} of them different," if same < len(cells) else ""
    table = Table("The rule sets", ["Rules", "What they are", "What differs from the default", "Hash"], rows)
    return [
        Text(
            f"{len(cells)} rule sets{alike} are compared. The default: {rules_text(Rules())} Each row says "
            "what a rule set changes."
        ),
        table if len(rows) <= OPEN_SETS else Folded(table.caption, [table]),
    ]


# --- strategies ----------------------------------------------------------------------------------


def strategy_blocks(cells: Sequence[Cell], files: Mapping[str, str]) -> list[Block]:
    """Tell who played on each side: the rule in one sentence, what each parameter is, files with hashes."""
    blocks: list[Block] = []
    for side in "ab":
        texts = list(dict.fromkeys(str(getattr(cell, side)) for cell in cells))
        by_family: dict[str, list[str]] = {}
        for text in texts:
            by_family.setdefault(text.partition("(")[0], []).append(text)
        items = []
        for name, members in by_family.items():
            shown = listing([code(text) for text in members], _ENTRIES)
            items.append(f"{shown}: {_summary(name)}")
        blocks += [Text(f"Side {side.upper()} plays:"), Items(items)]
    families = list(
        dict.fromkeys(str(getattr(cell, side)).partition("(")[0] for cell in cells for side in "ab")
    )
    rows = [
        (code(name), code(one["name"]), plain(str(one["doc"])))
        for name in families
        for one in _parameters(name)
    ]
    if rows:
        blocks.append(Table("What the parameters are", ["Strategy", "Parameter", "What it is"], rows))
    if files:
        told = [f"{code(name)}, SHA-256 {code(digest)}" for name, digest in files.items()]
        blocks += [Text("Files that strategies were read from:"), Items(told)]
    return blocks


def _summary(name: str) -> str:
    """Return the rule of a family in one sentence; a file's family is known only where it was loaded."""
    try:
        told = plain(family_named(name).summary())
    except StrategyError:
        return "from a strategy file that is not loaded here."
    return told[:1].lower() + told[1:]


def _parameters(name: str) -> list[dict[str, Any]]:
    try:
        return family_named(name).parameters()
    except StrategyError:
        return []
