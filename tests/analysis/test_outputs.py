"""Files that a command is to write: refused before it plays, so that no run is lost for its output."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.analysis.command_line import refused

COMMANDS = (
    (("knock-value", "gold", "simple"), "--csv", "--chart"),
    (("knock-value", "gold", "simple"), "--undercut-chart", "--chart"),
    (("best-reply", "--against", "simple"), "--out", "--chart"),
    (("best-reply", "--against", "simple"), "--chart", "--trace-chart"),
    (("equilibrium",), "--out", "--chart"),
    (("equilibrium",), "--chart", "--gain-chart"),
    (("equity", "gold", "simple"), "--csv", "--chart"),
)


@pytest.mark.parametrize(("command", "one", "other"), COMMANDS)
def test_files_that_cannot_be_written_are_refused(
    command: tuple[str, ...], one: str, other: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder.csv").mkdir()
    Path("sub").mkdir()
    refused(*command, one, "folder.csv", names=f"{one} folder.csv: folder.csv is a folder")
    refused(*command, other, "folder", names=f"{other} folder: folder.csv is a folder")
    refused(*command, other, ".", names=f"{other} '.': not the name of a file")
    refused(*command, other, "no/file", names=f"{other} no/file: there is no folder no")
    # A chart's data is a CSV file of its own, which would replace the table.
    refused(*command, one, "same.csv", other, "sub/../same.svg", names="is written by --")


def test_a_chart_of_tuning_is_refused_before_the_search(tmp_path: Path) -> None:
    tune = ("tune", "threshold", "--against", "simple", "--chart")
    refused(*tune, str(tmp_path / "no" / "x"), names="there is no folder")
    refused(*tune, ".", names="not the name of a file")
