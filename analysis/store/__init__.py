"""The store: what a sweep has played, in a folder of tables; analysis reads nothing else."""
