"""When is a knock too early? A notebook: Jupytext and editors read its marks; it runs as a script too."""

# %%
import pandas as pd

from analysis import Experiment, charts
from analysis.knocks import knock_cells
from analysis.metrics import METRICS, difference, group_sums

FILE = """
title = "Knock threshold by undercut bonus"
seed = 2026
pairs = 2_000

[strategies]
a = "threshold({k})"
b = "simple"

[rules]
base = "eaai"

[axes]
k = [0, 2, 4, 6, 8, 10]
undercut_bonus = [0, 10, 25]
"""

# %% [markdown]
# Play in memory; `run("folder")` would keep a folder that `ginlab report` and `analysis.load` read.

# %%
results = Experiment.from_text(FILE).run()
cells = results.table("cells")
shown = ["k", "undercut_bonus", "game_share", "game_share_low", "game_share_high"]
print(cells[shown].to_string(index=False))

# %% [markdown]
# A chart is drawn in a figure of its own, which the notebook shows, or on Axes of yours with `ax=`.

# %%
heat = charts.knock_heatmap(results)
lines = charts.parameter_curves(results)

# %% [markdown]
# Two cells on the same decks are compared pair by pair: here waiting for gin against knocking at ten.

# %%
first, last = (group_sums(results.tally(number)) for number in (2, 17))
gap = difference(METRICS["game_share"], first, last)
print(f"k = 0 less k = 10, undercut 25: {gap.estimate:+.3f} ({gap.low:+.3f} to {gap.high:+.3f}) of games")

# %% [markdown]
# What knocks led to, by deadwood and own turn, straight from the counters of a cell.

# %%
knocks: pd.DataFrame = knock_cells(results.tally(17))
early = knocks[(knocks["side"] == "a") & (knocks["own_turn"] <= 3)]
columns = ["own_turn", "deadwood", "taken", "p_undercut", "p_undercut_low", "p_undercut_high", "points"]
print(early[columns].round(3).to_string(index=False))
