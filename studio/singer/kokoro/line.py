"""One line sung by Kokoro: its signs, their lengths, tone and loudness, and the samples. numpy only."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import cache
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

from studio.content import BUILT_IN, read_toml
from studio.genres import Voice
from studio.singer.kokoro.model import Voices
from studio.singer.processes import Array, Kokoro
from studio.singer.reading import (
    HANGUL,
    KOREAN,
    STRESS,
    TIED,
    VOWEL,
    Held,
    Letter,
    Phrase,
    Sung,
    Word,
    deal_out,
    deal_out_word,
    hold_syllables,
)
from studio.singer.voice import find_hertz
from studio.sound import RATE, Samples

PLAIN = frozenset("bdfhjklmnpstvwz")
NEUTRAL = "ə"
AFTER_VOICE = frozenset(" ㄴㄹㅁㅇ")
Signs = tuple[str, str, str]
"""What is before the vowel of a syllable, the vowel with its stress, and what is after it."""
REST, SPACE, END = ",", " ", "."
MOST_TOKENS = 500
"""The model takes 510, and two of them are the edges."""

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
STRESS_SIGNS = "ˈˌ"
SHIFT = 5
"""Half frames by which the sound comes before its token."""
TONED_HERTZ = 45.0
"""From here on the model means a voice, below it means none."""
TONELESS_HERTZ = 4.0
MIDDLE_PERCENTILE = 60
VOWEL_BELOW_MIDDLE, CONSONANT_BELOW_MIDDLE = 0.7, 3.5
NONE = -20.0
SOFTENED = 7
Curve = NDArray[np.float64]
KOKORO_RATE = 24_000
EDGE = 0
"""The number of the sign before and after every text."""
AFTER = 2
"""Frames of the edge behind the text."""
KEPT_LEAD, KEPT_TAIL = 7, 4
"""Frames of the lead and of the tail in which the first and the last sound may be heard already and still."""
FADE = 2_000
AUDIBLE = 0.02
FASTEST = 0.7
"""Of its own length: faster speech is not understood."""
EDGE_SAMPLES = 1_000
LEVEL = 0.12


@cache
def read_signs() -> dict[str, dict[str, str]]:
    """Read what the signs of phonemes and of Hangul's parts are."""
    return read_toml(BUILT_IN / "signs.toml")


def write_korean(letter: str, before: str | None) -> Signs:
    """Write a Hangul letter; `before` is the coda before it in the same breath, None at its beginning."""
    signs, parts = read_signs(), Letter.of(letter)
    onset = "l" if parts.onset == before == "ㄹ" else signs["onsets"][parts.onset]
    if before is not None and before in AFTER_VOICE:
        onset = signs["voiced"].get(parts.onset, onset)
    glide, vowel = signs["glides"].get(parts.vowel, ""), signs["nuclei"][parts.vowel]
    if parts.onset in "ㅅㅆ" and (vowel == "i" or glide == "j"):
        onset, glide = "ɕ", glide.replace("j", "")
    if parts.onset in "ㅈㅉㅊ":
        glide = glide.replace("j", "")
    return onset + glide, vowel, signs["codas"][parts.coda]


def _write_consonant(name: str) -> str:
    # A consonant may be spelled by a vowel's name, as in "l" of little.
    sign = read_signs()["consonants"].get(name) or read_signs()["vowels"].get(name)
    return sign or "".join(sign for sign in name if sign in PLAIN)


class Part(Enum):
    """What a sign is of its syllable."""

    ONSET = auto()
    NUCLEUS = auto()
    CODA = auto()
    SPACE = auto()
    REST = auto()


@dataclass(frozen=True)
class Note:
    """A syllable to be sung: its signs, its tones, and whether a word ends with it."""

    signs: Signs
    held: Held
    ends_word: bool


@dataclass(frozen=True)
class Token:
    """A sign, the number of its syllable in the line and what it is there."""

    sign: str
    note: int
    part: Part


def list_tokens(notes: Sequence[Note]) -> list[Token]:
    """Return the line's tokens in order; the last one is the rest after it."""
    tokens: list[Token] = []
    for number, note in enumerate(_link(notes)):
        for part, signs in zip((Part.ONSET, Part.NUCLEUS, Part.CODA), note.signs, strict=True):
            tokens += [Token(sign, number, part) for sign in signs]
        if number + 1 < len(notes):
            rests = notes[number + 1].held.start - note.held.end > TIED
            tokens += [Token(REST, number, Part.REST)] * rests
            tokens += [Token(SPACE, number, Part.SPACE)] * (rests or note.ends_word)
    return [*tokens, Token(END, len(notes) - 1, Part.REST)]


def split_parts(notes: Sequence[Note]) -> Iterator[Sequence[Note]]:
    """Split the notes at words' ends into parts that the model takes; leave out a syllable that is too long."""
    if len(list_tokens(notes)) <= MOST_TOKENS:
        yield notes
    elif len(notes) > 1:
        middle = len(notes) // 2
        ends = [number for number in range(1, len(notes)) if notes[number - 1].ends_word]
        cut = min(ends, key=lambda number: abs(number - middle), default=middle)
        yield from split_parts(notes[:cut])
        yield from split_parts(notes[cut:])


def _link(notes: Sequence[Note]) -> list[Note]:
    """Return the notes; sing an r that two syllables share once."""
    linked = list(notes)
    for number, (note, following) in enumerate(pairwise(notes)):
        onset, nucleus, coda = note.signs
        if (
            following.signs[0].startswith("ɹ")
            and nucleus.endswith("ɹ")
            and len(nucleus) > 1
            and not coda
        ):
            linked[number] = replace(note, signs=(onset, nucleus[:-1], coda))
    return linked


def list_spelled(words: Sequence[Sequence[Word]]) -> list[str]:
    """Return the words that espeak-ng has to spell, each once and in order."""
    return sorted({word.text for phrase in words for word in phrase if not is_hangul(word)})


def is_hangul(word: Word) -> bool:
    """Return whether a word is read letter by letter."""
    return word.language == KOREAN and all(map(HANGUL.fullmatch, word.text))


def write_notes(
    phrase: Phrase, words: Sequence[Word], spelled: Mapping[str, Sequence[str]]
) -> list[Note]:
    """Write the phrase's notes; `spelled` has the phonemes of each word that is not Hangul."""
    notes: list[Note] = []
    coda: str | None = None
    for word in words:
        if not is_hangul(word):
            notes += _write_english_word(phrase, word, spelled[word.text])
            coda = None
            continue
        letters = [((), "a", ())] * len(word.text)
        for sung, letter in zip(deal_out(word, letters), word.text, strict=True):
            signs = write_korean(letter, coda)
            coda = Letter.of(letter).coda
            ends = _is_word_end(phrase, sung)
            notes += [Note(signs, held, ends) for held in hold_syllables(phrase, [sung])]
            if ends and not phrase[sung.last - 1].text.endswith(" "):
                coda = None
    return notes


def _is_word_end(phrase: Phrase, sung: Sung) -> bool:
    text = phrase[sung.last - 1].text
    return text.strip() != text or not text[-1:].isalnum()


def _write_english_word(phrase: Phrase, word: Word, names: Sequence[str]) -> Iterator[Note]:
    stresses = _list_stresses(names)
    syllables, known = deal_out_word(word, names), read_signs()
    for number, sung in enumerate(syllables):
        stress = stresses[number] if number < len(stresses) else ""
        before, after = ("".join(map(_write_consonant, part)) for part in (sung.onset, sung.coda))
        nucleus = known["marks"].get(stress, "") + known["vowels"].get(sung.vowel, NEUTRAL)
        for held in hold_syllables(phrase, [sung]):
            yield Note((before, nucleus, after), held, number + 1 == len(syllables))


def _list_stresses(names: Sequence[str]) -> list[str]:
    """Return the mark of stress of each vowel, or ""."""
    return [
        name[0] if name[0] in STRESS else ""
        for name in names
        if name[0] not in "_(" and VOWEL.match(name.lstrip(STRESS))
    ]


def plan_lengths(
    notes: Sequence[Note], tokens: Sequence[Token], own: Sequence[int]
) -> tuple[list[int], float]:
    """Return the frames of a line's tokens, and the moment of the song in seconds at which the first one begins.

    `own` are the frames that the model would give them in speech.
    """
    places: list[Mapping[Part, list[int]]] = [{part: [] for part in Part} for _ in notes]
    for place, token in enumerate(tokens):
        places[token.note][token.part].append(place)
    starts = [
        _find_start(note, parts[Part.ONSET], tokens, own)
        for note, parts in zip(notes, places, strict=True)
    ]
    begin = starts[0] - LEAD * FRAME
    frames = [0] * len(tokens)
    cursor = LEAD
    for number, (note, parts) in enumerate(zip(notes, places, strict=True)):
        rest = parts[Part.REST]
        last = number + 1 == len(notes)
        end = note.held.end + LATE if rest else starts[number + 1]
        room = max(round((end - begin) / FRAME) - cursor, 2)
        shares = _share_frames(note, parts, tokens, own, room)
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
    return frames, begin


def _find_start(note: Note, onset: list[int], tokens: Sequence[Token], own: Sequence[int]) -> float:
    """Return when its first token begins: its consonants come a little before the note."""
    wanted = sum(_limit_onset(tokens[place], own[place]) for place in onset) * FRAME
    wanted = min(wanted, max(ONSET_SHARE * (note.held.end - note.held.start), FRAME * len(onset)))
    return note.held.start + LATE - min(EARLY, wanted)


def _limit_onset(token: Token, own: int) -> int:
    return min(own, LONGEST.get(token.sign, LONGEST_ONSET))


def _share_frames(
    note: Note,
    parts: Mapping[Part, list[int]],
    tokens: Sequence[Token],
    own: Sequence[int],
    room: int,
) -> dict[int, int]:
    """Return the frames of a syllable's tokens, and of the blank after it where there is no rest."""
    easy = parts[Part.REST] or note.held.end - note.held.start > HURRIED_SECONDS
    longest = LONGEST_CODA if easy else LONGEST_HURRIED_CODA
    wanted = {place: float(_limit_onset(tokens[place], own[place])) for place in parts[Part.ONSET]}
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
    return shares | _share_vowel(nucleus, tokens, own, max(left, 1))


def _share_vowel(
    nucleus: Sequence[int], tokens: Sequence[Token], own: Sequence[int], left: int
) -> dict[int, int]:
    """Return the frames of the stress mark, of the vowel that is held and of what glides out of it."""
    marks = [place for place in nucleus if tokens[place].sign in STRESS_SIGNS]
    first, *tails = [place for place in nucleus if tokens[place].sign not in STRESS_SIGNS]
    shares = dict.fromkeys(marks, 0)
    if marks and left >= 3:
        shares[marks[0]] = min(own[marks[0]], max(1, left // 3))
    left -= sum(shares.values())
    each = max(1, min(int(0.3 * left / len(tails)) if left > 4 else 1, 4)) if tails else 0
    if left < 1 + len(tails):
        each = min(each, 1 if left > 1 else 0)
    return shares | dict.fromkeys(tails, each) | {first: max(left - each * len(tails), 1)}


def list_moments(begin: float, frames: int) -> Curve:
    """Return the middles of the half frames, in seconds of the song."""
    return begin + (np.arange(2 * frames) + 0.5) * FRAME / 2


def draw_tone(
    own: Samples, hertz: Curve, tokens: Sequence[Token], bounds: Sequence[int]
) -> Samples:
    """Return the melody in hertz where there is a voice, else the model's silence; (1, n) of `own` (n,).

    `bounds` are the frames at which the tokens begin, and the last one ends.
    """
    toned = own > TONED_HERTZ
    last = len(tokens) - 1
    for number, (token, (first, end)) in enumerate(zip(tokens, _list_spans(bounds), strict=True)):
        if token.part is Part.NUCLEUS:
            toned[first:end] = True
        elif token.part is Part.REST and number < last:
            toned[first + 4 : end - 2] = False
    return np.where(toned, hertz, np.minimum(own, TONELESS_HERTZ)).astype(np.float32)[None]


def lift_energy(own: Samples, tokens: Sequence[Token], bounds: Sequence[int]) -> Samples:
    """Return the model's loudness, with all vowels nearly as loud as the line; (1, n) of `own` (n,).

    The model fades the first and the last word of a sentence, and in a song these would not be heard.
    """
    spans = list(zip(tokens, _list_spans(bounds), strict=True))
    vowels = [own[first:end] for token, (first, end) in spans if token.part is Part.NUCLEUS]
    middle = float(np.percentile(np.concatenate(vowels), MIDDLE_PERCENTILE)) if vowels else 0.0
    floor = np.full(len(own), NONE)
    for token, (first, end) in spans:
        if token.part is Part.NUCLEUS:
            floor[first:end] = middle - VOWEL_BELOW_MIDDLE
        elif token.part in (Part.ONSET, Part.CODA):
            floor[first:end] = middle - CONSONANT_BELOW_MIDDLE
    window = np.hanning(SOFTENED)
    soft = np.convolve(np.maximum(floor, -6), window / window.sum(), "same")
    return np.maximum(own, np.where(floor > NONE, soft, NONE)).astype(np.float32)[None]


def _list_spans(bounds: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield where each token is heard, in half frames."""
    for first, end in pairwise(bounds[1:-1]):
        yield max(2 * first - SHIFT, 0), max(2 * end - SHIFT, 0)


def sing_line(
    notes: Sequence[Note], kokoro: Kokoro, voices: Voices, voice: Voice, seed: int
) -> tuple[int, Samples]:
    """Return the sample of the song at which the line begins, and its samples (n,)."""
    tokens = list_tokens(notes)
    asked = _build_question(tokens, voices, voice.timbre)
    (own,) = kokoro.plan(asked, ["own_durations"])
    lengths, begin = plan_lengths(notes, tokens, own.tolist()[1:-1])
    frames = (LEAD, *lengths, AFTER)
    asked["durations"] = np.array(frames, np.int64)
    tone, energy = kokoro.plan(asked, ["own_tone", "own_energy"])
    bounds = [*accumulate(frames, initial=0)]
    tones = [tone for note in notes for tone in note.held.tones]
    hertz = find_hertz(tones, list_moments(begin, bounds[-1]), voice, seed)
    asked["tone"] = draw_tone(tone[0], hertz, tokens, bounds)
    asked["energy"] = lift_energy(energy[0], tokens, bounds)
    sound = _silence_edges(resample(kokoro.sing(asked)), bounds[-1])
    return round(begin * RATE), _level(sound)


def speak_line(
    notes: Sequence[Note], kokoro: Kokoro, voices: Voices, voice: Voice, longest: float
) -> Samples:
    """Speak the notes' words as the voice does, without the notes' times and pitches: (n,).

    It speaks faster where that brings them near to the `longest` seconds.
    """
    asked = _build_question(list_tokens(notes), voices, voice.timbre)
    (own,) = kokoro.plan(asked, ["own_durations"])
    haste = max(FASTEST, min(1.0, longest / (own[1:-1].sum() * FRAME)))
    asked["durations"] = np.maximum(1, np.round(own * haste)).astype(np.int64)
    tone, energy = kokoro.plan(asked, ["own_tone", "own_energy"])
    sound = kokoro.sing(asked | {"tone": tone, "energy": energy})
    return _trim(_level(resample(sound)))


def _build_question(tokens: Sequence[Token], voices: Voices, voice: str) -> dict[str, Array]:
    """Return what the model is asked first: the signs' numbers, and the voice for a text of this length."""
    numbers = [EDGE, *(voices.symbols[token.sign] for token in tokens), EDGE]
    rows = voices.styles[voice]
    return {
        "tokens": np.array([numbers], np.int64),
        "style": rows[min(len(tokens), len(rows)) - 1][None].astype(np.float32),
        "speed": np.ones(1, np.float32),
        "durations": np.ones(len(numbers), np.int64),
    }


def resample(sound: Samples) -> Samples:
    """Convert samples at `KOKORO_RATE` to samples at `RATE`, by their spectrum."""
    unit = 160  # of which both rates make whole numbers
    padded = np.pad(sound, (0, -len(sound) % unit))
    count = len(padded) * RATE // KOKORO_RATE
    spectrum = np.fft.rfft(padded)
    wider = np.zeros(count // 2 + 1, complex)
    wider[: len(spectrum)] = spectrum
    wanted = round(len(sound) * RATE / KOKORO_RATE)
    return np.asarray(np.fft.irfft(wider, count)[:wanted] * (count / len(padded)), np.float32)


def _silence_edges(sound: Samples, frames: int) -> Samples:
    """Silence the sound before the first sign, and fade it out after the last."""
    end = int((frames - AFTER - TAIL + KEPT_TAIL) * FRAME * RATE) + FADE
    cut = sound[:end]
    cut[-FADE:] *= np.linspace(1, 0, len(cut[-FADE:]), dtype=np.float32)
    cut[: int((LEAD - KEPT_LEAD) * FRAME * RATE)] = 0
    return cut


def _trim(sound: Samples) -> Samples:
    """Cut off the silence before and after the sound."""
    (heard,) = np.nonzero(np.abs(sound) > AUDIBLE)
    return (
        sound[max(heard[0] - EDGE_SAMPLES, 0) : heard[-1] + EDGE_SAMPLES] if len(heard) else sound
    )


def _level(sound: Samples) -> Samples:
    heard = sound[np.abs(sound) > AUDIBLE]
    loud = float(np.sqrt(np.square(heard).mean())) if len(heard) else 0.0
    return sound * np.float32(LEVEL / loud) if loud else sound
