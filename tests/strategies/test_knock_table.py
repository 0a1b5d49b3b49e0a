"""Knock tables: what a file may say, how it is refused, and that the table is what is played."""

from __future__ import annotations

import csv
import itertools
import os
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

from sim._jit import COMPILED
from sim.cards import parse_card
from sim.rules import Rules
from sim.run import play_match
from sim.solo import play_solo
from sim.tally import KNOCK_FIELDS
from sim.view import TABLE
from strategies.base import StrategyError, parse_strategy, player
from strategies.knock_cells import AXES, DEADWOODS, LARGEST, RANGES, KnockCells, Span
from strategies.knock_table import KnockTable
from strategies.table_file import MAX_BYTES, read_table, write_table
from tests.strategies.seat import Seat

EXAMPLE = Path(__file__).resolve().parents[2] / "docs" / "examples" / "knock_table.csv"
ALL = [f"{points},1" for points in range(11)]
"""The smallest table: end the hand whenever it can be."""


def file(folder: Path, *lines: str, name: str = "table.csv") -> str:
    path = folder / name
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def knocks(seat: Seat, share: float) -> bool:
    """Check that the hand is ended for words below the share and for no others."""
    words = [0, 2**61, 2**62, 2**63 - 1]
    if 0 < share < 1:
        words += [int(share * 2**63) - 2**20, int(share * 2**63) + 2**20]
    return all(seat.knock(word) == (word < Fraction(share) * 2**63) for word in words)


def test_limits_are_those_of_the_view() -> None:
    assert LARGEST == TABLE
    assert AXES[1:] == ("stock", "stock_before", "turn")
    assert RANGES["deadwood"] == (0, DEADWOODS - 1)


# --- what a table says ---------------------------------------------------------------------------


def test_the_smallest_table(tmp_path: Path) -> None:
    """Deadwood alone: every stock, turn, lead and discard alike."""
    path = file(tmp_path, "deadwood,knock", *(f"{points},{points / 10}" for points in range(11)))
    seat = Seat(str(KnockTable(path)))
    for points, stock, turn, lead in itertools.product(range(11), (2, 30), (1, 90), (-90, 90)):
        seat.view.best_deadwood, seat.view.stock, seat.view.turn, seat.view.score = points, stock, turn, lead
        assert knocks(seat, points / 10)


@pytest.mark.parametrize("axis", ["stock", "stock_before", "turn"])
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_row_for_every_cell(tmp_path: Path, axis: str, kind: str) -> None:
    """Random probabilities, in any order; before the first step and beyond the last the nearest counts."""
    source = random.Random(axis + kind)
    cells = {
        (points, step, last): round(source.random(), 3)
        for points in range(11)
        for step in range(5, 12)
        for last in ("ten", "other")
    }
    rows = [(*cell, share) for cell, share in cells.items()]
    source.shuffle(rows)
    path = tmp_path / f"table.{kind}"
    names = ("deadwood", axis, "last_discard", "knock")
    if kind == "csv":
        with path.open("w", encoding="utf-8", newline="") as out:
            csv.writer(out).writerows([names, *rows])
    else:
        columns = dict(zip(names, zip(*rows, strict=True), strict=True))
        pyarrow.parquet.write_table(pyarrow.table({name: list(columns[name]) for name in names}), path)
    seat = Seat(str(KnockTable(str(path))))
    cards = {"KS": "ten", "TD": "ten", "9C": "other", "AH": "other"}
    for points, step, (card, last) in itertools.product(range(11), range(2, 16), cards.items()):
        view = seat.view
        view.best_deadwood, view.last_discard = points, parse_card(card)
        view.upcard = parse_card("9D" if last == "ten" else "QD")  # what is thrown before it is not looked at
        view.from_discard = points % 2
        view.stock = {"stock": step, "stock_before": step - 1 + view.from_discard, "turn": 7}[axis]
        view.turn = step if axis == "turn" else 7
        assert knocks(seat, cells[points, min(max(step, 5), 11), last])


def test_before_his_first_discard_the_upcard_counts(tmp_path: Path) -> None:
    lines = [f"{points},{last},{int(last == 'ten')}" for points in range(11) for last in ("ten", "other")]
    seat = Seat(str(KnockTable(file(tmp_path, "deadwood,last_discard,knock", *lines))))
    seat.view.last_discard = 0
    for card, ends in (("JH", True), ("9H", False), ("AH", False)):
        seat.view.upcard = parse_card(card)
        assert seat.knock() == ends
    seat.view.upcard = 0  # a hand without one
    assert not seat.knock()


LEADS = (
    "deadwood_from,deadwood_to,lead_from,lead_to,last_discard,knock",
    "0,0,,,,1",
    "1,10,,-30,,0.9",
    "1,10,-29,-1,,0.6",
    "1,10,0,0,ten,0.4",
    "1,10,0,0,other,0.3",
    "1,4,1,40,,0.2",
    "5,10,1,40,,0.1",
    "1,10,41,,,0",
)


def test_bands_of_leads(tmp_path: Path) -> None:
    seat = Seat(str(KnockTable(file(tmp_path, *LEADS))))

    def share(points: int, lead: int, ten: bool) -> float:
        if points == 0:
            return 1.0
        if lead <= -30:
            return 0.9
        if lead < 0:
            return 0.6
        if lead == 0:
            return 0.4 if ten else 0.3
        return 0.0 if lead > 40 else 0.2 if points < 5 else 0.1

    for points, lead, ten in itertools.product(
        (0, 1, 4, 5, 10), (-200, -31, -30, -29, -1, 0, 1, 40, 41, 99), (True, False)
    ):
        view = seat.view
        view.best_deadwood, view.score, view.other_score = points, 300 + lead, 300
        view.last_discard = parse_card("KS" if ten else "2S")
        assert knocks(seat, share(points, lead, ten)), (points, lead, ten)


def test_leads_beyond_the_last_are_as_the_nearest(tmp_path: Path) -> None:
    """A table with leads of its own, both ends given."""
    lines = [f"{points},{lead},{int(lead > 0)}" for points in range(11) for lead in (-1, 0, 1)]
    seat = Seat(str(KnockTable(file(tmp_path, "deadwood,lead,knock", *lines))))
    for lead, ends in ((-77, False), (-1, False), (0, False), (1, True), (77, True)):
        seat.view.score, seat.view.other_score = 100 + lead, 100
        assert seat.knock() == ends


def test_spans_and_single_values_say_the_same(tmp_path: Path) -> None:
    names = "knock,stock_to,stock_from,deadwood_from,deadwood_to"
    spans = file(tmp_path, names, "1,,,,0", "0.5,9,,1,", "0.25,,10,1,10", name="spans.csv")
    single = [
        f"{points},{stock},{1 if points == 0 else 0.5 if stock < 10 else 0.25}"
        for points in range(11)
        for stock in range(31)
    ]
    one, two = read_table(spans)[0], read_table(file(tmp_path, "deadwood,stock,knock", *single))[0]
    assert (one.axis, one.first, one.shares.shape) == ("stock", 9, (1, 1, 2, 11))
    assert two.shares.shape == (1, 1, 31, 11)
    assert [row[1:] for row in one.rows()] == [row[1:] for row in two.rows()]


def test_forms_of_numbers(tmp_path: Path) -> None:
    lines = [" 0 , 1.0", "+1,1e0", "2,.5", "3,0.", "4,5E-1", *(f"{points},-0" for points in range(5, 11))]
    cells, _ = read_table(file(tmp_path, "\ufeff deadwood , knock ", *lines, "", ""))
    assert cells.shares.ravel().tolist() == [1, 1, 0.5, 0, 0.5, *[0] * 6]
    assert not np.signbit(cells.shares).any()


def test_the_largest_table_fits(tmp_path: Path) -> None:
    """33 bands of leads, 22 steps: 8,018 values."""
    path = str(tmp_path / "large.csv")
    shares = np.random.default_rng(3).random((33, 1, 22, 11))
    write_table(path, KnockCells("turn", 1, tuple(range(-16, 16)), shares))
    cells, _ = read_table(path)
    assert (cells.shares == shares).all() and cells.leads == tuple(range(-16, 16))
    made = player(parse_strategy(str(KnockTable(path))))
    assert play_match(made, made, Rules.preset("standard"), pairs=20 if COMPILED else 1).pairs > 0


# --- written and read ----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("number", range(8))
def test_written_tables_are_read_alike(tmp_path: Path, kind: str, number: int) -> None:
    """Random grids; what is written lasts, and so does every probability to the last bit."""
    source = np.random.default_rng(number)
    axis = AXES[number % 4]
    steps = int(source.integers(2, 9)) if axis else 1
    leads = tuple(sorted(source.choice(80, number // 2, replace=False).tolist()))
    shares = source.random((len(leads) + 1, 1 + number % 2, steps, 11))
    cells = KnockCells(axis, 3 if axis else 0, leads, shares)
    path = str(tmp_path / f"t.{kind}")
    count = write_table(path, cells)
    again, _ = read_table(path)
    assert count == shares.size
    assert list(again.rows()) == list(cells.rows())
    inner = again.shares  # the outer steps are written as open, so they may lie elsewhere
    assert (inner == shares).all() and again.leads == leads
    assert str(Span(1, None)) == "1 to ..." and str(Span()) == "any"


# --- what is refused -----------------------------------------------------------------------------

HEAD = "deadwood,stock,knock"
WRONG = {
    "no-rows": (["deadwood,knock"], "no rows"),
    "unknown": (["deadwood,knock,colour", "1,1,red"], "unknown column 'colour'; there can be deadwood"),
    "semicolons": (["deadwood;knock", "1;1"], "unknown column 'deadwood;knock'"),
    "no-header": (ALL, "unknown column '0'"),
    "no-deadwood": (["stock,knock", "1,1"], "missing column deadwood"),
    "no-knock": (["deadwood,stock", "1,1"], "missing column knock"),
    "half-span": (["deadwood,stock_from,knock", "1,1,1"], "missing column stock_to"),
    "both": (["deadwood,turn,turn_from,turn_to,knock", "1,1,1,1,1"], "columns turn and turn_from: give one"),
    "two-stocks": (["deadwood,stock,stock_before,knock", "1,1,1,1"], "stock and stock_before: a table"),
    "two-axes": (["deadwood,stock,turn,knock", "1,1,1,1"], "columns stock and turn: a table has one"),
    "repeated": (["deadwood,knock,knock", "1,1,1"], "column knock is there twice"),
    "word": ([HEAD, "0,1,1", "x,1,1"], "line 3, column deadwood: 'x' is not a whole number 0-10"),
    "fraction": ([HEAD, "1.5,1,1"], "line 2, column deadwood: '1.5' is not a whole number 0-10"),
    "deadwood": ([HEAD, "11,1,1"], "line 2, column deadwood: '11' is not a whole number 0-10"),
    "negative": ([HEAD, "-1,1,1"], "line 2, column deadwood: '-1' is not a whole number 0-10"),
    "stock": ([HEAD, "1,56,1"], "line 2, column stock: '56' is not a whole number 0-55"),
    "turn": (["deadwood,turn,knock", "1,0,1"], "line 2, column turn: '0' is not a whole number 1-400"),
    "gap": ([HEAD, "1,,1"], "line 2, column stock: '' is not a whole number 0-55"),
    "huge": ([HEAD, f"{'9' * 5000},1,1"], r"line 2, column deadwood: '9{36}\.\.\. is not a whole number"),
    "digits": ([HEAD, "\u0663,1,1"], "line 2, column deadwood: .* is not a whole number"),
    "knock-word": ([HEAD, "1,1,often"], "line 2, column knock: 'often' is not a number"),
    "knock-empty": ([HEAD, "1,1,"], "line 2, column knock: '' is not a number"),
    "knock-nan": ([HEAD, "1,1,nan"], "line 2, column knock: 'nan' is not a number"),
    "knock-underscore": ([HEAD, "1,1,0_1"], "line 2, column knock: '0_1' is not a number"),
    "knock-code": ([HEAD, "1,1,__import__('os')"], "line 2, column knock: .*__import__.* is not a number"),
    "knock-high": ([HEAD, "1,1,1.01"], "line 2, column knock: '1.01' is not in 0-1"),
    "knock-low": ([HEAD, "1,1,-1e-9"], "line 2, column knock: '-1e-9' is not in 0-1"),
    "knock-inf": ([HEAD, "1,1,1e999"], "line 2, column knock: '1e999' is not in 0-1"),
    "last": (["deadwood,last_discard,knock", "1,king,1"], "line 2, column last_discard: 'king' is not ten"),
    "short": ([HEAD, "1,1"], "line 2: 2 values, there are 3 columns"),
    "long": ([HEAD, "1,1,1", "1,1,1,1"], "line 3: 4 values, there are 3 columns"),
    "quote": ([HEAD, '1,1,"1'], "line 2: unexpected end of data"),
    "backwards": (["deadwood_from,deadwood_to,knock", "4,3,1"], "line 2, column deadwood_from: 4 is more"),
    "twice": (["deadwood,knock", *ALL, "4,0.5"], r"line 13: deadwood 4 is given before, in line 6"),
    "overlap": (
        ["deadwood,stock_from,stock_to,last_discard,knock", "3,0,9,,1", "3,10,,ten,1", "3,9,12,other,1"],
        "line 4: deadwood 3, stock 9, last_discard other is given before, in line 2",
    ),
    "leads-overlap": (
        ["deadwood,lead_from,lead_to,knock", "3,,9,1", "3,5,20,1"],
        "line 3: deadwood 3, lead 5 to 9 is given before, in line 2",
    ),
    "missing": (["deadwood,knock", *ALL[:7], *ALL[8:]], "no row gives deadwood 7"),
    "no-gin": (["deadwood,knock", *ALL[1:]], "no row gives deadwood 0"),
    "missing-cell": (
        [HEAD, *(f"{points},{stock},1" for points in range(11) for stock in (4, 6))],
        "no row gives deadwood 0, stock 5",
    ),
    "missing-ten": (
        ["deadwood_from,deadwood_to,last_discard,knock", "0,9,,1", "10,10,other,1"],
        "no row gives deadwood 10, last_discard ten",
    ),
    "missing-lead": (
        ["deadwood_from,deadwood_to,lead_from,lead_to,knock", ",,,-1,1", ",,1,,0"],
        "no row gives deadwood 0, lead 0",
    ),
    "many-rows": ([HEAD, *["1,1,1"] * 8193], "too large: more than 8192 rows"),
    "many-cells": (
        ["deadwood_from,deadwood_to,turn_from,turn_to,last_discard,knock", ",,1,,ten,1", ",,1,400,other,1"],
        "too large: 8800 values, at most 8192",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("lines", "message"), WRONG.values(), ids=WRONG)
def test_wrong_tables(tmp_path: Path, lines: list[str], message: str) -> None:
    path = file(tmp_path, *lines)
    with pytest.raises(StrategyError, match=message) as error:
        parse_strategy(f'knock_table("{Path(path).as_posix()}")')
    told = str(error.value)
    assert told.startswith(f"table {Path(path).as_posix()}: ") and "\n" not in told and len(told) < 400


class TestFiles:
    def test_empty(self, tmp_path: Path) -> None:
        for content in (b"", b"\n\n", b"\xef\xbb\xbf"):
            path = tmp_path / "t.csv"
            path.write_bytes(content)
            with pytest.raises(StrategyError, match=r"t\.csv: the file is empty"):
                KnockTable(str(path))

    def test_missing(self, tmp_path: Path) -> None:
        with pytest.raises(StrategyError, match=r"nowhere\.csv: No such file"):
            KnockTable(str(tmp_path / "nowhere.csv"))
        with pytest.raises(StrategyError, match="not a file"):
            (tmp_path / "folder.csv").mkdir()
            KnockTable(str(tmp_path / "folder.csv"))
        with pytest.raises(StrategyError, match="null"):
            KnockTable("a\0.csv")

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
    def test_a_pipe_is_not_waited_for(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe.csv")
        with pytest.raises(StrategyError, match="pipe.csv: not a file"):
            KnockTable(str(tmp_path / "pipe.csv"))

    def test_other_endings(self, tmp_path: Path) -> None:
        for name in ("t.txt", "t", "t.py", "t.pickle"):
            with pytest.raises(StrategyError, match=r"expected a file that ends in \.csv or \.parquet"):
                KnockTable(file(tmp_path, "deadwood,knock", *ALL, name=name))
        assert KnockTable(file(tmp_path, "deadwood,knock", *ALL, name="T.CSV"))

    def test_not_text(self, tmp_path: Path) -> None:
        path = tmp_path / "t.csv"
        path.write_bytes(b"deadwood,knock\n0,1\n\xff,1\n")
        with pytest.raises(StrategyError, match=r"t\.csv: line 3: not text in UTF-8"):
            KnockTable(str(path))

    def test_too_many_bytes(self, tmp_path: Path) -> None:
        path = file(tmp_path, "deadwood,knock", " " * MAX_BYTES)
        with pytest.raises(StrategyError, match="too large: more than 4,000,000 bytes"):
            KnockTable(path)

    @pytest.mark.parametrize("content", [b"deadwood,knock\n", b"PAR1", b"PAR1" + bytes(200) + b"PAR1"])
    def test_not_parquet(self, tmp_path: Path, content: bytes) -> None:
        path = tmp_path / "t.parquet"
        path.write_bytes(content)
        with pytest.raises(StrategyError, match=r"t\.parquet: not a Parquet file: ") as error:
            KnockTable(str(path))
        assert "\n" not in str(error.value)

    @pytest.mark.parametrize(
        ("columns", "message"),
        [
            ({"deadwood": [0, 11], "knock": [1.0, 1.0]}, "row 2, column deadwood: 11 is not a whole"),
            ({"deadwood": [0, None], "knock": [1.0, 1.0]}, "row 2, column deadwood: None is not a whole"),
            ({"deadwood": [0.0, 1.5], "knock": [1.0, 1.0]}, "row 2, column deadwood: 1.5 is not a whole"),
            ({"deadwood": [True], "knock": [1.0]}, "row 1, column deadwood: True is not a whole number"),
            ({"deadwood": [0, 1], "knock": [1.0, float("nan")]}, "row 2, column knock: nan is not in 0-1"),
            ({"deadwood": [0], "knock": [True]}, "row 1, column knock: True is not a number"),
            ({"deadwood": [0], "knock": [[1.0]]}, "column 'knock': list<.*> is neither"),
            ({"deadwood": [0], "knock": [1.0], "x": [1]}, "unknown column 'x'"),
            ({"deadwood": [0, 0], "knock": [1.0, 1.0]}, "row 2: deadwood 0 is given before, in row 1"),
            ({"deadwood": [0] * 9000, "knock": [1.0] * 9000}, "too large: 9000 rows, at most 8192"),
            ({"deadwood": [], "knock": []}, "no rows"),
        ],
    )  # fmt: skip
    def test_wrong_parquet(self, tmp_path: Path, columns: dict[str, Any], message: str) -> None:
        path = tmp_path / "t.parquet"
        pyarrow.parquet.write_table(pyarrow.table(columns), path)
        with pytest.raises(StrategyError, match=message):
            KnockTable(str(path))

    @pytest.mark.parametrize(
        ("length", "message"),
        [(3_000_000, r"row 1, column last_discard: 'x{36}\.\.\. is not ten"), (5_000_000, "bytes unpacked")],
    )
    def test_one_long_text_in_every_row(self, tmp_path: Path, length: int, message: str) -> None:
        """A kilobyte that would unpack to gigabytes is refused at its first row."""
        ones = pyarrow.array([0] * 8000, pyarrow.int32())
        texts = pyarrow.DictionaryArray.from_arrays(ones, pyarrow.array(["x" * length]))
        path = tmp_path / "t.parquet"
        columns = {"deadwood": ones, "knock": ones, "last_discard": texts}
        pyarrow.parquet.write_table(pyarrow.table(columns), path, compression="zstd")
        assert path.stat().st_size < 3_000
        with pytest.raises(StrategyError, match=message):
            KnockTable(str(path))

    def test_damaged_parquet(self, tmp_path: Path) -> None:
        """Bytes changed anywhere: read all the same or refused, never anything else."""
        path, source = tmp_path / "t.parquet", random.Random(5)
        write_table(str(path), read_table(str(EXAMPLE))[0])
        whole, refused = path.read_bytes(), 0
        for _ in range(100):
            damaged = bytearray(whole)
            for _ in range(source.randint(1, 5)):
                damaged[source.randrange(len(damaged))] = source.randrange(256)
            path.write_bytes(damaged)
            try:
                KnockTable(str(path))
            except StrategyError as error:
                assert "\n" not in str(error)
                refused += 1
        assert refused > 10

    def test_gaps_that_became_fractions(self, tmp_path: Path) -> None:
        """A column of whole numbers with gaps is one of fractions in many tools, the gaps no-numbers."""
        gap = float("nan")
        columns = {"deadwood_from": [gap, 1.0], "deadwood_to": [0.0, gap], "last_discard": [gap, gap]}
        columns["knock"] = [1.0, 0.0]
        path = tmp_path / "t.parquet"
        pyarrow.parquet.write_table(pyarrow.table(columns), path)
        assert read_table(str(path))[0].shares.ravel().tolist() == [1.0, *[0.0] * 10]


# --- text and identity ---------------------------------------------------------------------------

NAMES = ["plain.csv", "two words.csv", "it's.csv", 'a "b".csv', "é ü 漢字 🂡.csv", "a\\b.csv", "new\nline.csv"]


@pytest.mark.parametrize("name", NAMES)
def test_any_path_survives_as_text(tmp_path: Path, name: str) -> None:
    if os.name == "nt" and set(name) & set('\\"\n'):
        pytest.skip("no file is called so here")
    made = KnockTable(file(tmp_path, "deadwood,knock", *ALL, name=name))
    text = f"combine(draw=gold, knock={made}, discard=gold)"
    assert parse_strategy(str(made)) == made
    assert parse_strategy(text).owner("knock") == made
    assert str(parse_strategy(str(parse_strategy(text)))) == str(parse_strategy(text))


def test_the_text_form(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file(tmp_path, "deadwood,knock", *ALL)
    monkeypatch.chdir(tmp_path)
    assert str(KnockTable("table.csv")) == 'knock_table("table.csv")'
    texts = ("knock_table('table.csv')", 'knock_table(path="table.csv")', ' knock_table ( "table.csv", ) ')
    for text in texts:
        assert str(parse_strategy(text)) == 'knock_table("table.csv")'
    assert KnockTable.parameters()[0]["kind"] == "file"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("knock_table", "give the path of a table"),
        ('knock_table("")', "give the path of a table"),
        ("knock_table(table)", "path is the path of a file in quotes"),
        ("knock_table(3)", "path is the path of a file in quotes"),
        ("knock_table(b'table.csv')", "path is the path of a file in quotes"),
        ("knock_table(f'{1}.csv')", "path is the path of a file in quotes"),
        ("knock_table('a' + '.csv')", "path is the path of a file in quotes"),
        ("knock_table('a.csv', 'b.csv')", "knock_table takes 1 parameters"),
        (f"knock_table('{'a' * 1000}')", "characters, at most 1000"),
        ("knock_table('C:\\data\\t.csv')", r"'C:\\\\data\\t.csv': "),  # one backslash and t are a tab
        ("threshold('4')", "values are numbers, true or false"),
    ],
)  # fmt: skip
def test_wrong_paths(text: str, message: str) -> None:
    with pytest.raises(StrategyError, match=message):
        parse_strategy(text)
    with pytest.raises(StrategyError, match="path must be the path of a file, as text"):
        number: Any = 3  # what a caller without a type checker may pass
        KnockTable(number)


def test_a_changed_file_is_another_strategy(tmp_path: Path) -> None:
    path = file(tmp_path, "deadwood,knock", *ALL)
    one, same = KnockTable(path), KnockTable(path)
    assert one == same and hash(one) == hash(same) and len({one, same}) == 1
    file(tmp_path, "deadwood,knock", *ALL[:-1], "10,0")
    other = KnockTable(path)
    assert one != other and one.files() != other.files() and str(one) == str(other)
    assert one.cells().shares[0, 0, 0, 10] == 1 and other.cells().shares[0, 0, 0, 10] == 0
    assert one != "knock_table"
    combined = parse_strategy(f"combine(draw={other}, knock={other}, discard=gold)")
    assert combined.files() == other.files() and list(combined.files()) == [path]
    assert parse_strategy("gold").files() == {}


# --- in play -------------------------------------------------------------------------------------


def played(text: str, rules: str = "standard") -> bytes:
    made, rival = player(parse_strategy(text)), player(parse_strategy("simple"))
    return play_match(made, rival, Rules.preset(rules), pairs=200 if COMPILED else 1, seed=8).tally.tobytes()


def test_a_part_of_a_combined_strategy(tmp_path: Path) -> None:
    """Its layout stands behind the parameters of the other parts."""
    lines = [f"{points},{int(points < 5)}" for points in range(11)]
    table = KnockTable(file(tmp_path, "deadwood,knock", *lines))
    combined = f"combine(draw=gold(3), knock={table}, discard=simple(false))"
    assert parse_strategy(combined).starts() == (0, 2, 7, 0)
    assert played(combined) == played("combine(draw=gold, knock=threshold(4), discard=simple(false))")


def test_the_example_in_play() -> None:
    """Gin always, the lower hands rather than the higher, and not all that are legal."""
    made = player(KnockTable(str(EXAMPLE)))
    pairs = 2000 if COMPILED else 4
    run = play_match(made, player(parse_strategy("gold")), Rules.preset("eaai"), pairs=pairs, seed=2)
    counters = run.tally.total("knocks")[0].sum(axis=0)  # deadwood, counter
    taken, declined = (counters[:, KNOCK_FIELDS.index(name)] for name in ("taken", "declined"))
    assert declined[0] == 0 and declined[1:].sum() > 0
    if COMPILED:
        assert taken[0] > 0
        assert taken[1:6].sum() / declined[1:6].sum() > taken[6:].sum() / declined[6:].sum() > 0.3


def test_in_the_solo_game() -> None:
    made = player(KnockTable(str(EXAMPLE)))
    games = 20 if COMPILED else 1
    assert play_solo(made, Rules.preset("bga_solo"), games=games, seed=1).games == games
