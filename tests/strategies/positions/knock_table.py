"""Positions of knock_table, for the table of the docs: by stock, deadwood and the other's last discard."""

from __future__ import annotations

from pathlib import Path

from tests.strategies.position import discard, draw, knock

FILE = Path(__file__).resolve().parents[3] / "docs" / "examples" / "knock_table.csv"
TABLE = f'knock_table("{FILE.as_posix()}")'
THREE_MELDS = "2S 3S 4S 6H 6D 6C TD JD QD KC"
LATE = "KH QH JC 8C KS QS JH 9D TH"

POSITIONS = [
    draw(TABLE, "2S 3S 4S 6H 6D 6C TD JD KS KC", "AH", "take", "draws as gold: 31 points for 40",
         unlike=("simple", "openspiel_simple")),
    discard(TABLE, THREE_MELDS, "4C", "KC", "throws as gold", unlike="random"),
    knock(TABLE, THREE_MELDS, "9C", "knock", "22 cards or more are left: whatever is legal", stock=30,
          unlike=("gin_only", "threshold(8)")),
    knock(TABLE, THREE_MELDS, "9C", "knock", "22 are enough", stock=22, unlike=("gin_only", "goldstein")),
    knock(TABLE, THREE_MELDS, "5C", "either", "5 points, 21 left: three in four", stock=21, share=0.75,
          unlike=("gold", "gin_only")),
    knock(TABLE, THREE_MELDS, "AC", "either", "as with 1 point, and 12 left", stock=12, share=0.75,
          unlike=("gold", "gin_only")),
    knock(TABLE, THREE_MELDS, "9C", "either", "9 points after a ten: every second time", stock=15, share=0.5,
          pile=f"{LATE} TS", unlike=("gold", "gin_only")),
    knock(TABLE, THREE_MELDS, "9C", "either", "9 points after a three: one in four", stock=15, share=0.25,
          pile=f"{LATE} 3H", unlike=("gold", "gin_only")),
    knock(TABLE, THREE_MELDS, "7C", "either", "7 points are as 9", stock=15, share=0.25,
          pile=f"{LATE} 3H", unlike=("gold", "gin_only")),
    knock(TABLE, THREE_MELDS, "AC", "go on", "with 11 left he waits for gin", stock=11,
          unlike=("gold", "threshold(1)")),
    knock(TABLE, THREE_MELDS, "5S", "knock", "gin needs no table's leave", stock=3, unlike="random"),
]  # fmt: skip
