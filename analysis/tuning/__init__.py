"""Parameters of a strategy sought by play: what is asked, its journal, the search, the figures told."""
