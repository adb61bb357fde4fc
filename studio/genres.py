"""The kinds of music the studio plays, and how a customer's words choose one.

A genre is a file of `data/genres`; what customers call it stands in `data/words/genres.toml`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Annotated, Literal
from unicodedata import normalize

from pydantic import AfterValidator, BeforeValidator

from studio.content import STRICT, cache_content, find_files, read_typed
from studio.trades import Register

STEPS_OF_BAR = 16


def _join_bars(figure: str) -> str:
    joined = figure.replace(" ", "")
    if not joined or len(joined) % STEPS_OF_BAR:
        raise ValueError(f"bars of {STEPS_OF_BAR} characters")
    return joined


def _check_kit(name: str) -> str:
    from studio.band.tones import read_kits

    if name not in read_kits():
        raise ValueError(f"one of {', '.join(read_kits())}")
    return name


def _check_instrument(name: str) -> str:
    from studio.band.instruments import INSTRUMENTS

    if name not in INSTRUMENTS:
        raise ValueError(f"one of {', '.join(sorted(INSTRUMENTS))}")
    return name


def _check_parts(style: "Style") -> "Style":
    """Refuse a style without one of its parts, and a drum that its kit does not have."""
    from studio.band.tones import read_kits

    drums = {drum for groove in (*style.grooves, style.fill) for drum in groove}
    if unknown := drums - set(read_kits()[style.kit]):
        raise ValueError(f"drums of the kit {style.kit}, which has no {min(unknown)}")
    played = {"lead", "pad", "comping", "bass"}
    needed = {"sounds": played, "levels": played | {"drums"}, "programs": played | {"melody"}}
    for name, parts in needed.items():
        if lacking := parts - set(getattr(style, name)):
            raise ValueError(f"{name} of {min(lacking)}")
    return style


Cell = Annotated[tuple[int, ...], BeforeValidator(list)]
"""The sixteenth steps of half a bar on which syllables fall, in a file "0346"."""
Cells = Mapping[int, tuple[Cell, ...]]
Lengths = tuple[tuple[int, int], ...]
Figure = Annotated[str, AfterValidator(_join_bars)]
"""Sixteen characters, one for each sixteenth step of a bar; in a file blanks part the bars that take turns.

"." rests. Drums: "X" loud, "x" plain, "-" soft. Chords: a digit is one note of the chord from below (3 the first
one an octave up), "*" all of them, "d" and "u" are strums down and up. Bass: "r" root, "o" its octave, "t" its
third, "f" its fifth, "s" its sixth, "a" a half step before the next bar's root.
"""
Figures = tuple[Figure, Figure, Figure, Figure]
Groove = Mapping[str, Figure]
Progressions = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Form:
    """What stands between a genre's verses and choruses, and how long they are.

    `intro`, `pause` and `outro` tell, the longest songs first, from how many bars on a song has that many of them.
    The pause comes before the last chorus or, where it `parts` the song, before its second half. A verse is to a
    chorus as `verse` to `chorus`, and `pair` is how many bars both of them easily have in a long song.
    """

    __pydantic_config__ = STRICT

    intro: Lengths = ((36, 4), (14, 2), (0, 1))
    pause: Lengths = ((28, 2), (0, 0))
    outro: Lengths = ((20, 2), (0, 1))
    parts: bool = False
    verse: float = 1.0
    chorus: float = 1.05
    pair: int = 16


@dataclass(frozen=True)
class Style:
    """How the band plays one genre.

    Four of something belong to the four levels of fullness, from an intro's to a chorus'. Progressions hold scale
    degrees (0 = tonic), one chord for each bar; `colour` holds a chord's steps over its root and `colours` those
    of single degrees, `comping_lengths` how many steps a struck chord sounds. `build` is "roll" where a chorus is
    led to by a snare roll, else "fill". `sounds` names an instrument for each of lead, pad, comping and bass,
    `levels` how loud they and the drums are, `programs` the General MIDI programs of melody, lead, pad, comping
    and bass. `pump` is how far a kick presses the chords down; `drive` plays the comping through an amplifier.

    `dominants` are degrees whose minor chord is played in major, `sung` holds the degrees of its melodies, and
    `recited` keeps those of verses within a few notes; `turning` has lines turn around their last note.
    `fullness` holds the levels of sections where they are not the usual ones, `late` how many seconds after its
    step a drum is struck. A `soloing` lead improvises in breaks.
    """

    __pydantic_config__ = STRICT

    minor: bool
    verses: Progressions
    choruses: Progressions
    bridges: Progressions
    colour: tuple[int, ...]
    grooves: tuple[Groove, Groove, Groove, Groove]
    bass: Figures
    comping: Figures
    comping_lengths: tuple[int, int, int, int]
    comping_octave: int
    pads: tuple[float, float, float, float]
    pad_octave: int
    fill: Groove
    build: Literal["fill", "roll"]
    kit: Annotated[str, AfterValidator(_check_kit)]
    sounds: Mapping[str, Annotated[str, AfterValidator(_check_instrument)]]
    levels: Mapping[str, float]
    programs: Mapping[str, int]
    echo: float
    pump: float = 0.0
    drive: bool = False
    colours: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    dominants: tuple[int, ...] = ()
    sung: tuple[int, ...] = tuple(range(7))
    recited: bool = False
    fullness: Mapping[str, int] = field(default_factory=dict)
    late: Mapping[str, float] = field(default_factory=dict)
    turning: bool = False
    soloing: bool = False


@dataclass(frozen=True)
class Timbre:
    """One of Kokoro's voices, and the lowest and highest MIDI note that it sings with ease."""

    __pydantic_config__ = STRICT

    timbre: Literal["jf_alpha", "jf_gongitsune", "jf_nezumi", "jf_tebukuro", "jm_kumo"]
    low: int
    high: int


@dataclass(frozen=True)
class Voice(Timbre):
    """How one singer sounds.

    Vibrato in cents and hertz, `glide` between two tied notes in seconds. `double` in [0, 1] is the share of a
    second take under it, `bright` its treble in dB.
    """

    vibrato: float
    vibrato_hertz: float
    glide: float
    double: float
    bright: float


@dataclass(frozen=True)
class Genre:
    """One kind of music: how fast it is, how words are sung in it, and how band and singer sound.

    `tempo` is in beats per minute. `cells` tells, for every number of syllables in half a bar, on which of
    its eight sixteenth steps they may fall; `pace` is the number of them that comes easily, and `hold` how many
    steps the last syllable of a line rings.

    Of two steps of `swung` sixteenths each, the first one lasts `swing` times as long as the second.

    Friendly and quiet songs are `polite` to the listener, others shout. Without a `mood` the trade decides.
    """

    __pydantic_config__ = STRICT

    name: str
    tempo: float
    pace: int
    hold: int
    cells: Cells
    style: Annotated[Style, AfterValidator(_check_parts)]
    voice: Voice
    swing: float = 1.0
    swung: int = 2
    form: Form = Form()
    polite: bool = True
    mood: Literal["lively", "tender"] | None = None


@dataclass(frozen=True)
class Names:
    """What customers call a genre, and other kinds of music that it is nearest to.

    `shown` is what sentences call it, where that is not its name.
    """

    __pydantic_config__ = STRICT

    called: tuple[str, ...]
    nearest: tuple[str, ...]
    shown: str = ""


SHOWN_LENGTH = 40
USUAL = "pop"
MOST_WORDS = 3
"""How many words a name has at most, such as "lofi hip hop"."""
LIKE = 0.75
SHORTEST_TYPED = 3
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


@cache_content
def get_genre(name: str) -> Genre:
    """Read a genre from its file, once, or raise a ContentError."""
    return read_typed(find_files("genres", ".toml")[name], Genre, name=name)


def read_genres() -> dict[str, Genre]:
    """Read all genres, in the order in which they are offered."""
    return {name: get_genre(name) for name in read_names()}


@cache_content
def read_names() -> dict[str, Names]:
    """Read what customers call each genre, in the order in which genres are offered, once."""
    return read_typed(find_files("words", ".toml")["genres"], dict[str, Names])


@cache_content
def read_timbres() -> dict[Register, Timbre]:
    """Read who sings of trades of a register, where that is not the genre's own singer, once."""
    path = find_files("words", ".toml")["timbres"]
    return read_typed(path, dict[Register, Timbre])


@cache_content
def list_played() -> dict[str, str]:
    """Return all names of genres that are played, with the genre."""
    called = {word: name for name, names in read_names().items() for word in names.called}
    return {**called, **{name: name for name in read_names()}}


@cache_content
def list_families() -> dict[str, str]:
    """Return the kinds of music that are not played, with the nearest genre."""
    return {word: name for name, names in read_names().items() for word in names.nearest}


def choose_genre(text: str) -> tuple[Genre, str | None]:
    """Choose the first genre named in a free text; add a sentence for the customer where none is played.

    That is the nearest genre then: one of the same family, one that is spelt alike, or pop. A genre that the text
    rejects ("no rap", "트로트 말고") does not count. A text that asks for nothing gets pop without a remark.
    """
    wanted, rejected = _split_rejected(text.lower())
    words = WORD.findall(wanted)
    usual = next((name for name in read_names() if name not in rejected), USUAL)
    played = next((genre for _, _, genre in _find_names(words, list_played())), None)
    if played or NOTHING.fullmatch(wanted):
        return get_genre(played or usual), None
    family = next((genre for _, _, genre in _find_names(words, list_families())), None)
    nearest = family or next(_find_misspelt(words), usual)
    asked = " ".join(text.split())
    shown = asked if len(asked) <= SHOWN_LENGTH else asked[:SHOWN_LENGTH] + "…"
    return get_genre(nearest), (
        f"genre: '{shown}' is not played; the nearest is {_show(nearest)}; "
        f"expected one of {', '.join(map(_show, read_names()))}"
    )


def _show(name: str) -> str:
    return read_names()[name].shown or name


def _split_rejected(text: str) -> tuple[str, set[str]]:
    """Return the text without what it rejects, and the rejected genres."""
    found = list(WORD.finditer(text))
    kept, end = [], 0
    rejected: set[str] = set()
    known = {**list_families(), **list_played()}
    for first, count, genre in _find_names([word[0] for word in found], known):
        name = slice(found[first].start(), found[first + count - 1].end())
        between = text[end : name.start]
        before = NOT_BEFORE.search(between) or (rejected and NOR_BEFORE.fullmatch(between))
        behind = NOT_BEHIND.match(text, name.stop) or NOT_BEHIND.search(text[name])
        if before or behind:
            kept.append(between[: before.start()] if before else between)
            end = max(name.stop, behind.end() if behind else 0)
            rejected.add(genre)
    return " ".join([*kept, text[end:]]), rejected


def _find_names(words: Sequence[str], names: Mapping[str, str]) -> Iterator[tuple[int, int, str]]:
    """Yield the names in the order of the words: the first word's number, how many words, and the genre."""
    first = 0
    while first < len(words):
        count, genre = _find_longest(words[first : first + MOST_WORDS], names)
        if genre:
            yield first, count, genre
        first += count


def _find_longest(words: Sequence[str], names: Mapping[str, str]) -> tuple[int, str | None]:
    """Return how many of these words are the longest name at their beginning, and its genre; or one and None."""
    for count in range(len(words), 0, -1):
        genre = names.get("".join(words[:count]))
        if genre:
            return count, genre
    return 1, _find_inside(words[0], names)


def _find_inside(word: str, names: Mapping[str, str]) -> str | None:
    """Return the genre whose Korean name, of two syllables or more, begins or ends the word: 재즈풍, 퓨전재즈."""
    if not re.match("[가-힣]", word):
        return None
    parts = [cut for size in range(len(word) - 1, 1, -1) for cut in (word[:size], word[-size:])]
    return next((names[part] for part in parts if part in names), None)


def _find_misspelt(words: Sequence[str]) -> Iterator[str]:
    """Yield genres whose name is spelt alike, with Korean syllables taken apart: one wrong letter is one."""
    known = {
        normalize("NFD", name): genre for name, genre in (list_families() | list_played()).items()
    }
    pairs = ("".join(words[first : first + 2]) for first in range(len(words)))
    for word in dict.fromkeys((*words, *pairs)):
        if len(word) >= SHORTEST_TYPED:
            for like in get_close_matches(normalize("NFD", word), known, 1, LIKE):
                yield known[like]
