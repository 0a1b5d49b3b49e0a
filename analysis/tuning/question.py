"""What is asked of a search: where, against whom, by which rules, for what, on how many decks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from analysis.console import UsageError
from analysis.metrics import HEADLINES
from analysis.request import MAX_PAIRS
from analysis.tuning.space import Space
from sim.rules import Rules
from sim.tally import GROUPS
from strategies.base import Strategy

COMPLETE = 130
"""With no more strategies than that (thresholds twice over: 121) all are played."""


@dataclass(frozen=True)
class Question:
    """What is asked.

    Attributes
    ----------
    space : Space
        Where to seek.
    against : tuple of Strategy
        Opponents, all different; what is sought is best for the mean over them.
    rules : Rules
        House rules.
    preset, settings : str, tuple of str
        How the rules were asked for.
    objective : str
        One of `analysis.metrics.HEADLINES`.
    pairs, most_pairs : int
        Mirrored pairs of games that a strategy plays against each opponent in a generation: to begin
        with, and at most.
    generations : int
        At most.
    final_pairs : int
        Pairs of the final figure, on decks of its own.
    seed : int
        Decides every deck and the search's own draws.
    files : tuple of str
        Strategy files that were loaded.

    Raises
    ------
    UsageError
        Naming what cannot be.
    """

    space: Space
    against: tuple[Strategy, ...]
    rules: Rules
    preset: str
    settings: tuple[str, ...] = ()
    objective: str = "points_per_hand"
    pairs: int = 500
    most_pairs: int = 8_000
    generations: int = 30
    final_pairs: int = 100_000
    seed: int = 7
    files: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check what can be checked without play."""
        if self.objective not in HEADLINES:
            raise UsageError(f"objective {self.objective[:60]!r}: expected one of {', '.join(HEADLINES)}")
        texts = [str(one) for one in self.against]
        if not texts:
            raise UsageError("a search needs an opponent or more")
        for at, text in enumerate(texts):
            if text in texts[:at]:
                raise UsageError(f"opponent {text} is named twice")
        # Every group of pairs must hold some, or there is no interval.
        for name, value in (("pairs", self.pairs), ("final-pairs", self.final_pairs)):
            if value < GROUPS:
                raise UsageError(f"--{name} {value}: expected {GROUPS} or more")
        if self.most_pairs < self.pairs:
            raise UsageError(f"--most-pairs {self.most_pairs}: expected {self.pairs} (--pairs) or more")
        if self.generations < 1:
            raise UsageError(f"--generations {self.generations}: expected 1 or more")
        if self.final_pairs + 2 * self.most_pairs * self.generations >= MAX_PAIRS // 2:
            raise UsageError(f"too many pairs: together there may be {MAX_PAIRS // 2} of them")

    @property
    def complete(self) -> bool:
        """Whether every strategy of the space is played."""
        return self.space.count <= COMPLETE

    def to_dict(self) -> dict[str, Any]:
        """Return the question as plain data: all that its answer hangs on."""
        return {
            "start": str(self.space.start),
            "parameters": {
                one.name: {"low": one.low, "high": one.high, "start": one.start, "step": one.step}
                for one in self.space.parameters
            },
            "against": [str(one) for one in self.against],
            "rules": {
                "preset": self.preset,
                "settings": list(self.settings),
                "hash": self.rules.hash,
                "fields": self.rules.to_dict(),
            },
            "objective": self.objective,
            "pairs": self.pairs,
            "most_pairs": self.most_pairs,
            "generations": self.generations,
            "final_pairs": self.final_pairs,
            "seed": self.seed,
            "files": self._files(),
        }

    def _files(self) -> dict[str, str]:
        """Return the files that strategies come from or read, with hashes of their content."""
        from pathlib import Path

        from analysis.store.manifest import file_hash

        told = {name: file_hash(Path(name)) for name in self.files}
        for one in (self.space.start, *self.against):
            told |= one.files()
        return told


def parse_ranges(texts: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Read ``NAME=LOW:HIGH``, each name once.

    Raises
    ------
    UsageError
        Naming what is not like that.
    """
    told: dict[str, tuple[float, float]] = {}
    for text in texts:
        name, equals, ends = text.partition("=")
        low, colon, high = ends.partition(":")
        try:
            span = float(low), float(high)
        except ValueError:
            equals = ""
        if not equals or not colon:
            raise UsageError(f"--range {text[:60]!r}: expected NAME=LOW:HIGH, such as weight=5:40")
        if name.strip() in told:
            raise UsageError(f"--range {text[:60]!r}: {name.strip()} is given twice")
        told[name.strip()] = span
    return told
