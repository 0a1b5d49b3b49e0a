"""Statistics of mirrored pairs: intervals, joint inference over cells, sequential stops, tests, planning."""
