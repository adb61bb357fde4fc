"""OpenAI's two makers. What holds for every vendor is tested in tests/contract."""

import base64
import io
import json
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from traceback import TracebackException
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from pipeline_defs.song_video.brief import Brief
from pipeline_defs.song_video.stage_inputs import build_lyric_input
from resources.contract.errors import (
    OutOfCreditsError,
    PermanentError,
    ProviderError,
    SubmissionFailedError,
    TransientError,
    UnknownSubmissionError,
)
from resources.contract.protocol import Receipt, Succeeded
from resources.http.vendor_client import VendorResponse
from resources.process.settings import settings as castad_settings
from resources.providers.openai.completions import (
    ENDINGS,
    TOKEN_FIELD,
    Ending,
    UnusableError,
    classify_ending,
    read_text,
)
from resources.providers.openai.lyricist import MOST_TOKENS_OUT, OpenAILyricist, read_lyric
from resources.providers.openai.structured import (
    LONGEST_TEXT,
    MOST_ITEMS,
    MisfitError,
    OpenAIStructured,
    count_picture_tokens,
    is_picture_refusal,
    read_object,
)
from resources.providers.openai.structured import MOST_TOKENS_OUT as MOST_OF_AN_OBJECT
from resources.providers.vendor import make_provider
from tests.contract.answer_rows import PAGES
from tests.contract.deals import error_of
from tests.fakes.faults import GARBAGE, Fault
from tests.fakes.openai import FakeOpenAI
from tests.tables import read_beside

KEY = "sk-canary-0123456789abcdef"
TOKEN = "token-of-this-submission"
CHEAP = 20_000
BRIEF = Brief(customer_name="스테이 머뭄", region="군산", detail_region_info="말랭이 마을")
JOB_INPUT = build_lyric_input(BRIEF, "order-1", {})
WORDS = "Title: 밤\n\n[Verse]\n" + "군산의 밤은 길고 바다는 가까워\n" * 5
REMARK = "Sorry, I can't help with that request because it names a real place."
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "kind": {"type": "string", "enum": ["유리병", "종이"]},
        "name": {"type": ["string", "null"]},
        "tags": {"type": "array", "items": {"type": "string"}},
        "parts": {
            "type": "object",
            "properties": {"lid": {"type": "string"}},
            "required": ["lid"],
            "additionalProperties": False,
        },
    },
    "required": ["kind", "name", "tags", "parts"],
    "additionalProperties": False,
}
OBJECT = {"kind": "종이", "name": None, "tags": ["젖음"], "parts": {"lid": "금속"}}
QUESTION: dict[str, Any] = {
    "prompt": {"system": "Say what it is.", "user": "소주병\nWhat is this?"},
    "schema": {"name": "classification", "schema": SCHEMA},
    "image": None,
    "most_tokens": 300,
    "note": "for another maker",
}
PICTURE = {"name": "images[0]", "where": "task/photo"}
SEEN = {**QUESTION, "image": PICTURE}


@pytest.fixture
def vendor(tmp_path: Path) -> Iterator[FakeOpenAI]:
    with FakeOpenAI(tmp_path / "vendor", key=KEY) as fake:
        yield fake


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    Image.new("RGB", (640, 480), "teal").save(tmp_path / "photo", "PNG")
    return tmp_path / "photo"


def account(vendor: FakeOpenAI, changes: Mapping[str, Any]) -> dict[str, Any]:
    usual = {
        "api_key": KEY,
        "base_url": vendor.url,
        "model": "gpt-4o-mini",
        "usd_in": 0.15,
        "usd_out": 0.6,
        "store": True,
        "deadline_seconds": 20,
    }
    return {**usual, **changes}


def lyricist(vendor: FakeOpenAI, **changes: Any) -> OpenAILyricist:
    return OpenAILyricist(**account(vendor, changes))


def structured(vendor: FakeOpenAI, photo: Path | None = None, **changes: Any) -> OpenAIStructured:
    def open_image(reference: Mapping[str, Any]) -> Path:
        assert (reference, photo is None) == (PICTURE, False)
        return photo or Path()

    return OpenAIStructured(open_image=open_image, **account(vendor, changes))


def submitted(vendor: FakeOpenAI, *faults: Fault, **changes: Any) -> Receipt:
    vendor.script(*faults)
    return lyricist(vendor, **changes).submit(JOB_INPUT, TOKEN)


def answered(vendor: FakeOpenAI, *faults: Fault, **changes: Any) -> Receipt:
    vendor.script(*faults)
    return structured(vendor, **changes).submit(QUESTION, TOKEN)


def refused(vendor: FakeOpenAI, *faults: Fault, **changes: Any) -> ProviderError:
    return error_of(lambda: submitted(vendor, *faults, **changes))


def written(receipt: Receipt) -> str:
    assert receipt.answer is not None
    return str(receipt.answer["text"])


def said(**changes: Any) -> Fault:
    return Fault("completion", "submit", **changes)


def chosen(**changes: Any) -> Fault:
    return Fault("fields", "submit", choices=[choice(**changes)])


def choice(**changes: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": WORDS, "refusal": None}
    return {"index": 0, "message": message, "finish_reason": "stop", **changes}


def refusal(status: int = 400, **error: Any) -> Fault:
    return Fault("status", "submit", code=status, body={"error": {"message": "no", **error}})


# What is sent


def test_openai_sends_the_prompt_with_its_token_and_a_limit(vendor):
    submitted(vendor)
    sent = vendor.calls[0]
    assert sent.body["messages"] == [
        {"role": "system", "content": JOB_INPUT["prompt"]["system"]},
        {"role": "user", "content": JOB_INPUT["prompt"]["user"]},
    ]
    assert sent.body["max_completion_tokens"] == MOST_TOKENS_OUT
    assert (sent.body["store"], sent.body["metadata"]) == (True, {TOKEN_FIELD: TOKEN})


def test_openai_keeps_nothing_at_the_vendor_where_that_is_not_wanted(vendor):
    submitted(vendor, store=False)
    assert not {"store", "metadata"} & set(vendor.calls[0].body)


def test_openai_asks_nothing_before_and_after_a_submission(vendor, photo):
    provider = lyricist(vendor)
    provider.prepare(JOB_INPUT)
    provider.cancel("chatcmpl-1")
    structured(vendor, photo).prepare(SEEN)
    structured(vendor).prepare(QUESTION)
    with pytest.raises(AssertionError):
        structured(vendor).prepare(SEEN)
    assert vendor.calls == []


def test_structured_sends_the_strict_schema_and_the_limit_of_its_input(vendor):
    answered(vendor)
    without = {name: value for name, value in QUESTION.items() if name != "most_tokens"}
    structured(vendor).submit(without, TOKEN)
    strict = {"name": "classification", "schema": SCHEMA, "strict": True}
    form = vendor.calls[0].body["response_format"]
    assert form == {"type": "json_schema", "json_schema": strict}
    limits = [call.body["max_completion_tokens"] for call in vendor.calls]
    assert limits == [300, MOST_OF_AN_OBJECT]


def test_structured_sends_the_picture_as_a_small_jpeg_at_low_detail(vendor, photo):
    structured(vendor, photo).submit(SEEN, TOKEN)
    text, picture = vendor.calls[0].body["messages"][1]["content"]
    assert text == {"type": "text", "text": QUESTION["prompt"]["user"]}
    assert (picture["type"], picture["image_url"]["detail"]) == ("image_url", "low")
    head, _, data = picture["image_url"]["url"].partition(",")
    sent = Image.open(io.BytesIO(base64.b64decode(data)))
    assert (head, sent.format, sent.size) == ("data:image/jpeg;base64", "JPEG", (640, 480))


def test_structured_picture_that_is_none_is_refused_before_anything_is_sent(vendor, photo):
    photo.write_bytes(b"no picture")
    error = error_of(lambda: structured(vendor, photo).submit(SEEN, TOKEN))
    assert (type(error), error.code, error.cost) == (PermanentError, "invalid_picture", None)
    assert error.message.startswith("images[0]: expected a JPEG, PNG or WebP picture")
    assert vendor.calls == []


@pytest.mark.parametrize("kind", ["vision", "answer"])
def test_structured_is_what_the_registry_makes_for(kind):
    assert isinstance(make_provider("openai", kind, castad_settings()), OpenAIStructured)


# What it costs


def test_openai_price_is_low_enough_to_send_a_lost_job_again(vendor):
    told = {"customer_name": "가" * 80, "region": "나" * 80, "detail_region_info": "다" * 500}
    longest = BRIEF.model_copy(update={**told, "genre": "라" * 100, "duration_seconds": 120})
    assert 0 < lyricist(vendor).price(build_lyric_input(longest, "order-1", {})) < CHEAP / 2


def test_openai_cost_is_by_the_tokens_used(vendor):
    usage = Fault("fields", "submit", usage={"prompt_tokens": 1_000, "completion_tokens": 501})
    assert (submitted(vendor, usage).cost, answered(vendor, usage).cost) == (451, 451)
    cut = {"choices": [choice(finish_reason="length")]}
    usage = Fault(
        "fields", "submit", usage={"prompt_tokens": 1_000, "completion_tokens": 10}, **cut
    )
    assert refused(vendor, usage).cost == 156


@pytest.mark.parametrize(
    "usage",
    [
        *(None, [], "many", {"prompt_tokens": 12}),
        *(
            {"prompt_tokens": count, "completion_tokens": 3}
            for count in ("12", -1, True, 10**30, 12.5)
        ),
    ],
    ids=repr,
)
def test_openai_cost_is_the_price_where_the_tokens_are_not_told(vendor, usage):
    receipt = submitted(vendor, Fault("fields", "submit", usage=usage))
    assert receipt.cost == lyricist(vendor).price(JOB_INPUT)


@pytest.mark.parametrize("model", ["gpt-4o-mini", "gpt-4o", "gpt-4.1-mini"])
def test_structured_price_is_at_least_what_is_charged_for_any_model(vendor, photo, model):
    provider = structured(vendor, photo, model=model)
    cost = provider.submit(SEEN, TOKEN).cost
    assert cost
    assert cost <= provider.price(SEEN) < CHEAP


def test_structured_price_of_a_picture_is_its_tokens(vendor):
    provider, tokens = structured(vendor, usd_in=1.0), count_picture_tokens("gpt-4o-mini")
    assert provider.price(SEEN) - provider.price(QUESTION) == tokens


@pytest.mark.parametrize(
    ("models", "tokens"),
    [
        (("gpt-4o", "gpt-4o-2024-08-06", "gpt-4.1"), 85),
        (("gpt-5",), 70),
        (("o1",), 75),
        (("gpt-4o-mini", "gpt-4o-mini-2024-07-18", "gpt-4.1-nano", "gpt-5-mini"), 2_833),
        (("gpt-5.4", "llava", ""), 2_833),
    ],
)
def test_picture_counts_as_documented_or_as_the_most_of_any_model(models, tokens):
    assert {count_picture_tokens(model) for model in models} == {tokens}


# What comes back


def test_openai_product_is_the_lyric(vendor, tmp_path):
    usage = {"prompt_tokens": 10, "completion_tokens": 20}
    receipt = submitted(vendor, Fault("fields", "submit", choices=[choice()], usage=usage))
    assert receipt.external_id == vendor.charges()[0]["id"]
    product = lyricist(vendor).fetch(JOB_INPUT, receipt.answer or {}, tmp_path)
    assert product.files == ()
    assert product.result == {
        "title": "밤",
        "text": read_lyric(WORDS).text,
        "model": "gpt-4o-mini-2024-07-18",
        "tokens_in": 10,
        "tokens_out": 20,
    }


def test_structured_product_is_the_object_with_model_and_tokens(vendor):
    receipt = answered(vendor, said(object=OBJECT, model="gpt-x"))
    result = structured(vendor).fetch(QUESTION, receipt.answer or {}, Path()).result
    tokens = {name: result[name] for name in ("tokens_in", "tokens_out")}
    assert result == {**OBJECT, "model": "gpt-x", **tokens}
    assert tokens["tokens_in"] > tokens["tokens_out"] > 0


def test_openai_answer_can_be_stored_whatever_the_model_writes(vendor):
    message = {"content": f"\x00\ud800\u202e{WORDS}\udfff"}
    fault = Fault("fields", "submit", choices=[choice(message=message)], model="\ud800\x00")
    stored = json.dumps(submitted(vendor, fault).answer, ensure_ascii=False)
    assert stored.encode().decode() == stored
    assert "\\u0000" not in stored


@pytest.mark.parametrize(
    "known", [None, 7, "", "../../files", "a b", "x" * 500, f"id-{KEY}", f"id-{TOKEN}", ["a"]]
)
def test_openai_answer_without_a_usable_id_goes_by_a_name_that_does_not_tell_the_token(
    vendor, known
):
    named = submitted(vendor, Fault("fields", "submit", id=known)).external_id
    assert (len(named), TOKEN in named) == (32, False)


@pytest.mark.parametrize(
    "content",
    [
        f"<think>\nTitle: no\n{'a thought ' * 3000}\n</think>\n\n{WORDS}",
        f"<thinking>\nTitle: no\n{'a thought ' * 3000}\n</thinking>\n\n{WORDS}",
        [{"type": "text", "text": WORDS[:30]}, {"type": "text", "text": WORDS[30:]}],
    ],
    ids=["after thoughts", "after thinking", "in parts"],
)
def test_openai_lyric_is_read_however_the_server_sends_it(vendor, content):
    text = written(submitted(vendor, chosen(message={"content": content})))
    assert read_lyric(text) == read_lyric(WORDS)
    assert "thought" not in text


LINE = "군산의 밤은 길고 바다는 가까워 우리 함께 걸어요 "


@pytest.mark.parametrize(
    "lyric",
    [f"[Verse]\n{LINE * 2}", f"Title: 밤\n{LINE * 2}", f"{LINE}\n" * 4, f"Title: x\n\n{'a' * 50}"],
)
def test_openai_lyric_of_a_small_model_is_taken(vendor, lyric):
    assert written(submitted(vendor, said(content=lyric)))


WRAPPED: dict[str, Callable[[str], str]] = {
    "fenced": lambda text: f"```json\n{text}\n```",
    "after thoughts": lambda text: f'<think>Maybe {{"kind": "?"}}</think>\n{text}',
    "between sentences": lambda text: f"Here you are:\n{text}\nHave a nice day!",
    "after a byte order mark": lambda text: f"\ufeff{text}",
    "indented": lambda text: json.dumps(json.loads(text), indent=2),
}


@pytest.mark.parametrize("name", WRAPPED)
def test_structured_object_is_read_however_the_model_wraps_it(vendor, name):
    receipt = answered(vendor, said(content=WRAPPED[name](json.dumps(OBJECT))))
    assert (receipt.answer or {})["object"] == OBJECT


# Unusable completions

LYRICS: dict[str, tuple[Fault, type[ProviderError], str]] = {
    "refusal": (said(refusal="I cannot sing\nthat."), PermanentError, "lyric_refused"),
    "no content": (chosen(message={"content": None}), PermanentError, "lyric_refused"),
    **{
        f"{reason} {content}": (said(content=content, finish_reason=reason), kind, code)
        for reason, kind, code in (
            ("content_filter", PermanentError, "content_filter"),
            ("length", SubmissionFailedError, "lyric_cut"),
        )
        for content in (WORDS, None)
    },
    **{
        f"{code} {content[:20]!r}": (said(content=content), SubmissionFailedError, code)
        for content, code in (
            ("", "lyric_empty"),
            (" \n ", "lyric_empty"),
            ("Title: " + "la" * 40, "lyric_empty"),
            ("[Verse]\n" * 20, "lyric_empty"),
            (f"<think>{WORDS}", "lyric_empty"),
            (f"Title: x\n\n  {'a' * 49}  \n", "lyric_too_short"),
            (REMARK, "bad_answer"),
            (f"<think>\nTitle: no\n[Verse]\n</think>\n{REMARK}", "bad_answer"),
        )
    },
    **{
        f"choices {choices!r}"[:40]: (
            Fault("fields", "submit", choices=choices),
            SubmissionFailedError,
            "bad_answer",
        )
        for choices in (
            *(None, [], "none", {"0": {}}, [7], [{"finish_reason": "stop"}]),
            *([choice(message=message)] for message in ([1], {"role": "assistant"})),
            *([choice(message={"content": content})] for content in ([{"type": "text"}], 7)),
            [choice(message={}, finish_reason="tool_calls")],
        )
    },
}
OBJECTS: dict[str, tuple[Fault, type[ProviderError], str]] = {
    "refusal": (said(refusal="I cannot\nsay."), PermanentError, "refused"),
    "no content": (said(content=None), PermanentError, "refused"),
    "length": (said(finish_reason="length"), SubmissionFailedError, "answer_cut"),
    **{
        name: (said(content=content), SubmissionFailedError, "bad_answer")
        for name, content in {
            "empty": "",
            "words": "It is paper.",
            "half an object": json.dumps(OBJECT)[:-3],
            "a list": json.dumps([OBJECT["kind"]]),
            "thoughts alone": f"<think>{json.dumps(OBJECT)}",
            "deep": '{"kind":' * 50_000 + "}",
            "a long number": '{"kind": ' + "9" * 10_000 + "}",
            "another value": json.dumps({**OBJECT, "kind": "우주선"}),
            "null that may not be": json.dumps({**OBJECT, "kind": None}),
            "a number for a text": json.dumps({**OBJECT, "name": 7}),
            "a truth for a list": json.dumps({**OBJECT, "tags": True}),
            "a text for an object": json.dumps({**OBJECT, "parts": "lid"}),
            "a number in a list": json.dumps({**OBJECT, "tags": ["x", 7]}),
            "a member too few": json.dumps({"kind": "종이", "name": None, "tags": []}),
            "an inner member too few": json.dumps({**OBJECT, "parts": {}}),
        }.items()
    },
}
UNUSABLE = [
    *(pytest.param(submitted, *case, id=f"lyric {name}") for name, case in LYRICS.items()),
    *(pytest.param(answered, *case, id=f"object {name}") for name, case in OBJECTS.items()),
]


@pytest.mark.parametrize(("submit", "fault", "kind", "code"), UNUSABLE)
def test_openai_unusable_completion_is_told_by_its_code_with_cost_and_request(
    vendor, submit, fault, kind, code
):
    error = error_of(lambda: submit(vendor, fault))
    assert (type(error), error.code, bool(error.cost)) == (kind, code, True)
    assert "(request req_" in error.message
    assert error.message.isprintable()
    assert len(vendor.calls) == 1


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (said(content=REMARK), REMARK),
        (chosen(finish_reason="error", error={"code": 502, "message": "It is gone"}), "It is gone"),
        (chosen(message={}, finish_reason="tool_calls"), "finish_reason tool_calls"),
        (Fault("garbage_after", "submit", json={"error": "it is busy"}), "it is busy"),
    ],
)
def test_openai_unusable_completion_repeats_what_was_said(vendor, fault, told):
    assert told in refused(vendor, fault).message


def test_structured_misfit_is_told_by_its_member(vendor):
    misfit = said(object={**OBJECT, "parts": {"lid": 7}})
    told = error_of(lambda: answered(vendor, misfit)).message
    assert "parts.lid is not of type string" in told


# How a model ends


def text_after(reason: Any) -> str:
    body = {"choices": [choice(finish_reason=reason)]}
    return read_text(VendorResponse(200, body), KEY, OpenAILyricist.wanted)


ORDINARY = read_beside(__file__)["ORDINARY"]


@pytest.mark.parametrize("reason", ORDINARY, ids=repr)
def test_whole_text_is_taken_whatever_its_end_is_called(reason):
    assert text_after(reason) == WORDS


@given(st.text(max_size=30) | st.none() | st.integers())
def test_only_a_known_word_ends_a_text(word):
    try:
        text_after(word)
    except UnusableError:
        assert classify_ending(word) is not None
    else:
        assert classify_ending(word) is None


@pytest.mark.parametrize(
    ("word", "ending"), [(word, ending) for ending, words in ENDINGS.items() for word in words]
)
def test_known_word_of_an_end_stops_the_text_in_any_spelling(word, ending):
    code = "content_filter" if ending is Ending.REFUSED else "lyric_cut"
    spellings = [word, word.upper(), f"FINISH_REASON_{word.upper()}", word.replace("_", "-")]
    for spelling in spellings:
        with pytest.raises(UnusableError, match=spelling) as caught:
            text_after(spelling)
        assert caught.value.code == code
    assert f"`{word}`" in (PAGES / "openai.md").read_text(encoding="utf-8")


# Refusals: their statuses and codes are rows of a table, which tests/contract tries


@pytest.mark.parametrize("shape", ["in a list", "as a text", "without error", "as details"])
def test_openai_refusal_is_read_in_every_shape(vendor, shape):
    told = {"message": "Pay first, please.", "code": "insufficient_quota"}
    body: Any = {
        "in a list": [{"error": told}],
        "as a text": {"error": told["message"], "code": told["code"]},
        "without error": {"object": "error", **told},
        "as details": {
            "error": {"message": told["message"], "details": [{"reason": told["code"]}]}
        },
    }[shape]
    error = refused(vendor, Fault("status", "submit", code=400, body=body))
    assert (type(error), "Pay first, please." in error.message) == (OutOfCreditsError, True)


@pytest.mark.parametrize(
    ("named", "kind"),
    [
        ({"code": "insufficient_quota"}, OutOfCreditsError),
        ({"code": 402}, OutOfCreditsError),
        ({"code": 429}, TransientError),
        ({"code": 403, "metadata": {"reasons": ["x"]}}, OutOfCreditsError),
        ({"code": 502}, SubmissionFailedError),
        ({"code": "upstream"}, SubmissionFailedError),
    ],
    ids=repr,
)
def test_openai_refusal_under_status_200_is_one(vendor, named, kind):
    assert type(refused(vendor, refusal(200, **named))) is kind


@pytest.mark.parametrize(
    "name",
    [
        *("html", "empty", "truncated", "invalid UTF-8", "deep nesting", "null", "a number"),
        *("deep objects", "NaN", "ten megabytes"),
    ],
)
def test_openai_answer_that_cannot_be_read_proves_nothing(vendor, name):
    error = refused(vendor, Fault("garbage_after", "submit", raw=GARBAGE[name]))
    assert type(error) is UnknownSubmissionError


@pytest.mark.parametrize("code", ["insufficient_quota", "invalid_image"])
def test_openai_refusal_beside_a_completion_proves_nothing(vendor, photo, code):
    both = {"choices": [choice()], "error": {"message": "no", "code": code}}
    vendor.script(Fault("status", "submit", code=400, body=both))
    error = error_of(lambda: structured(vendor, photo).submit(SEEN, TOKEN))
    assert type(error) is UnknownSubmissionError


@pytest.mark.parametrize(
    ("said", "wait"),
    [
        ({"retry_after": 30}, pytest.approx(30, abs=2)),
        ({"retry_after": 30, "as_date": True}, pytest.approx(30, abs=2)),
        ({}, None),
    ],
)
def test_openai_rate_limit_says_how_long_to_wait_or_nothing(vendor, said, wait):
    vendor.clock_offset = 7_200
    error = refused(vendor, Fault("rate_limited", "submit", **said))
    assert isinstance(error, TransientError)
    assert error.retry_after == wait


def test_openai_refusal_names_its_request(vendor):
    assert "(request req_" in refused(vendor, model="gpt-none").message


@pytest.mark.parametrize(
    ("fault", "remedy"),
    [
        *(
            (Fault("redirect", "submit", code=code, location="http://127.0.0.1:1/"), remedy)
            for code in (302, 303)
            for remedy in ("check OPENAI_BASE_URL",)
        ),
        *(
            (Fault("status", "submit", code=400, body=body), "set OPENAI_STORE=false")
            for body in (
                {"error": {"message": "Unrecognized request argument supplied: store"}},
                {"error": {"message": "Unknown parameter", "param": "metadata"}},
                {"detail": [{"loc": ["body", "store"], "msg": "Extra inputs are not permitted"}]},
                "The 'Metadata' parameter is not supported.",
            )
        ),
        (
            refusal(message="Invalid type. image_url is only supported by certain models."),
            "set OPENAI_MODEL to a model that sees pictures",
        ),
    ],
    ids=repr,
)
def test_openai_refusal_names_the_setting_that_helps(vendor, fault, remedy):
    assert refused(vendor, fault).message.endswith(f"; {remedy}")


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "Invalid 'messages'."}},
        "A bookstore is restored.",
        {"error": [7]},
        b"",
    ],
)
def test_openai_other_refusal_has_nothing_to_do_with_storing(vendor, body):
    error = refused(vendor, Fault("status", "submit", code=400, body=body))
    assert "OPENAI_STORE" not in error.message


# A picture that the vendor refuses


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        *(
            (fault, "invalid_picture")
            for fault in (
                refusal(code="invalid_image"),
                refusal(code="image_content_policy_violation"),
                refusal(422, code="invalid_base64_image"),
                refusal(type="image_too_small"),
                refusal(message="You uploaded an unsupported image. Please make sure it is valid."),
                refusal(message="cannot identify image file <_io.BytesIO object>"),
                refusal(message="Failed to load the image"),
                refusal(message="Invalid base64 image_url."),
            )
        ),
        *(
            (fault, "provider_refused")
            for fault in (
                refusal(code="invalid_value"),
                refusal(code=["invalid_image"], message={"a": 1}),
                refusal(404, code="invalid_image"),
                refusal(message="image_url is only supported by certain models"),
                Fault("status", "submit", code=400, body=b""),
            )
        ),
    ],
    ids=repr,
)
def test_structured_fault_of_the_picture_is_told_from_other_refusals(vendor, photo, fault, code):
    vendor.script(fault)
    error = error_of(lambda: structured(vendor, photo).submit(SEEN, TOKEN))
    assert (type(error), error.code, error.cost) == (PermanentError, code, None)
    is_told = error.message.startswith("openai: the vendor cannot read the picture: ")
    assert is_told == (code == "invalid_picture")
    assert len(vendor.calls) == 1


def test_structured_job_without_a_picture_has_no_bad_picture(vendor):
    error = error_of(lambda: answered(vendor, refusal(code="invalid_image")))
    assert error.code == "provider_refused"


# A server that takes no schema


def formats(vendor: FakeOpenAI) -> list[str]:
    return [call.body["response_format"]["type"] for call in vendor.calls]


def test_structured_server_without_schemas_is_asked_for_an_object_from_then_on(vendor):
    vendor.takes_schemas = False
    provider = structured(vendor)
    costs = [provider.submit(QUESTION, token).cost or 0 for token in "ab"]
    assert formats(vendor) == ["json_schema", "json_object", "json_object"]
    assert [charge["metadata"]["castad_token"] for charge in vendor.charges()] == ["a", "b"]
    system = vendor.calls[1].body["messages"][0]["content"]
    assert system.startswith("Say what it is.\n\n")
    assert json.loads(system.splitlines()[-1]) == SCHEMA
    assert 0 < max(costs) <= provider.price(QUESTION)


@pytest.mark.parametrize(
    "fault",
    [
        refusal(param="response_format"),
        refusal(message="response_format: json_schema is not supported"),
        refusal(422, message="json_schema"),
        Fault("status", "submit", code=400, body="unknown field `response_format`"),
    ],
    ids=repr,
)
def test_structured_schema_is_refused_by_its_name(vendor, fault):
    answered(vendor, fault)
    assert formats(vendor) == ["json_schema", "json_object"]


@pytest.mark.parametrize(
    "fault",
    [
        refusal(),
        *(refusal(status, param="response_format") for status in (401, 429, 500)),
        Fault("status_after", "submit", code=500, body="response_format"),
        Fault("lose_reply", "submit"),
        said(content="response_format"),
    ],
    ids=repr,
)
def test_structured_job_is_sent_again_after_no_other_answer(vendor, fault):
    error_of(lambda: answered(vendor, fault))
    assert formats(vendor) == ["json_schema"]


def test_structured_schema_is_tried_again_where_no_object_was_taken_either(vendor):
    provider, both = structured(vendor), refusal(param="response_format")
    vendor.script(both, both)
    assert error_of(lambda: provider.submit(QUESTION, TOKEN)).code == "provider_refused"
    provider.submit(QUESTION, TOKEN)
    assert formats(vendor) == ["json_schema", "json_object", "json_schema"]


def test_structured_second_try_is_not_sent_where_its_sender_holds_it_back(vendor):
    vendor.takes_schemas = False
    sends: list[int] = []

    def once() -> None:
        sends.append(1)
        if len(sends) > 1:
            raise RuntimeError("the lease is lost")

    with pytest.raises(TransientError):
        structured(vendor).submit(QUESTION, TOKEN, once)
    assert (len(vendor.calls), vendor.charges()) == (1, [])


# The key, beyond what tests/contract has the vendor repeat

ECHOES = {
    "request id": Fault("status", code=400, headers={"x-request-id": KEY}),
    "picture": refusal(message=f"invalid image {KEY}", code="invalid_image"),
    "refusal": said(refusal=f"{KEY}!"),
    "misfit": said(content=json.dumps({KEY: KEY})),
    "no JSON": said(content=f"{KEY} {KEY}"),
}


@pytest.mark.parametrize("echo", ECHOES)
def test_openai_key_is_in_no_error(vendor, photo, echo):
    vendor.script(ECHOES[echo])
    error = error_of(lambda: structured(vendor, photo).submit(SEEN, TOKEN))
    assert KEY not in repr(error) + "".join(TracebackException.from_exception(error).format())


def test_openai_key_and_token_are_in_no_answer(vendor, tmp_path):
    fault = Fault(
        "fields",
        "submit",
        choices=[choice(message={"content": f"{WORDS}{KEY}"})],
        model=KEY,
        id=KEY,
    )
    receipt = submitted(vendor, fault)
    assert KEY not in repr(receipt)
    assert KEY not in repr(lyricist(vendor).fetch(JOB_INPUT, receipt.answer or {}, tmp_path))
    hidden = "".join(f"\\u{ord(each):04x}" for each in KEY)
    spaced = "\u200b".join(KEY)
    token = "aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789"
    told = {**OBJECT, "name": f"{KEY} {spaced}", "tags": [KEY, token], "parts": {"lid": "HIDDEN"}}
    content = json.dumps(told).replace("HIDDEN", hidden)
    stored = json.dumps(answered(vendor, said(content=content, model=KEY)).answer)
    assert not {KEY, token} & {each for each in (KEY, token) if each in stored}


# A lost submission


@pytest.mark.parametrize("make", [lyricist, structured])
def test_openai_lost_reply_is_found_again_and_not_paid_twice(vendor, make):
    provider, job_input = make(vendor), JOB_INPUT if make is lyricist else QUESTION
    vendor.script(Fault("lose_reply", "submit"))
    assert type(error_of(lambda: provider.submit(job_input, TOKEN))) is UnknownSubmissionError
    found = provider.find(TOKEN)
    assert found == vendor.charges()[0]["id"]
    assert isinstance(provider.poll(job_input, found), Succeeded)
    assert len(vendor.charges()) == 1


def test_openai_looks_for_nothing_where_nothing_is_kept(vendor):
    assert lyricist(vendor, store=False).find(TOKEN) is None
    assert vendor.calls == []


@pytest.mark.parametrize(
    "fault",
    [
        *(Fault("status", "lookup", code=code) for code in (400, 401, 404, 429, 500)),
        *(Fault(kind, "lookup") for kind in ("reset", "lose_reply", "truncate", "html")),
        *(
            Fault("fields", "lookup", data=listed)
            for listed in (
                *(None, {}, "all", [7, None, [], {}], [{"id": "chatcmpl-1"}]),
                [{"id": "chatcmpl-1", "metadata": None}],
                [{"id": "chatcmpl-1", "metadata": {TOKEN_FIELD: "another"}}],
                [{"id": 7, "metadata": {TOKEN_FIELD: TOKEN}}],
                [{"id": "../models", "metadata": {TOKEN_FIELD: TOKEN}}],
            )
        ),
    ],
    ids=repr,
)
def test_openai_finds_no_completion_that_does_not_show_the_token(vendor, fault):
    submitted(vendor)
    vendor.script(fault)
    assert lyricist(vendor).find(TOKEN) is None


@pytest.mark.parametrize(
    ("metadata", "owns"),
    [
        ({TOKEN_FIELD: TOKEN}, True),
        ({TOKEN_FIELD: "another"}, False),
        *((each, None) for each in (None, {}, [], "token", {TOKEN_FIELD: None}, {TOKEN_FIELD: 7})),
    ],
    ids=repr,
)
def test_openai_owns_the_completion_of_its_token(vendor, metadata, owns):
    receipt = submitted(vendor)
    vendor.script(Fault("fields", "lookup", metadata=metadata))
    assert lyricist(vendor).owns(receipt.external_id, TOKEN) is owns


def test_openai_completion_that_is_not_kept_is_nobodys_and_lost(vendor):
    provider = lyricist(vendor)
    unknown = error_of(lambda: provider.owns("chatcmpl-unheard-of", TOKEN))
    lost = error_of(lambda: provider.poll(JOB_INPUT, "chatcmpl-unheard-of"))
    assert (type(unknown), unknown.code) == (PermanentError, "job_unknown")
    assert (type(lost), lost.code) == (SubmissionFailedError, "submission_lost")


@pytest.mark.parametrize(
    "fault",
    [
        *(Fault(kind, "lookup") for kind in ("reset", "lose_reply", "html")),
        Fault("fields", "lookup", id="another"),
        Fault("redirect", "lookup", code=308, location="http://127.0.0.1:1/"),
        Fault("rate_limited", "lookup", retry_after=3),
        *(Fault("status", "lookup", code=code) for code in (400, 404, 405, 408, 422, 500)),
    ],
    ids=repr,
)
def test_openai_question_about_a_completion_may_be_asked_again(vendor, fault):
    receipt, provider = submitted(vendor), lyricist(vendor)
    vendor.script(fault)
    assert isinstance(error_of(lambda: provider.owns(receipt.external_id, TOKEN)), TransientError)
    vendor.script(fault)
    asked = error_of(lambda: provider.poll(JOB_INPUT, receipt.external_id))
    assert isinstance(asked, TransientError)
    assert provider.owns(receipt.external_id, TOKEN) is True


def test_openai_poll_tells_what_a_stored_completion_holds(vendor):
    error = refused(vendor, said(refusal="no"))
    told = error_of(lambda: lyricist(vendor).poll(JOB_INPUT, vendor.charges()[0]["id"]))
    assert (type(told), told.code, told.cost) == (PermanentError, error.code, error.cost)


# The account


def test_openai_standing_names_the_model_or_what_is_wrong(vendor):
    assert lyricist(vendor).account_status() == "gpt-4o-mini answers"
    unknown = error_of(lambda: lyricist(vendor, model="gpt-none").account_status())
    assert (type(unknown), "gpt-none" in unknown.message) == (PermanentError, True)
    vendor.revoke()
    assert error_of(lambda: lyricist(vendor).account_status()).code == "key_refused"
    assert vendor.charges() == []


# Hostile completions, without a server

ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=50),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=12,
)
TEXT = st.text(max_size=40) | st.text(st.characters(categories=["Cc", "Cf", "Cs"]), max_size=9)
NEARLY = st.fixed_dictionaries(
    {
        "kind": st.sampled_from(["종이", "유리병", "\u200b종이\n", "x"]) | ANY_JSON,
        "name": st.none() | TEXT | ANY_JSON,
        "tags": st.lists(TEXT, max_size=30) | ANY_JSON,
        "parts": st.fixed_dictionaries({"lid": TEXT}) | ANY_JSON,
    },
    optional={"more": ANY_JSON, KEY: ANY_JSON},
)


def fits(value: Any, schema: Mapping[str, Any]) -> bool:
    kinds = schema["type"]
    if value is None:
        return "null" in kinds
    if isinstance(value, str):
        return "string" in kinds and value in schema.get("enum", [value])
    if isinstance(value, list):
        return "array" in kinds and all(fits(item, schema["items"]) for item in value)
    members = schema["properties"]
    return value.keys() == members.keys() and all(fits(value[n], members[n]) for n in members)


@given(NEARLY | ANY_JSON | st.just(OBJECT))
def test_object_that_is_read_fits_the_schema_and_can_be_stored(value):
    try:
        read = read_object(json.dumps(value), SCHEMA, KEY)
    except MisfitError:
        assert value != OBJECT
        return
    assert fits(read, SCHEMA)
    stored = json.dumps(read, ensure_ascii=False)
    assert json.loads(stored.encode()) == read
    assert KEY not in stored
    texts = [read["kind"], read["name"] or "", *read["tags"], read["parts"]["lid"]]
    # Joiners are invisible and belong to words.
    shown = "".join(texts).translate({ord(each): None for each in "\n\u200c\u200d"})
    assert not {"Cc", "Cf", "Cs"} & set(map(unicodedata.category, shown))


@given(st.text())
def test_text_that_is_no_object_is_a_misfit_and_no_other_error(text):
    with pytest.raises(MisfitError):
        read_object(text, SCHEMA, KEY)


@given(ANY_JSON)
def test_completion_of_any_json_has_a_text_or_is_unusable(body):
    answer = VendorResponse(200, body, "summary")
    with suppress(UnusableError):
        assert isinstance(read_text(answer, KEY, OpenAIStructured.wanted), str)
    assert is_picture_refusal(answer) is False


def test_object_is_cut_to_what_is_kept_and_to_its_members():
    long = {**OBJECT, "name": "가" * 9_000, "tags": [f"{n}" for n in range(99)], "more": 7}
    read = read_object(json.dumps(long), SCHEMA, KEY)
    assert read.keys() == OBJECT.keys()
    assert read["name"] == "가" * LONGEST_TEXT
    assert read["tags"] == [f"{n}" for n in range(MOST_ITEMS)]
