"""Texts, figures and remedies in the language of the page.

Each screen has a TOML file of texts, and so may each pipeline: a table per text with an entry per language.
"""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, get_args

from fastapi import Request
from markupsafe import Markup
from starlette.responses import Response

import pipeline_defs
from castad.views.order_list import OrderBody
from castad.views.status_body import StatusBody
from pipeline_defs.catalog import get_catalog
from pipeline_defs.pipeline import Pipeline
from resources.contract.errors import (
    InvalidInputError,
    UnknownSubmissionError,
    load_expectation_templates,
)
from resources.ledger.ledger_errors import ConflictError, DailyBudgetError
from resources.ledger.limits import SETTINGS
from resources.ledger.schema.tables import Status
from resources.views.order_body import ErrorBody

Language = Literal["ko", "en"]
LANGUAGES: tuple[Language, ...] = get_args(Language)
COOKIE = "castad_language"
_YEAR_SECONDS = 365 * 24 * 3600


def read_language(request: Request) -> Language:
    """Return the language from `?lang=`, else from the cookie, else from `Accept-Language`."""
    chosen = (request.query_params.get("lang"), request.cookies.get(COOKIE))
    return next(
        (known for each in chosen if (known := _find_language(each))), None
    ) or _read_accepted_language(request.headers.get("accept-language", ""))


def remember_choice(request: Request, response: Response) -> None:
    """Store a language chosen by `?lang=` in a cookie for later pages."""
    chosen = _find_language(request.query_params.get("lang"))
    if chosen:
        response.set_cookie(
            COOKIE, chosen, max_age=_YEAR_SECONDS, samesite="lax", httponly=True, path="/"
        )


def _read_accepted_language(header: str) -> Language:
    """Return the first known language of the header; else Korean, as the first users are Korean shops."""
    names = (part.partition(";")[0].strip().lower()[:2] for part in header.split(","))
    return next((known for name in names if (known := _find_language(name))), "ko")


def _find_language(name: str | None) -> Language | None:
    return next((language for language in LANGUAGES if language == name), None)


_FOLDER = Path(__file__).parent / "texts"
_PIPELINES = Path(pipeline_defs.__file__).parent
SCRIPT_PREFIX = "js_"
"""Texts of this prefix are also given to the page's script."""

Texts = Mapping[str, Mapping[Language, str]]


class TextError(ValueError):
    """A text that lacks a language, or whose name is there twice."""


def get_page_folder(pipeline: Pipeline) -> Path:
    """Return the folder of the pipeline's texts, result view and script."""
    return _PIPELINES / pipeline.name / "page"


@lru_cache
def read_site_texts() -> Texts:
    """Read the texts of all screens; raise TextError."""
    return _merge_texts(sorted(_FOLDER.glob("*.toml")))


@lru_cache
def read_pipeline_texts(name: str) -> Texts:
    """Read the texts of a pipeline, if it has any; raise TextError."""
    file = _PIPELINES / name / "page" / "texts.toml"
    return _merge_texts([file] if file.is_file() else [])


def _merge_texts(files: list[Path]) -> Texts:
    found: dict[str, Mapping[Language, str]] = {}
    for file in files:
        for name, text in _read_texts(file):
            if name in found:
                raise TextError(f"{file.name}: expected each text once; {name} is there twice")
            found[name] = text
    return found


def _read_texts(file: Path) -> Iterator[tuple[str, Mapping[Language, str]]]:
    for name, text in tomllib.loads(file.read_text("utf-8")).items():
        if not isinstance(text, dict) or set(text) != set(LANGUAGES) or not all(text.values()):
            raise TextError(f"{file.name}: {name}: expected a text in {' and '.join(LANGUAGES)}")
        yield name, text


@lru_cache
def _merge_page_texts(pipeline: str | None) -> Texts:
    """Merge the texts of the screens and of the pipeline, if one is given."""
    return {**read_site_texts(), **(read_pipeline_texts(pipeline) if pipeline else {})}


class Translator:
    """The texts in one language; those of a pipeline come first."""

    def __init__(self, language: Language, pipeline: str | None = None) -> None:
        self.language = language
        self.pipeline = pipeline
        self._texts = _merge_page_texts(pipeline)

    def __call__(self, name: str, /, **values: object) -> str:
        """Return the text of this name with these values; raise KeyError for an unknown name."""
        text = self._texts[name][self.language]
        return text.format(**values) if values else text

    def find(self, name: str, fallback: str) -> str:
        """Return the text of this name, or the fallback."""
        found = self._texts.get(name)
        return fallback if found is None else found[self.language]

    def list_with_prefix(self, prefix: str) -> Mapping[str, str]:
        """Return the texts whose names begin with the prefix, sorted by the rest of the name."""
        names = sorted(name for name in self._texts if name.startswith(prefix))
        return {name.removeprefix(prefix): self._texts[name][self.language] for name in names}

    def list_script_texts(self) -> Mapping[str, str]:
        """Return the texts for the page's script by name, without the prefix."""
        return self.list_with_prefix(SCRIPT_PREFIX)


def list_pipeline_kinds(language: Language) -> Mapping[str, str]:
    """Return a word for what each pipeline makes, by the pipeline's name."""
    return {
        each.name: Translator(language, each.name).find("kind", each.title)
        for each in get_catalog()
    }


def get_translator(request: Request, pipeline: str | None = None) -> Translator:
    """Return the texts in the language of the request."""
    return Translator(read_language(request), pipeline)


_CODE = Markup("<code>{}</code>")
_TIME = Markup('<time datetime="{}">{}</time>')
_MINUTE, _HOUR, _DAY = 60, 3600, 86_400


def format_dollars(amount: float) -> str:
    """Format US dollars with two digits, or four below a cent: $0, $0.0004, $0.06, $12.40."""
    if amount == 0:
        return "$0"
    return f"${amount:.4f}" if abs(amount) < 0.01 else f"${amount:,.2f}"


def format_duration(seconds: float | None, language: Language) -> str:
    """Format a duration in its two largest units, None as a dash. The page's script does the same."""
    if seconds is None:
        return "–"
    if seconds < 9.95:
        return _format_unit("seconds", f"{seconds:.1f}".removesuffix(".0"), language)
    whole = round(seconds)
    if whole < _MINUTE:
        return _format_unit("seconds", whole, language)
    if whole < _HOUR:
        return _format_two(("minutes", *divmod(whole, _MINUTE)), "seconds", language)
    if whole < _DAY:
        return _format_two(("hours", *divmod(whole // _MINUTE, 60)), "minutes", language)
    return _format_unit("days", round(whole / _DAY), language)


def _format_two(large: tuple[str, int, int], small: str, language: Language) -> str:
    name, count, rest = large
    shown = _format_unit(name, count, language)
    return f"{shown} {_format_unit(small, rest, language)}" if rest else shown


def _format_unit(name: str, count: object, language: Language) -> str:
    return Translator(language)(f"js_{name}", n=count)


def format_moment(at: datetime) -> str:
    """Format a time with its zone, which is UTC."""
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def mark_moment(at: datetime | None) -> Markup:
    """Mark a time as such, "" for None; a script shows it in the reader's zone, and names that."""
    if at is None:
        return Markup()
    return _TIME.format(f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}", format_moment(at))


def format_age(created: datetime, language: Language) -> str:
    """Format how long ago this was."""
    return format_duration(max(0.0, (datetime.now(UTC) - created).total_seconds()), language)


def format_size(octets: int) -> str:
    """Format a file's size: 48 kB, 3.2 MB."""
    if octets < 1_000_000:
        return f"{max(1, round(octets / 1000))} kB"
    return f"{octets / 1_000_000:.1f} MB"


def format_megabytes(octets: int) -> str:
    """Format a limit in whole megabytes of 2^20 or of 10^6 bytes, whichever it is: 20 MB."""
    unit = 1_000_000 if octets % 1_000_000 == 0 else 1024**2
    return f"{octets // unit} MB"


def mark_code(text: str) -> Markup:
    """Escape the text and mark the parts between backticks as code."""
    parts = enumerate(text.split("`"))
    return Markup().join(_CODE.format(each) if number % 2 else each for number, each in parts)


_OTHER = "refusal_other"
_OTHER_EXPECTATIONS = {
    "expected at least 1 visible character": "expected_visible",
    "expected a color of six hexadecimal digits, such as #e4572e": "expected_colour",
    "expected at least 1 line to sing": "expected_sung_line",
    "expected JSON": "expected_json",
    "expected a JPEG, PNG or WebP picture, and this is none or is damaged": "expected_picture",
    "expected a JPEG, PNG or WebP picture, and this is a video": "expected_picture",
    "expected a JPEG, PNG or WebP picture, and this is {kind}": "expected_picture_kind",
    "the picture is damaged or cut short": "expected_whole_picture",
    "the picture is larger than {megabytes} MB": "expected_smaller_file",
    "the picture is larger than {side} pixels on a side or {pixels} megapixels": "expected_smaller_picture",
    "expected a link that begins with https:// or http:// and has no user name": "expected_link",
    "expected a link that begins with https:// or http:// and has no user name "
    "(local files only through `castad make --image`)": "expected_link",
    "expected at most {most} characters; a Korean one counts as three": "expected_shorter_link",
    "expected a phone number with at least {digits} digits": "expected_phone",
    "expected at most {most} lines, got {count}": "expected_fewer_lines",
    "expected at most {most} lines to sing, got {count}": "expected_fewer_lines",
    "expected at most {most} characters in a line, got one of {count}": "expected_shorter_line",
    "expected at most {most} characters in the spoken line, got one of {count}": "expected_shorter_line",
    "expected plain text, got the invisible mark {code} at position {at}": "expected_plain_text",
    "expected plain text, got half a character {code} at position {at}": "expected_plain_text",
    "expected plain text, got the control character {code} at position {at}": "expected_plain_text",
    "expected {least} to {most} characters in one line": "expected_name",
    "expected a name without / that is not of dots alone": "expected_name_without_slash",
    "expected a photograph, or a note in words": "expected_photo_or_note",
    "expected {count} picture, got {given}": "expected_pictures",
    "expected {count} pictures, got {given}": "expected_pictures",
    "expected {least} to {most} pictures, got {given}": "expected_pictures_between",
    "expected a value of another type": "expected_other_type",
}


@dataclass(frozen=True)
class Refusal:
    """What a page says of a refusal; `detail` is the English sentence where the language has none.

    `file` names the file of a form that is meant.
    """

    code: str
    sentence: str
    detail: str = ""
    file: str = ""


def build_refusal(translate: Translator, code: str, detail: str) -> Refusal:
    """Build the refusal with this stable code and this English sentence.

    What a field expects is said in the page's language alone.
    """
    if code == InvalidInputError.code:
        said = detail.partition(": ")[2]
        for pattern, name in _list_expectations():
            if found := pattern.fullmatch(said):
                context = {
                    key: text.replace(" or ", ", ") for key, text in found.groupdict().items()
                }
                return Refusal(code, translate(name, **context))
    if translate.language == "en":
        return Refusal(code, detail)
    field = detail.partition(": ")[0]
    if code == ConflictError.code and field != ConflictError.field:
        return Refusal(code, translate("refusal_conflict_option", field=field))
    said = translate.find(f"refusal_{code}", translate.find(f"code_{code}", ""))
    if said and code != InvalidInputError.code:
        return Refusal(code, said)
    return Refusal(code, said or translate(_OTHER), detail)


@lru_cache(maxsize=1)
def _list_expectations() -> list[tuple[re.Pattern[str], str]]:
    """List the patterns of the English sentences, with the name of the text that says the same."""
    sentences = {
        **{
            text: f"expected_{kind}"
            for kind, text in reversed([*load_expectation_templates().items()])
        },
        **_OTHER_EXPECTATIONS,
    }
    patterns = []
    for sentence, name in sentences.items():
        # The context is a number, or a list of quoted choices.
        pattern = re.escape(sentence).replace(r"\{expected\}", "(?P<expected>'.+')")
        pattern = re.sub(r"\\{(\w+)\\}", r"(?P<\1>\\S+)", pattern)
        if name in read_site_texts():
            patterns.append((re.compile(pattern), name))
    return patterns


def find_operators_remedy(translate: Translator, code: str) -> str:
    """Return what an operator can do about an error of this code; "" for a code that is unknown."""
    return translate.find(f"remedy_{code}", "")


Act = Literal["retry", "order_again", "resolve"]

_PICTURES = (
    *("image_unreachable", "invalid_image", "invalid_picture", "no_picture", "picture_missing"),
    *("private_address", "bad_download"),
)
_WRITTEN_ANEW = ("invalid_payload", "duplicate")
_PICTURE_TEXT = "pictures"
_WAITS = ("slot", "permit", "final_status", "order")


@dataclass(frozen=True)
class Remedy:
    """One sentence, and the one thing that helps; `label` is on its button, `code` is stable."""

    sentence: str
    act: Act
    label: str
    code: str
    told: str


def find_remedy(status: StatusBody, translate: Translator, *, is_admin: bool) -> Remedy | None:
    """Return the remedy for a work without a result or with a submission in doubt; None for others."""
    code = "" if status.error is None else status.error.code
    is_doubtful = (
        code == UnknownSubmissionError.code and status.overall_status is not Status.COMPLETED
    )
    if status.overall_status not in (Status.DEAD, Status.CANCELED) and not is_doubtful:
        return None
    why = build_error_sentence(status.error, translate)
    sentence = translate("work_canceled") if why is None else why.sentence
    # An owner who reads Korean gets no English; an admin needs the vendor's message to settle it with the vendor.
    told = ""
    if status.error is not None and (translate.language == "en" or is_admin):
        told = status.error.message or ""
    act, label = _choose_act(code, translate, is_admin=is_admin)
    return Remedy(sentence, act, label, code, told if told != sentence else "")


def format_failure(order: OrderBody, language: Language) -> str:
    """Return the sentence for the code of the order's error; "" without an error."""
    said = build_error_sentence(order.error, Translator(language, order.pipeline))
    return "" if said is None else said.sentence


def build_error_sentence(error: ErrorBody | None, translate: Translator) -> Refusal | None:
    """Return the sentence for the error's code, else its message, in English only; None without an error."""
    if error is None:
        return None
    code, told = error.code, error.message or ""
    other = find_code_sentence(code, translate) or translate("code_other")
    is_said = translate.language == "en" and told and not translate.find(_name_code_text(code), "")
    return Refusal(code, told if is_said else other)


def find_code_sentence(code: str, translate: Translator) -> str:
    """Return the sentence that says what the code means; "" for an unknown code."""
    return translate.find(_name_code_text(code), translate.find(f"refusal_{code}", ""))


def _name_code_text(code: str) -> str:
    return f"code_{_PICTURE_TEXT if code in _PICTURES else code}"


def _choose_act(code: str, translate: Translator, *, is_admin: bool) -> tuple[Act, str]:
    """Return the act and its label; a pipeline's text `fix_<code>` asks for a changed order."""
    if code == UnknownSubmissionError.code and is_admin:
        return "resolve", translate("act_resolve")
    if code in _PICTURES:
        return "order_again", translate(f"act_{_PICTURE_TEXT}")
    own = translate.find(f"fix_{code}", "")
    if own or code in _WRITTEN_ANEW:
        return "order_again", own or translate("act_order_again")
    return "retry", translate("act_retry")


def build_waiting_sentence(status: StatusBody, translate: Translator) -> str | None:
    """Return what a pending work waits for, or None."""
    if status.waits_for is None:
        planned = status.scheduled_at if status.attempt == 0 else None
        return None if planned is None else translate("wait_scheduled", time=format_moment(planned))
    kind, _, _ = status.waits_for.partition(":")
    if kind in _WAITS:
        ahead = status.orders_ahead
        return translate(f"wait_{kind}") if not ahead else translate("wait_ahead", n=ahead)
    if status.waits_for in (SETTINGS, DailyBudgetError.BUDGET):
        return translate(f"wait_{status.waits_for}")
    return translate("wait_paused", provider=status.waits_for)


def get_paused_provider(status: StatusBody) -> str | None:
    """Return the paused provider, or the used-up budget, that the work waits for."""
    waits = status.waits_for
    return None if waits is None or ":" in waits or waits == SETTINGS else waits


def build_retry_sentence(status: StatusBody, translate: Translator) -> str | None:
    """Return when a failed work is retried, or None if it is not."""
    if status.overall_status is not Status.FAILED or status.next_retry_in_seconds is None:
        return None
    return translate(
        "tried_again", time=format_duration(status.next_retry_in_seconds, translate.language)
    )


FILTERS: Mapping[str, Callable[..., Any]] = {
    "age": format_age,
    "dollars": format_dollars,
    "duration": format_duration,
    "failure": format_failure,
    "megabytes": format_megabytes,
    "moment": mark_moment,
    "size": format_size,
    "with_code": mark_code,
}
"""The filters of the templates."""
