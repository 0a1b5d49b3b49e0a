"""Experiments: a short file says what to compare; its cells are played on the same decks.

`analysis.experiment.experiment.Experiment` is the whole; ``from analysis import Experiment`` works too.
"""
