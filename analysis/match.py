"""A match: play it, put its numbers into one report, and tell the report in words and tables."""

from __future__ import annotations

import shlex
from typing import Any

from analysis.metrics import at_any_stop, gains
from analysis.request import Match
from analysis.stats.estimates import NOTHING, Estimate, ratio
from analysis.stats.significance import PValue, format_p, sign_test
from sim.run import Run, play_match
from sim.tally import OUTCOMES, SIDE_ENDINGS, Tally
from strategies.base import player

SCHEMA = 1
"""Version of the report's keys."""

PREVIEW_PAIRS = 5_000
"""Pairs after which a long match shows its first result."""


def play(
    match: Match, threads: int, first: int = 0, pairs: int | None = None, on_progress: Any = None
) -> Run:
    """Play the pairs of a match from ``first`` on; all of them when not told how many."""
    return play_match(
        player(match.a),
        player(match.b),
        match.rules,
        pairs=match.pairs - first if pairs is None else pairs,
        seed=match.seed,
        first=first,
        threads=threads,
        scores=match.scores,
        dealer=match.dealer,
        on_progress=on_progress,
    )


POINT_DIFFERENCE = {"points_a": 1, "points_b": -1}


def games_of(moments: Any) -> int:
    """Return the games played, from a run's moments."""
    return int(moments[0, OUTCOMES.index("games")])


def game_share(moments: Any) -> Estimate:
    """Return side A's share of games, a game without a winner being half to each side."""
    return ratio(moments, "games_a", "games", factor=2, share=True)


def request_dict(match: Match) -> dict[str, Any]:
    """Return what was asked for as plain data: schema, rules in full, sides, seed, start.

    Files that the sides were read from, such as knock tables, are told with a hash of their content.
    """
    return {
        "schema": SCHEMA,
        "rules": {
            "preset": match.preset,
            "settings": list(match.settings),
            "hash": match.rules.hash,
            "fields": match.rules.to_dict(),
        },
        "a": str(match.a),
        "b": str(match.b),
        "files": {**match.a.files(), **match.b.files()},
        "seed": match.seed,
        "score": list(match.scores),
        "dealer": None if match.dealer is None else "ab"[match.dealer],
    }


def match_report(match: Match, run: Run) -> dict[str, Any]:
    """Return the numbers of a match as plain data, every estimate with its 95 % interval.

    Parameters
    ----------
    match : Match
        What was asked for.
    run : Run
        What was played; fewer pairs if it was interrupted.

    Returns
    -------
    dict
        Shares are of side A, but for ``first_mover``: who moves first in the first hand of a game, and
        the non-dealer of each hand. Points a hand count every hand, void ones too; ``hand_share`` is of
        the hands somebody won. Under rules that play matches of several games there are also
        ``matches`` and ``match_share``; under a benchmark's payoff ``payoff_per_hand``. ``pairing_gain`` is
        the variance had the two games of a pair been independent, over what it is; ``swept_pairs`` are those
        that one side won whole, with the sign test's p-value and its logarithm, which never underflows. An
        interrupted match has ``anytime``: the headlines with intervals that hold whenever it is stopped,
        which the others, made for a number of pairs fixed beforehand, do not.
    """
    tally = run.tally
    moments = tally.total("moments")
    games = games_of(moments)
    shares: dict[str, Any] = {"share": True}
    points = {
        "a": ratio(moments, "points_a", "hands"),
        "b": ratio(moments, "points_b", "hands"),
        "difference": ratio(moments, POINT_DIFFERENCE, "hands"),
    }
    mover = {
        "game_share": ratio(moments, "games_mover", "games", factor=2, **shares),
        "hand_share": ratio(moments, "hands_mover", "decisive", **shares),
    }
    extra: dict[str, Any] = {}
    if match.rules.match_type in ("best_of", "first_to_points"):
        extra["matches"] = 2 * run.pairs
        extra["match_share"] = ratio(moments, "matches_a", "one", factor=4, **shares).to_dict()
    if match.rules.payoff != "points":
        extra["payoff_per_hand"] = {
            side: ratio(moments, f"payoff_{side}", "hands", factor=100).to_dict() for side in "ab"
        }
    interrupted = match.pairs_to_go(run.pairs, games) > 0
    return {
        **request_dict(match),
        "pairs": run.pairs,
        "games": games,
        "hands": tally.outcome("hands"),
        "decisive": tally.outcome("decisive"),
        "game_share": game_share(moments).to_dict(),
        "hand_share": ratio(moments, "hands_a", "decisive", **shares).to_dict(),
        "points_per_hand": {side: estimate.to_dict() for side, estimate in points.items()},
        "game_points": {
            side: ratio(moments, total, "games").to_dict()
            for side, total in (("a", "total_a"), ("b", "total_b"))
        },
        "shutouts": {side: int(count) for side, count in zip("ab", tally.total("shutouts"), strict=True)},
        **extra,
        "endings": tally.endings(),
        "drawn": int(tally.total("games")[:, :, 2].sum() - tally.total("unfinished")),
        "unfinished": int(tally.total("unfinished")),
        "turns_per_hand": ratio(moments, "turns", "hands").to_dict(),
        "hands_per_game": ratio(moments, "hands", "games").to_dict(),
        "first_mover": {name: estimate.to_dict() for name, estimate in mover.items()},
        "pairing_gain": gains(tally),
        "swept_pairs": _swept(tally),
        "undiverged_pairs": int(tally.total("undiverged")),
        "largest_swing": None
        if run.swing.points < 0
        else {"points": run.swing.points, "pair": run.swing.pair, "game": run.swing.game},
        "interrupted": interrupted,
        **at_any_stop(tally, interrupted),
        "seconds": run.seconds,
        "games_per_second": games / run.seconds if run.seconds > 0 else None,
    }


def _swept(tally: Tally) -> dict[str, Any]:
    """Return the pairs that one side won whole, and whether chance would part them so."""
    scores = [int(count) for count in tally.total("pair_scores")]
    p = sign_test(scores[-1], scores[0])
    return {"a": scores[-1], "b": scores[0], "p": p.value, "log10_p": p.log10}


# --- words ---------------------------------------------------------------------------------------


def percent(value: float | None, digits: int = 1) -> str:
    """Write a share as a percentage, ``n/a`` when there is none."""
    return "n/a" if value is None else f"{100 * value:.{digits}f}"


def number(value: float | None, digits: int = 2) -> str:
    """Write a number, ``n/a`` when there is none."""
    if value is None:
        return "n/a"
    text = f"{value:,.{digits}f}"
    return text[1:] if float(text.replace(",", "")) == 0 and text.startswith("-") else text


def _digits(low: float | None, high: float | None, least: int) -> int:
    """Return the decimals that show an interval's width with at least one digit."""
    digits = least
    while low is not None and high is not None and 0 < high - low < 2 * 10.0**-digits and digits < 6:
        digits += 1
    return digits


def share_text(share: dict[str, Any], other: bool = False) -> str:
    """Write a share of A with its interval; the share of B when asked for the other."""
    low, value, high = share["low"], share["estimate"], share["high"]
    if value is None:
        return "n/a"
    digits = _digits(100 * low, 100 * high, 1)
    shown = [round(100 * part, digits) for part in (low, value, high)]
    if other:  # from the rounded numbers of A, so that the two sides make 100
        shown = [100 - part for part in reversed(shown)]
    low, value, high = (f"{part:.{digits}f}" for part in shown)
    return f"{value} % ({low}-{high})"


def mean_text(mean: dict[str, Any]) -> str:
    """Write a mean with its interval."""
    low, value, high = mean["low"], mean["estimate"], mean["high"]
    if value is None:
        return "n/a"
    if low is None or high is None:
        return number(value)
    digits = _digits(low, high, 2)
    dash = " to " if low < 0 else "-"
    return f"{number(value, digits)} ({number(low, digits)}{dash}{number(high, digits)})"


def lead(estimate: dict[str, Any], even: float) -> int:
    """Return which side an interval shows ahead: 1 for A, -1 for B, 0 if neither."""
    if estimate["low"] is not None and estimate["low"] > even:
        return 1
    if estimate["high"] is not None and estimate["high"] < even:
        return -1
    return 0


def verdict(report: dict[str, Any]) -> str:
    """Say in one sentence what the intervals show, and no more."""
    games = lead(report["game_share"], 0.5)
    hands = lead(report["hand_share"], 0.5)
    points = lead(report["points_per_hand"]["difference"], 0.0)
    if games == 0:
        ahead = [
            f"{'A' if sign > 0 else 'B'} {what}"
            for sign, what in ((hands, "wins more hands"), (points, "scores more points a hand"))
            if sign
        ]
        rest = f", though {' and '.join(ahead)}" if ahead else ""
        return f"Neither side is shown to win more games{rest}."
    side = "A" if games > 0 else "B"
    name = report["a" if games > 0 else "b"]
    told = {-games: "wins fewer hands but more games", games: "wins more hands and more games"}.get(
        hands, "wins more games"
    )
    told += {-games: ", on fewer points a hand", games: ", scoring more points a hand"}.get(points, "")
    if hands == 0:
        told += "; neither side is shown to win more hands"
    return f"{side} ({name}) {told}."


def _goal(rules: dict[str, Any]) -> str:
    """Say how far a game and a match go."""
    if rules["match_type"] == "single_hand":
        return "single hands"
    columns = f" in {rules['columns']} columns" if rules["columns"] > 1 else ""
    match = {
        "best_of": f", best of {rules['match_length']}",
        "first_to_points": f", matches to {rules['match_length']}",
    }.get(rules["match_type"], "")
    return f"to {rules['game_target']}{columns}{match}"


def files_text(files: dict[str, str]) -> str:
    """Return a line for each file that a strategy was read from, with its hash."""
    return "".join(f"{path} has SHA-256 {digest}...\n" for path, digest in files.items())


def rules_text(told: dict[str, Any]) -> str:
    """Name the rules and limits in force, from the ``rules`` of a report."""
    rules = told["fields"]
    big = "" if rules["big_gin_bonus"] is None else f", big gin {rules['big_gin_bonus']}"
    changed = f" with {' '.join(told['settings'])}" if told["settings"] else ""
    limit = rules["knock_limit"]
    knock = {
        "upcard": "knock at the upcard or less",
        "separate_card": "knock at a separate card or less",
        "fixed": f"knock at {limit} or less" if limit else "gin only",
    }[rules["knock_limit_source"]]
    return (
        f"Rules {told['preset']}{changed}: {knock}, "
        f"gin {rules['gin_bonus']}{big}, undercut {rules['undercut_bonus']}, "
        f"{_goal(rules)}"
    )


def heading(report: dict[str, Any]) -> str:
    """Name what was played: the sides, the rules and limits in force, the seed."""
    matches = f"{report['matches']:,} matches, " if "matches" in report else ""
    start = ""
    if report["score"] != [0, 0]:
        start += f", from {report['score'][0]}:{report['score'][1]}"
    if report["dealer"]:
        start += f", {report['dealer'].upper()} deals first"
    return (
        f"A = {report['a']}\n"
        f"B = {report['b']}\n"
        f"{files_text(report['files'])}"
        f"{rules_text(report['rules'])}{start}\n"
        f"{matches}{report['games']:,} games in mirrored pairs, {report['hands']:,} hands, "
        f"seed {report['seed']}"
    )


def result_rows(report: dict[str, Any]) -> list[tuple[str, str, str, str]]:
    """Return the rows of the result: what, side A, side B, who leads."""
    sides = {1: "A", -1: "B", 0: "-"}
    points = report["points_per_hand"]
    ahead = lead(points["difference"], 0.0)
    gap = points["difference"]
    digits = _digits(gap["low"], gap["high"], 2)
    by = f"{sides[ahead]} by {number(abs(gap['estimate']), digits)}" if ahead else "-"
    rows = [
        (
            what,
            share_text(report[key]),
            share_text(report[key], other=True),
            sides[lead(report[key], 0.5)],
        )
        for what, key in (
            ("Hands won", "hand_share"),
            ("Games won", "game_share"),
            ("Matches won", "match_share"),
        )
        if key in report
    ]
    return [rows[0], ("Points a hand", mean_text(points["a"]), mean_text(points["b"]), by), *rows[1:]]


def ending_rows(report: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Return how hands ended: what, side A, side B, each with its share of all hands."""
    endings, hands = report["endings"], report["hands"]

    def cell(count: int) -> str:
        return f"{count:,} ({percent(count / hands, 2) if hands else 'n/a'} %)"

    names = {"undercut": "undercut the other", "gin_cancelled": "gin cancelled"}
    rows = [
        (names.get(kind, kind.replace("_", " ")), cell(endings["a"][kind]), cell(endings["b"][kind]))
        for kind in SIDE_ENDINGS
        if endings["a"][kind] or endings["b"][kind] or kind in ("knock", "gin", "undercut")
    ]
    return [*rows, ("void", cell(endings["void"]), ""), ("capped", cell(endings["capped"]), "")]


def remarks(report: dict[str, Any]) -> list[str]:
    """Return the smaller facts of a match, a line each."""
    mover = report["first_mover"]
    lines = []
    if (gap := report["points_per_hand"]["difference"])["low"] is not None:
        lines.append(f"Points a hand, A less B: {mean_text(gap)}.")
    lines += [
        f"First mover: {share_text(mover['game_share'])} of games; "
        f"the non-dealer {share_text(mover['hand_share'])} of hands won.",
        f"Final points a game, bonuses in: A {mean_text(report['game_points']['a'])}, "
        f"B {mean_text(report['game_points']['b'])}.",
        f"Shares of hands are of the {report['decisive']:,} that somebody won.",
        f"Turns a hand {mean_text(report['turns_per_hand'])}, "
        f"hands a game {mean_text(report['hands_per_game'])}.",
    ]
    if "payoff_per_hand" in report:
        reward = report["payoff_per_hand"]
        lines.append(f"Payoff a hand: A {mean_text(reward['a'])}, B {mean_text(reward['b'])}.")
    lines += _pairing_text(report["pairing_gain"])
    swept = report["swept_pairs"]
    if swept["a"] + swept["b"]:
        chance = format_p(PValue(swept["log10_p"]))
        lines.append(
            f"Pairs won whole: A {swept['a']:,}, B {swept['b']:,}; were the sides equal, so uneven a split "
            f"would come with a probability of {chance} (sign test)."
        )
    if "anytime" in report:
        told = report["anytime"]
        hands, games, points = (
            text(told[name])
            for name, text in (
                ("hand_share", share_text),
                ("game_share", share_text),
                ("points_per_hand", mean_text),
            )
        )
        lines.append(
            "The intervals above are for a number of pairs fixed beforehand. Those that hold whenever a run "
            f"is stopped: A wins {hands} of hands and {games} of games; points a hand, A less B, {points}."
        )
    if report["undiverged_pairs"]:
        lines.append(f"Pairs with both games alike card for card: {report['undiverged_pairs']:,}.")
    if report["drawn"]:
        lines.append(f"Games that nobody won, half a win to each side: {report['drawn']:,}.")
    if report["unfinished"]:
        lines.append(f"Games left unfinished, half a win to each side: {report['unfinished']:,}.")
    return lines


def _pairing_text(gain: dict[str, float | None]) -> list[str]:
    """Say what pairing is worth, of what varies at all."""
    names = (("hand_share", "hands won"), ("points_per_hand", "points a hand"), ("game_share", "games won"))
    parts = [f"{number(gain[key])} ({what})" for key, what in names if gain[key] is not None]
    if not parts:
        return []
    return [f"Mirrored pairs are worth so many times as many games apart: {', '.join(parts)}."]


def replay_command(match: Match, report: dict[str, Any]) -> str | None:
    """Return the command that tells the game with the largest come-back; None if there is none."""
    swing = report["largest_swing"]
    if swing is None or swing["points"] == 0:
        return None
    words = ["ginlab", "replay", *match.options()]
    words += ["--pair", str(swing["pair"]), "--game", str(swing["game"])]
    return shlex.join(words)


def preview_text(run: Run) -> str:
    """Say what the first pairs show."""
    share = game_share(run.tally.total("moments")).to_dict()
    games = games_of(run.tally.total("moments"))
    return f"After {games:,} games A has won {share_text(share)} of them."


def progress_text(moments: Any) -> str:
    """Say what the pairs played so far show."""
    share = game_share(moments)
    return "" if share == NOTHING else f"A {share_text(share.to_dict())}"
