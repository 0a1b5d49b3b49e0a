"""Draw, knock, discard and spread rules of different strategies in one player."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from strategies.base import Decisions, Strategy, StrategyError, component, strategy


@strategy("combine")
@dataclass(frozen=True)
class Combine(Strategy):
    """Draw, knock and discard as three strategies do, each with its own parameters.

    Each part is a strategy that lends one rule, so an ablation is a grid of texts; without ``spread`` the
    engine's default spread is shown.

    References
    ----------
    Draw, discard and knock rules are separable: section 4 of the collection of published strategies.
    """

    draw: Any = component("the strategy that draws")
    knock: Any = component("the strategy that knocks")
    discard: Any = component("the strategy that discards")
    spread: Any = component("the strategy that chooses the spread", optional=True)

    decisions = Decisions("", "", "")  # each player has his own, see `modules`

    def __post_init__(self) -> None:
        """Check that every part is there and that the parts can share a view."""
        for name in ("draw", "knock", "discard"):
            if not isinstance(getattr(self, name), Strategy):
                raise StrategyError(f"combine: give {name}=STRATEGY, such as {name}=gold")
        if self.spread is not None and self.modules().spread is None:
            raise StrategyError(f"combine: {self.spread} has no spread rule of its own")
        keepers = {owner for name in Decisions._fields if name in (owner := self.owner(name)).remembers}
        if len(keepers) > 1:
            raise StrategyError(f"combine: {' and '.join(sorted(map(str, keepers)))} both keep a memory")
        if sum(owner.table() is not None for owner in self._owners()) > 1:
            raise StrategyError("combine: two parts have a table, a view holds one")

    def modules(self) -> Decisions:
        """Return the modules that the rules come from."""
        parts = {name: part for name in Decisions._fields if (part := getattr(self, name)) is not None}
        return Decisions(**{name: getattr(part.modules(), name) for name, part in parts.items()})

    def owner(self, decision: str) -> Strategy:
        """Return the strategy that a decision comes from; this one for the default spread."""
        part = getattr(self, decision)
        return self if part is None else part.owner(decision)

    def _owners(self) -> list[Strategy]:
        """Return the strategies that lend a rule, each once."""
        owners = dict.fromkeys(self.owner(decision) for decision in Decisions._fields)
        owners.pop(self, None)
        return list(owners)

    def params(self) -> list[float]:
        """Return the parameters of all parts one after another, those of equal parts once."""
        return [value for owner in self._owners() for value in owner.params()]

    def starts(self) -> tuple[int, int, int, int]:
        """Return where the parameters of each rule begin."""
        begins: dict[Strategy, int] = {self: 0}
        at = 0
        for owner in self._owners():
            begins[owner] = at
            at += len(owner.params())
        draw, knock, discard, spread = (begins[self.owner(decision)] for decision in Decisions._fields)
        return draw, knock, discard, spread

    def rollout_policy(self) -> Strategy | None:
        """Return the policy of the part that has one."""
        policies = (owner.rollout_policy() for owner in self._owners())
        return next((policy for policy in policies if policy is not None), None)

    def table(self) -> Any:
        """Return the table of the part that has one."""
        tables = (owner.table() for owner in self._owners())
        return next((table for table in tables if table is not None), None)

    def files(self) -> dict[str, str]:
        """Return the files that the parts which lend a rule were read from."""
        return {path: digest for owner in self._owners() for path, digest in owner.files().items()}
