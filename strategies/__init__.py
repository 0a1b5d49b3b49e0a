"""Parameterised policies, one family a file; importing the package registers them all."""

from strategies import (
    clinch,
    combine,
    gold,
    greedy,
    heisenbot,
    human,
    knock_tables,
    marjj,
    monte_carlo,
    openspiel,
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
    "knock_tables",
    "marjj",
    "monte_carlo",
    "openspiel",
    "random",
    "rlcard",
    "simple",
    "threshold",
]
