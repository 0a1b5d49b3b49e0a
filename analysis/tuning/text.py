"""A search in words and tables for the terminal."""

from __future__ import annotations

from typing import Any

from analysis.charts.words import quantity
from analysis.report.words import ends_text, number_text, unit_text
from analysis.stats.estimates import Estimate

SHOWN = 12
"""Rows of the trace that are printed: the last generations, or the best strategies."""


def fields(report: dict[str, Any]) -> list[tuple[str, str]]:
    """Return what was asked and found, as labels and texts."""
    asked = report["question"]
    rules = asked["rules"]
    settings = "".join(f", {one}" for one in rules["settings"])
    numbers = ", ".join(f"{name} {one['low']:g}-{one['high']:g}" for name, one in asked["parameters"].items())
    return [
        ("Tuned", f"{asked['start']}: {numbers}"),
        ("Against", ", ".join(asked["against"])),
        ("Rules", f"{rules['preset']}{settings} ({rules['hash']}), seed {asked['seed']}"),
        ("Objective", _objective(asked)),
        ("Search", method_text(report)),
        ("Found", report["found"]["strategy"]),
    ]


def _objective(asked: dict[str, Any]) -> str:
    what = quantity(asked["objective"]).label
    return f"{what}; the mean over the opponents" if len(asked["against"]) > 1 else what


def method_text(report: dict[str, Any]) -> str:
    """Say how the search went."""
    searched = report["pairs"]["search"]
    if report["method"] == "complete":
        return (
            f"complete: all {len(report['contenders'])} strategies played the same decks, the better "
            f"ones more of them ({searched:,} pairs)"
        )
    trace = report["trace"]
    least, most = (pick(row["pairs"] for row in trace) for pick in (min, max))
    span = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    number = f"{len(trace)} generation{'s' * (len(trace) > 1)}"
    return f"CMA-ES, {number} of {span} pairs a strategy; {report['stopped']}"


def final_rows(report: dict[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Return the final figures: the start values, what was found and the difference; also by opponent."""
    final = report["final"]
    what = quantity(report["question"]["objective"])
    named = final["opponents"].items()
    lines = [("all, their mean", final), *named] if len(named) > 1 else list(named)
    rows = []
    for name, one in lines:
        for key, label in (("start", "start values"), ("found", "found"), ("difference", "difference")):
            if final["difference"] is not None or key == "start":
                told = Estimate(**one[key])
                sign = key == "difference"
                figure = number_text(told, what, sign) + ends_text(told, what, sign)
                rows.append([label, figure, name if key == "start" else ""])
    return ["", what.label, "Against"], rows


def verdict(report: dict[str, Any]) -> str:
    """Say in a sentence what the final figure shows."""
    final = report["final"]
    if final["difference"] is None:
        return "Nothing better than the start values was found."
    told = Estimate(**final["difference"])
    what = quantity(report["question"]["objective"])
    size = f"{number_text(told, what)}{unit_text(what, True) or ' points a hand'}".lstrip("+\N{MINUS SIGN}-")
    if told.low is not None and told.low > 0:
        return f"What was found is better than the start values, by {size}."
    if told.high is not None and told.high < 0:
        return (
            f"What was found is worse than the start values on fresh decks, by {size}: more pairs are needed."
        )
    return "What was found is not shown to differ from the start values."


def remark(report: dict[str, Any]) -> str:
    """Say what the figures are of."""
    final = report["final"]
    last = final["first"] + final["pairs"] - 1
    return (
        f"Figures are of whole games from 0:0, {final['pairs']:,} mirrored pairs against each opponent on "
        f"decks that the search has not seen (pairs {final['first']:,} to {last:,} of the seed), 95 % "
        "intervals over pairs; the difference is of the same decks. They hold against these opponents under "
        "these rules."
    )


def trace_rows(report: dict[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Return the last generations, or the best strategies of a complete search."""
    what = quantity(report["question"]["objective"])
    names = list(report["question"]["parameters"])

    def gain_text(row: dict[str, Any]) -> str:
        told = Estimate(**row["gain"])
        return number_text(told, what, True) + ends_text(told, what, True)

    def numbers(row: dict[str, Any]) -> str:
        return ", ".join(f"{name}={row['values'][name]:g}" for name in names)

    if report["method"] == "complete":
        best = sorted(report["trace"], key=lambda row: (not row["left"], -(row["gain"]["estimate"])))
        rows = [
            [f"{row['pairs']:,}", gain_text(row), "yes" if row["left"] else "no", numbers(row)]
            for row in best[:SHOWN]
        ]
        return ["Pairs", _gain(what.unit), "In the end", "Values"], rows
    rows = [
        [str(row["generation"]), f"{row['pairs']:,}", gain_text(row), numbers(row)]
        for row in report["trace"][-SHOWN:]
    ]
    return ["Generation", "Pairs", _gain(what.unit), "Centre of the search"], rows


def _gain(unit: str) -> str:
    return f"Above the start{', % points' if unit == '%' else ''}"
