"""What a reproduction consists of: rows of lines, each with what is played or counted for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from analysis.reproduction.published import Claim, Published

FAST = 0.03
"""Milliseconds that a game of fast players takes one thread, for the time told beforehand."""

SEED = 2026
"""Of the committed table."""

EQUAL_COUNTS_BONUS = 200
"""An undercut bonus that no difference of a knock reaches: undercuts at equal counts score exactly this."""


@dataclass(frozen=True)
class Play:
    """A match that is played for some lines.

    Attributes
    ----------
    a, b : str
        The two strategies.
    games : int
        At full scale; in mirrored pairs. Where the rules play single hands, hands.
    settings : tuple of str
        Changes of the rules, as ``--set`` takes them.
    rules : str
        Preset.
    framework : bool
        True to settle knocks as the EAAI-21 framework does, see `analysis.reproduction.referee`.
    cost : float
        Milliseconds a game takes one thread, about.
    label : str
        Short name for tables; ``a v b`` if empty.
    """

    a: str
    b: str
    games: int = 200_000
    settings: tuple[str, ...] = ()
    rules: str = "eaai"
    framework: bool = False
    cost: float = FAST
    label: str = ""

    @property
    def name(self) -> str:
        """Name for tables."""
        return self.label or f"{self.a} v {self.b}"

    @property
    def single_hands(self) -> bool:
        """True if what is played are hands, each at 0:0, and not games."""
        return "match_type=single_hand" in self.settings

    def pairs(self, scale: float) -> int:
        """Return the mirrored pairs to play at a scale."""
        return max(1, round(self.games * scale / 2))

    def seconds(self, scale: float) -> float:
        """Return about how long one thread takes."""
        return 2 * self.pairs(scale) * self.cost / 1000


@dataclass(frozen=True)
class Survey:
    """Something that is counted for some lines, see `analysis.reproduction.surveys`.

    Attributes
    ----------
    name : str
        ``gin_hands``, ``melds`` or ``deals``.
    deals : int
        Hands dealt at full scale; 0 if the count is exact and always whole.
    cost : float
        Seconds.
    """

    name: str
    deals: int = 0
    cost: float = 0.5

    def size(self, scale: float) -> int:
        """Return the number of deals at a scale."""
        return max(100, round(self.deals * scale)) if self.deals else 0

    def seconds(self, scale: float) -> float:
        """Return about how long it takes."""
        return self.cost * scale if self.deals else self.cost


Task = Play | Survey


@dataclass(frozen=True)
class Line:
    """One number: as published, if it was, and as it is here.

    Attributes
    ----------
    what : str
        The quantity, and the setting where it is not that of the publication.
    measure : str
        A name of `analysis.reproduction.measures.MEASURES`, or of the survey's numbers.
    task : Play or Survey
        Where it is measured.
    published : Published, Claim or None
        None for an experiment.
    percent : bool
        True if it is told in percent.
    """

    what: str
    measure: str
    task: Task
    published: Published | Claim | None = None
    percent: bool = False


@dataclass(frozen=True)
class Row:
    """A row of the table.

    Attributes
    ----------
    name : str
        ``R1`` ... ``R13`` for values, ``H1`` ... for claims about who beats whom.
    title, conditions, source : str
        What was measured, how, by whom.
    lines : tuple of Line
        May be empty where nothing can be played.
    context : bool
        True if it is printed but not judged: the publication does not say enough to play the same.
    reading : str
        What our players and settings take from the description, and what they had to choose.
    why : str
        Why a value that differs does so, by the experiments shown. Told only where one differs.
    apart : tuple of str
        Numbers measured in other programs, which this command does not run.
    panel : tuple of Play
        Matches of the head-to-head table.
    """

    name: str
    title: str
    conditions: str
    source: str
    lines: tuple[Line, ...] = ()
    context: bool = False
    reading: str = ""
    why: str = ""
    apart: tuple[str, ...] = ()
    panel: tuple[Play, ...] = field(default=())

    def tasks(self) -> list[Task]:
        """Return what is to be played and counted, each once, in order."""
        wanted: dict[Task, None] = {line.task: None for line in self.lines}
        wanted.update({play: None for play in self.panel})
        return list(wanted)


def task_dict(task: Task, scale: float) -> dict[str, Any]:
    """Return what is played or counted at a scale as plain data."""
    from analysis.console import load_two_player_rules
    from strategies.base import parse_strategy

    if isinstance(task, Survey):
        return {"survey": task.name, "deals": task.size(scale) or None}
    return {
        "a": str(parse_strategy(task.a)),
        "b": str(parse_strategy(task.b)),
        "rules": task.rules,
        "settings": list(task.settings),
        "rules_hash": load_two_player_rules(task.rules, task.settings).hash,
        "layoffs": "framework" if task.framework else "joint optimum",
        "pairs": task.pairs(scale),
    }
