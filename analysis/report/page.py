"""The page of a run: its sections in their order."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.report import tables
from analysis.report.answer import answer
from analysis.report.blocks import Block, Figure, Page, Section, Text, code, plain
from analysis.report.confirm import Confirmed, confirmed_blocks
from analysis.report.facts import CellFacts
from analysis.report.method import conclusions, method, stopped_note
from analysis.report.reproduce import reproduce
from analysis.report.setup import rules_blocks, strategy_blocks
from analysis.report.words import several
from analysis.store.results import Results

CELLS_FILE = "cells.csv"
"""All cells with all numbers, beside the page."""


def make_page(
    results: Results,
    facts: Sequence[CellFacts],
    figures: Sequence[Figure],
    confirmed: Sequence[Confirmed] = (),
) -> Page:
    """Return the page of a run.

    Parameters
    ----------
    results : Results
    facts : sequence of CellFacts
        From `analysis.report.facts.gather`.
    figures : sequence of Figure
        Charts that have been saved.
    confirmed : sequence of Confirmed
        Quoted cells that were played again.

    Returns
    -------
    Page
    """
    record = results.experiment.spec.record
    more: list[Block] = [*tables.dealer(results, facts)]
    if "knocks" in record:
        more += [*tables.declined(results, facts), *tables.layoffs(results, facts)]
    more += tables.gain(results, facts)
    sections = [
        Section(
            "answer",
            "The answer",
            [
                *stopped_note(results, facts),
                *answer(results, facts),
                *confirmed_blocks(results, facts, confirmed),
            ],
        ),
        Section("method", "How it was measured", method(results, facts)),
        Section("rules", "Rules", rules_blocks(results.cells)),
        Section(
            "strategies", "Strategies", strategy_blocks(results.cells, results.manifest.get("files", {}))
        ),
        Section("headline", "Headline numbers", tables.headline(results, facts)),
        Section("charts", "Charts", _charts(figures)),
        Section("cells", "All cells", tables.cells_table(results, facts, CELLS_FILE)),
        Section("more", "Dealing, knocking, pairing", more),
        Section("conclusions", "What can and cannot be concluded", conclusions(results, facts)),
        Section("reproduce", "How to reproduce", reproduce(results, facts)),
    ]
    spec = results.experiment.spec
    return Page(plain(spec.title), plain(spec.question), facts_line(results, facts), sections)


def facts_line(results: Results, facts: Sequence[CellFacts]) -> str:
    """Say in a line what was played."""
    games, hands = sum(one.games for one in facts), sum(one.hands for one in facts)
    least, most = min(one.pairs for one in facts), max(one.pairs for one in facts)
    pairs = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    cells = f"{several(len(facts), 'cell')} of " if len(facts) > 1 else ""
    hashes = {one.cell.rules.hash for one in facts}
    rules = f"rules {code(next(iter(hashes)))}" if len(hashes) == 1 else f"{len(hashes)} sets of rules"
    return (
        f"{cells}{pairs} mirrored pairs; {games:,} games, {hands:,} hands in all; seed "
        f"{results.experiment.spec.seed}; {rules}."
    )


def _charts(figures: Sequence[Figure]) -> list[Block]:
    if not figures:
        return [Text("This run has nothing to draw.")]
    return list(figures)
