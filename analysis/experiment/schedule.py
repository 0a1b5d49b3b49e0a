"""When cells are looked at and when they stop: numbers of pairs that hang on the experiment alone."""

from __future__ import annotations

import math

from analysis.experiment.model import Spec
from analysis.metrics import METRICS
from analysis.stats.estimates import ratio
from analysis.stats.sequential import Sprt, checkpoints
from sim.tally import Tally

HALVINGS = 7
"""Of a fixed number of pairs, looks are taken at its 2**-7 th part, at twice as much, ... and at all."""
MANY_CELLS = 2_000
"""Of more cells each is played to its end at once: to come to each eight times would cost more than play."""


def stages(spec: Spec) -> list[int]:
    """Return the numbers of pairs at which cells are looked at, the last being the end.

    Every cell plays up to a stage before any goes on to the next. A stage doubles the last: few enough that
    keeping a cell's counters costs little, and as many as a chart of convergence needs.
    """
    if spec.pairs is not None:
        parts = [-(-spec.pairs // 2**halvings) for halvings in range(HALVINGS, -1, -1)]
        cells = math.prod(len(values) for values in spec.axes.values())
        return sorted(set(parts)) if cells <= MANY_CELLS else [spec.pairs]
    return sorted({*checkpoints(spec.cap), spec.cap})


def stop(spec: Spec, pairs: int, tally: Tally) -> str | None:
    """Say why a cell stops at a stage, or None if it goes on.

    Returns
    -------
    str or None
        ``pairs`` as asked for, ``width`` reached, hypothesis ``H0`` or ``H1`` taken, or ``max_pairs``.
    """
    if spec.pairs is not None:
        return "pairs" if pairs >= spec.pairs else None
    looked_at = pairs in checkpoints(pairs)  # the cap may lie between two looks
    if spec.half_width is not None and looked_at:
        metric = METRICS[spec.metric]
        told = ratio(
            tally.total("moments"), metric.numerator, metric.denominator,
            factor=metric.factor, share=metric.share,
        )  # fmt: skip
        if (reach := told.reach) is not None and reach <= spec.half_width:
            return "width"
    if spec.sprt is not None and looked_at:
        test = Sprt(spec.sprt.s0, spec.sprt.s1, spec.sprt.alpha, spec.sprt.beta)
        if (decided := test.decide(tally.total("pair_scores"))) is not None:
            return str(decided)
    return "max_pairs" if pairs >= spec.cap else None
