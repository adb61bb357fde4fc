"""The page's view of a song video: meter of the lyric, timed lines, and a caption to post. Pure."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice
from statistics import median
from typing import Any

from pipeline_defs.song_video.products import Song
from pipeline_defs.song_video.revisions import choose_take, list_takes
from studio.words import count_spoken, list_sung_lines, split_syllables

_LONGER = 1.5
"""A line with this many times the usual syllables has to be sung fast."""
_FEW = 4
"""This many syllables more than usual are not noticed."""
_CAPTION_LINES = 2
_LONGEST_DETAIL = 140
_NO_TAG = re.compile(r"[\W_]+")
_SHOP_TAGS = {"Korean": ("동네가게", "광고노래"), "English": ("shoplocal", "jingle")}


def held(stage: str, brief: Mapping[str, Any], product: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a person needs to approve this product: the lines of the lyric, or the timed takes of a song."""
    words = str(product.get("text", "")) if stage == "lyric" else ""
    return {"lines": measure_lines(words), "takes": _list_takes(product) if stage == "song" else []}


def _list_takes(product: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the takes, the used one first, each with its timed lines and its tempo (None if unknown)."""
    song = Song.model_validate(product)
    takes = [(take.id, choose_take(song, take.id)) for take in list_takes(song)]
    return [
        {
            "id": name,
            "lines": [
                {"text": line.text, "start": line.start, "end": line.end} for line in take.timeline
            ],
            "tempo": compute_tempo(take.beat_seconds),
        }
        for name, take in takes
    ]


def compute_tempo(beat_seconds: float | None) -> int | None:
    """Return the beats per minute; None if the beat is unknown."""
    return round(60 / beat_seconds) if beat_seconds else None


def result(
    brief: Mapping[str, Any], products: Mapping[str, Mapping[str, Any]]
) -> Mapping[str, Any]:
    """Return the fields that the page shows of a finished video."""
    lyric, song, video = products["lyric"], products["song"], products["video"]
    text = str(lyric["text"])
    return {
        "title": lyric["title"],
        "text": text,
        "caption": build_caption(brief, text),
        "tempo": compute_tempo(song.get("beat_seconds")),
        "is_vertical": video["height"] > video["width"],
        "seconds": video["seconds"],
    }


def measure_lines(text: str) -> list[Mapping[str, Any]]:
    """Return each line of the lyric with its syllable count; `is_hook` marks a repeated line."""
    lines = text.splitlines()
    sung = set(list_sung_lines(text))
    counts = [
        sum(map(count_spoken, split_syllables(line))) if line.strip() in sung else 0
        for line in lines
    ]
    usual = median([count for count in counts if count] or [0])
    often = Counter(
        _normalize_line(line) for line, count in zip(lines, counts, strict=True) if count
    )
    most = max([*counts, 1])
    return [
        {
            "text": line,
            "syllables": count,
            "most": most,
            "is_long": count > max(usual * _LONGER, usual + _FEW),
            "is_hook": count > 0 and often[_normalize_line(line)] > 1,
        }
        for line, count in zip(lines, counts, strict=True)
    ]


def _normalize_line(line: str) -> str:
    return _NO_TAG.sub(" ", line).strip().casefold()


def build_caption(brief: Mapping[str, Any], text: str) -> str:
    """Build the text to post with the video: hook, business, detail, contact and hashtags."""
    detail = " ".join(str(brief.get("detail_region_info", "")).split())
    parts = [
        "\n".join(_find_hook(text)),
        f"📍 {brief['customer_name']} · {brief['region']}",
        detail if len(detail) <= _LONGEST_DETAIL else f"{detail[: _LONGEST_DETAIL - 1]}…",
        str(brief.get("call_to_action", "")),
        "\n".join(_list_contacts(brief)),
        " ".join(f"#{tag}" for tag in build_hashtags(brief)),
    ]
    return "\n\n".join(part for part in parts if part)


def _list_contacts(brief: Mapping[str, Any]) -> list[str]:
    hours = " · ".join(str(brief.get("opening_hours", "")).splitlines())
    given = {
        "📞": brief.get("phone"),
        "🏠": brief.get("address"),
        "🕒": hours,
        "🔗": brief.get("link"),
    }
    return [f"{mark} {value}" for mark, value in given.items() if value]


def _find_hook(text: str) -> Sequence[str]:
    """Return the first repeated lines; without any, the first sung lines."""
    lines = measure_lines(text)
    chosen = [line for line in lines if line["is_hook"]] or [
        line for line in lines if line["syllables"]
    ]
    texts = {_normalize_line(line["text"]): line["text"].strip() for line in reversed(chosen)}
    return list(islice(reversed(texts.values()), _CAPTION_LINES))


def build_hashtags(brief: Mapping[str, Any]) -> list[str]:
    """Build hashtags of the business, its region and fixed words; letters and digits only, each once."""
    region = str(brief["region"])
    names = [str(brief["customer_name"]), region, *region.split()]
    tags = [*names, *_SHOP_TAGS.get(str(brief.get("language")), ())]
    return [tag for tag in dict.fromkeys(_NO_TAG.sub("", each) for each in tags) if tag]
