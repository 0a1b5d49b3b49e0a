"""What is asked for: the games of a match or a tournament, read from words before anything is compiled."""

from __future__ import annotations

import itertools
import os
from collections.abc import Sequence
from dataclasses import dataclass

from analysis.console import UsageError, load_two_player_rules
from sim.rules import Rules, RulesError
from strategies.base import Strategy

DEFAULT_GAMES = 100_000
MAX_PAIRS = 2**40
"""The counters are exact for fewer pairs."""


@dataclass(frozen=True)
class Match:
    """What is played.

    Attributes
    ----------
    a, b : Strategy
        Side A and side B.
    rules : Rules
        House rules.
    preset, settings : str, tuple of str
        How the rules were asked for: ``--rules`` and each ``--set``.
    pairs : int
        Mirrored pairs to play, unless ``least_games`` says otherwise.
    seed : int
        Decides every deck.
    scores : tuple of int
        Points of A and B when a game begins.
    dealer : int or None
        Side that deals first (0 for A, 1 for B); None as the rules say.
    files : tuple of str
        Strategy files that were loaded.
    least_games : int or None
        Where the rules play matches of several games: pairs are played until there are so many games.
    """

    a: Strategy
    b: Strategy
    rules: Rules
    preset: str
    settings: tuple[str, ...]
    pairs: int
    seed: int
    scores: tuple[int, int] = (0, 0)
    dealer: int | None = None
    files: tuple[str, ...] = ()
    least_games: int | None = None

    def pairs_to_go(self, pairs: int, games: int) -> int:
        """Return how many pairs to play next when so many, with so many games, have been played.

        A match has as many games as it takes, so the pairs that make up a number of games are found
        step by step, each a little short and at most nine times all before; the same steps anywhere.
        """
        if self.least_games is None:
            return self.pairs - pairs
        left = self.least_games - games
        if left <= 0:
            return 0
        if pairs == 0:
            return 1
        return max(1, min(9 * pairs, left * pairs * 19 // (games * 20)))

    def options(self) -> list[str]:
        """Return the command-line words that ask for the same games."""
        words = [str(self.a), str(self.b), "--rules", self.preset]
        for setting in self.settings:
            words += ["--set", setting]
        for file in self.files:
            words += ["--strategy-file", file]
        words += ["--seed", str(self.seed)]
        if self.scores != (0, 0):
            words += ["--score", f"{self.scores[0]}:{self.scores[1]}"]
        if self.dealer is not None:
            words += ["--dealer", "ab"[self.dealer]]
        return words


@dataclass(frozen=True)
class Tournament:
    """What is played.

    Attributes
    ----------
    sides : tuple of Strategy
        Two or more, all different.
    rules : Rules
        House rules.
    preset, settings : str, tuple of str
        How the rules were asked for: ``--rules`` and each ``--set``.
    pairs : int
        Mirrored pairs of games (of matches, where the rules play matches) of each pairing.
    seed : int
        Decides every deck; all pairings play the same decks.
    files : tuple of str
        Strategy files that were loaded.

    Raises
    ------
    UsageError
        If there are fewer than two strategies, or one stands twice.
    """

    sides: tuple[Strategy, ...]
    rules: Rules
    preset: str
    settings: tuple[str, ...]
    pairs: int
    seed: int
    files: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check the strategies."""
        if len(self.sides) < 2:
            told = f": {self.sides[0]}" if self.sides else ""
            raise UsageError(f"tournament of {len(self.sides)}{told}; expected two strategies or more")
        texts = [str(side) for side in self.sides]
        for at, side in enumerate(texts):
            if side in texts[:at]:
                raise UsageError(f"{side} is named twice; each strategy plays once against each other")

    def pairings(self) -> list[tuple[int, int]]:
        """Return every two strategies, by their places, in the order they are played."""
        return list(itertools.combinations(range(len(self.sides)), 2))

    def matches(self) -> list[Match]:
        """Return the match of each pairing."""
        return [
            Match(
                self.sides[i], self.sides[j], self.rules, self.preset, self.settings, self.pairs, self.seed,
                files=self.files,
            )
            for i, j in self.pairings()
        ]  # fmt: skip


def available_threads() -> int:
    """Return the number of processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def pairs_of(games: int | None, pairs: int | None) -> int:
    """Return the number of pairs that ``--games`` or ``--pairs`` asks for (the default if neither).

    Raises
    ------
    UsageError
        If both are given, or the number is not even or not positive.
    """
    if games is not None and pairs is not None:
        raise UsageError(f"--games {games} and --pairs {pairs}: give one of them")
    if pairs is None:
        games = DEFAULT_GAMES if games is None else games
        if games < 2 or games % 2:
            raise UsageError(f"--games {games}: expected an even number, 2 or more (games go in pairs)")
        pairs = games // 2
    if pairs < 1:
        raise UsageError(f"--pairs {pairs}: expected 1 or more")
    if pairs >= MAX_PAIRS:
        raise UsageError(f"{pairs} pairs: the counters are exact for fewer than {MAX_PAIRS}")
    return pairs


def parse_score(text: str | None, rules: Rules, whose: str = "A and B") -> tuple[int, int]:
    """Read ``--score A:B``; errors say ``whose`` points are expected.

    Raises
    ------
    UsageError
        If the text is not two points below the target.
    """
    if text is None:
        return 0, 0
    parts = text.split(":")
    if len(parts) != 2 or not all(part.isascii() and part.isdigit() and len(part) < 10 for part in parts):
        raise UsageError(f"--score {text[:40]!r}: expected points of {whose}, such as 62:80")
    scores = int(parts[0]), int(parts[1])
    if max(scores) >= rules.game_target:
        raise UsageError(f"--score {text}: the game ends at {rules.game_target}")
    return scores


def parse_dealer(text: str | None) -> int | None:
    """Read ``--dealer a`` or ``--dealer b``.

    Raises
    ------
    UsageError
        If the text is neither.
    """
    if text is None:
        return None
    if text.lower() not in ("a", "b"):
        raise UsageError(f"--dealer {text!r}: expected a or b")
    return "ab".index(text.lower())


def parse_rule_sets(text: str, settings: Sequence[str]) -> list[tuple[str, Rules]]:
    """Read names of presets parted by commas, each changed by all settings.

    Returns
    -------
    list of (str, Rules)

    Raises
    ------
    UsageError
        If a name is empty or stands twice.
    RulesError
        If a preset is unknown, not for two players, or does not go with the settings; it is named.
    """
    names = [name.strip() for name in text.split(",")]
    if "" in names:
        raise UsageError(f"--rules {text[:60]!r}: an empty name; expected presets parted by commas")
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"--rules {text[:60]!r}: {name} is named twice")
        Rules.preset(name)
    chosen = []
    for name in names:
        try:
            chosen.append((name, load_two_player_rules(name, settings)))
        except RulesError as error:
            named = str(error) if str(error).startswith(f"rules {name}: ") else f"rules {name}: {error}"
            raise RulesError(named) from None
    return chosen
