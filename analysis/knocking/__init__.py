"""The knocking laboratory: what a knock is worth, best replies, equilibrium, match equity, advice."""
