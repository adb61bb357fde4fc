"""A phrase as Kokoro reads it: its signs one by one, each with its syllable and part of it. Pure.

The signs are IPA with a few letters of their own: A, I, O, W and Y are the diphthongs of day, my, go, now and boy,
T is the tap, ʤ and ʧ are one sign each (misaki's EN_PHONES.md). English comes as espeak-ng's names of phonemes,
Korean as Hangul that is read as it is written.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from itertools import pairwise

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
    deal_out_word,
    hold_syllables,
)

VOWELS = {
    "a": "æ", "aa": "æ", "a#": "ə", "A:": "ɑ", "A": "ɑ", "0": "ɑ", "0#": "ə", "O:": "ɔ", "O": "ɔ", "O2": "ɔ",
    "A@": "ɑɹ", "O@": "ɔɹ", "o@": "ɔɹ", "E": "ɛ", "e@": "ɛɹ", "I": "ɪ", "I2": "ɪ", "I#": "ɪ", "i": "i", "i:": "i",
    "i@": "iə", "i@3": "ɪɹ", "U": "ʊ", "u:": "u", "u": "u", "U@": "ʊɹ", "V": "ʌ", "3:": "ɜɹ", "3": "əɹ", "@": "ə",
    "@2": "ə", "@5": "ə", "@L": "ᵊl", "eI": "A", "aI": "I", "oU": "O", "aU": "W", "OI": "Y", "aI@": "Iə",
    "aI3": "Iəɹ", "aU@": "Wəɹ", "VR": "ɜɹ", "IR": "ɜɹ",
}  # fmt: skip
CONSONANTS = {
    "t2": "t", "t#": "T", "T": "θ", "D": "ð", "S": "ʃ", "Z": "ʒ", "tS": "ʧ", "dZ": "ʤ", "N": "ŋ", "r": "ɹ",
    "r-": "ɹ", "*": "ɾ", "g": "ɡ", "n-": "n", "l/": "l", "L": "l", "w#": "w", "x": "h", "C": "h",
}  # fmt: skip
PLAIN = frozenset("bdfhjklmnpstvwz")
NEUTRAL = "ə"
MARKS = {"'": "ˈ", ",": "ˌ"}
ONSETS = {
    "ㄱ": "k", "ㄲ": "k", "ㄴ": "n", "ㄷ": "t", "ㄸ": "t", "ㄹ": "ɾ", "ㅁ": "m", "ㅂ": "p", "ㅃ": "p", "ㅅ": "s",
    "ㅆ": "s", "ㅇ": "", "ㅈ": "ʨ", "ㅉ": "ʨ", "ㅊ": "ʨʰ", "ㅋ": "kʰ", "ㅌ": "tʰ", "ㅍ": "pʰ", "ㅎ": "h",
}  # fmt: skip
VOICED = {"ㄱ": "ɡ", "ㄷ": "d", "ㅂ": "b", "ㅈ": "ʥ"}
"""Plain stops after a voiced sound, where only so they differ from tense ones, which have no sign."""
AFTER_VOICE = frozenset(" ㄴㄹㅁㅇ")
NUCLEI = {
    "ㅏ": ("", "a"), "ㅐ": ("", "ɛ"), "ㅑ": ("j", "a"), "ㅒ": ("j", "ɛ"), "ㅓ": ("", "ʌ"), "ㅔ": ("", "e"),
    "ㅕ": ("j", "ʌ"), "ㅖ": ("j", "e"), "ㅗ": ("", "o"), "ㅘ": ("w", "a"), "ㅙ": ("w", "ɛ"), "ㅚ": ("w", "e"),
    "ㅛ": ("j", "o"), "ㅜ": ("", "u"), "ㅝ": ("w", "ʌ"), "ㅞ": ("w", "e"), "ㅟ": ("w", "i"), "ㅠ": ("j", "u"),
    "ㅡ": ("", "ɯ"), "ㅢ": ("", "ɯi"), "ㅣ": ("", "i"),
}  # fmt: skip
CODAS = {" ": "", "ㄱ": "k", "ㄴ": "n", "ㄷ": "t", "ㄹ": "l", "ㅁ": "m", "ㅂ": "p", "ㅇ": "ŋ"}
Signs = tuple[str, str, str]
"""What is before the vowel of a syllable, the vowel with its stress, and what is after it."""
REST, SPACE, END = ",", " ", "."
MOST_TOKENS = 500
"""The model takes 510, and two of them are the edges."""


def write_korean(letter: str, before: str | None) -> Signs:
    """Write a Hangul letter; `before` is the coda before it in the same breath, None at its beginning."""
    parts = Letter.of(letter)
    onset = "l" if parts.onset == before == "ㄹ" else ONSETS[parts.onset]
    if before is not None and before in AFTER_VOICE:
        onset = VOICED.get(parts.onset, onset)
    glide, vowel = NUCLEI[parts.vowel]
    if parts.onset in "ㅅㅆ" and (vowel == "i" or glide == "j"):
        onset, glide = "ɕ", glide.replace("j", "")
    if parts.onset in "ㅈㅉㅊ":
        glide = glide.replace("j", "")
    return onset + glide, vowel, CODAS[parts.coda]


def _write_consonant(name: str) -> str:
    # A consonant may be spelled by a vowel's name, as in "l" of little.
    if name in CONSONANTS or name in VOWELS:
        return CONSONANTS.get(name) or VOWELS[name]
    return "".join(sign for sign in name if sign in PLAIN)


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
        for sung, letter in _split_letters(word):
            signs = write_korean(letter, coda)
            coda = Letter.of(letter).coda
            ends = _is_word_end(phrase, sung)
            notes += [Note(signs, held, ends) for held in hold_syllables(phrase, [sung])]
            if ends and not phrase[sung.last - 1].text.endswith(" "):
                coda = None
    return notes


def _split_letters(word: Word) -> Iterator[tuple[Sung, str]]:
    count, room = len(word.text), word.last - word.first
    for number, letter in enumerate(word.text):
        if count <= room:
            first, last = (word.first + place * room // count for place in (number, number + 1))
            yield Sung((), "a", (), KOREAN, first, last), letter
        else:
            yield Sung((), "a", (), KOREAN, word.first, word.first + 1, number, count), letter


def _is_word_end(phrase: Phrase, sung: Sung) -> bool:
    text = phrase[sung.last - 1].text
    return text.strip() != text or not text[-1:].isalnum()


def _write_english_word(phrase: Phrase, word: Word, names: Sequence[str]) -> Iterator[Note]:
    stresses = _list_stresses(names)
    syllables = deal_out_word(word, names)
    for number, sung in enumerate(syllables):
        stress = stresses[number] if number < len(stresses) else ""
        before, after = ("".join(map(_write_consonant, part)) for part in (sung.onset, sung.coda))
        signs = (before, MARKS.get(stress, "") + VOWELS.get(sung.vowel, NEUTRAL), after)
        for held in hold_syllables(phrase, [sung]):
            yield Note(signs, held, number + 1 == len(syllables))


def _list_stresses(names: Sequence[str]) -> list[str]:
    """Return the mark of stress of each vowel, or ""."""
    return [
        name[0] if name[0] in STRESS else ""
        for name in names
        if name[0] not in "_(" and VOWEL.match(name.lstrip(STRESS))
    ]
