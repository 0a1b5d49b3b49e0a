"""A tournament in words: ratings, the matrix of shares, circles of three, seats and void hands."""

from __future__ import annotations

from typing import Any

from analysis.match import files_text, mean_text, rules_text
from analysis.metrics import STOPPED
from analysis.variants_text import Table, gap_text, percent_text, stacked

SHOWN_CIRCLES = 6
"""Circles that are named where the intervals show none of them."""
SHOWN_DEPARTURES = 3


def heading(report: dict[str, Any]) -> list[str]:
    """Name what was played."""

    def counted(number: int, what: str) -> str:
        return f"{number:,} {what}{'' if number == 1 else 's'}"

    return [
        f"{len(report['strategies'])} strategies in {counted(len(report['pairings']), 'pairing')} on the "
        f"same decks, {counted(report['pairs'], 'mirrored pair')} each: {report['games']:,} games, "
        f"{report['hands']:,} hands, seed {report['seed']}",
        rules_text(report["rules"]),
        *files_text(report["files"]).splitlines(),
    ]


def rating_text(rating: dict[str, Any]) -> str:
    """Write a rating with half its interval, to a tenth where that is worth it."""
    value, low, high = (rating[key] for key in ("estimate", "low", "high"))
    if value is None:
        return "none"
    if low is None or high is None:
        return f"{value:+.0f} (no interval)"
    half = (high - low) / 2
    digits = 0
    while half < 2 * 10.0**-digits and digits < 3:
        digits += 1
    return f"{value:+.{digits}f} ±{half:.{digits}f}"


def share_cell(share: dict[str, Any] | None) -> str:
    """Write a share in percent, starred where its interval leaves out a half."""
    if share is None:
        return "-"
    text = percent_text(share)
    return f"{text}*" if share["low"] is not None and (share["low"] > 0.5 or share["high"] < 0.5) else text


def rating_rows(report: dict[str, Any]) -> Table:
    """Return the table of ratings, best first, which says what the letters stand for."""
    named = {one["label"]: one for one in report["strategies"]}
    rows = [
        [
            one["label"],
            rating_text(one["rating"]),
            percent_text(one["mean_share"]),
            one["strategy"],
        ]
        for one in (named[label] for label in report["order"])
    ]
    return ["", "Rating (Elo)", "Games, mean %", "Strategy"], rows


def matrix_tables(report: dict[str, Any], width: int) -> list[Table]:
    """Return the matrix of shares, row against column, as tables that fit a width."""
    place = {one["label"]: at for at, one in enumerate(report["strategies"])}
    order = report["order"]
    rows = [
        [row, *(share_cell(report["game_share"][place[row]][place[column]]) for column in order)]
        for row in order
    ]
    return stacked(["Games, %", *(f"v {label}" for label in order)], rows, width)


def seat_tables(report: dict[str, Any], width: int) -> list[Table]:
    """Return seats and void hands by pairing and overall, as tables that fit a width."""
    parts = [(f"{row['a']} v {row['b']}", row) for row in report["pairings"]]
    if len(parts) > 1:
        parts.append(("all", report))
    rows = [
        [
            name,
            f"{row['hands']:,}",
            percent_text(row["first_mover_game_share"]),
            percent_text(row["nondealer_hand_share"]),
            percent_text(row["undecided"]["void_or_capped"]),
        ]
        for name, row in parts
    ]
    headers = ["Seats", "Hands", "First mover's games, %", "Non-dealer's hands, %", "Void, capped, %"]
    return stacked(headers, rows, width)


def circle_text(circle: dict[str, Any]) -> str:
    """Write three strategies of which each beats the next."""
    names = circle["circle"]
    beats = [
        f"{one} beats {other} ({100 * share['estimate']:.1f} %)"
        for one, other, share in zip(names, (*names[1:], names[0]), circle["shares"], strict=True)
    ]
    return ", ".join(beats)


def circle_lines(report: dict[str, Any]) -> list[str]:
    """Say which three beat each other in a circle, and whether the intervals show it."""
    found = report["intransitive"]
    if len(report["strategies"]) < 3:
        return []
    shown = [one for one in found if one["significant"]]
    others = [one for one in found if not one["significant"]]
    lines = [f"Intransitive, all three intervals beyond 50 %: {circle_text(one)}." for one in shown]
    if shown:
        lines.append(
            "Of three without a circle such intervals show one with a probability of 5 % at most, mostly far "
            "less."
        )
    if not found:
        lines.append("Intransitive triples: none.")
    elif others:
        names = [" > ".join((*one["circle"], one["circle"][0])) for one in others[:SHOWN_CIRCLES]]
        more = f" and {len(others) - len(names)} more" if len(others) > len(names) else ""
        lines.append(
            f"Intransitive by their shares, but not shown by the intervals: {', '.join(names)}{more}."
        )
    return lines


def gap_lines(report: dict[str, Any]) -> list[str]:
    """Say who has lost every game to whom, so that no finite rating parts them."""
    lines = []
    for gap in report["gaps"]:
        above, below = (" ".join(gap[side]) for side in ("above", "below"))
        shown = gap["least"] is not None and gap["least"] > 0
        least = f"; by the intervals each is {gap['least']:.0f} Elo or more behind" if shown else ""
        lines.append(
            f"No finite rating parts {below} from {above}: {below} lost every game to {above}{least}."
        )
    if lines:
        lines.append(
            "Ratings are told, and sum to zero, among strategies that such gaps do not part; who is alone "
            "has none."
        )
    return lines


def departure_lines(report: dict[str, Any]) -> list[str]:
    """Say which pairings depart most from what the ratings expect, of those whose interval shows it."""

    def shown(row: dict[str, Any]) -> bool:
        gap = row["departure"]
        return gap["low"] is not None and (gap["low"] > 0 or gap["high"] < 0)

    rows = [row for row in report["pairings"] if row["departure"]["estimate"] is not None]
    if not rows:
        return []
    off = sorted(filter(shown, rows), key=lambda row: -abs(row["departure"]["estimate"]))
    if not off:
        return ["No pairing is shown to depart from its ratings."]
    told = [
        f"{row['a']} v {row['b']} {gap_text(row['departure'], 100).removesuffix('*')}"
        for row in off[:SHOWN_DEPARTURES]
    ]
    return [
        f"{len(off)} of {len(rows)} pairings depart from their ratings, most in % points: {', '.join(told)}."
    ]


def remarks(report: dict[str, Any]) -> list[str]:
    """Return what the tables do not say for themselves."""
    lines = [STOPPED] if report["interrupted"] else []
    lines += [*gap_lines(report), *circle_lines(report), *departure_lines(report)]
    lines.append(
        "100 Elo more are 64 % of games; ratings sum to zero. Intervals are 95 %, those of ratings by "
        "leaving out a part of the decks in all pairings at once. * marks an interval without 50 %; of even "
        "pairings one in twenty is marked by chance. --json has all numbers."
    )
    missing = [
        one["label"]
        for one in report["strategies"]
        if one["rating"]["estimate"] is not None and one["rating"]["low"] is None
    ]
    if missing:
        lines.append(
            f"Too few games, or too few won or lost, for intervals of the ratings of {' '.join(missing)}."
        )
    fields = report["rules"]["fields"]
    if fields["first_dealer"] == fields["next_dealer"] == "fixed":
        lines.append(
            "Under these rules the side named second in a pairing always deals: shares and ratings hold for "
            "these seats."
        )
    if "matches" in report["pairings"][0]:
        lines.append("These rules play matches; shares and ratings are of their games.")
    points = [row["points_per_hand"] for row in report["pairings"]]
    if len(points) == 1:
        lines.insert(0, f"Points a hand, A less B: {mean_text(points[0])}.")
    return lines
