"""Where in a game play depends on the score: who looks at it, and at which scores the play is the same."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from analysis.console import UsageError
from analysis.knocking.outcomes import Seats, faults_told
from sim._jit import Record, typed_kernel, types
from sim.deal import HAND, MAX_TURNS
from sim.game import GAME, begin_hand, start_game
from sim.hand import play_hand
from sim.rules import Rules
from sim.run import Player
from sim.streams import absorb
from sim.tables import MELDS
from sim.view import DECISIONS, LAYOFF, RULES, VIEW
from strategies.knock_table import COMPILED as KNOCK_TABLE

PROBE = 128
"""Pairs of hands with each dealer that decide whether play is the same at two scores.

Play that is taken for the same differs in fewer than 0.6 % of hands, with a confidence of 95 %.
"""
LATTICE = 4
"""Points between the scores that are looked at first."""
MOST_CELLS = 400
"""Cells that are measured apart: their counts take 170 MB."""

_SCORES = {"score", "other_score", "boxes", "other_boxes"}

Cells = npt.NDArray[np.int64]


def square_cells(target: int, step: int) -> Cells:
    """Return square cells of scores; ``A's band * bands + B's band``.

    Raises
    ------
    UsageError
        If the step is not 1 or more, or the cells are more than `MOST_CELLS`.
    """
    if step < 1:
        raise UsageError(f"step {step}: expected 1 or more points")
    bands = -(-target // step)
    if bands * bands > MOST_CELLS:
        raise UsageError(
            f"step {step}: {bands * bands} cells to {target} points, expected {MOST_CELLS} or fewer"
        )
    band = np.arange(target) // step
    cells: Cells = band[:, None] * bands + band
    return cells


def play_cells(a: Player, b: Player, rules: Rules, *, seed: int = 0, threads: int = 1) -> Cells:
    """Return cells of scores at which two players play alike.

    Hands on the same decks are played at scores on a lattice and amid them; where these are not all the
    same, at every score between. Two scores are of a cell if all hands are played alike, card for card, and
    so is what lies between lattice points that are. Regions narrower than the lattice can be missed.

    Parameters
    ----------
    a, b : Player
    rules : Rules
    seed : int
        Of the decks; `PROBE` pairs from pair 0.
    threads : int

    Returns
    -------
    ndarray of int64, shape (target, target)
        Cells numbered from 0 in the order of A's and B's points.

    Raises
    ------
    UsageError
        If there are more than `MOST_CELLS`.
    """
    target = rules.game_target
    seats = _Probes(a, b, rules, seed)

    def look(score: tuple[int, int]) -> tuple[int, int]:
        return seats.play(score, 0), seats.play(score, 1)

    known: dict[tuple[int, int], int] = {}
    numbers: dict[tuple[int, int], int] = {}

    def look_at(scores: list[tuple[int, int]]) -> None:
        fresh = [score for score in dict.fromkeys(scores) if score not in known]
        with ThreadPoolExecutor(threads) as pool:
            for score, play in zip(fresh, pool.map(look, fresh), strict=True):
                known[score] = numbers.setdefault(play, len(numbers))
                if len(numbers) > MOST_CELLS:
                    pool.shutdown(cancel_futures=True)
                    raise UsageError(
                        f"play differs in more than {MOST_CELLS} ways by the score; give a --step"
                    )

    edges = sorted({*range(0, target, LATTICE), target - 1})
    spans = list(zip(edges[:-1], edges[1:], strict=True)) or [(0, 0)]
    blocks = [(x, y) for x in spans for y in spans]
    probes = {(x, y): [(p, q) for p in x for q in y] + [(sum(x) // 2, sum(y) // 2)] for x, y in blocks}
    look_at([score for block in blocks for score in probes[block]])
    torn = [block for block in blocks if len({known[score] for score in probes[block]}) > 1]
    look_at([(p, q) for x, y in torn for p in range(x[0], x[1] + 1) for q in range(y[0], y[1] + 1)])
    cells = np.zeros((target, target), np.int64)
    for x, y in blocks:
        cells[x[0] : x[1] + 1, y[0] : y[1] + 1] = known[x[0], y[0]]
    for (p, q), number in known.items():
        cells[p, q] = number
    _, told = np.unique(cells, return_inverse=True)
    return np.asarray(told, np.int64).reshape(target, target)


class _Probes(Seats):
    """Tables at which the same hands are played from any score."""

    def play(self, scores: tuple[int, int], dealer: int) -> int:
        """Return a number that stands for all that happens in the hands."""
        table = self.tables[dealer]
        table.game.start_scores[:] = scores
        a, b = table.players
        with faults_told(table):
            told = _play_key(
                table.seed, PROBE, table.views[0], table.views[1], table.game, table.hand, table.rules,
                table.melds, a.decisions, b.decisions, table.layoff,
            )  # fmt: skip
        return int(told)


@typed_kernel(
    types.int64(
        types.int64, types.int64, VIEW, VIEW, GAME, HAND, RULES, MELDS, DECISIONS, DECISIONS, LAYOFF
    )
)  # fmt: skip
def _play_key(
    seed: int,
    pairs: int,
    view_a: Record,
    view_b: Record,
    game: Record,
    hand: Record,
    rules: Record,
    melds: Record,
    a: Any,
    b: Any,
    layoff: Any,
) -> int:
    """Play the first hands of pairs and return a hash of all that was done in them."""
    key = 0
    for pair in range(pairs):
        for number in range(2):
            start_game(game, seed, pair, number, rules)
            begin_hand(game, hand, view_a, view_b, rules)
            play_hand(hand, view_a, view_b, rules, melds, a, b, layoff, MAX_TURNS)
            if hand.fault:
                return key
            key = absorb(key, hand.history)
    return key


def reads_score(player: Player) -> bool:
    """Tell whether a player's decisions can depend on the score or the boxes of the game.

    The names that the decisions, and all functions they call, read from their view are looked through. A
    knock table looks at the lead only if it has bands of it.
    """
    lookers = [player] if player.policy is None else [player, player.policy]
    for one in lookers:
        for name, function in zip(("draw", "knock", "discard", "spread"), one.decisions, strict=True):
            source = getattr(function, "py_func", function)
            if name == "knock" and source.__module__ == KNOCK_TABLE:
                if int(one.params[one.starts[1] + 2]) > 1:
                    return True
                continue
            if _reads(source, set()):
                return True
    return False


def _reads(function: Any, seen: set[int]) -> bool:
    """Tell whether a function, or one that it calls, names a score."""
    source = getattr(function, "py_func", function)
    code = getattr(source, "__code__", None)
    if code is None or id(source) in seen:
        return False
    seen.add(id(source))
    words: Sequence[str] = [*code.co_names, *(text for text in code.co_consts if isinstance(text, str))]
    if _SCORES & set(words):
        return True
    values = [source.__globals__.get(name) for name in code.co_names]
    modules = [value for value in values if isinstance(value, ModuleType)]
    values += [getattr(module, name, None) for module in modules for name in code.co_names]
    values += [cell.cell_contents for cell in source.__closure__ or ()]
    return any(_reads(value, seen) for value in values if not isinstance(value, ModuleType))
