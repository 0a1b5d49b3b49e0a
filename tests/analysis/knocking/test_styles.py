"""Three styles against four opponents: signs counted, knock rules read off the same forks, the least loss."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from analysis.knocking.cells import DEFAULT
from analysis.knocking.policy import sums_by_group, threshold, two_stage
from analysis.knocking.styles import (
    LAST_SWITCH,
    RULES,
    SETTINGS,
    Played,
    Rule,
    cautious_rule,
    play_styles,
    rule_points,
    sign_table,
    style_player,
)
from analysis.knocking.value import (
    CONTINUATIONS,
    NO_COUNTS,
    count_chunk,
    delta_sample,
    knock_counts,
    simultaneous_bands,
    verdicts,
)
from analysis.stats.estimates import jackknife
from sim._jit import COMPILED
from sim.forks import fork_hands
from sim.rules import Rules
from sim.tally import GROUPS
from strategies.base import parse_strategy, player

EAAI = Rules.preset("eaai")


def planted(lost: dict[int, list[int]], pairs: int = 1280) -> Played:
    """Return settings in which all rules lose 9 points a hand but some, and those lose what is given."""
    points = np.full((GROUPS, len(SETTINGS), len(RULES)), -9, np.int64)
    for rule, values in lost.items():
        points[:, :, rule] = -np.array(values)
    dealt = np.full(GROUPS, 2 * pairs // GROUPS)
    counts = NO_COUNTS._replace(dealt=dealt)
    return Played((counts,) * len(SETTINGS), points * dealt[:, None, None], False)


def test_rules_are_each_once() -> None:
    assert len(set(RULES)) == len(RULES) == 11 + 55 * (LAST_SWITCH - 1)
    assert str(Rule(3, 3, 1)) == "threshold(3)" and str(Rule(9, 2, 5)) == "two_stage(9, 2, 5)"
    for rule in RULES[::60]:
        parse_strategy(str(rule))


def test_every_rule_is_read_off_as_by_its_table() -> None:
    pairs = 150 if COMPILED else 20
    forks = fork_hands(player(parse_strategy("gold")), player(parse_strategy("simple")), EAAI, pairs=pairs)
    found = rule_points(forks)
    for at, rule in enumerate(RULES):
        policy = threshold(rule.early) if rule.early == rule.late else two_stage(*rule)
        sums, _ = sums_by_group(forks.deals, forks.result(policy.at(forks) == 1), GROUPS)
        assert found[:, at].tolist() == sums.tolist(), rule


def test_settings_are_those_named() -> None:
    """The styles' draws and discards, one knock rule, the same decks."""
    knock = parse_strategy("threshold(6)")
    pairs = 4 if COMPILED else 1
    played = play_styles(knock, EAAI, pairs=pairs, seed=3)
    assert not played.interrupted and SETTINGS[5] == ("marjj", "threshold(4)")
    text = "combine(draw=marjj, knock=threshold(6), discard=marjj)"
    a, b = player(parse_strategy(text)), player(parse_strategy("threshold(4)"))
    known = knock_counts(a, b, EAAI, pairs=pairs, seed=3).counts
    assert all((x == y).all() for x, y in zip(played.counts[5], known, strict=True))
    forks = fork_hands(style_player("marjj", knock), b, EAAI, pairs=pairs, seed=3)
    assert (played.points[:, 5] == rule_points(forks)).all()


@pytest.mark.requires_jit
def test_what_is_stopped_is_whole_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("analysis.knocking.styles.ROUND", 2)
    seen: list[tuple[int, str]] = []

    def stop(pairs: int, setting: str) -> None:
        seen.append((pairs, setting))
        if pairs == 2 * len(SETTINGS) + 4:  # in the second round
            raise KeyboardInterrupt

    knock = parse_strategy("gold")
    stopped = play_styles(knock, EAAI, pairs=6, seed=3, on_progress=stop)
    assert stopped.interrupted and {one.pairs for one in stopped.counts} == {2}
    assert seen[0] == (2, "gold v simple") and seen[-1][1] == "gold v threshold(4)"
    monkeypatch.undo()
    first = play_styles(knock, EAAI, pairs=2, seed=3)
    assert (stopped.points == first.points).all()


@pytest.mark.requires_jit
def test_signs_are_counted_over_settings() -> None:
    played = play_styles(
        parse_strategy("threshold(10)"), EAAI, pairs=800, seed=2, by=("deadwood",), threads=2
    )
    table = sign_table(played, ("deadwood",))
    assert list(table.columns) == [
        "deadwood", "continuation", "knock", "wait", "undecided", "too_few", "least", "most",
    ]  # fmt: skip
    assert (table[["knock", "wait", "undecided", "too_few"]].sum(axis=1) == len(SETTINGS)).all()
    assert table["knock"].sum() > 0 and table["wait"].sum() > 0
    samples = [delta_sample(one) for one in played.counts]
    bands = simultaneous_bands(samples)
    for row in table.to_dict("records"):
        place = CONTINUATIONS.index(str(row["continuation"]))
        told, deltas = [], []
        for counts, one, ends in zip(played.counts, samples, bands, strict=True):
            if row["deadwood"] not in counts.codes:
                continue
            at = place * len(counts.codes) + counts.codes.tolist().index(row["deadwood"])
            if np.isfinite(one.values[at]):
                told.append(verdicts(ends[0, at], ends[1, at]).item())
                deltas.append(one.values[at])
        assert [row[name] for name in ("knock", "wait", "undecided")] == [
            told.count(name) for name in ("knock", "wait", "undecided")
        ]
        ends = [min(deltas, default=np.nan), max(deltas, default=np.nan)]
        assert np.array_equal([row["least"], row["most"]], ends, equal_nan=True)
    # All settings are judged together, so a band is no narrower than that of a setting alone.
    alone = simultaneous_bands(samples[:1])[0]
    known = np.isfinite(alone[0])
    assert (bands[0][0, known] <= alone[0, known]).all() and (bands[0][1, known] >= alone[1, known]).all()


def test_the_rule_that_loses_least_where_it_loses_most() -> None:
    """One is best in eleven settings and bad in the last; another is never best and never bad."""
    bold, steady = 40, 700
    told = cautious_rule(planted({bold: [0] * 11 + [5], steady: [2] * 11 + [0], 3: [1] * 11 + [4]}), 10)
    assert told.rule == RULES[steady] and told.loss.estimate == 2 and told.share == 1
    assert told.ranking["rule"].head(3).tolist() == [str(RULES[at]) for at in (steady, 3, bold)]
    assert told.ranking["worst"].head(3).tolist() == [2, 4, 5]
    assert tuple(told.ranking.loc[2, ["style", "opponent"]]) == SETTINGS[11]
    assert told.settings["best"].tolist() == [str(RULES[bold])] * 11 + [str(RULES[steady])]
    assert told.settings["loss"].tolist() == [2] * 11 + [0]


def test_the_loss_has_the_interval_of_the_jackknife() -> None:
    rng = np.random.default_rng(3)
    played = planted({40: [0] * 12, 700: [1] * 6 + [3] + [0] * 5})
    noise = rng.integers(-200, 200, played.points.shape)
    played = played._replace(points=played.points + noise)
    told = cautious_rule(played, 10)
    place = RULES.index(told.rule)
    total, hands = played.points.sum(axis=0), played.dealt.sum()

    def worst(points: Any, dealt: int) -> float:
        means = points / dealt
        return float((means.max(axis=1) - means[:, place]).max())

    left_out = [worst(total - played.points[group], hands - played.dealt[group]) for group in range(GROUPS)]
    known = jackknife(worst(total, hands), left_out)
    assert told.loss.estimate == pytest.approx(known.estimate)
    assert told.loss.low == pytest.approx(known.low) and told.loss.high == pytest.approx(known.high)


@pytest.mark.requires_jit
def test_a_single_pair_has_no_intervals() -> None:
    played = play_styles(parse_strategy("gold"), EAAI, pairs=1)
    told = cautious_rule(played, 3)
    assert told.loss.low is None and told.share == 1
    assert sign_table(played, DEFAULT)["too_few"].eq(len(SETTINGS)).all()
    forks = fork_hands(
        style_player("gold", parse_strategy("gold")), player(parse_strategy("simple")), EAAI, pairs=1
    )
    assert (count_chunk(forks, DEFAULT, "first").sums == played.counts[0].sums).all()
