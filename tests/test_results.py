"""The committed articles: each can be played again from its manifest, and says what it stands on."""

from __future__ import annotations

import importlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

from analysis.stats.estimates import Estimate
from results.gallery import ORDER, gallery
from results.publish import PREFIX, SCHEMA, Claim

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "results"
ARTICLES = sorted(path.parent.name for path in FOLDER.glob("*/manifest.json") if "prefix" in path.read_text())
LARGEST = 20_000_000
"""Bytes of all results together."""


def manifest(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / name / "manifest.json").read_text(encoding="utf-8"))
    return found


@pytest.mark.requires_jit
@pytest.mark.parametrize("name", ARTICLES)
def test_the_first_pairs_give_the_recorded_integers(name: str) -> None:
    recorded = manifest(name)["prefix"]
    build = importlib.import_module(f"results.{name}.build")
    assert recorded["pairs"] == PREFIX
    assert json.loads(json.dumps(build.replay(PREFIX))) == recorded["integers"]
    assert recorded["integers"]


@pytest.mark.parametrize("name", ARTICLES)
def test_an_article_says_what_it_stands_on(name: str) -> None:
    told = manifest(name)
    assert told["schema"] == SCHEMA
    first, fresh = told["seeds"]
    assert first != fresh and told["pairs"] > 0
    assert told["population"] and told["continuation"]
    assert all(set(rules) == {"hash", "fields"} for rules in told["rules"].values()) and told["rules"]
    page = (FOLDER / name / "README.md").read_text(encoding="utf-8")
    assert f"python -m results.{name}.build" in page and str(first) in page and str(fresh) in page
    assert "## What it does not say" in page
    headlines = re.findall(r"^- .*; on fresh decks .*\.$", page, re.MULTILINE)
    assert headlines and all(line.count(" to ") >= 2 for line in headlines), "each with both intervals"
    for link in re.findall(r"\]\(([^)]+)\)", page):
        assert (FOLDER / name / link).exists(), link
    for image in re.findall(r"!\[(.*?)\]\(", page):
        assert len(image) > 40, "a chart in words"


def test_all_results_are_small() -> None:
    files = [path for path in FOLDER.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    assert sum(path.stat().st_size for path in files) < LARGEST


def test_the_gallery_has_every_article_as_it_stands() -> None:
    assert set(ORDER) == set(ARTICLES)
    assert (FOLDER / "README.md").read_text(encoding="utf-8") == gallery()
    for name in ("coverage", "reproduction"):
        assert f"({name}/README.md)" in gallery()


def claim(value: tuple[float, float, float], again: tuple[float, float, float], even: float = 0) -> Claim:
    return Claim("More", Estimate(*value), Estimate(*again), even)


def test_a_claim_needs_both_intervals_on_one_side() -> None:
    assert claim((2, 1, 3), (1, 0.5, 2)).supported
    assert not claim((2, 1, 3), (1, -0.5, 2)).supported
    assert not claim((2, 1, 3), (-2, -3, -1)).supported
    assert not claim((2, 1, 3), (1, 0.5, 2), even=1.5).supported
    assert (
        claim((2, 1, 3), (1, 0.5, 2)).text()
        == "More: +2.00 (+1.00 to +3.00); on fresh decks +1.00 (+0.50 to +2.00)."
    )
    assert not Claim("More", Estimate(1.0, None, None), Estimate(1, 0.5, 2)).supported
