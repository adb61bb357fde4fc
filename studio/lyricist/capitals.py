"""English phrases as they stand inside a sentence: without the capital that began the order's own. Pure."""

import re
from collections.abc import Sequence

PLAIN_WORD = re.compile(r"[A-Z][a-zé]+(?:-[a-zé]+)*|A")
CAPITAL = re.compile(r"(?<![A-Za-z'’-])[A-Z]")
NAMED = (
    "Monday Mondays Tuesday Tuesdays Wednesday Wednesdays Thursday Thursdays Friday Fridays Saturday Saturdays "
    "Sunday Sundays January February March April May June July August September October November December "
    "Christmas Easter Halloween Thanksgiving Ramadan Hanukkah Diwali Chuseok Seollal "
    "Korean American British English Irish Scottish Welsh French German Italian Spanish Portuguese Greek Turkish "
    "Swiss Austrian Dutch Belgian Danish Swedish Norwegian Finnish Polish Russian Ukrainian Czech Hungarian "
    "Chinese Japanese Taiwanese Cantonese Sichuan Thai Vietnamese Indian Nepalese Indonesian Malaysian Filipino "
    "Mexican Cuban Brazilian Peruvian Colombian Argentinian Canadian Australian Hawaiian Californian Texan "
    "Ethiopian Kenyan Moroccan Egyptian Lebanese Persian Israeli African Asian European Mediterranean Nordic "
    "Scandinavian Arabic Latin Neapolitan Roman Tuscan Sicilian Parisian Viennese Balinese "
    "Korea Japan China Italy France Spain Mexico Seoul Busan Jeju Jeonju Gangneung Gyeongju Sokcho Yeosu Daegu "
    "Gwangju Daejeon Incheon Hanwoo Tokyo Kyoto Paris London Rome Naples Chicago Texas Brooklyn Boston Guinness "
    "Instagram Bluetooth Netflix Kakao Naver Google Android Samsung Toyota Honda Ford Shimano "
    "Python Java Scratch"
)
NAMES = frozenset(NAMED.split())


def in_sentence(phrases: Sequence[str], named: str = "") -> list[str]:
    """The phrases, the first one without its capital where only the order's sentence gave it one.

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


def _begins_a_sentence(phrase: str, named: str) -> bool:
    """Whether its first word is a plain one, and the only one that has a capital but is not known as a name."""
    word, *others = phrase.split()
    known = NAMES.union(named.split())
    unknown = " ".join(other for other in others if other.strip(".,!?:;") not in known)
    return bool(PLAIN_WORD.fullmatch(word)) and word not in known and not CAPITAL.search(unknown)
