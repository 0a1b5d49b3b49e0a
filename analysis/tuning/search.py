"""The search: CMA-ES over a strategy's numbers, or all strategies where they are few; then fresh decks.

Within a generation all strategies play the same decks, with them the start values and the centre of the
search (its mean, rounded); every generation has decks of its own. Where the decks leave the order of a
generation unsure, it plays more of them: the rule of UH-CMA-ES, here by the reliability that the jackknife
tells instead of by playing again, which on common decks would count what they have in common as noise.

What is found is the best of a few contenders on fresh decks, and its figure is of decks that came after
all others: the best of several looks better than it is on the decks that chose it.

References
----------
N. Hansen, The CMA Evolution Strategy: A Tutorial, arXiv:1604.00772; N. Hansen, A. S. P. Niederberger, L.
Guzzella and P. Koumoutsakos, A method for handling uncertainty in evolutionary optimization with an
application to feedback control of combustion, IEEE Transactions on Evolutionary Computation 13 (2009),
180-197; O. Maron and A. W. Moore, Hoeffding races, Advances in Neural Information Processing Systems 6
(1994).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from analysis.metrics import METRICS
from analysis.stats.joint import not_worse_than_best
from analysis.tuning.journal import Journal, Sums
from analysis.tuning.measure import Measure, Play, gain, reliability, sampled, value
from analysis.tuning.question import Question
from analysis.tuning.space import Space
from strategies.base import Strategy, StrategyError

SCHEMA = 1
"""Version of the report's keys."""

RELIABLE = 0.5
"""A generation plays more decks until so much of its spread is the strategies': a correlation of 0.7."""
FLAT = 5
"""So many generations that stay unsure with the most decks end the search: the rest is too small to see."""
LATE = 5
"""The best of so many last generations are contenders."""

Tell = Callable[[float, str], None]
"""Told about which part of the whole is done, 0 to 1, and in a word what is played now."""
RACE, FINAL = 0.8, 0.9
"""Parts done when the race and the final figure begin, roughly."""


def tune(
    question: Question, play: Play, journal: Journal, tell: Tell = lambda part, word: None
) -> dict[str, Any]:
    """Seek the strategy that does best.

    Parameters
    ----------
    question : Question
    play : callable
        Plays what the journal does not have, see `analysis.tuning.measure.Play`.
    journal : Journal
    tell : callable
        Told what is being played.

    Returns
    -------
    dict
        ``method`` (``cma`` or ``complete``); ``stopped``: why the search ended; ``trace``, a row a
        generation, or a row a strategy, see `_evolve` and `_race`; ``contenders``; ``start`` and ``found``
        with their numbers; ``pairs`` of the search and of the final figure, which is under ``final``:
        ``start``, ``found``, ``difference`` (None where the start values were found), and the same by
        opponent. The same for the same question, however often it was stopped.
    """
    measure = Measure(play, journal, len(question.against))
    space = question.space
    trace: list[dict[str, Any]] = []
    if question.complete:
        contenders = [space.strategy(values) for values in _possible(space)]
        stopped = "every strategy was played"
    else:
        contenders, trace, stopped = _evolve(question, measure, tell)
    found, race = _race(question, measure, contenders, tell)
    searched = measure.first
    return {
        "schema": SCHEMA,
        "question": question.to_dict(),
        "method": "complete" if question.complete else "cma",
        "stopped": stopped,
        "trace": race if question.complete else trace,
        "contenders": race,
        "start": {"strategy": str(space.start), "values": _named(space, space.start)},
        "found": {"strategy": str(found), "values": _named(space, found)},
        "pairs": {"search": searched, "final": question.final_pairs},
        "final": _final(question, measure, found, tell),
    }


def _named(space: Space, chosen: Strategy) -> dict[str, float | int]:
    names = (one.name for one in space.parameters)
    return dict(zip(names, space.values(chosen), strict=True))


def _possible(space: Space) -> Iterator[list[int]]:
    """Yield the numbers of every strategy whose own checks allow them together."""
    for values in space.every():
        try:
            space.strategy(values)
        except StrategyError:
            continue
        yield values


@contextmanager
def _draws_apart(state: list[Any]) -> Iterator[None]:
    """Let cma draw from numbers of its own: it takes them from NumPy's common generator."""
    before = np.random.get_state()
    if state:
        np.random.set_state(state.pop())
    try:
        yield
    finally:
        state.append(np.random.get_state())
        np.random.set_state(before)


def _evolve(
    question: Question, measure: Measure, tell: Tell
) -> tuple[list[Strategy], list[dict[str, Any]], str]:
    """Run CMA-ES.

    Returns
    -------
    contenders : list of Strategy
        The start values, the last centre, the best of the last generations; all different.
    trace : list of dict
        A row a generation: ``pairs`` a strategy and the ``first`` of them, ``reliability``; of the centre
        ``strategy``, ``values`` and ``gain`` over the start values on the same decks, with its interval;
        ``best`` of the generation, with its gain as measured, which is too large for having been chosen by
        it; ``spread``: standard deviation of each number.
    stopped : str
        Why it ended.
    """
    import cma

    space = question.space
    draws: list[Any] = []
    with _draws_apart(draws):
        es = cma.CMAEvolutionStrategy(
            [one.start for one in space.parameters],
            1.0,
            {
                "CMA_stds": [one.step for one in space.parameters],
                # The end values of whole numbers get as much room as the others.
                "bounds": [
                    [one.low - 0.49 * one.whole for one in space.parameters],
                    [one.high + 0.49 * one.whole for one in space.parameters],
                ],
                "integer_variables": [at for at, one in enumerate(space.parameters) if one.whole],
                "seed": 1 + question.seed % (2**32 - 1),
                # Small differences of values say nothing where every generation has decks of its own.
                "tolfun": 0,
                "tolfunhist": 0,
                "verbose": -9,
                "verb_log": 0,
            },
        )  # fmt: skip
    trace: list[dict[str, Any]] = []
    bests: list[Strategy] = []
    pairs, unsure = question.pairs, 0
    centre = space.start
    stopped = "all generations were played"
    for generation in range(1, question.generations + 1):
        with _draws_apart(draws):
            points = es.ask()
        candidates = [_strategy(space, point) for point in points]
        allowed = [one for one in candidates if one is not None]
        if not allowed:
            raise StrategyError(f"{space.start}: its own checks refuse every strategy of a generation")
        tell(
            RACE * (generation - 1) / question.generations,
            f"generation {generation} of {question.generations}",
        )
        first = measure.first
        sums, sure = _play_generation(question, measure, [space.start, centre, *allowed], pairs)
        told = sampled(sums)
        values = told.values[2:]
        worst = float(values.min())
        told_values = iter(values.tolist())
        with _draws_apart(draws):
            es.tell(points, [-(worst if one is None else next(told_values)) for one in candidates])
        best = int(values.argmax())
        bests.append(allowed[best])
        played = measure.first - first
        trace.append(
            {
                "generation": generation,
                "first": first,
                "pairs": played,
                "reliability": sure,
                "strategy": str(centre),
                "values": _named(space, centre),
                "gain": gain(sums[1], sums[0]).to_dict(),
                "best": str(allowed[best]),
                "best_gain": float(values[best] - told.values[0]),
                "spread": {
                    one.name: float(std) for one, std in zip(space.parameters, es.result.stds, strict=True)
                },
            }
        )
        # The next begins with half of the decks: they are enough, or it doubles them as this one did.
        pairs = max(question.pairs, played // 2)
        centre = _strategy(space, es.result.xfavorite) or centre
        unsure = unsure + 1 if sure < RELIABLE else 0
        if unsure == FLAT:
            stopped = f"{FLAT} generations in a row differ by less than {played:,} pairs of games can tell"
            break
        if reasons := es.stop():
            stopped = f"the search has narrowed to a point ({', '.join(reasons)})"
            break
    contenders = {str(one): one for one in (space.start, centre, *bests[-LATE:])}
    return list(contenders.values()), trace, stopped


def _strategy(space: Space, point: Sequence[float]) -> Strategy | None:
    """Return the strategy of a point; None if its own checks refuse it."""
    try:
        return space.strategy(point)
    except StrategyError:
        return None


def _play_generation(
    question: Question, measure: Measure, chosen: Sequence[Strategy], pairs: int
) -> tuple[Sums, float]:
    """Play start, centre and candidates on fresh decks until the candidates' order is sure enough.

    Returns
    -------
    sums : ndarray of int64
    reliability : float
        Of the candidates that differ.
    """
    texts = [str(one) for one in chosen]
    different = [at for at, text in enumerate(texts) if at >= 2 and text not in texts[2:at]]
    sums = measure(chosen, pairs)
    while (sure := reliability(sampled(sums[different]))) < RELIABLE and 2 * pairs <= question.most_pairs:
        sums = sums + measure(chosen, pairs)
        pairs *= 2
    return sums, sure


def _race(
    question: Question, measure: Measure, contenders: Sequence[Strategy], tell: Tell
) -> tuple[Strategy, list[dict[str, Any]]]:
    """Find the best of a few: rounds on common fresh decks, of which each doubles all before.

    Who is shown to be worse than the best, all comparisons judged together, plays no more.

    Returns
    -------
    found : Strategy
        The best of those that played to the end.
    rows : list of dict
        ``strategy``, ``values``, ``pairs`` it played, ``gain`` over the start values on them;
        ``left``: whether it was still in the race at its end. The intervals are of single strategies.
    """
    space = question.space
    start = str(space.start)
    everyone = {start: space.start, **{str(one): one for one in contenders}}
    texts = list(everyone)
    sums: dict[str, Sums] = {}
    start_sums: dict[int, Sums] = {}  # of the start values by pairs, for those who left then
    played: dict[str, int] = {}
    left = texts
    total, pairs = 0, question.pairs
    most = max(question.most_pairs, 4 * question.pairs)
    while total < most and (len(left) > 1 or not total):
        total_next = total + pairs
        tell(RACE, f"{len(left)} contenders, {total_next:,} pairs")
        playing = list(dict.fromkeys([start, *left]))
        fresh = measure([everyone[text] for text in playing], pairs)
        for text, own in zip(playing, fresh, strict=True):
            sums[text] = sums[text] + own if text in sums else own
            played[text] = total_next
        total = pairs = total_next
        start_sums[total] = sums[start]
        told = sampled(np.stack([sums[text] for text in left]))
        kept = not_worse_than_best(told.values, told.without)
        left = [text for text, keep in zip(left, kept, strict=True) if keep]
    values = sampled(np.stack([sums[text] for text in left])).values
    rows = [
        {
            "strategy": text,
            "values": _named(space, everyone[text]),
            "pairs": played[text],
            "gain": gain(sums[text], start_sums[played[text]]).to_dict(),
            "left": text in left,
        }
        for text in texts
    ]
    return everyone[left[int(values.argmax())]], rows


def _final(question: Question, measure: Measure, found: Strategy, tell: Tell) -> dict[str, Any]:
    """Play what was found and the start values on decks that nothing has seen."""
    tell(FINAL, "the final figure")
    start = question.space.start
    first, pairs = measure.first, question.final_pairs
    old, new = measure([start, found], pairs)
    share = METRICS[question.objective].share
    same = str(found) == str(start)

    def figures(old: Sums, new: Sums) -> dict[str, Any]:
        return {
            "start": value(old, share, pairs).to_dict(),
            "found": value(new, share, pairs).to_dict(),
            "difference": None if same else gain(new, old).to_dict(),
        }

    return {
        "first": first,
        "pairs": pairs,
        **figures(old, new),
        "opponents": {str(other): figures(old[[at]], new[[at]]) for at, other in enumerate(question.against)},
    }
