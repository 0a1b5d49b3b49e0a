"""The files a run needs: as bytes with their hashes from the client, into a folder of the worker's own.

They travel once to a worker, as plain data: the text of strategy files and the bytes of knock tables.
A strategy's text may name a table by the client's path; a worker reads it with the path it has itself, and
what it tells about it names the client's again.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import shutil
import sys
import tempfile
import threading
import weakref
from collections import deque
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from analysis.console import UsageError
from analysis.experiment.experiment import Experiment
from sim.run import Player, RunError
from strategies import base
from strategies.base import StrategyError, load_strategy_file, parse_strategy, player, registered

QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
"""A path as it stands in a strategy's text."""

Luggage = dict[str, Any]
"""``run``: a name of its own; ``strategies``, ``tables``: files, each ``path``, ``sha256``, ``content``."""

Families = dict[str, type[base.Strategy]]
"""Strategies by name."""

_LOCK = threading.RLock()
"""One thread at a time reads strategies: a name may stand for different ones in different runs."""
_LOADED: dict[str, Families] = {}
"""What strategy files have registered in this process, by file name and hash."""
_OPEN: dict[str, Unpacked] = {}
"""Luggage that has been unpacked in this process, by run."""
_GONE: deque[str] = deque(maxlen=1_000)
"""Runs that have ended: a task under way when its run was cancelled may ask for luggage after that."""


# --- client --------------------------------------------------------------------------------------


def luggage_of(experiment: Experiment) -> Luggage:
    """Return the files of an experiment as plain data.

    Raises
    ------
    RunError
        If a file has changed since the experiment was read.
    """
    tables: dict[str, str] = {}
    for text in {side for cell in experiment.cells.examples() for side in (cell.a, cell.b) if '"' in side}:
        tables |= parse_strategy(text).files()
    return {
        "run": secrets.token_hex(8),
        "strategies": [_packed(str(path), None) for path in experiment.strategy_files],
        "tables": [_packed(path, digest) for path, digest in sorted(tables.items())],
    }


def _packed(path: str, digest: str | None) -> dict[str, Any]:
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from None
    told = hashlib.sha256(content).hexdigest()
    if digest is not None and not told.startswith(digest):
        raise RunError(f"{path}: changed since the experiment was read")
    return {"path": path, "sha256": told, "content": content}


# --- worker --------------------------------------------------------------------------------------


class Unpacked:
    """Luggage in a folder of this process.

    Parameters
    ----------
    luggage : Luggage
    home : Path, optional
        Where to make the folder; the system's place for temporary files when left out.

    Raises
    ------
    RunError
        If a file is not what its hash says, or cannot be written.
    StrategyError
        If a strategy file cannot be run here.
    """

    def __init__(self, luggage: Luggage, home: Path | None = None) -> None:
        self._players: dict[str, Player] = {}
        self.paths: dict[str, str] = {}
        """From the paths here to those of the client."""
        try:
            self.folder = Path(tempfile.mkdtemp(prefix="ginlab-", dir=home))
        except OSError as error:
            raise RunError(f"no folder for strategy files: {error.strerror or error}") from None
        self._remove = weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)
        try:
            families: Families = {}
            for number, packed in enumerate(luggage["strategies"]):
                families |= _families(self._put(number, packed), packed["sha256"], families)
            self.families = families
            for number, packed in enumerate(luggage["tables"], len(luggage["strategies"])):
                self._put(number, packed)
        except BaseException:
            self.close()
            raise
        self._theirs = {path: mine for mine, path in self.paths.items()}

    def close(self) -> None:
        """Remove the folder."""
        self._remove()

    def _put(self, number: int, packed: Mapping[str, Any]) -> Path:
        content: bytes = packed["content"]
        name = Path(packed["path"]).name
        if hashlib.sha256(content).hexdigest() != packed["sha256"]:
            raise RunError(f"{name}: arrived damaged, its SHA-256 is another than it was sent with")
        folder = self.folder / str(number)
        try:
            folder.mkdir()
            file = folder / name
            file.write_bytes(content)
        except OSError as error:
            raise RunError(f"{name}: {error.strerror or error}") from None
        self.paths[str(file)] = packed["path"]
        return file

    def player(self, text: str) -> Player:
        """Return a strategy as the engine takes it, under the name it has at the client.

        Raises
        ------
        StrategyError
            If it cannot be played here.
        """
        with _LOCK:
            if text not in self._players:
                before = dict(registered())
                try:
                    _register({**_built_in(before), **self.families})
                    mine = player(parse_strategy(QUOTED.sub(self._mine, text)))
                finally:
                    _register(before)
                self._players[text] = mine._replace(name=text)
            return self._players[text]

    def _mine(self, quoted: re.Match[str]) -> str:
        path = json.loads(quoted[0])
        return json.dumps(self._theirs.get(path, path))

    def told(self, message: str) -> str:
        """Return a message with the client's paths instead of this worker's."""
        for mine, theirs in self.paths.items():
            message = message.replace(json.dumps(mine), json.dumps(theirs, ensure_ascii=False))
            message = message.replace(mine, theirs)
        return message


def unpacked(luggage: Luggage, home: Path | None = None) -> Unpacked:
    """Return luggage unpacked, once in a process.

    Raises
    ------
    RunError, StrategyError
        As `Unpacked`; the first also if the run has ended.
    """
    with _LOCK:
        if luggage["run"] in _GONE:
            raise RunError("the run has ended")
        if luggage["run"] not in _OPEN:
            _OPEN[luggage["run"]] = Unpacked(luggage, home)
        return _OPEN[luggage["run"]]


def forget(runs: Iterable[str]) -> None:
    """Remove what was unpacked for some runs, which have ended, and unpack nothing for them from now on."""
    with _LOCK:
        for run in runs:
            _GONE.append(run)
            if (gone := _OPEN.pop(run, None)) is not None:
                gone.close()


def _families(file: Path, digest: str, earlier: Families) -> Families:
    """Return the strategies of a file, which is run once in a process, and leave the registry as it was.

    Another file with strategies of the same names may have been loaded for another run: while this one runs
    there are only the strategies of ginlab and those of the ``earlier`` files of its own run.
    """
    key = f"{file.name} {digest}"
    with _LOCK:
        if key not in _LOADED:
            before, modules = dict(registered()), set(sys.modules)
            try:
                _register({**_built_in(before), **earlier})
                names = load_strategy_file(file)
                # None are new where this process has loaded the file itself, as the client does.
                module = f"{base.USER}{file.stem}_{digest[:12]}"
                mine = {name: one for name, one in before.items() if one.__module__ == module}
                _LOADED[key] = {name: registered()[name] for name in names} or mine
            except StrategyError:
                for name in set(sys.modules) - modules:
                    if name.startswith(base.USER):
                        del sys.modules[name]
                raise
            finally:
                _register(before)
        return _LOADED[key]


def _built_in(families: Families) -> Families:
    return {name: one for name, one in families.items() if not one.__module__.startswith(base.USER)}


def _register(families: Families) -> None:
    base._REGISTRY.clear()
    base._REGISTRY.update(families)
