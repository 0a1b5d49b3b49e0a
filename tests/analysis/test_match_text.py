"""Shares and means of a match as they are written."""

from __future__ import annotations

from analysis import match as told

SHARE = {"estimate": 0.6214, "low": 0.6142, "high": 0.6288}


def test_share_texts() -> None:
    assert told.share_text(SHARE) == "62.1 % (61.4-62.9)"
    assert told.share_text(SHARE, other=True) == "37.9 % (37.1-38.6)"
    assert told.share_text({"estimate": 1.0, "low": 0.025, "high": 1.0}) == "100.0 % (2.5-100.0)"


def test_mean_texts() -> None:
    assert told.mean_text({"estimate": 12.113, "low": 12.07, "high": 12.15}) == "12.11 (12.07-12.15)"
    assert told.mean_text({"estimate": -0.5, "low": -1.25, "high": 0.25}) == "-0.50 (-1.25 to 0.25)"
    assert told.mean_text({"estimate": 3.0, "low": None, "high": None}) == "3.00"
