"""What is asked for: games and pairs, scores and dealers, read from words."""

from __future__ import annotations

import pytest

from analysis.request import DEFAULT_GAMES, MAX_PAIRS, pairs_of, parse_dealer, parse_score
from sim.rules import Rules


def test_pairs_of() -> None:
    assert pairs_of(None, None) == DEFAULT_GAMES // 2
    assert pairs_of(1_000_000, None) == 500_000
    assert pairs_of(None, 3) == 3
    for games, pairs in ((0, None), (-2, None), (3, None), (None, 0), (None, -1), (2, 1), (None, MAX_PAIRS)):
        with pytest.raises(ValueError, match=str(pairs if games is None else games)):
            pairs_of(games, pairs)


def test_scores_and_dealers() -> None:
    rules = Rules.preset("eaai")
    assert parse_score("62:80", rules) == (62, 80) and parse_score(None, rules) == (0, 0)
    assert [parse_dealer(text) for text in (None, "a", "B")] == [None, 0, 1]
    for text in ("1", "1:2:3", "a:b", "-1:2", "100:0", "0:101", "", ":", "1.5:2"):
        with pytest.raises(ValueError, match="--score"):
            parse_score(text, rules)
    with pytest.raises(ValueError, match="--dealer"):
        parse_dealer("c")
