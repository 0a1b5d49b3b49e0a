"""How to get the same numbers again: commands, versions, seed, hashes, and the experiment as a file."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from analysis.report.blocks import Block, Code, Folded, Items, Text, code
from analysis.report.facts import CellFacts
from analysis.store.results import Results


def reproduce(results: Results, facts: Sequence[CellFacts]) -> list[Block]:
    """Return how to reproduce a run."""
    blocks: list[Block] = []
    if results.axes:
        blocks += _sweep_again()
        if any(one.stopped in ("interrupted", "extended") for one in facts):
            blocks.append(
                Text("The run above was not played as the file says; the note at its top says how.")
            )
    else:
        blocks += [
            Text("With the same version of the sources the numbers come out the same, whatever the machine:"),
            Code(_match_command(facts[0], facts[0].cell.seed)),
        ]
    again = (
        "The numbers that the answer quotes were picked from many. To play those cells again on fresh decks:"
    )
    if len(facts) == 1:
        again = "To check the result on fresh decks, with another seed:"
    one = facts[0]
    command = "ginlab report run --confirm" if results.axes else _match_command(one, one.cell.seed + 1)
    return [*blocks, Text(again), Code(command), *_record(results)]


def reproduce_run(results: Results) -> list[Block]:
    """Return how to reproduce a run of very many cells, of which none is quoted."""
    return [*_sweep_again(), *_record(results)]


def _sweep_again() -> list[Block]:
    return [
        Text(
            "Save the experiment below as `experiment.toml` and run it; with the same version of the "
            "sources the tables come out the same to the byte, whatever the machine."
        ),
        Code("ginlab sweep experiment.toml --out run\nginlab report run"),
    ]


def _record(results: Results) -> list[Block]:
    file = Code(to_toml(results.experiment.to_dict()).rstrip(), "toml")
    return [Items(_facts(results)), Folded("The experiment as a file", [file])]


def _match_command(one: CellFacts, seed: int) -> str:
    """Return the command that plays a cell alone; the strategies' files need not be there to say it."""
    cell = one.cell
    words = ["ginlab", "match", cell.a, cell.b, "--rules", cell.preset]
    for setting in cell.settings:
        words += ["--set", setting]
    for file in cell.files:
        words += ["--strategy-file", Path(file).name]
    words += ["--seed", str(seed), "--pairs", str(one.pairs)]
    if cell.scores != (0, 0):
        words += ["--score", f"{cell.scores[0]}:{cell.scores[1]}"]
    if cell.dealer is not None:
        words += ["--dealer", "ab"[cell.dealer]]
    return shlex.join(words)


def _facts(results: Results) -> list[str]:
    manifest = results.manifest
    told = [f"Seed {results.experiment.spec.seed}."]
    versions: Mapping[str, str] = manifest.get("versions", {})
    if versions:
        told.append(f"Versions: {', '.join(f'{name} {number}' for name, number in versions.items())}.")
    if "source_hash" in manifest:
        told.append(f"Hash of the engine's and strategies' sources: {code(str(manifest['source_hash']))}.")
    hashes = [rules.hash for rules in results.cells.rule_sets()]
    shown = ", ".join(code(one) for one in hashes[:6]) + (
        f" and {len(hashes) - 6} more" if len(hashes) > 6 else ""
    )
    told.append(f"Hash of the rules: {shown}." if len(hashes) == 1 else f"Hashes of the rules: {shown}.")
    return told


def to_toml(data: Mapping[str, Any]) -> str:
    """Write an experiment as TOML, as `analysis.experiment` reads it.

    Parameters
    ----------
    data : mapping
        From ``Experiment.to_dict()``: scalars and lists at the top, then tables of scalars and lists.
    """
    plain = {key: value for key, value in data.items() if not isinstance(value, Mapping)}
    tables = {key: value for key, value in data.items() if isinstance(value, Mapping) and value}
    lines = [f"{_key(key)} = {_value(value)}" for key, value in plain.items()]
    for name, table in tables.items():
        lines += ["", f"[{_key(name)}]"]
        lines += [f"{_key(key)} = {_value(value)}" for key, value in table.items()]
    return "\n".join(lines) + "\n"


def _key(key: str) -> str:
    bare = key.isascii() and key.replace("_", "").replace("-", "").isalnum()
    return key if bare else _value(key)


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(key)} = {_value(one)}" for key, one in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_value(one) for one in value) + "]"
    if isinstance(value, str):
        # JSON's escapes are TOML's, but for characters beyond 16 bits and DEL, which may stand as they are.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
    return json.dumps(value)
