"""What two machines must have alike for their pairs to belong together."""

from __future__ import annotations

import functools
import hashlib
import sys
from collections.abc import Mapping
from pathlib import Path

from analysis.store import packed
from analysis.versions import versions
from sim._jit import source_hash

SOURCES = "sources of sim and strategies"
TASKS = "sources of tasks"


@functools.cache
def identity() -> dict[str, str]:
    """Return the versions of what computes in this process, as they were when it was first asked.

    Returns
    -------
    dict of str to str
        ``Python`` (without its last number), ``ginlab``, ``numba``, ``numpy``, the hash of the engine and
        the strategies, and that of what packs and unpacks tasks.
    """
    told = versions("numba", "numpy")
    digest = hashlib.sha256()
    for path in [*sorted(Path(__file__).parent.glob("*.py")), Path(packed.__file__)]:
        digest.update(path.name.encode() + path.read_bytes())
    return {
        "Python": f"{sys.version_info.major}.{sys.version_info.minor}",
        **{name: str(told[name]) for name in ("ginlab", "numba", "numpy")},
        SOURCES: source_hash(),
        TASKS: digest.hexdigest()[:16],
    }


def difference(worker: str, theirs: Mapping[str, str]) -> str | None:
    """Say how a worker differs from this process, naming both; None if it does not.

    Parameters
    ----------
    worker : str
        Its address.
    theirs : mapping of str to str
        Its `identity`.
    """
    told = [
        f"{name} {theirs.get(name, 'none')} there, {one} here"
        for name, one in identity().items()
        if theirs.get(name) != one
    ]
    if not told:
        return None
    return f"worker {worker}: {'; '.join(told)}: pairs of both would not belong together"
