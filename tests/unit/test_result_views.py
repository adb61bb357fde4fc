"""Every pipeline's own view of what it has made."""

from collections.abc import Mapping
from typing import Any

import pytest

from castad.web.pages import _load_environment
from castad.web.words import LANGUAGES, Language, Translator
from castad.web.work_view import FileView, Finished, call_view, find_own_template
from pipeline_defs.catalog import get_catalog

HOSTILE = "<script>alert(1)</script>"
PRODUCTS: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "song_video": {
        "lyric": {"title": HOSTILE, "text": HOSTILE},
        "song": {"beat_seconds": 0.5},
        "video": {"width": 1080, "height": 1920, "seconds": 10},
    },
    "image": {
        "prepare": {"files": [{"name": "in.jpg", "media_type": "image/jpeg"}]},
        "deliver": {
            "pictures": [{"name": "out.png", "label": HOSTILE, "width": 1, "height": 1, "bytes": 1}]
        },
    },
    "analysis": {
        "resolve": {"owner": "psf", "name": HOSTILE, "sha": "0" * 40},
        "analyse": {
            "file_count": 1234,
            "code_lines": 5,
            "test_count": 6,
            "languages": {f"L{number}": 10.0 for number in range(10)},
            "frameworks": {"pytest": 6},
        },
        "record": {"files": [{"name": "report.html"}]},
    },
    "scan": {
        "vision": {"major_category": HOSTILE, "middle_category": "캔"},
        "answer": {"disposal_steps": {"단계1": HOSTILE}, "user_answer": HOSTILE},
        "reward": {"reward": {"name": HOSTILE, "dialog": "", "match_reason": ""}},
    },
}
BRIEF = {"customer_name": HOSTILE, "region": HOSTILE, "language": "Korean", "note": HOSTILE}
SHOWN = {
    "song_video": 'src="/video.mp4"',
    "image": '<img src="/out.png"',
    "analysis": '<strong class="number">1,234</strong>',
    "scan": '<li dir="auto">&lt;script',
}


def shown(name: str, language: Language, *, is_shared: bool = False) -> str:
    pipeline = get_catalog().get_pipeline(name)
    view = call_view(pipeline, "result", BRIEF, PRODUCTS[name])
    template = find_own_template(pipeline, "result", view)
    assert template
    kinds = {"video.mp4": "video", "out.png": "image", "report.html": "text"}
    files = [
        FileView(name=file, label=file, kind=kind, media_type="", bytes=1, url=f"/{file}", stage="")
        for file, kind in kinds.items()
    ]
    finished = Finished(files=files, cover=None, facts=(), offers=(), view=view, template=template)
    return (
        _load_environment()
        .get_template(template)
        .render(
            t=Translator(language, name),
            language=language,
            finished=finished,
            view=view,
            is_shared=is_shared,
        )
    )


def test_every_pipeline_has_a_view():
    assert {each.name for each in get_catalog()} == set(PRODUCTS)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", PRODUCTS)
def test_view_shows_what_was_made_and_escapes_it(name, language):
    page = shown(name, language)
    assert SHOWN[name] in page
    assert "<script" not in page


def test_shared_view_has_no_caption_to_post():
    assert 'id="caption"' in shown("song_video", "en")
    assert 'id="caption"' not in shown("song_video", "en", is_shared=True)


def test_view_of_products_that_do_not_fit_is_left_out():
    assert call_view(get_catalog().get_pipeline("scan"), "result", BRIEF, {}) is None
