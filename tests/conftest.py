"""Settings that all tests share."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from sim._jit import COMPILED
from strategies import base
from strategies.base import registered

# Examples are derived from the test's own text: the same in every run. Without the JIT kernels are
# Python, so there are fewer of them.
settings.register_profile(
    "ginlab",
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=100 if COMPILED else 25,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("ginlab")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave slow and browser tests out unless asked for, and compiled-only ones when the JIT is off."""
    slow = pytest.mark.skip(reason="minutes long: .ci/run has a leg for -m slow")
    plain = pytest.mark.skip(reason="too many games, or machine code itself: needs the JIT")
    browser = pytest.mark.skip(reason="needs Chromium: .ci/run has a leg for -m browser")
    asked = config.getoption("markexpr") or ""
    for item in items:
        if "slow" in item.keywords and "slow" not in asked:
            item.add_marker(slow)
        if "browser" in item.keywords and "browser" not in asked:
            item.add_marker(browser)
        if "requires_jit" in item.keywords and not COMPILED:
            item.add_marker(plain)


def pytest_collection_finish() -> None:
    """Let the garbage collector pass over modules and tests, which stay: statsmodels calls it every time."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def _quiet_terminal() -> None:
    """Let command-line output be plain and 100 columns wide wherever tests run, and open no windows."""
    os.environ["COLUMNS"] = "100"
    os.environ["NO_COLOR"] = "1"
    os.environ["MPLBACKEND"] = "Agg"


@pytest.fixture(autouse=True)
def _own_strategies() -> Iterator[None]:
    """Forget after each test what strategy files it has loaded."""
    before, modules = dict(registered()), set(sys.modules)
    yield
    base._REGISTRY.clear()
    base._REGISTRY.update(before)
    for name in [name for name in set(sys.modules) - modules if name.startswith("ginlab_user_")]:
        del sys.modules[name]
