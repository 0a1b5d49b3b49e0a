"""Parsers at anything: kept inputs played again, and new ones; ``python -m tests.fuzz.run`` looks longer."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.parsers import CORPUS, PARSERS, check, corpus

KEPT = [path for name in PARSERS for path in corpus(name)]


def test_the_corpus_is_of_these_parsers() -> None:
    assert {path.name for path in CORPUS.iterdir()} == set(PARSERS)
    assert all(corpus(name) for name in PARSERS)


@pytest.mark.parametrize("path", KEPT, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_kept_inputs(path: Path) -> None:
    """Each once failed, or is nasty in a way that others of its kind have been."""
    check(PARSERS[path.parent.name], path.read_bytes())


@pytest.mark.parametrize("name", PARSERS)
@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_anything_is_read_or_refused_in_a_line(name: str, data: st.DataObject) -> None:
    parser = PARSERS[name]
    check(parser, data.draw(parser.inputs))
