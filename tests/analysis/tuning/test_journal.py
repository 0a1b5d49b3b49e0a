"""The journal: damaged ones and those of other questions are refused, what was cut short is dropped."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from analysis.console import UsageError
from analysis.tuning.journal import NAME, Journal, opened
from sim.run import RunError
from sim.tally import GROUPS

QUESTION: dict[str, Any] = {"start": "marjj", "rules": {"preset": "eaai", "settings": []}, "seed": 7}
SUMS = np.arange(2 * GROUPS, dtype=np.int64).reshape(1, 2, GROUPS)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with opened(tmp_path, QUESTION) as journal:
        for first in range(0, 400, 100):
            journal.add("marjj", first, 100, SUMS + first)
    return tmp_path


def lines(folder: Path) -> list[bytes]:
    return (folder / NAME).read_bytes().splitlines(keepends=True)


def test_what_was_kept_is_found_in_order(folder: Path) -> None:
    with opened(folder, QUESTION) as journal:
        assert journal.kept == 4
        for first in range(0, 400, 100):
            found = journal.find("marjj", first, 100, 1)
            assert found is not None and np.array_equal(found, SUMS + first)
        assert journal.find("marjj", 400, 100, 1) is None


@pytest.mark.parametrize("cut", [1, 40, -1])
def test_a_last_line_cut_short_is_dropped(folder: Path, cut: int) -> None:
    whole = lines(folder)
    (folder / NAME).write_bytes(b"".join(whole[:-1]) + whole[-1][:cut])
    with opened(folder, QUESTION) as journal:
        assert journal.kept == 3
        for first in range(0, 300, 100):
            journal.find("marjj", first, 100, 1)
        journal.add("marjj", 300, 100, SUMS + 300)
    assert lines(folder) == whole


def test_a_first_line_cut_short_begins_anew(folder: Path) -> None:
    whole = lines(folder)
    (folder / NAME).write_bytes(whole[0][:30])
    with opened(folder, QUESTION) as journal:
        assert journal.kept == 0
    assert lines(folder) == whole[:1]


@pytest.mark.parametrize(
    ("how", "line"),
    # A lost last line is a journal that was stopped earlier.
    [
        *itertools.product(["digit", "no json", "no object", "no check"], [1, 3, 5]),
        *itertools.product(["lost"], [1, 3]),
    ],
)
def test_damage_is_refused_by_its_line(folder: Path, line: int, how: str) -> None:
    whole = lines(folder)
    at = line - 1
    if how == "digit":
        whole[at] = whole[at].replace(b"7" if line == 1 else b"100", b"8" if line == 1 else b"101", 1)
    elif how == "lost":
        del whole[at]
    elif how == "no json":
        whole[at] = b"\xff{]\n"
    elif how == "no object":
        whole[at] = b"[1]\n"
    else:
        told = json.loads(whole[at])
        del told["check"]
        whole[at] = json.dumps(told).encode() + b"\n"
    (folder / NAME).write_bytes(b"".join(whole))
    with pytest.raises(RunError, match=rf"line {line} is damaged"), opened(folder, QUESTION):
        pass


@pytest.mark.parametrize(
    ("changed", "names"),
    [
        ({"seed": 8}, "question.seed was 7, now 8"),
        ({"rules": {"preset": "bga", "settings": []}}, 'question.rules.preset was "eaai", now "bga"'),
        ({"pairs": 5}, "question.pairs was absent, now 5"),
    ],
)
def test_another_question_is_refused_by_name(folder: Path, changed: dict[str, Any], names: str) -> None:
    before = lines(folder)
    with pytest.raises(UsageError) as refused, opened(folder, {**QUESTION, **changed}):
        pass
    assert names in str(refused.value)
    assert lines(folder) == before


def test_other_evaluations_than_the_search_asks_for(folder: Path) -> None:
    with opened(folder, QUESTION) as journal, pytest.raises(RunError, match="line 2 is not the evaluation"):
        journal.find("gold", 0, 100, 1)
    with opened(folder, QUESTION) as journal, pytest.raises(RunError, match="line 2 is not the evaluation"):
        journal.find("marjj", 0, 100, 2)


def test_folders_of_other_things(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("")
    with pytest.raises(UsageError, match=r"not empty.*letter\.txt"), opened(tmp_path, QUESTION):
        pass
    with pytest.raises(RunError, match=r"letter\.txt"), opened(tmp_path / "letter.txt", QUESTION):
        pass
    assert [one.name for one in tmp_path.iterdir()] == ["letter.txt"]


def test_one_process_at_a_time(folder: Path) -> None:
    with opened(folder, QUESTION), pytest.raises(RunError, match="another process"), opened(folder, QUESTION):
        pass


def test_without_a_folder_nothing_is_written() -> None:
    journal = Journal(None, QUESTION)
    journal.add("marjj", 0, 100, SUMS)
    assert journal.kept == 1 and journal.find("marjj", 100, 100, 1) is None
