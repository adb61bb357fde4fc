"""Which syllables of a line are spoken with stress. Pure.

English by rules of its spelling, as the sounds are not known where a song is planned; Korean has no such stress.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate

STRESSED, LESSER, EVEN, WEAK = 1.0, 0.6, 0.5, 0.0
LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")
NOT_LETTERS = re.compile(r"[^a-z\u00df-\u024f']")
_FUNCTION = """
a an the and or but nor so of in on at by for from with to as than that if is am are was were be been i'm you're
we're they're it's he's she's that's there's i you he she it we they me him her us them my your his its our
their some any has have had do does did can could will would shall should may might must i'll you'll we'll it'll
i've we've you've there not
"""
FUNCTION = frozenset(_FUNCTION.split())
"""Words of one syllable that lean on their neighbours."""
_ON_THE_LAST = """
about above across afraid again ago ahead alive alone along among amount apart around arrive asleep aware away
ballet because become before begin begins behind believe below beside besides between beyond bouquet boutique
cafe canoe cashmere champagne cliche complete create cuisine decide degree delay delight deluxe deserve design
desire divine enjoy enough escape exact excite explore express forget forgive forgot goodbye guitar hello hotel
ideal invite itself japan july machine massage mistake myself obey parade perhaps police polite prefer premiere
prepare produce protect provide relax release remain renew repair repeat replace reply resort respect return
reveal routine serene soufflé succeed support supreme surprise technique today tonight toward unique until
unwind upon within without yourself
"""
_ON_THE_SECOND = """
adventure amazing another apartment appointment attention attorney banana beginning believer bologna component
computer connected consider december delicious delightful delivered delivery department dependable develop
discover discovered enchanted encounter espresso essential eternal expensive fantastic forever forgotten gelato
important inspiring instructor italian korea lasagna mechanic meticulous momentum musician november october
pajama piano pistachio potato precision professor recover remember reminder september sincerely spaghetti
spectacular surrounding terrific together tomato tomorrow umbrella vanilla whatever wherever whoever
"""
ON_THE_LAST = frozenset(_ON_THE_LAST.split()) - {
    "menu",
    "november",
    "korea",
    "discover",
    "perfume",
    "salon",
}
ON_THE_SECOND = frozenset(_ON_THE_SECOND.split())
LAST_ENDINGS = re.compile(r"(?:ee|eer|ette|oon|ese|esque|ique|self|selves|teen)$")
BEFORE_ENDING = re.compile(
    r"(?:tions?|sions?|cians?|cial|tial|cious|tious|ics?|ical|ically|ity|ities|ify|ology|ography|graphy|eous|ious"
    r"|ian|ians|ient|ience)$"
)
LONG_ENDINGS = re.compile(
    r"(?:ical|ically|ity|ities|ify|ology|ography|graphy|eous|ious|ian|ians|ient|ience)$"
)
PENULT_ENDING = re.compile(r"[aoi]$")


def stresses_of(pieces: Sequence[str], name: str = "") -> list[float]:
    """How much stress each piece of a line bears, in [0, 1]; `EVEN` where the language has none.

    Every syllable of the `name`, where the line has it, bears some, so that it gets notes that carry it.
    """
    stresses = [stress for word in _words(pieces) for stress in _of_word(word)]
    first, end = _found(pieces, name)
    raised = [STRESSED if stress == EVEN else max(stress, LESSER) for stress in stresses[first:end]]
    return [*stresses[:first], *raised, *stresses[end:]]


def _found(pieces: Sequence[str], name: str) -> tuple[int, int]:
    """From which piece to before which one the name stands in the line; an empty span where it does not."""
    line, wanted = "".join(pieces).casefold(), name.casefold()
    place = line.find(wanted) if wanted else -1
    if place < 0:
        return 0, 0
    starts = [*accumulate((len(piece.casefold()) for piece in pieces), initial=0)]
    covered = [at for at in range(len(pieces)) if place <= starts[at] < place + len(wanted)]
    return (covered[0], covered[-1] + 1) if covered else (0, 0)


def _words(pieces: Sequence[str]) -> Iterator[list[str]]:
    """The pieces of each word; a piece with a blank or a hyphen at its end is the last of one."""
    word: list[str] = []
    for piece in pieces:
        word.append(piece)
        if piece[-1:].isspace() or piece.rstrip()[-1:] in "-–—":
            yield word
            word = []
    if word:
        yield word


def _of_word(pieces: Sequence[str]) -> list[float]:
    text = NOT_LETTERS.sub("", "".join(pieces).lower().replace("’", "'"))
    if not text or not LATIN.search(text):
        return [EVEN] * len(pieces)
    if len(pieces) == 1:
        return [WEAK if text in FUNCTION else STRESSED]
    main = _place(text.removesuffix("'s"), len(pieces))
    return [
        STRESSED if place == main else LESSER if (place - main) % 2 == 0 else WEAK
        for place in range(len(pieces))
    ]


def _place(text: str, count: int) -> int:
    """The number of the syllable that bears the word's stress."""
    last = count - 1
    if text in ON_THE_LAST or (LAST_ENDINGS.search(text) and text not in ("coffee", "toffee")):
        return last
    if text in ON_THE_SECOND:
        return min(1, last)
    if BEFORE_ENDING.search(text) and count > 2:
        return max(0, last - 2 if LONG_ENDINGS.search(text) and count > 3 else last - 1)
    if count > 2 and PENULT_ENDING.search(text):
        return last - 1
    return 0
