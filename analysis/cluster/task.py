"""What a worker plays: some pairs of some cells, told and answered as plain data.

Nothing here knows of Dask but the address that is told with an answer.
"""

from __future__ import annotations

import functools
import json
import time
from pathlib import Path
from typing import Any

from analysis.cluster.identity import identity
from analysis.cluster.luggage import Luggage, Unpacked, unpacked
from analysis.store.packed import pack
from sim.rules import Rules
from sim.run import RunError, play_match
from strategies.base import StrategyError

LARGEST_ANSWER = {False: 150_000, True: 4_000_000}
"""Bytes of counters after which no further piece is begun, without and with the table of knocks."""

Task = dict[str, Any]
"""``identity`` of the client; ``fields`` of the counters to answer with; ``seconds`` to play at most, but
for the piece that has been begun; ``pieces``, each ``cell``, ``a``, ``b`` (strategies in canonical text),
``rules`` (in canonical text), ``seed``, ``scores``, ``dealer``, ``first``, ``pairs``."""

Answer = dict[str, Any]
"""``worker``: its address; ``played``: a dict of ``seconds``, ``games``, ``counters`` for each piece from
the first on; ``busy``: seconds of the task; ``refused``: the worker's identity if it is another than the
client's; ``error``: why a run cannot go on, ``whose``: true if it is the worker's fault, not the strategy's.
"""


def hold(luggage: Luggage) -> Luggage:
    """Return what it is given: a task whose result Dask hands to each worker once."""
    return luggage


def play(task: Task, luggage: Luggage) -> Answer:
    """Play a task in this thread.

    Parameters
    ----------
    task : Task
    luggage : Luggage

    Returns
    -------
    Answer
    """
    begun = time.perf_counter()
    worker, home = _place()
    answer: Answer = {
        "worker": worker,
        "played": [],
        "busy": 0.0,
        "refused": None,
        "error": None,
        "whose": False,
    }
    if task["identity"] != identity():
        return {**answer, "refused": identity()}
    here: Unpacked | None = None
    try:
        here = unpacked(luggage, home)
        size, most = 0, LARGEST_ANSWER["knocks" in task["fields"]]
        for piece in task["pieces"]:
            if answer["played"] and (size > most or time.perf_counter() - begun > task["seconds"]):
                break
            told = _play(here, piece, task["fields"])
            size += len(told["counters"])
            answer["played"].append(told)
    except RunError as error:
        return {**answer, "error": here.told(str(error)) if here else str(error), "whose": here is None}
    except StrategyError as error:  # the client could play it
        return {**answer, "error": here.told(str(error)) if here else str(error), "whose": True}
    return {**answer, "busy": time.perf_counter() - begun}


def _play(here: Unpacked, piece: dict[str, Any], fields: list[str]) -> dict[str, Any]:
    run = play_match(
        here.player(piece["a"]),
        here.player(piece["b"]),
        _rules(piece["rules"]),
        pairs=piece["pairs"],
        seed=piece["seed"],
        first=piece["first"],
        scores=tuple(piece["scores"]),
        dealer=piece["dealer"],
    )
    games = run.tally.outcome("games")
    return {"seconds": run.seconds, "games": games, "counters": pack(run.tally, fields)}


@functools.lru_cache(maxsize=256)
def _rules(text: str) -> Rules:
    return Rules(**json.loads(text))


def _place() -> tuple[str, Path | None]:
    """Return the worker's address, and the folder that Dask clears after it whatever became of it."""
    from distributed import get_worker

    try:
        worker = get_worker()
    except ValueError:  # called as a plain function
        return "here", None
    folder = Path(worker.local_directory)
    return str(worker.address), folder if folder.is_dir() else None
