"""When a film's title card and end card are there, in seconds. Pure."""

from dataclasses import dataclass

SHORTEST_TITLE, LONGEST_TITLE = 2.0, 4.0
Span = tuple[float, float]


@dataclass(frozen=True)
class EndTimes:
    """How long an end card lasts: at least this share of the film, between `shortest` and `enough`.

    Where the singing leaves less, the card is shown above the captions; where it leaves more, it is there until
    it has been there for the `longest` time.
    """

    share: float
    shortest: float
    enough: float
    longest: float


CALL_ALONE = EndTimes(0.27, 2.6, 3.2, 4.5)
WITH_DETAILS = EndTimes(0.27, 3.0, 6.0, 7.5)


def card_spans(sung: Span | None, seconds: float, times: EndTimes) -> tuple[Span, Span]:
    """Title and end card of a film that is sung in this span; an empty title where there is time for one only."""
    if seconds < SHORTEST_TITLE + times.shortest:
        return (0.0, 0.0), (0.0, seconds)
    first, last = sung or (LONGEST_TITLE, 0.0)
    latest = seconds - min(times.enough, max(times.shortest, times.share * seconds))
    opening = min(LONGEST_TITLE, latest, max(SHORTEST_TITLE, first))
    return (0.0, opening), (max(opening, min(last, latest), seconds - times.longest), seconds)
