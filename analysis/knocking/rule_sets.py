"""Rule sets to compare, and the hands of one knock limit as a rule set of their own."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from analysis.knocking.policy import Floats
from analysis.knocking.variations import VARIATIONS
from sim.forks import Forks
from sim.rules import Rules, RulesError

GIN_BONUSES, UNDERCUT_BONUSES = (20, 25, 30), (0, 10, 20, 25)
TARGETS = (100, 250)


class RuleSet(NamedTuple):
    """Rules, or those hands under them that have one knock limit.

    Attributes
    ----------
    name : str
    rules : Rules
    limit : int or None
        Most deadwood that may knock, in the hands that count; None for all hands.
    multiplier : int or None
        Factor on the points of the hands that count, so that spades stand apart; None for all.
    """

    name: str
    rules: Rules
    limit: int | None = None
    multiplier: int | None = None

    @property
    def is_part(self) -> bool:
        """Whether only some hands count, so that there is no such thing as a game of it."""
        return self.limit is not None

    def counts(self, forks: Forks) -> npt.NDArray[np.bool_]:
        """Return the hands that count, shape (deals,)."""
        kept = np.ones(len(forks.deals), bool)
        if self.limit is not None:
            kept &= forks.deals.limit == self.limit
        if self.multiplier is not None:
            kept &= forks.deals.multiplier == self.multiplier
        return kept

    def any_suit(self) -> RuleSet:
        """Return the same with spades not apart: a table that is good in points is good in their double."""
        return self._replace(multiplier=None)

    def keep(self, forks: Forks) -> Forks:
        """Return the hands that count, of one limit with points before the spade's doubling."""
        if not self.is_part:
            return forks
        kept = select_hands(forks, self.counts(forks))
        kept.forks.points //= kept.deals.multiplier[kept.owner()]
        kept.deals.points //= kept.deals.multiplier
        return kept

    def worth(self, forks: Forks) -> tuple[Floats, Floats]:
        """Return points before the spade's doubling; hands that do not count are worth nothing.

        Returns
        -------
        taken : ndarray of float64, shape (forks,)
        declined : ndarray of float64, shape (deals,)
        """
        scale = self.counts(forks) / forks.deals.multiplier
        return forks.forks.points * scale[forks.owner()], forks.deals.points * scale


def select_hands(forks: Forks, kept: npt.NDArray[np.bool_]) -> Forks:
    """Return some of the hands with their forks.

    Parameters
    ----------
    forks : Forks
    kept : ndarray of bool, shape (deals,)
    """
    deals = forks.deals[kept].copy()
    number = deals.stop - deals.start
    rows = forks.forks[kept[forks.owner()]]
    deals.stop = np.cumsum(number)
    deals.start = deals.stop - number
    return Forks(deals, rows)


def variation(name: str, rules: Rules) -> list[RuleSet]:
    """Return the rule sets of a variation; the first is what the others are compared with.

    Parameters
    ----------
    name : str
        One of `VARIATIONS`. ``bonuses``: gin bonus by undercut bonus. ``oklahoma``: the knock limit is the
        upcard's value; a set for each limit, spades apart where they double, from 10 down. ``target``:
        games to 100 and 250. ``big-gin``: without and with a bonus for it, the gin bonus and a half.
    rules : Rules
        What is not varied.

    Raises
    ------
    RulesError
        If the rules do not allow a variation.
    ValueError
        If there is no such variation.
    """
    if name == "bonuses":
        return [
            RuleSet(f"gin {gin}, undercut {under}", rules.replace(gin_bonus=gin, undercut_bonus=under))
            for gin in GIN_BONUSES
            for under in UNDERCUT_BONUSES
        ]
    if name == "oklahoma":
        if rules.knock_limit_source == "fixed":
            rules = rules.replace(knock_limit_source="upcard")
        lowest = 2 if rules.oklahoma_ace == "gin" else 1
        suits = (1,) if rules.spade_multiplier == 1 else (1, rules.spade_multiplier)
        return [
            RuleSet(f"limit {limit}" + (", spade" if suit > 1 else ""), rules, limit, suit)
            for suit in suits
            for limit in range(rules.knock_limit, lowest - 1, -1)
        ]
    if name == "target":
        if rules.match_type == "single_hand":
            raise RulesError("match_type=single_hand: there is no target to vary")
        return [RuleSet(f"game to {target}", rules.replace(game_target=target)) for target in TARGETS]
    if name == "big-gin":
        bonus = rules.gin_bonus + rules.gin_bonus // 2
        return [
            RuleSet("no big gin", rules.replace(big_gin_bonus=None)),
            RuleSet(f"big gin {bonus}", rules.replace(big_gin_bonus=bonus)),
        ]
    raise ValueError(f"variation {name!r}: expected {', '.join(VARIATIONS)}")
