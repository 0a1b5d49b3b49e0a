"""The commands about single hands: ``solve``, ``defend``, ``score``."""

from __future__ import annotations

from typing import Annotated

import typer

from analysis.app import (
    HANDS,
    JsonOption,
    RulesOption,
    SetOption,
    TakenOption,
    answer,
    app,
    compiling,
    whole_number,
)
from analysis.console import UsageError, load_rules


@app.command(
    rich_help_panel=HANDS,
    epilog="""Examples:

  ginlab solve "6H QH QC 5H KD KH 7H KC 4H QD"
  ginlab solve "AC 2C 3C 4D 5D 6D 7H 8H 9H TS JS" --taken JS
  ginlab solve "QH KH AH 5S 5D 5C" --rules round_the_corner --json""",
)
def solve(
    cards: Annotated[str, typer.Argument(metavar="CARDS", help="Up to 11 cards, in quotes.")],
    taken: TakenOption = None,
    limit_card: Annotated[
        str | None, typer.Option(metavar="CARD", help="The card that sets the knock limit (Oklahoma).")
    ] = None,
    rules: RulesOption = "default",
    settings: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find the best melds of a hand; of 11 cards also discards and knocks."""
    chosen = load_rules(rules, settings or ())
    with compiling():
        from analysis.hands import describe_solution, solve_hand

    told = solve_hand(cards, chosen, taken, limit_card)
    answer(told, describe_solution(told, chosen), as_json)


@app.command(
    rich_help_panel=HANDS,
    epilog="""Examples:

  ginlab defend "3S 4S 8S 4C 8C 4D 8D 5H 6H 7H" --spread "5S 6S 7S | 5C 6C 7C"
  ginlab defend "5S 7S TD 9H" --spread "AS 2S 3S 4S" --gin --rules fournier""",
)
def defend(
    cards: Annotated[str, typer.Argument(metavar="CARDS", help="The defender's cards, in quotes.")],
    spread: Annotated[str, typer.Option(metavar="MELDS", help="The knocker's melds, parted by |.")],
    gin: Annotated[
        bool, typer.Option("--gin", help="The knocker has gin: no lay-offs unless the rules allow them.")
    ] = False,
    rules: RulesOption = "default",
    settings: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find the defender's best melds and lay-offs against a spread."""
    chosen = load_rules(rules, settings or ())
    with compiling():
        from analysis.hands import defend_hand, describe_defence

    told = defend_hand(cards, spread, chosen, gin)
    answer(told, describe_defence(told), as_json)


@app.command(
    rich_help_panel=HANDS,
    epilog="""Examples:

  ginlab score --knocker "KS KH KD 4H 5H 6H 8C 9C TC AS" --discard QD \\
      --defender "KC 2S 2H 2D QH 9S 5D 3C 6S JH"
  ginlab score --knocker "AS 2S 3S 5H 5D 5C 9C TC JC QC KC" --big-gin \\
      --defender "KH KD QH 8S 8D 7S 4H 4C 3D 2H" --rules standard
  ginlab score --rules bga_solo --knocker "3H 4H 5H 9S 9D 9C JD QD KD 6C" \\
      --stock-cards "7S 2C KH 4S JK" --jokers-out 1

The spread is the engine's choice unless given. Without --taken the knocker drew from the stock.
Big gin under rules without it counts as gin; the lowest card that can be spared is thrown.""",
)
def score(
    knocker: Annotated[
        str, typer.Option(metavar="CARDS", help="The knocker's cards after his discard; 11 with --big-gin.")
    ],
    defender: Annotated[
        str | None, typer.Option(metavar="CARDS", help="The defender's cards; none in a solo game.")
    ] = None,
    discard: Annotated[str | None, typer.Option(metavar="CARD", help="The card thrown.")] = None,
    big_gin: Annotated[bool, typer.Option("--big-gin", help="All melded, nothing thrown.")] = False,
    no_knock: Annotated[bool, typer.Option("--no-knock", help="Thrown without a knock.")] = False,
    spread: Annotated[
        str | None, typer.Option(metavar="MELDS", help="The knocker's melds, parted by |.")
    ] = None,
    taken: TakenOption = None,
    upcard: Annotated[str | None, typer.Option(metavar="CARD", help="The first upcard.")] = None,
    knock_card: Annotated[
        str | None, typer.Option(metavar="CARD", help="The card that sets the limit.")
    ] = None,
    stock: Annotated[
        int | None, typer.Option(metavar="N", parser=whole_number(0), help="Cards left in the stock.")
    ] = None,
    stock_cards: Annotated[
        str | None,
        typer.Option(metavar="CARDS", help="Solo: the stock from the top to its first joker, JK."),
    ] = None,
    jokers_out: Annotated[
        int | None,
        typer.Option(metavar="N", parser=whole_number(0), help="Solo: jokers removed so far; 0 if left out."),
    ] = None,
    rules: RulesOption = "default",
    settings: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Score the end of a hand from the cards of both players, or of a solo hand."""
    chosen = load_rules(rules, settings or ())
    if chosen.solo is not None:
        others = {
            "--defender": defender,
            "--big-gin": big_gin,
            "--no-knock": no_knock,
            "--spread": spread,
            "--taken": taken,
            "--upcard": upcard,
            "--knock-card": knock_card,
            "--stock": stock,
        }
        for option, value in others.items():
            if value is not None and value is not False:  # 0 cards are told too
                raise UsageError(f"{option}: does not go with a solo game (rules {rules})")
        with compiling():
            from analysis.solo import describe_solo_score, score_solo_ending

        one = score_solo_ending(
            chosen, knocker=knocker, stock_cards=stock_cards, jokers_out=jokers_out or 0, discard=discard
        )
        answer(one, describe_solo_score(one, chosen), as_json)
        return
    for option, used in (("--stock-cards", stock_cards), ("--jokers-out", jokers_out)):
        if used is not None:
            raise UsageError(f"{option}: goes with a solo game, such as --rules bga_solo")
    if defender is None:
        raise UsageError("missing option '--defender': the rules are for two players")
    with compiling():
        from analysis.ending import describe_score, score_ending

    told = score_ending(
        chosen,
        knocker=knocker,
        defender=defender,
        discard=discard,
        big_gin=big_gin,
        no_knock=no_knock,
        spread=spread,
        taken=taken,
        upcard=upcard,
        knock_card=knock_card,
        stock=stock,
    )
    answer(told, describe_score(told), as_json)
