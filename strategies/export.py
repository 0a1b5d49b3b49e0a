"""A strategy's knock rule as a knock table, exact or not at all.

A table says the probability of ending the hand by deadwood and stock or own turn. Whether a rule goes by
these alone cannot be seen from answers to some positions. So the rule is run as plain Python on a view that
has nothing but them and refuses everything else: a rule that answers without asking for more gives the same
answer in every position with these values. It is asked for all values there are, and the compiled rule must
answer as the plain one does.

Rules that are tables by nature, such as another `knock_table`, are written with their probabilities and all
axes. Rules that draw lots or go by anything else (the cards held, scores, what the other took) are refused.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from sim._jit import plain_python
from sim.rules import Rules
from sim.run import Table
from strategies.base import Strategy, StrategyError, player
from strategies.knock_cells import DEADWOODS, RANGES, KnockCells

_STOCKS = range(RANGES["stock"][0], RANGES["stock"][1] + 1)
_TURNS = range(RANGES["turn"][0], RANGES["turn"][1] + 1)

_OWN = ("params", "table", "draw_params", "knock_params", "discard_params", "spread_params")
"""Fields that are the strategy's own and the same in every position."""


class _AskedForMoreError(Exception):
    """A rule asked its view for what a table has no column for."""


class _Position:
    """A view that has deadwood, stock and own turn only, and notes which of the last two are read."""

    def __init__(self, own: Any, best_deadwood: int, stock: int, turn: int) -> None:
        self.best_deadwood = best_deadwood
        self.read: set[str] = set()
        self._own = own
        self._counted = {"stock": stock, "turn": turn}

    def __getattr__(self, name: str) -> Any:
        if name in self._counted:
            self.read.add(name)
            return self._counted[name]
        if name in _OWN:
            return getattr(self._own, name)
        raise _AskedForMoreError(name)


def knock_cells(chosen: Strategy) -> KnockCells:
    """Return the knock rule of a strategy as the cells of a table.

    Parameters
    ----------
    chosen : Strategy
        Of a combined strategy, the part that knocks counts.

    Returns
    -------
    KnockCells

    Raises
    ------
    StrategyError
        If the rule goes by more than deadwood and one of stock and own turn.
    """
    owner = chosen.owner("knock")
    cells: KnockCells | None = owner.cells()
    if cells is not None:
        return cells
    knock = player(owner).decisions[1]
    view = Table(player(owner), player(owner), Rules()).views[0]
    answers = _answers(chosen, plain_python(knock), view)
    by_stock = bool((answers != answers[:, :1]).any())
    by_turn = bool((answers != answers[:, :, :1]).any())
    if by_stock and by_turn:
        raise _refusal(chosen, "goes by stock and own turn at once, a table by one of them")
    axis, first, shares = "", 0, answers[:, 0, :1]
    if by_stock:
        axis, first, shares = "stock", _STOCKS[0], answers[:, :, 0]
    if by_turn:
        axis, first, shares = "turn", _TURNS[0], answers[:, 0]
    cells = KnockCells(axis, first, (), shares.T[np.newaxis, np.newaxis].astype(np.float64))
    _check(chosen, knock, view, cells)
    return cells


def _answers(chosen: Strategy, knock: Any, view: Any) -> Any:
    """Return what a rule answers, by deadwood, stock and own turn.

    Values that the rule has not asked for are not tried one by one: its answer cannot depend on them.
    """
    answers = np.zeros((DEADWOODS, len(_STOCKS), len(_TURNS)), np.bool_)
    for deadwood in range(DEADWOODS):
        for turn in _TURNS:
            read: set[str] = set()
            for stock in _STOCKS:
                position = _Position(view, deadwood, stock, turn)
                answer = _ask(chosen, knock, position)
                read |= position.read
                if "stock" not in position.read:
                    answers[deadwood, stock:, turn - 1] = answer
                    break
                answers[deadwood, stock, turn - 1] = answer
            if "turn" not in read:
                answers[deadwood, :, turn - 1 :] = answers[deadwood, :, turn - 1 : turn]
                break
    return answers


def _ask(chosen: Strategy, knock: Any, position: _Position) -> bool:
    """Ask a rule in plain Python."""
    try:
        return bool(knock(position))
    except _AskedForMoreError as error:
        if str(error) == "random":
            raise _refusal(chosen, "draws lots (view.random)") from None
        raise _refusal(chosen, f"goes by view.{error}, for which a table has no column") from None
    except Exception as error:
        told = str(error).strip().splitlines() or [""]
        reason = f"cannot be followed in plain Python ({type(error).__name__}: {told[0][:120]})"
        raise _refusal(chosen, reason) from None


def _check(chosen: Strategy, knock: Any, view: Any, cells: KnockCells) -> None:
    """Refuse cells in which the compiled rule answers otherwise, at either end of what does not count."""
    steps = range(cells.first, cells.first + cells.shares.shape[2])
    stocks = steps if cells.axis == "stock" else (_STOCKS[0], _STOCKS[-1])
    turns = steps if cells.axis == "turn" else (_TURNS[0], _TURNS[-1])
    for view.stock, view.turn, view.best_deadwood in itertools.product(stocks, turns, range(DEADWOODS)):
        step = getattr(view, cells.axis) - cells.first if cells.axis else 0
        if bool(knock(view)) != bool(cells.shares[0, 0, step, view.best_deadwood]):
            raise _refusal(chosen, "answers otherwise when compiled")


def _refusal(chosen: Strategy, reason: str) -> StrategyError:
    return StrategyError(f"{chosen}: cannot be written as a knock table: its knock rule {reason}")
