"""Looks for inputs that parsers fail at, longer than the tests do: ``python -m tests.fuzz.run``.

``python -m tests.fuzz.run [PARSER ...] [--seconds 60] [--seed 1]`` tries inputs of each parser in a process
of its own, so that a crash is seen too, and puts what fails into ``tests/fuzz/corpus/PARSER``. An input that
takes more than a second of the processor fails.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.fuzz.parsers import CORPUS, PARSERS, check

SECONDS = 1.0
MEMORY = 4 << 30
AT_ONCE = 2_000


class _Enough(BaseException):
    """The time is over."""


def keep(name: str, data: bytes) -> Path:
    """Put an input into the corpus."""
    path = CORPUS / name / f"found_{hashlib.sha256(data).hexdigest()[:10]}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def look(name: str, seconds: float, start: int, now: Path) -> dict[str, object]:
    """Try inputs for so long; ``now`` holds the one that is tried. Return counts and failures by kind."""
    parser = PARSERS[name]
    ends = time.monotonic() + seconds
    counts: Counter[str] = Counter()
    failures: dict[str, str] = {}
    slowest = 0.0

    def attempt(data: bytes) -> None:
        nonlocal slowest
        if time.monotonic() > ends:
            raise _Enough
        now.write_bytes(data)
        before = time.process_time()
        try:
            counts[check(parser, data)] += 1
        except Exception as error:
            counts["FAILED"] += 1
            frame = traceback.extract_tb(error.__traceback__)[-1]
            kind = f"{type(error).__name__} at {Path(frame.filename).name}:{frame.lineno}: {str(error)[:120]}"
            where = f"{type(error).__name__} {frame.filename}:{frame.lineno}"
            if where not in failures:
                failures[where] = f"{kind} -> {keep(name, data).name}"
        took = time.process_time() - before
        if took > SECONDS and "slow" not in failures:
            failures["slow"] = f"{took:.1f} s -> {keep(name, data).name}"
        slowest = max(slowest, took)

    round_ = 0
    try:
        while True:
            options = settings(
                max_examples=AT_ONCE, database=None, deadline=None, derandomize=False,
                suppress_health_check=list(HealthCheck), phases=[Phase.generate],
            )  # fmt: skip
            seed(start * 100_000 + round_)(options(given(parser.inputs)(attempt)))()
            round_ += 1
    except _Enough:
        pass
    return {
        "inputs": sum(counts.values()),
        **counts,
        "slowest": round(slowest, 2),
        "failures": list(failures.values()),
    }


def main() -> int:
    """Look at each parser in a process of its own; return 1 if something failed."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("parsers", nargs="*", default=list(PARSERS))
    options.add_argument("--seconds", type=float, default=60.0, help="for each parser")
    options.add_argument("--seed", type=int, default=1)
    asked = options.parse_args()
    failed = False
    with tempfile.TemporaryDirectory() as home:
        for name in asked.parsers:
            now, log = Path(home) / "now", Path(home) / "log"
            child = os.fork()
            if child == 0:
                resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
                log.write_text(json.dumps(look(name, asked.seconds, asked.seed, now)))
                os._exit(0)
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            told = json.loads(log.read_text()) if code == 0 else {"failures": [f"exit code {code}"]}
            if code:
                told["failures"].append(f"-> {keep(name, now.read_bytes()).name}")
            print(name, json.dumps(told), flush=True)
            failed |= bool(told["failures"])
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
