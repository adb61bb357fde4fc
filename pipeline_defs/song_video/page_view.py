"""The page's view of a song video: meter of the lyric, timed lines, and a caption to post. Pure."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice
from statistics import median
from typing import Any

from pipeline_defs.song_video.products import Song
from pipeline_defs.song_video.revisions import choose_take, list_takes
from studio.words import SECTION_MARK, count_spoken, list_sung_lines, split_syllables

_FITS: Mapping[str, tuple[float, int]] = {"good": (1.25, 2), "tight": (1.5, 4)}
"""How long a line may be beside the usual one, as a multiple or in syllables more; a longer one is sung fast."""
_SECTIONS = {
    "spoken": ("spoken", "narration", "내레이션", "나레이션"),
    "pre_chorus": ("pre-chorus", "pre chorus", "prechorus", "프리"),
    "chorus": ("chorus", "hook", "refrain", "drop", "후렴", "코러스"),
    "bridge": ("bridge", "브릿지", "브리지"),
    "intro": ("intro", "인트로", "전주"),
    "outro": ("outro", "아웃트로", "후주"),
    "break": ("break", "interlude", "간주"),
    "verse": ("verse", "벌스", "절"),
}
"""The words by which a mark such as "[Verse 2]" names its section; the first section that is named wins."""
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
        "name": brief.get("customer_name", ""),
        "used": _list_used_files(song),
        "seconds": video["seconds"],
    }


def _list_used_files(song: Mapping[str, Any]) -> list[str]:
    """Return the names of the files of the take that the film uses; empty if there is only one take."""
    files = song.get("files", ())
    if len(song.get("songs", ())) < 2:
        return []
    base = str(files[song.get("used", 0)]["name"]).rpartition(".")[0]
    return [str(each["name"]) for each in files if str(each["name"]).rpartition(".")[0] == base]


def measure_lines(text: str) -> list[Mapping[str, Any]]:
    """Return each line of the lyric with its fit to the melody: good, tight, long, or "" for what is not sung.

    `section` is that of a mark such as "[Verse 2]"; `is_hook` marks a repeated line.
    """
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
    return [
        {
            "text": line,
            "syllables": count,
            "fit": _find_fit(count, usual),
            "section": _find_section(line.strip()),
            "is_hook": count > 0 and often[_normalize_line(line)] > 1,
        }
        for line, count in zip(lines, counts, strict=True)
    ]


def _find_fit(count: int, usual: float) -> str:
    if not count:
        return ""
    fits = (name for name, (by, more) in _FITS.items() if count <= max(usual * by, usual + more))
    return next(fits, "long")


def _find_section(line: str) -> str:
    """Return the section that a mark names; "" for another line."""
    if not SECTION_MARK.fullmatch(line):
        return ""
    named = line.lower()
    found = (name for name, words in _SECTIONS.items() if any(word in named for word in words))
    return next(found, "")


def _normalize_line(line: str) -> str:
    return _NO_TAG.sub(" ", line).strip().casefold()


def build_caption(brief: Mapping[str, Any], text: str) -> str:
    """Build the text to post with the video: hook, business, detail, contact and hashtags."""
    detail = " ".join(str(brief.get("detail_region_info", "")).split())
    contacts = {
        "📞": brief.get("phone"),
        "🏠": brief.get("address"),
        "🕒": " · ".join(str(brief.get("opening_hours", "")).splitlines()),
        "🔗": brief.get("link"),
    }
    parts = [
        "\n".join(_find_hook(text)),
        f"📍 {brief['customer_name']} · {brief['region']}",
        detail if len(detail) <= _LONGEST_DETAIL else f"{detail[: _LONGEST_DETAIL - 1]}…",
        str(brief.get("call_to_action", "")),
        "\n".join(f"{mark} {value}" for mark, value in contacts.items() if value),
        " ".join(f"#{tag}" for tag in build_hashtags(brief)),
    ]
    return "\n\n".join(part for part in parts if part)


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
