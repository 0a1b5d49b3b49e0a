"""The command ``strategies export``: a knock rule as a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from analysis.app import JsonOption, answer, compiling
from analysis.cli_play import FilesOption
from analysis.cli_reference import strategies_app
from analysis.console import UsageError


@strategies_app.command(
    "export",
    epilog="""Examples:

  ginlab strategies export "two_stage(10, 0, 6)" --out two_stage.csv
  ginlab match 'knock_table("two_stage.csv")' gold""",
)
def export(
    text: Annotated[str, typer.Argument(metavar="STRATEGY", help="Whose knock rule is written.")],
    out: Annotated[str, typer.Option(metavar="FILE", help="The table to write, .csv or .parquet.")],
    files: FilesOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write a knock rule as a table that knock_table reads, if deadwood, stock or turn decide it."""
    if Path(out).suffix.lower() not in (".csv", ".parquet"):
        raise UsageError(f"--out {out!r}: expected a file that ends in .csv or .parquet")
    from strategies.base import load_strategy_file, parse_strategy

    with compiling():
        for file in files or ():
            load_strategy_file(file)
        chosen = parse_strategy(text)
        from strategies.export import knock_cells
        from strategies.table_file import write_table

        cells = knock_cells(chosen)
    rows = write_table(out, cells)
    told = {"strategy": str(chosen), "out": out, "axis": cells.axis or None, "rows": rows}
    by = f"deadwood and {cells.axis}" if cells.axis else "deadwood alone"
    answer(told, [("Knock rule", str(chosen)), ("Written to", f"{out}, {rows} rows, by {by}")], as_json)
