"""The input of each stage, from the brief and the products of earlier stages. Pure."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from pipeline_defs.pipeline import Products
from pipeline_defs.song_video.brief import Brief
from pipeline_defs.song_video.excerpt import excerpt
from pipeline_defs.song_video.products import Lyric, Song
from pipeline_defs.song_video.prompt import lyric_prompt
from resources.files.pictures import list_picture_references

_CAPTION_STYLE = Brief.model_fields["caption_style"].default
"""It is not named: what was ordered before there were several is still the same order."""


def lyric_input(brief: Brief, task_id: str, products: Products) -> Mapping[str, Any]:
    """The input of the lyric: the studio uses the facts, a chat model the prompt."""
    return {
        "seed": task_id,
        "customer_name": brief.customer_name,
        "region": brief.region,
        "detail_region_info": brief.detail_region_info,
        "language": brief.language,
        "genre": brief.genre,
        "duration_seconds": brief.duration_seconds,
        "prompt": lyric_prompt(brief),
    }


def own_lyric(brief: Brief, products: Products) -> Mapping[str, Any] | None:
    """The lyric of an order that has its own words; None where one has to be written."""
    return {"title": brief.customer_name, "text": brief.lyric} if brief.lyric else None


def song_input(brief: Brief, task_id: str, products: Products) -> Mapping[str, Any]:
    """The input of the song.

    One take is not named: what was ordered before there were several is still the same order.
    """
    lyric: Lyric = products["lyric"]
    return {
        "seed": task_id,
        "lyric": lyric.text,
        "title": lyric.title,
        "language": brief.language,
        "genre": brief.genre,
        "duration_seconds": brief.duration_seconds,
        "vocals": brief.vocals,
        "stems": brief.stems,
        **({"takes": brief.takes} if brief.takes > 1 else {}),
    }


def video_input(brief: Brief, task_id: str, products: Products) -> Mapping[str, Any]:
    """The input of the video of this song, or of an excerpt of the ordered length.

    The timeline counts from `song_start`, in seconds of the song. `song_fades`: the song continues after the
    video's end. `beat_seconds` and `sections` are set where they are known. `song_url` is the vendor's link.
    """
    song: Song = products["song"]
    part = excerpt(song, brief.duration_seconds)
    return {
        "seed": task_id,
        "customer_name": brief.customer_name,
        "region": brief.region,
        "detail_region_info": brief.detail_region_info,
        "call_to_action": " ".join(brief.call_to_action.split()),
        "language": brief.language,
        "orientation": brief.orientation,
        "genre": song.genre,
        "song": asdict(song.audio),
        "song_url": song.url,
        "song_start": part.start,
        "song_seconds": part.seconds,
        "song_fades": part.fades,
        "timeline": [line.model_dump() for line in part.timeline],
        "beat_seconds": part.beat_seconds,
        "sections": [section.model_dump() for section in part.sections],
        "images": [*list_picture_references(brief.model_dump(), ("images",), task_id)],
        **({"caption_style": brief.caption_style} if brief.caption_style != _CAPTION_STYLE else {}),
        **_brand(brief, task_id),
    }


def _brand(brief: Brief, task_id: str) -> Mapping[str, Any]:
    """What the film shows of the business's own look and how to reach it.

    What is not given is not named: what was ordered before there were such fields is still the same order.
    """
    texts = {name: getattr(brief, name) for name in ("phone", "address", "opening_hours", "link")}
    logo = next(list_picture_references(brief.model_dump(), ("logo",), task_id), None)
    given = {**texts, "brand_colors": [*brief.brand_colors], "logo": logo}
    return {name: value for name, value in given.items() if value}
