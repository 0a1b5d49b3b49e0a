"""The command that advises on a position: ``advise``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from analysis.app import HANDS, JsonOption, RulesOption, SetOption, app, compiling, stoppable, whole_number
from analysis.cli_play import FilesOption, SeedOption, ThreadsOption
from analysis.console import (
    INTERRUPTED,
    RUN_FAILED,
    UsageError,
    complain,
    load_two_player_rules,
    print_json,
    print_table,
    print_text,
    progress_bar,
)


def _card(help: str) -> Any:
    return typer.Option(metavar="CARD", help=help)


def _cards(help: str) -> Any:
    return typer.Option(metavar="CARDS", help=help)


@app.command(
    rich_help_panel=HANDS,
    epilog="""Examples:

  ginlab advise "2S 3S 4S 5S 9H 9D 9C AD 2D 4D KH" --drawn KH --upcard TH --dealer opp \\
      --score 62:80 --my-discards "TC JD" --opp-discards "KD QC"
  ginlab advise "2S 3S 4S 5S 9H 9D 9C AD 2D 4D" --upcard TH --dealer opp --against gin_only \\
      --history "me: pass; opp: pass; me: draw discard TC; opp: draw discard KD; me: draw KH"

A history is one item a turn. Cards you drew from the stock need not be named. Without it give the
discards of both in order, and what was taken from the pile: all other draws were from the stock.""",
)
def advise(
    cards: Annotated[
        str, typer.Argument(metavar="CARDS", help="Your cards, with or without the one just drawn.")
    ],
    dealer: Annotated[str, typer.Option(metavar="me|opp", help="Who dealt the hand.")],
    upcard: Annotated[str | None, _card("The first upcard.")] = None,
    drawn: Annotated[str | None, _card("The card you have just drawn from the stock.")] = None,
    taken: Annotated[str | None, _card("The card you have just taken from the pile.")] = None,
    score: Annotated[
        str | None, typer.Option(metavar="ME:OPP", help="Points of both before the hand, such as 62:80.")
    ] = None,
    history: Annotated[
        str | None, typer.Option(metavar="TURNS", help="All turns: 'me: pass; opp: draw discard KS; ...'.")
    ] = None,
    my_discards: Annotated[str | None, _cards("Your discards, in order.")] = None,
    opp_discards: Annotated[str | None, _cards("The opponent's discards, in order.")] = None,
    i_took: Annotated[str, _cards("Cards you took from the pile in earlier turns.")] = "",
    opp_took: Annotated[str, _cards("Cards the opponent took from the pile.")] = "",
    turn: Annotated[
        int | None,
        typer.Option(metavar="N", parser=whole_number(1), help="Your own turn, to check the history by."),
    ] = None,
    limit_card: Annotated[
        str | None, _card("The card that sets the limit, if it is none of the deck.")
    ] = None,
    own: Annotated[
        str, typer.Option("--own", metavar="STRATEGY", help="How you draw, discard and go on.")
    ] = "gold",
    against: Annotated[
        list[str] | None,
        typer.Option(metavar="STRATEGY", help="An opponent to assume; can be repeated. A panel if left out."),
    ] = None,
    slips: Annotated[
        float,
        typer.Option(
            min=0.0,
            max=1.0,
            metavar="P",
            help="Probability that at a decision seen he did anything legal, whatever his strategy says.",
        ),
    ] = 0.0,
    worlds: Annotated[
        int,
        typer.Option(metavar="N", parser=whole_number(200), help="Worlds that fit, after which to stop."),
    ] = 20_000,
    tries: Annotated[
        int | None,
        typer.Option(metavar="N", parser=whole_number(1, 2**40), help="Worlds drawn, after which to stop."),
    ] = None,
    seconds: Annotated[
        float, typer.Option(min=0.1, metavar="S", help="Seconds for an opponent, after which to stop.")
    ] = 20.0,
    rules: RulesOption = "default",
    settings: SetOption = None,
    seed: SeedOption = 7,
    threads: ThreadsOption = None,
    files: FilesOption = None,
    as_json: JsonOption = False,
) -> None:
    """Advise on a position: knock, or wait? Against opponents who might have played as was seen."""
    from analysis.request import available_threads, parse_score
    from strategies.base import load_strategy_file, parse_strategy

    chosen = load_two_player_rules(rules, settings or ())
    scores = parse_score(score, chosen, "yours and the opponent's")
    if dealer.lower() not in ("me", "opp"):
        raise UsageError(f"--dealer {dealer!r}: expected me or opp")
    with compiling():
        for file in files or ():
            load_strategy_file(file)
        from analysis.knocking import advise as room
        from analysis.knocking.position import read_position
    mine = parse_strategy(own)
    panel = [parse_strategy(text) for text in against or room.PANEL]
    texts = [str(opponent) for opponent in panel]
    for at, text in enumerate(texts):
        if text in texts[:at]:
            raise UsageError(f"--against {text}: named twice")
    position = read_position(
        chosen, cards, dealer=("me", "opp").index(dealer.lower()), upcard=upcard, drawn=drawn, taken=taken,
        history=history, my_discards=my_discards, opp_discards=opp_discards, i_took=i_took,
        opp_took=opp_took, turn=turn, limit_card=limit_card,
    )  # fmt: skip
    effort = room.Effort(worlds, tries or room.LAST_WORLD, seconds)
    found: list[Any] = []
    notes: dict[str, None] = {}  # why there is no game share
    interrupted = False
    try:
        with stoppable(), progress_bar(1000 * len(panel), "worlds that fit", as_json) as update:
            for number, opponent in enumerate(panel):

                def on_progress(
                    fitting: int, done: float, number: int = number, word: str = texts[number]
                ) -> None:
                    update(int(1000 * (number + min(done, 1.0))), word, fitting)

                workers = threads or available_threads()
                reason = room.no_game(position, mine, opponent)
                equity = None
                if reason is not None:
                    notes[reason] = None
                else:
                    equity = room.game_equity(position, mine, opponent, scores, seed=seed, threads=workers)
                told = room.advise(
                    position, mine, opponent, scores=scores, effort=effort, slips=slips,
                    seed=seed, equity=equity,
                    threads=workers, on_progress=on_progress,
                )  # fmt: skip
                found.append(told)
    except KeyboardInterrupt:
        interrupted = True
    if not found:
        complain("interrupted before any opponent was finished")
        raise typer.Exit(INTERRUPTED)
    if not any(told.verdict for told in found):
        complain(room.refusal(found, slips))
        raise typer.Exit(INTERRUPTED if interrupted else RUN_FAILED)
    if as_json:
        report = {
            "position": position.to_dict(),
            "rules": rules,
            "settings": settings or [],
            "score": list(scores),
            "own": str(mine),
            "slips": slips,
            "seed": seed,
            "least_worlds": room.LEAST_WORLDS,
            "no_game_share": list(notes),
            "interrupted": interrupted,
            "answer": room.sentence(found),
            "against": [told.to_dict() for told in found],
        }
        print_json(report)
    else:
        _show(room, position, mine, found, list(notes), interrupted, len(panel), slips)
    if interrupted:
        raise typer.Exit(INTERRUPTED)


def _show(
    room: Any, position: Any, own: Any, found: list[Any], notes: list[str], interrupted: bool, asked: int,
    slips: float,
) -> None:  # fmt: skip
    if interrupted:
        print_text(f"Interrupted: {len(found)} of {asked} opponents are finished.\n")
    with_share = any(told.choices["knock"].share is not None for told in found if told.verdict)
    for line in room.position_text(position, own, with_share, slips):
        print_text(line)
    for note in notes:
        print_text(f"No game share: {note}.")
    for told in found:
        typer.echo()
        print_text(
            f"Against {told.opponent}: {told.worlds:,} of {told.tried:,} worlds fit (effective sample size "
            f"{told.worlds:,})"
        )
        if told.verdict is None:
            print_text(f"No advice: fewer than {room.LEAST_WORLDS}.")
            continue
        with_share = told.choices["knock"].share is not None
        print_table(room.headers(with_share), room.rows(told))
        low, high = 100 * told.undercut.low, 100 * told.undercut.high
        print_text(f"Undercut if you knock: {100 * told.undercut.estimate:.1f} % [{low:.1f}, {high:.1f}].")
    typer.echo()
    print_text(room.sentence(found))
