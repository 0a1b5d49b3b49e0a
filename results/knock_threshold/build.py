"""Rebuild this folder: thresholds 0-10 against `simple` under `eaai`, table and chart.

    python results/knock_threshold/build.py

Takes about a minute on two processors and needs the extra `charts`.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path

from matplotlib.figure import Figure

from analysis.charts import draw_threshold, save_figure, threshold_info
from analysis.match import match_report, play
from analysis.request import Match, available_threads
from sim.rules import Rules
from strategies.base import parse_strategy

HERE = Path(__file__).resolve().parent
PAIRS = 200_000
SEED = 2026
RULES = "eaai"


def main() -> None:
    """Play, write the table, draw the chart."""
    rules = Rules.preset(RULES)
    reports = []
    for k in range(11):
        a, b = parse_strategy(f"threshold({k})"), parse_strategy("simple")
        match = Match(a, b, rules, RULES, (), PAIRS, SEED)
        reports.append((k, match_report(match, play(match, available_threads()))))
    info = threshold_info(reports)
    with (HERE / "shares.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(info[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(info)
    manifest = {
        "a": [report["a"] for _, report in reports],
        "b": reports[0][1]["b"],
        "pairs": PAIRS,
        "seed": SEED,
        "rules": {"preset": RULES, "hash": rules.hash, "fields": rules.to_dict()},
    }
    (HERE / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
    figure = Figure(figsize=(7, 3.6), layout="constrained")
    axes = draw_threshold(info, figure.add_subplot())
    axes.set_title("threshold(k) against simple: what it wins", loc="left")
    caption = (
        f"{PAIRS:,} mirrored pairs of games a point, 95 % intervals narrower than the marks. Rules {RULES} "
        f"({rules.hash}), seed {SEED}."
    )
    figure.supxlabel(caption, fontsize=7, color="0.35")
    save_figure(figure, HERE / "shares")


if __name__ == "__main__":
    main()
