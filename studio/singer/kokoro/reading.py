"""What Kokoro sings on each note of a phrase: words, their syllables by sound, and the signs of these. Pure."""

from collections.abc import Iterator, Mapping, Sequence

from studio.singer.kokoro.symbols import english_signs, korean_signs
from studio.singer.kokoro.tokens import Note
from studio.singer.phrase import Phrase
from studio.singer.placing import held_syllables
from studio.singer.pronunciation import Letter
from studio.singer.reading import (
    HANGUL,
    KOREAN,
    STRESS,
    VOWEL,
    Sung,
    Word,
    sung_syllables,
    words_of,
)


def words_in(phrases: Sequence[Phrase], language: str) -> list[list[Word]]:
    """The words of each phrase."""
    return [words_of([syllable.text for syllable in phrase], language) for phrase in phrases]


def spelled_words(words: Sequence[Sequence[Word]]) -> list[str]:
    """The words that espeak-ng has to spell, each once and in order."""
    return sorted({word.text for phrase in words for word in phrase if not is_hangul(word)})


def is_hangul(word: Word) -> bool:
    """Whether a word is read letter by letter."""
    return word.language == KOREAN and all(map(HANGUL.fullmatch, word.text))


def notes_of(
    phrase: Phrase, words: Sequence[Word], spelled: Mapping[str, Sequence[str]]
) -> list[Note]:
    """The phrase's notes; `spelled` has the phonemes of each word that is not Hangul."""
    notes: list[Note] = []
    coda: str | None = None
    for word in words:
        if not is_hangul(word):
            notes += _english(phrase, word, spelled[word.text])
            coda = None
            continue
        for sung, letter in _letters(word):
            signs = korean_signs(letter, coda)
            coda = Letter.of(letter).coda
            ends = _ends_word(phrase, sung)
            notes += [Note(signs, held, ends) for held in held_syllables(phrase, [sung])]
            if ends and not phrase[sung.last - 1].text.endswith(" "):
                coda = None
    return notes


def _letters(word: Word) -> Iterator[tuple[Sung, str]]:
    count, room = len(word.text), word.last - word.first
    for number, letter in enumerate(word.text):
        if count <= room:
            first, last = (word.first + place * room // count for place in (number, number + 1))
            yield Sung((), "a", (), KOREAN, first, last), letter
        else:
            yield Sung((), "a", (), KOREAN, word.first, word.first + 1, number, count), letter


def _ends_word(phrase: Phrase, sung: Sung) -> bool:
    text = phrase[sung.last - 1].text
    return text.strip() != text or not text[-1:].isalnum()


def _english(phrase: Phrase, word: Word, names: Sequence[str]) -> Iterator[Note]:
    stresses = _stresses(names)
    syllables = sung_syllables(word, names)
    for number, sung in enumerate(syllables):
        stress = stresses[number] if number < len(stresses) else ""
        signs = english_signs(sung.onset, sung.vowel, sung.coda, stress)
        for held in held_syllables(phrase, [sung]):
            yield Note(signs, held, number + 1 == len(syllables))


def _stresses(names: Sequence[str]) -> list[str]:
    """The mark of stress of each vowel, or ""."""
    return [
        name[0] if name[0] in STRESS else ""
        for name in names
        if name[0] not in "_(" and VOWEL.match(name.lstrip(STRESS))
    ]
