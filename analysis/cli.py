"""The command line ``ginlab``: each command reads text, calls the library and prints its answer."""

from __future__ import annotations

# The order is that of the panels in the help.
from analysis import cli_play  # isort: skip
from analysis import cli_knock_value  # isort: skip
from analysis import cli_best_reply  # isort: skip
from analysis import cli_equilibrium  # isort: skip
from analysis import cli_moves  # isort: skip
from analysis import cli_equity  # isort: skip
from analysis import cli_variants  # isort: skip
from analysis import cli_tournament  # isort: skip
from analysis import cli_reproduce  # isort: skip
from analysis import cli_solo  # isort: skip
from analysis import cli_sweep  # isort: skip
from analysis import cli_report  # isort: skip
from analysis import cli_tune  # isort: skip
from analysis import cli_hands  # isort: skip
from analysis import cli_advise  # isort: skip
from analysis import cli_score_game  # isort: skip
from analysis import cli_reference  # isort: skip
from analysis import cli_show  # isort: skip
from analysis import cli_strategies  # isort: skip
from analysis.app import app

__all__ = [
    "app",
    "cli_advise",
    "cli_best_reply",
    "cli_equilibrium",
    "cli_equity",
    "cli_hands",
    "cli_knock_value",
    "cli_moves",
    "cli_play",
    "cli_reference",
    "cli_report",
    "cli_reproduce",
    "cli_score_game",
    "cli_show",
    "cli_solo",
    "cli_strategies",
    "cli_sweep",
    "cli_tournament",
    "cli_tune",
    "cli_variants",
    "main",
]


def main() -> None:
    """Run the command line."""
    app(prog_name="ginlab")


if __name__ == "__main__":
    main()
