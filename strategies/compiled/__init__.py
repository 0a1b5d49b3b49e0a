"""Compiled decisions of the strategies, imported when a run starts."""
