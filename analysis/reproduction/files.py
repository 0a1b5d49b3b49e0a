"""The report as files: two tables, a page to read, and the manifest."""

from __future__ import annotations

import csv
import json
import textwrap
from pathlib import Path
from typing import Any

from analysis.reproduction.measures import PANEL
from analysis.reproduction.model import SEED
from analysis.reproduction.text import (
    RULE,
    Table,
    match_tables,
    notes,
    origin,
    parted,
    summary,
    value_table,
)

FILES = ("README.md", "values.csv", "head_to_head.csv", "manifest.json")
"""What a folder of results holds."""

_ESTIMATE = ("estimate", "low", "high")


def value_rows(report: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a row for each line: published, ours, verdict, what was played."""
    told = []
    for row in report["rows"]:
        for line in row["lines"]:
            published = line["published"] or {}
            interval = published.get("interval") or (None, None)
            sample = published.get("sample") or (None, None)
            task = line["task"]
            told.append(
                {
                    "row": row["row"],
                    "what": line["what"],
                    "percent": line["percent"],
                    "published": published.get("text"),
                    "published_low": interval[0],
                    "published_high": interval[1],
                    "published_standard_error": published.get("standard_error"),
                    "published_sample": sample[0],
                    "sample_unit": sample[1],
                    **{f"ours_{name}": line["ours"][name] for name in _ESTIMATE},
                    "judged": line["judged"],
                    "agrees": line["agrees"],
                    "distance": line["distance"],
                    "a": task.get("a", task.get("survey")),
                    "b": task.get("b"),
                    "rules": task.get("rules"),
                    "settings": " ".join(task.get("settings", ())),
                    "layoffs": task.get("layoffs"),
                    "pairs": task.get("pairs", task.get("deals")),
                }
            )
    return told


def match_rows(report: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a row for each match of the head-to-head table, under each row of the report it stands in."""
    told = []
    for row in report["rows"]:
        for match in row["panel"]:
            task = match["task"]
            told.append(
                {
                    "row": row["row"],
                    "a": task["a"],
                    "b": task["b"],
                    "rules": task["rules"],
                    "settings": " ".join(task["settings"]),
                    "layoffs": task["layoffs"],
                    "games": match["games"],
                    "hands": match["hands"],
                    **{f"{name}_{end}": match[name][end] for name in PANEL for end in _ESTIMATE},
                }
            )
    return told


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, 110, break_long_words=False, break_on_hyphens=False)


def _markdown(table: Table) -> list[str]:
    headers, rows = table
    lines = [f"| {' | '.join(cells)} |" for cells in (headers, *rows)]
    return [lines[0], "|" + "---|" * len(headers), *lines[1:], ""]


def page(report: dict[str, Any]) -> str:
    """Return the report as a page of Markdown."""
    manifest = report["manifest"]
    rows = f" --rows {','.join(manifest['rows'])}" if report.get("subset") else ""
    scale = "" if manifest["scale"] == 1 else f" --scale {manifest['scale']:g}"
    seed = "" if manifest["seed"] == SEED else f" --seed {manifest['seed']}"
    lines = [
        "# Published values and ours",
        "",
        "Written by this command, the same numbers each time:",
        "",
        "```sh",
        f"ginlab reproduce{rows}{scale}{seed} --out results/reproduction",
        "```",
        "",
        *_wrapped(RULE),
        "",
        *_wrapped(" ".join(summary(report))),
        "",
        "What was played for each line stands in [values.csv](values.csv), every match with all its "
        "intervals",
        "in [head_to_head.csv](head_to_head.csv), seed, games, versions and the hash of the sources in",
        "[manifest.json](manifest.json).",
        "",
    ]
    for row in report["rows"]:
        lines += [f"## {row['row']}. {row['title']}", ""]
        lines += [*_wrapped(origin(row)), ""]
        table = value_table(row)
        if table is not None:
            lines += _markdown(table)
        for note in notes(row):
            lines += [*_wrapped(note), ""]
        for table in match_tables(row):
            lines += _markdown(table)
    told = parted(report)
    if told:
        lines += ["## Hands, points, games", ""]
        for text in told:
            lines += [*_wrapped(text), ""]
    return "\n".join(lines).rstrip() + "\n"


def _write_table(path: Path, rows: list[dict[str, Any]], empty: list[str]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]) if rows else empty, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def write(report: dict[str, Any], folder: Path) -> None:
    """Write the files of a report into a folder, which is made if need be."""
    folder.mkdir(parents=True, exist_ok=True)
    _write_table(folder / "values.csv", value_rows(report), ["row"])
    _write_table(folder / "head_to_head.csv", match_rows(report), ["row"])
    (folder / "README.md").write_text(page(report), encoding="utf-8")
    text = json.dumps(report["manifest"], indent=2)
    (folder / "manifest.json").write_text(text + "\n", encoding="utf-8")
