"""The command ``strategies show``: one strategy in full."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from analysis.app import JsonOption, compiling
from analysis.cli_play import FilesOption
from analysis.cli_reference import strategies_app
from analysis.console import print_fields, print_json, print_table


@strategies_app.command(
    "show",
    epilog="""Examples:

  ginlab strategies show two_stage
  ginlab strategies show combine --json
  ginlab strategies show wary --strategy-file docs/examples/wary.py""",
)
def show_strategy(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A name from 'ginlab strategies'.")],
    files: FilesOption = None,
    as_json: JsonOption = False,
) -> None:
    """Tell one strategy in full: parameters, where its rules come from, source, how to combine it."""
    from analysis.families import family_report

    if files:
        from strategies.base import load_strategy_file

        with compiling():
            for file in files:
                load_strategy_file(file)
    report = family_report(name)
    if as_json:
        print_json(report)
    else:
        _show(report)


def _show(report: dict[str, Any]) -> None:
    from analysis.families import combining_text, parameter_rows, rule_fields, table_in

    typer.echo(report["name"])
    for paragraph in report["description"].split("\n\n"):
        table = table_in(paragraph)
        if table is not None:
            headers, rows = table
            print_table(("  ", *headers), [("", *row) for row in rows])
        else:
            print_fields([("  ", line) for line in paragraph.split("\n")])
    typer.echo()
    if report["parameters"]:
        print_table(("Parameter", "Default", "Range", "Meaning"), parameter_rows(report))
    else:
        typer.echo("No parameters")
    typer.echo("\nRules")
    print_fields(rule_fields(report))
    combined = report["combined"] or {}
    missing = f"not at its defaults: {report['example_missing']}"
    fields = [
        ("Source", report["source"] or "not told"),
        ("Defined in", report["defined_in"]),
        ("Written as", missing if report["example"] is None else f'"{report["example"]}"'),
        ("Combined", combining_text(report)),
    ]
    if combined.get("example"):
        fields.append(("", f'"{combined["example"]}"'))
    typer.echo()
    print_fields(fields)
