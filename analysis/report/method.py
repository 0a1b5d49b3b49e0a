"""How it was measured and how far it carries, for someone who has never seen the tool."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.charts.words import quantity
from analysis.experiment.model import Spec
from analysis.metrics import HEADLINES
from analysis.report.blocks import Block, Items, Note, Terms, Text, code
from analysis.report.facts import CellFacts, same_pairs, wider_at_once
from analysis.report.words import NO_NUMBER, several
from analysis.store.results import Results

TERMS = (
    (
        "Hand",
        "one deal, played until somebody ends it or the stock runs out (a void hand: nobody scores).",
    ),
    (
        "Meld and deadwood",
        "three or more cards of a rank, or in sequence in a suit, are a meld; the points of the cards in "
        "no meld are deadwood.",
    ),
    (
        "Knock",
        "ending the hand with some deadwood left. The other player may lay off cards on the knocker's "
        "melds; the knocker scores the difference in deadwood.",
    ),
    (
        "Undercut",
        "the defender has no more deadwood than the knocker, and wins the hand with a bonus instead.",
    ),
    ("Gin", "ending the hand without any deadwood, for a bonus."),
    ("Own turn", "a player's first turn of a hand is his own turn 1, whoever began."),
)  # fmt: skip
"""Words that the page uses."""


def method(results: Results, facts: Sequence[CellFacts]) -> list[Block]:
    """Return how it was measured."""
    spec = results.experiment.spec
    unit = "hand" if all(one.cell.rules.match_type == "single_hand" for one in facts) else "game"
    matches = any(one.cell.rules.match_type in ("best_of", "first_to_points") for one in facts)
    blocks: list[Block] = [
        Text(
            f"Two computer players, side A and side B, play {unit}s of Gin Rummy against each other, many "
            "times. "
            + (
                "Each combination of the settings under test is called a cell."
                if len(facts) > 1
                else "There is one setting."
            )
        ),
        Text(
            f"Luck of the cards is evened out by mirrored pairs: every {unit} is played twice with the same "
            "shuffled decks, and the second time the sides change places, so that each gets the cards the "
            "other had. What a pair shows is then mostly the difference in play."
        ),
    ]
    if len(facts) > 1:
        blocks.append(
            Text(
                "All cells play the same decks (one seed), so that two cells differ by their settings and "
                "less by luck. Differences between cells are taken deck by deck where both have played "
                "them."
            )
        )
    if matches:
        blocks.append(Text("Where the rules play a match of several games, a pair is two mirrored matches."))
    blocks.append(Text(_length(spec, facts)))
    blocks += _intervals(facts)
    return [*blocks, Text("Words used on this page:"), Terms(TERMS)]


def _length(spec: Spec, facts: Sequence[CellFacts]) -> str:
    """Say how the number of pairs was decided."""
    if spec.pairs is not None:
        told = f"The number of pairs was settled beforehand: {spec.pairs:,}"
        told += " in each cell." if len(facts) > 1 else "."
    elif spec.half_width is not None:
        what = quantity(spec.metric)
        width = f"{what.scale * spec.half_width:g} {'percentage points' if what.unit == '%' else what.unit}"
        told = (
            f"Each cell played until the 95 % interval of {what.words} reached no further than {width} to "
            f"either side. That was looked at after 1,000 pairs, 2,000, 4,000 and so on, up to {spec.cap:,}."
        )
    else:
        assert spec.sprt is not None
        told = (
            "Each cell played until a sequential test could tell whether A's share of games is nearer to "
            f"{100 * spec.sprt.s0:g} % or to {100 * spec.sprt.s1:g} % (errors of at most "
            f"{100 * spec.sprt.alpha:g} % and {100 * spec.sprt.beta:g} %). That was looked at after 1,000 "
            f"pairs, 2,000, 4,000 and so on, up to {spec.cap:,}."
        )
    pairs = [one.pairs for one in facts]
    if min(pairs) == max(pairs):
        played = f" {'Each cell' if len(facts) > 1 else 'It'} played {pairs[0]:,} pairs."
    else:
        played = f" Cells played between {min(pairs):,} and {max(pairs):,} pairs."
    return told + (played if spec.pairs is None or set(pairs) != {spec.pairs} else "")


def _intervals(facts: Sequence[CellFacts]) -> list[Block]:
    blocks: list[Block] = [
        Text(
            "Every number comes with a 95 % interval: if the whole experiment were repeated with fresh "
            "decks many times, about 95 of 100 such intervals would hold the true value. The intervals "
            "treat a pair as one observation, as its two games are not independent."
        )
    ]
    if not all(one.fixed for one in facts):
        blocks.append(
            Text(
                "When a run is stopped because of what it shows, or may have been, an ordinary interval is "
                "right too seldom: it is as if one threw a coin until heads are ahead. So the headline "
                "numbers of such cells have anytime-valid intervals here. They hold the true value with a "
                "probability of 95 % whenever one stops; the price is that they are wider, by half to "
                "twice, and so wider than what a run was to stop at. Numbers beside the headline keep "
                "ordinary intervals; take those as a description."
            )
        )
    return blocks


def stopped_note(results: Results, facts: Sequence[CellFacts]) -> list[Block]:
    """Return a warning where the run is not what was asked for."""
    asked = results.experiment.spec.cap
    idle = sum(one.pairs == 0 for one in facts)
    broken = [one for one in facts if one.stopped == "interrupted"]
    extended = [one for one in facts if one.stopped == "extended"]
    blocks: list[Block] = []
    if broken:
        least, most = min(one.pairs for one in broken), max(one.pairs for one in broken)
        span = f"{least:,}" if least == most else f"{least:,} to {most:,}"
        where = f"{len(broken)} of {len(facts)} cells " if len(facts) > 1 else "It "
        blocks.append(
            Note(
                f"This run is unfinished. {where}{'have' if len(broken) > 1 else 'has'} played {span} of "
                f"{asked:,} pairs{f', {idle} of them none' if idle else ''}. What follows is of those, with "
                "intervals that allow for it."
            )
        )
    if extended:
        blocks.append(
            Note(
                "This run was given more pairs after its first result had been seen. The intervals of the "
                "headline numbers allow for that."
            )
        )
    return blocks


# --- what can and cannot be concluded --------------------------------------------------------------


def conclusions(results: Results, facts: Sequence[CellFacts]) -> list[Block]:
    """Return what the numbers can carry and what they cannot."""
    items = [_precision(facts)]
    if len(facts) > 1:
        items += _multiplicity(results, facts)
    items += _ties(facts)
    thin = [one for one in facts if one.pairs < 128]
    if thin:
        items.append(
            f"{several(len(thin), 'cell has', 'cells have')} fewer than 128 pairs: the intervals are rough, "
            "and comparisons of cells hardly possible."
        )
    seeds = results.experiment.spec.seed
    items += [
        "Everything here is about these strategies under these rules. Against other opponents, or people, "
        "the same settings can do better or worse.",
        "That a difference is not shown does not mean that there is none: it may be smaller than the "
        "intervals are wide.",
        f"The numbers are of seed {seeds}. To check a result that was picked from many, play its cell again "
        "with another seed.",
    ]
    return [Items(items)]


def _precision(facts: Sequence[CellFacts]) -> str:
    parts = []
    for name in HEADLINES:
        halves = [half for one in facts if (half := one.told(name).reach) is not None]
        what = quantity(name)
        unit = "percentage points" if what.unit == "%" else "points"
        parts.append(
            f"{what.words} to within {what.scale * max(halves):.2g} {unit}"
            if halves
            else f"{what.words}: {NO_NUMBER}"
        )
    worst = " in the least certain cell" if len(facts) > 1 else ""
    return f"Precision of the 95 % intervals{worst}: {'; '.join(parts)}."


def _multiplicity(results: Results, facts: Sequence[CellFacts]) -> list[str]:
    count = len(facts)
    told = [
        f"There are {count} cells. If one looks at {count} separate 95 % intervals, about "
        f"{max(1, round(0.05 * count))} {'misses' if round(0.05 * count) <= 1 else 'miss'} the true value "
        "by chance. The sentences of the answer allow for the number of comparisons (Holm's procedure, and "
        "multiple comparisons with the best); the intervals in the tables and charts are each for itself"
        f"{_at_once(results, facts)}.",
        "The largest number of many is on average too large: its cell was picked because luck helped it. "
        "The set of values among which the best is, is the safer statement.",
    ]
    if not (all(one.fixed for one in facts) and same_pairs(facts)):
        told.append(
            "The cells did not all play the same settled number of pairs, so they are compared by "
            "intervals that hold whenever one stops. That is safe and less sharp than a comparison deck by "
            "deck."
        )
    return told


def _at_once(results: Results, facts: Sequence[CellFacts]) -> str:
    metric = results.experiment.spec.metric
    factor = wider_at_once(facts, metric)
    if factor is None:
        return ""
    return (
        f", and those of {quantity(metric).words} would have to be {factor:.2f} times as wide to hold in all "
        f"{len(facts)} cells at once"
    )


def _ties(facts: Sequence[CellFacts]) -> list[str]:
    told = []
    same = [one for one in facts if one.cell.a == one.cell.b and one.metrics["game_share"].estimate == 0.5]
    if same:
        where = "Where both sides are the same" if len(facts) > 1 else "Both sides are the same"
        told.append(
            f"{where}{', ' if len(facts) > 1 else ': '}the mirrored {'games' if len(facts) > 1 else 'game'} "
            f"{'are' if len(facts) > 1 else 'is'} played the same way with the sides changed, and the "
            "result is exactly 50 %. That is how it is built, not a measurement "
            f"({several(len(same), 'cell')})."
        )
    alike = [one for one in facts if one.undiverged == one.pairs and one.cell.a != one.cell.b]
    if alike:
        names = ", ".join(f"{code(one.cell.a)} v {code(one.cell.b)}" for one in alike[:6])
        told.append(
            f"In {several(len(alike), 'cell')} the two strategies never played differently, card for card, "
            f"so the result is exactly even: {names}{' and others' if len(alike) > 6 else ''}."
        )
    return told
