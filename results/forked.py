"""What articles on single legal knocks share: played counts, means over chosen cells, the replay."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from analysis.knocking.cells import cell_keys
from analysis.knocking.value import Counts, knock_counts, value_table
from analysis.knocks import LEAST
from analysis.request import available_threads
from analysis.stats.estimates import NOTHING, Estimate, jackknife, jackknife_share
from results import settings
from results.publish import rules_of
from sim.forks import fork_hands
from sim.rules import Rules
from strategies.base import parse_strategy, player

Mask = Callable[[dict[str, Any]], Any]
"""From the axes' values of all cells to which cells are meant."""


class Forked(NamedTuple):
    """Counts of one pairing by cells."""

    counts: Counts
    by: tuple[str, ...]
    population: str

    def table(self) -> pd.DataFrame:
        """Return the table of what knocks are worth."""
        return value_table(self.counts, self.by, self.population)

    def delta(self, continuation: str, cells: Mask) -> Estimate:
        """Return what knocking gains over a continuation, in the mean over some cells together."""
        found = self._left_out(self.counts.of("v_knock") - self.counts.of(continuation), cells)
        return NOTHING if found is None else jackknife(*found)

    def share(self, counter: str, cells: Mask) -> Estimate:
        """Return the share of knocks in some cells that are ``undercut`` or ``won``."""
        found = self._left_out(self.counts.of(counter), cells)
        if found is None:
            return NOTHING
        chosen = np.asarray(cells(cell_keys(self.counts.codes, self.by)))
        trials = int(self.counts.of("hands")[:, chosen].sum())
        return jackknife_share(*found, min(trials, self.counts.pairs))

    def gap(self, counter: str, cells: Mask, others: Mask) -> Estimate:
        """Return by how much such a share is larger in some cells than in others."""
        return self._gap(self.counts.of(counter), cells, others)

    def delta_gap(self, continuation: str, cells: Mask, others: Mask) -> Estimate:
        """Return by how much knocking gains more in some cells than in others."""
        return self._gap(self.counts.of("v_knock") - self.counts.of(continuation), cells, others)

    def _gap(self, above: Any, cells: Mask, others: Mask) -> Estimate:
        one, other = self._left_out(above, cells), self._left_out(above, others)
        if one is None or other is None:
            return NOTHING
        return jackknife(one[0] - other[0], one[1] - other[1])

    def _left_out(self, above: Any, cells: Mask) -> tuple[float, Any] | None:
        """Return a ratio from all groups and from all but each; nothing of too few knocks."""
        chosen = np.asarray(cells(cell_keys(self.counts.codes, self.by)))
        x, n = above[:, chosen].sum(axis=1), self.counts.of("knocks")[:, chosen].sum(axis=1)
        if n.sum() < LEAST:
            return None
        return float(x.sum() / n.sum()), (x.sum() - x) / (n.sum() - n)


@dataclass(frozen=True)
class Pairings:
    """One side A against several opponents, on the same decks.

    Attributes
    ----------
    a : str
    opponents : tuple of str
    rules : str
        A preset.
    pairs : int
    seeds : tuple of int
        Of the article's decks and of the fresh ones.
    by : tuple of str
        Axes of the cells.
    settings_pairs : int
        Of each of the twelve settings, see `results.settings`; there A knocks as here.
    """

    a: str
    opponents: tuple[str, ...]
    rules: str
    pairs: int
    seeds: tuple[int, int]
    by: tuple[str, ...]
    settings_pairs: int

    def play(self, seed: int) -> dict[str, Forked]:
        """Fork hands against every opponent and count first legal knocks by cells."""
        return {b: self._count(self.a, b, self.pairs, seed) for b in self.opponents}

    def setting(self, style: str, opponent: str) -> Forked:
        """Fork hands in one of the twelve settings."""
        return self._count(settings.styled(style, self.a), opponent, self.settings_pairs, settings.SEED)

    def _count(self, a: str, b: str, pairs: int, seed: int) -> Forked:
        counts, interrupted = knock_counts(
            player(parse_strategy(a)), player(parse_strategy(b)), Rules.preset(self.rules),
            pairs=pairs, seed=seed, by=self.by, population="first", threads=available_threads(),
        )  # fmt: skip
        if interrupted:
            raise KeyboardInterrupt
        return Forked(counts, self.by, "first")

    def twice(self) -> tuple[dict[str, Forked], dict[str, Forked]]:
        """Play on the article's decks and on fresh ones."""
        first, fresh = (self.play(seed) for seed in self.seeds)
        return first, fresh

    def replay(self, pairs: int) -> dict[str, Any]:
        """Play the first pairs of every run again."""
        rules = Rules.preset(self.rules)
        return {
            **{b: fork_integers(self.a, b, rules, pairs, self.seeds[0]) for b in self.opponents},
            "settings": setting_integers(self.a, rules, pairs),
        }

    def manifest(self, continuation: str) -> dict[str, Any]:
        """Return what `results.publish.Article` asks for."""
        return {
            "seeds": list(self.seeds),
            "pairs": self.pairs,
            "rules": rules_of(**{self.rules: Rules.preset(self.rules)}),
            "a": str(parse_strategy(self.a)),
            "b": [str(parse_strategy(b)) for b in self.opponents],
            "population": "first: the first legal knock of A in each hand",
            "continuation": continuation,
        }


def all_tables(found: dict[str, Forked]) -> pd.DataFrame:
    """Return the tables of all opponents as one, with a column ``against``."""
    return pd.concat([one.table().assign(against=b) for b, one in found.items()], ignore_index=True)


def cell(**values: int) -> Mask:
    """Return a mask of the cells with these values."""
    return lambda keys: np.logical_and.reduce([keys[name] == value for name, value in values.items()])


def turns(first: int, last: int) -> Mask:
    """Return a mask of own turns, short of gin."""
    return lambda keys: (keys["own_turn"] >= first) & (keys["own_turn"] <= last) & (keys["deadwood"] > 0)


def played(pairs: int) -> str:
    """Return how much a setting of forks plays, in words."""
    return f"{2 * pairs:,} hands"


def fork_integers(a: str, b: str, rules: Rules, pairs: int, seed: int) -> dict[str, int]:
    """Return sums over all forks of the first pairs of a pairing."""
    forks = fork_hands(player(parse_strategy(a)), player(parse_strategy(b)), rules, pairs=pairs, seed=seed)
    rows = forks.forks
    return {
        "forks": len(rows),
        "deadwood": int(rows.deadwood.sum()),
        "own_turn": int(rows.own_turn.sum()),
        "v_knock": int(rows.points.sum()),
        "v_once": int(forks.after(rows.asked == 1).sum()),
        "v_gin": int(forks.after(rows.deadwood == 0).sum()),
        "never": int(forks.deals.points.sum()),
    }


def setting_integers(knock: str, rules: Rules, pairs: int) -> dict[str, Any]:
    """Return the same of the first pairs of the twelve settings."""
    return settings.replay(
        lambda style, b: fork_integers(settings.styled(style, knock), b, rules, pairs, settings.SEED)
    )
