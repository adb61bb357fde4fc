"""The kinds of music the studio plays, and how a customer's words choose one."""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Genre:
    """How one kind of music is played.

    `tempo` is in beats per minute. Progressions hold scale degrees (0 = tonic), one chord per bar.
    `drums` maps a drum to its sixteenth steps in a bar; `swing` delays every second eighth by that share of it.
    """

    name: str
    tempo: float
    minor: bool
    verses: tuple[tuple[int, ...], ...]
    choruses: tuple[tuple[int, ...], ...]
    drums: dict[str, tuple[int, ...]]
    bass: tuple[int, ...]
    comping: tuple[int, ...]
    lead: str
    pad: str
    echo: float
    swing: float = 0.0


POP = Genre(
    name="pop",
    tempo=108,
    minor=False,
    verses=((0, 5, 3, 4), (0, 4, 5, 3), (5, 3, 0, 4)),
    choruses=((3, 4, 2, 5), (0, 4, 5, 3), (3, 0, 4, 5)),
    drums={"kick": (0, 6, 8), "snare": (4, 12), "hat": (0, 2, 4, 6, 8, 10, 12, 14)},
    bass=(0, 3, 6, 8, 11, 14),
    comping=(0, 3, 6, 10, 12),
    lead="bell",
    pad="warm",
    echo=0.20,
    swing=0.08,
)
BALLAD = Genre(
    name="ballad",
    tempo=78,
    minor=False,
    verses=((0, 2, 3, 4), (0, 5, 1, 4), (0, 4, 5, 3)),
    choruses=((3, 4, 2, 5), (3, 4, 0, 5), (0, 4, 5, 3)),
    drums={"kick": (0, 10), "rim": (4, 12), "hat": (0, 4, 8, 12)},
    bass=(0, 8),
    comping=(0, 2, 4, 6, 8, 10, 12, 14),
    lead="flute",
    pad="strings",
    echo=0.32,
)
EDM = Genre(
    name="edm",
    tempo=112,
    minor=True,
    verses=((0, 5, 2, 6), (0, 3, 5, 6)),
    choruses=((5, 6, 0, 2), (0, 5, 2, 6), (5, 2, 0, 6)),
    drums={"kick": (0, 4, 8, 12), "clap": (4, 12), "open": (2, 6, 10, 14), "hat": tuple(range(16))},
    bass=(2, 3, 6, 7, 10, 11, 14, 15),
    comping=(0, 3, 6, 9, 12, 14),
    lead="saw",
    pad="super",
    echo=0.24,
)
ROCK = Genre(
    name="rock",
    tempo=104,
    minor=False,
    verses=((0, 4, 5, 3), (0, 3, 0, 4), (5, 3, 0, 4)),
    choruses=((0, 4, 5, 3), (3, 4, 0, 5), (0, 3, 5, 4)),
    drums={"kick": (0, 7, 8, 10), "snare": (4, 12), "hat": (0, 2, 4, 6, 8, 10, 12, 14)},
    bass=(0, 2, 4, 6, 8, 10, 12, 14),
    comping=(0, 2, 4, 6, 8, 10, 12, 14),
    lead="organ",
    pad="guitar",
    echo=0.14,
)
AMBIENT = Genre(
    name="ambient",
    tempo=84,
    minor=False,
    verses=((0, 2, 5, 3), (3, 0, 4, 5)),
    choruses=((3, 4, 5, 0), (0, 5, 3, 2)),
    drums={"kick": (0,), "shaker": (2, 6, 10, 14)},
    bass=(0,),
    comping=(0, 6, 12),
    lead="glass",
    pad="strings",
    echo=0.45,
)

GENRES = {genre.name: genre for genre in (POP, BALLAD, EDM, ROCK, AMBIENT)}
ALSO_CALLED = {
    "팝": "pop", "케이팝": "pop", "kpop": "pop", "k-pop": "pop", "dance-pop": "pop", "happy": "pop",
    "발라드": "ballad", "acoustic": "ballad", "어쿠스틱": "ballad",
    "일렉트로닉": "edm", "electronic": "edm", "house": "edm", "dance": "edm", "techno": "edm", "댄스": "edm",
    "록": "rock", "락": "rock", "밴드": "rock", "punk": "rock",
    "앰비언트": "ambient", "chill": "ambient", "lofi": "ambient", "lo-fi": "ambient", "calm": "ambient",
}  # fmt: skip
SHOWN_LENGTH = 40


def choose_genre(text: str) -> tuple[Genre, str | None]:
    """The first genre named in a free text, and a sentence for the customer where none is known.

    An empty text asks for nothing and gets pop without a remark.
    """
    for word in re.findall(r"[\w-]+", text.lower()):
        name = ALSO_CALLED.get(word, word)
        if name in GENRES:
            return GENRES[name], None
    asked = " ".join(text.split())
    if not asked:
        return POP, None
    shown = asked if len(asked) <= SHOWN_LENGTH else asked[:SHOWN_LENGTH] + "…"
    return POP, f"genre '{shown}' is not one the studio plays; it played pop"
