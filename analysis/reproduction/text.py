"""The report in words: values, verdicts and matches, as rows of tables for a terminal or a page."""

from __future__ import annotations

from typing import Any

from analysis.match import lead

Table = tuple[list[str], list[list[str]]]
"""Headers and rows."""

VERDICTS = {True: "yes", False: "no", None: "-"}


def number_text(value: float, digits: int) -> str:
    """Write a number with so many decimals, without a sign before 0."""
    text = f"{value:,.{digits}f}"
    return text.removeprefix("-") if not float(text.replace(",", "")) else text


def _digits(half: float, least: int) -> int:
    """Return the decimals that show half an interval by one digit, by two where the first is a 1."""
    digits = least
    while 0 < half < 2 * 10.0**-digits and digits < 7:
        digits += 1
    return digits


def estimate_text(ours: dict[str, Any], unit: str = "") -> str:
    """Write a number with its interval: half of it, or its ends where it is lopsided."""
    value, low, high = (ours[key] for key in ("estimate", "low", "high"))
    if value is None:
        return "n/a"
    if low is None or high is None:
        return f"{number_text(value, 2).removesuffix('.00')}{unit}"
    half = (high - low) / 2
    if half == 0:
        return f"{value:,.0f}{unit}"
    digits = _digits(half, 0)
    shown = number_text(value, digits)
    if abs(low + high - 2 * value) > 0.2 * half:
        return f"{shown}{unit} ({number_text(low, digits)}-{number_text(high, digits)})"
    return f"{shown} ±{half:.{digits}f}{unit}"


def published_text(line: dict[str, Any]) -> str:
    """Write a published value with what is known of its uncertainty."""
    published = line["published"]
    if published is None:
        return ""
    unit = " %" if line["percent"] else ""
    text = f"{published['text']}{unit}"
    if published.get("interval"):
        return f"{text} ({published['interval'][0]:g}-{published['interval'][1]:g})"
    if published.get("standard_error"):
        error = f"{published['standard_error']:.6f}".rstrip("0")
        return f"{text} (SE {error})"
    if published.get("sample"):
        size, _ = published["sample"]
        return f"{text} (n {size:,})"
    return text


def verdict_text(row: dict[str, Any], line: dict[str, Any]) -> str:
    """Write whether the two agree; nothing for an experiment."""
    if line["experiment"]:
        return ""
    if row["context"]:
        return "context"
    if line["agrees"] is False and line.get("perhaps_chance"):
        return "chance?"
    return VERDICTS[line["agrees"]]


def value_table(row: dict[str, Any]) -> Table | None:
    """Return the table of a row's lines, experiments indented; None where there are none."""
    if not row["lines"]:
        return None
    rows = [
        [
            f"{'- ' if line['experiment'] else ''}{line['what']}",
            published_text(line),
            estimate_text(line["ours"], " %" if line["percent"] else ""),
            verdict_text(row, line),
        ]
        for line in row["lines"]
    ]
    return ["", "Published", "Ours, 95 %", "Agree"], rows


def _percent(estimate: dict[str, Any]) -> str:
    return estimate_text({key: None if end is None else 100 * end for key, end in estimate.items()})


def _both(match: dict[str, Any], name: str) -> str:
    """Write the shares of an ending, A's and B's."""
    return " / ".join(f"{100 * match[f'{name}_{side}']['estimate']:.1f}" for side in "ab")


def match_tables(row: dict[str, Any]) -> list[Table]:
    """Return the head-to-head tables of a row: what A wins, and how hands ended."""
    panel = row["panel"]
    if not panel:
        return []
    won = [
        [
            match["name"],
            _percent(match["hand_share"]),
            f"{match['points_a']['estimate']:.2f} / {match['points_b']['estimate']:.2f}",
            "-" if match["single_hands"] else _percent(match["game_share"]),
        ]
        for match in panel
    ]
    kinds = ("knock", "undercut", "gin")
    endings = [
        [match["name"], *(_both(match, kind) for kind in kinds), f"{100 * match['void']['estimate']:.2f}"]
        for match in panel
    ]
    return [
        (["A v B", "A's hands, %", "Points a hand", "A's games, %"], won),
        (["Hands ended, %, A / B", "Knock", "Undercut", "Gin", "Void"], endings),
    ]


def parted(report: dict[str, Any]) -> list[str]:
    """Say in which matches hands, points and games have different winners, all shown by their intervals."""
    matches = {
        match["name"]: match for row in report["rows"] for match in row["panel"] if not match["single_hands"]
    }
    hands, points = [], []
    for name, match in matches.items():
        games = lead(match["game_share"], 0.5)
        if games and lead(match["hand_share"], 0.5) == -games:
            hands.append(name)
        if games and lead(match["points_lead"], 0.0) == -games:
            points.append(name)
    if not matches:
        return []

    def told(names: list[str], whose: str) -> str:
        count, listed = (len(names), f": {'; '.join(names)}") if names else ("none", "")
        return f"In {count} of {len(matches)} different matches who wins more games {whose}{listed}."

    return [told(hands, "wins fewer hands"), told(points, "scores fewer points a hand")]


def origin(row: dict[str, Any]) -> str:
    """Say how a row's values were measured, and by whom."""
    conditions, source = (row[key].rstrip(".") for key in ("conditions", "source"))
    return f"{conditions[:1].upper()}{conditions[1:]}. Source: {source}."


def notes(row: dict[str, Any]) -> list[str]:
    """Return what is to be said beside a row's numbers."""
    told = []
    if row["reading"]:
        told.append(f"As played here: {row['reading']}")
    if row["why"]:
        told.append(f"Why not all agrees: {row['why']}")
    if row["measured_apart"]:
        told.append("Measured apart, not run by this command: " + "; ".join(row["measured_apart"]) + ".")
    return told


def summary(report: dict[str, Any]) -> list[str]:
    """Say how many values agree, and what that means."""
    judged, agree = report["judged"], report["agree"]
    if not judged:
        return ["No value is judged."]
    lines = [f"{agree} of {judged} judged values agree."]
    doubtful = sum(
        bool(line.get("perhaps_chance")) and line["agrees"] is False
        for row in report["rows"]
        for line in row["lines"]
    )
    if doubtful:
        lines.append(
            f"Of the others {doubtful} may be chance: of values that agree one in twenty lies outside its "
            "interval, and these lie no farther out than the farthest of so many can."
        )
    return lines


RULE = (
    "Agree: the difference is at most the joint 95 % interval of the two, the root of the sum of squared "
    "half-intervals, and half a unit of the last published digit. A published value without an interval has "
    "that of its sample's size; one without either its rounding alone. A claim without a number agrees if "
    "our whole interval lies on its side. SE is a standard error, n the size of a sample. Lines with a dash "
    "are experiments, rows of context are not judged; chance? marks a difference that chance alone may have "
    "made among so many values. Void are hands that nobody won."
)
"""The rule of `analysis.reproduction.agree` in words."""
