"""Which of the things that the network knows are waste one may meet, and how Korea sorts them.

The table is castad's own. It leaves out what is not thrown away, what is mostly worn or lived in where it is seen,
what is made of so many materials that its picture does not tell its class, and what a wrong answer would make
dangerous.
"""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

TABLE = Path(__file__).with_name("things.csv")


@dataclass(frozen=True, slots=True)
class Thing:
    """What one class of ImageNet is called here, and where it goes."""

    major: str
    middle: str
    minor: str


@cache
def things() -> Mapping[int, Thing]:
    """The table as it is shipped, by the index of ImageNet's class (0 to 999)."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        return {
            int(row["imagenet"]): Thing(row["major"], row["middle"], row["minor"])
            for row in csv.DictReader(file)
        }
