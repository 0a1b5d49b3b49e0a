"""One family of strategies told in full: parameters, where its rules come from, source, how to write it."""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path
from typing import Any

from strategies.base import DEFAULT_SPREAD, Decisions, Strategy, StrategyError, parse_strategy, registered

PARTS = {"draw": "gold", "knock": "gin_only", "discard": "simple"}
"""What an example takes where it needs a strategy; ``gold`` for anything else."""
PLAIN_PART = "gold"


def family_named(name: str) -> type[Strategy]:
    """Return a registered family.

    Raises
    ------
    StrategyError
        Naming what is not registered, and what is.
    """
    known = registered()
    if name not in known:
        raise StrategyError(f"unknown strategy {name[:60]!r}; known: {', '.join(known)}")
    return known[name]


def example(family: type[Strategy]) -> str:
    """Return a text that plays the family: its defaults, other strategies where it needs them.

    Raises
    ------
    StrategyError
        If the family cannot be played at its defaults, such as for want of a file; it says so.
    """
    needed = [
        f"{one['name']}={PARTS.get(one['name'], PLAIN_PART)}"
        for one in family.parameters()
        if one["kind"] == "strategy" and one["default"] is None
    ]
    if needed:
        text = f"{family.name}({', '.join(needed)})"
        parse_strategy(text)
        return text
    return str(parse_strategy(family.name))


def family_report(name: str) -> dict[str, Any]:
    """Return all that is known of a family as plain data, without importing its compiled decisions.

    Parameters
    ----------
    name : str
        A registered name.

    Returns
    -------
    dict
        ``rules`` has for each decision the module it stands in and the family it is borrowed from: its
        own name, another's, or None for the engine's default and for what another parameter lends.
        ``example`` is None where the defaults cannot be played, ``example_missing`` then says why.

    Raises
    ------
    StrategyError
        If the name is unknown.
    """
    family = family_named(name)
    sections = _sections(family)
    try:
        text, missing = example(family), None
    except StrategyError as error:
        text, missing = None, str(error)
    rules = {decision: _origin(family, decision, text) for decision in Decisions._fields}
    return {
        "name": name,
        "description": sections[""],
        "parameters": family.parameters(),
        "rules": rules,
        "remembers": list(family.remembers),
        "has_table": text is not None and parse_strategy(text).table() is not None,
        "source": sections.get("References"),
        "defined_in": _place(family.__module__),
        "example": text,
        "example_missing": missing,
        "combined": _combined(family, rules, text),
    }


def _sections(family: type[Strategy]) -> dict[str, str]:
    """Return the sections of the docstring by title, the text before the first under ``""``."""
    parts = re.split(r"^(\w[\w ]*)\n-{3,}$", inspect.cleandoc(family.__doc__ or ""), flags=re.MULTILINE)
    told = {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}
    return {title: _joined(text) for title, text in told.items()}


def _joined(text: str) -> str:
    """Return paragraphs with one blank line between, each on one line, code marks left out.

    Items of lists have a line each, and tables stay as they are.
    """
    told = []
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        if table_in(paragraph) is None:
            items = re.split(r"\n(?=(?:\d+\.|[-*]) )", paragraph)
            paragraph = "\n".join(" ".join(item.split()) for item in items)
        told.append(paragraph)
    return "\n\n".join(told).replace("``", "")


def table_in(paragraph: str) -> tuple[list[str], list[list[str]]] | None:
    """Return headers and rows of a paragraph that is a simple table of reStructuredText, else None."""
    lines = paragraph.split("\n")
    if not re.fullmatch(r"=+( +=+)+", lines[0]) or lines.count(lines[0]) != 3 or lines[2] != lines[0]:
        return None
    starts = [found.start() for found in re.finditer("=+", lines[0])]
    rows = [
        [line[start:end].strip() for start, end in zip(starts, [*starts[1:], None], strict=True)]
        for line in lines
        if line != lines[0]
    ]
    return rows[0], rows[1:]


def _is_made_of_parts(family: type[Strategy]) -> bool:
    """Return whether the draw rule, as the others, is that of a part."""
    return not family.decisions.draw


def _origin(family: type[Strategy], decision: str, text: str | None) -> dict[str, str | None]:
    """Return the module of a decision and the family it comes from."""
    module = getattr(family.decisions, decision)
    if _is_made_of_parts(family):
        return {"family": None, "module": None}
    if text is not None:  # parameters may choose the module
        module = getattr(parse_strategy(text).modules(), decision)
    if module is None:
        return {"family": None, "module": DEFAULT_SPREAD[0]}
    # A family's compiled decisions stand in a module of its name, see `strategies`.
    known, owner = registered(), module.rpartition(".")[2]
    lends = owner in known and module in known[owner].decisions
    return {"family": owner if lends else family.name, "module": _place(module)}


def _place(module: str) -> str:
    """Return a module's name, or the file of a user's module."""
    file = getattr(sys.modules.get(module), "__file__", None)
    return Path(file).name if module.startswith("ginlab_user_") and file else module


def _combined(
    family: type[Strategy], rules: dict[str, dict[str, str | None]], text: str | None
) -> dict[str, Any] | None:
    """Return which rules a family has to lend, and a combination that takes them."""
    if _is_made_of_parts(family) or text is None:
        return None
    own = [decision for decision, origin in rules.items() if origin["family"] == family.name]
    if {"draw", "knock", "discard"} <= set(own):  # its discard alone, for all three would be itself
        parts = {**PARTS, "draw": "simple" if family.name == PLAIN_PART else PLAIN_PART, "discard": text}
    else:
        taken = own or ["knock"]  # another's rules with its own parameters
        parts = {decision: text if decision in taken else PLAIN_PART for decision in Decisions._fields}
        if "spread" not in taken:
            del parts["spread"]
    combination = f"combine({', '.join(f'{name}={part}' for name, part in parts.items())})"
    try:
        parse_strategy(combination)
    except StrategyError as error:
        return {"own": own, "example": None, "example_missing": str(error)}
    return {"own": own, "example": combination, "example_missing": None}


# --- words ---------------------------------------------------------------------------------------


def value_text(value: Any) -> str:
    """Write a value as the text of a strategy takes it."""
    if value in (None, ""):
        return "-"
    return str(value).lower() if isinstance(value, bool) else str(value)


def range_text(parameter: dict[str, Any]) -> str:
    """Write what a parameter may be."""
    if parameter["range"]:
        return "{}-{}".format(*parameter["range"])
    return "true or false" if parameter["kind"] == "flag" else str(parameter["kind"])


def parameter_rows(report: dict[str, Any]) -> list[tuple[str, str, str, str]]:
    """Return the parameters as rows: name, default, range, meaning with its unit."""
    return [
        (one["name"], value_text(one["default"]), range_text(one), one["doc"]) for one in report["parameters"]
    ]


def rule_fields(report: dict[str, Any]) -> list[tuple[str, str]]:
    """Return where each rule comes from, as labels and texts."""
    fields = []
    for decision, origin in report["rules"].items():
        if origin["module"] is None:
            text = f"that of the strategy given as {decision}="
            if decision == "spread":
                text += ", else the engine's default"
        elif origin["family"] is None:
            text = "the engine's default: the arrangement on which the fewest points can be laid off"
        elif origin["family"] == report["name"]:
            text = f"its own ({origin['module']})"
        else:
            text = f"{origin['family']}'s ({origin['module']})"
        fields.append((f"  {decision}", text))
    return fields


def combining_text(report: dict[str, Any]) -> str:
    """Say what the family lends to ``combine``, and with what it does not go together."""
    told = report["combined"]
    if told is None:
        if report["example"] is None:
            return "as a part of combine(...), once its parameters are given"
        return (
            "this is what combines: each part lends one rule, with its own parameters. One part at most may "
            "keep a memory, one may have a table."
        )
    own = told["own"]
    listed = " and ".join((", ".join(own[:-1]), own[-1])) if len(own) > 1 else "".join(own)
    text = "as a part of combine(...)"
    if own:
        text += f"; of its own it lends its {listed} rule{'s' if len(own) > 1 else ''}."
    else:
        text += "; all its rules are another's, with its own parameters."
    if report["remembers"]:
        rules = " and ".join(report["remembers"])
        text += f" Its {rules} rule keeps a memory: no other part may then keep one."
    if report["has_table"]:
        text += " It has a table: no other part may then have one."
    if told["example"] is None:
        text += f" Not with the usual parts: {told['example_missing']}"
    return text
