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
# How many lines a template has, which places may be in it, and which ones its first line needs. Frames wait for a
# fact: `plain` takes any phrase, `goods` what one is glad of, `service` what is done for one, `grave` troubles,
# `quotes` a sentence, and `pairs` two phrases, the second of which is `{more}`.
RULES: Mapping[str, tuple[int, tuple[str, ...], tuple[str, ...]]] = {
    "titles": (1, OWN, ()),
    "openings": (1, OWN, ("region",)),
    "hooks": (2, OWN, ("name",)),
    "verses": (2, OWN, ()),
    "choruses": (2, OWN, ()),
    **dict.fromkeys(PHRASE_FRAMES, (1, ("fact",), ("fact",))),
    **dict.fromkeys(PAIR_FRAMES, (1, ("fact", "more"), ("fact", "more"))),
}


Lines = Mapping[str, tuple[str, ...]]
"""The lines of a file by their headings."""
NO_LINES: Lines = dict.fromkeys(("titles", "hooks", *COUPLETS), ())


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
    frames: Lines
    moods: Mapping[str, Lines]

    def read_own_lines(self, trade: Trade | None) -> tuple[Lines, Lines]:
        """Return the lines of a trade, and those of its group; a calm song has those of calm ones only."""
        if trade is None:
            return NO_LINES, NO_LINES
        names = (trade.name, f"{GROUP}{trade.group}" if trade.group else "")
        own, group = (_read_own(self.folder, name, self.calm) for name in names)
        return own, group


def read_lyrics(path: Path) -> Sections:
    """Return any file of lyrics; raise a ContentError for a line that is not written as its heading wants it."""
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
    return _take_lines(file) if file and (is_calm or not calm) else NO_LINES


@cache_content
def get_stock(language: str, calm: bool) -> Stock:
    """Return the lines of a language, English for one that is not known, in the usual or the calm manner."""
    folder = FOLDERS.get(language, FOLDERS["English"])
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
        _choose_frames(_take_lines(read_lyrics(files[FRAMES])), calm),
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
    return {name: tuple(line.text for line in lines) for name, lines in file.lines.items()}


def _choose_frames(frames: Lines, calm: bool) -> Lines:
    """Return the frames of the usual or of the calm manner, in which nothing is playful."""
    if calm:
        return {**frames, "goods": (), "service": frames["calm-service"]}
    plain = frames["plain"] + frames["playful"]
    return {**frames, "plain": plain, "pairs": frames["pairs"] + frames["playful-pairs"]}
