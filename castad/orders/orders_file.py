"""Parse and check orders from YAML and CSV files."""

import csv
import io
import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

import pipeline_defs
from castad.orders.approval import check_hold
from castad.orders.order_fields import ORDER_OPTIONS, check_order_options
from pipeline_defs.catalog import get_catalog
from pipeline_defs.fields import BriefField, list_order_fields
from pipeline_defs.pipeline import Pipeline
from resources.contract.errors import InvalidInputError
from resources.contract.written_text import normalize_to_nfc
from resources.process.settings import settings

_FOLDER = Path(pipeline_defs.__file__).parent
_APART = re.compile(r"[\W_]+")
# Other names that people use for columns, beyond the labels of the form.
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


def find_field(written: str, pipelines: Sequence[Pipeline]) -> str:
    """Find the field that a column names; return the text unchanged if none has this name."""
    for pipeline in pipelines:
        found = _read_field_names(pipeline.name).get(_fold(written))
        if found is not None:
            return found
    return written


def find_choice(pipeline: Pipeline, field: str, written: str) -> str:
    """Find the choice that a cell names in either language; return the text unchanged if it names none."""
    return _read_choices(pipeline.name).get((field, _fold(written)), written)


@lru_cache
def _read_field_names(name: str) -> Mapping[str, str]:
    pipeline, texts = get_catalog().get_pipeline(name), _read_form_texts(name)
    found: dict[str, str] = {}
    for field in list_order_fields(pipeline.order_model):
        labels = texts.get(f"field_{field.name}", {}).values()
        for each in (field.name, field.flag.name, *labels, *_OTHER_NAMES.get(field.name, ())):
            found.setdefault(_fold(each), field.name)
    return found


@lru_cache
def _read_choices(name: str) -> Mapping[tuple[str, str], str]:
    pipeline, texts = get_catalog().get_pipeline(name), _read_form_texts(name)
    return {
        (field.name, _fold(label)): value
        for field in list_order_fields(pipeline.order_model)
        for value in field.type.choices
        for label in (value, *texts.get(f"choice_{value}", {}).values())
    }


def _read_form_texts(name: str) -> Mapping[str, Mapping[str, str]]:
    """Read the texts of the pipeline's form; return {} if it has none."""
    file = _FOLDER / name / "page" / "texts.toml"
    return tomllib.loads(file.read_text("utf-8")) if file.is_file() else {}


def _fold(text: str) -> str:
    return _APART.sub("", text).casefold()


LARGEST_FILE = 5_000_000
MAX_ORDERS = 10_000
NO_MAPPING = "expected a mapping of field names to values"
_MAX_DEPTH = 10


@dataclass(frozen=True)
class TooWide:
    """A row with more cells than the header."""

    expected: int
    got: int

    @property
    def sentence(self) -> str:
        """The error of the row."""
        return f"expected {self.expected} cells, as the header has; got {self.got}"


@dataclass(frozen=True)
class RawOrder:
    """An unchecked order. `location` names it in messages: `orders.csv row 3`, or ''."""

    location: str
    content: Any

    @property
    def fields(self) -> Mapping[Any, Any]:
        """The fields by name; raises InvalidInputError if the content is no mapping."""
        if isinstance(self.content, TooWide):
            raise InvalidInputError(self.location, self.content.sentence)
        if not isinstance(self.content, Mapping):
            raise InvalidInputError(self.location, NO_MAPPING)
        return self.content


@dataclass(frozen=True)
class CheckedOrder:
    """A valid order; `payload` has every default filled in, `hold` has commas between the stages.

    `fixed` names the options that the submitter may not change once the order exists.
    """

    location: str
    task_id: str | None
    pipeline: Pipeline
    payload: Mapping[str, Any]
    max_retries: int | None = None
    priority: int | None = None
    not_before: datetime | None = None
    callback_url: str | None = None
    hold: str | None = None
    hold_seconds: int | None = None
    hold_then: str | None = None
    fixed: tuple[str, ...] = ()


def read_orders_file(path: Path) -> list[RawOrder]:
    """Read the unchecked orders of a YAML, JSON or CSV file; raise InvalidInputError."""
    kind = path.suffix.lower()
    if kind not in (".csv", ".yaml", ".yml", ".json"):
        raise InvalidInputError(path.name, "expected a .yaml or .csv file")
    text = _read_text(path)
    orders = (
        parse_csv_orders(text, path.name) if kind == ".csv" else parse_yaml_orders(text, path.name)
    )
    if not orders:
        raise InvalidInputError(path.name, "expected at least one order; the file has none")
    if len(orders) > MAX_ORDERS:
        raise InvalidInputError(path.name, f"expected at most {MAX_ORDERS:,} orders in one file")
    return orders


def _read_text(path: Path) -> str:
    try:
        if path.is_dir():
            raise InvalidInputError(path.name, "expected a file; this is a folder")
        with path.open("rb") as stream:
            content = stream.read(LARGEST_FILE + 1)
    except OSError as error:
        raise InvalidInputError(path.name, f"cannot be read: {error.strerror}") from None
    if len(content) > LARGEST_FILE:
        raise InvalidInputError(path.name, f"expected at most {LARGEST_FILE // 1_000_000} MB")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInputError(
            path.name, f"expected UTF-8 text; byte {error.start + 1} is not"
        ) from None


def parse_yaml_orders(text: str, name: str) -> list[RawOrder]:
    """Parse YAML text to its orders: one, or a list of them; raise InvalidInputError."""
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        _check_depth(text, name, loader)
        content = yaml.load(text, Loader=loader)  # noqa: S506 - both are safe loaders
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = "" if mark is None else f" in line {mark.line + 1}"
        raise InvalidInputError(name, f"expected YAML: {error.problem}{where}") from None
    except (yaml.YAMLError, ValueError, TypeError, RecursionError, OverflowError):
        raise InvalidInputError(name, "expected valid YAML") from None
    if isinstance(content, list):
        return [RawOrder(f"{name} entry {number}", each) for number, each in enumerate(content, 1)]
    return [] if content is None else [RawOrder(name, content)]


def _check_depth(text: str, name: str, loader: Any) -> None:
    """Check the depth of nesting: the C loader is recursive, and deep nesting would crash the process."""
    depth = 0
    for event in yaml.parse(text, Loader=loader):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > _MAX_DEPTH:
            raise InvalidInputError(name, f"expected YAML of at most {_MAX_DEPTH} levels")


def parse_csv_orders(text: str, name: str) -> list[RawOrder]:
    """Parse CSV text to its orders, one per row below the header in row 1; raise InvalidInputError.

    At most MAX_ORDERS + 1 are read, which shows the caller that there are too many. A row that is wider than the
    header becomes an order that is refused later with its location.
    """
    if not text.strip():
        return []
    rows = _read_csv_rows(text, name)
    header = _parse_header([normalize_to_nfc(cell) for cell in next(rows, [])], name)
    orders: list[RawOrder] = []
    for number, row in enumerate(rows, start=2):
        if any(row):
            is_wide = len(row) > len(header)
            content = TooWide(len(header), len(row)) if is_wide else _parse_row(header, row)
            orders.append(RawOrder(f"{name} row {number}", content))
        if len(orders) > MAX_ORDERS:
            break
    return orders


def _read_csv_rows(text: str, name: str) -> Iterator[list[str]]:
    """Yield the stripped cells of each row, none for a blank line."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        for cells in reader:
            yield [cell.strip() for cell in cells]
    except csv.Error as error:
        raise InvalidInputError(name, f"expected CSV: {error} in line {reader.line_num}") from None


def _parse_header(written: Sequence[str], name: str) -> Sequence[str]:
    cells = _name_columns(written)
    pipelines = list(get_catalog()) if "pipeline" in cells else [get_catalog().default]
    fields = [field for pipeline in pipelines for field in list_order_fields(pipeline.order_model)]
    columns = list(dict.fromkeys([*(field.name for field in fields), *ORDER_OPTIONS]))
    for cell in cells:
        if cell not in columns:
            raise InvalidInputError(
                name, f"unknown column {cell[:80]!r}; expected {', '.join(columns)}"
            )
        if cells.count(cell) > 1:
            raise InvalidInputError(name, f"expected each column once; {cell} is there twice")
    required = [field.name for field in fields if field.required]
    missing = [column for column in required if column not in cells]
    if missing and len(pipelines) == 1:
        raise InvalidInputError(name, f"missing column {', '.join(missing)}")
    return cells


def _name_columns(written: Sequence[str]) -> list[str]:
    """Find the field or option that each column names."""
    is_mixed = "pipeline" in [cell.strip().casefold() for cell in written]
    pipelines = list(get_catalog()) if is_mixed else [get_catalog().default]
    options = {option.casefold(): option for option in ORDER_OPTIONS}
    return [options.get(cell.strip().casefold()) or find_field(cell, pipelines) for cell in written]


def _parse_row(header: Sequence[str], row: Sequence[str]) -> dict[str, Any]:
    cells = zip(header, row, strict=False)  # what a short row leaves out is empty
    fields: dict[str, Any] = {column: cell for column, cell in cells if cell}
    pipeline = get_catalog().find_pipeline(fields.get("pipeline", "")) or get_catalog().default
    for field in list_order_fields(pipeline.order_model):
        if field.name in fields and field.type.choices:
            fields[field.name] = find_choice(pipeline, field.name, fields[field.name])
        elif field.name in fields:
            is_links = field.name in pipeline.uploads
            fields[field.name] = _parse_cell(field, fields[field.name], is_links=is_links)
    return fields


def _parse_cell(field: BriefField, cell: str, *, is_links: bool) -> Any:
    """Parse a cell: a list's entries are separated by `|`, links also by blanks; nested values are JSON."""
    if field.type.is_nested:
        with suppress(ValueError, RecursionError):
            return json.loads(cell)
        return cell
    if field.type.kind == "list":
        entries = cell.replace("|", " ").split() if is_links else cell.split("|")
        return [entry.strip() for entry in entries]
    return cell


def check_order(fields: Mapping[Any, Any], location: str = "") -> CheckedOrder:
    """Check an order and fill in every default; raise InvalidInputError naming location and field."""
    brief = {name: value for name, value in fields.items() if name not in ORDER_OPTIONS}
    try:
        order_options = check_order_options(fields)
        pipeline = get_catalog().get_pipeline(
            order_options.pop("pipeline", get_catalog().default.name)
        )
        payload = get_catalog().accept_order(pipeline, brief, settings())
        task_id = order_options.pop("task_id", None)
        options = check_hold(pipeline, order_options)
        return CheckedOrder(location, task_id, pipeline, payload, **options)
    except InvalidInputError as error:
        if not location:
            raise
        raise InvalidInputError(location, error.message, code=error.code) from None
