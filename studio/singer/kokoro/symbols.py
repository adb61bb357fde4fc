"""The sounds of English and Korean in the signs that Kokoro reads. Pure.

Its signs are IPA with a few letters of its own: A, I, O, W and Y are the diphthongs of day, my, go, now and boy, T
is the tap, ʤ and ʧ are one sign each (misaki's EN_PHONES.md). English comes as espeak-ng's names of phonemes,
Korean as Hangul that is read as it is written.
"""

from collections.abc import Sequence

from studio.singer.pronunciation import Letter

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


def english_signs(onset: Sequence[str], vowel: str, coda: Sequence[str], stress: str) -> Signs:
    """A syllable of espeak-ng's phonemes without their marks; `stress` is "'", "," or ""."""
    before, after = ("".join(map(_consonant, names)) for names in (onset, coda))
    return before, MARKS.get(stress, "") + VOWELS.get(vowel, NEUTRAL), after


def korean_signs(letter: str, before: str | None) -> Signs:
    """A Hangul letter; `before` is the coda before it in the same breath, None at its beginning."""
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


def _consonant(name: str) -> str:
    if (
        name in CONSONANTS or name in VOWELS
    ):  # a consonant may be spelled by a vowel's name, as in "l" of little
        return CONSONANTS.get(name) or VOWELS[name]
    return "".join(sign for sign in name if sign in PLAIN)
