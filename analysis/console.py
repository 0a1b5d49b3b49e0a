"""What all commands share: errors in one line, exit codes, JSON, aligned text, rules from options.

Nothing heavy is imported when this module is: help and errors do not wait for the engine.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperGroup

if TYPE_CHECKING:
    from sim.rules import Rules

RUN_FAILED = 1
"""Exit code: a run or its data failed."""

WRONG_USAGE = 2
"""Exit code: the input cannot be used."""

INTERRUPTED = 130
"""Exit code: stopped by Ctrl-C."""


class UsageError(ValueError):
    """Input that cannot be used; the message names it."""


EXIT_CODES = (
    ("sim.cards", "CardError", WRONG_USAGE),
    ("sim.rules", "RulesError", WRONG_USAGE),
    ("sim.layoff", "LayoffError", WRONG_USAGE),
    ("strategies.base", "StrategyError", WRONG_USAGE),
    ("sim.run", "RunError", RUN_FAILED),
)
"""Exceptions that are told in one line, by module and name, so that none is imported to be caught."""


def exit_code(error: BaseException) -> int | None:
    """Return the exit code of an error that is told in one line, or None for a fault of our own."""
    if isinstance(error, UsageError):
        return WRONG_USAGE
    for module, name, code in EXIT_CODES:
        known = getattr(sys.modules.get(module), name, None)
        if known is not None and isinstance(error, known):
            return code
    return None


def complain(message: str) -> None:
    """Print one line on stderr, ``ginlab: <message>``; what would steer a terminal is written out."""
    line = " ".join(message.split())
    if not line.isprintable():
        line = "".join(one if one.isprintable() else repr(one)[1:-1] for one in line)
    typer.echo(f"ginlab: {line}", err=True)


class Ginlab(TyperGroup):
    """The group of all commands: tells errors in one line and turns them into exit codes."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the group's options, flags without a type in the help."""
        return _bare_flags(super().get_params(ctx))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command, its flags without a type in the help."""
        command = super().get_command(ctx, cmd_name)
        if command is not None:
            _bare_flags(command.get_params(ctx))
        return command

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run a command and leave with its exit code."""

        def run() -> Any:
            return super(Ginlab, self).main(
                args, prog_name, complete_var, False, windows_expand_args, **extra
            )

        if not standalone_mode:
            return run()
        try:
            result = run()
        except typer.TyperException as error:  # the parser's own; empty after help was printed
            message = error.format_message().strip().removesuffix(".")
            context = getattr(error, "ctx", None)
            if message and context is not None:
                message += f"; see '{context.command_path} --help'"
            if message:
                complain(message[:1].lower() + message[1:])
            sys.exit(error.exit_code)
        except (KeyboardInterrupt, typer.Abort):
            sys.exit(INTERRUPTED)
        except BrokenPipeError:  # the reader has gone; there is nobody to tell
            sys.stdout = open(os.devnull, "w")
            sys.exit(RUN_FAILED)
        except OSError as error:
            complain(f"{error.filename or 'output'}: {error.strerror or error}")
            sys.exit(RUN_FAILED)
        except Exception as error:
            code = exit_code(error)
            if code is None:
                raise
            complain(str(error))
            sys.exit(code)
        sys.exit(result if isinstance(result, int) else 0)


def _bare_flags(options: list[Any]) -> list[Any]:
    """Make the help show a flag as ``--json``, not as ``--json <bool>``: it takes no value."""
    for option in options:
        if getattr(option, "is_flag", False):
            option.metavar = ""
    return options


def check_outputs(tables: Mapping[str, Path | None], charts: Mapping[str, Path | None]) -> None:
    """Refuse files that could not be written, or of which one would replace another, before any play.

    Parameters
    ----------
    tables : mapping of str to Path or None
        By option; None where it is left out.
    charts : mapping of str to Path or None
        The same; each is written as three files, the ending being replaced.

    Raises
    ------
    UsageError
        Naming the option.
    """
    taken: dict[Path, str] = {}
    for option, path in (*tables.items(), *charts.items()):
        if path is None:
            continue
        if not path.name:
            raise UsageError(f"{option} {str(path)!r}: not the name of a file")
        if not path.absolute().parent.is_dir():
            raise UsageError(f"{option} {path}: there is no folder {path.parent}")
        endings = (".svg", ".png", ".csv") if option in charts else (path.suffix,)
        for file in [path.with_suffix(ending) for ending in endings]:
            if file.is_dir():
                raise UsageError(f"{option} {path}: {file} is a folder")
            place = file.resolve()
            if place in taken:
                raise UsageError(f"{option} {path}: {file} is written by {taken[place]} too")
            taken[place] = option


def load_rules(preset: str, settings: Iterable[str] = ()) -> Rules:
    """Return the rules of ``--rules PRESET`` changed by each ``--set FIELD=VALUE``.

    Raises
    ------
    RulesError
        If the preset or a field is unknown, or a value is illegal.
    """
    from sim.rules import Rules, parse_overrides

    return Rules.preset(preset).replace(**parse_overrides(settings))


def load_two_player_rules(preset: str, settings: Iterable[str] = ()) -> Rules:
    """Return the rules as `load_rules` does, if two play by them.

    Raises
    ------
    RulesError
        Naming the preset, if it is the one-player game.
    """
    from sim.rules import RulesError

    rules = load_rules(preset, settings)
    try:
        rules.require_two_players()
    except RulesError as error:
        raise RulesError(f"rules {preset}: {error}") from None
    return rules


@contextmanager
def progress_bar(total: int, unit: str, quiet: bool = False) -> Iterator[Callable[..., None]]:
    """Show a bar with number, rate, time to go and a word, on a terminal; nothing elsewhere.

    Parameters
    ----------
    total : int
        Units of the whole.
    unit : str
        What is counted, in the plural.
    quiet : bool
        Show nothing.

    Yields
    ------
    callable
        ``update(finished, word, shown=finished, each=1)``: finished of the total, the word, the number to
        show, and how many units each of the total stands for.
    """
    if quiet or not sys.stderr.isatty():
        yield lambda finished, word, shown=None, each=1.0: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
    from rich.table import Column
    from rich.text import Text

    class Word(ProgressColumn):
        """The word, cut where the line ends: the numbers before it stay whole."""

        def render(self, task: Task) -> Text:
            return Text(task.fields["word"], no_wrap=True, overflow="ellipsis")

    columns = (
        BarColumn(bar_width=12),
        TextColumn("{task.fields[done]} {task.fields[unit]}, {task.fields[rate]}/s,"),
        TimeRemainingColumn(),
        Word(Column()),  # the one column that may be narrowed
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=total, done="0", rate="-", word="", unit=unit)

        def update(finished: int, word: str, shown: int | None = None, each: float = 1.0) -> None:
            speed = bar.tasks[0].speed
            done = f"{finished if shown is None else shown:,}"
            rate = f"{speed * each:,.0f}" if speed else "-"
            bar.update(task, completed=finished, done=done, rate=rate, word=word)

        yield update


def print_text(text: str) -> None:
    """Print a line, wrapped to the width of the terminal."""
    width = shutil.get_terminal_size().columns
    lines = textwrap.wrap(text, max(width, 40), break_on_hyphens=False, break_long_words=False)
    typer.echo("\n".join(lines))


def print_json(value: dict[str, Any]) -> None:
    """Print one JSON object: numbers in full precision, NumPy scalars as numbers, no-numbers as null."""
    typer.echo(json.dumps(_plain(value), indent=2, allow_nan=False))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    if hasattr(value, "tolist"):  # a NumPy scalar or array
        return _plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def print_fields(fields: Sequence[tuple[str, str]]) -> None:
    """Print labels and texts in two aligned columns, texts wrapped to the width of the terminal."""
    gap = max(len(label) for label, _ in fields) + 2
    width = max(shutil.get_terminal_size().columns, gap + 30)
    for label, text in fields:
        lines = textwrap.wrap(text, width - gap, break_on_hyphens=False, break_long_words=False)
        typer.echo(f"{label:<{gap}}{lines[0] if lines else ''}".rstrip())
        for line in lines[1:]:
            typer.echo(" " * gap + line)


def print_table(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print rows under headers; the last column takes the width that is left."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for header in headers[:-1]:
        table.add_column(header, no_wrap=True)
    table.add_column(headers[-1])
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    Console(highlight=False).print(table)
