"""The commands that list what there is: ``rules``, ``strategies``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from analysis.app import REFERENCE, JsonOption, SetOption, app
from analysis.console import (
    Ginlab,
    UsageError,
    load_rules,
    print_fields,
    print_json,
    print_table,
    print_text,
)


@app.command(
    "rules",
    rich_help_panel=REFERENCE,
    epilog="""Examples:

  ginlab rules
  ginlab rules fournier
  ginlab rules eaai --set gin_bonus=20 --json""",
)
def list_rules(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="The preset to show in full.")] = None,
    settings: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the rules presets, or show every field of one."""
    if name is None:
        if settings:
            raise UsageError(f"--set {settings[0]}: goes with the name of a preset")
        _list_presets(as_json)
    else:
        _show_preset(name, settings or [], as_json)


def _list_presets(as_json: bool) -> None:
    from sim.rules import Rules, preset_description, preset_names

    listed = [(name, preset_description(name), Rules.preset(name)) for name in preset_names()]
    if as_json:
        presets = [{"name": name, "description": about, **_summary(rules)} for name, about, rules in listed]
        print_json({"presets": presets})
        return
    print_table(("Preset", "Description"), [(name, about) for name, about, _ in listed])


def _summary(rules: Any) -> dict[str, Any]:
    return {"hash": rules.hash, "players": 1 if rules.solo else 2}


def _show_preset(name: str, settings: list[str], as_json: bool) -> None:
    from sim.rules import Rules, preset_description

    chosen = load_rules(name, settings)
    about = preset_description(name)
    values, changes = chosen.to_dict(), chosen.changes()
    if as_json:
        told = {"name": name, "description": about, **_summary(chosen), "rules": values, "changes": changes}
        print_json({**told, "docs": {field: Rules.doc(field) for field in values}})
        return
    changed = f", changed by {' '.join(settings)}" if settings else ""
    fields = [("Preset", name + changed), ("", about), ("Hash", chosen.hash)]
    print_fields([*fields, ("Marked *", "differs from the preset default")])
    typer.echo()
    rows = []
    for field, value in values.items():
        shown = "see below" if isinstance(value, dict) else _value_text(value)
        rows.append(("*" if field in changes else "", field, shown, Rules.doc(field)))
    print_table(("", "Field", "Value", "Meaning"), rows)
    if chosen.solo is not None:
        typer.echo()
        specs = chosen.solo.__dataclass_fields__
        rows = [
            ("", f"solo.{field}", _value_text(value), specs[field].metadata["doc"])
            for field, value in values["solo"].items()
        ]
        print_table(("", "Field", "Value", "Meaning"), rows)


def _value_text(value: Any) -> str:
    """Write a value as ``--set`` and the text of a strategy take it."""
    import json

    return value if isinstance(value, str) else json.dumps(value)


KINDS = {"flag": "true or false", "file": "a path in quotes"}
WRITTEN = {"strategy": "STRATEGY", "file": '"FILE"'}
"""What stands for a parameter without a default."""

strategies_app = typer.Typer(cls=Ginlab)
app.add_typer(strategies_app, name="strategies", rich_help_panel=REFERENCE)


@strategies_app.callback(
    invoke_without_command=True,
    epilog="Examples:\n\n  ginlab strategies --json\n\n  ginlab strategies show threshold\n"
    "  ginlab strategies export gin_only --out gin.csv",
)
def list_strategies(context: typer.Context, as_json: JsonOption = False) -> None:
    """List the strategies with their parameters, tell one in full, or write its knock rule as a table."""
    if context.invoked_subcommand is not None:
        if as_json:
            raise UsageError(f"--json: goes after {context.invoked_subcommand}")
        return
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
            f"{one['name']}={_value_text(one['default'] or WRITTEN.get(one['kind'], one['default']))}"
            for one in parameters
            if one["kind"] != "strategy, optional"
        )
        print_text(f"{name}({values})" if values else name)
        print_fields([("  ", family.summary().replace("``", ""))])
        rows = []
        for one in parameters:
            span = "{}-{}".format(*one["range"]) if one["range"] else KINDS.get(one["kind"], one["kind"])
            rows.append((f"    {one['name']}", f"{one['doc']} ({span})"))
        if rows:
            print_fields(rows)
