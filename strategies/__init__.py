"""Parameterised policies, one family a file; importing the package registers them all."""

from strategies import combine, gold, monte_carlo, random, simple, threshold

__all__ = ["combine", "gold", "monte_carlo", "random", "simple", "threshold"]
