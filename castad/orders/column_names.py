"""The columns of a file of orders, as people write them: in either language, in any case, with blanks."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import pipeline_defs
from pipeline_defs.catalog import get_catalog
from pipeline_defs.fields import list_order_fields
from pipeline_defs.pipeline import Pipeline

_FOLDER = Path(pipeline_defs.__file__).parent
_APART = re.compile(r"[\W_]+")
# What people call some columns beyond the labels of the form.
_OTHER_NAMES: Mapping[str, Sequence[str]] = {
    "customer_name": (
        "상호",
        "상호명",
        "가게",
        "가게명",
        "가게 이름",
        "업체명",
        "이름",
        "shop",
        "business",
    ),
    "region": ("지역", "위치", "동네", "장소", "place"),
    "detail_region_info": ("설명", "소개", "특징", "about", "details"),
    "language": ("언어",),
    "orientation": ("방향", "화면", "화면 방향"),
    "genre": ("장르", "음악", "분위기"),
    "images": ("사진", "이미지", "photos", "pictures"),
    "duration_seconds": ("길이", "초", "시간", "seconds"),
    "phone": ("전화", "전화번호", "연락처"),
    "address": ("주소",),
    "opening_hours": ("영업시간", "영업 시간"),
    "link": ("링크", "홈페이지"),
}


def field_named(written: str, pipelines: Sequence[Pipeline]) -> str:
    """Return the field that a column is about; the text as it is where no field is called so."""
    for pipeline in pipelines:
        found = _names_of(pipeline.name).get(_plain(written))
        if found is not None:
            return found
    return written


def value_meant(pipeline: Pipeline, field: str, written: str) -> str:
    """Return the choice that a cell names in either language; the text as it is where it names none."""
    return _choices_of(pipeline.name).get((field, _plain(written)), written)


@lru_cache
def _names_of(name: str) -> Mapping[str, str]:
    pipeline, texts = get_catalog().get_pipeline(name), _texts(name)
    found: dict[str, str] = {}
    for field in list_order_fields(pipeline.order_model):
        labels = texts.get(f"field_{field.name}", {}).values()
        for each in (field.name, field.flag.name, *labels, *_OTHER_NAMES.get(field.name, ())):
            found.setdefault(_plain(each), field.name)
    return found


@lru_cache
def _choices_of(name: str) -> Mapping[tuple[str, str], str]:
    pipeline, texts = get_catalog().get_pipeline(name), _texts(name)
    return {
        (field.name, _plain(label)): value
        for field in list_order_fields(pipeline.order_model)
        for value in field.type.choices
        for label in (value, *texts.get(f"choice_{value}", {}).values())
    }


def _texts(name: str) -> Mapping[str, Mapping[str, str]]:
    """Return the texts of the pipeline's form; none where it has none."""
    file = _FOLDER / name / "page" / "texts.toml"
    return tomllib.loads(file.read_text("utf-8")) if file.is_file() else {}


def _plain(text: str) -> str:
    return _APART.sub("", text).casefold()
