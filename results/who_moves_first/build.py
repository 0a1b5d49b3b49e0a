"""Rebuild this folder: what acting first in a game is worth, by players and by who deals next.

    python -m results.who_moves_first.build

In each of the twelve settings (`results.settings`) A draws and discards as the style does and knocks as A
of the headline, against that opponent, with the dealers of the headline: the same share of games.

Took 672 seconds on two processors with other work beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.charts.save import save_chart
from analysis.charts.whiskers import draw_whiskers, whiskers_alt, whiskers_height, whiskers_info
from analysis.metrics import group_sums
from analysis.request import available_threads
from analysis.stats.estimates import Estimate
from analysis.stats.quads import DEALERS, first_mover_effect
from results import settings
from results.publish import Article, Claim, interval, publish, rules_of, write_table
from sim.rules import Rules
from sim.run import play_match
from sim.tally import OUTCOMES
from strategies.base import parse_strategy, player

HERE = Path(__file__).resolve().parent
PAIRS = 250_000
SETTINGS_PAIRS = 25_000
SEED, FRESH = 2026, 2027
RULES = "eaai"
PLAYERS = (
    ("simple", "simple"),
    ("gold", "gold"),
    ("threshold(4)", "threshold(4)"),
    ("gin_only", "gin_only"),
    ("gold", "simple"),
)
KNOCKS = "gold"
SHARE = "first_mover_game_share"
NEXT = {"alternate": "dealers alternate", "winner": "the winner deals", "loser": "the loser deals"}
THERE = (
    f"{SETTINGS_PAIRS:,} quads",
    "Asked there: A knocks as the first player named, drawing and discarding by the style, with the "
    "same rule for who deals next.",
)
"""What a setting plays, and what is asked there."""


def tally(a: str, b: str, next_dealer: str, dealer: int, pairs: int, seed: int) -> Any:
    """Play a pairing with one side dealing the first hand of every game."""
    rules = Rules.preset(RULES).replace(next_dealer=next_dealer)
    one, two = player(parse_strategy(a)), player(parse_strategy(b))
    return play_match(
        one, two, rules, pairs=pairs, seed=seed, dealer=dealer, threads=min(pairs, available_threads())
    ).tally


def effect(a: str, b: str, after: str, pairs: int, seed: int) -> dict[str, Estimate]:
    """Return what acting first is worth in a pairing."""
    return first_mover_effect(
        **{name: group_sums(tally(a, b, after, dealer, pairs, seed)) for name, dealer in DEALERS.items()}
    )


def effects(seed: int) -> dict[tuple[str, str], dict[str, Estimate]]:
    """Return what acting first is worth, by pairing and by who deals next."""
    return {(f"{a} v {b}", after): effect(a, b, after, PAIRS, seed) for a, b in PLAYERS for after in NEXT}


def replay(pairs: int) -> dict[str, Any]:
    """Play the first pairs of every run again."""
    told = {}
    for a, b in PLAYERS:
        for after in NEXT:
            for name, dealer in DEALERS.items():
                found = tally(a, b, after, dealer, pairs, SEED)
                told[f"{a} v {b}, {after}, {name}"] = {one: found.outcome(one) for one in OUTCOMES}
    told["settings"] = settings.replay(lambda style, opponent: _integers(style, opponent, pairs))
    return told


def _integers(style: str, opponent: str, pairs: int) -> dict[str, dict[str, int]]:
    """Return the sums of the first pairs of a setting, with every dealer rule and who deals first."""
    told = {}
    for after in NEXT:
        for name, dealer in DEALERS.items():
            found = tally(settings.styled(style, KNOCKS), opponent, after, dealer, pairs, settings.SEED)
            told[f"{after}, {name}"] = {one: found.outcome(one) for one in OUTCOMES}
    return told


def in_setting(
    style: str, opponent: str, quoted: Sequence[tuple[str, str]]
) -> dict[tuple[str, str], Estimate]:
    """Return the games won by who acts first in a setting, by knock rule and who deals next."""
    return {
        (knocks, after): effect(
            settings.styled(style, knocks), opponent, after, SETTINGS_PAIRS, settings.SEED
        )[SHARE]
        for knocks, after in quoted
    }


def main() -> None:
    """Play twice, write tables, chart and page."""
    played, again = effects(SEED), effects(FRESH)
    name = SHARE
    info = whiskers_info([(pairing, NEXT[after], found[name]) for (pairing, after), found in played.items()])
    saved = save_chart(
        draw_whiskers(100, "games won by who acts first, %", 50),
        info,
        HERE / "first_mover",
        height=whiskers_height(info, 7.0),
        title="What acting first in a game is worth",
        caption=f"{PAIRS:,} quads of games a point: each deck four times, packets by who acts first. 95 % "
        f"intervals. Rules {RULES} with the dealer of later hands as named, seed {SEED}.",
        alt=whiskers_alt(info, "Games won by who acts first, %", 100),
    )
    rows = [
        {
            "players": pairing,
            "next_dealer": after,
            **{
                f"{metric}{end}": getattr(value, part)
                for metric, value in found.items()
                for end, part in (("", "estimate"), ("_low", "low"), ("_high", "high"))
            },
        }
        for (pairing, after), found in played.items()
    ]
    write_table(HERE, "first_mover_all.csv", pd.DataFrame(rows))
    ends = [max(played, key=lambda key: sign * (played[key][name].estimate or 0.0)) for sign in (1, -1)]
    knocks = {pairing: pairing.split(" v ")[0] for pairing, _ in ends}
    quoted = list(dict.fromkeys((knocks[pairing], after) for pairing, after in ends))
    asked = settings.ask(lambda style, opponent: in_setting(style, opponent, quoted))
    claims = [
        Claim(
            f"{pairing}, {NEXT[after]}: who acts first wins this share of games, even being 50 %",
            played[pairing, after][name],
            again[pairing, after][name],
            0.5,
            100,
            " %",
            settings=asked[knocks[pairing], after],
        )
        for pairing, after in ends
    ]
    table = pd.DataFrame(
        [
            {
                "players": pairing,
                "next hand": NEXT[after],
                "games won by who acts first, %": interval(found[name], 100),
                "A first less A second: hands, %-points": interval(found["hand_share"], 100, signed=True),
                "points a hand": interval(found["points_per_hand"], digits=3, signed=True),
            }
            for (pairing, after), found in played.items()
        ]
    )
    article = Article(
        "Who moves first",
        "How many games and points does the first move bring, and does it hang on who deals next?",
        claims,
        [(saved, "Share of games won by the player who acts first in the first hand.")],
        [("Every pairing and dealer rule", "first_mover_all.csv", table)],
        [
            f"Rules `{RULES}`, with `next_dealer` as named.",
            f"{PAIRS:,} quads a row: every deck is played four times, each side holding each packet and "
            f"acting first with it, so cards and skill cancel. Seed {SEED}; fresh: {FRESH}.",
        ],
        [
            "The opening is the offer of the upcard, to the non-dealer first; others are other moves.",
            "The effect on a game includes that of later hands, in which the other side may act first.",
            "The two rows that are quoted are the largest and the smallest of fifteen: what is chosen so "
            "looks larger, or smaller, than it is, and the fresh decks show by how much. The table has "
            "all.",
        ],
        {
            "seeds": [SEED, FRESH],
            "pairs": PAIRS,
            "rules": rules_of(**{after: Rules.preset(RULES).replace(next_dealer=after) for after in NEXT}),
            "a": [str(parse_strategy(a)) for a, _ in PLAYERS],
            "b": [str(parse_strategy(b)) for _, b in PLAYERS],
            "population": "all games of quads, each deck with both packets and both orders",
            "continuation": "the players' own rules",
        },
        THERE,
    )
    publish(HERE, article, replay)


if __name__ == "__main__":
    main()
