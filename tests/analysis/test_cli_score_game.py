"""The score sheet on the command line: the worked examples, void hands and boxes, errors, the table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from analysis.cli import app
from analysis.console import UsageError
from analysis.score_game import MAX_SHEET, keep_score, parse_hands, sheet_dict, sheet_tables
from sim.rules import Rules

DATA = Path(__file__).parent.parent / "data"
EXAMPLES: list[dict[str, Any]] = [
    example
    for example in json.loads((DATA / "examples.json").read_text())
    if example["kind"] in ("game", "hollywood")
]


def run(*words: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["score-game", *words])
    return result.exit_code, result.stdout, result.stderr


def told(rules: str, hands: str, *settings: str) -> dict[str, Any]:
    options = [word for setting in settings for word in ("--set", setting)]
    code, out, err = run("--rules", rules, "--hands", hands, *options, "--json")
    assert (code, err) == (0, "")
    answer: dict[str, Any] = json.loads(out)
    return answer


def in_words(hands: list[list[Any]]) -> str:
    return ", ".join(f"{side} {points}" for side, points in hands)


def test_the_examples_are_of_both_sorts() -> None:
    assert [example["id"] for example in EXAMPLES] == ["E36", "E37", "E38", "E39"]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["id"])
def test_examples(example: dict[str, Any]) -> None:
    answer = told(example["preset"], in_words(example["hands"]))
    totals = {"A": example["points_knocker"], "B": example["points_defender"]}
    assert answer["end"] == example["expected_end"] and answer["totals"] == totals
    assert answer["winner"] == "A" and example.get("winner", "A") == "A"
    assert example.get("final", totals) == totals
    for column, expected in zip(answer["columns"], example.get("columns", answer["columns"]), strict=True):
        if "raw" in expected:
            assert list(column["points"].values()) == expected["raw"]
            assert list(column["boxes"].values()) == expected["boxes"]
            assert list(column["totals"].values()) == expected["final"]
            assert (column["winner"], column["shutout"]) == (expected["winner"], expected["shutout"])
    # One hand fewer and the game goes on; one more is refused.
    assert told(example["preset"], in_words(example["hands"][:-1]))["end"] == "unfinished"
    code, out, err = run("--rules", example["preset"], "--hands", in_words([*example["hands"], ["B", 7]]))
    number = len(example["hands"]) + 1
    assert (code, out) == (2, "")
    assert err == f"ginlab: hand {number}: 'B 7': the game was over with hand {number - 1}\n"


def test_the_published_start_of_a_hollywood_sheet() -> None:
    answer = told("hollywood", "A 25, A 18, A 36")
    assert [column["points"]["A"] for column in answer["columns"]] == [79, 54, 36]
    assert answer["end"] == "unfinished" and answer["winner"] is None


def test_keys() -> None:
    answer = told("fournier", "A 42, A 37, B 16, - 0, A 30")
    assert list(answer) == ["schema", "rules", "end", "winner", "totals", "boxes", "bonuses", "columns"]
    assert answer["end"] == "game" and answer["winner"] == "A"
    assert answer["boxes"] == {"A": 3, "B": 1} and answer["bonuses"] == {"A": 100, "B": 0}
    assert answer["totals"] == {"A": 269, "B": 36}
    assert answer["rules"]["hash"] == Rules.preset("fournier").hash


def test_void_hands_count_for_nobody() -> None:
    plain = told("fournier", "A 42, A 37, B 16, A 30")
    for hands in ("-, A 42, A 37,- 0,B 16, A 30", "A 42, -0, A 37, -  0, -, B 16, A 30"):
        assert told("fournier", hands) == plain


def test_boxes_of_a_hand() -> None:
    """Three for the gin of kisses: at 25 points each; one when not named."""
    answer = told("oklahoma_kisses", "A 42/3, b 64 / 2, A 120")
    assert answer["boxes"] == {"A": 4, "B": 2}
    assert answer["totals"] == {"A": 162 + 100 + 4 * 25, "B": 64 + 2 * 25}


def test_boxes_at_once_end_the_game() -> None:
    answer = told("palace", "A 45, A 35")  # 80 points and two boxes of 10
    assert (answer["end"], answer["totals"]["A"]) == ("game", 100)
    assert told("palace", "A 45, A 34")["end"] == "unfinished"


def test_a_single_hand() -> None:
    answer = told("openspiel", "B 31")
    assert (answer["end"], answer["winner"], answer["totals"]) == ("game", "B", {"A": 0, "B": 31})
    assert told("openspiel", "-")["winner"] is None


def test_columns_multiplied() -> None:
    one = told("hollywood", "A 100, A 100, A 100", "game_bonus=0", "box_bonus=0", "shutout=none")
    assert one["totals"]["A"] == 300  # column 1 is closed by the first, 2 by the second
    twice = told(
        "hollywood", "A 100, A 100, A 100", "game_bonus=0", "box_bonus=0", "shutout=none",
        "column_multipliers=[1,1,2]",
    )  # fmt: skip
    assert twice["totals"]["A"] == 400 and [one["multiplier"] for one in twice["columns"]] == [1, 1, 2]


WRONG = {
    "A 42, A 37, C 12": "hand 3: 'C 12': expected a side and its points",
    "A": "hand 1: 'A': expected",
    "A 3, 42": "hand 2: '42': expected",
    "A 3,, B 4": "hand 2: '': expected",
    "A 3, ": "hand 2: '': expected",
    "A -3": "hand 1: 'A -3': expected",
    "A 3.5": "hand 1: 'A 3.5': expected",
    "A 3/": "hand 1: 'A 3/': expected",
    "A 3/0": "hand 1: 'A 3/0': expected 1-99 boxes",
    "A 3/100": "hand 1: 'A 3/100': expected 1-99 boxes",
    "- 5": "hand 1: '- 5': expected",
    "-/2": "hand 1: '-/2': expected",
    "A 1000001": "hand 1: 'A 1000001': expected at most 1,000,000 points",
    "A 99999999999999999999": "hand 1: 'A 99999999999999999999': expected",
    "A ٣": "hand 1: 'A ٣': expected",
    "": "--hands: no hands",
    " ": "--hands: no hands",
    "-," * MAX_SHEET + "-": f"--hands: {MAX_SHEET + 1:,} hands; expected {MAX_SHEET:,} at most",
}


@pytest.mark.parametrize(("hands", "message"), WRONG.items(), ids=[text[:12] or "none" for text in WRONG])
def test_errors_are_one_line(hands: str, message: str) -> None:
    code, out, err = run("--hands", hands)
    assert (code, out) == (2, "") and err.count("\n") == 1
    assert err.startswith(f"ginlab: {message}")


def test_rules_that_keep_no_sheet() -> None:
    code, out, err = run("--rules", "bga_solo", "--hands", "A 3")
    assert (code, out) == (2, "") and "bga_solo" in err and err.count("\n") == 1
    code, out, err = run("--rules", "nothing", "--hands", "A 3")
    assert (code, out) == (2, "") and "nothing" in err
    code, _, err = run("--rules", "eaai")
    assert code == 2 and "--hands" in err


SHEET = """\
   Hand           A   B
1  A 42          42
2  A 37          79
3  B 16              16
4  -
5  A 30         109

   Points       109  16
   Boxes at 20   60  20
   Bonuses      100   0
   Total        269  36

A wins the game, 269:36.
"""


def test_the_table() -> None:
    code, out, _ = run("--rules", "fournier", "--hands", "A 42, a  37, B 16, -, A 30")
    assert code == 0
    assert "\n".join(line.rstrip() for line in out.splitlines()) + "\n" == SHEET


@pytest.mark.parametrize(
    ("words", "verdict"),
    [
        (("fournier", "A 37, A 42, A 30"), "A wins the game by a shutout, 369:0."),
        (("hollywood", in_words(EXAMPLES[3]["hands"])), "A wins the full sheet, 854:190."),
        (("hollywood", "A 25, B 18"), "The game goes on to 100, 3 of 3 columns open; so far A 45, B 38."),
        (("eaai", "A 25, B 18"), "The game goes on to 100; so far A 25, B 18."),
        (("openspiel", "-"), "Nobody wins, 0:0."),
    ],
)
def test_verdicts(words: tuple[str, str], verdict: str) -> None:
    code, out, _ = run("--rules", words[0], "--hands", words[1])
    assert code == 0 and out.splitlines()[-1] == verdict


def test_columns_stand_side_by_side() -> None:
    hands = in_words(EXAMPLES[3]["hands"])
    code, out, _ = run("--rules", "hollywood", "--hands", hands)
    lines = out.splitlines()
    assert lines[0].split() == ["Hand", *(word for n in "123" for word in (n, "A", n, "B"))]
    assert lines[3].split() == ["3", "A", "36", "79", "54", "36"]
    # Ten columns are told in tables of four, none wider than 80 characters.
    settings = ["--set", "columns=10", "--set", f"column_multipliers={[2] * 10}"]
    code, out, _ = run("--rules", "hollywood", "--hands", hands, *settings)
    heads = [line for line in out.splitlines() if "Hand" in line]
    assert code == 0 and len(heads) == 3 and "10x2 B" in heads[2]
    assert max(len(line.rstrip()) for line in out.splitlines()) <= 80


GAMES = st.lists(
    st.tuples(st.sampled_from("AB-"), st.integers(0, 90), st.integers(1, 4)), min_size=1, max_size=40
)


@given(GAMES, st.sampled_from(["standard", "hollywood", "palace", "bga_oklahoma", "openspiel"]))
def test_the_running_scores_are_the_sheet_s(hands: list[tuple[str, int, int]], preset: str) -> None:
    """The last entry of every column is what stands there, and no sheet is cut."""
    rules = Rules.preset(preset)
    words = ["-" if side == "-" else f"{side} {points}/{boxes}" for side, points, boxes in hands]
    while True:
        try:
            sheets = keep_score(", ".join(words), rules)
            break
        except UsageError:  # the game was over before
            words.pop()
    assert len(sheets) == len(words) == len(parse_hands(", ".join(words)))
    at_once = rules.box_bonus if rules.box_timing == "immediate" else 0
    cells = [
        row[2:] for _, rows in sheet_tables(", ".join(words), sheets, rules) for row in rows[: len(words)]
    ]
    data = sheet_dict(sheets[-1], rules)
    if rules.columns == 1:
        for at, side in enumerate("AB"):
            shown = [row[at].strip() for row in cells if row[at].strip()]
            column = data["columns"][0]
            score = column["points"][side] + at_once * column["boxes"][side]
            assert (int(shown[-1]) if shown else 0) == score
            won = [word for word in words if word.startswith(side)]
            assert len(shown) == len(won)
    for at, side in enumerate("AB"):
        assert data["totals"][side] == sum(column["totals"][side] for column in data["columns"])
        assert sheets[-1].boxes[at] == sum(column["boxes"][side] for column in data["columns"])
