"""Random legal rules for two players, every field of the rules, section C, drawn by Hypothesis."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

DECKS = [(13, 4)] * 4 + [(13, 3), (13, 2), (10, 4), (9, 4), (8, 4), (11, 3), (6, 4), (5, 4), (4, 4), (4, 3)]
"""Ranks and suits, the whole deck as often as all small ones that come quickly to an end."""


def bonuses(most: int = 60) -> st.SearchStrategy[int]:
    """Return a strategy for a bonus, zero among the likely ones."""
    return st.one_of(st.sampled_from([0, 10, 20, 25, 31, 50]), st.integers(0, most))


@st.composite
def any_rules(draw: st.DrawFn, /, **fixed: Any) -> dict[str, Any]:
    """Draw the fields of legal rules; ``fixed`` ones are as given and must not contradict the deck."""

    def one_of(*choices: Any) -> Any:
        return draw(st.sampled_from(choices))

    rules: dict[str, Any] = {}
    rules["ranks"], rules["suits"] = draw(st.sampled_from(DECKS))
    cards = rules["ranks"] * rules["suits"]
    least = 7 if cards == 52 else 3
    # Two hands, the next card and at least one live card of the stock.
    most = min(10, (cards - 2) // 2)
    rules["hand_size"] = 10 if most == 10 and draw(st.booleans()) else draw(st.integers(least, most))
    room = cards - 2 * rules["hand_size"] - 2
    # Few dead cards leave long hands, many bring the wall close: both are wanted.
    rules["dead_stock"] = draw(st.integers(0, min(room, 45))) if draw(st.booleans()) else min(2, room)

    rules["opening"] = one_of("upcard_offer", "eleven_ten", "free_first_draw")
    rules["first_dealer"] = one_of("random", "high_card", "low_card", "high_card_chooses", "fixed")
    rules["next_dealer"] = one_of("alternate", "winner", "loser", "random", "fixed")
    rules["void_dealer"] = one_of("same", "rotate", "random")
    rules["may_discard_taken"] = one_of(False, True)
    rules["wall_rule"] = one_of("void", "last_discard_knock", "last_discard_play", "reshuffle")
    rules["runs_ace"] = one_of("low", "high_low", "corner")
    rules["ace_value"] = one_of(1, 1, 11, 15, draw(st.integers(1, 15)))

    sources = ["fixed", "separate_card", "upcard"]
    if rules["opening"] == "eleven_ten":
        sources.remove("upcard")
    rules["knock_limit"] = one_of(10, 10, 10, 0, draw(st.integers(0, 10)))
    rules["knock_limit_source"] = one_of(*sources)
    rules["oklahoma_ace"] = one_of("one", "gin")
    rules["spade_multiplier"] = 1 if rules["knock_limit_source"] == "fixed" else one_of(1, 2)
    rules["spade_doubles_boxes"] = one_of(False, True)
    rules["gin_compulsory"] = one_of(False, True)

    rules["gin_bonus"] = draw(bonuses())
    rules["big_gin_bonus"] = draw(st.none() | bonuses())
    rules["layoff_on_gin"] = one_of(False, True)
    rules["gin_vs_zero"] = one_of("score", "no_score")
    rules["undercut_bonus"] = draw(bonuses())
    rules["tie_rule"] = one_of("undercut", "defender_no_bonus", "push", "knocker")
    for kind in ("gin", "big_gin", "undercut"):
        rules[f"extra_boxes_{kind}"] = one_of(0, 0, 1, 2, 3)

    rules["game_target"] = one_of(100, 150, draw(st.integers(1, 120)))
    rules["game_bonus"] = draw(bonuses(200))
    rules["box_bonus"] = draw(bonuses())
    rules["box_timing"] = one_of("end", "immediate")
    rules["shutout"] = one_of("double_hands", "none", "flat", "double_bonuses", "double_total")
    rules["shutout_flat"] = draw(bonuses(200))
    rules["shutout_test"] = one_of("no_hands", "no_points")
    rules["match_type"] = one_of("single_game", "single_hand", "best_of", "first_to_points")
    rules["match_length"] = 1
    if rules["match_type"] == "best_of":
        rules["match_length"] = one_of(1, 3, 5)
    elif rules["match_type"] == "first_to_points":
        rules["match_length"] = draw(st.integers(1, 600))
    rules["columns"] = one_of(1, 1, 2, 3, draw(st.integers(1, 10)))
    if rules["match_type"] == "single_hand":  # which fills no sheet
        rules["columns"] = 1
    factors = st.lists(st.integers(1, 3), min_size=rules["columns"], max_size=rules["columns"])
    rules["column_multipliers"] = [1] * rules["columns"] if draw(st.booleans()) else draw(factors)
    rules["payoff"] = one_of("points", "rlcard")
    return {**rules, **fixed}
