"""The committed table of ``reproduce``: rows and games of the code, verdicts of the rule, numbers again."""

from __future__ import annotations

import csv
import dataclasses
import json
import math
from pathlib import Path
from typing import Any

import pytest

from analysis.reproduction import run
from analysis.reproduction.files import match_rows, value_rows
from analysis.reproduction.model import SEED
from analysis.reproduction.published import Claim
from analysis.reproduction.rows import ROWS
from analysis.reproduction.run import Settings, reproduce
from tests.analysis.made_up import made_up

RESULTS = Path(__file__).resolve().parent.parent.parent / "results" / "reproduction"
BY_NAME = {row.name: row for row in ROWS}


@pytest.fixture(scope="module")
def committed() -> dict[str, list[dict[str, str]]]:
    told = {}
    for name in ("values", "head_to_head"):
        with (RESULTS / f"{name}.csv").open(newline="", encoding="utf-8") as file:
            told[name] = list(csv.DictReader(file))
    return told


def _expected() -> dict[str, Any]:
    """Return a report whose numbers are made up, of the rows of the code at full scale."""
    results = {task: made_up(task) for row in ROWS for task in row.tasks()}
    return run.report_of(ROWS, ROWS, results, Settings(), False, 0)


def test_committed_rows_are_those_of_the_code(committed: dict[str, list[dict[str, str]]]) -> None:
    """All of them, with the published values and the games of the code."""
    report = _expected()
    fixed = ("row", "what", "published", "published_low", "a", "b", "rules", "settings", "layoffs", "pairs")
    for name, rows in (("values", value_rows(report)), ("head_to_head", match_rows(report))):
        kept = [key for key in fixed if key in rows[0]]
        expected = [{key: "" if row[key] is None else str(row[key]) for key in kept} for row in rows]
        assert [{key: row[key] for key in kept} for row in committed[name]] == expected
        assert list(committed[name][0]) == list(rows[0])


def test_committed_manifest_names_the_same_games() -> None:
    told = json.loads((RESULTS / "manifest.json").read_text(encoding="utf-8"))
    expected = run.manifest(ROWS, Settings())
    for key in ("schema", "rows", "seed", "scale", "tasks"):
        assert told[key] == expected[key], key
    assert told["seed"] == SEED and told["scale"] == 1 and len(told["source_hash"]) == 16
    assert set(told["versions"]) == set(expected["versions"])


def test_committed_verdicts_follow_from_the_numbers(committed: dict[str, list[dict[str, str]]]) -> None:
    """Where the published uncertainty is printed: the rule, written out once more."""
    checked = 0
    lines = [line for row in ROWS for line in row.lines]
    for told, line in zip(committed["values"], lines, strict=True):
        low, value, high = (float(told[f"ours_{end}"] or "nan") for end in ("low", "estimate", "high"))
        if told["judged"] != "True":
            assert told["agrees"] == ""
        elif isinstance(line.published, Claim):
            assert (told["agrees"] == "True") == (low > line.published.bound)
            checked += 1
        elif line.published is not None and line.published.sample is None:
            ends = line.published.interval or (0.0, 0.0)
            theirs = (ends[1] - ends[0]) / 2 + 1.96 * (line.published.error or 0)
            joint = math.hypot(theirs, (high - low) / 2) + line.published.rounding
            distance = abs(value - line.published.value) / joint
            assert float(told["distance"]) == pytest.approx(distance, rel=1e-3)
            assert (told["agrees"] == "True") == (float(told["distance"]) <= 1)
            checked += 1
    assert checked > 30


@pytest.mark.requires_jit
def test_committed_numbers_come_again(committed: dict[str, list[dict[str, str]]]) -> None:
    """Of a count and of one match, played again in full."""
    match = dataclasses.replace(BY_NAME["R10"], lines=BY_NAME["R10"].lines[:2], panel=())
    report = reproduce([BY_NAME["R2"], match], Settings(threads=2))
    told = {row["row"] + row["what"]: row for row in committed["values"]}
    for row in value_rows(report):
        assert float(told[row["row"] + row["what"]]["ours_estimate"]) == row["ours_estimate"]


def test_committed_page_and_tables_say_the_same(committed: dict[str, list[dict[str, str]]]) -> None:
    text = (RESULTS / "README.md").read_text(encoding="utf-8")
    judged = [row for row in committed["values"] if row["agrees"]]
    agree = sum(row["agrees"] == "True" for row in judged)
    assert f"{agree} of {len(judged)} judged values agree." in " ".join(text.split())
    for row in ROWS:
        assert f"## {row.name}. {row.title}\n" in text
    for row in committed["values"]:
        assert f"| {row['what']} |" in text or f"| - {row['what']} |" in text
