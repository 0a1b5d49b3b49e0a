"""Play that is made up: values with a known optimum, and noise that the decks have in common or not."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from analysis.tuning.journal import Sums
from analysis.tuning.measure import Play
from analysis.tuning.question import Question
from analysis.tuning.space import space
from sim.rules import Rules
from sim.tally import GROUPS
from strategies.base import Strategy, parse_strategy
from strategies.threshold import Threshold

UNIT = 1000
"""Of the made-up sums, which are whole numbers."""

Value = Callable[[Strategy], float]


def hill(chosen: Strategy) -> float:
    """Return a value that is 0 at most, where weight is 60, decay 0.7 and knock_turns 8."""
    weight, decay, turns = (getattr(chosen, name) for name in ("weight", "decay", "knock_turns"))
    return -(math.log((weight + 1) / 61) ** 2) - 4 * (decay - 0.7) ** 2 - 0.1 * (turns - 8) ** 2 / 4


def planted(value: Value, noise: float = 1.0, opponents: int = 1) -> Play:
    """Return play by which a strategy's mean is a value, and half of a pair's noise is the decks'."""

    def draws(text: str) -> np.ndarray:
        seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")
        return np.random.default_rng(seed).standard_normal((opponents, GROUPS))

    def play(chosen: Strategy, first: int, pairs: int) -> Sums:
        each = np.bincount(np.arange(first, first + pairs) % GROUPS, minlength=GROUPS)
        spread = draws(f"{first}") + draws(f"{first} {chosen}")
        means = np.array([value(chosen) + at for at in range(opponents)])[:, None]
        x = np.rint(UNIT * (each * means + noise * np.sqrt(each) * spread)).astype(np.int64)
        return np.stack([x, np.broadcast_to(UNIT * each, x.shape)], axis=1).astype(np.int64)

    return play


def asked(
    text: str = "marjj", free: str = "weight,decay,knock_turns", opponents: int = 1, **changed: Any
) -> Question:
    """Return a question about a strategy, of few pairs."""
    names = ("simple", "gold", "gin_only")[:opponents]
    numbers = {"pairs": 128, "most_pairs": 1024, "generations": 25, "final_pairs": 1000, **changed}
    return Question(
        space(parse_strategy(text), free.split(",") if free else ()),
        tuple(parse_strategy(name) for name in names),
        Rules.preset("eaai"),
        "eaai",
        **numbers,
    )


def k_of(chosen: Strategy) -> int:
    """Return the threshold of a strategy that is one."""
    assert isinstance(chosen, Threshold)
    return chosen.k
