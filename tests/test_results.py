"""The committed articles: each can be played again from its manifest, and says what it stands on."""

from __future__ import annotations

import importlib
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from analysis.stats.estimates import Estimate
from results.equity_against_play import build as equity_study
from results.gallery import ORDER, gallery
from results.publish import PREFIX, SCHEMA, Claim
from sim.tally import GROUPS
from strategies.base import parse_strategy, player

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
    for name in ("coverage", "equity_against_play", "reproduction"):
        assert f"({name}/README.md)" in gallery()


def test_equity_is_as_near_to_play_as_its_page_says() -> None:
    """Within a fifth of a percentage point at all scores drawn from all; the page is that of its tables."""
    folder = FOLDER / "equity_against_play"
    rows, means = equity_study.read(folder / "table.csv"), equity_study.read_means(folder / "means.csv")
    assert (folder / "README.md").read_text(encoding="utf-8") == equity_study.page(rows, means, part=1)
    assert len(rows) == 5 * (equity_study.RANDOM + equity_study.LATE)
    found = [(row.drawn, row.equity.estimate, row.played.estimate, row.difference.estimate) for row in rows]
    for drawn, equity, played, difference in found:
        assert equity is not None and played is not None and difference is not None
        assert equity - played == pytest.approx(difference, abs=2e-6)
        assert drawn == "late" or abs(difference) < equity_study.BOUND


@pytest.mark.slow
@pytest.mark.requires_jit
def test_equity_solved_again_is_as_near_to_the_games_recorded() -> None:
    """For a player who looks at the score; the games from one score are played again.

    Decks are fixed, so there is no false alarm. By a third of the study's hands.
    """
    rows = [row for row in equity_study.read(FOLDER / "equity_against_play" / "table.csv") if row.b == "gold"]
    a, b = (player(parse_strategy(name)) for name in (rows[0].a, rows[0].b))
    _, known = equity_study.solved(a, b, [row.score for row in rows], part=3)
    for row in rows:
        again = equity_study.less(known.at(*row.score)["win"], replace(row.played, freedom=GROUPS - 1))
        assert again.estimate is not None and again.se is not None
        assert abs(again.estimate) < 5.5 * again.se
        assert row.drawn == "late" or abs(again.estimate) < equity_study.BOUND
    few = min(rows, key=lambda row: row.games)
    played = equity_study.play(a, b, few.score, few.first, few.games // 2)
    assert [played.estimate, played.se] == pytest.approx([few.played.estimate, few.played.se], abs=1e-6)


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
