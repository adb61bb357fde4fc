"""The lines that the lyricist has, read from `data/lyrics`; docs/content.md says how they are written."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from studio.content import ContentError, Sections, cache_content, find_files, read_sections
from studio.lyricist.template import find_fault
from studio.trades import FIELDS, GROUP, HEADINGS, Register, Trade, is_trade_file

LIVELY, TENDER = "lively", "tender"
FOLDERS = {"Korean": "ko", "English": "en"}
COMMON, CALM, FRAMES, MOOD = "common", "calm", "frames", "mood-"
NUMBERS = ("syllables-per-second", "seconds-for-two")
COMMON_FIELDS = ("nameless", "placeless", *NUMBERS)
COUPLETS = ("verses", "choruses")
PHRASE_FRAMES = ("plain", "playful", "goods", "service", "calm-service", "grave", "quotes")
PAIR_FRAMES = ("pairs", "playful-pairs")
OWN = ("name", "region")
# How many lines a template has, which places may be in it, and which ones its first line needs.
RULES: Mapping[str, tuple[int, tuple[str, ...], tuple[str, ...]]] = {
    "titles": (1, OWN, ()),
    "openings": (1, OWN, ("region",)),
    "hooks": (2, OWN, ("name",)),
    "verses": (2, OWN, ()),
    "choruses": (2, OWN, ()),
    **dict.fromkeys(PHRASE_FRAMES, (1, ("fact",), ("fact",))),
    **dict.fromkeys(PAIR_FRAMES, (1, ("fact", "more"), ("fact", "more"))),
}


@dataclass(frozen=True)
class Lines:
    """The lines of one file. Every hook names the business, and every opening the region, in its first line."""

    titles: tuple[str, ...] = ()
    openings: tuple[str, ...] = ()
    hooks: tuple[str, ...] = ()
    verses: tuple[str, ...] = ()
    choruses: tuple[str, ...] = ()


@dataclass(frozen=True)
class Frames:
    """Lines that wait for a fact of an order.

    `plain` has those for any phrase, `goods` for what one is glad of, `service` for what is done for one, `grave`
    for troubles. `quotes` wait for a sentence, `pairs` for two phrases, the second of which is `{more}`.
    """

    plain: tuple[str, ...]
    goods: tuple[str, ...]
    service: tuple[str, ...]
    grave: tuple[str, ...]
    quotes: tuple[str, ...]
    pairs: tuple[str, ...]


@dataclass(frozen=True)
class Stock:
    """What songs of one language and manner have in common.

    `pace` is in syllables per second; a line that lasts `seconds_for_two` is made of two. `moods` has lines for
    lively and for tender songs only, `common` for all.
    """

    folder: str
    calm: bool
    nameless: str
    placeless: str
    pace: float
    seconds_for_two: float
    common: Lines
    frames: Frames
    moods: Mapping[str, Lines]

    def read_own_lines(self, trade: Trade | None) -> tuple[Lines, Lines]:
        """Return the lines of a trade, and those of its group; a calm song has those of calm ones only."""
        if trade is None:
            return Lines(), Lines()
        names = (trade.name, f"{GROUP}{trade.group}" if trade.group else "")
        own, group = (_read_own(self.folder, name, self.calm) for name in names)
        return own, group


def get_stock(language: str, calm: bool) -> Stock:
    """Return the lines of a language, English for one that is not known, in the usual or the calm manner."""
    return _read_stock(FOLDERS.get(language, FOLDERS["English"]), calm)


def read_lyrics(path: Path) -> Sections:
    """Return any file of lyrics.

    Raises:
        ContentError: a line is not written as its heading wants it.
    """
    file = read_sections(path, *_find_form(path.stem))
    for heading, lines in file.lines.items():
        for line in lines if heading in RULES else ():
            fault = find_fault(line.text, *RULES[heading])
            if fault:
                file.refuse(line, fault)
    return file


@cache_content
def _read_own(folder: str, name: str, calm: bool) -> Lines:
    path = find_files(f"lyrics/{folder}", ".txt").get(name)
    file = read_lyrics(path) if path else None
    register = file and file.fields.get("register")
    is_calm = register and register.text == Register.CALM
    return _take_lines(file) if file and (is_calm or not calm) else Lines()


@cache_content
def _read_stock(folder: str, calm: bool) -> Stock:
    files = find_files(f"lyrics/{folder}", ".txt")
    common = read_lyrics(files[COMMON])
    pace, seconds_for_two = (_read_number(common, name) for name in NUMBERS)
    return Stock(
        folder,
        calm,
        common.fields["nameless"].text,
        common.fields["placeless"].text,
        pace,
        seconds_for_two,
        _take_lines(read_lyrics(files[CALM]) if calm else common),
        _take_frames(read_lyrics(files[FRAMES]), calm),
        {
            mood: _take_lines(read_lyrics(files[f"{MOOD}{mood}"]))
            for mood in ((TENDER,) if calm else (LIVELY, TENDER))
        },
    )


def _find_form(name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the headings and fields that a file of this name may have."""
    own = tuple(heading for heading in HEADINGS if heading in RULES)
    if is_trade_file(name):
        return HEADINGS, FIELDS
    if name.startswith(GROUP):
        return own, ("register",)
    if name.startswith(MOOD):
        return COUPLETS, ()
    if name == FRAMES:
        return (*PHRASE_FRAMES, *PAIR_FRAMES), ()
    return ("openings", *own), COMMON_FIELDS if name == COMMON else ()


def _read_number(file: Sections, name: str) -> float:
    line = file.fields.get(name)
    if line is None:
        raise ContentError(file.path, 1, f"{name}: a number", "none")
    try:
        return float(line.text)
    except ValueError:
        file.refuse(line, f"{name}: a number")


def _take_lines(file: Sections) -> Lines:
    return Lines(
        **{name: _take(file, name) for name in file.lines if name in Lines.__annotations__}
    )


def _take_frames(file: Sections, calm: bool) -> Frames:
    """Return the frames of the usual or of the calm manner, in which nothing is playful."""
    plain, pairs = _take(file, "plain"), _take(file, "pairs")
    grave, quotes = _take(file, "grave"), _take(file, "quotes")
    if calm:
        return Frames(plain, (), _take(file, "calm-service"), grave, quotes, pairs)
    return Frames(
        plain + _take(file, "playful"),
        _take(file, "goods"),
        _take(file, "service"),
        grave,
        quotes,
        pairs + _take(file, "playful-pairs"),
    )


def _take(file: Sections, heading: str) -> tuple[str, ...]:
    return tuple(line.text for line in file.lines[heading])
