"""Parameterised policies, one family a file; importing the package registers them all."""

from strategies import combine, gold, random, simple, threshold

__all__ = ["combine", "gold", "random", "simple", "threshold"]
