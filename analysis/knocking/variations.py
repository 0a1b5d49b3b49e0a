"""Names of what can be varied in the rules; apart, so that asking for one does not wait for the engine."""

from __future__ import annotations

VARIATIONS = ("bonuses", "oklahoma", "target", "big-gin")
"""Gin and undercut bonus; the knock limit by the upcard; the target of a game; a bonus for big gin."""
