"""What a publication says of a number: the value as printed, and how sure it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

QUANTILE = 1.959964
"""Standard errors in half a 95 % interval of a large sample."""


@dataclass(frozen=True)
class Published:
    """A published value, in the unit of its line.

    Attributes
    ----------
    text : str
        As printed, without the unit: its last digit decides the rounding.
    interval : tuple of float or None
        The 95 % interval printed with it.
    error : float or None
        Its standard error, where that is printed.
    sample : tuple of (int, str) or None
        Size of the sample and its unit, ``hands``, ``games`` or ``deals``, where no uncertainty is printed.
    """

    text: str
    interval: tuple[float, float] | None = None
    error: float | None = None
    sample: tuple[int, str] | None = None

    @property
    def value(self) -> float:
        """The number."""
        return float(self.text.replace(",", ""))

    @property
    def rounding(self) -> float:
        """Half a unit of the last digit."""
        _, _, decimals = self.text.partition(".")
        return 0.5 * 10.0 ** -len(decimals)

    def half(self, ours: float, size: int | None) -> float:
        """Return the published half-interval.

        Parameters
        ----------
        ours : float
            Our half-interval.
        size : int or None
            Size of our sample, in the unit of `sample`.
        """
        if self.interval is not None:
            return (self.interval[1] - self.interval[0]) / 2
        if self.error is not None:
            return QUANTILE * self.error
        if self.sample is not None and size is not None:
            scaled: float = ours * (size / self.sample[0]) ** 0.5
            return scaled
        return 0.0


@dataclass(frozen=True)
class Claim:
    """A published claim that a number lies above or below a bound, in the unit of its line.

    Attributes
    ----------
    bound : float
        Where nothing would be claimed, such as half of the games.
    above : bool
        True if the number is claimed to be larger.
    """

    bound: float
    above: bool = True

    @property
    def text(self) -> str:
        """The claim in short."""
        return f"{'above' if self.above else 'below'} {self.bound:g}"


def plain(published: Published | Claim | None) -> dict[str, Any] | None:
    """Return a published value as plain data."""
    if published is None:
        return None
    if isinstance(published, Claim):
        return {"text": published.text, "bound": published.bound, "above": published.above}
    return {
        "text": published.text,
        "value": published.value,
        "interval": None if published.interval is None else list(published.interval),
        "standard_error": published.error,
        "sample": None if published.sample is None else list(published.sample),
    }
