"""What a claim says of the twelve settings, and the tables and recorded integers of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from analysis.knocking.styles import SETTINGS, STYLES
from analysis.stats.estimates import NOTHING, Estimate
from results import settings
from results.publish import Claim
from results.settings import ITSELF, SEED, TABLE, Setting

FOLDER = Path(__file__).resolve().parent.parent / "results"
WITH = sorted(
    path.parent.name for path in FOLDER.glob("*/manifest.json") if '"settings": {' in path.read_text("utf-8")
)
ABOVE, BELOW, HELD = Estimate(2, 1, 3), Estimate(-2, -3, -1), Estimate(0.5, -1, 2)


def claim(found: list[Estimate], opponent: str = "simple", **how: Any) -> Claim:
    told = tuple(Setting(STYLES[at % 3], opponent, value) for at, value in enumerate(found))
    numbers = {"value": ABOVE, "again": ABOVE, **how}
    return Claim("More", settings=told, **numbers)


def ending(one: Claim) -> str:
    return one.text().split("; ")[-1]


def test_a_claim_says_in_how_many_settings_it_is_so() -> None:
    assert ending(claim([ABOVE] * 12)) == "so in 12 of 12 settings."
    found = [ABOVE] * 7 + [BELOW] * 2 + [HELD, NOTHING, Estimate(0.0, None, None)]
    assert ending(claim(found)) == "so in 7 of 12 settings, the other way in 2, undecided in 3."
    assert claim(found).text().startswith("More: +2.00 (+1.00 to +3.00); on fresh decks +2.00")


def test_the_side_is_the_claims_own() -> None:
    found = [ABOVE] * 3 + [BELOW] * 9
    assert ending(claim(found, value=BELOW, again=BELOW)) == "so in 9 of 12 settings, the other way in 3."
    share = Estimate(0.6, 0.55, 0.65)
    assert ending(claim([share] * 12, value=share, again=share, even=0.5)) == "so in 12 of 12 settings."
    assert ending(claim([share] * 12, settings_even=0.7)) == (
        "**but in** 0 of 12 settings, the other way in 12."
    )


def test_a_claim_that_holds_in_half_or_fewer_says_so_in_bold() -> None:
    assert ending(claim([ABOVE] * 6 + [HELD] * 6)) == "**but only in** 6 of 12 settings, undecided in 6."
    assert ending(claim([HELD] * 12)) == "**but in** 0 of 12 settings, undecided in 12."


def test_an_open_claim_counts_both_sides() -> None:
    found = [ABOVE] * 4 + [BELOW] + [HELD] * 7
    assert ending(claim(found, again=HELD)) == ("above 0 in 4 of 12 settings, below it in 1, undecided in 7.")
    assert ending(claim(found, again=HELD, even=0.5, scale=100.0, unit=" %")).startswith("above 50 % in")


def test_self_play_is_told_of_three_styles() -> None:
    assert ending(claim([ABOVE, ABOVE, HELD], ITSELF)) == "so in 2 of 3 styles, undecided in 1."


def test_questions_are_put_in_every_setting() -> None:
    asked = settings.ask(lambda style, opponent: {"one": Estimate(len(style), None, None), "two": ABOVE})
    assert set(asked) == {"one", "two"}
    assert [(each.style, each.opponent) for each in asked["one"]] == list(SETTINGS)
    assert [each.value.estimate for each in asked["one"]] == [len(style) for style, _ in SETTINGS]
    alone = settings.ask_styles(lambda style: {"one": ABOVE})
    assert [(each.style, each.opponent) for each in alone["one"]] == [(style, ITSELF) for style in STYLES]


def test_there_are_articles_with_settings() -> None:
    assert len(WITH) >= 3


@pytest.mark.parametrize("name", WITH)
def test_the_table_holds_all_settings_and_counts_as_the_page_does(name: str) -> None:
    manifest = json.loads((FOLDER / name / "manifest.json").read_text("utf-8"))
    page = (FOLDER / name / "README.md").read_text("utf-8")
    names = [f"{style} v {opponent}" for style, opponent in SETTINGS]
    assert manifest["settings"]["of"] == names and manifest["settings"]["seed"] == SEED
    assert SEED not in manifest["seeds"] and f"seed {SEED}" in page
    recorded = manifest["prefix"]["integers"]["settings"]
    assert set(names) <= set(recorded) and all(recorded.values())
    headlines = [line for line in page.splitlines() if "; on fresh decks " in line]
    rows = pd.read_csv(FOLDER / name / TABLE)
    assert (rows["seed"] == SEED).all() and rows["estimate"].notna().any()
    claims = rows.groupby("claim", sort=False)
    open_ = page.partition("Not settled by these runs")[2]
    assert all(f"- {words}: " in page for words, _ in claims)
    left = [line for line in headlines if not any(line.startswith(f"- {words}: ") for words, _ in claims)]
    assert all(line in open_ for line in left) and len(left) <= 1, "what is claimed is asked in all settings"
    for words, of_claim in claims:
        (line,) = (line for line in headlines if line.startswith(f"- {words}: "))
        where = list(zip(of_claim["style"], of_claim["opponent"], strict=True))
        alone = (of_claim["opponent"] == ITSELF).all()
        assert where == ([(style, ITSELF) for style in STYLES] if alone else list(SETTINGS))
        even = float(of_claim["even"].iloc[0])
        found = tuple(
            Setting(row.style, row.opponent, Estimate(row.estimate, _end(row.low), _end(row.high)))
            for row in of_claim.itertuples()
        )
        even_text = f"{100 * even:g} %" if even else "0"
        told = [settings.told(found, side, even, even_text) for side in (1, -1, 0)]
        assert line.split("; ")[-1].removesuffix(".") in told


def _end(value: Any) -> float | None:
    return None if pd.isna(value) else float(value)
