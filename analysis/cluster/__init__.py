"""Sweeps on a Dask cluster: what travels, what a worker plays, how results become the same bytes.

A task is plain data: which pairs of which cells. It is a function of that data alone, so it does not matter
which worker plays it, when, or how often.
"""
