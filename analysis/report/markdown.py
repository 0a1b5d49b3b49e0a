"""A page as Markdown, as GitHub reads it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from analysis.report.blocks import Block, Code, Figure, Folded, Heading, Items, Note, Page, Table, Terms, Text


def to_markdown(page: Page) -> str:
    """Return a page as Markdown; charts are linked as files under ``figures/``."""
    parts = [f"# {inline(page.title)}"]
    if page.question:
        parts.append(f"*{inline(page.question)}*")
    parts.append(inline(page.facts))
    for section in page.sections:
        parts.append(f"## {inline(section.title)}")
        parts += _blocks(section.blocks)
    return "\n\n".join(parts) + "\n"


def inline(text: str) -> str:
    """Return a text whose characters mean nothing to Markdown, but for backticks."""
    parts = text.split("`")
    return "`".join(part if at % 2 else _escape(part) for at, part in enumerate(parts))


def _escape(text: str) -> str:
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\*_\[\]|~#])", r"\\\1", text)


def _blocks(blocks: Sequence[Block]) -> list[str]:
    return [_block(block) for block in blocks]


def _block(block: Block) -> str:
    match block:
        case Text():
            return f"**{inline(block.text)}**" if block.lead and "`" not in block.text else inline(block.text)
        case Heading():
            return f"### {inline(block.text)}"
        case Note():
            return f"> **Note:** {inline(block.text)}"
        case Items():
            return "\n".join(f"- {inline(item)}" for item in block.items)
        case Terms():
            return "\n".join(f"- **{inline(word)}**: {inline(meaning)}" for word, meaning in block.terms)
        case Code():
            return f"```{block.language}\n{block.text}\n```"
        case Table():
            return _table(block)
        case Figure():
            return _figure(block)
        case Folded():
            inner = "\n\n".join(_blocks(block.blocks))
            return f"<details>\n<summary>{inline(block.summary)}</summary>\n\n{inner}\n\n</details>"


def _table(table: Table) -> str:
    def row(cells: Sequence[str]) -> str:
        # Inside a cell a bar ends it even between backticks.
        return "| " + " | ".join(re.sub(r"(?<!\\)\|", r"\\|", inline(cell)) for cell in cells) + " |"

    rules = "|" + "|".join("---:" if numeric else "---" for numeric in table.numeric()) + "|"
    body = [row([f"{cell.text} {cell.more}".strip() for cell in cells]) for cells in table.cells()]
    return "\n".join([inline(table.caption), "", row(table.headers), rules, *body])


def _figure(figure: Figure) -> str:
    alt = _escape(figure.alt.replace("`", "")).replace('"', "&quot;")
    folder = f"figures/{figure.name}"
    return (
        f"### {inline(figure.heading)}\n\n"
        f'<picture><source media="(prefers-color-scheme: dark)" srcset="{folder}-dark.svg">'
        f'<img src="{folder}.svg" alt="{alt}"></picture>\n\n'
        f"{inline(figure.caption)} ([PNG]({folder}.png), [data]({folder}.csv))"
    )
