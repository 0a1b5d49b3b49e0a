"""Advice for a position: what knocking brings against opponents who might sit there, and what waiting does.

The other hand is not known. It is drawn from what it can be, given all that was seen and how the opponent
plays (`sim.worlds`), and the hand is played on in each of these worlds for each choice. All worlds count
alike, so their number is the effective sample size; means have Student's t interval, and choices are compared
world by world.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from analysis.console import UsageError
from analysis.knocking.after_hand import PAIRS, AfterHand, after_hand
from analysis.knocking.equity import require_one_game
from analysis.knocking.history import WHO
from analysis.knocking.position import Position
from analysis.stats.estimates import LEVEL, Estimate, around, jackknife, t_interval, wilson
from sim.cards import format_card, format_cards
from sim.scoring import UNDERCUT
from sim.worlds import CHOICES, TAKE_IT, fitting_worlds
from sim.worlds import LAST_WORLD as LAST_WORLD
from strategies.base import Decisions, Strategy, load_decisions, parse_strategy, player

LEAST_WORLDS = 200
"""Worlds without which there is no advice: a share has then an interval of 14 points of a hundred."""

PANEL = ("simple", "threshold(4)", "two_stage(10, 0, 6)", "gin_only")
"""Opponents when none is named."""

Equity = Callable[[Any, Any, Any, int], npt.NDArray[np.float64]]
"""From points (the player's less the opponent's), winner (0 the player, 1 the opponent, -1 nobody), boxes of
the winner, all by world, and the side that dealt: the player's chance to win the game after the hand, shape
(worlds,); or shape (1 + groups, worlds), as it is measured from all hands and from all groups but each, and
the error of that is carried on. `analysis.knocking.after_hand.AfterHand.shares` is one."""

KNOCK, WAIT, UNDECIDED = "knock", "wait", "undecided"


class Choice(NamedTuple):
    """What a choice brings.

    Attributes
    ----------
    points : Estimate
        Of the hand, the player's less the opponent's; a void hand counts 0.
    share : Estimate or None
        Chance to win the game, where an equity was given.
    """

    points: Estimate
    share: Estimate | None


@dataclass(frozen=True)
class Against:
    """What one opponent makes of the position.

    Attributes
    ----------
    opponent : str
    tried : int
        Worlds drawn.
    worlds : int
        Worlds in which he would have played as was seen: the effective sample size.
    choices : dict of str to Choice
        By `sim.worlds.CHOICES`; empty without enough worlds.
    gains : dict of str to Choice
        Knocking less each way of waiting, ``once`` and ``gin``, world by world.
    undercut : Estimate or None
        Probability that a knock now is undercut.
    verdict : str or None
        ``knock`` if that is better than both ways of waiting, ``wait`` if it is worse than one of them, both
        beyond chance, else ``undecided``; None without enough worlds.
    seconds : float
        Wall time.
    """

    opponent: str
    tried: int
    worlds: int
    choices: dict[str, Choice]
    gains: dict[str, Choice]
    undercut: Estimate | None
    verdict: str | None
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Return the same as plain data."""
        return {
            "opponent": self.opponent,
            "worlds_tried": self.tried,
            "effective_sample_size": self.worlds,
            "choices": {name: _choice_dict(choice) for name, choice in self.choices.items()},
            "knock_less": {name: _choice_dict(choice) for name, choice in self.gains.items()},
            "p_undercut": self.undercut.to_dict() if self.undercut else None,
            "verdict": self.verdict,
            "seconds": self.seconds,
        }


def _choice_dict(choice: Choice) -> dict[str, Any]:
    return {
        "points": choice.points.to_dict(),
        "game_share": choice.share.to_dict() if choice.share else None,
    }


class Effort(NamedTuple):
    """How much is done for an opponent. Time decides at most how many worlds there are.

    Attributes
    ----------
    worlds : int
        Worlds that fit after which to stop.
    tries : int
        Worlds drawn after which to stop.
    seconds : float
        Wall time after which to stop.
    """

    worlds: int = 20_000
    tries: int = LAST_WORLD
    seconds: float = 20.0


DEFAULT_EFFORT = Effort()


def gin_knock() -> Any:
    """Return the compiled knock rule that ends a hand with gin only."""
    return load_decisions(parse_strategy("gin_only"))[Decisions._fields.index("knock")]


def draw_worlds(
    position: Position,
    own: Strategy,
    opponent: Strategy,
    *,
    scores: tuple[int, int] = (0, 0),
    effort: Effort = DEFAULT_EFFORT,
    slips: float = 0.0,
    seed: int = 0,
    threads: int = 1,
    on_progress: Callable[[int, float], None] | None = None,
) -> tuple[int, Any]:
    """Draw worlds for a position until there are enough; return how many were drawn, and those that fit.

    Parameters
    ----------
    position : Position
    own, opponent : Strategy
        How the player goes on, and how the opponent has played and goes on.
    scores : tuple of int
        Points of the player and the opponent before the hand.
    effort : Effort
    slips : float
        Probability, 0-1, that the opponent has taken any legal action at a decision; see `sim.slips`.
    seed, threads : int
    on_progress : callable, optional
        Called with the worlds that fit and the share of the effort that is done.

    Returns
    -------
    int, recarray of `sim.worlds.WORLD_DTYPE`
    """
    began = time.monotonic()
    tried = found = 0
    parts = []
    for piece in fitting_worlds(
        player(own), player(opponent), position.rules, position.past, gin=gin_knock(), tries=effort.tries,
        seed=seed, threads=threads, scores=scores, slips=slips,
    ):  # fmt: skip
        tried += piece.tried
        found += len(piece.worlds)
        parts.append(piece.worlds)
        spent = time.monotonic() - began
        if on_progress is not None:
            on_progress(found, max(found / effort.worlds, tried / effort.tries, spent / effort.seconds))
        if found >= effort.worlds or spent >= effort.seconds:
            break
    return tried, np.concatenate(parts).view(np.recarray)


def judge(worlds: Any, equity: Equity | None, dealer: int) -> dict[str, Any]:
    """Return choices, gains, the probability of an undercut and the verdict of worlds that fit.

    Parameters
    ----------
    worlds : recarray of `sim.worlds.WORLD_DTYPE`
    equity : Equity or None
        The verdict is by game share where it is given, else by points.
    dealer : int
        Side that dealt.
    """
    points = [worlds.points[:, place].astype(np.float64) for place in range(len(CHOICES))]
    shares: list[Any] = [None] * len(CHOICES)
    if equity is not None:
        shares = [
            np.atleast_2d(equity(column, worlds.winner[:, place], worlds.boxes[:, place], dealer))
            for place, column in enumerate(points)
        ]
    choices, gains, better = {}, {}, []
    for place, name in enumerate(CHOICES):
        share = None if equity is None else mean_share(shares[place], cut=True)
        choices[name] = Choice(t_interval(points[place]), share)
        if place == TAKE_IT:
            continue
        gain = points[TAKE_IT] - points[place]
        by_share = None if equity is None else shares[TAKE_IT] - shares[place]
        gains[name] = Choice(t_interval(gain), None if by_share is None else mean_share(by_share))
        # Two comparisons are made, so each is judged at half the error (Bonferroni).
        level = (1 + LEVEL) / 2
        better.append(
            _sign(t_interval(gain, level=level) if by_share is None else mean_share(by_share, level))
        )
    verdict = KNOCK if min(better) > 0 else WAIT if min(better) < 0 else UNDECIDED
    count = int((worlds.ending[:, TAKE_IT] == UNDERCUT).sum())
    return {
        "choices": choices,
        "gains": gains,
        "undercut": Estimate(count / len(worlds), *wilson(count, len(worlds))),
        "verdict": verdict,
    }


def mean_share(values: npt.NDArray[np.float64], level: float = LEVEL, cut: bool = False) -> Estimate:
    """Estimate a mean over worlds of what is itself measured.

    Parameters
    ----------
    values : ndarray of float64, shape (1 + groups, worlds)
        As measured from all hands, and from those of all groups but each; no groups if it is exact.
    level : float
    cut : bool
        The interval is cut at 0 and 1.

    Returns
    -------
    Estimate
        Its variance is that of the mean over worlds and that of the measurement, by the jackknife; the
        degrees of freedom are the fewer of both.
    """
    told = t_interval(values[0], level=level)
    groups = len(values) - 1
    if groups > 1 and told.estimate is not None:
        measured = jackknife(told.estimate, values[1:].mean(axis=1), level)
        parts = [part for part in (told, measured) if part.se is not None and part.freedom is not None]
        if parts:
            error = sum((part.se or 0.0) ** 2 for part in parts) ** 0.5
            freedom = min(part.freedom or 1 for part in parts)
            told = around(told.estimate, error, freedom, level)
    if not cut or told.low is None or told.high is None:
        return told
    return Estimate(told.estimate, max(0.0, told.low), min(1.0, told.high), told.se, told.freedom)


def _sign(gain: Estimate) -> int:
    """Return 1 or -1 for a difference whose interval lies above or below 0, else 0."""
    if gain.low is None or gain.high is None:
        return 0
    return 1 if gain.low > 0 else -1 if gain.high < 0 else 0


def advise(
    position: Position,
    own: Strategy,
    opponent: Strategy,
    *,
    scores: tuple[int, int] = (0, 0),
    equity: Equity | None = None,
    effort: Effort = DEFAULT_EFFORT,
    slips: float = 0.0,
    seed: int = 0,
    threads: int = 1,
    on_progress: Callable[[int, float], None] | None = None,
) -> Against:
    """Say what knocking and waiting bring against one opponent; arguments as of `draw_worlds` and `judge`.

    Without `LEAST_WORLDS` worlds that fit nothing is said of the choices.
    """
    began = time.monotonic()
    tried, worlds = draw_worlds(
        position, own, opponent, scores=scores, effort=effort, slips=slips, seed=seed, threads=threads,
        on_progress=on_progress,
    )  # fmt: skip
    told: dict[str, Any] = {"choices": {}, "gains": {}, "undercut": None, "verdict": None}
    if len(worlds) >= LEAST_WORLDS:
        told = judge(worlds, equity, position.dealer)
    return Against(str(opponent), tried, len(worlds), seconds=time.monotonic() - began, **told)


def no_game(position: Position, own: Strategy, opponent: Strategy) -> str | None:
    """Say why no chance to win the game can be told, None if it can."""
    for side in (own, opponent):
        if side.rollout_policy() is not None:
            return f"{side} plays on in thought: too slow to measure how games with it end"
    try:
        require_one_game(position.rules)
    except UsageError as error:
        return str(error)
    return None


def game_equity(
    position: Position,
    own: Strategy,
    opponent: Strategy,
    scores: tuple[int, int],
    *,
    seed: int = 0,
    threads: int = 1,
) -> Equity:
    """Return the chance to win the game after a hand of these two, measured when it is first asked for."""
    found: list[AfterHand] = []

    def equity(points: Any, winner: Any, boxes: Any, dealer: int) -> npt.NDArray[np.float64]:
        if not found:
            sides = player(own), player(opponent)
            found.append(after_hand(*sides, position.rules, scores, seed=seed, threads=threads))
        return found[0].shares(points, winner, boxes, dealer)

    return equity


# --- text ----------------------------------------------------------------------------------------


def refusal(panel: Sequence[Against], slips: float = 0.0) -> str:
    """Say why there is no advice, and what would help."""
    slip = "" if slips else ", or let him slip with --slips 0.05"
    found = ", ".join(f"{told.opponent} {told.worlds:,} of {told.tried:,}" for told in panel)
    return (
        f"no advice: worlds in which the opponent plays as was seen are too few ({found}; {LEAST_WORLDS} "
        "are needed). More --seconds help where there are some; where there are none he does not play so: "
        f"check the history, name another opponent with --against{slip}"
    )


def sentence(panel: Sequence[Against]) -> str:
    """Say against how many of the panel each answer holds."""
    parts = []
    words = {KNOCK: "knock", WAIT: "do not knock yet", UNDECIDED: "undecided", None: "no advice"}
    for verdict, word in words.items():
        names = [told.opponent for told in panel if told.verdict == verdict]
        if names:
            parts.append((len(names), f"{word} against {len(names)} of {len(panel)} ({', '.join(names)})"))
    parts.sort(key=lambda part: -part[0])
    text = "; ".join(part for _, part in parts)
    return text[:1].upper() + text[1:] + "."


def _number(told: Estimate | None, digits: int = 1, factor: float = 1.0) -> str:
    if told is None or told.estimate is None:
        return "-"
    value = f"{factor * told.estimate:.{digits}f}"
    if told.low is None or told.high is None:
        return value
    return f"{value} [{factor * told.low:.{digits}f}, {factor * told.high:.{digits}f}]"


def _change(told: Estimate | None, factor: float = 1.0) -> str:
    """Write a difference and how far its interval reaches to either side."""
    if told is None or told.estimate is None or told.reach is None:
        return _number(told, 1, factor)
    return f"{factor * told.estimate:+.1f} ±{factor * told.reach:.1f}"


def rows(told: Against) -> list[tuple[str, ...]]:
    """Return the rows of one opponent: choice, points, game share, knocking less it."""
    names = {"knock": "knock", "once": "wait", "gin": "for gin"}
    out = []
    for name, choice in told.choices.items():
        gain = told.gains.get(name)
        cells = [names[name], _number(choice.points), _change(gain.points) if gain else ""]
        if choice.share is not None:
            cells += [_number(choice.share, 1, 100), _change(gain.share, 100) if gain else ""]
        out.append(tuple(cells))
    return out


def headers(with_share: bool) -> tuple[str, ...]:
    """Return the headers of `rows`."""
    base = ("Choice", "Points", "knock less it")
    return (*base, "Games won, %", "less it, %") if with_share else base


def position_text(position: Position, own: Strategy, with_share: bool, slips: float = 0.0) -> list[str]:
    """Describe the position and what is assumed."""
    drawn = format_card(int(position.past.last_drawn))
    how = "taken" if position.turns[-1].from_discard else "drawn"
    unnamed = sum(turn.side == 0 and not turn.drawn for turn in position.turns)
    lines = [
        f"Your turn {position.own_turn}: {format_cards(position.hand)}, {drawn} just {how}. A knock leaves "
        f"{position.deadwood}, the limit is {position.limit}; {position.stock} cards in the stock, "
        f"{WHO[position.dealer]} dealt.",
        f"knock: now. wait: not now, then as {own} does. for gin: the same, but never short of gin. You draw "
        "and discard as it does; its memory of the hand begins now. Points are yours less the opponent's, a "
        "void hand counts 0. Intervals are 95 %.",
    ]
    if slips:
        lines.append(
            "An opponent slips: so far, at each draw, legal knock and discard, he has done anything legal, "
            f"all alike, with probability {slips:g}, else as his strategy does. From now on he never slips."
        )
    if with_share:
        lines.append(
            f"Games won: the rest of the game is played by the same two, as {2 * PAIRS:,} hands with each "
            "dealer ended; the error of that is in the intervals. The answer goes by games won."
        )
    if unnamed:
        lines.append(
            f"{unnamed} of your draws are not named: your cards are put into draws that they can have come "
            "from, which changes nothing of the other hand."
        )
    return lines
