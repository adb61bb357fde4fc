"""What the pages show of a song video beside its files: the words' meter, and a caption to post. Pure."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice
from statistics import median
from typing import Any

from pipeline_defs.song_video.products import Song
from pipeline_defs.song_video.revisions import choose, takes_of
from studio.words import count_spoken, list_sung_lines, split_syllables

_LONGER = 1.5
"""A line with so many times the usual syllables has to be sung hastily."""
_FEW = 4
"""So many syllables more than usual are noticed in no line."""
_CAPTION_LINES = 2
_LONGEST_DETAIL = 140
_NO_TAG = re.compile(r"[\W_]+")
_SHOP_TAGS = {"Korean": ("동네가게", "광고노래"), "English": ("shoplocal", "jingle")}


def held(stage: str, brief: Mapping[str, Any], product: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a person looks at who approves this product: the lines of the words, or when they are sung."""
    words = str(product.get("text", "")) if stage == "lyric" else ""
    return {"lines": metered(words), "takes": _heard(product) if stage == "song" else []}


def _heard(product: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Each take, the used one first: when its lines are sung, and its tempo where that is known."""
    song = Song.model_validate(product)
    takes = [(take.id, choose(song, take.id)) for take in takes_of(song)]
    return [
        {
            "id": name,
            "lines": [
                {"text": line.text, "start": line.start, "end": line.end} for line in take.timeline
            ],
            "tempo": tempo(take.beat_seconds),
        }
        for name, take in takes
    ]


def tempo(beat_seconds: float | None) -> int | None:
    """Beats a minute."""
    return round(60 / beat_seconds) if beat_seconds else None


def result(
    brief: Mapping[str, Any], products: Mapping[str, Mapping[str, Any]]
) -> Mapping[str, Any]:
    """What is shown of a finished work."""
    lyric, song, video = products["lyric"], products["song"], products["video"]
    text = str(lyric["text"])
    return {
        "title": lyric["title"],
        "text": text,
        "caption": caption(brief, text),
        "tempo": tempo(song.get("beat_seconds")),
        "is_vertical": video["height"] > video["width"],
        "seconds": video["seconds"],
    }


def metered(text: str) -> list[Mapping[str, Any]]:
    """Each line of the words, and its syllables where it is sung; `is_hook` is a line that comes again."""
    lines = text.splitlines()
    sung = set(list_sung_lines(text))
    counts = [_syllables(line) if line.strip() in sung else 0 for line in lines]
    usual = median([count for count in counts if count] or [0])
    often = Counter(_spoken(line) for line, count in zip(lines, counts, strict=True) if count)
    most = max([*counts, 1])
    return [
        {
            "text": line,
            "syllables": count,
            "most": most,
            "is_long": count > max(usual * _LONGER, usual + _FEW),
            "is_hook": count > 0 and often[_spoken(line)] > 1,
        }
        for line, count in zip(lines, counts, strict=True)
    ]


def _syllables(line: str) -> int:
    return sum(count_spoken(piece) for piece in split_syllables(line))


def _spoken(line: str) -> str:
    return _NO_TAG.sub(" ", line).strip().casefold()


def caption(brief: Mapping[str, Any], text: str) -> str:
    """What to write under the film where it is posted: the hook, the shop, what is special, and hashtags."""
    detail = " ".join(str(brief.get("detail_region_info", "")).split())
    parts = [
        "\n".join(_hook(text)),
        f"📍 {brief['customer_name']} · {brief['region']}",
        detail if len(detail) <= _LONGEST_DETAIL else f"{detail[: _LONGEST_DETAIL - 1]}…",
        str(brief.get("call_to_action", "")),
        "\n".join(_contact(brief)),
        " ".join(f"#{tag}" for tag in hashtags(brief)),
    ]
    return "\n\n".join(part for part in parts if part)


def _contact(brief: Mapping[str, Any]) -> list[str]:
    """How to reach the business, a line each."""
    hours = " · ".join(str(brief.get("opening_hours", "")).splitlines())
    given = {
        "📞": brief.get("phone"),
        "🏠": brief.get("address"),
        "🕒": hours,
        "🔗": brief.get("link"),
    }
    return [f"{mark} {value}" for mark, value in given.items() if value]


def _hook(text: str) -> Sequence[str]:
    """The lines that come again, else the first ones."""
    lines = metered(text)
    chosen = [line for line in lines if line["is_hook"]] or [
        line for line in lines if line["syllables"]
    ]
    texts = {_spoken(line["text"]): line["text"].strip() for line in reversed(chosen)}
    return list(islice(reversed(texts.values()), _CAPTION_LINES))


def hashtags(brief: Mapping[str, Any]) -> list[str]:
    """The shop, its place, and what such posts are found by; letters and digits alone, each once."""
    region = str(brief["region"])
    names = [str(brief["customer_name"]), region, *region.split()]
    tags = [*names, *_SHOP_TAGS.get(str(brief.get("language")), ())]
    return [tag for tag in dict.fromkeys(_NO_TAG.sub("", each) for each in tags) if tag]
