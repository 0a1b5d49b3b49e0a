"""A strategy with the view that it is asked about, set out by hand."""

from __future__ import annotations

from typing import Any

from sim.cards import parse_card, parse_cards
from sim.melds import best_discards, is_big_gin
from sim.rules import Rules
from sim.run import Table
from strategies.base import parse_strategy, player


class Seat:
    """A strategy with the view that it is asked about.

    Parameters
    ----------
    text : str
        The strategy.
    rules : Rules, optional
        The default rules when left out.
    """

    def __init__(self, text: str, rules: Rules | None = None) -> None:
        self.rules = rules or Rules()
        made = player(parse_strategy(text))
        self.draws, self.knocks, self.discards, self.spreads = made.decisions
        self.views = Table(made, made, self.rules).views
        self.view: Any = self.views[0]
        self.fresh = self.views[:1].copy()

    def see(self, hand: str, pile: str = "", known: str = "", declined: str = "", **fields: int) -> Seat:
        """Set out a position, cards as text: what the pile shows last is the upcard and the last discard.

        All other cards are unseen. ``fields`` are further fields of the view, such as ``turn`` or ``stock``.
        Nothing is left of a position set out before.
        """
        self.views[:1] = self.fresh
        view = self.view
        pile_cards = [parse_card(card) for card in pile.split()]
        view.hand, view.pile, view.known = parse_cards(hand), sum(pile_cards), parse_cards(known)
        view.upcard = view.last_discard = pile_cards[-1] if pile_cards else 0
        view.declined = parse_cards(declined)
        view.unseen = self.rules.deck & ~(view.hand | view.pile | view.known)
        for name, value in {"turn": 1, "stock": 31, **fields}.items():
            setattr(view, name, value)
        return self

    def draw(self, hand: int, upcard: int) -> bool:
        """Ask whether to take the upcard to ten cards."""
        self.view.hand, self.view.upcard = hand, upcard
        return bool(self.draws(self.view))

    def takes(self) -> bool:
        """Ask whether to take the upcard of the position set out."""
        return self.draw(self.view.hand, self.view.upcard)

    def hold(self, eleven: int, drawn: int = 0, banned: int = 0) -> None:
        """Hold eleven cards after a draw, with what the engine computes for them."""
        view = self.view
        view.hand, view.drawn = eleven, drawn or eleven & -eleven
        view.banned, view.from_discard = banned, int(banned != 0)
        view.best_deadwood, view.best_discards = best_discards(eleven, self.rules, banned)
        view.big_gin = int(self.rules.big_gin_bonus is not None and is_big_gin(eleven, self.rules))
        if view.big_gin:
            view.best_deadwood = 0

    def drew(self, card: str, *, upcard: bool = False) -> Seat:
        """Draw a card to the ten of the position set out, from the stock or as the upcard."""
        drawn = parse_card(card)
        self.view.unseen &= ~drawn
        if upcard:
            self.view.pile &= ~drawn
        self.hold(self.view.hand | drawn, drawn, drawn if upcard else 0)
        return self

    def knock(self, word: int = 0) -> bool:
        """Ask whether to end the hand."""
        self.view.random = word
        return bool(self.knocks(self.view))

    def discard(self, word: int = 0, ending: bool = False) -> int:
        """Ask for a discard."""
        self.view.random, self.view.ending = word, int(ending)
        return int(self.discards(self.view))
