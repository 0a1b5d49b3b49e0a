"""A comparison of rule sets in words: stacked tables whose rows are the rule sets."""

from __future__ import annotations

from typing import Any

from analysis.match import files_text, mean_text, share_text
from analysis.metrics import SHOWN_ENDINGS, STOPPED

WIDTH = 100
"""Characters that a table takes at most, where the terminal is not narrower."""

Table = tuple[list[str], list[list[str]]]
"""Headers and rows."""


def heading(report: dict[str, Any]) -> list[str]:
    """Name what was played."""
    changed = f", all with {' '.join(report['settings'])}" if report["settings"] else ""
    return [
        f"A = {report['a']}",
        f"B = {report['b']}",
        *files_text(report["files"]).splitlines(),
        f"{len(report['sets'])} rule sets on the same decks, {report['pairs']:,} mirrored pairs each, "
        f"seed {report['seed']}{changed}",
    ]


def gap_text(gap: dict[str, Any], unit: float = 1) -> str:
    """Write a difference with its interval, a star where the interval leaves out 0."""
    if gap["estimate"] is None:
        return "n/a"
    scaled = {key: None if value is None else value * unit for key, value in gap.items()}
    low, high = scaled["low"], scaled["high"]
    if low is None or high is None:
        return "equal" if scaled["estimate"] == 0 else mean_text(scaled)
    text = mean_text(scaled)
    if not text.startswith("-"):
        text = f"+{text}"
    return f"{text}*" if low > 0 or high < 0 else text


def percent_text(share: dict[str, Any]) -> str:
    """Write a share in percent with half its interval, or with its ends where it is lopsided."""
    value, low, high = (share[key] for key in ("estimate", "low", "high"))
    if value is None:
        return "n/a"
    half = 50 * (high - low)
    if value == 0:
        return f"0 (0-{100 * high:.2g})"
    digits = 1
    while 0 < half < 0.5 * 10.0**-digits and digits < 4:
        digits += 1
    if abs(low + high - 2 * value) > 0.2 * (high - low):
        return f"{100 * value:.{digits}f} ({100 * low:.{digits}f}-{100 * high:.{digits}f})"
    return f"{100 * value:.{digits}f} ±{half:.{digits}f}"


def stacked(headers: list[str], rows: list[list[str]], width: int) -> list[Table]:
    """Part a table into tables that each fit a width; the first column stands in all of them."""
    widths = [max(len(row[at]) for row in [headers, *rows]) for at in range(len(headers))]
    tables: list[list[int]] = []
    taken = 0
    for at in range(1, len(headers)):
        if not tables or taken + widths[at] + 2 > width:
            tables.append([0])
            taken = widths[0]
        tables[-1].append(at)
        taken += widths[at] + 2
    return [([headers[at] for at in part], [[row[at] for at in part] for row in rows]) for part in tables]


def tables(report: dict[str, Any], width: int = WIDTH) -> list[list[Table]]:
    """Return the tables of a comparison: what A wins, the differences, how hands ended, the games.

    Parameters
    ----------
    report : dict
        From `analysis.variants.variants_report`.
    width : int
        Characters a table may take.

    Returns
    -------
    list of list of (headers, rows)
        Tables that belong together stand in one list.
    """
    sets = report["sets"]
    names = [row["rules"]["preset"] for row in sets]
    won = [
        [
            name,
            share_text(row["game_share"]),
            share_text(row["hand_share"]),
            mean_text(row["points_per_hand"]),
        ]
        for name, row in zip(names, sets, strict=True)
    ]
    told = [stacked(["What A wins", "Games", "Hands", "Points a hand, less B's"], won, width)]
    matches = [
        [name, share_text(row["match_share"]), f"{row['matches']:,}", f"{row['games']:,}"]
        for name, row in zip(names, sets, strict=True)
        if "match_share" in row
    ]
    if matches:
        told.append(
            stacked(["Where matches are played", "Matches A wins", "of", "with games"], matches, width)
        )
    if len(sets) > 1:
        gaps = [
            [
                name,
                gap_text(row["difference"]["game_share"], 100),
                gap_text(row["difference"]["hand_share"], 100),
                gap_text(row["difference"]["points_per_hand"]),
            ]
            for name, row in zip(names[1:], sets[1:], strict=True)
        ]
        told.append(
            stacked([f"Less {names[0]}", "Games, % points", "Hands, % points", "Points a hand"], gaps, width)
        )
    kinds = [
        kind
        for kind in SHOWN_ENDINGS
        if kind in ("knock", "gin", "undercut", "void")
        or any(row["ending_shares"][kind]["estimate"] for row in sets)
    ]
    ended = [
        [name, *(percent_text(row["ending_shares"][kind]) for kind in kinds)]
        for name, row in zip(names, sets, strict=True)
    ]
    told.append(stacked(["% of hands", *(kind.replace("_", " ") for kind in kinds)], ended, width))
    shape = [
        [
            name,
            mean_text(row["hands_per_game"]),
            mean_text(row["turns_per_hand"]),
            percent_text(row["first_mover"]["game_share"]),
            percent_text(row["dealer"]["hand_share"]),
            mean_text(row["dealer"]["points_per_hand"]),
        ]
        for name, row in zip(names, sets, strict=True)
    ]
    headers = ["The game", "Hands a game", "Turns a hand", "First mover's games, %"]
    told.append(stacked([*headers, "Dealer's hands, %", "Dealer's points a hand"], shape, width))
    return told


def remarks(report: dict[str, Any]) -> list[str]:
    """Return what the tables do not say for themselves."""
    lines = [STOPPED] if report["interrupted"] else []
    if len(report["sets"]) > 1:
        first = report["sets"][0]["rules"]["preset"]
        lines.append(
            f"Differences are to {first}, pair by pair on the same decks. * marks an interval without 0; "
            "where nothing differs one in twenty is marked by chance."
        )
    fixed = [
        row["rules"]["preset"]
        for row in report["sets"]
        if row["rules"]["fields"]["first_dealer"] == row["rules"]["fields"]["next_dealer"] == "fixed"
    ]
    if fixed:
        lines.append(f"Under {' and '.join(fixed)} B always deals, so who moves first is who is A.")
    lines.append(
        "Intervals are 95 %. Points of the dealer are his less the other player's. --json has all numbers, "
        "with the differences of all columns."
    )
    return lines
