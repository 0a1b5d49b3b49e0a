"""Files that travel: checked, unpacked once, read by paths the client never had, forgotten at the end."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from analysis.cluster import luggage as luggage_module
from analysis.cluster.luggage import Luggage, Unpacked, forget, luggage_of, unpacked
from analysis.console import UsageError
from analysis.experiment.experiment import Experiment
from sim.run import RunError
from strategies import base
from strategies.base import StrategyError, registered

EXAMPLES = Path(__file__).resolve().parents[3] / "docs" / "examples"
TABLE = "deadwood_from,deadwood_to,knock\n0,4,1\n5,10,0\n"


@pytest.fixture(autouse=True)
def _nothing_is_left() -> Iterator[None]:
    loaded = dict(luggage_module._LOADED)
    yield
    forget(list(luggage_module._OPEN))
    luggage_module._LOADED.clear()
    luggage_module._LOADED.update(loaded)


def with_files(folder: Path, a: str = "my_gold", table: str = "ta ble.csv") -> Experiment:
    (folder / "my_gold.py").write_bytes((EXAMPLES / "my_gold.py").read_bytes())
    (folder / table).write_text(TABLE)
    path = json.dumps(str(folder / table))
    text = f"""
title = "Files"
seed = 1
pairs = 2
strategy_files = ["my_gold.py"]
[strategies]
a = "{a}"
b = 'combine(draw=gold, knock=knock_table({path}), discard=simple)'
"""
    return Experiment.from_text(text, folder=folder)


def elsewhere(experiment: Experiment, folder: Path) -> tuple[Luggage, Any]:
    """Return the luggage and the cell of an experiment whose files are gone, as for another machine."""
    luggage, cell = luggage_of(experiment), experiment.cells[0]
    for path in folder.iterdir():
        path.unlink()
    for name in [name for name, one in registered().items() if one.__module__.startswith(base.USER)]:
        sys.modules.pop(base._REGISTRY.pop(name).__module__)
    return luggage, cell


def test_it_is_plain_data(tmp_path: Path) -> None:
    luggage = luggage_of(with_files(tmp_path))
    (packed,), (table,) = luggage["strategies"], luggage["tables"]
    assert packed["content"] == (tmp_path / "my_gold.py").read_bytes()
    assert (table["path"], table["content"]) == (str(tmp_path / "ta ble.csv"), TABLE.encode())
    assert {type(one) for packed in (packed, table) for one in packed.values()} == {str, bytes}


def test_strategies_are_played_without_the_clients_files(tmp_path: Path) -> None:
    mine, theirs = tmp_path / "mine", tmp_path / "theirs"
    mine.mkdir()
    theirs.mkdir()
    luggage, cell = elsewhere(with_files(mine), mine)
    here = unpacked(luggage, theirs)
    assert unpacked(luggage, theirs) is here
    for text in (cell.a, cell.b):
        player = here.player(text)
        assert player.name == text and here.player(text) is player
        assert str(theirs) not in player.name
    assert "my_gold" not in registered()  # the registry is as it was
    assert here.folder.parent == theirs and here.folder.stat().st_mode & 0o777 == 0o700
    forget(["unknown", luggage["run"]])
    assert not list(theirs.iterdir())


def test_a_task_that_comes_after_the_end_unpacks_nothing(tmp_path: Path) -> None:
    """One that was under way when the run was cancelled would leave a folder that nobody removes."""
    luggage = luggage_of(with_files(tmp_path))
    forget([luggage["run"]])
    home = tmp_path / "home"
    home.mkdir()
    with pytest.raises(RunError, match="the run has ended"):
        unpacked(luggage, home)
    assert not list(home.iterdir()) and luggage["run"] not in luggage_module._OPEN


def test_messages_name_the_clients_files(tmp_path: Path) -> None:
    luggage, cell = elsewhere(with_files(tmp_path, table='a "b" \\c.csv'), tmp_path)
    here = Unpacked(luggage)
    (mine,) = [path for path, one in here.paths.items() if one.endswith(".csv")]
    theirs = str(tmp_path / 'a "b" \\c.csv')
    assert here.told(f"{mine}: gone; knock_table({json.dumps(mine)})") == (
        f"{theirs}: gone; knock_table({json.dumps(theirs)})"
    )
    assert here.player(cell.b).name == cell.b
    here.close()
    assert not here.folder.exists()


def test_damage_on_the_way_is_refused(tmp_path: Path) -> None:
    luggage = luggage_of(with_files(tmp_path))
    luggage["tables"][0]["content"] += b"\n"
    home = tmp_path / "home"
    home.mkdir()
    with pytest.raises(RunError, match=r"ta ble\.csv: arrived damaged"):
        unpacked(luggage, home)
    assert not list(home.iterdir()) and luggage["run"] not in luggage_module._OPEN


def test_a_file_that_changed_since_it_was_read_is_refused(tmp_path: Path) -> None:
    experiment = with_files(tmp_path)
    (tmp_path / "ta ble.csv").write_text(TABLE.replace("4,1", "4,0"))
    with pytest.raises(RunError, match=r"ta ble\.csv: changed since the experiment was read"):
        luggage_module._packed(str(tmp_path / "ta ble.csv"), "0" * 16)
    (tmp_path / "my_gold.py").unlink()
    with pytest.raises(UsageError, match=r"my_gold\.py: No such file"):
        luggage_of(experiment)


def test_other_files_with_strategies_of_the_same_names(tmp_path: Path) -> None:
    """Somebody edits his file and sweeps again, on workers that have played the one before."""
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    before, cell = elsewhere(with_files(one), one)
    old = unpacked(before)
    experiment = with_files(two)
    with (two / "my_gold.py").open("a") as file:
        file.write("\n# changed\n")
    after, cell = elsewhere(experiment, two)
    new = unpacked(after)
    assert old.families["my_gold"] is not new.families["my_gold"]
    assert old.player(cell.a).name == new.player(cell.a).name


def test_a_file_that_cannot_be_run_on_the_worker(tmp_path: Path) -> None:
    luggage = luggage_of(with_files(tmp_path))
    content = b"import nothing_of_this_name\n"
    digest = hashlib.sha256(content).hexdigest()
    luggage["strategies"][0] |= {"content": content, "sha256": digest}
    with pytest.raises(StrategyError, match="nothing_of_this_name"):
        unpacked(luggage)
    assert not [name for name in sys.modules if name.endswith(digest[:12])]


def test_no_files_no_trouble() -> None:
    luggage = luggage_of(Experiment.from_toml("bonuses"))
    assert luggage["strategies"] == luggage["tables"] == []
    assert unpacked(luggage).player("simple").name == "simple"
