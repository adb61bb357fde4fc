"""Which painted scene is seen in which shot: what a line names, the trade's own where the hook is sung. Pure."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from studio.camera.cutting import LONG_SECONDS, Section
from studio.camera.shots import Shot
from studio.timeline import Line

# Every picture, which is a take of a scene, is seen so often before the next take of it is.
SEEN_OF_A_TAKE = 2
# A scene that is asked for may be seen so many times more than the one that is seen least, but in a long film no
# oftener than the number of shots and scenes demands.
FAVOUR = 2


def cast(
    shots: Sequence[Shot],
    lines: Sequence[Line],
    sections: Sequence[Section],
    scenes: Sequence[str],
    find_words: Callable[[str], str],
) -> tuple[Shot, ...]:
    """The shots with the number of a picture each: the scene's place in `scenes`, and so many more for every take.

    `find_words` gives the pattern that names what a scene shows. Neighbours differ where there are two scenes.
    """
    hooks = hooks_of(lines, sections)
    seen = [0] * len(scenes)
    chosen: list[int] = []
    most = _most(shots, len(scenes))
    for number, shot in enumerate(shots):
        before = chosen[-1] if chosen else -1
        free = [place for place in range(len(scenes)) if place != before] or [0]
        least = min(seen[place] for place in free)
        line = _sung(shot, lines)
        wanted = _wanted(line, hooks, scenes, find_words) if line else ()
        bound = min(least + FAVOUR, most)
        asked = [place for place in wanted if place in free and seen[place] < bound]
        turn = min(free, key=lambda place: (seen[place], (place - number) % len(scenes)))
        place = asked[0] if asked else turn
        chosen.append(place)
        seen[place] += 1
    return _taken(shots, chosen, len(scenes))


def hooks_of(lines: Sequence[Line], sections: Sequence[Section]) -> frozenset[str]:
    """The lines that choruses begin with; without sections, those that come again."""
    firsts = [
        next((line.text for line in lines if section.start - 0.5 <= line.start < section.end), "")
        for section in sections
        if section.kind == "chorus"
    ]
    texts = [line.text for line in lines]
    return frozenset(filter(None, firsts)) or frozenset(
        text for text in texts if texts.count(text) > 1
    )


def named_by(text: str, scenes: Sequence[str], find_words: Callable[[str], str]) -> list[int]:
    """The places of the scenes that a text names, those named first in front."""
    lowered = text.lower()
    found = {
        place: match.start()
        for place, scene in enumerate(scenes)
        if (words := find_words(scene)) and (match := re.search(words, lowered))
    }
    return sorted(found, key=lambda place: (found[place], place))


def _most(shots: Sequence[Shot], scenes: int) -> int:
    """How often lines may call for one scene: in a long film as often as it is seen when all take turns."""
    return -(-len(shots) // scenes) if shots and shots[-1].end > LONG_SECONDS else len(shots)


def _taken(shots: Sequence[Shot], chosen: Sequence[int], scenes: int) -> tuple[Shot, ...]:
    """The shots with the pictures of the chosen scenes, a new take of each whenever the last was seen enough."""
    counts = [0] * scenes
    found = []
    for shot, place in zip(shots, chosen, strict=True):
        take = counts[place] // SEEN_OF_A_TAKE
        counts[place] += 1
        found.append(replace(shot, picture=take * scenes + place))
    return tuple(found)


def _wanted(
    line: Line, hooks: frozenset[str], scenes: Sequence[str], find_words: Callable[[str], str]
) -> Sequence[int]:
    own = (0,) if line.text in hooks else ()
    return (*named_by(line.text, scenes, find_words), *own)


def _sung(shot: Shot, lines: Sequence[Line]) -> Line | None:
    """The line that is sung longest during a shot."""
    lengths = {
        number: min(line.end, shot.end) - max(line.start, shot.start)
        for number, line in enumerate(lines)
    }
    longest = max(lengths, key=lengths.__getitem__, default=None)
    return lines[longest] if longest is not None and lengths[longest] > 0 else None
