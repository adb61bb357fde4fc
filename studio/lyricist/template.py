"""What can stand in a sung line, and the little language in which lines are written (docs/content.md). Pure.

`{name}`, `{region}`, `{fact}` and `{more}`, a second fact, are places for an order's own words; `{name|은/는}`
adds the particle that fits them. `<words>` may be left out, to fit the line's time. `(요)` is sung in the
polite register only, `(예요|야)` is the polite and the plain form. ` / ` parts the two lines of a couplet.
`[one|two]` stands for one of its choices, which is drawn once for a song; a choice may hold all of the other
marks, even ` / `.
"""

import re
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from itertools import product
from math import prod
from operator import eq

from studio.content import cache_content, read_words
from studio.korean import add_particle, find_final
from studio.words import count_each, split_syllables

HANGUL = re.compile(r"[가-힣]")
# Section marks are written in brackets, captions in braces and backslashes: none of them is sung.
KEPT_MARKS = frozenset(" '’‘\"“”&+-–—.,!?():;%/·…~$¡¿、。")
END_MARKS = " ,.!?…;:~、。"
# Letters by category, but drawn as nothing.
INVISIBLE = frozenset("\u115f\u1160\u3164\uffa0\u2800")
VARIATION_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef\u180b-\u180f]")
# 'Ｃａｆｅ' and '𝓒𝓪𝓯𝓮' are ordinary letters in costume.
COSTUMED = re.compile("[\uff01-\uff5e\U0001d400-\U0001d7ff]")
MOST_SYLLABLES_OF_REGION = 10
KOREAN_NUMBER = re.compile(r"(?<=\s)(?:산\s?)?\d+(?:-\d+)*(?:번지|호|층|(?<=\d{3})동)?,?(?=\s|$)")
ENGLISH_NUMBER = re.compile(
    r"^\d+[a-z]?\s+(?=(?:\w+\s+){1,3}(?:st|street|ave|avenue|rd|road|lane|drive|blvd)\b)", re.I
)
PLAIN_WORD = re.compile(r"[A-Z][a-zé]+(?:-[a-zé]+)*|A")
CAPITAL_LETTER = re.compile(r"(?<![A-Za-z'’-])[A-Z]")

CHOICES = re.compile(r"\[([^\[\]]*)\]")
# Those particles that are no endings of other words, behind a bracket.
BEFORE_PARTICLE = re.compile(r"\[([^\[\]]*)\]([은을를])(?![가-힣])")
# Between two choices, not inside of `(예요|야)` or `{name|은/는}`.
BETWEEN_CHOICES = re.compile(r"\|(?![^({]*[)}])")
BETWEEN_LINES = " / "
PLACE = re.compile(r"\{(name|region|fact|more)(?:\|([^}]+))?\}")
ANY_PLACE = re.compile(r"\{([^{}|]*)(?:\|[^{}]*)?\}")
OPTION = re.compile(r"<([^<>]*)>")
REGISTER = re.compile(r"\(([^()|]*)(?:\|([^()]*))?\)")
MARKS = re.compile(r"[\[\]{}<>()|]")
# What begins a line of a list, not of a song.
BULLET = re.compile(r"(?:[-–—*•·]|\d{1,2}[.)])\s")
FIRST_WORD = re.compile(r"[^\W\d_]+")
WORD = re.compile(r"\w+")
# How a line begins that keeps its capital inside of another, besides English names.
CAPITAL = re.compile(r"I\b|Monday|Grandma|[A-Z]{2}|[A-Z]\S*\s[A-Z]")
# How a Korean line ends that the next one continues: with a particle, as a condition, before its noun.
LEANING = re.compile(
    r"(?:[고면서게듯도은는이가을를에로와과며만니때땐엔의던한운처럼란인린든진난간온갠된될할갈볼컷]|(?<!햇)살|까지|부터|마다|대로|다가|자마자|으러|"
    r"려고|하나|지만|니까|쯤|[가-힣]{2}히)$"
)
PLAIN_PARTICLES = {"이에요/예요": "이야/야"}


def count_syllables(line: str) -> int:
    """Count the syllables that are sung in a line."""
    return sum(count_each(split_syllables(line)))


def keep_singable(text: str) -> str:
    """Return a text in one line and in composed form, without what is neither read aloud nor drawn.

    Gone are emoji, symbols, controls, brackets, braces and backslashes; "" where no letter or digit remains.
    """
    plain = COSTUMED.sub(lambda match: unicodedata.normalize("NFKC", match[0]), text)
    composed = unicodedata.normalize("NFC", VARIATION_SELECTORS.sub("", plain))
    kept = "".join(character if _is_kept(character) else " " for character in composed)
    words = filter(None, map(_strip_stray_marks, kept.split()))
    line = unicodedata.normalize("NFC", " ".join(words))
    return line if any(character.isalnum() for character in line) else ""


def strip_end_marks(line: str) -> str:
    """Return a name as it stands inside of a sentence, where its own full stop would end it."""
    return line.rstrip(END_MARKS)


def shorten_region(text: str) -> str:
    """Return the region without a house number, short enough to be sung.

    Of a long one it is the nearest part, which Korean names last, others first.
    """
    numbered = keep_singable(text)
    number = KOREAN_NUMBER if HANGUL.search(numbered) else ENGLISH_NUMBER
    region = strip_end_marks(" ".join(number.sub("", numbered).split()))
    if count_syllables(region) <= MOST_SYLLABLES_OF_REGION:
        return region
    part = region if HANGUL.search(region) else region.split(",")[0]
    return strip_end_marks(" ".join(drop_words(part, MOST_SYLLABLES_OF_REGION)))


def drop_words(text: str, most: float) -> list[str]:
    """Return the words of a text without those that are too many syllables; a Korean one keeps its end."""
    words, korean = text.split(), HANGUL.search(text)
    while len(words) > 1 and count_syllables(" ".join(words)) > most:
        words = words[1:] if korean else words[:-1]
    return words


def lower_first(phrases: Sequence[str], named: str = "") -> list[str]:
    """Return English phrases, the first one without its capital where only the order's sentence gave it one.

    That is where a later phrase begins with a small letter, or where one phrase is all and its other words are
    small. Names, days, months, nationalities and words of the text `named` keep theirs.
    """
    if not phrases or not phrases[0]:
        return [*phrases]
    first, *others = phrases
    small = any(phrase[:1].islower() for phrase in others) if others else " " in first
    if not small or not _begins_a_sentence(first, named):
        return [*phrases]
    return [first[0].lower() + first[1:], *others]


@cache_content
def get_capitals() -> frozenset[str]:
    """Return the English words that keep their capital inside of a sentence."""
    return frozenset(read_words("english")["names"])


def _begins_a_sentence(phrase: str, named: str) -> bool:
    """Return whether its first word is a plain one, and the only one that has a capital and is no known name."""
    word, *others = phrase.split()
    known = get_capitals().union(named.split())
    unknown = " ".join(other for other in others if other.strip(".,!?:;") not in known)
    return (
        bool(PLAIN_WORD.fullmatch(word))
        and word not in known
        and not CAPITAL_LETTER.search(unknown)
    )


def _strip_stray_marks(word: str) -> str:
    """Return the word from its first character on that is not to be drawn over another."""
    bases = [unicodedata.category(character)[0] != "M" for character in word]
    return word[bases.index(True) :] if any(bases) else ""


def _is_kept(character: str) -> bool:
    if character in INVISIBLE:
        return False
    category = unicodedata.category(character)
    return character in KEPT_MARKS or category[0] in "LN" or category in ("Mn", "Mc")


def draw(template: str, choose: Callable[[Sequence[str]], str]) -> str:
    """Return the template with one of the choices of each bracket."""
    return CHOICES.sub(lambda bracket: choose(BETWEEN_CHOICES.split(bracket[1])), template)


@lru_cache(maxsize=4096)
def count_ways(couplet: str) -> tuple[int, ...]:
    """Count the different texts that can be drawn of each line of a couplet."""
    spanning = prod(map(_count_choices, filter(_is_spanning, CHOICES.findall(couplet))))
    apart = CHOICES.sub(
        lambda bracket: BETWEEN_LINES if _is_spanning(bracket[1]) else bracket[0], couplet
    )
    return tuple(
        spanning * prod(map(_count_choices, CHOICES.findall(line))) for line in split_couplet(apart)
    )


def split_couplet(couplet: str) -> tuple[str, ...]:
    """Return the templates of a couplet's lines."""
    return tuple(couplet.split(BETWEEN_LINES))


def fill(template: str, values: Mapping[str, str], polite: bool) -> list[str]:
    """Return every way to sing a template with these values, which are themselves never read as a template.

    There is none where it wants a particle behind a value whose end has no known reading, nor where a word of a
    value would stand beside the same word.
    """
    wanted = {place[1] for place in PLACE.finditer(template) if place[2]}
    if any(find_final(values[place]) is None for place in wanted):
        return []
    lines = ((each, _fill(each, values, polite)) for each in _find_variants(template, polite))
    return [line for variant, line in lines if not _repeats_value(line, variant, values)]


def _repeats_value(line: str, variant: str, values: Mapping[str, str]) -> bool:
    """Return whether a word stands twice in a row where it does so neither in the template nor in a value."""
    meant = (PLACE.sub(r"\1", variant), *(values[place[1]] for place in PLACE.finditer(variant)))
    repeated = _count_repeated(line)
    return repeated > 0 and repeated > sum(map(_count_repeated, meant))


def _count_repeated(text: str) -> int:
    words = WORD.findall(text.casefold())
    return sum(map(eq, words, words[1:]))


def join_lines(first: str, second: str) -> str:
    """Join two lines to one, with a comma where the first is no beginning of the second."""
    if HANGUL.search(second):
        leans = LEANING.search(first) or not HANGUL.search(first[-1])
        return f"{first}{'' if leans else ','} {second}"
    named = FIRST_WORD.match(second)
    kept = CAPITAL.match(second) or (named and named[0] in get_capitals())
    lowered = second if kept else second[0].lower() + second[1:]
    return f"{first}{'' if first[-1] in ',.!?' else ','} {lowered}"


def find_fault(template: str, lines: int, places: Collection[str], needed: Collection[str]) -> str:
    """Return what a template should have and has not, or "" where it is well written.

    It has so many lines; its places are among `places`, and the `needed` ones stand in its first line.
    """
    if BULLET.match(template):
        return "a line without a bullet or a number before it"
    apart = CHOICES.sub("\0", template)
    brackets = [BETWEEN_CHOICES.split(choices) for choices in CHOICES.findall(template)]
    fragments = [apart, *(choice for choices in brackets for choice in choices)]
    if any(len({choice.count(BETWEEN_LINES) for choice in choices}) > 1 for choices in brackets):
        return f"as many {BETWEEN_LINES!r} in each choice of a bracket"
    first_choices = iter([choices[0] for choices in brackets])
    plain = re.sub("\0", lambda _: next(first_choices), apart)
    sung = split_couplet(OPTION.sub("", REGISTER.sub("", plain)))
    if len(sung) != lines:
        return f"two lines, parted by {BETWEEN_LINES!r}" if lines == 2 else "one line"
    if not all(re.search(r"\w", line) for line in sung):
        return "a word in each line that is always sung"
    used = [place for fragment in fragments for place in PLACE.finditer(fragment)]
    named = [place for fragment in fragments for place in ANY_PLACE.findall(fragment)]
    if any(place not in places for place in named):
        return f"no places but {', '.join(map('{{{}}}'.format, places))}"
    if any(MARKS.search(_strip_marks(fragment)) for fragment in fragments):
        return "marks in pairs, as [one|two], <words>, (요), (예요|야), {name} and {name|은/는}"
    if any(place[2] and place[2].count("/") != 1 for place in used):
        return "the two forms of a particle, as {name|은/는}"
    if any(not _fits_each(bracket) for bracket in BEFORE_PARTICLE.finditer(template)):
        return "a particle that fits each choice, or one inside of the bracket, as [봄을|노래를]"
    missing = [place for place in needed if f"{{{place}" not in split_couplet(plain)[0]]
    return f"{{{missing[0]}}} in the first line" if missing else ""


def _strip_marks(fragment: str) -> str:
    return OPTION.sub("", PLACE.sub("", REGISTER.sub("", fragment)))


def _fits_each(bracket: re.Match[str]) -> bool:
    """Return whether the particle behind a bracket fits each of its choices that ends in Hangul."""
    ends = [choice[-1:] for choice in BETWEEN_CHOICES.split(bracket[1])]
    finals = [find_final(end) for end in ends if HANGUL.fullmatch(end)]
    return all((final == "") == (bracket[2] == "를") for final in finals)


def _is_spanning(choices: str) -> bool:
    return BETWEEN_LINES in choices


def _count_choices(bracket: str) -> int:
    return len(set(BETWEEN_CHOICES.split(bracket)))


def _fill(variant: str, values: Mapping[str, str], polite: bool) -> str:
    def fill_place(place: re.Match[str]) -> str:
        value, particle = values[place[1]], place[2]
        if not particle:
            return value
        return add_particle(value, particle if polite else PLAIN_PARTICLES.get(particle, particle))

    return PLACE.sub(fill_place, variant)


@lru_cache(maxsize=4096)
def _find_variants(template: str, polite: bool) -> tuple[str, ...]:
    """Return the template in one register, with and without each of its optional parts."""
    spoken = REGISTER.sub(lambda form: form[1] if polite else form[2] or "", template)
    pieces = OPTION.split(spoken)
    choices = [("", piece) if number % 2 else (piece,) for number, piece in enumerate(pieces)]
    return tuple(_tidy("".join(choice)) for choice in product(*choices))


def _tidy(line: str) -> str:
    close = re.sub(r"\s+([,!?.:])", r"\1", " ".join(line.split())).replace(",,", ",").rstrip(",")
    return close[:1].upper() + close[1:]
