import base64
import io
import json
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from traceback import TracebackException
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from resources.contract.errors import (
    PermanentError,
    ProviderError,
    SubmissionFailedError,
    TransientError,
    UnknownSubmissionError,
)
from resources.contract.protocol import Receipt, Succeeded
from resources.http.vendor_client import VendorResponse
from resources.process.settings import settings
from resources.providers.openai.completions import UnusableCompletion, text_of
from resources.providers.openai.structured import (
    LONGEST_TEXT,
    MOST_ITEMS,
    MOST_TOKENS_OUT,
    MisfitError,
    OpenAIStructured,
    count_tokens_of_picture,
    is_fault_of_picture,
    read_object,
)
from resources.providers.vendor import make_provider
from tests.fakes.faults import Fault
from tests.fakes.openai import FakeOpenAI

KEY = "sk-canary-0123456789abcdef"
TOKEN = "token-of-this-submission"
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
JOB_INPUT: dict[str, Any] = {
    "prompt": {"system": "Say what it is.", "user": "소주병\nWhat is this?"},
    "schema": {"name": "classification", "schema": SCHEMA},
    "image": None,
    "most_tokens": 300,
    "note": "for another maker",
}
PICTURE = {"name": "images[0]", "where": "task/photo"}
SEEN = {**JOB_INPUT, "image": PICTURE}


@pytest.fixture
def vendor(tmp_path: Path) -> Iterator[FakeOpenAI]:
    with FakeOpenAI(tmp_path / "vendor", key=KEY) as fake:
        yield fake


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    Image.new("RGB", (640, 480), "teal").save(tmp_path / "photo", "PNG")
    return tmp_path / "photo"


def maker(vendor: FakeOpenAI, photo: Path | None = None, **changes: Any) -> OpenAIStructured:
    def open_image(reference: Mapping[str, Any]) -> Path:
        assert (reference, photo is None) == (PICTURE, False)
        return photo or Path()

    usual: dict[str, Any] = {
        "api_key": KEY,
        "open_image": open_image,
        "base_url": vendor.url,
        "model": "gpt-4o-mini",
        "usd_in": 0.15,
        "usd_out": 0.6,
        "store": True,
        "deadline_seconds": 20,
    }
    return OpenAIStructured(**{**usual, **changes})


def answered(vendor: FakeOpenAI, *faults: Fault, **changes: Any) -> Receipt:
    vendor.script(*faults)
    return maker(vendor, **changes).submit(JOB_INPUT, TOKEN)


def refused(submit: Callable[[], object]) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        submit()
    return caught.value


def product(vendor: FakeOpenAI, receipt: Receipt) -> Mapping[str, Any]:
    assert receipt.answer is not None
    return maker(vendor).fetch(JOB_INPUT, receipt.answer, Path()).result


def said(**changes: Any) -> Fault:
    return Fault("completion", "submit", **changes)


# What is sent


def test_structured_sends_both_texts_and_the_strict_schema(vendor: FakeOpenAI) -> None:
    answered(vendor)
    body = vendor.calls[0].body
    assert body["messages"] == [
        {"role": "system", "content": "Say what it is."},
        {"role": "user", "content": "소주병\nWhat is this?"},
    ]
    strict = {"name": "classification", "schema": SCHEMA, "strict": True}
    assert body["response_format"] == {"type": "json_schema", "json_schema": strict}


def test_structured_limits_the_answer_as_the_input_says(vendor: FakeOpenAI) -> None:
    answered(vendor)
    maker(vendor).submit({**JOB_INPUT, "most_tokens": MOST_TOKENS_OUT}, TOKEN)
    without = {name: value for name, value in JOB_INPUT.items() if name != "most_tokens"}
    maker(vendor).submit(without, TOKEN)
    limits = [call.body["max_completion_tokens"] for call in vendor.calls]
    assert limits == [300, MOST_TOKENS_OUT, MOST_TOKENS_OUT]


def test_structured_sends_the_picture_as_a_small_jpeg_at_low_detail(
    vendor: FakeOpenAI, photo: Path
) -> None:
    maker(vendor, photo).submit(SEEN, TOKEN)
    text, picture = vendor.calls[0].body["messages"][1]["content"]
    assert text == {"type": "text", "text": JOB_INPUT["prompt"]["user"]}
    assert (picture["type"], picture["image_url"]["detail"]) == ("image_url", "low")
    head, _, data = picture["image_url"]["url"].partition(",")
    sent = Image.open(io.BytesIO(base64.b64decode(data)))
    assert (head, sent.format, sent.size) == ("data:image/jpeg;base64", "JPEG", (640, 480))


def test_structured_picture_that_is_none_is_refused_before_anything_is_sent(
    vendor: FakeOpenAI, photo: Path
) -> None:
    photo.write_bytes(b"no picture")
    error = refused(lambda: maker(vendor, photo).submit(SEEN, TOKEN))
    assert (type(error), error.code, error.cost) == (PermanentError, "invalid_picture", None)
    assert error.message.startswith("images[0]: expected a JPEG, PNG or WebP picture")
    assert vendor.calls == []


def test_structured_prepare_opens_the_picture_and_asks_nothing(
    vendor: FakeOpenAI, photo: Path
) -> None:
    maker(vendor, photo).prepare(SEEN)
    maker(vendor).prepare(JOB_INPUT)
    with pytest.raises(AssertionError):
        maker(vendor).prepare(SEEN)
    assert vendor.calls == []


@pytest.mark.parametrize("kind", ["vision", "answer"])
def test_structured_is_what_the_registry_makes_for(kind: str) -> None:
    assert isinstance(make_provider("openai", kind, settings()), OpenAIStructured)


# What it costs


@pytest.mark.parametrize("model", ["gpt-4o-mini", "gpt-4o", "gpt-4.1-mini"])
def test_structured_price_is_at_least_what_is_charged(
    vendor: FakeOpenAI, photo: Path, model: str
) -> None:
    provider = maker(vendor, photo, model=model)
    cost = provider.submit(SEEN, TOKEN).cost
    assert cost
    assert cost <= provider.price(SEEN) < 20_000


def test_structured_price_of_a_picture_is_its_tokens(vendor: FakeOpenAI) -> None:
    provider = maker(vendor, usd_in=1.0)
    assert provider.price(SEEN) - provider.price(JOB_INPUT) == count_tokens_of_picture(
        "gpt-4o-mini"
    )


@pytest.mark.parametrize(
    ("model", "tokens"),
    [
        ("gpt-4o", 85),
        ("gpt-4o-2024-08-06", 85),
        ("gpt-4.1", 85),
        ("gpt-4o-mini", 2_833),
        ("gpt-4o-mini-2024-07-18", 2_833),
        ("gpt-5", 70),
        ("o1", 75),
        ("gpt-4.1-nano", 2_833),
        ("gpt-5-mini", 2_833),
        ("gpt-5.4", 2_833),
        ("llava", 2_833),
        ("", 2_833),
    ],
)
def test_picture_counts_as_documented_or_as_the_most_of_any_model(model: str, tokens: int) -> None:
    assert count_tokens_of_picture(model) == tokens


def test_structured_cost_is_by_the_tokens_used(vendor: FakeOpenAI) -> None:
    usage = {"prompt_tokens": 1_000, "completion_tokens": 501}
    assert answered(vendor, Fault("fields", "submit", usage=usage)).cost == 451


# What comes back


def test_structured_product_is_the_object_with_model_and_tokens(vendor: FakeOpenAI) -> None:
    result = product(vendor, answered(vendor, said(object=OBJECT, model="gpt-x")))
    assert result == {
        **OBJECT,
        "model": "gpt-x",
        "tokens_in": result["tokens_in"],
        "tokens_out": result["tokens_out"],
    }
    assert result["tokens_in"] > result["tokens_out"] > 0


def test_structured_poll_tells_the_same_as_the_receipt(vendor: FakeOpenAI) -> None:
    receipt = answered(vendor, said(object=OBJECT))
    assert maker(vendor).poll(JOB_INPUT, receipt.external_id) == Succeeded(receipt.answer or {})


def test_structured_lost_reply_is_found_again_and_not_paid_twice(vendor: FakeOpenAI) -> None:
    error = refused(lambda: answered(vendor, Fault("lose_reply", "submit")))
    found = maker(vendor).find(TOKEN)
    assert isinstance(error, UnknownSubmissionError)
    assert found == vendor.charges()[0]["id"]
    assert isinstance(maker(vendor).poll(JOB_INPUT, found), Succeeded)
    assert len(vendor.charges()) == 1


WRAPPED: dict[str, Callable[[str], str]] = {
    "fenced": lambda written: f"```json\n{written}\n```",
    "after thoughts": lambda written: f'<think>Maybe {{"kind": "?"}}</think>\n{written}',
    "between sentences": lambda written: f"Here you are:\n{written}\nHave a nice day!",
    "after a byte order mark": lambda written: f"\ufeff{written}",
    "indented": lambda written: json.dumps(json.loads(written), indent=2),
}


@pytest.mark.parametrize("name", WRAPPED)
def test_structured_object_is_read_however_the_model_wraps_it(
    vendor: FakeOpenAI, name: str
) -> None:
    receipt = answered(vendor, said(content=WRAPPED[name](json.dumps(OBJECT))))
    assert (receipt.answer or {})["object"] == OBJECT


def test_structured_key_and_token_are_in_no_answer(vendor: FakeOpenAI) -> None:
    hidden = "".join(f"\\u{ord(each):04x}" for each in KEY)
    spaced = "\u200b".join(KEY)
    token = "aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789"
    told = {**OBJECT, "name": f"{KEY} {spaced}", "tags": [KEY, token], "parts": {"lid": "HIDDEN"}}
    content = json.dumps(told).replace("HIDDEN", hidden)
    receipt = answered(vendor, said(content=content, model=KEY))
    stored = json.dumps([receipt.answer, product(vendor, receipt)], ensure_ascii=False)
    assert KEY not in stored
    assert token not in stored


# Unusable completions

UNUSABLE: dict[str, tuple[Fault, type[ProviderError], str]] = {
    "refusal": (said(refusal="I cannot\nsay."), PermanentError, "refused"),
    "no content": (said(content=None), PermanentError, "refused"),
    "filter": (said(finish_reason="content_filter"), PermanentError, "content_filter"),
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
    "other choices": (
        Fault("fields", "submit", choices=[7]),
        SubmissionFailedError,
        "bad_answer",
    ),
}


@pytest.mark.parametrize("name", UNUSABLE)
def test_structured_unusable_completion_is_told_by_its_code_with_its_cost(
    vendor: FakeOpenAI, name: str
) -> None:
    fault, kind, code = UNUSABLE[name]
    error = refused(lambda: answered(vendor, fault))
    assert (type(error), error.code) == (kind, code)
    assert error.cost
    assert "(request req_" in error.message
    assert error.message.isprintable()
    assert len(vendor.calls) == 1


def test_structured_misfit_is_told_by_its_member(vendor: FakeOpenAI) -> None:
    told = refused(lambda: answered(vendor, said(object={**OBJECT, "parts": {"lid": 7}}))).message
    assert "parts.lid is not of type string" in told


# A picture that the vendor refuses


def refusal(status: int = 400, **error: Any) -> Fault:
    return Fault("status", "submit", code=status, body={"error": {"message": "no", **error}})


@pytest.mark.parametrize(
    "fault",
    [
        refusal(code="invalid_image"),
        refusal(code="image_parse_error"),
        refusal(code="invalid_image_format"),
        refusal(code="invalid_image_url"),
        refusal(code="image_content_policy_violation"),
        refusal(422, code="invalid_base64_image"),
        refusal(type="image_too_small"),
        refusal(message="You uploaded an unsupported image. Please make sure it is valid."),
        refusal(message="cannot identify image file <_io.BytesIO object>"),
        refusal(message="Failed to load the image"),
        refusal(message="Invalid base64 image_url."),
    ],
    ids=repr,
)
def test_structured_picture_that_the_vendor_cannot_read_is_told_so(
    vendor: FakeOpenAI, photo: Path, fault: Fault
) -> None:
    vendor.script(fault)
    error = refused(lambda: maker(vendor, photo).submit(SEEN, TOKEN))
    assert (type(error), error.code, error.cost) == (PermanentError, "invalid_picture", None)
    assert error.message.startswith("openai: the vendor cannot read the picture: ")
    assert len(vendor.calls) == 1


@pytest.mark.parametrize(
    "fault",
    [
        refusal(code="invalid_value"),
        refusal(code=["invalid_image"], message={"a": 1}),
        refusal(404, code="invalid_image"),
        refusal(message="image_url is only supported by certain models"),
        Fault("status", "submit", code=400, body=b""),
    ],
    ids=repr,
)
def test_structured_other_refusal_is_not_the_pictures(
    vendor: FakeOpenAI, photo: Path, fault: Fault
) -> None:
    vendor.script(fault)
    assert refused(lambda: maker(vendor, photo).submit(SEEN, TOKEN)).code == "provider_refused"


def test_structured_job_without_a_picture_has_no_bad_picture(vendor: FakeOpenAI) -> None:
    error = refused(lambda: answered(vendor, refusal(code="invalid_image")))
    assert error.code == "provider_refused"


def test_structured_model_that_sees_nothing_is_told_with_its_setting(
    vendor: FakeOpenAI, photo: Path
) -> None:
    blind = "Invalid content type. image_url is only supported by certain models."
    vendor.script(refusal(message=blind))
    error = refused(lambda: maker(vendor, photo).submit(SEEN, TOKEN))
    assert error.message.endswith("; set OPENAI_MODEL to a model that sees pictures")


# A server that takes no schema


def formats(vendor: FakeOpenAI) -> list[str]:
    return [call.body["response_format"]["type"] for call in vendor.calls]


def test_structured_server_without_schemas_is_asked_for_an_object_from_then_on(
    vendor: FakeOpenAI,
) -> None:
    vendor.takes_schemas = False
    provider = maker(vendor)
    assert [product(vendor, provider.submit(JOB_INPUT, each))["kind"] for each in "ab"] == [
        "유리병"
    ] * 2
    assert formats(vendor) == ["json_schema", "json_object", "json_object"]
    assert [charge["metadata"]["castad_token"] for charge in vendor.charges()] == ["a", "b"]


def test_structured_server_without_schemas_reads_the_schema_in_words(vendor: FakeOpenAI) -> None:
    vendor.takes_schemas = False
    cost = answered(vendor).cost
    system = vendor.calls[1].body["messages"][0]["content"]
    assert system.startswith("Say what it is.\n\n")
    assert json.loads(system.splitlines()[-1]) == SCHEMA
    assert cost
    assert cost <= maker(vendor).price(JOB_INPUT)


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
def test_structured_schema_is_refused_by_its_name(vendor: FakeOpenAI, fault: Fault) -> None:
    answered(vendor, fault)
    assert formats(vendor) == ["json_schema", "json_object"]


@pytest.mark.parametrize(
    "fault",
    [
        refusal(),
        refusal(401, param="response_format"),
        refusal(429, param="response_format"),
        refusal(500, param="response_format"),
        Fault("status_after", "submit", code=500, body="response_format"),
        Fault("lose_reply", "submit"),
        said(content="response_format"),
    ],
    ids=repr,
)
def test_structured_job_is_sent_again_after_no_other_answer(
    vendor: FakeOpenAI, fault: Fault
) -> None:
    refused(lambda: answered(vendor, fault))
    assert formats(vendor) == ["json_schema"]


def test_structured_schema_is_tried_again_where_no_object_was_taken_either(
    vendor: FakeOpenAI,
) -> None:
    provider, both = maker(vendor), refusal(param="response_format")
    vendor.script(both, both)
    assert refused(lambda: provider.submit(JOB_INPUT, TOKEN)).code == "provider_refused"
    provider.submit(JOB_INPUT, TOKEN)
    assert formats(vendor) == ["json_schema", "json_object", "json_schema"]


def test_structured_second_try_is_not_sent_where_its_sender_holds_it_back(
    vendor: FakeOpenAI,
) -> None:
    vendor.takes_schemas = False
    sends: list[int] = []

    def once() -> None:
        sends.append(1)
        if len(sends) > 1:
            raise RuntimeError("the lease is lost")

    with pytest.raises(TransientError):
        maker(vendor).submit(JOB_INPUT, TOKEN, once)
    assert (len(vendor.calls), vendor.charges()) == (1, [])


# The key


ECHOES: dict[str, Fault] = {
    "400": Fault("status", code=400, body={"error": {"message": f"key {KEY}", "code": KEY}}),
    "picture": refusal(message=f"invalid image {KEY}", code="invalid_image"),
    "refusal": said(refusal=f"{KEY}!"),
    "misfit": said(content=json.dumps({KEY: KEY})),
    "no JSON": said(content=f"{KEY} {KEY}"),
    "request id": Fault("status", code=400, headers={"x-request-id": KEY}),
}


@pytest.mark.parametrize("echo", ECHOES)
def test_structured_key_is_in_no_error(vendor: FakeOpenAI, photo: Path, echo: str) -> None:
    vendor.script(ECHOES[echo])
    error = refused(lambda: maker(vendor, photo).submit(SEEN, TOKEN))
    assert KEY not in repr(error) + "".join(TracebackException.from_exception(error).format())


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
def test_object_that_is_read_fits_the_schema_and_can_be_stored(value: Any) -> None:
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
def test_text_that_is_no_object_is_a_misfit_and_no_other_error(text: str) -> None:
    with pytest.raises(MisfitError):
        read_object(text, SCHEMA, KEY)


@given(ANY_JSON)
def test_completion_of_any_json_has_a_text_or_is_unusable(body: Any) -> None:
    answer = VendorResponse(200, body, None, "summary")
    assert isinstance(text_of(answer, KEY, OpenAIStructured.wanted), str | UnusableCompletion)
    assert is_fault_of_picture(answer) is False


def test_object_is_cut_to_what_is_kept() -> None:
    long = {**OBJECT, "name": "가" * 9_000, "tags": [f"{n}" for n in range(99)]}
    read = read_object(json.dumps(long), SCHEMA, KEY)
    assert read["name"] == "가" * LONGEST_TEXT
    assert read["tags"] == [f"{n}" for n in range(MOST_ITEMS)]


def test_object_has_only_the_members_of_its_schema() -> None:
    assert read_object(json.dumps({**OBJECT, "more": 7}), SCHEMA, KEY) == OBJECT
