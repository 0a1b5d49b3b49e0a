"""A knock rule that is read from a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from strategies.base import Decisions, Strategy, StrategyError, file_path, strategy
from strategies.gold import COMPILED as GOLD

if TYPE_CHECKING:
    from strategies.knock_cells import KnockCells

COMPILED = "strategies.compiled.knock_table"


@strategy("knock_table")
@dataclass(frozen=True, eq=False)
class KnockTable(Strategy):
    """Play as gold, knock with the probability that a table in a file gives for the position.

    The file is read once, when the strategy is made; see `strategies.table_file` for its columns. Two
    strategies are equal if path and content are.

    References
    ----------
    Goldstein and others (AAAI-21) publish an equilibrium's knocks in this form.
    """

    path: str = file_path("the table, a CSV or Parquet file")

    decisions = Decisions(GOLD, COMPILED, GOLD)

    def __post_init__(self) -> None:
        """Read the table."""
        super().__post_init__()
        if not self.path:
            raise StrategyError('knock_table: give the path of a table, such as knock_table("table.csv")')
        from strategies.table_file import read_table  # imported here: listings need no reader

        cells, digest = read_table(self.path)
        object.__setattr__(self, "_cells", cells)
        object.__setattr__(self, "_digest", digest)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, KnockTable) and self.files() == other.files()

    def __hash__(self) -> int:
        return hash((self.path, self.files()[self.path]))

    def cells(self) -> KnockCells:
        """Return the knock rule as it was read."""
        cells: KnockCells = vars(self)["_cells"]
        return cells

    def files(self) -> dict[str, str]:
        """Return the path of the table with the hash of its content."""
        return {self.path: vars(self)["_digest"]}

    def params(self) -> list[float]:
        """Return how the table lies: kind of axis, first step, numbers of bands, last discards, steps."""
        return self.cells().layout()

    def table(self) -> Any:
        """Return the starts of the bands of leads and then the probabilities."""
        return self.cells().values()
