"""The kinds of music the studio plays, and how a customer's words choose one."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from unicodedata import normalize

from studio.genre_names import ALSO_CALLED, CALLED_IN_PUBLIC, FAMILIES

Cells = Mapping[int, tuple[tuple[int, ...], ...]]
Lengths = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Form:
    """What stands between a genre's verses and choruses, and how long they are.

    `intro`, `pause` and `outro` tell, the longest songs first, from how many bars on a song has so many of them.
    The pause comes before the last chorus or, where it `parts` the song, before its second half. A verse is to a
    chorus as `verse` to `chorus`, and `pair` is how many bars both of them easily have in a long song.
    """

    intro: Lengths = ((36, 4), (14, 2), (0, 1))
    pause: Lengths = ((28, 2), (0, 0))
    outro: Lengths = ((20, 2), (0, 1))
    parts: bool = False
    verse: float = 1.0
    chorus: float = 1.05
    pair: int = 16


@dataclass(frozen=True)
class Genre:
    """One kind of music: how fast it is, and how words are sung in it.

    `tempo` is in beats per minute. `cells` tells, for every number of syllables in half a bar, on which of
    its eight sixteenth steps they may fall; `pace` is the number of them that comes easily, and `hold` how many
    steps the last syllable of a line rings. What the band plays is in `band/styles.py`.

    Of two steps of `swung` sixteenths each, the first one lasts `swing` times as long as the second.
    """

    name: str
    tempo: float
    pace: int
    hold: int
    cells: Cells
    swing: float = 1.0
    swung: int = 2
    form: Form = Form()


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
SWUNG: Cells = {
    1: ((0,), (2,)),
    2: ((0, 4), (0, 6), (2, 4)),
    3: ((0, 2, 6), (0, 4, 6), (0, 2, 4)),
}
SPOKEN: Cells = {
    4: ((0, 2, 4, 6), (0, 3, 4, 6)),
    5: ((0, 2, 3, 4, 6), (0, 2, 4, 5, 6), (0, 1, 2, 4, 6)),
    6: ((0, 2, 3, 4, 6, 7), (0, 1, 2, 4, 5, 6), (0, 1, 2, 3, 4, 6)),
}
SWAYING: Cells = {
    2: ((0, 3), (0, 6), (0, 5)),
    3: ((0, 3, 6), (0, 2, 5), (0, 3, 5)),
    4: ((0, 3, 5, 6), (0, 2, 3, 5), (0, 2, 5, 7)),
    5: ((0, 2, 3, 5, 6), (0, 1, 3, 5, 6)),
}
MARCHING: Cells = {
    2: ((0, 4),),
    3: ((0, 4, 6), (0, 3, 4)),
    4: ((0, 3, 4, 6), (0, 2, 4, 6)),
    5: ((0, 2, 3, 4, 6), (0, 3, 4, 6, 7)),
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

TROT = Genre(
    "trot",
    128,
    pace=4,
    hold=7,
    cells={**STRAIGHT, **MARCHING},
    form=Form(
        intro=((32, 4), (9, 2), (0, 1)), pause=((32, 4), (22, 2), (0, 0)), parts=True, pair=20
    ),
)
JAZZ = Genre(
    "jazz",
    142,
    pace=3,
    hold=5,
    cells={**STRAIGHT, **SWUNG},
    swing=1.8,
    form=Form(intro=((48, 4), (20, 2), (0, 1)), pause=((40, 8), (24, 4), (11, 2), (0, 0)), pair=24),
)
HIPHOP = Genre(
    "hiphop",
    88,
    pace=6,
    hold=2,
    cells={**STRAIGHT, **SPOKEN},
    swing=1.3,
    swung=1,
    form=Form(pause=((24, 2), (0, 0)), verse=1.9, chorus=1.0, pair=14),
)
BOSSA = Genre(
    "bossa",
    76,
    pace=5,
    hold=5,
    cells={**STRAIGHT, **SWAYING},
    form=Form(intro=((24, 4), (12, 2), (0, 1)), pause=((18, 2), (0, 0))),
)
ACOUSTIC = Genre(
    "acoustic", 98, pace=4, hold=6, cells={**STRAIGHT, **PUSHED},
    form=Form(intro=((30, 4), (10, 2), (0, 1)), outro=((14, 2), (0, 1))),
)  # fmt: skip

GENRES = {
    genre.name: genre
    for genre in (
        *(POP, BALLAD, EDM, ROCK, AMBIENT),
        *(TROT, JAZZ, HIPHOP, BOSSA, ACOUSTIC),
    )
}
SHOWN_LENGTH = 40
MOST_WORDS = 3
"""How many words a name has at most, such as "lofi hip hop"."""
LIKE = 0.75
SHORTEST_TYPED = 3
PLAYED = {**ALSO_CALLED, **{name: name for name in GENRES}}
KNOWN = {**FAMILIES, **PLAYED}
WORD = re.compile(r"[^\W_]+")
NOTHING = re.compile(r"[\s.,;!]*")
NOT_BEFORE = re.compile(
    r"\b(?:no|not|non|without|except|hates?|dislikes?|never|anything but|tired of|don.?t (?:want|like|need)|"
    r"do not (?:want|like|need)|not (?:a fan of|into|like))"
    r"[\s-]+(?:(?:any|a|an|the|more|too|of)\s+)*$"
)
NOR_BEFORE = re.compile(r"\s+n?or\s+")
NOT_BEHIND = re.compile(
    r"(?:\s?(?:느낌|스타일|음악|노래|장르|풍))?[은는이가을를도]?\s*"
    r"(?:만\s*)?(?:말고|빼고|아닌|아니면|제외|없이|금지|싫|별로|안\s?(?:돼|되|됩|좋|원))\w*"
)
IN_LETTERS = {normalize("NFD", name): genre for name, genre in KNOWN.items()}
"""All names with their Korean syllables taken apart, so that one wrong letter is one."""


def choose_genre(text: str) -> tuple[Genre, str | None]:
    """The first genre named in a free text, and a sentence for the customer where none is played.

    That is the nearest genre then: one of the same family, one that is spelt alike, or pop. A genre that the text
    rejects ("no rap", "트로트 말고") does not count. A text that asks for nothing gets pop without a remark.
    """
    wanted, rejected = _wanted(text.lower())
    words = WORD.findall(wanted)
    usual = next((name for name in GENRES if name not in rejected), POP.name)
    played = next((genre for _, _, genre in _named(words, PLAYED)), None)
    if played or NOTHING.fullmatch(wanted):
        return GENRES[played or usual], None
    family = next((genre for _, _, genre in _named(words, FAMILIES)), None)
    nearest = family or next(_misspelt(words), usual)
    asked = " ".join(text.split())
    shown = asked if len(asked) <= SHOWN_LENGTH else asked[:SHOWN_LENGTH] + "…"
    return GENRES[nearest], (
        f"genre: '{shown}' is not played; the nearest is {_called(nearest)}; "
        f"expected one of {', '.join(map(_called, GENRES))}"
    )


def _called(name: str) -> str:
    return CALLED_IN_PUBLIC.get(name, name)


def _wanted(text: str) -> tuple[str, set[str]]:
    """The text without what it rejects, and the rejected genres."""
    found = list(WORD.finditer(text))
    kept, end = [], 0
    rejected: set[str] = set()
    for first, count, genre in _named([word[0] for word in found], KNOWN):
        name = slice(found[first].start(), found[first + count - 1].end())
        between = text[end : name.start]
        before = NOT_BEFORE.search(between) or (rejected and NOR_BEFORE.fullmatch(between))
        behind = NOT_BEHIND.match(text, name.stop) or NOT_BEHIND.search(text[name])
        if before or behind:
            kept.append(between[: before.start()] if before else between)
            end = max(name.stop, behind.end() if behind else 0)
            rejected.add(genre)
    return " ".join([*kept, text[end:]]), rejected


def _named(words: Sequence[str], names: Mapping[str, str]) -> Iterator[tuple[int, int, str]]:
    """The names in the order of the words: which word each begins with, how many it has, and its genre."""
    first = 0
    while first < len(words):
        count, genre = _longest_name(words[first : first + MOST_WORDS], names)
        if genre:
            yield first, count, genre
        first += count


def _longest_name(words: Sequence[str], names: Mapping[str, str]) -> tuple[int, str | None]:
    """How many of these words are the longest name that they begin with, and its genre; else one word and None."""
    for count in range(len(words), 0, -1):
        genre = names.get("".join(words[:count]))
        if genre:
            return count, genre
    return 1, _inside(words[0], names)


def _inside(word: str, names: Mapping[str, str]) -> str | None:
    """The genre whose Korean name, of two syllables or more, the word begins or ends with: 재즈풍, 퓨전재즈."""
    if not re.match("[가-힣]", word):
        return None
    parts = [cut for size in range(len(word) - 1, 1, -1) for cut in (word[:size], word[-size:])]
    return next((names[part] for part in parts if part in names), None)


def _misspelt(words: Sequence[str]) -> Iterator[str]:
    pairs = ("".join(words[first : first + 2]) for first in range(len(words)))
    for word in dict.fromkeys((*words, *pairs)):
        if len(word) >= SHORTEST_TYPED:
            for like in get_close_matches(normalize("NFD", word), IN_LETTERS, 1, LIKE):
                yield IN_LETTERS[like]
