"""Strategies as text: its limits, its syntax without meaning, and how it stands in messages."""

from __future__ import annotations

import ast
import json
import re
import traceback
import warnings
from pathlib import Path

MAX_TEXT = 1000
"""Characters a strategy's text may have, as it is written and in full."""

MAX_NESTING = 8
"""How deep strategies may stand in strategies; a part that combines parts of parts is none yet."""


class StrategyError(ValueError):
    """A strategy that cannot be; the message names it."""


def syntax(text: str) -> ast.expr:
    """Return the syntax tree of a strategy's text; it is never run.

    Raises
    ------
    StrategyError
        If the text is too long, nested too deep, or no expression.
    """
    if len(text) > MAX_TEXT:
        raise StrategyError(f"strategy of {len(text)} characters, at most {MAX_TEXT}: {text[:40]!r}...")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a single backslash in a path is no matter of Python's
            tree = ast.parse(text.strip(), mode="eval").body
    except (RecursionError, MemoryError):
        raise too_deep(text) from None
    except (SyntaxError, ValueError) as error:
        if "too many nested" in str(error):
            raise too_deep(text) from None
        raise StrategyError(f"{shown(text)}: expected name or name(param=value, ...)") from None
    return tree


def shown(text: str) -> str:
    """Return a strategy's text for a message: short, and on one line."""
    return repr(text if len(text) <= 120 else f"{text[:117]}...")


def too_deep(text: str) -> StrategyError:
    """Return the error of a text whose strategies stand too deep in each other."""
    return StrategyError(f"{shown(text)}: nested too deep, at most {MAX_NESTING} strategies in each other")


def one_line(path: str | Path) -> str:
    """Return a path for a message: as it is, unless it would not stand on one line of text."""
    text = str(path)
    whole = text if len(text) <= 200 else f"{text[:197]}..."
    return whole if whole.isprintable() else repr(whole)


def brief(value: object) -> str:
    """Return a value for a message: short, and on one line."""
    if isinstance(value, int) and value.bit_length() > 200:  # Python writes no more than 4300 digits
        return f"a number of {value.bit_length()} bits"
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def quoted(text: str) -> str:
    """Write text in double quotes so that `parse_strategy` reads the same text.

    What JSON escapes Python reads alike. Names of files that are not UTF-8 have lone surrogates in Python,
    which no source text may hold as they are.
    """
    written = json.dumps(text, ensure_ascii=False)
    return re.sub(r"[\ud800-\udfff]", lambda found: f"\\u{ord(found[0]):04x}", written)


def first_line(error: BaseException, file: Path | None = None) -> str:
    """Return an exception in one line: its kind, what it says first, and the line of a file it came from.

    Of what could not be compiled, `sim._jit` has noted function and line.
    """
    if notes := getattr(error, "__notes__", None):
        return str(notes[-1])[:300]
    told = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if file is not None and frame.filename == str(file)]
    place = f", line {lines[-1]}" if lines else ""
    return f"{type(error).__name__}: {told}"[:300] + place
