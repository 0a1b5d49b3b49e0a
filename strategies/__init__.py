"""Parameterised policies, one family a file; importing the package registers them all."""

from strategies import (
    clinch,
    combine,
    gold,
    greedy,
    heisenbot,
    human,
    knock_table,
    marjj,
    monte_carlo,
    openspiel,
    published_knocks,
    random,
    rlcard,
    simple,
    threshold,
)

__all__ = [
    "clinch",
    "combine",
    "gold",
    "greedy",
    "heisenbot",
    "human",
    "knock_table",
    "marjj",
    "monte_carlo",
    "openspiel",
    "published_knocks",
    "random",
    "rlcard",
    "simple",
    "threshold",
]
