"""Info tables with numbers like real ones, without playing."""

from __future__ import annotations

import numpy as np
import pandas as pd


def heatmap(
    rows: int = 11, columns: int = 5, metric: str = "game_share", names: bool = False
) -> pd.DataFrame:
    """Return thresholds by undercut bonuses: best in the middle, worse with a larger bonus."""
    told = []
    for k in range(rows):
        for j in range(columns):
            share = 0.55 - 0.002 * (k - 4 - j) ** 2 - 0.003 * j
            value = share if metric == "game_share" else 8 * (share - 0.5)
            told.append(
                {
                    "cell": k * columns + j,
                    "row_axis": "a" if names else "k",
                    "row": f"two_stage(early={k}, late=2, switch={j + k})" if names else str(k),
                    "column_axis": "b" if names else "undercut_bonus",
                    "column": f"threshold(k={j}, draw=greedy)" if names else str(5 * j),
                    "metric": metric,
                    "estimate": value,
                    "low": value - 0.003,
                    "high": value + 0.003,
                    "kept_in_column": int(abs(k - 4 - j) <= 1),
                    "kept": int(abs(k - 4 - j) <= 1 and j < 2),
                }
            )
    return pd.DataFrame(told)


def curves(lines: int = 3, panels: int = 1, points: int = 11, counts: bool = False) -> pd.DataFrame:
    """Return shares by threshold, a line a strategy, a panel a bonus."""
    told = []
    for panel in range(panels):
        for line in range(lines):
            for k in range(points):
                share = 0.5 + 0.01 * line - 0.0015 * (k - 3 - panel) ** 2 + 0.02
                told.append(
                    {
                        "x_axis": "own_turn" if counts else "k",
                        "x": str(k),
                        "line_axis": "b",
                        "line": "" if lines == 1 else f"threshold(k={line}, draw=greedy)",
                        "panel_axis": "undercut_bonus",
                        "panel": "" if panels == 1 else f"undercut bonus = {5 * panel}",
                        "metric": "game_share",
                        "estimate": share,
                        "low": share - 0.004,
                        "high": share + 0.004,
                        **({"n": int(90_000 * np.exp(-k / 3))} if counts else {}),
                    }
                )
    return pd.DataFrame(told)


def forest(variants: int = 8, points: bool = False) -> pd.DataFrame:
    """Return differences from a baseline, a third of them not significant, one unknown."""
    names = ["two_stage(early=10, late=4, switch=7)", "gold", "threshold(k=3)", "goldstein(a=1, b=2, c=0.25)"]
    told = []
    for at in range(variants):
        value = (0.03 - 0.004 * at) * (60 if points else 1)
        half = 0.005 * (60 if points else 1)
        told.append(
            {
                "cell": at + 1,
                "label": names[at % 4] if at < 4 else f"{names[at % 4]}, undercut bonus = {at}",
                "baseline": "simple, undercut bonus = 25",
                "metric": "points_per_hand" if points else "game_share",
                "estimate": value,
                "low": value - half,
                "high": value + half,
                "log10_p": -(value**2) / half**2,
                "significant": bool(abs(value) > 1.3 * half),
            }
        )
    return pd.DataFrame(told)


def matrix(players: int = 6, points: bool = False) -> pd.DataFrame:
    """Return a cross-play in which the strong beat the weak; half of a circle among the first three."""
    names = [
        f"threshold(k={k}, draw=greedy, discard=simple)" if k % 3 == 1 else f"player{k}"
        for k in range(players)
    ]
    told = []
    for i in range(players):
        for j in range(players):
            if i == j:
                continue
            value = 0.015 * (i - j) + 0.001 * (i - j) ** 3 / players
            value = float(np.clip(value, -0.45, 0.45))
            told.append(
                {
                    "a": names[i],
                    "b": names[j],
                    "metric": "points_per_hand" if points else "game_share",
                    "estimate": 40 * value if points else 0.5 + value,
                    "low": (40 * value if points else 0.5 + value) - 0.004,
                    "high": (40 * value if points else 0.5 + value) + 0.004,
                }
            )
    return pd.DataFrame(told)


def endings(cells: int = 11, rare: bool = True) -> pd.DataFrame:
    """Return hands by ending for rising thresholds: fewer gins, more undercuts."""
    told = []
    for k in range(cells):
        knock = 30_000 * k / max(cells - 1, 1)
        parts = {
            "a": {"knock": knock, "gin": 40_000 - knock, "big_gin": 300, "undercut": 900, "tie": 200},
            "b": {"knock": 42_000, "gin": 9_000, "big_gin": 20, "undercut": knock / 6, "tie": 150},
            "": {"void": 4_000, "capped": 3},
        }
        if rare:
            parts["a"]["gin_cancelled"] = 90
        total = sum(int(hands) for own in parts.values() for hands in own.values())
        for side, own in parts.items():
            for kind, hands in own.items():
                told.append(
                    {
                        "cell": k,
                        "label": f"k = {k}",
                        "side": side,
                        "ending": kind,
                        "hands": int(hands),
                        "share": int(hands) / total,
                    }
                )
    return pd.DataFrame(told)


def points(cells: int = 1) -> pd.DataFrame:
    """Return hand points: knocks of either side, a peak beyond the gin bonus, void hands at zero."""
    told = []
    for k in range(cells):
        weights = {0: 3.0}
        for value in range(1, 90):
            knock = np.exp(-(((value - 18) / 12) ** 2))
            gin = (0.3 + 0.1 * k) * np.exp(-(((value - 45) / 13) ** 2)) if value >= 25 else 0
            weights[value] = float(knock + gin)
            weights[-value] = float(1.1 * knock + 0.25 * (gin > 0) * np.exp(-(((value - 42) / 13) ** 2)))
        total = sum(weights.values())
        for value, weight in sorted(weights.items()):
            told.append(
                {
                    "cell": k,
                    "label": "simple v simple" if cells == 1 else f"k = {k}",
                    "points": value,
                    "hands": round(100_000 * weight / total),
                    "share": weight / total,
                }
            )
    return pd.DataFrame(told)


def lengths(cells: int = 3) -> pd.DataFrame:
    """Return hands by length, longer for lower thresholds."""
    told = []
    for k in range(cells):
        turns = np.arange(2, 44)
        weights = np.exp(-(((turns - 22 + 2 * k) / (7 + k)) ** 2))
        share = weights / weights.sum()
        ended = share.cumsum()
        for at, turn in enumerate(turns):
            told.append(
                {
                    "cell": k,
                    "label": f"two_stage(early=10, late={k}, switch=7)",
                    "turns": int(turn),
                    "hands": round(1e5 * share[at]),
                    "ended": float(min(ended[at], 1.0)),
                }
            )
    return pd.DataFrame(told)


def deadwood() -> pd.DataFrame:
    """Return hands by both deadwoods: few under the line."""
    told = []
    for knocker in range(11):
        for defender in range(70):
            weight = np.exp(-(((defender - 20) / 14) ** 2)) * (1 + knocker / 3) * (3 if knocker == 0 else 1)
            hands = int(3_000 * weight * (0.3 if defender <= knocker else 1))
            if hands:
                told.append(
                    {"cell": 0, "side": "a", "knocker": knocker, "defender": defender, "hands": hands}
                )
    return pd.DataFrame(told)


def convergence(cells: int = 3) -> pd.DataFrame:
    """Return courses that settle."""
    told = []
    for k in range(cells):
        for at, pairs in enumerate([20, 100, 420, 1_700, 6_820, 19_320, 44_320, 69_320, 100_000]):
            half = 0.9 / pairs**0.5
            value = 0.5 + 0.004 * k + 0.4 * half * (-1) ** (at + k)
            told.append(
                {
                    "cell": k,
                    "label": f"k = {k}",
                    "metric": "game_share",
                    "pairs": pairs,
                    "estimate": value,
                    "low": max(0, value - half),
                    "high": min(1, value + half),
                }
            )
    return pd.DataFrame(told)


def knock_maps(turns: int = 20) -> pd.DataFrame:
    """Return what knocks led to: undercuts grow with deadwood and turn, late ones are rare."""
    told = []
    for turn in range(1, turns + 1):
        for deadwood in range(11):
            taken = int(40_000 * np.exp(-(((turn - 5) / 5) ** 2)) * (1 + deadwood) / 11)
            if taken == 0:
                continue
            undercut = min(0.9, 0.01 + 0.004 * deadwood * turn)
            told.append(
                {
                    "cell": 0,
                    "side": "a",
                    "own_turn": turn,
                    "deadwood": deadwood,
                    "taken": taken,
                    "p_undercut": undercut,
                    "p_win": 1 - undercut - 0.01,
                    "points": 20 - 45 * undercut - turn / 3,
                }
            )
    return pd.DataFrame(told)


def first_legal(cells: int = 1) -> pd.DataFrame:
    """Return shares of hands by own turn of the first legal knock."""
    told = []
    for k in range(cells):
        for side in "ab":
            weights = np.array([0.35, *np.exp(-(((np.arange(1, 33) - 7 - k - (side == "b")) / 4.0) ** 2))])
            weights[1:] *= 0.65 / weights[1:].sum()
            for turn, share in enumerate(weights):
                told.append(
                    {
                        "cell": k,
                        "label": f"undercut bonus = {k}",
                        "side": side,
                        "own_turn": turn,
                        "hands": round(1e5 * share),
                        "share": float(share),
                    }
                )
    return pd.DataFrame(told)


def scoreboards(thresholds: int = 11) -> pd.DataFrame:
    """Return three scoreboards by threshold."""
    k = np.arange(thresholds)
    table = {"k": k}
    for name, value, half in (
        ("hand_share", 0.38 + 0.011 * k, 0.002),
        ("points_per_hand", 3.4 - 0.38 * k, 0.1),
        ("game_share", 0.66 - 0.02 * k, 0.006),
    ):
        table |= {f"{name}_estimate": value, f"{name}_low": value - half, f"{name}_high": value + half}
    return pd.DataFrame(table)


def whiskers(groups: int = 5, names: int = 3) -> pd.DataFrame:
    """Return shares near a half in groups, the last one without an interval."""
    told = []
    for group in range(groups):
        for name in range(names):
            value = 0.5 + 0.003 * group - 0.002 * name
            last = group == groups - 1 and name == names - 1
            half = np.nan if last else 0.004
            label = f"the player number {name} deals"
            row = {"row": f"strategy {group} v another one", "label": label, "estimate": value}
            told.append({**row, "low": value - half, "high": value + half})
    return pd.DataFrame(told)


def knock_wait(names: tuple[str, ...] = ("",), turns: int = 14, enough: bool = True) -> pd.DataFrame:
    """Return what a knock gains: early with much deadwood, never late, and less if one waits for gin."""
    told = []
    for name in names:
        for continuation, less in (("once", 0), ("gin", 4)):
            for turn in range(1, turns + 1):
                for deadwood in range(11):
                    delta = 7.0 if deadwood == 0 else 0.4 * deadwood + 6 - 1.5 * turn - less
                    sure = abs(delta) > 1.5 and enough
                    told.append(
                        {
                            "panel": name,
                            "continuation": continuation,
                            "population": "first",
                            "own_turn": turn,
                            "deadwood": deadwood,
                            "hands": 100 + 10 * (turns - turn),
                            "delta": delta,
                            "low": delta - 1,
                            "high": delta + 1,
                            "band_low": delta - 1.5,
                            "band_high": delta + 1.5,
                            "verdict": ("knock" if delta > 0 else "wait") if sure else "undecided",
                        }
                    )
    return pd.DataFrame(told)


def tune_trace(parameters: int = 3, generations: int = 20) -> pd.DataFrame:
    """Return a search that settles."""
    told = []
    for panel in ("gain", *(f"parameter_number_{at}" for at in range(parameters))):
        for at in range(generations):
            half = 2 / (at + 2)
            value = 1.5 - half if panel == "gain" else 50 - 30 * half
            told.append(
                {
                    "panel": panel,
                    "metric": "points_per_hand",
                    "x": str(at + 1),
                    "pairs": 500,
                    "estimate": value,
                    "low": value - half,
                    "high": value + half,
                    "best": value + half / 2 if panel == "gain" else np.nan,
                }
            )
    return pd.DataFrame(told)


def tune_complete(strategies: int = 121) -> pd.DataFrame:
    """Return a complete search: the start values are the last but one."""
    told = []
    for at in range(strategies):
        gain = 0.01 * (strategies - 2 - at)
        start = at == strategies - 2
        told.append(
            {
                "panel": "",
                "metric": "game_share",
                "x": f"early={at // 11}, late={at % 11}",
                "pairs": 500,
                "estimate": gain,
                "low": np.nan if start else gain - 0.02,
                "high": np.nan if start else gain + 0.02,
                "best": gain if at < 3 else np.nan,
            }
        )
    return pd.DataFrame(told)
