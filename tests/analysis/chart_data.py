"""Info tables with numbers like real ones, without playing."""

from __future__ import annotations

import numpy as np
import pandas as pd


def heatmap(rows: int = 11, columns: int = 5, metric: str = "game_share", names: bool = False) -> pd.DataFrame:
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
