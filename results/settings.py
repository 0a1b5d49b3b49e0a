"""A headline's question under three styles of play against four opponents: in how many of 12 it is so.

A setting is one of `analysis.knocking.styles.SETTINGS`. In it side A draws and discards as the style does and
knocks as side A of the article does; side B is the opponent. Each article says what else its question becomes
there. The settings play on decks of a seed of their own, fewer than the article's, and all on the same ones.
What self-play answers has no opponent, so it is asked under the three styles only.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, NamedTuple, TypeVar

import pandas as pd

from analysis.knocking.styles import OPPONENTS, SETTINGS, STYLES
from analysis.stats.estimates import Estimate

SEED = 4026
"""Of the settings' decks, which are none of any article's own."""
TABLE = "settings.csv"
DIGITS = 6
ITSELF = "itself"
"""Whom a style meets in self-play."""

Key = TypeVar("Key", bound=Hashable)


class Setting(NamedTuple):
    """What the question of a claim is answered in one setting.

    Attributes
    ----------
    style, opponent : str
        How side A draws and discards, and side B; `ITSELF` in self-play.
    value : Estimate
        Its interval is for itself.
    """

    style: str
    opponent: str
    value: Estimate


def ask(question: Callable[[str, str], Mapping[Key, Estimate]]) -> dict[Key, tuple[Setting, ...]]:
    """Put questions in all twelve settings.

    Parameters
    ----------
    question : callable
        From style and opponent to the estimates of the claims, by any name of the claim.

    Returns
    -------
    dict of tuple of Setting
        By the name of the claim, in the order of `SETTINGS`.
    """
    return _by_claim((*setting, question(*setting)) for setting in SETTINGS)


def ask_styles(question: Callable[[str], Mapping[Key, Estimate]]) -> dict[Key, tuple[Setting, ...]]:
    """Put questions of self-play under the three styles; see `ask`."""
    return _by_claim((style, ITSELF, question(style)) for style in STYLES)


def _by_claim(told: Iterable[tuple[str, str, Mapping[Key, Estimate]]]) -> dict[Key, tuple[Setting, ...]]:
    found: dict[Key, list[Setting]] = {}
    for style, opponent, values in told:
        for key, value in values.items():
            found.setdefault(key, []).append(Setting(style, opponent, value))
    return {key: tuple(settings) for key, settings in found.items()}


def replay(integers: Callable[[str, str], Mapping[str, Any]]) -> dict[str, Any]:
    """Return integers of every setting, by its name."""
    return {f"{style} v {opponent}": integers(style, opponent) for style, opponent in SETTINGS}


def styled(style: str, knock: str) -> str:
    """Return the text of a strategy that draws and discards by a style and knocks as another does."""
    return f"combine(draw={style}, knock={knock}, discard={style})"


# --- what is told of them ------------------------------------------------------------------------


def side(value: Estimate, even: float) -> int:
    """Return 1 if an interval lies above a value, -1 if below it, 0 if it holds it or is none."""
    if value.low is None or value.high is None:
        return 0
    return (value.low > even) - (value.high < even)


def told(settings: tuple[Setting, ...], claimed: int, even: float, even_text: str = "0") -> str:
    """Return the end of a claim's sentence.

    Parameters
    ----------
    settings : tuple of Setting
        At least one.
    claimed : int
        The side of ``even`` that the claim is on; 0 if it is open, then both sides are counted.
    even : float
        The value at which the question has no answer, in the settings.
    even_text : str
        The same as it is printed.
    """
    noun = "styles" if settings[0].opponent == ITSELF else "settings"
    sides = [side(one.value, even) for one in settings]
    up, down, undecided = (sides.count(one) for one in (1, -1, 0))
    if claimed == 0:
        parts = [f"above {even_text} in {up} of {len(sides)} {noun}", f"below it in {down}"]
    else:
        so, other = (up, down) if claimed > 0 else (down, up)
        start = "so in" if 2 * so > len(sides) else "**but only in**" if so else "**but in**"
        parts = [f"{start} {so} of {len(sides)} {noun}"]
        parts += [f"the other way in {other}"] if other else []
    parts += [f"undecided in {undecided}"] if undecided else []
    return ", ".join(parts)


def note(pairs: str, question: str) -> str:
    """Return what a page says of the settings once, under its claims.

    Parameters
    ----------
    pairs : str
        How much each setting plays.
    question : str
        What is asked in a setting.
    """
    return (
        f"The twelve settings: A draws and discards as {_listed(STYLES)}, against {_listed(OPPONENTS)}. "
        f"{question} Each setting plays {pairs}, seed {SEED}, and counts where its own 95 % interval lies to "
        "one side. Each interval is for itself: where there is nothing to find, one in twenty still seems "
        "decided. "
        f"All of them, shares as fractions of 1: [{TABLE}]({TABLE})."
    )


def _listed(names: Iterable[str]) -> str:
    *first, last = (f"`{name}`" for name in names)
    return f"{', '.join(first)} or {last}"


def table(claims: Iterable[tuple[str, float, tuple[Setting, ...]]]) -> pd.DataFrame:
    """Return a row for each claim and setting.

    Parameters
    ----------
    claims : iterable of (str, float, tuple of Setting)
        What is claimed, the value at which it would be empty in a setting, and the settings.
    """
    rows = [
        {
            "claim": words,
            "style": style,
            "opponent": opponent,
            **value.to_dict(),
            "even": float(even),
            "seed": SEED,
        }  # fmt: skip
        for words, even, found in claims
        for style, opponent, value in found
    ]
    columns = ["claim", "style", "opponent", "estimate", "low", "high", "even", "seed"]
    return pd.DataFrame(rows, columns=columns).round(DIGITS)
