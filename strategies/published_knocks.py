"""Knock rules that are tables of probabilities, on top of gold's draw and discard."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from strategies.base import Decisions, Strategy, parameter, strategy
from strategies.gold import COMPILED as GOLD
from strategies.knock_cells import KnockCells

PERCENT_TWENTY = "strategies.compiled.percent_twenty"
GOLDSTEIN = "strategies.compiled.goldstein"


@strategy("percent_twenty")
@dataclass(frozen=True)
class PercentTwenty(Strategy):
    """Play as gold, knock by deadwood, cards seen and unmatchable cards: the nearer to gin, the less.

    Always ends with gin. Cards seen are the eleven in hand, the discard pile and the cards known to be in the
    other hand, by fives: 11 or 12 at the first knock, so the first row is 10-14. Unmatchable cards are
    counted to three; as interpreted they are the unmelded cards among the ten kept that no one card still
    to come (unseen, or known to be in the other hand) would meld. (If any number of cards might come, hardly
    a card were unmatchable before the middle of a hand, and the table would have no use for its columns.)

    ======== ======================================================================================
    seen     knocks with
    ======== ======================================================================================
    10-14    6-10; 4-5 with at most two unmatchable cards; 3 sometimes
    15-19    6-10
    20-24    6; 7-9 with an unmatchable card or more; 10 with two or more
    25-29    6-9 with two or more; 10 with three or more
    30-34    6 with two or more
    35-      nothing short of gin
    ======== ======================================================================================

    References
    ----------
    A table found by counterfactual regret minimisation ("percent twenty", section 4 of the collection of
    published strategies); what it does "almost never" or "practically never" is never done here.
    """

    sometimes: float = parameter(0.5, 0, 1, "probability of the knocks with 3 that are made sometimes")

    decisions = Decisions(GOLD, PERCENT_TWENTY, GOLD)

    def table(self) -> Any:
        """Return probabilities by cards seen (six classes), deadwood (0-10) and unmatchable cards (0-3)."""
        knocks = np.zeros((6, 11, 4))
        knocks[:, 0] = 1
        knocks[0, 3] = self.sometimes
        knocks[0, 4:6, :3] = 1
        knocks[0:2, 6:] = 1
        knocks[2, 6] = 1
        knocks[2, 7:10, 1:] = 1
        knocks[2, 10, 2:] = 1
        knocks[3, 6:10, 2:] = 1
        knocks[3, 10, 3] = 1
        knocks[4, 6, 2:] = 1
        return knocks


_OTHER = (
    # drawn 0, 1-4, 5-8, 9-10, 11 and more
    (0.01, 0, 0, 0, 0),  # deadwood 1
    (0.05, 0.01, 0, 0, 0),
    (0.08, 0.02, 0, 0, 0),
    (0.05, 0.01, 0, 0, 0),
    (0, 0.02, 0, 0, 0),
    (0.18, 0.02, 0.01, 0.04, 0),
    (0.11, 0.06, 0, 0, 0),
    (0.21, 0.02, 0.03, 0, 0),
    (0.10, 0.03, 0.01, 0, 0),
    (0.19, 0.04, 0.03, 0.02, 0),  # deadwood 10
)
_TEN = (
    (0, 0, 0, 0, 0),  # deadwood 1
    (1, 0, 0, 0, 0),
    (0, 0, 0, 0, 0),
    (0, 0, 0, 0, 0),
    (0, 0.33, 0, 0, 0),
    (0, 0.05, 0.04, 0, 0),
    (0, 0.34, 0, 0, 0),
    (0.06, 0.42, 0.01, 0, 0),
    (1, 0.12, 0.30, 0, 0),
    (0.19, 0.08, 0.17, 0, 0),  # deadwood 10
)


@strategy("goldstein")
@dataclass(frozen=True)
class Goldstein(Strategy):
    """Play as gold, knock at random with a probability by deadwood, stock drawn and the last discard.

    Always ends with gin. The stock cards drawn before this turn, by both players, are 0, 1-4, 5-8, 9-10 or
    11 and more. The last discard is the other's, or the upcard if he has not thrown yet; what matters is
    whether it counts ten.

    References
    ----------
    Goldstein and others, AAAI-21 (EAAI-21 Gin Rummy research challenge): the means over the cells of their
    table, as given in section 4 of the collection of published strategies.
    """

    decisions = Decisions(GOLD, GOLDSTEIN, GOLD)

    def table(self) -> Any:
        """Return probabilities by last discard (other, ten), deadwood (0-10) and stock drawn (5 classes)."""
        gin = (1, 1, 1, 1, 1)
        return np.array([(gin, *_OTHER), (gin, *_TEN)], np.float64)

    def cells(self) -> KnockCells:
        """Return the table by stock before the draw, for 52 cards and hands of ten: 31 in the first stock."""
        drawn = [max(31 - stock, 0) for stock in range(20, 32)]
        columns = [(count + 3) // 4 if count <= 8 else 3 if count <= 10 else 4 for count in drawn]
        shares = self.table()[np.newaxis, :, :, columns].swapaxes(2, 3)
        return KnockCells("stock_before", 20, (), np.ascontiguousarray(shares))
