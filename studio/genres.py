"""The kinds of music the studio plays, and how a customer's words choose one."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

Cells = Mapping[int, tuple[tuple[int, ...], ...]]


@dataclass(frozen=True)
class Genre:
    """One kind of music: how fast it is, and how words are sung in it.

    `tempo` is in beats per minute. `cells` tells, for every number of syllables in half a bar, on which of
    its eight sixteenth steps they may fall; `pace` is the number of them that comes easily, and `hold` how many
    steps the last syllable of a line rings. What the band plays is in `band/styles.py`.
    """

    name: str
    tempo: float
    pace: int
    hold: int
    cells: Cells


STRAIGHT: Cells = {
    1: ((0,),),
    2: ((0, 4),),
    3: ((0, 2, 4), (0, 4, 6)),
    4: ((0, 2, 4, 6),),
    5: ((0, 2, 4, 6, 7), (0, 2, 4, 5, 6), (0, 1, 2, 4, 6)),
    6: ((0, 2, 3, 4, 6, 7), (0, 1, 2, 4, 5, 6)),
    7: ((0, 1, 2, 3, 4, 5, 6), (0, 2, 3, 4, 5, 6, 7)),
    8: ((0, 1, 2, 3, 4, 5, 6, 7),),
}
PUSHED: Cells = {
    2: ((0, 3), (0, 6)),
    3: ((0, 3, 6), (2, 4, 6)),
    4: ((0, 3, 4, 6), (0, 2, 3, 6)),
    5: ((0, 2, 3, 5, 6), (0, 2, 3, 4, 6)),
    6: ((0, 1, 3, 4, 6, 7), (0, 2, 3, 4, 6, 7)),
}
SLOW: Cells = {
    2: ((0, 4), (0, 6)),
    3: ((0, 4, 6), (0, 2, 4), (0, 3, 4)),
    4: ((0, 2, 4, 6), (0, 3, 4, 6)),
    5: ((0, 2, 4, 5, 6), (0, 2, 3, 4, 6)),
}

POP = Genre(
    "pop", 104, pace=4, hold=5, cells={**STRAIGHT, **PUSHED, 4: ((0, 2, 4, 6), (0, 3, 4, 6))}
)
BALLAD = Genre("ballad", 72, pace=4, hold=8, cells={**STRAIGHT, **SLOW})
EDM = Genre("edm", 122, pace=4, hold=4, cells={**STRAIGHT, **PUSHED})
ROCK = Genre("rock", 136, pace=4, hold=6, cells=STRAIGHT)
AMBIENT = Genre(
    "ambient", 84, pace=3, hold=10, cells={**STRAIGHT, **SLOW, 3: ((0, 3, 6), (0, 4, 6))}
)

GENRES = {genre.name: genre for genre in (POP, BALLAD, EDM, ROCK, AMBIENT)}
ALSO_CALLED = {
    "팝": "pop", "팝송": "pop", "케이팝": "pop", "kpop": "pop", "k-pop": "pop", "댄스팝": "pop",
    "dance-pop": "pop", "happy": "pop",
    "발라드": "ballad", "acoustic": "ballad", "어쿠스틱": "ballad",
    "일렉트로닉": "edm", "일렉트로니카": "edm", "electronic": "edm", "이디엠": "edm", "house": "edm",
    "하우스": "edm", "dance": "edm", "댄스": "edm", "댄스뮤직": "edm", "techno": "edm", "테크노": "edm",
    "전자음악": "edm",
    "록": "rock", "락": "rock", "록음악": "rock", "락음악": "rock", "밴드": "rock", "록밴드": "rock",
    "락밴드": "rock", "로큰롤": "rock", "락앤롤": "rock", "punk": "rock", "펑크록": "rock", "펑크락": "rock",
    "앰비언트": "ambient", "엠비언트": "ambient", "chill": "ambient", "칠아웃": "ambient",
    "lofi": "ambient", "lo-fi": "ambient", "로파이": "ambient", "로우파이": "ambient", "로-파이": "ambient",
    "calm": "ambient",
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
