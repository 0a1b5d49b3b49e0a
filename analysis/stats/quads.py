"""What acting first is worth, by quads: four games on one deck, packets by who acts first.

Two runs of the same seed and pairs, one in which side A acts first in every game (B deals its first hand),
one in which B does. A pair of the one and the pair of that index of the other share their decks, so who
holds the better cards and who plays better cancel, and what is left is the first move.
"""

from __future__ import annotations

import numpy as np

from analysis.metrics import METRICS, Sums, difference, estimate_by_group
from analysis.stats.estimates import Estimate

DEALERS = {"a_first": 1, "b_first": 0}
"""Who deals the first hand of each game in the two runs: 1 is side B."""


def first_mover_effect(a_first: Sums, b_first: Sums) -> dict[str, Estimate]:
    """Estimate what acting first in a game is worth.

    Parameters
    ----------
    a_first, b_first : mapping of str to ndarray of int64, shape (GROUPS,)
        Sums by group of the two runs, see `analysis.metrics.group_sums`.

    Returns
    -------
    dict of str to Estimate
        ``first_mover_game_share``: games won by who acted first, of all games of the quads, A's and B's
        alike. ``game_share``, ``hand_share``, ``points_per_hand``: A's when acting first less A's when
        acting second; points are A's less B's. Intervals are of the jackknife, a group left out of both
        runs at once.

    Raises
    ------
    ValueError
        If the runs did not play the same pairs.
    """
    if not np.array_equal(a_first["one"], b_first["one"]):
        raise ValueError("the two runs of quads did not play the same pairs")
    both = {name: a_first[name] + b_first[name] for name in a_first}
    gained = {
        name: difference(METRICS[name], a_first, b_first)
        for name in ("game_share", "hand_share", "points_per_hand")
    }
    return {"first_mover_game_share": estimate_by_group(METRICS["first_mover_game_share"], both), **gained}
