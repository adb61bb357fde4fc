"""Soft warnings about an order, before it is made. Pure."""

from collections.abc import Iterator, Mapping

from pipeline_defs.pipeline import Remark
from pipeline_defs.song_video.brief import Brief
from resources.contract.written_text import is_longer_than
from studio.characters import find_undrawable
from studio.genres import choose_genre

_STUDIO = "studio"
_LONG_NAME = 24
"""Characters that a name may have and still be set large on a phone."""


def remarks(brief: Brief, makers: Mapping[str, str]) -> list[Remark]:
    """What a person may want to change; the order is made all the same."""
    return [*_of_genre(brief, makers), *_of_name(brief), *_of_undrawable(brief, makers)]


def _of_genre(brief: Brief, makers: Mapping[str, str]) -> Iterator[Remark]:
    nearest, unknown = choose_genre(brief.genre)
    if unknown and makers.get("song") == _STUDIO:
        yield Remark("genre_not_played", unknown, {"nearest": nearest.name})


def _of_name(brief: Brief) -> Iterator[Remark]:
    if is_longer_than(brief.customer_name, _LONG_NAME):
        yield Remark(
            "long_name",
            f"customer_name: over {_LONG_NAME} characters are set small, and sung fast",
        )


def _of_undrawable(brief: Brief, makers: Mapping[str, str]) -> Iterator[Remark]:
    missing = find_undrawable("".join(_shown(brief))) if makers.get("video") == _STUDIO else ""
    if missing:
        yield Remark(
            "characters_not_drawn", f"the film leaves out: {missing}", {"missing": missing}
        )


def _shown(brief: Brief) -> tuple[str, ...]:
    """What a film shows: on its cards, and in captions the own words or those that are written of the details."""
    on_cards = (brief.customer_name, brief.region, brief.call_to_action)
    contact = (brief.phone, brief.address, brief.opening_hours, brief.link)
    return (*on_cards, *contact, brief.lyric or brief.detail_region_info)
