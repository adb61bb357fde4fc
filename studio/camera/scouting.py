"""What to paint for a business, and which scene is seen in which shot. Pure.

The trade, the region and the music bring scenes to mind; a line is sung over the scene that it names. The words
are in `data/words/scenes.toml`.
"""

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from pydantic import Field

from studio.camera.scenes.compositions import find_scene
from studio.camera.shots import LONG_SECONDS, Section, Shot, get_manner
from studio.content import STRICT, cache_content, find_files, read_typed
from studio.timeline import Line
from studio.trades import find_trade

# So many scenes a trade has.
OWN = 3
# So many scenes has a film of no known trade that is not long.
FEWEST, MOST = 3, 4
# Of what it sings of a long film shows so many scenes before what suits any business.
MOST_SPOKEN = 3
# A scene is seen so often where there are enough of them, and no picture of it, which is a take, oftener.
SEEN = 2
# A scene that is asked for may be seen so many times more than the one that is seen least.
FAVOUR = 2
# Words of one syllable stand alone or before a particle; an English one has to be all of a word.
SHORT = r"(?<![가-힣])(?:{0})(?=[은는이가을를과와도의만에로]|[^가-힣]|$)"
WHOLE = r"\b(?:{0})s?\b"
# Names of places stand alone or before these: 안동 is not in 장안동.
SUFFIXES = (
    r"(?:특별자치도|특별자치시|특별시|광역시|시|군|구|도|동|면|읍|리|섬|역|입구|항|길|로|거리|시내|마을|"
    r"한옥마을|해변|해수욕장|해안|바다|앞바다|시장|공원|\d+가){0,3}"
)
# Lights out of focus say nothing by day: there the morning is seen instead.
LIGHTS, MORNING, OF_NIGHT = "lights", "morning", ("lights", "night")
Words = Annotated[tuple[str, ...], Field(min_length=1)]


@dataclass(frozen=True)
class Names:
    """Words that name something: Korean ones wherever they stand, short Korean ones, English ones."""

    __pydantic_config__ = STRICT

    korean: tuple[str, ...] = ()
    short: tuple[str, ...] = ()
    english: tuple[str, ...] = ()

    @property
    def pattern(self) -> str:
        """What finds any of them in a line in small letters."""
        short = SHORT.format(_join(self.short)) if self.short else ""
        english = WHOLE.format(_join(self.english)) if self.english else ""
        return "|".join(filter(None, (_join(self.korean), short, english)))


@dataclass(frozen=True)
class Place:
    """What in a region brings a scene to mind: names of places, kinds of places, English words."""

    __pydantic_config__ = STRICT

    names: Words
    kinds: Words
    english: Words

    @property
    def pattern(self) -> str:
        """What finds any of them in a region in small letters: "bay" is not meant by "Bayern"."""
        names, kinds, english = map(_join, (self.names, self.kinds, self.english))
        return rf"\b(?:{names}){SUFFIXES}\b|{kinds}|\b(?:{english})\b"


@dataclass(frozen=True)
class Choices:
    """Which scenes suit what, and the words that name them, as `data/words/scenes.toml` says."""

    __pydantic_config__ = STRICT

    neutral: Words
    spoken: tuple[str, ...]
    nightly: tuple[str, ...]
    beside: Mapping[str, str]
    houses: Mapping[str, re.Pattern[str]]
    moves: Mapping[str, str]
    places: Mapping[str, Place]
    named: Mapping[str, Names]
    things: Mapping[str, Names]


@dataclass(frozen=True)
class Brief:
    """What scenes are chosen by: the business, its place, what it tells of itself, and what is sung."""

    name: str
    region: str = ""
    detail: str = ""
    sung: str = ""


@cache_content
def load_choices() -> Choices:
    """Return which scenes suit what, and the words that name them."""
    return read_typed(find_files("words", ".toml")["scenes"], Choices)


def choose_scenes(
    brief: Brief, genre: str, seed: str, seconds: float = 20.0, shots: int = 0
) -> tuple[str, ...]:
    """Choose the scenes of a film, the same for the same words and seed: the trade's main scene first.

    A trade has three of its own; between and after them come the place's, what the lines name, and the genre's.
    Then come scenes that suit any business, as many as the shots demand; by night no morning.
    """
    choices = load_choices()
    chance = random.Random(f"scenes {seed}")  # noqa: S311
    trade = find_trade(brief.name, brief.detail)
    found: tuple[str, ...]
    own = [f"{trade}-{number}" for number in range(1, OWN + 1)]
    by_night = trade in choices.nightly
    usual = list(get_manner(genre).scenes)
    chance.shuffle(usual)
    if LIGHTS in usual and not by_night and not find_named(brief.sung, OF_NIGHT):
        usual = [*(scene for scene in usual if scene != LIGHTS), MORNING]
    long = seconds > LONG_SECONDS
    # A trade of the user's may have lyrics and no scenes.
    if trade and all(map(find_scene, own)):
        main, *others = own
        chance.shuffle(others)
        also = [choices.beside[trade]] if long and trade in choices.beside else []
        spoken = [choices.spoken[place] for place in find_named(brief.sung, choices.spoken)]
        spoken = spoken[: MOST_SPOKEN if long else 1]
        house = find_house(brief) if trade == "faith" else []
        places = find_places(brief.region)[:1]
        around = list(dict.fromkeys((*house, *places, *spoken, *also))) or usual[:1]
        found = main, others[0], *around[:1], others[1], *around[1:]
    else:
        places = find_places(brief.region)
        scenes = dict.fromkeys((*places[:2], *usual))
        main, *others = list(scenes)[: max(FEWEST, min(MOST, len(places) + 1))]
        chance.shuffle(others)
        found = main, *others
    neutral = [scene for scene in choices.neutral if scene != MORNING or not by_night]
    # One more than each shown `SEEN` times, so that the last shots find one that was not shown just before.
    enough = max(len(found), -(-shots // SEEN) + 1)
    return tuple(dict.fromkeys((*found, *usual, *neutral)))[:enough]


def list_moves(scenes: Sequence[str]) -> tuple[str, ...]:
    """List the camera's movements that suit these scenes."""
    moves = load_choices().moves
    return tuple(dict.fromkeys(moves[scene] for scene in scenes if scene in moves))


def cast(
    shots: Sequence[Shot], lines: Sequence[Line], sections: Sequence[Section], scenes: Sequence[str]
) -> tuple[Shot, ...]:
    """Give the shots the number of a picture each: the scene's place in `scenes`, and so many more for every take.

    The first scene is seen where the hook is sung. Neighbours show different scenes, where there are two.
    """
    hooks = find_hooks(lines, sections)
    seen = [0] * len(scenes)
    # At least as often as it is seen when all take turns.
    most = max(SEEN, -(-len(shots) // len(scenes)))
    before, found = -1, []
    for number, shot in enumerate(shots):
        free = [place for place in range(len(scenes)) if place != before] or [0]
        bound = min(min(seen[place] for place in free) + FAVOUR, most)
        line = _find_sung(shot, lines)
        wanted = [*find_named(line, scenes), *([0] if line in hooks else [])] if line else []
        asked = [place for place in wanted if place in free and seen[place] < bound]
        turn = min(free, key=lambda place: (seen[place], (place - number) % len(scenes)))
        before = asked[0] if asked else turn
        take = seen[before] // SEEN
        seen[before] += 1
        found.append(replace(shot, picture=take * len(scenes) + before))
    return tuple(found)


def _find_sung(shot: Shot, lines: Sequence[Line]) -> str:
    """Find the line that is sung longest during a shot; "" where none is sung."""
    lengths = [min(line.end, shot.end) - max(line.start, shot.start) for line in lines]
    longest = max(lengths, default=0.0)
    return lines[lengths.index(longest)].text if longest > 0 else ""


def find_hooks(lines: Sequence[Line], sections: Sequence[Section]) -> frozenset[str]:
    """Return the lines that choruses begin with; without sections, those that come again."""
    firsts = [
        next((line.text for line in lines if section.start - 0.5 <= line.start < section.end), "")
        for section in sections
        if section.kind == "chorus"
    ]
    texts = [line.text for line in lines]
    again = (text for text in texts if texts.count(text) > 1)
    return frozenset(filter(None, firsts)) or frozenset(again)


def find_named(text: str, scenes: Sequence[str]) -> list[int]:
    """Return the places of the scenes that a text names, those named first in front."""
    lowered = text.lower()
    found = {
        place: match.start()
        for place, scene in enumerate(scenes)
        if (pattern := get_pattern(scene)) and (match := re.search(pattern, lowered))
    }
    return sorted(found, key=lambda place: (found[place], place))


@cache_content
def get_pattern(scene: str) -> str:
    """Return a pattern of what names a scene, or the things in it, in small letters; "" if nothing does."""
    choices = load_choices()
    if scene in choices.named:
        return choices.named[scene].pattern
    composition = find_scene(scene)
    things = dict.fromkeys(put.thing for put in composition.things) if composition else ()
    return "|".join(choices.things[each].pattern for each in things if each in choices.things)


def _join(words: Sequence[str]) -> str:
    return "|".join(map(re.escape, words))


def find_house(brief: Brief) -> list[str]:
    """Return the house of the faith that the order names, if it names one."""
    text = f"{brief.name} {brief.detail}".casefold()
    return [house for house, words in load_choices().houses.items() if words.search(text)][:1]


def find_places(region: str) -> list[str]:
    """Return the scenes that a region brings to mind, the one named first in front."""
    text = region.casefold()
    found = {
        scene: match.start()
        for scene, place in load_choices().places.items()
        if (match := re.search(place.pattern, text))
    }
    return sorted(found, key=lambda scene: found[scene])
