"""Write an article: a page, its charts and tables, and a manifest that says how to get the same numbers.

Each folder beside this file is one article with a ``build.py``, run from the project's folder as
``python -m results.NAME.build``. It has two functions: ``main``, which rebuilds the folder, and
``replay(pairs)``, which plays the first pairs of every run of it and returns integers; the manifest records
what it returned, and a test plays them again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analysis.charts.save import Saved
from analysis.knocking.styles import SETTINGS
from analysis.stats.estimates import Estimate
from results import settings as twelve
from results.settings import Setting
from sim.run import Player, play_match
from sim.tally import OUTCOMES

if TYPE_CHECKING:
    from pandas import DataFrame

    from sim.rules import Rules

SCHEMA = 1
PREFIX = 64
"""Pairs of each run whose integers the manifest records."""
MINUS = "\N{MINUS SIGN}"


@dataclass(frozen=True)
class Claim:
    """A sentence that stands on one number, played twice.

    Attributes
    ----------
    words : str
        What is claimed; the numbers follow it.
    value, again : Estimate
        On the article's decks and on fresh ones.
    even : float
        The value at which the claim would be empty: it is supported if both intervals lie on one side of it.
    scale : float
        Factor from the estimate to what is printed.
    unit : str
        Printed behind each number.
    digits : int
        Decimals.
    settings : tuple of Setting
        The same question under other styles and opponents; none if it was not asked there.
    settings_even : float, optional
        What ``even`` is in the settings, where they ask for a difference in place of a share.
    """

    words: str
    value: Estimate
    again: Estimate
    even: float = 0.0
    scale: float = 1.0
    unit: str = ""
    digits: int = 2
    settings: tuple[Setting, ...] = ()
    settings_even: float | None = None

    @property
    def side(self) -> int:
        """The side of ``even`` on which both intervals lie, 1 above and -1 below it; 0 if they do not."""
        one, other = (twelve.side(estimate, self.even) for estimate in (self.value, self.again))
        return one if one == other else 0

    @property
    def supported(self) -> bool:
        """Whether both intervals lie on the same side of ``even``."""
        return self.side != 0

    @property
    def even_there(self) -> float:
        """The value at which the question is empty in the settings."""
        return self.even if self.settings_even is None else self.settings_even

    def text(self) -> str:
        """Return the sentence with its numbers, and in how many settings it is so."""
        numbers = f"{self.words}: {self._number(self.value)}; on fresh decks {self._number(self.again)}"
        if not self.settings:
            return f"{numbers}."
        shown = f"{self.scale * self.even_there:g}{self.unit if self.even_there else ''}"
        return f"{numbers}; {twelve.told(self.settings, self.side, self.even_there, shown)}."

    def _number(self, value: Estimate) -> str:
        return interval(value, self.scale, self.unit, self.digits, signed=self.even == 0)


def interval(
    value: Estimate, scale: float = 1.0, unit: str = "", digits: int = 2, signed: bool = False
) -> str:
    """Write an estimate with its 95 % interval."""

    def told(number: float | None) -> str:
        if number is None:
            return "n/a"
        text = f"{scale * number:+.{digits}f}" if signed else f"{scale * number:.{digits}f}"
        return text.replace("-", MINUS)

    if value.low is None or value.high is None or isnan(value.low) or isnan(value.high):
        return f"{told(value.estimate)}{unit}"  # known exactly, as by symmetry, or too little to tell
    return f"{told(value.estimate)}{unit} ({told(value.low)} to {told(value.high)})"


@dataclass(frozen=True)
class Article:
    """What a folder of results says.

    Attributes
    ----------
    title, question : str
    claims : sequence of Claim
        Those that are not supported are told as open.
    charts : sequence of (Saved, str)
        Charts that lie in the folder, and what each shows.
    tables : sequence of (str, str, DataFrame)
        Heading, name of a CSV file in the folder, and the rows shown on the page, as they are to be read.
    made : sequence of str
        How the numbers came about: players, rules, decks; population and continuation are added.
    limits : sequence of str
        What the numbers do not say.
    manifest : mapping
        ``seeds``, ``pairs``, ``rules``, players, ``population`` and ``continuation``; ``prefix`` is added.
    settings : (str, str), optional
        What each setting plays, and what the claims' question is there; see `results.settings.note`.
    """

    title: str
    question: str
    claims: Sequence[Claim]
    charts: Sequence[tuple[Saved, str]]
    tables: Sequence[tuple[str, str, DataFrame]]
    made: Sequence[str]
    limits: Sequence[str]
    manifest: Mapping[str, Any] = field(default_factory=dict)
    settings: tuple[str, str] | None = None


def publish(folder: Path, article: Article, replay: Callable[[int], dict[str, Any]]) -> None:
    """Write the page and the manifest of an article; charts and tables lie there already."""
    manifest = {
        "schema": SCHEMA,
        "title": article.title,
        **article.manifest,
        **_settings(folder, article),
        "prefix": {"pairs": PREFIX, "integers": replay(PREFIX)},
    }
    _write(folder / "manifest.json", json.dumps(manifest, indent=1, ensure_ascii=False) + "\n")
    _write(folder / "README.md", _page(folder, article))


def _settings(folder: Path, article: Article) -> dict[str, Any]:
    """Write the table of the settings and return what the manifest says of them."""
    if article.settings is None:
        return {}
    write_table(
        folder,
        twelve.TABLE,
        twelve.table((one.words, one.even_there, one.settings) for one in article.claims),
    )
    played, question = article.settings
    told = {"seed": twelve.SEED, "played": played, "question": question, "table": twelve.TABLE}
    return {"settings": {**told, "of": [f"{style} v {opponent}" for style, opponent in SETTINGS]}}


def _page(folder: Path, article: Article) -> str:
    supported = [claim for claim in article.claims if claim.supported]
    open_ = [claim for claim in article.claims if not claim.supported]
    lines = [f"# {article.title}", "", f"*{article.question}*", ""]
    lines += [f"- {claim.text()}" for claim in supported]
    if open_:
        lines += ["", "Not settled by these runs:", "", *(f"- {claim.text()}" for claim in open_)]
    if article.settings is not None:
        lines += ["", twelve.note(*article.settings)]
    for saved, shown in article.charts:
        lines += [
            "",
            f"![{saved.alt}]({saved.png.name})",
            "",
            f"{shown} ([SVG]({saved.svg.name}), [data]({saved.csv.name}))",
        ]
    for heading, name, rows in article.tables:
        lines += ["", f"## {heading}", "", *table_lines(rows), "", f"All digits: [{name}]({name})."]
    lines += ["", "## How it was made", "", *(f"- {line}" for line in article.made)]
    lines += [
        f"- Population: {article.manifest['population']}. Continuation: {article.manifest['continuation']}.",
        "- Intervals are 95 %. What is quoted above was played again on decks of another seed first.",
        "- Rebuild this folder, in the project's folder: "
        f"`python -m results.{folder.name}.build`. The seeds fix every number.",
    ]
    lines += ["", "## What it does not say", "", *(f"- {line}" for line in article.limits)]
    return "\n".join(lines) + "\n"


def table_lines(rows: DataFrame) -> list[str]:
    """Return a table of texts as lines of Markdown."""
    columns = [str(name) for name in rows.columns]
    told = [
        columns,
        ["---"] * len(columns),
        *([str(cell) for cell in row] for row in rows.itertuples(index=False)),
    ]
    return ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in told]


def write_table(folder: Path, name: str, rows: DataFrame) -> None:
    """Write a table at full precision into an article's folder."""
    _write(folder / name, rows.to_csv(index=False, lineterminator="\n"))


def rules_of(**named: Rules) -> dict[str, Any]:
    """Return rule sets for a manifest: by name, hash and every field."""
    return {name: {"hash": rules.hash, "fields": rules.to_dict()} for name, rules in named.items()}


def match_integers(a: Player, b: Player, rules: Rules, pairs: int, seed: int) -> dict[str, int]:
    """Return the sums of outcomes of the first pairs of a match."""
    tally = play_match(a, b, rules, pairs=pairs, seed=seed).tally
    return {name: tally.outcome(name) for name in OUTCOMES}


def _write(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    part = path.with_name(path.name + ".part")
    part.write_text(text, encoding="utf-8")
    os.replace(part, path)
