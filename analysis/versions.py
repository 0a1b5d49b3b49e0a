"""Versions of what computes, for manifests."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version


def versions(*names: str) -> dict[str, str | None]:
    """Return the versions of Python, of the package and of some libraries; None if not installed."""
    told: dict[str, str | None] = {"python": platform.python_version()}
    for name in ("ginlab", *names):
        try:
            told[name] = version(name)
        except PackageNotFoundError:
            told[name] = None
    return told
