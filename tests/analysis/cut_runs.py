"""Runs that are cut: killed, out of disk, without leave to write.

``python -m tests.analysis.cut_runs FOLDER`` plays them in forks of one process, in which everything has been
imported and compiled, and prints as JSON what became of each.
"""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import sqlite3
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from analysis.cli import main
from analysis.experiment.runs import resume, start
from analysis.store.manifest import APART
from sim import _jit
from tests.analysis.experiments import SMALL, small

PAIRS = 40
CHUNK = 4
"""Pairs between two records: a run of four cells makes 50 of them, and kills fall between all."""
KILLS = 10
NOBODY = 65534
JOURNAL = "journal.sqlite"


def played(journal: Path) -> int:
    """Return the pairs that a journal has, 0 before it has begun."""
    try:
        base = sqlite3.connect(f"file:{journal}?mode=ro", uri=True)
        try:
            return int(base.execute("SELECT total(pairs) FROM cells").fetchone()[0])
        finally:
            base.close()
    except sqlite3.Error:
        return 0


def kill_often(folder: Path) -> int:
    """Begin a run and go on with it, killing it at ten moments; return how many kills met it alive.

    The last comes when all pairs are played, while the tables are written.
    """
    total = len(small().cells) * PAIRS
    landed = 0
    for moment in [*sorted(random.Random(2026).sample(range(1, total), KILLS - 1)), total]:
        child = os.fork()
        if child == 0:
            if (folder / JOURNAL).exists():
                resume(folder, threads=2, chunk=CHUNK)
            else:
                start(small(PAIRS), folder, threads=2, chunk=CHUNK)
            os._exit(0)
        ended = 0
        while not ended and played(folder / JOURNAL) < moment:
            ended, status = os.waitpid(child, os.WNOHANG)
            time.sleep(0.001)
        if not ended:
            os.kill(child, signal.SIGKILL)
            landed += os.WIFSIGNALED(os.waitpid(child, 0)[1])
    return landed


def command(words: list[str], cut: Callable[[], None], log: Path) -> dict[str, Any]:
    """Run a command of ginlab's in a fork that is cut first; return its exit code and what it said."""
    child = os.fork()
    if child == 0:
        file = os.open(log, os.O_CREAT | os.O_WRONLY, 0o644)
        os.dup2(file, 1)
        os.dup2(file, 2)
        cut()
        sys.argv[1:] = words
        try:
            main()
        except SystemExit as ended:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(int(ended.code or 0))
        os._exit(99)
    status = os.waitpid(child, 0)[1]
    return {"code": os.waitstatus_to_exitcode(status), "said": log.read_text()}


def limited(size: int) -> Callable[[], None]:
    """Return what lets no file become larger than so many bytes."""

    def cut() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return cut


def unprivileged() -> None:
    """Become somebody who may not write where root may."""
    if os.geteuid() == 0:
        os.seteuid(NOBODY)
        _jit.cache_is_cold = lambda: False  # nothing is left to compile, and root's cache is closed to him


def contents(folder: Path) -> dict[str, Any]:
    """Return what must be the same of two runs: the bytes of all tables, the manifest but for two keys."""
    told: dict[str, Any] = {path.name: path.read_bytes() for path in sorted(folder.glob("*.parquet"))}
    manifest = json.loads((folder / "manifest.json").read_text())
    return {**told, "manifest.json": {key: one for key, one in manifest.items() if key not in APART}}


def interrupted(folder: Path) -> None:
    """Leave a run that was stopped by Ctrl-C early in its last stage."""

    def stop(state: Any) -> None:
        if state.pairs > PAIRS:
            raise KeyboardInterrupt

    start(small(PAIRS), folder, on_progress=stop)


def all_cuts(home: Path) -> dict[str, Any]:
    """Cut runs in every way; each is then resumed to its end in the folder of its name."""
    file = home / "small.toml"
    file.write_text(SMALL.format(pairs=PAIRS))
    told: dict[str, Any] = {"killed": kill_often(home / "killed")}

    folder = home / "journal_full"
    words = ["sweep", str(file), "--out", str(folder)]
    told["journal_full"] = command(words, limited(400_000), home / "log1")
    told["journal_full"]["kept"] = played(folder / JOURNAL)

    folder = home / "tables_full"
    start(small(PAIRS), folder)
    for path in [*folder.glob("*.parquet"), folder / "manifest.json"]:
        path.unlink()
    told["tables_full"] = command(["resume", str(folder)], limited(60_000), home / "log2")
    told["tables_full"]["left"] = [path.name for path in folder.glob(".*")]

    folder = home / "read_only"
    interrupted(folder)
    for path in folder.iterdir():
        path.chmod(0o444)
    folder.chmod(0o555)
    told["read_only"] = command(["resume", str(folder)], unprivileged, home / "log3")
    folder.chmod(0o755)
    for path in folder.iterdir():
        path.chmod(0o644)

    shut = home / "shut"
    shut.mkdir()
    shut.chmod(0o555)
    words = ["sweep", str(file), "--out", str(shut / "run")]
    told["shut"] = command(words, unprivileged, home / "log4")

    for name in ("killed", "journal_full", "tables_full", "read_only"):
        resume(home / name)
    return told


if __name__ == "__main__":
    small(1).run(threads=2)  # all is imported and compiled
    print(json.dumps(all_cuts(Path(sys.argv[1]))))
