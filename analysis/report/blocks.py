"""What a page is made of, before it is Markdown or HTML.

Texts are plain, but for backticks around what is typed or named exactly, such as strategies and commands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Text:
    """A paragraph; ``lead`` if it stands out."""

    text: str
    lead: bool = False


@dataclass(frozen=True)
class Heading:
    """A heading below that of the section."""

    text: str


@dataclass(frozen=True)
class Note:
    """A paragraph that nobody should miss."""

    text: str


@dataclass(frozen=True)
class Items:
    """A list of sentences."""

    items: Sequence[str]


@dataclass(frozen=True)
class Terms:
    """Words and what they mean."""

    terms: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Code:
    """Lines to type, or of a file."""

    text: str
    language: str = "sh"


@dataclass(frozen=True)
class Cell:
    """A cell of a table.

    Attributes
    ----------
    text : str
        What is shown.
    value : float or None
        The number it is sorted by, if it has one.
    more : str
        What follows the text in smaller type: the interval.
    """

    text: str
    value: float | None = None
    more: str = ""


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes
    ----------
    caption : str
        What it holds.
    headers : sequence of str
    rows : sequence of sequence of (str or Cell)
        A column whose cells carry values is set to the right.
    sortable : bool
        True if the page lets the reader sort it.
    """

    caption: str
    headers: Sequence[str]
    rows: Sequence[Sequence[str | Cell]]
    sortable: bool = False

    def cells(self) -> list[list[Cell]]:
        """Return the rows, all as cells."""
        return [[cell if isinstance(cell, Cell) else Cell(cell) for cell in row] for row in self.rows]

    def numeric(self) -> list[bool]:
        """Return for each column whether it holds numbers."""
        rows = self.cells()
        return [any(row[at].value is not None for row in rows) for at in range(len(self.headers))]


@dataclass(frozen=True)
class Figure:
    """A chart that has been saved.

    Attributes
    ----------
    name : str
        Its files are ``figures/<name>...``.
    heading, caption, alt : str
    """

    name: str
    heading: str
    caption: str
    alt: str


@dataclass(frozen=True)
class Folded:
    """Something long that the reader opens if he wants it."""

    summary: str
    blocks: Sequence[Block]


Block = Text | Heading | Note | Items | Terms | Code | Table | Figure | Folded


@dataclass
class Section:
    """A part of the page under a heading."""

    anchor: str
    title: str
    blocks: list[Block] = field(default_factory=list)


@dataclass(frozen=True)
class Page:
    """A page: title, question, a line of facts, and its sections."""

    title: str
    question: str
    facts: str
    sections: Sequence[Section]


def plain(text: str) -> str:
    """Return a text from outside as one line, without what would be read as marks of ours."""
    return " ".join(text.replace("`", "'").split())


def code(text: str) -> str:
    """Return a text from outside, marked as exact."""
    return f"`{plain(text)}`"


def kind(block: Block) -> str:
    """Return the name of a block's kind, in lower case."""
    return type(block).__name__.lower()
