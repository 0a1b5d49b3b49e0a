"""The command line's frame: the typer application and the options that commands share.

A command imports what it needs when it runs, so that help answers at once.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from analysis.console import INTERRUPTED, Ginlab, print_fields, print_json

PLAY, EXPERIMENTS, HANDS, REFERENCE = "Play", "Experiments", "Hands", "Reference"
"""Panels of the help."""

app = typer.Typer(
    name="ginlab",
    cls=Ginlab,
    help="A laboratory for Gin Rummy strategy: matches, single hands, house rules.",
    epilog="Cards are rank then suit: AS 2H TD KC. ginlab COMMAND --help has examples.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)

RulesOption = Annotated[
    str, typer.Option("--rules", metavar="PRESET", help="House rules; 'ginlab rules' lists them.")
]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="FIELD=VALUE", help="Change one rule; can be repeated."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
TakenOption = Annotated[
    str | None,
    typer.Option(metavar="CARD", help="The card just taken from the discard pile."),
]


def whole_number(low: int, high: int | None = None) -> Callable[[Any], int]:
    """Return a parser for an option that is a whole number; it names what it refuses."""

    def parse(text: Any) -> int:
        span = f"{low} or more" if high is None else f"{low}-{high}"
        try:
            number = int(text)
        except ValueError:
            raise typer.BadParameter(f"{text!r} is not a whole number ({span})") from None
        if number < low or (high is not None and number > high):
            raise typer.BadParameter(f"{number} is not {span}")
        return number

    parse.__name__ = "N"
    return parse


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import PackageNotFoundError, version

        try:
            typer.echo(f"ginlab {version('ginlab')}")
        except PackageNotFoundError:
            typer.echo("ginlab (not installed)")
        raise typer.Exit()


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Take the options that stand before the command."""


def answer(told: dict[str, Any], fields: list[tuple[str, str]], as_json: bool) -> None:
    """Print an answer: as one JSON object, or as labels and texts."""
    if as_json:
        print_json(told)
    else:
        print_fields(fields)


@contextmanager
def compiling() -> Iterator[None]:
    """Surround imports of kernels: the first run on a machine compiles, says so, and can be stopped.

    Ctrl-C leaves at once. An exception would get lost in the compiler's callbacks; there is nothing to
    save yet, and cache files are written whole or not at all.
    """
    from sim._jit import CACHE_TROUBLE, cache_is_cold

    if cache_is_cold():
        if CACHE_TROUBLE:
            typer.echo(
                f"Compiled code cannot be kept ({CACHE_TROUBLE}): it is compiled for this run alone. "
                "NUMBA_CACHE_DIR=FOLDER names another folder.",
                err=True,
            )
        typer.echo("Compiling the engine for this machine, once: about 20 seconds ...", err=True)
    with _on_interrupt(_leave):
        yield


@contextmanager
def stoppable() -> Iterator[None]:
    """Surround a run: the first Ctrl-C lets it finish what it has begun, the second leaves at once."""

    def stop(*_: Any) -> None:
        signal.signal(signal.SIGINT, _leave)
        raise KeyboardInterrupt

    with _on_interrupt(stop):
        yield


def _leave(*_: Any) -> None:
    os._exit(INTERRUPTED)


@contextmanager
def _on_interrupt(handler: Callable[..., None]) -> Iterator[None]:
    """Handle Ctrl-C by ``handler``, unless it is ignored (in the background) or somebody else's."""
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.default_int_handler or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
