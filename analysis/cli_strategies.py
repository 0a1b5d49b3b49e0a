"""The commands about strategies: ``strategies`` lists them, ``strategies show`` tells one in full."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from analysis.app import REFERENCE, JsonOption, app, compiling
from analysis.cli_play import FilesOption
from analysis.console import Ginlab, print_fields, print_json, print_table

strategies_app = typer.Typer(cls=Ginlab, rich_markup_mode="rich")
app.add_typer(
    strategies_app,
    name="strategies",
    rich_help_panel=REFERENCE,
    invoke_without_command=True,
    epilog="""Examples:

  ginlab strategies
  ginlab strategies --json
  ginlab strategies show threshold""",
)


@strategies_app.callback()
def list_strategies(context: typer.Context, as_json: JsonOption = False) -> None:
    """List the strategies with their parameters; 'show' tells one in full."""
    if context.invoked_subcommand is not None:
        return
    from analysis.families import range_text, value_text
    from strategies.base import registered

    families = registered()
    if as_json:
        listed = [
            {"name": name, "description": family.summary(), "parameters": family.parameters()}
            for name, family in families.items()
        ]
        print_json({"strategies": listed})
        return
    for name, family in families.items():
        parameters = family.parameters()
        values = ", ".join(
            f"{one['name']}={'STRATEGY' if one['kind'] == 'strategy' else value_text(one['default'])}"
            for one in parameters
            if one["kind"] != "strategy, optional"
        )
        typer.echo(f"{name}({values})" if values else name)
        print_fields([("  ", family.summary().replace("``", ""))])
        rows = [(f"    {one['name']}", f"{one['doc']} ({range_text(one)})") for one in parameters]
        if rows:
            print_fields(rows)


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
    from analysis.families import combining_text, parameter_rows, rule_fields

    typer.echo(report["name"])
    for paragraph in report["description"].split("\n\n"):
        print_fields([("  ", paragraph)])
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
