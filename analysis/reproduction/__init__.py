"""Published values and ours: what was published, how it is measured here, whether the two agree."""
