"""The player who tries each action in worlds that fit what he knows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from strategies.base import Decisions, Strategy, StrategyError, component, parameter, strategy, switch
from strategies.gold import Gold


@strategy("monte_carlo")
@dataclass(frozen=True)
class MonteCarlo(Strategy):
    """Try each action in sampled worlds played on by a fast policy, choose the best mean.

    A world deals the unseen cards to the other hand and the stock: all that fit what is known for sure alike,
    or, with ``likely``, those that a plain opponent would have come to, who has drawn as often, thrown the
    highest of the best discards each time, and thrown what was last thrown without being able to knock. Each
    action is tried in the same worlds with the same random words. The upcard is taken and the hand ended if
    that does better; to go on with a hand that could be ended means the policy's discard, then the policy's
    play. A hand is worth its signed points, or with ``equity`` the chance to win the game from the scores
    after it. In the solo game, where nobody else holds cards, the policy decides.

    References
    ----------
    Section 4 of the collection of published strategies ("monte_carlo"); jdh8/gin-rummy-engine measured such
    a player with 64 and 128 samples.
    """

    samples: int = parameter(64, 1, 10_000, "worlds a decision, each tried with every action")
    policy: Any = component("the strategy that plays on in these worlds", default=Gold())
    likely: bool = switch(True, "worlds that a plain opponent would have come to, not any alike")
    equity: bool = switch(False, "value a hand by the chance to win the game, not by its points")

    decisions = Decisions(*["strategies.compiled.monte_carlo"] * 3)

    def __post_init__(self) -> None:
        """Check the parameters, and that the policy does not sample worlds itself."""
        super().__post_init__()
        if not isinstance(self.policy, Strategy):
            raise StrategyError("monte_carlo: give policy=STRATEGY, such as policy=gold")
        if self.policy.rollout_policy() is not None:
            raise StrategyError(f"monte_carlo: its policy {self.policy} samples worlds itself")

    def rollout_policy(self) -> Strategy:
        """Return the policy of the rollouts."""
        chosen: Strategy = self.policy
        return chosen

    def files(self) -> dict[str, str]:
        """Return the files that the policy was read from."""
        return self.rollout_policy().files()

    def table(self) -> Any:
        """Return the table of the policy, if it has one."""
        return self.rollout_policy().table()
