"""The code shown in docs/library.md runs as it stands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TEXT = (Path(__file__).resolve().parent.parent / "docs" / "library.md").read_text(encoding="utf-8")


def test_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    assert len(blocks) == 7
    names: dict[str, object] = {}
    for block in blocks:
        few = block.replace("pairs=1000", "pairs=20").replace("pairs = 200", "pairs = 20")
        exec(compile(few, "docs/library.md", "exec"), names)
    out = capsys.readouterr().out
    assert "throw 2S, 0 points are left" in out
    assert "knocks of B that could leave 10" in out
    assert "game 0 (252, 56)" in out
    assert "wins the game" in out
    assert "game_share_high" in out
