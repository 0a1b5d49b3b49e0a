"""The command that adds up the score sheet of a game: ``score-game``."""

from __future__ import annotations

from typing import Annotated

import typer

from analysis.app import HANDS, JsonOption, RulesOption, SetOption, app, compiling
from analysis.console import load_two_player_rules, print_json, print_table, print_text


@app.command(
    "score-game",
    rich_help_panel=HANDS,
    epilog="""Examples:

  ginlab score-game --rules fournier --hands "A 42, A 37, B 16, A 30"
  ginlab score-game --rules hollywood --hands "A 25, A 18, A 36, B 40, - 0, A 30"
  ginlab score-game --rules oklahoma_kisses --hands "A 42/3, B 64/2, A 120" --json

A hand is a side and its points, with its boxes if they are not one: A 42/3. A hand that nobody won is -.""",
)
def score_game(
    hands: Annotated[
        str, typer.Option(metavar="HANDS", help="Hands in order, parted by commas: 'A 42, B 16/2, -'.")
    ],
    rules: RulesOption = "default",
    settings: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Add up a game from the points of its hands: boxes, bonuses, columns, who wins."""
    chosen = load_two_player_rules(rules, settings or ())
    with compiling():
        from analysis.score_game import keep_score, sheet_dict, sheet_tables, sheet_verdict

        sheets = keep_score(hands, chosen)
    if as_json:
        print_json(sheet_dict(sheets[-1], chosen))
        return
    for headers, rows in sheet_tables(hands, sheets, chosen):
        print_table(headers, rows)
        typer.echo()
    print_text(sheet_verdict(sheets[-1], chosen))
