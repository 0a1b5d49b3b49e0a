"""Parameterised policies, one family a file; importing the package registers them all."""

from strategies import combine, gold, knock_table, random, simple, threshold

__all__ = ["combine", "gold", "knock_table", "random", "simple", "threshold"]
