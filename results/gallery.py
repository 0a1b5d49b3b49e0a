"""Write the gallery: the answers of all articles on a page, with the first chart of each.

    python -m results.gallery

The answers are those of the articles' own pages, word for word; run it after an article has been rebuilt.
"""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).resolve().parent
ORDER = (
    "three_scoreboards",
    "what_a_knock_costs",
    "how_often_undercut",
    "does_the_bonus_matter",
    "nearer_gin",
    "the_score_in_your_head",
    "oklahoma_by_upcard",
    "depends_on_discards",
    "rule_variants",
    "who_moves_first",
    "two_stage_grid",
)
HEAD = """# Results

When should you knock? Each article below is a folder with a page, its charts and their data, and a manifest.
Every number has a 95 % interval; what is quoted was played twice, the second time on fresh decks. An article
is rebuilt by the command on its page; a test plays the first pairs of every run again and compares integers.

"So in 9 of 12 settings" means: asked again under three styles of drawing and discarding against four
opponents, on other decks, the answer is the same in nine of these twelve. Each page says what is asked there.
"""
TAIL = """
## Beside the articles

- [Coverage](coverage/README.md): how often the intervals hold the truth, simulated on the engine's own play.
- [Match equity against play](equity_against_play/README.md): equity beside games played from the score, for
  players who look at it.
- [Reproduction](reproduction/README.md): published values and ours.
"""


def entry(name: str) -> str:
    """Return an article's part of the gallery: title, question, answers, first chart."""
    page = (HERE / name / "README.md").read_text(encoding="utf-8")
    title = page.splitlines()[0].removeprefix("# ")
    question = next(line for line in page.splitlines() if line.startswith("*"))
    answers = page.split("\n![")[0].split("\nNot settled")[0]
    told = [line for line in answers.splitlines() if line.startswith("- ")]
    chart = re.search(r"^!\[(.*)\]\((.*)\)$", page, re.MULTILINE)
    assert chart is not None, name
    lines = [f"\n## [{title}]({name}/README.md)\n", question, "", *told, ""]
    return "\n".join([*lines, f"![{chart[1]}]({name}/{chart[2]})\n"])


def gallery() -> str:
    """Return the page."""
    return HEAD + "".join(entry(name) for name in ORDER) + TAIL


def main() -> None:
    """Write the page."""
    (HERE / "README.md").write_text(gallery(), encoding="utf-8")


if __name__ == "__main__":
    main()
