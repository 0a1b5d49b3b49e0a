"""An experiment: read from a file, its cells, restricted, played."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analysis.console import UsageError
from analysis.experiment.axes import Axis, axes_of
from analysis.experiment.cells import Cells, make_cells
from analysis.experiment.model import MAX_TITLE, Spec, read_file, read_spec, read_toml
from analysis.request import Match
from sim.rules import parse_overrides
from strategies.base import StrategyError, load_strategy_file, parse_strategy

if TYPE_CHECKING:
    from collections.abc import Callable

    from distributed import Client

    from analysis.experiment.sweep import SweepProgress
    from analysis.store.results import Results


@dataclass(frozen=True)
class Experiment:
    """What is compared, and each cell of it.

    Made by `from_toml`, `from_text` or `from_dict`.

    Attributes
    ----------
    spec : Spec
        The experiment as it is written.
    axes : tuple of Axis
    cells : Cells
        The product of the axes, the first slowest; each is made when it is asked for.
    source : str
        Where it came from, for messages.
    folder : Path
        Where strategy files are looked for.

    Examples
    --------
    >>> text = '''
    ... title = "Early knocks"
    ... seed = 1
    ... pairs = 100
    ... [strategies]
    ... a = "threshold({k})"
    ... b = "simple"
    ... [axes]
    ... k = [4, 10]
    ... '''
    >>> [cell.a for cell in Experiment.from_text(text).cells]
    ['threshold(k=4)', 'threshold(k=10)']
    """

    spec: Spec
    axes: tuple[Axis, ...]
    cells: Cells
    source: str
    folder: Path = Path()
    written: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)
    """Strategies as they are written, placeholders filled, and their canonical texts."""

    @classmethod
    def from_toml(cls, path: str | Path) -> Experiment:
        """Read an experiment file, or one that comes with the package by its name.

        Raises
        ------
        UsageError
            If it cannot be read, naming the line or the key's path.
        """
        file = Path(path)
        name = str(path).removesuffix(".toml")
        if not file.exists() and name in builtin_names():
            return cls.from_text(builtin_text(name), name)
        try:
            text = read_file(file)
        except OSError as error:
            known = f"; built in: {', '.join(builtin_names())}" if file.parent == Path() else ""
            raise UsageError(f"{path}: {error.strerror or error}{known}") from None
        return cls.from_text(text, str(path), file.parent)

    @classmethod
    def from_text(cls, text: str, source: str = "experiment", folder: str | Path = ".") -> Experiment:
        """Read an experiment from text; strategy files are looked for in ``folder``.

        Raises
        ------
        UsageError
            Naming the source and the line or the key's path.
        """
        return cls.from_dict(read_toml(text, source), source, folder)

    @classmethod
    def from_dict(
        cls,
        data: dict[str, Any],
        source: str = "experiment",
        folder: str | Path = ".",
        known: Mapping[str, str] | None = None,
    ) -> Experiment:
        """Read an experiment from plain data, as `to_dict` gives it.

        Parameters
        ----------
        data : dict
        source : str
            For messages.
        folder : str or Path
            Where strategy files are looked for. They run as Python: load only what you trust.
        known : mapping of str to str, optional
            Canonical texts of the strategies as they are written. No strategy file is run then, and no
            strategy is read before a cell's ``match`` is asked for.

        Raises
        ------
        UsageError
            Naming the source and the key's path.
        """
        return cls._made(read_spec(data, source), source, Path(folder), known)

    @classmethod
    def _made(cls, spec: Spec, source: str, folder: Path, known: Mapping[str, str] | None) -> Experiment:
        files = [folder / name for name in spec.strategy_files]
        for place, file in enumerate(files):
            if file.name in [other.name for other in files[:place]]:
                raise UsageError(f"{source}: strategy_files[{place}]: a second file named {file.name}")
            if known is None:
                try:
                    load_strategy_file(file)
                except StrategyError as error:
                    raise UsageError(f"{source}: strategy_files[{place}]: {error}") from None
        texts: dict[str, str] = {}

        def canonical(text: str) -> str:
            if known is None:
                texts[text] = str(parse_strategy(text))
            elif text in known:
                texts[text] = known[text]
            else:
                raise UsageError(f"strategy {text!r} is not among those that were played")
            return texts[text]

        axes = axes_of(spec, source)
        cells = make_cells(spec, axes, source, canonical, tuple(map(str, files)))
        named = tuple(Axis(name, tuple(option.label for option in options)) for name, options in axes)
        return cls(spec, named, cells, source, folder, texts)

    @classmethod
    def of_match(cls, match: Match, unit: str = "game") -> Experiment:
        """Return a match as an experiment of one cell.

        Raises
        ------
        UsageError
            If two of its strategy files have the same name.
        """
        changes = {
            name: "null" if one is None else one for name, one in parse_overrides(match.settings).items()
        }
        data: dict[str, Any] = {
            "title": f"{match.a} v {match.b}"[:MAX_TITLE],
            "seed": match.seed,
            "pairs": match.pairs,
            "unit": unit,
            "strategies": {"a": str(match.a), "b": str(match.b)},
            "rules": {"base": match.preset, **changes},
            "strategy_files": list(match.files),
        }
        if match.scores != (0, 0):
            data["score"] = f"{match.scores[0]}:{match.scores[1]}"
        if match.dealer is not None:
            data["dealer"] = "ab"[match.dealer]
        return cls.from_dict(data, "match")

    @property
    def strategy_files(self) -> tuple[Path, ...]:
        """The strategy files."""
        return tuple(self.folder / name for name in self.spec.strategy_files)

    def to_dict(self) -> dict[str, Any]:
        """Return the experiment as plain JSON data; strategy files by name, for a run keeps a copy."""
        told = self.spec.to_dict()
        told["strategy_files"] = [file.name for file in self.strategy_files]
        return told

    def only(self, choice: Mapping[str, str | Iterable[str]] | None = None, /, **more: Any) -> Experiment:
        """Return the experiment restricted to some labels of some axes.

        Parameters
        ----------
        choice : mapping of str to str or iterable of str, optional
            Labels by axis.
        **more
            The same: ``only(b="simple", k=["0", "10"])``.

        Raises
        ------
        UsageError
            If there is no such axis or label.
        """
        axes = dict(self.spec.axes)
        labels = {axis.name: axis.labels for axis in self.axes}
        for name, wanted in {**(choice or {}), **more}.items():
            if name not in labels:
                known = ", ".join(labels) or "none"
                raise UsageError(f"{self.source}: no axis {name!r} (axes: {known})")
            kept = [wanted] if isinstance(wanted, (str, int, float)) else list(wanted)
            texts = [str(one).lower() if isinstance(one, bool) else str(one) for one in kept]
            for text in texts:
                if text not in labels[name]:
                    raise UsageError(f"{self.source}: axes.{name}: no {text!r} (has: {_some(labels[name])})")
            axes[name] = [
                value for label, value in zip(labels[name], axes[name], strict=True) if label in texts
            ]
        data = {**self.spec.model_dump(mode="json", exclude_none=True), "axes": axes}
        return self._made(read_spec(data, self.source), self.source, self.folder, self.written)

    def with_cells(self, cells: Cells) -> Experiment:
        """Return the experiment with its cells as a run has kept them."""
        return replace(self, cells=cells)

    def changed(self, **changes: Any) -> Experiment:
        """Return the experiment with some keys changed, such as ``seed`` or ``pairs``, checked anew.

        Raises
        ------
        UsageError
            If the result is no experiment.
        """
        data = {**self.spec.model_dump(mode="json", exclude_none=True), **changes}
        data = {name: value for name, value in data.items() if value is not None}
        return self._made(read_spec(data, self.source), self.source, self.folder, None)

    def run(
        self,
        folder: str | Path | None = None,
        threads: int | None = None,
        on_progress: Callable[[SweepProgress], None] | None = None,
        client: Client | None = None,
    ) -> Results:
        """Play all cells.

        Parameters
        ----------
        folder : str or Path, optional
            A new folder for the run: it can be resumed, extended and loaded. In memory when left out.
        threads : int, optional
            Threads to play in; all processors when left out.
        on_progress : callable, optional
            Called about ten times a second.
        client : distributed.Client, optional
            Of a Dask cluster to play on, instead of this process; it stays open.

        Returns
        -------
        Results

        Raises
        ------
        UsageError
            If the folder exists.
        RunError
            If a strategy breaks the rules or its code fails, or the cluster has gone.
        """
        from analysis.experiment.runs import start

        return start(self, None if folder is None else Path(folder), threads, on_progress, client=client)


def _some(labels: tuple[str, ...]) -> str:
    return ", ".join(labels[:12]) + (", ..." if len(labels) > 12 else "")


def builtin_names() -> list[str]:
    """Return the names of the experiments that come with the package."""
    folder = resources.files("analysis.experiment").joinpath("builtin")
    return sorted(file.name[:-5] for file in folder.iterdir() if file.name.endswith(".toml"))


def builtin_text(name: str) -> str:
    """Return the text of an experiment that comes with the package."""
    return resources.files("analysis.experiment").joinpath("builtin", f"{name}.toml").read_text("utf-8")
