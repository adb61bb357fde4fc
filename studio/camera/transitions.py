"""How one shot gives way to the next. Pure."""

import random
from dataclasses import dataclass

from studio.camera.cutting import LOUD


@dataclass(frozen=True)
class Transition:
    """How a shot comes in: `kind` is cut, dissolve, dip (through black), flash or rush (the camera darts ahead).

    It takes `seconds`, half of them before the cut; a flash starts with the cut.
    """

    kind: str
    seconds: float = 0.0


CUT = Transition("cut")
FLASH = Transition("flash", 0.30)
RUSH = Transition("rush", 0.36)
FLASH_LIGHT = 0.55


@dataclass(frozen=True)
class Joins:
    """The transitions of one kind of music: into a loud section, into another section, and within one."""

    loud: tuple[Transition, ...]
    section: tuple[Transition, ...]
    within: tuple[Transition, ...]


JOINS = {
    "pop": Joins(
        (FLASH, RUSH), (Transition("dissolve", 0.4),), (CUT, CUT, Transition("dissolve", 0.25))
    ),
    "ballad": Joins(
        (Transition("dissolve", 0.7),), (Transition("dip", 0.8),), (Transition("dissolve", 0.8),)
    ),
    "edm": Joins((FLASH,), (RUSH, FLASH), (CUT, CUT, RUSH)),
    "rock": Joins((FLASH, RUSH), (Transition("dip", 0.3),), (CUT,)),
    "ambient": Joins(
        (Transition("dissolve", 1.0),),
        (Transition("dissolve", 1.2),),
        (Transition("dissolve", 1.0),),
    ),
    "trot": Joins((FLASH, RUSH), (Transition("dissolve", 0.35), RUSH), (CUT, CUT, RUSH)),
    "jazz": Joins(
        (Transition("dissolve", 0.5),),
        (Transition("dip", 0.6),),
        (CUT, Transition("dissolve", 0.5)),
    ),
    "hiphop": Joins((FLASH,), (CUT, FLASH), (CUT, CUT, FLASH)),
    "bossa": Joins(
        (Transition("dissolve", 0.6),),
        (Transition("dissolve", 0.8),),
        (Transition("dissolve", 0.6), CUT),
    ),
    "acoustic": Joins(
        (Transition("dissolve", 0.5),),
        (Transition("dissolve", 0.7),),
        (CUT, Transition("dissolve", 0.5)),
    ),
}


def join(genre: str, kind: str, begins: bool, chance: random.Random) -> Transition:
    """The transition into a shot in a section of that kind, which begins with the shot or does not."""
    joins = JOINS[genre]
    if not begins:
        return chance.choice(joins.within)
    return chance.choice(joins.loud if kind in LOUD else joins.section)
