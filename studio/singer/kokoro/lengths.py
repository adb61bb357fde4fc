"""How long each token of a line lasts, so that every vowel begins with its note. Pure, numpy only.

Consonants keep the lengths that the model gives them, up to a limit; the vowel takes what is left of its note.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from studio.singer.kokoro.tokens import Note, Part, Token

FRAME = 0.025
"""Seconds of a frame of the model."""
LEAD, TAIL = 14, 12
"""Frames before the first sound and after the last."""
LATE = 0.06
"""Seconds by which the sound comes before its token (measured: 56 to 62 ms with two voices)."""
EARLY = 0.04
"""Seconds by which a consonant comes before its note at most."""
LONGEST = {"s": 5, "ʃ": 5, "ɕ": 5, "ʧ": 4, "f": 4}
LONGEST_ONSET, LONGEST_CODA, LONGEST_HURRIED_CODA = 3, 4, 3
HURRIED_SECONDS = 0.35
ONSET_SHARE, VOWEL_SHARE = 0.4, 0.4
FEWEST_VOWEL_FRAMES = 5
STRESS = "ˈˌ"


@dataclass(frozen=True)
class Lengths:
    """Frames of every token, and the moment of the song in seconds at which the first one begins."""

    frames: tuple[int, ...]
    begin: float


def lengths(notes: Sequence[Note], tokens: Sequence[Token], own: Sequence[int]) -> Lengths:
    """The lengths of a line's tokens; `own` are those that the model would give them in speech."""
    places = _places(tokens)
    starts = [
        _start(note, _of(places, number, Part.ONSET), tokens, own)
        for number, note in enumerate(notes)
    ]
    begin = starts[0] - LEAD * FRAME
    frames = [0] * len(tokens)
    cursor = LEAD
    for number, note in enumerate(notes):
        rest = _of(places, number, Part.REST)
        last = number + 1 == len(notes)
        end = note.end + LATE if rest else starts[number + 1]
        room = max(round((end - begin) / FRAME) - cursor, 2)
        parts = {part: _of(places, number, part) for part in Part}
        shares = _shares(note, parts, tokens, own, room)
        for place, share in shares.items():
            frames[place] = share
        cursor += sum(shares.values())
        if rest:
            until = cursor + TAIL if last else round((starts[number + 1] - begin) / FRAME)
            pause = max(until - cursor, 1)
            spaces = parts[Part.SPACE]
            for place in spaces:
                frames[place] = min(1, pause - 1)
            frames[rest[0]] = pause - sum(frames[place] for place in spaces)
            cursor += pause
    return Lengths(tuple(frames), begin)


Places = Mapping[tuple[int, Part], list[int]]


def _places(tokens: Sequence[Token]) -> Places:
    def owner(place: int) -> tuple[int, int]:
        return tokens[place].note, tokens[place].part.value

    ordered = sorted(range(len(tokens)), key=lambda place: (*owner(place), place))
    return {(key[0], Part(key[1])): list(group) for key, group in groupby(ordered, owner)}


def _of(places: Places, number: int, part: Part) -> list[int]:
    return places.get((number, part), [])


def _start(note: Note, onset: list[int], tokens: Sequence[Token], own: Sequence[int]) -> float:
    """When its first token begins: its consonants come a little before the note."""
    wanted = sum(_of_onset(tokens[place], own[place]) for place in onset) * FRAME
    wanted = min(wanted, max(ONSET_SHARE * (note.end - note.start), FRAME * len(onset)))
    return note.start + LATE - min(EARLY, wanted)


def _of_onset(token: Token, own: int) -> int:
    return min(own, LONGEST.get(token.sign, LONGEST_ONSET))


def _shares(
    note: Note,
    parts: Mapping[Part, list[int]],
    tokens: Sequence[Token],
    own: Sequence[int],
    room: int,
) -> dict[int, int]:
    """The frames of a syllable's tokens, and of the blank after it where there is no rest."""
    easy = parts[Part.REST] or note.end - note.start > HURRIED_SECONDS
    longest = LONGEST_CODA if easy else LONGEST_HURRIED_CODA
    wanted = {place: float(_of_onset(tokens[place], own[place])) for place in parts[Part.ONSET]}
    wanted |= {place: float(min(own[place], longest)) for place in parts[Part.CODA]}
    spaces = [] if parts[Part.REST] else parts[Part.SPACE]
    wanted |= {place: float(min(own[place], 1)) for place in spaces}
    most = max(room - max(FEWEST_VOWEL_FRAMES, int(VOWEL_SHARE * room)), 0)
    hurry = min(1.0, most / max(sum(wanted.values()), 1e-9))
    shares = {place: round(share * hurry) for place, share in wanted.items()}
    shares |= {place: 1 for place in shares if not shares[place] and place not in spaces}
    nucleus = parts[Part.NUCLEUS]
    left = room - sum(shares.values())
    if left < len(nucleus):
        left += sum(shares[place] for place in spaces)
        shares |= dict.fromkeys(spaces, 0)
    return shares | _vowel(nucleus, tokens, own, max(left, 1))


def _vowel(
    nucleus: Sequence[int], tokens: Sequence[Token], own: Sequence[int], left: int
) -> dict[int, int]:
    """The frames of the stress mark, of the vowel that is held and of what glides out of it."""
    marks = [place for place in nucleus if tokens[place].sign in STRESS]
    first, *tails = [place for place in nucleus if tokens[place].sign not in STRESS]
    shares = dict.fromkeys(marks, 0)
    if marks and left >= 3:
        shares[marks[0]] = min(own[marks[0]], max(1, left // 3))
    left -= sum(shares.values())
    each = max(1, min(int(0.3 * left / len(tails)) if left > 4 else 1, 4)) if tails else 0
    if left < 1 + len(tails):
        each = min(each, 1 if left > 1 else 0)
    return shares | dict.fromkeys(tails, each) | {first: max(left - each * len(tails), 1)}
