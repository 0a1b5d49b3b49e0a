"""What reads text or bytes from outside, what it may answer, and inputs that are nearly right.

Any input gives a value or the parser's own error, whose message is one line; and what was read, written down
again, is read as the same.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import strategies as st

from analysis.console import UsageError
from analysis.experiment.experiment import Experiment
from analysis.knocking.history import WHO, read_history
from analysis.report.reproduce import to_toml
from analysis.score_game import keep_score, parse_hands
from sim.cards import CardError, format_cards, parse_card, parse_card_list, parse_cards
from sim.rules import Rules, RulesError, parse_overrides
from strategies.base import MAX_TEXT, StrategyError, parse_strategy
from strategies.knock_cells import KnockCells
from strategies.table_file import read_table, write_table

CORPUS = Path(__file__).parent / "corpus"
MESSAGE = 2_000
"""Characters of a message at most."""

NOWHERE = Path("/nonexistent/fuzz")
"""Where strategy files of fuzzed experiments are looked for."""


class Parser(NamedTuple):
    """A parser under test.

    Attributes
    ----------
    read : callable
        Reads and checks; raises one of ``errors`` at bad input, and `AssertionError` if it is wrong itself.
    errors : tuple of exception types
        Its own.
    inputs : search strategy
        Of bytes.
    """

    read: Callable[[bytes], None]
    errors: tuple[type[Exception], ...]
    inputs: st.SearchStrategy[bytes]


def check(parser: Parser, data: bytes) -> str:
    """Read an input; return ``value`` or the name of the error.

    Raises
    ------
    AssertionError
        If the message is none of a line.
    Exception
        Whatever else came: a fault.
    """
    try:
        parser.read(data)
    except parser.errors as error:
        told = str(error)
        assert told and len(told.splitlines()) == 1, f"not one line: {told!r}"
        assert len(told) <= MESSAGE, f"a message of {len(told)} characters"
        return type(error).__name__
    return "value"


def corpus(name: str) -> list[Path]:
    """Return the kept inputs of a parser."""
    return sorted((CORPUS / name).iterdir())


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass" if data.isascii() else "surrogateescape")


def _strategy(data: bytes) -> None:
    chosen = parse_strategy(_text(data))
    assert len(str(chosen)) <= MAX_TEXT
    assert parse_strategy(str(chosen)) == chosen


def _cards(data: bytes) -> None:
    text = _text(data)
    cards = parse_card_list(text)
    mask = parse_cards(text, what="cards")
    assert sum(cards) == mask == parse_cards(format_cards(mask))
    if len(cards) != 10:
        with pytest.raises(CardError, match="expected 10"):
            parse_cards(text, 10)


def _rules(data: bytes) -> None:
    preset, *settings = _text(data).split("\n")
    rules = Rules.preset(preset).replace(**parse_overrides(settings))
    assert Rules(**rules.to_dict()) == rules
    rules.require_two_players()


def _sheet(data: bytes) -> None:
    text = _text(data)
    hands = parse_hands(text)
    written = ", ".join(
        "-" if side is None else f"{'AB'[side]} {points}" + ("" if boxes is None else f"/{boxes}")
        for side, points, boxes in hands
    )
    assert parse_hands(written) == hands
    if len(hands) <= 20:
        keep_score(text, Rules.preset("default"))


def _history(data: bytes) -> None:
    rules = Rules.preset("default")
    upcard = parse_card("TH")
    text = _text(data)
    for dealer in (0, 1):
        turns = read_history(text, rules, dealer, upcard)
        written = []
        for turn in turns:
            words = [f"{WHO[turn.side]}: {'take' if turn.from_discard else 'draw'}"]
            words += [format_cards(turn.drawn)] if turn.drawn else []
            words += [f"discard {format_cards(turn.discard)}"] if turn.discard else []
            written.append(" ".join(words))
        if written:
            assert read_history("; ".join(written), rules, dealer, upcard) == turns


def _experiment(data: bytes) -> None:
    experiment = Experiment.from_text(_text(data), "fuzz.toml", NOWHERE)
    again = Experiment.from_text(to_toml(experiment.to_dict()), "again.toml", NOWHERE)
    assert again.spec == experiment.spec
    assert again.cells == experiment.cells


def _table(ending: str) -> Callable[[bytes], None]:
    def read(data: bytes) -> None:
        with tempfile.TemporaryDirectory() as home:
            path, again = f"{home}/t{ending}", f"{home}/again{ending}"
            Path(path).write_bytes(data)
            cells, _ = read_table(path)
            write_table(again, cells)
            assert list(read_table(again)[0].rows()) == list(cells.rows())

    return read


# --- inputs --------------------------------------------------------------------------------------

_NASTY = [
    "",
    "\0",
    "\n",
    "\r",
    "\ufeff",
    "\u202e",
    "\ud800",
    "ſ",
    "١",
    "ｇ",
    "\x1b[2J",
    "'",
    '"',
    '"""',
    "\\",
    "{k}",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "-",
    "--",
    "+",
    "*",
    "**",
    ",",
    ";",
    ":",
    "=",
    ".",
    "..",
    "/",
    "#",
    "1e400",
    "nan",
    "inf",
    "-inf",
    "NaN",
    "Infinity",
    "null",
    "None",
    "true",
    "True",
    "9" * 30,
    "9" * 5000,
    "0x" + "f" * 40,
    "1_0",
    "(" * 300,
    "[" * 1200,
    "a." * 20,
    "-" * 200,
    "__import__('os')",
    "lambda: 0",
    "1 if 1 else 2",
    "%s",
    "{{7*7}}",
    "<script>",
]


def _edited(seed: bytes, edits: Sequence[tuple[float, int, bytes]]) -> bytes:
    """Return a seed with places overwritten, filled in, cut out or doubled."""
    data = seed
    for place, kind, piece in edits:
        at = int(place * len(data))
        if kind == 0:
            data = data[:at] + piece + data[at:]
        elif kind == 1:
            data = data[:at] + piece + data[at + len(piece) :]
        elif kind == 2:
            data = data[:at] + data[at + 1 + len(piece) :]
        else:
            data = data[:at] + data[at : at + 20] * 2 + data[at + 20 :]
    return data[:200_000]


def _near(seeds: Sequence[bytes], words: Sequence[str], raw: bool = False) -> st.SearchStrategy[bytes]:
    """Return inputs: words in any order, and seeds that are edited."""
    pieces = st.sampled_from([word.encode("utf-8", "surrogatepass") for word in (*words, *_NASTY)])
    any_text = st.text(max_size=12).map(lambda text: text.encode("utf-8", "surrogatepass"))
    piece = pieces | any_text | (st.binary(max_size=8) if raw else any_text)
    edit = st.tuples(st.floats(0, 1), st.integers(0, 3), piece)
    edited = st.builds(_edited, st.sampled_from(list(seeds)), st.lists(edit, max_size=2))
    return edited | st.lists(piece, max_size=12).map(b"".join)


def _words(text: str) -> list[str]:
    return text.split("|")


_STRATEGIES = [
    b"gold",
    b"threshold(k=4)",
    b"two_stage(early=9, late=4, switch=5)",
    b"combine(draw=gold, knock=threshold(2), discard=simple)",
    b"monte_carlo()",
    b'knock_table("docs/examples/knock_table.csv")',
    b"combine(gold, gold, combine(gold, simple, gold))",
]
_TOML = b"""title = "T"
seed = 3
pairs = 10
question = "Why?"
[strategies]
a = "threshold({k})"
b = "simple"
[rules]
base = "eaai"
column_multipliers = [1]
[axes]
k = [4, 7]
undercut_bonus = [0, 25]
"""
_TOML_2 = b"""title = 'W'
seed = 0
half_width = 0.01
max_pairs = 2000
metric = "points_per_hand"
record = ["knocks"]
score = "10:20"
dealer = "a"
[strategies]
b = "gold"
[axes]
who = [{label = "x", a = "simple", gin_bonus = 20}, {a = "gold"}]
"""
_CSV = [
    b"deadwood,knock\n" + b"".join(b"%d,%d\n" % (points, points < 5) for points in range(11)),
    b"deadwood,stock_from,stock_to,knock\n"
    + b"".join(b"%d,,9,1\n%d,10,,0.5\n" % (points, points) for points in range(11)),
    b"deadwood,lead_from,lead_to,last_discard,knock\n"
    + b"".join(b"%d,,,ten,1\n%d,,,other,.25\n" % (points, points) for points in range(11)),
]


def _parquet_seeds() -> list[bytes]:
    """Return the CSV seeds as Parquet."""
    seeds = []
    with tempfile.TemporaryDirectory() as home:
        for content in _CSV:
            csv, parquet = f"{home}/t.csv", f"{home}/t.parquet"
            Path(csv).write_bytes(content)
            cells: KnockCells = read_table(csv)[0]
            write_table(parquet, cells)
            seeds.append(Path(parquet).read_bytes())
    return seeds


PARSERS = {
    "strategy": Parser(
        _strategy,
        (StrategyError,),
        _near(
            _STRATEGIES,
            _words("gold|threshold|combine|knock_table|k=|draw=|knock=|discard=|4|1.5|true| |'t.csv'"),
        ),
    ),
    "cards": Parser(
        _cards,
        (CardError,),
        _near([b"AS 2S TD KC", b"10H,9h 8c"], _words("AS|2h|TD|10|10C|KC|J|Q| |,|\t|S|H")),
    ),
    "rules": Parser(
        _rules,
        (RulesError,),
        _near(
            [
                b"default\ngin_bonus=20\nbig_gin_bonus=null",
                b"eaai\ncolumn_multipliers=[1,2]",
                b"default\nsolo=null",
            ],
            [*_words('default|eaai|=|{}|[1]|{"a":1}|20|-1|solo=|deck='), "\n", *Rules.__dataclass_fields__],
        ),
    ),
    "sheet": Parser(
        _sheet,
        (UsageError, RulesError),
        _near([b"A 42, B 16/2, - 0, A 9", b"b 1000000", b"-,-"], _words("A |B |-|, |42|/2|/99|1000001|0| ")),
    ),
    "history": Parser(
        _history,
        (UsageError, CardError),
        _near(
            [
                b"opp: pass; me: pass; opp: draw discard 2C; me: take discard KS; opp: draw discard 3D",
                b"opp: take TH discard 2C; me: draw 7H",
                b"me: take discard KS; opp: draw discard AS;",
            ],
            _words("me: |opp: |pass|draw|take| |discard |KS|TH|; |;"),
        ),
    ),
    "experiment": Parser(
        _experiment,
        (UsageError,),
        _near(
            [_TOML, _TOML_2],
            [
                *_words("title|seed|pairs = 5|[axes]|[rules]|k = [1]|{a = 1}|{label=''}"),
                "strategy_files = ['../x.py']",
                "\n",
                "= 2026-01-01",
                "= 1e400",
                "= 99999999999999999999",
                "[[axes.k]]",
                "sprt = {s0 = 0.4, s1 = 0.6}",
                'unit = "hand"',
                "gin_bonus = ",
            ],
        ),
    ),
    "table_csv": Parser(
        _table(".csv"),
        (StrategyError,),
        _near(
            _CSV,
            _words("deadwood|stock|turn|lead_from|lead_to|last_discard|knock|ten|other|0|10|0.5|1e-9"),
            raw=True,
        ),
    ),
    "table_parquet": Parser(
        _table(".parquet"), (StrategyError,), _near(_parquet_seeds(), ["PAR1"], raw=True)
    ),
}
