"""The solo game: what is asked for, its numbers as one report, the report in words, one ending scored."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from analysis.console import UsageError
from analysis.hands import Fields, Told, meld_text, points_text
from analysis.match import files_text, mean_text, number, percent, share_text
from analysis.stats.estimates import NOTHING, Estimate, ratio
from sim.cards import CardError, format_card, format_cards, parse_card, parse_cards
from sim.melds import arrangements
from sim.rules import Rules
from sim.solo import SoloRun, play_solo
from sim.solo_rules import require_solo
from sim.solo_score import score_solo
from sim.solo_tally import SOLO_OUTCOMES
from strategies.base import Strategy, player

SCHEMA = 1
"""Version of the report's keys."""


@dataclass(frozen=True)
class Solo:
    """What is played.

    Attributes
    ----------
    strategy : Strategy
        Who plays against the joker.
    rules : Rules
        House rules, with solo rules.
    preset, settings : str, tuple of str
        How the rules were asked for: ``--rules`` and each ``--set``.
    games : int
        Games to play.
    seed : int
        Decides every deck.
    scores : tuple of int
        Points of the player and of the joker when a game begins.
    """

    strategy: Strategy
    rules: Rules
    preset: str
    settings: tuple[str, ...]
    games: int
    seed: int
    scores: tuple[int, int] = (0, 0)


def play(solo: Solo, threads: int, on_progress: Any = None) -> SoloRun:
    """Play the games."""
    return play_solo(
        player(solo.strategy),
        solo.rules,
        games=solo.games,
        seed=solo.seed,
        threads=threads,
        scores=solo.scores,
        on_progress=on_progress,
    )


def _ratio(moments: Any, numerator: Any, denominator: str, **more: Any) -> Estimate:
    return ratio(moments, numerator, denominator, outcomes=SOLO_OUTCOMES, **more)


def game_share(moments: Any) -> Estimate:
    """Return the player's share of games, an unfinished game being half to each side."""
    return _ratio(moments, "games", "one", factor=2, share=True)


POINT_DIFFERENCE = {"points_player": 1, "points_joker": -1}


def solo_report(solo: Solo, run: SoloRun) -> dict[str, Any]:
    """Return the numbers of a run as plain data, every estimate with its 95 % interval.

    Parameters
    ----------
    solo : Solo
        What was asked for.
    run : SoloRun
        What was played; fewer games if it was interrupted.

    Returns
    -------
    dict
        ``game_share`` is the player's. Points, turns and jokers a hand count every hand, void ones too;
        ``turned`` are the cards turned over in a hand that the player ended.
    """
    tally = run.tally
    moments = tally.total("moments")
    won, lost, unfinished = (int(count) for count in tally.total("games"))
    points = {
        "player": _ratio(moments, "points_player", "hands"),
        "joker": _ratio(moments, "points_joker", "hands"),
        "difference": _ratio(moments, POINT_DIFFERENCE, "hands"),
    }
    return {
        "schema": SCHEMA,
        "rules": {
            "preset": solo.preset,
            "settings": list(solo.settings),
            "hash": solo.rules.hash,
            "fields": solo.rules.to_dict(),
        },
        "strategy": str(solo.strategy),
        "files": solo.strategy.files(),
        "seed": solo.seed,
        "score": list(solo.scores),
        "games": run.games,
        "hands": tally.outcome("hands"),
        "games_won": {"player": won, "joker": lost},
        "unfinished": unfinished,
        "game_share": game_share(moments).to_dict(),
        "endings": tally.endings(),
        "points_by_ending": tally.points_by_ending(),
        "points_per_hand": {side: estimate.to_dict() for side, estimate in points.items()},
        "game_points": {
            side: _ratio(moments, f"score_{side}", "one").to_dict() for side in ("player", "joker")
        },
        "hands_per_game": _ratio(moments, "hands", "one").to_dict(),
        "turns_per_hand": _ratio(moments, "turns", "hands").to_dict(),
        "jokers_per_hand": _ratio(moments, "jokers", "hands").to_dict(),
        "turned": _ratio(moments, "turned", "ended").to_dict(),
        "interrupted": run.games < solo.games,
        "seconds": run.seconds,
        "games_per_second": run.games / run.seconds if run.seconds > 0 else None,
    }


# --- words ---------------------------------------------------------------------------------------


def heading(report: dict[str, Any]) -> str:
    """Name what was played: the strategy, the rules in force, the seed."""
    rules = report["rules"]["fields"]
    solo = rules["solo"]
    changed = f" with {' '.join(report['rules']['settings'])}" if report["rules"]["settings"] else ""
    limit = rules["knock_limit"]
    knock = f"knock at {limit} or less" if limit else "gin only"
    start = f", from {report['score'][0]}:{report['score'][1]}" if report["score"] != [0, 0] else ""
    jokers = "1 joker" if solo["jokers"] == 1 else f"{solo['jokers']} jokers"
    return (
        f"Player = {report['strategy']}\n"
        f"{files_text(report['files'])}"
        f"Rules {report['rules']['preset']}{changed}: {knock}, {jokers}, "
        f"the hand ends with joker {solo['end_on_joker']}, to {rules['game_target']}{start}\n"
        f"{report['games']:,} solo games, {report['hands']:,} hands, seed {report['seed']}"
    )


def result_rows(report: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Return the rows of the result: what, the player, the joker."""
    share, hand, game = report["game_share"], report["points_per_hand"], report["game_points"]
    return [
        ("Games won", share_text(share), share_text(share, other=True)),
        ("Points a hand", mean_text(hand["player"]), mean_text(hand["joker"])),
        ("Points a game", mean_text(game["player"]), mean_text(game["joker"])),
    ]


ENDING_NAMES = {
    "solo_knock": "knock",
    "solo_gin": "gin",
    "solo_second_joker": "joker ended it",
    "void": "void",
    "capped": "capped",
}


def ending_rows(report: dict[str, Any]) -> list[tuple[str, str, str, str]]:
    """Return how hands ended: what, how often, mean points of the player and of the joker."""
    hands = report["hands"]
    rows = []
    for kind, count in report["endings"].items():
        points = report["points_by_ending"][kind]
        means = [number(points[side] / count) if count else "n/a" for side in ("player", "joker")]
        share = percent(count / hands, 2) if hands else "n/a"
        rows.append((ENDING_NAMES[kind], f"{count:,} ({share} %)", means[0], means[1]))
    return rows


def verdict(report: dict[str, Any]) -> str:
    """Say in one sentence what the interval shows, and no more."""
    share = report["game_share"]
    name = report["strategy"]
    if share["low"] is not None and share["low"] > 0.5:
        return f"{name} beats the joker."
    if share["high"] is not None and share["high"] < 0.5:
        return f"The joker beats {name}."
    return "Neither the player nor the joker is shown to win more games."


def remarks(report: dict[str, Any]) -> list[str]:
    """Return the smaller facts of a run, a line each."""
    lines = [
        f"Points a hand, player less joker: {mean_text(report['points_per_hand']['difference'])}.",
        f"Cards turned over after a knock or gin {mean_text(report['turned'])}, "
        f"jokers drawn a hand {mean_text(report['jokers_per_hand'])}.",
        f"Turns a hand {mean_text(report['turns_per_hand'])}, "
        f"hands a game {mean_text(report['hands_per_game'])}.",
    ]
    if report["unfinished"]:
        lines.append(f"Games left unfinished, half a win to each side: {report['unfinished']:,}.")
    return lines


def progress_text(moments: Any) -> str:
    """Say what the games played so far show."""
    share = game_share(moments)
    return "" if share == NOTHING else f"wins {share_text(share.to_dict())}"


# --- the score of one ending ---------------------------------------------------------------------


def parse_stock(text: str, rules: Rules) -> list[int | None]:
    """Read the stock from the top: cards and ``JK`` for a joker; a ``...`` at the end says it goes on.

    Raises
    ------
    CardError, UsageError
        If a word is no card of the deck, or a card stands twice.
    """
    words = [word for word in re.split(r"[\s,]+", text.strip()) if word]
    if words and words[-1] == "...":
        words.pop()
    stock: list[int | None] = []
    for word in words:
        card = None if word.upper() == "JK" else parse_card(word)
        if card is not None and card in stock:
            raise CardError(f"duplicate card {format_card(card)} in --stock-cards")
        if card is not None and not card & rules.deck:
            raise UsageError(f"--stock-cards: {format_card(card)} not in the deck of these rules")
        stock.append(card)
    return stock


def score_solo_ending(
    rules: Rules,
    *,
    knocker: str,
    stock_cards: str | None = None,
    jokers_out: int = 0,
    discard: str | None = None,
) -> Told:
    """Score the end of a solo hand from its cards.

    Parameters
    ----------
    rules : Rules
        With solo rules.
    knocker : str
        The player's ten cards: after his discard, or when the joker came.
    stock_cards : str, optional
        The stock from the top, at least to its first joker, ``JK``. Not needed when a joker ended the
        hand, which is when so many are out.
    jokers_out : int
        Jokers removed so far.
    discard : str, optional
        The card thrown; it changes nothing, but must be in no other place.

    Returns
    -------
    dict
        ``end`` (solo_knock, solo_gin, solo_second_joker, illegal_knock), ``points_knocker`` (of the
        player), ``points_defender`` (of the joker), ``knocker_deadwood``, ``turned``; ``discard``,
        ``spread`` and ``knocker_leftover``.

    Raises
    ------
    CardError, RulesError, UsageError
        Naming the input that cannot be used.
    """
    solo = require_solo(rules)
    hand = parse_cards(knocker, rules.hand_size, "the player's hand")
    thrown = 0 if discard is None else parse_card(discard)
    if outside := (hand | thrown) & ~rules.deck:
        raise UsageError(f"{format_cards(outside)} not in the deck of these rules")
    stock = parse_stock(stock_cards or "", rules)
    below = sum(card for card in stock if card is not None)
    for cards, where in (
        (hand & thrown, "the hand and as the discard"),
        (hand & below, "the hand and in the stock"),
        (thrown & below, "the stock and as the discard"),
    ):
        if cards:
            raise UsageError(f"duplicate card {format_cards(cards)}: in {where}")
    most = rules.deck.bit_count() - rules.hand_size - 1
    if below.bit_count() > most:
        raise UsageError(f"--stock-cards: {below.bit_count()} cards, at most {most} are left after the deal")
    jokers = stock.count(None)
    if jokers_out > solo.jokers:
        raise UsageError(f"--jokers-out {jokers_out}: these rules have {solo.jokers}")
    if jokers_out + jokers > solo.jokers:
        raise UsageError(
            f"--jokers-out {jokers_out} and {jokers} JK in --stock-cards: these rules have {solo.jokers}"
        )
    # A joker of the deal ends nothing, so there the stock tells that the player ended the hand.
    own = stock_cards is not None and solo.jokers_enter == "before_deal"
    by_joker = jokers_out >= solo.end_on_joker and not own
    if not by_joker and jokers == 0 and jokers_out < solo.jokers:
        what = "missing" if stock_cards is None else "no joker (JK) among them"
        raise UsageError(f"--stock-cards: {what}; list the stock from the top down to its first joker")
    score = score_solo(hand, stock, rules, jokers_out, by_joker)
    shown = arrangements(hand, rules)[0]
    return {
        "end": score.end,
        "points_knocker": score.player,
        "points_defender": score.joker,
        "knocker_deadwood": score.deadwood,
        "defender_deadwood": None,
        "turned": score.turned,
        "discard": format_card(thrown) if thrown else None,
        "spread": [meld_text(meld) for meld in shown.melds],
        "knocker_leftover": format_cards(shown.leftover),
    }


_END_NAMES = {"solo_knock": "knock", "solo_gin": "gin", "solo_second_joker": "the joker ended the hand"}


def describe_solo_score(told: Told, rules: Rules) -> Fields:
    """Put the end of a solo hand into words."""
    own = told["knocker_deadwood"]
    if told["end"] == "illegal_knock":
        limit = f"at most {rules.knock_limit} may be knocked with"
        return [("End", f"illegal knock: deadwood {own}, {limit}; the hand goes on")]
    return [
        ("End", _END_NAMES[told["end"]]),
        ("Player", f"{points_text(told['points_knocker'])}, cards turned over {told['turned']}"),
        ("Joker", points_text(told["points_defender"])),
        ("Deadwood", str(own)),
        ("  melds", " | ".join(told["spread"]) or "none"),
        ("  left over", told["knocker_leftover"] or "none"),
    ]
