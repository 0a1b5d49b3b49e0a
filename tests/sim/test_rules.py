"""House rules: presets field by field, every field checked, overrides, canonical text and hash."""

from __future__ import annotations

import dataclasses
import json
import math
from pathlib import Path
from typing import Any

import pytest

from sim.cards import deck_mask
from sim.rules import (
    RULES_DTYPE,
    TARGET_MAX,
    Rules,
    RulesError,
    SoloRules,
    parse_overrides,
    preset_description,
    preset_names,
    rules_record,
)

DATA = Path(__file__).parent.parent / "data"
REFERENCE: dict[str, Any] = json.loads((DATA / "presets.json").read_text(encoding="utf-8"))
PRESETS: dict[str, dict[str, Any]] = REFERENCE["presets"]
FIELDS = [spec.name for spec in dataclasses.fields(Rules)]
SOLO = [spec.name for spec in dataclasses.fields(SoloRules)]


# --- presets -------------------------------------------------------------------------------------


def test_all_presets_are_here() -> None:
    assert sorted(preset_names()) == sorted(PRESETS)
    assert all(preset_description(name).strip() for name in preset_names())


@pytest.mark.parametrize("name", PRESETS)
def test_preset_field_by_field(name: str) -> None:
    rules = Rules.preset(name)
    plain = rules.to_dict()
    assert set(PRESETS[name]) <= set(FIELDS)
    for field in FIELDS:
        value = PRESETS[name].get(field, REFERENCE["defaults"].get(field))
        if field == "solo" and value is not None:
            assert {key: plain["solo"][key] for key in value} == value
            continue
        assert plain[field] == value, field
        assert type(plain[field]) is type(value), field


def test_defaults() -> None:
    plain = Rules().to_dict()
    assert plain == REFERENCE["defaults"]
    assert Rules() == Rules.preset("default")
    assert Rules.preset("club") == Rules.preset("default")


def test_unknown_preset() -> None:
    with pytest.raises(RulesError, match=r"unknown rules 'whist'; known: .*bga.*standard"):
        Rules.preset("whist")


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_has_a_record(name: str) -> None:
    rules = Rules.preset(name)
    assert rules_record(rules).dtype == RULES_DTYPE
    if rules.solo is None:
        rules.require_two_players()
    else:
        with pytest.raises(RulesError, match="one-player game"):
            rules.require_two_players()


# --- the record of the kernels -------------------------------------------------------------------


def test_record() -> None:
    record = rules_record(Rules.preset("round_the_corner").replace(hand_size=7))
    assert int(record.deck) == deck_mask()
    assert (int(record.hand_size), int(record.runs_ace), int(record.ace_value)) == (7, 2, 15)
    assert (int(record.big_gin_bonus), int(record.layoff_on_gin), int(record.gin_vs_zero)) == (-1, 1, 1)
    record = rules_record(Rules(ranks=8, hand_size=5, big_gin_bonus=0, tie_rule="push"))
    assert int(record.deck) == deck_mask(8) and int(record.big_gin_bonus) == 0 and int(record.tie_rule) == 2


CHOICES = {
    spec.name: spec.metadata["choices"] for spec in dataclasses.fields(Rules) if "choices" in spec.metadata
}


@pytest.mark.parametrize("field", sorted(set(CHOICES) & set(RULES_DTYPE.names or ())))
def test_codes_are_places(field: str) -> None:
    codes = [int(rules_record(Rules(**{field: value}))[field]) for value in CHOICES[field]]
    assert codes == list(range(len(codes)))


def test_every_honoured_field_is_recorded() -> None:
    """A field that kernels neither read nor refuse would be ignored in silence."""
    read = set(RULES_DTYPE.names or ()) | {"ranks", "suits"}  # these two are the deck
    refused = {spec.name for spec in dataclasses.fields(Rules) if spec.metadata.get("only") is not None}
    assert read | refused | {"solo"} >= set(FIELDS)


# --- every field is checked ----------------------------------------------------------------------

NUMBERS = {
    spec.name: spec.metadata["range"] for spec in dataclasses.fields(Rules) if "range" in spec.metadata
}
FLAGS = [name for name in FIELDS if isinstance(getattr(Rules(), name), bool)]
RANGES = {
    "hand_size": (3, 10),
    "ranks": (3, 13),
    "suits": (1, 4),
    "dead_stock": (0, 45),
    "ace_value": (1, 15),
    "knock_limit": (0, 10),
    "spade_multiplier": (1, 2),
    "extra_boxes_gin": (0, 3),
    "extra_boxes_big_gin": (0, 3),
    "extra_boxes_undercut": (0, 3),
    "game_target": (1, TARGET_MAX),
}


def test_kinds_of_fields() -> None:
    assert {name: NUMBERS[name] for name in RANGES} == RANGES
    assert len(NUMBERS) + len(CHOICES) + len(FLAGS) + len(["column_multipliers", "solo"]) == len(FIELDS)
    for field in FIELDS:
        assert Rules.doc(field).strip()


def fitting(field: str, value: Any) -> dict[str, Any]:
    """Return changes under which the value of one field contradicts no other."""
    changes: dict[str, Any] = {field: value}
    if field == "hand_size" and value < 7:
        changes["ranks"] = 8
    if field in ("ranks", "suits") and value <= 3:
        changes["hand_size"], changes["dead_stock"] = 3, 0
    if field == "spade_multiplier" and value > 1:
        changes["knock_limit_source"] = "upcard"
    if field == "columns":
        changes["column_multipliers"] = [1] * value
    if field == "match_length" and value > 1:
        changes["match_type"] = "first_to_points"
    return changes


@pytest.mark.parametrize("field", NUMBERS)
def test_numbers(field: str) -> None:
    low, high = NUMBERS[field]
    for value in (low, high):
        if (field, value) == ("dead_stock", high):
            continue  # too few cards whatever the rest
        assert getattr(Rules(**fitting(field, value)), field) == value
    wrong = [low - 1, high + 1, -(10**30), 10**30, 2.5, float(low), math.nan, math.inf, "3", True, [low], {}]
    if field != "big_gin_bonus":
        wrong.append(None)
    for value in wrong:
        with pytest.raises(RulesError, match=rf"(^|; ){field}=") as error:
            Rules(**{field: value})
        assert "expected a whole number" in str(error.value)


@pytest.mark.parametrize("field", CHOICES)
def test_choices(field: str) -> None:
    for value in CHOICES[field]:
        changes = {field: value}
        if value == "best_of":
            changes["match_length"] = 3
        assert getattr(Rules(**changes), field) == value
    for value in ("", "nothing", CHOICES[field][0].upper(), 0, None, True, ["low"]):
        with pytest.raises(RulesError, match=rf"{field}=.*: expected one of {CHOICES[field][0]}, "):
            Rules(**{field: value})


@pytest.mark.parametrize("field", FLAGS)
def test_flags(field: str) -> None:
    for value in (True, False):
        assert getattr(Rules(**{field: value}), field) is value
    for wrong in (0, 1, "true", None, 1.0, []):
        with pytest.raises(RulesError, match=f"{field}=.*: expected true or false"):
            Rules(**{field: wrong})


@pytest.mark.parametrize("value", [[], [0], [11], [1.5], ["1"], [True], 5, "11", None, {"1": 1}, [[1]]])
def test_column_multipliers(value: Any) -> None:
    with pytest.raises(RulesError, match="column_multipliers="):
        Rules(column_multipliers=value)


def test_all_problems_are_named_at_once() -> None:
    with pytest.raises(RulesError) as error:
        Rules(gin_bonus=-1, tie_rule="none", layoff_on_gin=3, undercut_bonus="x")
    for field in ("gin_bonus=-1", "tie_rule=none", "layoff_on_gin=3", "undercut_bonus=x"):
        assert field in str(error.value)


CONTRADICTIONS = {
    "few-cards": ({"ranks": 5}, "not enough cards: hand_size=10 and dead_stock=2 need more than 23"),
    "no-stock": ({"dead_stock": 31}, "not enough cards"),
    "case GR-132": ({"ranks": 10, "suits": 3, "hand_size": 16}, "not enough cards"),
    "small-hand": ({"hand_size": 6}, "hand_size=6: fewer than 7 needs a reduced deck"),
    "spade": ({"spade_multiplier": 2}, "spade_multiplier=2: needs a limit card"),
    "no-upcard": ({"opening": "eleven_ten", "knock_limit_source": "upcard"}, "turns no upcard"),
    "columns": ({"columns": 3}, r"column_multipliers=\[1\]: expected one for each of 3 columns"),
    "best-of": ({"match_type": "best_of", "match_length": 4}, "match_length=4: best of an odd number"),
    "one-game": ({"match_length": 3}, "match_length=3: single_game is 1"),
    "one-hand": ({"match_type": "single_hand", "match_length": 3}, "match_length=3: single_hand is 1"),
}


@pytest.mark.parametrize(("changes", "message"), CONTRADICTIONS.values(), ids=CONTRADICTIONS)
def test_contradictions(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(RulesError, match=message):
        Rules(**changes)


def test_cards_are_just_enough() -> None:
    assert Rules(dead_stock=30).dead_stock == 30
    assert Rules(hand_size=3, ranks=3, suits=3, dead_stock=1).deck.bit_count() == 9
    with pytest.raises(RulesError, match="not enough cards"):
        Rules(hand_size=3, ranks=3, suits=3, dead_stock=2)


class TestSolo:
    def test_object(self) -> None:
        rules = Rules(solo={"jokers": 2, "end_on_joker": 1})
        assert rules.solo == SoloRules(jokers=2, end_on_joker=1)
        assert Rules(**rules.to_dict()) == rules

    @pytest.mark.parametrize("field", SOLO)
    def test_every_field_is_checked(self, field: str) -> None:
        for wrong in (-1, "nothing", None, 2.5, []):
            with pytest.raises(RulesError, match=f"solo.{field}="):
                Rules(solo={field: wrong})

    @pytest.mark.parametrize("value", [5, "yes", True, [1]])
    def test_not_an_object(self, value: Any) -> None:
        with pytest.raises(RulesError, match="solo: expected null or an object"):
            Rules(solo=value)

    def test_unknown_field_and_contradiction(self) -> None:
        with pytest.raises(RulesError, match="unknown rule solo.joker"):
            Rules(solo={"joker": 1})
        with pytest.raises(RulesError, match="solo.end_on_joker=3: only 2 jokers"):
            Rules(solo={"jokers": 2, "end_on_joker": 3})


# --- overrides -----------------------------------------------------------------------------------


def test_overrides() -> None:
    settings = ["gin_bonus=20", " big_gin_bonus = null", "layoff_on_gin=true", "tie_rule=push"]
    settings += ["column_multipliers=[1, 2]", "columns=2", 'shutout="flat"', 'solo={"jokers": 1}']
    changes = parse_overrides(settings)
    assert changes == {
        "gin_bonus": 20,
        "big_gin_bonus": None,
        "layoff_on_gin": True,
        "tie_rule": "push",
        "column_multipliers": [1, 2],
        "columns": 2,
        "shutout": "flat",
        "solo": {"jokers": 1},
    }
    del changes["solo"]
    rules = Rules.preset("standard").replace(**changes)
    assert (rules.gin_bonus, rules.big_gin_bonus, rules.column_multipliers) == (20, None, (1, 2))
    assert parse_overrides([]) == {}


@pytest.mark.parametrize("setting", ["", "gin_bonus", "gin_bonus=", "=20", " = ", "gin_bonus:20"])
def test_settings_that_cannot_be_read(setting: str) -> None:
    with pytest.raises(RulesError, match="expected field=value"):
        parse_overrides([setting])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (["gin_bonus=20", "gin_bonus=25"], "'gin_bonus' is set twice"),
        (["gin=20"], "unknown rule 'gin'"),
        (["gin_bonus=twenty"], "gin_bonus=twenty: expected a whole number"),
        (["gin_bonus=1e3"], "gin_bonus=1000.0: expected a whole number"),
        (["gin_bonus=NaN"], "gin_bonus=NaN"),
        (["gin_bonus=Infinity"], "gin_bonus=Infinity"),
        (["gin_bonus=-5"], "gin_bonus=-5"),
        (["column_multipliers=3"], "column_multipliers="),
        (["solo=1"], "solo: expected"),
        (["layoff_on_gin=yes"], "layoff_on_gin=yes: expected true or false"),
        (["hand_size={}"], "hand_size="),
    ],
)
def test_settings_that_cannot_be(settings: list[str], message: str) -> None:
    with pytest.raises(RulesError, match=message):
        Rules().replace(**parse_overrides(settings))


# --- identity ------------------------------------------------------------------------------------


def test_canonical_text_is_stable() -> None:
    """Results are found again by this hash: a new value here breaks the link to old ones."""
    rules = Rules.preset("eaai")
    text = rules.canonical()
    assert list(json.loads(text)) == FIELDS and " " not in text
    assert Rules(**json.loads(text)) == rules
    assert (Rules().hash, rules.hash) == ("2ad7824401e0", "debeff54525b")


OTHERS: dict[str, dict[str, Any]] = {
    **{name: {name: not getattr(Rules(), name)} for name in FLAGS},
    **{name: {name: values[1]} for name, values in CHOICES.items()},
    **{name: fitting(name, getattr(Rules(), name) + 1) for name in NUMBERS if name != "big_gin_bonus"},
    "big_gin_bonus": {"big_gin_bonus": 31},
    "column_multipliers": {"column_multipliers": [2]},
    "solo": {"solo": {}},
    "hand_size": {"hand_size": 9},
    "ranks": {"ranks": 12},
    "suits": {"suits": 3},
    "knock_limit": {"knock_limit": 9},
}


def test_hash_tells_every_field() -> None:
    assert set(OTHERS) == set(FIELDS)
    hashes = {name: Rules(**changes).hash for name, changes in OTHERS.items()}
    assert len({Rules().hash, *hashes.values()}) == len(FIELDS) + 1
    assert all(len(text) == 12 and int(text, 16) >= 0 for text in hashes.values())


def test_equal_rules_have_equal_hashes() -> None:
    one, other = Rules.preset("standard"), Rules().replace(big_gin_bonus=31)
    assert one == other and one.hash == other.hash and hash(one) == hash(other)
    assert one.changes() == {"big_gin_bonus": 31}
    assert Rules().changes() == {}
    assert Rules(**Rules.preset("hollywood").to_dict()) == Rules.preset("hollywood")


def test_rules_are_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Rules().gin_bonus = 3
