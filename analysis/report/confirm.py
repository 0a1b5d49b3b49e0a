"""Quoted cells played again on fresh decks: the largest of many numbers is likely to be partly luck.

What is confirmed is kept in the run's folder, cell by cell, and told beside the numbers that were chosen.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from analysis.charts.words import quantity
from analysis.match import play
from analysis.metrics import METRICS
from analysis.report.answer import choice_axes, groups
from analysis.report.blocks import Block, Heading, Table, Text
from analysis.report.facts import CellFacts, judged_against
from analysis.report.tables import key_cells, key_headers
from analysis.report.words import number_cell, several
from analysis.stats.estimates import Estimate, ratio
from analysis.store.links import refuse_links
from analysis.store.results import Results
from sim._jit import source_hash
from sim.run import RunError
from sim.tally import OUTCOMES

NAME = "confirmation.json"
"""In the folder of the run."""

SCHEMA = 1
"""Version of the file's keys."""


@dataclass(frozen=True)
class Confirmed:
    """A cell played again on fresh decks.

    Attributes
    ----------
    cell : int
    pairs : int
        As many as the run had settled.
    moments : ndarray of int64, shape (len(OUTCOMES), len(OUTCOMES))
    """

    cell: int
    pairs: int
    moments: Any

    def told(self, metric: str) -> Estimate:
        """Return a headline metric; the number of pairs was settled, so the interval is the ordinary one."""
        of = METRICS[metric]
        return ratio(self.moments, of.numerator, of.denominator, factor=of.factor, share=of.share)


def quoted(results: Results, facts: Sequence[CellFacts]) -> list[CellFacts]:
    """Return the cells whose numbers the answer quotes: the best of each circumstance, or both extremes."""
    metric = results.experiment.spec.metric
    if choice_axes(results):
        parted = [group.facts for group in groups(results, facts)]
        return [max(own, key=lambda one: one.value(metric)) for own in parted]
    extremes = (
        max(facts, key=lambda one: one.value(metric)),
        min(facts, key=lambda one: one.value(metric)),
    )
    told = {one.cell.number: one for one in (facts[0], *extremes)}
    return list(told.values())


def confirmed_blocks(
    results: Results, facts: Sequence[CellFacts], confirmed: Sequence[Confirmed]
) -> list[Block]:
    """Return the quoted numbers beside those of fresh decks; nothing where nothing was confirmed."""
    again = {one.cell: one for one in confirmed}
    shown = [one for one in quoted(results, facts) if one.cell.number in again]
    if not shown:
        return []
    metric = results.experiment.spec.metric
    rows = [
        [
            *key_cells(one, results),
            number_cell(one.told(metric), metric),
            number_cell(again[one.cell.number].told(metric), metric),
        ]
        for one in shown
    ]
    seed = fresh_seed(results.experiment.spec.seed)
    what = quantity(metric).label
    return [
        Heading("Played again on fresh decks"),
        Text(
            "The largest of many numbers is likely to be partly luck. So the cells quoted above were "
            f"played again, as many pairs each, on decks that had no part in choosing them (seed {seed}). "
            f"{verdict(results, shown, confirmed)}"
        ),
        Table("Quoted cells again", [*key_headers(results), what, f"{what}, fresh decks"], rows),
    ]


def verdict(results: Results, shown: Sequence[CellFacts], confirmed: Sequence[Confirmed]) -> str:
    """Say in a sentence whether the fresh numbers of cells differ from the first, all judged together."""
    again = {one.cell: one for one in confirmed}
    metric = results.experiment.spec.metric
    gaps = [_gap(again[one.cell.number].told(metric), one.metrics[metric]) for one in shown]
    differ = sum(sign != 0 for sign in judged_against(gaps, 0.0))
    if not differ:
        return "None is shown to differ from the first."
    return (
        f"{several(differ, 'number')} of {len(shown)} {'is' if differ == 1 else 'are'} shown to differ from "
        "the first (Holm); quote those of the fresh decks."
    )


def _gap(fresh: Estimate, first: Estimate) -> Estimate:
    """Return the difference of two independent estimates."""
    if fresh.estimate is None or first.estimate is None:
        return Estimate(None, None, None)
    gap = fresh.estimate - first.estimate
    if fresh.se is None or first.se is None:
        return Estimate(gap, None, None)
    return Estimate(gap, None, None, math.hypot(fresh.se, first.se))


def fresh_seed(seed: int) -> int:
    """Return the seed of the fresh decks: fixed by the run's, and none that anybody would choose."""
    digest = hashlib.sha256(f"confirm {seed}".encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1


def confirm(
    folder: Path,
    results: Results,
    quoted: Sequence[CellFacts],
    threads: int,
    on_progress: Callable[[int, str], None] | None = None,
) -> bool:
    """Play quoted cells again on fresh decks, as many pairs each; keep each in the folder once it is done.

    Parameters
    ----------
    folder : Path
        Of the run.
    results : Results
    quoted : sequence of CellFacts
    threads : int
    on_progress : callable, optional
        Called with pairs finished of all, and the cell in words.

    Returns
    -------
    bool
        True if Ctrl-C came; cells that were finished are kept, and are not played again the next time.

    Raises
    ------
    RunError
        If the folder cannot be written, or the run was played by other sources: its numbers and fresh
        ones would not belong together.
    """
    refuse_links(folder)
    if results.manifest["source_hash"] != source_hash():
        raise RunError(
            f"{folder}: played by other sources of sim and strategies ({results.manifest['source_hash']}, "
            f"these are {source_hash()}): fresh numbers would not belong to it"
        )
    kept = {one.cell: one for one in read(folder, results)}
    seed = fresh_seed(results.experiment.spec.seed)
    done = 0
    for one in quoted:
        number = one.cell.number
        if number not in kept:

            def told(state: Any, done: int = done, text: str = one.cell.text) -> None:
                if on_progress is not None:
                    on_progress(done + state.pairs, text)

            try:
                match = dataclasses.replace(one.cell.match, seed=seed, pairs=one.pairs)
                run = play(match, threads, on_progress=told)
            except KeyboardInterrupt:
                return True
            if run.interrupted and run.pairs < one.pairs:
                return True
            kept[number] = Confirmed(number, run.pairs, run.tally.total("moments"))
            _write(folder, results, list(kept.values()))
            if run.interrupted:
                return True
        done += one.pairs
    return False


def read(folder: Path, results: Results) -> list[Confirmed]:
    """Return what has been confirmed of a run as it stands; nothing if the run has changed since.

    Raises
    ------
    RunError
        If the file is damaged.
    """
    path = folder / NAME
    if not path.exists():
        return []
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if data["schema"] != SCHEMA or data["run"] != _identity(results):
            return []
        told = [
            Confirmed(int(one["cell"]), int(one["pairs"]), np.array(one["moments"], np.int64))
            for one in data["cells"]
        ]
    except (ValueError, KeyError, TypeError, OverflowError) as error:
        raise RunError(f"{path}: damaged ({error}); remove it and confirm again") from None
    for one in told:
        if one.moments.shape != (len(OUTCOMES),) * 2 or one.moments[0, 0] != one.pairs:
            raise RunError(f"{path}: damaged (cell {one.cell}); remove it and confirm again")
    return told


def _write(folder: Path, results: Results, kept: Sequence[Confirmed]) -> None:
    data = {
        "schema": SCHEMA,
        "run": _identity(results),
        "seed": fresh_seed(results.experiment.spec.seed),
        "cells": [
            {"cell": one.cell, "pairs": one.pairs, "moments": one.moments.tolist()}
            for one in sorted(kept, key=lambda one: one.cell)
        ],
    }
    path = folder / NAME
    draft = path.with_name(f".{NAME}.part")
    try:
        draft.write_text(json.dumps(data) + "\n", encoding="utf-8")
        os.replace(draft, path)
    except OSError as error:
        raise RunError(f"{error.filename or path}: {error.strerror or error}") from None


def _identity(results: Results) -> str:
    """Return a hash of what a run has played: one that was extended is another."""
    told = {"cells": results.manifest["cells"], "pairs": [results.pairs(one.number) for one in results.cells]}
    return hashlib.sha256(json.dumps([told, results.manifest["source_hash"]]).encode()).hexdigest()
