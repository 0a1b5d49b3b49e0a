"""The compiled engine: cards, melds, lay-offs, rules, hands, games, pairs and their tally."""
