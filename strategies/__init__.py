"""Parameterised policies, one family a file; importing the package registers them all."""

from strategies import gold, random, simple, threshold

__all__ = ["gold", "random", "simple", "threshold"]
