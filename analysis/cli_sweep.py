"""The commands of experiments: ``plan``, ``sweep``, ``resume``, ``experiments``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from analysis.app import EXPERIMENTS, JsonOption, app, compiling, stoppable, whole_number
from analysis.cli_play import ThreadsOption
from analysis.console import (
    INTERRUPTED,
    UsageError,
    complain,
    print_fields,
    print_json,
    print_table,
    print_text,
    progress_bar,
)

if TYPE_CHECKING:
    from analysis.experiment.experiment import Experiment
    from analysis.experiment.sweep import SweepProgress
    from analysis.store.results import Results

ExperimentArgument = Annotated[
    str, typer.Argument(metavar="EXPERIMENT", help="A TOML file, or one of 'ginlab experiments'.")
]
RunArgument = Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run.")]
OnlyOption = Annotated[
    list[str] | None,
    typer.Option("--only", metavar="AXIS=LABEL", help="Only this value of an axis; can be repeated."),
]
PairsOption = Annotated[
    int | None,
    typer.Option("--pairs", metavar="N", parser=whole_number(1), help="Pairs a cell, instead of the file's."),
]
OtherSeedOption = Annotated[
    int | None,
    typer.Option(
        "--seed", metavar="N", parser=whole_number(0, 2**63 - 1), help="Seed, instead of the file's."
    ),
]
SchedulerOption = Annotated[
    str | None,
    typer.Option(
        "--scheduler", metavar="ADDRESS", help="Play on the Dask cluster there, such as tcp://host:8786."
    ),
]
LocalClusterOption = Annotated[
    int | None,
    typer.Option(
        "--local-cluster",
        metavar="N",
        parser=whole_number(1, 256),
        help="Play in N worker processes on this machine, by Dask.",
    ),
]

SHOWN = 40
"""Cells that are printed."""


def _read(name: str, only: list[str] | None, pairs: int | None = None, seed: int | None = None) -> Experiment:
    """Read an experiment, restricted and changed as asked."""
    from analysis.experiment.experiment import Experiment

    choice = read_only(only)
    with compiling():  # a strategy file compiles when it is read
        experiment = Experiment.from_toml(name)
        if choice:
            experiment = experiment.only(choice)
        if pairs is not None:
            experiment = experiment.changed(pairs=pairs, half_width=None, sprt=None, max_pairs=None)
        if seed is not None:
            experiment = experiment.changed(seed=seed)
    return experiment


def read_only(only: list[str] | None) -> dict[str, list[str]]:
    """Read the values of ``--only``: labels by axis."""
    choice: dict[str, list[str]] = {}
    for text in only or ():
        axis, equals, label = text.partition("=")
        if not equals:
            raise UsageError(f"--only {text!r}: expected AXIS=LABEL, such as b=simple")
        choice.setdefault(axis.strip(), []).append(label.strip())
    return choice


@app.command(
    rich_help_panel=EXPERIMENTS,
    epilog="""Examples:

  ginlab plan bonuses
  ginlab plan knock_threshold_by_undercut --only b=simple --threads 2""",
)
def plan(
    name: ExperimentArgument,
    only: OnlyOption = None,
    pairs: PairsOption = None,
    threads: ThreadsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say what an experiment will take: cells, games, time, disk; and how narrow its intervals will be."""
    experiment = _read(name, only, pairs)
    with compiling():
        from analysis.experiment.plan import plan as make_plan
        from analysis.experiment.plan import plan_fields, plan_rows
        from analysis.experiment.sweep import check_playable
        from analysis.request import available_threads

        check_playable(experiment)
    told = make_plan(experiment, threads or available_threads())
    if as_json:
        print_json(told)
    else:
        print_fields(plan_fields(told))
        if (table := plan_rows(told, experiment.axes)) is not None:
            typer.echo()
            print_table(*table)


@app.command(
    rich_help_panel=EXPERIMENTS,
    epilog="""Examples:

  ginlab sweep bonuses --out bonuses_run
  ginlab sweep knock_threshold_by_undercut --only b=simple --out knocks --threads 2
  ginlab sweep my_experiment.toml --pairs 2000 --seed 8 --out first_look
  ginlab sweep bonuses --out bonuses_run --scheduler tcp://host:8786

Ctrl-C and kills lose two seconds of play at most; 'ginlab resume' goes on to the same bytes.""",
)
def sweep(
    name: ExperimentArgument,
    out: Annotated[Path, typer.Option("--out", metavar="RUN", help="New folder for the run.")],
    only: OnlyOption = None,
    pairs: PairsOption = None,
    seed: OtherSeedOption = None,
    threads: ThreadsOption = None,
    scheduler: SchedulerOption = None,
    local_workers: LocalClusterOption = None,
    as_json: JsonOption = False,
) -> None:
    """Play an experiment: every cell on the same decks, kept in a folder of tables."""
    _one_place(threads, scheduler, local_workers)
    experiment = _read(name, only, pairs, seed)
    with compiling():
        from analysis.experiment.runs import refuse_existing, start

    refuse_existing(out)
    with _cluster(scheduler, local_workers) as client, stoppable(), sweep_progress(as_json) as told:
        results = start(experiment, out, threads, told, client=client)
    _tell(out, results, as_json)


@app.command(
    rich_help_panel=EXPERIMENTS,
    epilog="""Examples:

  ginlab resume bonuses_run
  ginlab resume bonuses_run --extend 50_000
  ginlab resume bonuses_run --local-cluster 2""",
)
def resume(
    run: RunArgument,
    extend: Annotated[
        int | None,
        typer.Option(
            metavar="PAIRS", parser=whole_number(1), help="Add so many to each cell of a finished run."
        ),
    ] = None,
    threads: ThreadsOption = None,
    scheduler: SchedulerOption = None,
    local_workers: LocalClusterOption = None,
    as_json: JsonOption = False,
) -> None:
    """Go on with a run that was stopped or killed, or add pairs to a finished one."""
    _one_place(threads, scheduler, local_workers)
    with compiling():
        from analysis.experiment.runs import resume as go_on

    played: list[SweepProgress] = []
    with _cluster(scheduler, local_workers) as client, stoppable(), sweep_progress(as_json) as told:

        def on_progress(state: SweepProgress) -> None:
            played[:] = [state]
            told(state)

        results = go_on(run, extend, threads, on_progress, client=client)
    if not played and not as_json and not results.manifest["interrupted"]:
        typer.echo("Finished already: nothing was left to play.\n")
    _tell(run, results, as_json)


@app.command(
    rich_help_panel=EXPERIMENTS,
    epilog="""Examples:

  ginlab experiments
  ginlab experiments bonuses > my_experiment.toml""",
)
def experiments(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="Print this one's file, to begin your own with.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List the experiments that come with ginlab: question, axes, cells."""
    from analysis.experiment.experiment import Experiment, builtin_names, builtin_text

    names = builtin_names()
    if name is not None and name not in names:
        raise UsageError(f"unknown experiment {name!r}; known: {', '.join(names)}")
    if name is not None and not as_json:
        typer.echo(builtin_text(name), nl=False)
        return
    told = {one: Experiment.from_toml(one) for one in (names if name is None else [name])}
    if as_json:
        print_json({one: {**each.to_dict(), "cells": len(each.cells)} for one, each in told.items()})
        return
    fields = []
    for one, each in told.items():
        axes = " x ".join(axis.name for axis in each.axes)
        fields.append((one, f"{each.spec.question} ({len(each.cells):,} cells: {axes})"))
    print_fields(fields)


def _one_place(threads: int | None, scheduler: str | None, local_workers: int | None) -> None:
    """Refuse more than one place to play in."""
    options = {"--threads": threads, "--scheduler": scheduler, "--local-cluster": local_workers}
    given = [f"{name} {value}" for name, value in options.items() if value is not None]
    if len(given) > 1:
        raise UsageError(f"{' and '.join(given)}: give one of them")


@contextmanager
def _cluster(scheduler: str | None, local_workers: int | None) -> Iterator[Any]:
    """Give the client of the cluster that was asked for, None if none was."""
    if scheduler is None and local_workers is None:
        yield None
        return
    from analysis.cluster.connect import local_cluster, scheduler_client

    with ExitStack() as stack:
        with compiling():  # Ctrl-C leaves at once
            if scheduler is not None:
                client = stack.enter_context(scheduler_client(scheduler))
            else:
                client = stack.enter_context(local_cluster(local_workers or 1))
        yield client


@contextmanager
def sweep_progress(quiet: bool) -> Iterator[Callable[[SweepProgress], None]]:
    """Show a bar from a sweep's first report on, which says how much there is."""
    with ExitStack() as stack:
        update: Callable[..., None] | None = None
        begun = 0
        noticed = ""

        def told(state: SweepProgress) -> None:
            nonlocal update, begun, noticed
            if state.notice != noticed:
                noticed = state.notice
                if noticed:
                    complain(noticed)
            if update is None:
                begun = state.pairs
                update = stack.enter_context(progress_bar(max(state.total - begun, 1), "games", quiet))
            played = state.pairs - begun
            word = f"{state.finished:,} of {state.cells:,} cells"
            if state.workers is not None:
                word += f", {state.workers:,} worker{'s' * (state.workers != 1)}"
            word += f", {state.cell}" if state.cell else ""
            update(played, word, state.games, state.games / played if played else 2.0)

        yield told


def _tell(folder: Path, results: Results, as_json: bool) -> None:
    """Tell what was played, and leave with the code of an interrupted run if it is one."""
    interrupted = results.manifest["interrupted"]
    cells = results.table("cells")
    if as_json:
        print_json(
            {
                "run": str(folder),
                "title": results.experiment.spec.title,
                "pairs": int(cells["pairs"].sum()),
                "games": int(cells["games"].sum()),
                "interrupted": interrupted,
                "extended": results.manifest["extended"],
                "cells": cells.to_dict(orient="records"),
            }
        )
    else:
        from analysis.store.text import heading, rows

        for line in heading(results):
            print_text(line)
        typer.echo()
        headers, body = rows(results, SHOWN)
        print_table(headers, body)
        if len(cells) > SHOWN:
            print_text(f"The first {SHOWN} of {len(cells):,} cells; all are in {folder}.")
        typer.echo()
        if (cells["stopped"] != "pairs").any():
            print_text(
                "The intervals hold whenever a run is stopped: how many pairs there are was not settled."
            )
        if interrupted:
            print_text(f"Interrupted; 'ginlab resume {folder}' goes on.")
        else:
            print_text(f"Kept in {folder}.")
    if interrupted:
        raise typer.Exit(INTERRUPTED)
