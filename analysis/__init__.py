"""Statistics, experiments and the command line, on top of the engine and the strategies."""
