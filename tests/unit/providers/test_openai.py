import json
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from traceback import TracebackException
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline_defs.song_video.brief import Brief
from pipeline_defs.song_video.stage_inputs import lyric_input
from resources.contract.errors import (
    OutOfCreditsError,
    PermanentError,
    ProviderError,
    SubmissionFailedError,
    TransientError,
    UnknownSubmissionError,
)
from resources.contract.protocol import Receipt, Succeeded
from resources.http.vendor_client import read_response
from resources.providers.openai.completions import (
    ENDINGS,
    TOKEN_FIELD,
    Ending,
    UnusableCompletion,
    classify_ending,
    text_of,
)
from resources.providers.openai.lyricist import MOST_TOKENS_OUT, OpenAILyricist, read_lyric
from tests.contract.answer_rows import PAGES
from tests.fakes.faults import GARBAGE, Fault
from tests.fakes.openai import FakeOpenAI

KEY = "sk-canary-0123456789abcdef"
TOKEN = "token-of-this-submission"
CHEAP = 20_000
BRIEF = Brief(customer_name="스테이 머뭄", region="군산", detail_region_info="말랭이 마을")
JOB_INPUT = lyric_input(BRIEF, "order-1")
WORDS = "Title: 밤\n\n[Verse]\n" + "군산의 밤은 길고 바다는 가까워\n" * 5
REMARK = "Sorry, I can't help with that request because it names a real place."
UNREADABLE = [
    "html",
    "empty",
    "truncated",
    "invalid UTF-8",
    "deep nesting",
    "deep objects",
    "null",
    "a number",
    "NaN",
]
NO_JSON_OF_ITS_KIND = sorted(set(GARBAGE) - {*UNREADABLE, "ten megabytes"})


@pytest.fixture
def vendor(tmp_path: Path) -> Iterator[FakeOpenAI]:
    with FakeOpenAI(tmp_path / "vendor", key=KEY) as fake:
        yield fake


def lyricist(vendor: FakeOpenAI, **changes: Any) -> OpenAILyricist:
    usual: dict[str, Any] = {
        "api_key": KEY,
        "base_url": vendor.url,
        "model": "gpt-4o-mini",
        "usd_in": 0.15,
        "usd_out": 0.6,
        "store": True,
        "deadline_seconds": 20,
    }
    return OpenAILyricist(**{**usual, **changes})


def submitted(vendor: FakeOpenAI, *faults: Fault, **changes: Any) -> Receipt:
    vendor.script(*faults)
    return lyricist(vendor, **changes).submit(JOB_INPUT, TOKEN)


def refused(vendor: FakeOpenAI, *faults: Fault, **changes: Any) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        submitted(vendor, *faults, **changes)
    return caught.value


def told_by(call: Callable[[], object]) -> str:
    """All that anybody could print of what the call returns or raises, its chain of errors included."""
    try:
        return repr(call())
    except ProviderError as error:
        return repr(error) + "".join(TracebackException.from_exception(error).format())


def answer_of(receipt: Receipt) -> Mapping[str, Any]:
    assert receipt.answer is not None
    return receipt.answer


def choice(**changes: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": WORDS, "refusal": None}
    return {"index": 0, "message": message, "finish_reason": "stop", **changes}


# What is sent


def test_openai_sends_the_prompt_of_the_job(vendor: FakeOpenAI) -> None:
    submitted(vendor)
    assert vendor.calls[0].body["messages"] == [
        {"role": "system", "content": JOB_INPUT["prompt"]["system"]},
        {"role": "user", "content": JOB_INPUT["prompt"]["user"]},
    ]


def test_openai_limits_what_an_answer_can_cost(vendor: FakeOpenAI) -> None:
    submitted(vendor)
    assert vendor.calls[0].body["max_completion_tokens"] == MOST_TOKENS_OUT


def test_openai_asks_for_an_answer_that_is_not_compressed(vendor: FakeOpenAI) -> None:
    submitted(vendor)
    assert vendor.calls[0].headers["accept-encoding"] == "identity"


def test_openai_has_the_token_kept_with_the_completion(vendor: FakeOpenAI) -> None:
    submitted(vendor)
    assert vendor.calls[0].body["store"] is True
    assert vendor.calls[0].body["metadata"] == {TOKEN_FIELD: TOKEN}


def test_openai_keeps_nothing_at_the_vendor_where_that_is_not_wanted(vendor: FakeOpenAI) -> None:
    submitted(vendor, store=False)
    assert not {"store", "metadata"} & set(vendor.calls[0].body)


def test_openai_asks_nothing_before_and_after_a_submission(vendor: FakeOpenAI) -> None:
    provider = lyricist(vendor)
    provider.prepare(JOB_INPUT)
    provider.cancel("chatcmpl-1")
    assert vendor.calls == []


# What a lyric costs


def test_openai_price_is_low_enough_to_send_a_lost_job_again(vendor: FakeOpenAI) -> None:
    told = {"customer_name": "가" * 80, "region": "나" * 80, "detail_region_info": "다" * 500}
    longest = BRIEF.model_copy(update={**told, "genre": "라" * 100, "duration_seconds": 120})
    assert 0 < lyricist(vendor).price(lyric_input(longest, "order-1")) < CHEAP / 2


def test_openai_price_is_at_least_what_is_charged(vendor: FakeOpenAI) -> None:
    receipt = submitted(vendor)
    assert receipt.cost is not None
    assert 0 < receipt.cost <= lyricist(vendor).price(JOB_INPUT)


def test_openai_cost_is_by_the_tokens_used(vendor: FakeOpenAI) -> None:
    usage = {"prompt_tokens": 1_000, "completion_tokens": 501}
    receipt = submitted(vendor, Fault("fields", "submit", usage=usage))
    assert receipt.cost == 451


def test_openai_cost_of_a_product_is_that_of_its_receipt(
    vendor: FakeOpenAI, tmp_path: Path
) -> None:
    receipt = submitted(vendor)
    assert lyricist(vendor).fetch(JOB_INPUT, answer_of(receipt), tmp_path).cost == receipt.cost


@pytest.mark.parametrize(
    "usage",
    [
        None,
        [],
        "many",
        {"prompt_tokens": "12", "completion_tokens": 3},
        {"prompt_tokens": -1, "completion_tokens": 3},
        {"prompt_tokens": True, "completion_tokens": 3},
        {"prompt_tokens": 10**30, "completion_tokens": 3},
        {"prompt_tokens": 12.5, "completion_tokens": 3},
        {"prompt_tokens": 12},
    ],
)
def test_openai_cost_is_the_price_where_the_tokens_are_not_told(
    vendor: FakeOpenAI, usage: Any
) -> None:
    receipt = submitted(vendor, Fault("fields", "submit", usage=usage))
    assert receipt.cost == lyricist(vendor).price(JOB_INPUT)


# What comes back


def test_openai_receipt_holds_the_answer(vendor: FakeOpenAI) -> None:
    receipt = submitted(vendor, Fault("completion", "submit", content=WORDS, model="gpt-x"))
    answer = answer_of(receipt)
    assert read_lyric(answer["text"]) == read_lyric(WORDS)
    assert answer["model"] == "gpt-x"
    assert receipt.external_id == vendor.charges()[0]["id"]


def test_openai_product_is_the_lyric(vendor: FakeOpenAI, tmp_path: Path) -> None:
    usage = {"prompt_tokens": 10, "completion_tokens": 20}
    receipt = submitted(vendor, Fault("fields", "submit", choices=[choice()], usage=usage))
    product = lyricist(vendor).fetch(JOB_INPUT, answer_of(receipt), tmp_path)
    assert product.files == ()
    assert product.result == {
        "title": "밤",
        "text": read_lyric(WORDS).text,
        "model": "gpt-4o-mini-2024-07-18",
        "tokens_in": 10,
        "tokens_out": 20,
    }


def test_openai_answer_can_be_stored_whatever_the_model_writes(vendor: FakeOpenAI) -> None:
    message = {"content": f"\x00\ud800\u202e{WORDS}\udfff"}
    fault = Fault("fields", "submit", choices=[choice(message=message)], model="\ud800\x00")
    stored = json.dumps(answer_of(submitted(vendor, fault)), ensure_ascii=False)
    assert stored.encode().decode() == stored
    assert "\\u0000" not in stored


@pytest.mark.parametrize(
    "known", [None, 7, "", "../../files", "a b", "x" * 500, f"id-{KEY}", f"id-{TOKEN}", ["a"]]
)
def test_openai_answer_without_a_usable_id_goes_by_a_name_that_does_not_tell_the_token(
    vendor: FakeOpenAI, known: Any
) -> None:
    named = submitted(vendor, Fault("fields", "submit", id=known)).external_id
    assert (len(named), TOKEN in named) == (32, False)


def test_openai_is_shared_by_threads(vendor: FakeOpenAI) -> None:
    provider = lyricist(vendor)
    with ThreadPoolExecutor(4) as threads:
        tokens = [f"token-{number}" for number in range(8)]
        receipts = list(threads.map(lambda token: provider.submit(JOB_INPUT, token), tokens))
    asked = {charge["metadata"][TOKEN_FIELD]: charge["id"] for charge in vendor.charges()}
    assert [receipt.external_id for receipt in receipts] == [asked[token] for token in tokens]


# Unusable completions

UNUSABLE: dict[str, tuple[Fault, type[ProviderError], str]] = {
    "refusal": (
        Fault("completion", "submit", refusal="I cannot sing\nthat."),
        PermanentError,
        "lyric_refused",
    ),
    "no content": (
        Fault("fields", "submit", choices=[choice(message={"content": None})]),
        PermanentError,
        "lyric_refused",
    ),
    "content filter": (
        Fault("completion", "submit", finish_reason="content_filter"),
        PermanentError,
        "content_filter",
    ),
    "content filter without content": (
        Fault("completion", "submit", content=None, finish_reason="content_filter"),
        PermanentError,
        "content_filter",
    ),
    "length": (
        Fault("completion", "submit", finish_reason="length"),
        SubmissionFailedError,
        "lyric_cut",
    ),
    "length before any word": (
        Fault("completion", "submit", content=None, finish_reason="length"),
        SubmissionFailedError,
        "lyric_cut",
    ),
    "empty": (Fault("completion", "submit", content=""), SubmissionFailedError, "lyric_empty"),
    "blank": (Fault("completion", "submit", content=" \n "), SubmissionFailedError, "lyric_empty"),
    "title alone": (
        Fault("completion", "submit", content="Title: " + "la" * 40),
        SubmissionFailedError,
        "lyric_empty",
    ),
    "marks alone": (
        Fault("completion", "submit", content="[Verse]\n" * 20),
        SubmissionFailedError,
        "lyric_empty",
    ),
    "49 characters": (
        Fault("completion", "submit", content=f"Title: x\n\n  {'a' * 49}  \n"),
        SubmissionFailedError,
        "lyric_too_short",
    ),
    "a remark": (
        Fault("completion", "submit", content=REMARK),
        SubmissionFailedError,
        "bad_answer",
    ),
    "a remark after thoughts": (
        Fault("completion", "submit", content=f"<think>\nTitle: no\n[Verse]\n</think>\n{REMARK}"),
        SubmissionFailedError,
        "bad_answer",
    ),
    "thoughts alone": (
        Fault("completion", "submit", content=f"<think>{WORDS}"),
        SubmissionFailedError,
        "lyric_empty",
    ),
}
BAD_CHOICES: dict[str, Any] = {
    "missing": None,
    "none": [],
    "text": "none",
    "an object": {"0": {}},
    "of numbers": [7],
    "without message": [{"finish_reason": "stop"}],
    "with a list as message": [choice(message=[1])],
    "with a list as content": [choice(message={"content": [{"type": "text"}]})],
    "with a number as content": [choice(message={"content": 7})],
    "without content": [choice(message={"role": "assistant"})],
    "with an unheard reason and no text": [choice(message={}, finish_reason="tool_calls")],
}


@pytest.mark.parametrize("name", UNUSABLE)
def test_openai_unusable_completion_is_told_by_its_code(vendor: FakeOpenAI, name: str) -> None:
    fault, kind, code = UNUSABLE[name]
    error = refused(vendor, fault)
    assert (type(error), error.code) == (kind, code)


@pytest.mark.parametrize("name", UNUSABLE)
def test_openai_unusable_completion_carries_its_cost_and_request(
    vendor: FakeOpenAI, name: str
) -> None:
    error = refused(vendor, UNUSABLE[name][0])
    assert error.cost is not None
    assert error.cost > 0
    assert "(request req_" in error.message


def test_openai_unusable_completion_costs_what_its_tokens_do(vendor: FakeOpenAI) -> None:
    usage = {"prompt_tokens": 1_000, "completion_tokens": 10}
    cut = [choice(finish_reason="length")]
    assert refused(vendor, Fault("fields", "submit", choices=cut, usage=usage)).cost == 156


def test_openai_lyric_of_50_characters_is_long_enough(vendor: FakeOpenAI) -> None:
    receipt = submitted(vendor, Fault("completion", "submit", content=f"Title: x\n\n{'a' * 50}"))
    assert read_lyric(answer_of(receipt)["text"]).text == "a" * 50


def test_openai_remark_instead_of_a_lyric_is_told(vendor: FakeOpenAI) -> None:
    error = refused(vendor, Fault("completion", "submit", content=REMARK))
    assert REMARK in error.message


@pytest.mark.parametrize("mark", ["think", "thinking"])
def test_openai_thoughts_of_a_model_are_neither_stored_nor_sung(
    vendor: FakeOpenAI, mark: str
) -> None:
    said = f"<{mark}>\nTitle: no\n{'a thought ' * 3000}\n</{mark}>\n\n{WORDS}"
    answer = answer_of(submitted(vendor, Fault("completion", "submit", content=said)))
    assert read_lyric(answer["text"]) == read_lyric(WORDS)
    assert "thought" not in answer["text"]


@pytest.mark.parametrize(
    "written",
    [
        "[Verse]\n" + "군산의 밤은 길고 바다는 가까워 우리 함께 걸어요 " * 2,
        "Title: 밤\n" + "군산의 밤은 길고 바다는 가까워 우리 함께 걸어요 " * 2,
        "군산의 밤은 길고 바다는 가까워\n" * 4,
    ],
)
def test_openai_lyric_of_a_small_model_is_taken(vendor: FakeOpenAI, written: str) -> None:
    receipt = submitted(vendor, Fault("completion", "submit", content=written))
    assert answer_of(receipt)["text"]


@pytest.mark.parametrize(
    "reason",
    ["STOP", "eos", "end_turn", "stop_sequence", "tool_calls", "OTHER", "", None, 1, {"a": []}],
    ids=repr,
)
def test_openai_whole_lyric_is_taken_whatever_its_end_is_called(
    vendor: FakeOpenAI, reason: Any
) -> None:
    receipt = submitted(vendor, Fault("fields", "submit", choices=[choice(finish_reason=reason)]))
    assert read_lyric(answer_of(receipt)["text"]) == read_lyric(WORDS)


@given(word=st.text(max_size=30) | st.none() | st.integers())
@settings(deadline=None)
def test_openai_only_a_known_word_ends_a_text(word: Any) -> None:
    body = {"choices": [choice(finish_reason=word)]}
    answer = read_response(httpx.Response(200, json=body), KEY)
    found = text_of(answer, KEY, OpenAILyricist.wanted)
    assert isinstance(found, UnusableCompletion) == (classify_ending(word) is not None)


def test_openai_lyric_in_parts_is_put_together(vendor: FakeOpenAI) -> None:
    parts = [{"type": "text", "text": WORDS[:30]}, {"type": "text", "text": WORDS[30:]}]
    said = [choice(message={"content": parts})]
    receipt = submitted(vendor, Fault("fields", "submit", choices=said))
    assert read_lyric(answer_of(receipt)["text"]) == read_lyric(WORDS)


def finish_reason_of(word: str) -> str:
    return f"FINISH_REASON_{word.upper()}"


ENDS = [
    (spelling(word), ending)
    for ending, words in ENDINGS.items()
    for word in words
    for spelling in (str, str.upper, finish_reason_of, lambda each: each.replace("_", "-"))
]


@pytest.mark.parametrize(("word", "ending"), ENDS)
def test_openai_known_word_of_an_end_stops_the_lyric_and_is_named(
    vendor: FakeOpenAI, word: str, ending: Ending
) -> None:
    error = refused(vendor, Fault("fields", "submit", choices=[choice(finish_reason=word)]))
    code = "content_filter" if ending is Ending.REFUSED else "lyric_cut"
    assert (error.code, word in error.message, bool(error.cost)) == (code, True, True)


def test_openai_error_in_the_middle_of_a_lyric_is_told_in_the_vendors_words(
    vendor: FakeOpenAI,
) -> None:
    broken = choice(finish_reason="error", error={"code": 502, "message": "Upstream is gone"})
    error = refused(vendor, Fault("fields", "submit", choices=[broken]))
    assert "Upstream is gone" in error.message


def test_openai_word_of_an_end_without_a_text_is_named(vendor: FakeOpenAI) -> None:
    error = refused(
        vendor, Fault("fields", "submit", choices=BAD_CHOICES["with an unheard reason and no text"])
    )
    assert "finish_reason tool_calls" in error.message


@pytest.mark.parametrize("word", [word for words in ENDINGS.values() for word in words])
def test_openai_words_of_ends_stand_in_the_vendors_page(word: str) -> None:
    assert f"`{word}`" in (PAGES / "openai.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("shape", ["in a list", "as a text", "without error", "as details"])
def test_openai_refusal_is_read_in_every_shape(vendor: FakeOpenAI, shape: str) -> None:
    said = {"message": "Pay first, please.", "code": "insufficient_quota"}
    body: Any = {
        "in a list": [{"error": said}],
        "as a text": {"error": said["message"], "code": said["code"]},
        "without error": {"object": "error", **said},
        "as details": {
            "error": {"message": said["message"], "details": [{"reason": said["code"]}]}
        },
    }[shape]
    error = refused(vendor, Fault("status", "submit", code=400, body=body))
    assert (type(error), "Pay first, please." in error.message) == (OutOfCreditsError, True)


@pytest.mark.parametrize(
    ("said", "kind"),
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
def test_openai_refusal_under_status_200_is_one(
    vendor: FakeOpenAI, said: dict[str, Any], kind: type[ProviderError]
) -> None:
    body = {"error": {"message": "no", **said}}
    error = refused(vendor, Fault("status", "submit", code=200, body=body))
    assert type(error) is kind


@pytest.mark.parametrize("name", BAD_CHOICES)
def test_openai_answer_without_usable_choices_failed_and_was_charged(
    vendor: FakeOpenAI, name: str
) -> None:
    error = refused(vendor, Fault("fields", "submit", choices=BAD_CHOICES[name]))
    assert (type(error), error.code) == (SubmissionFailedError, "bad_answer")
    assert error.cost


def test_openai_bad_answer_repeats_what_was_said_instead(vendor: FakeOpenAI) -> None:
    error = refused(vendor, Fault("garbage_after", "submit", json={"error": "upstream is busy"}))
    assert "upstream is busy" in error.message


@pytest.mark.parametrize("name", NO_JSON_OF_ITS_KIND)
def test_openai_answer_of_other_json_failed_and_was_charged(vendor: FakeOpenAI, name: str) -> None:
    error = refused(vendor, Fault("garbage_after", "submit", raw=GARBAGE[name]))
    assert (type(error), error.code) == (SubmissionFailedError, "bad_answer")
    assert error.cost == lyricist(vendor).price(JOB_INPUT)


# What went wrong on the way

UNKNOWN: dict[str, Fault] = {
    "reset before": Fault("reset", "submit"),
    "500 before": Fault("status", "submit", code=500),
    "503 before": Fault("status", "submit", code=503, headers={"Retry-After": "1"}),
    "408": Fault("status", "submit", code=408),
    "lost": Fault("lose_reply", "submit"),
    "reset after": Fault("reset_after", "submit"),
    "502 after": Fault("status_after", "submit", code=502),
    "cut in the middle": Fault("truncate", "submit"),
    "told to be sent again": Fault(
        "status_after", "submit", code=500, headers={"x-should-retry": "true", "Retry-After": "0"}
    ),
    "unheard charset": Fault(
        "status_after",
        "submit",
        code=500,
        body=b"\xff",
        headers={"Content-Type": "a/b; charset=hex"},
    ),
    "redirect": Fault("redirect", "submit", location="http://127.0.0.1:1/"),
    "redirect 303": Fault("redirect", "submit", code=303, location="http://127.0.0.1:1/"),
    "499": Fault("status", "submit", code=499),
    "six megabytes": Fault("garbage_after", "submit", megabytes=6),
    **{name: Fault("garbage_after", "submit", raw=GARBAGE[name]) for name in UNREADABLE},
}
HANGS: dict[str, Fault] = {
    "headers": Fault("hang_headers", "submit"),
    "after": Fault("hang_after", "submit"),
    "body": Fault("hang_body", "submit"),
    "drip": Fault("drip_body", "submit", pause=0.05),
}
REFUSALS: dict[str, tuple[Fault, type[ProviderError], str]] = {
    **{
        f"redirect {code}": (
            Fault("redirect", "submit", code=code, location="http://127.0.0.1:1/"),
            PermanentError,
            "provider_refused",
        )
        for code in (301, 307, 308)
    },
    "400": (Fault("status", "submit", code=400), PermanentError, "provider_refused"),
    "404": (Fault("status", "submit", code=404), PermanentError, "provider_refused"),
    "413": (Fault("status", "submit", code=413), PermanentError, "provider_refused"),
    "422": (Fault("status", "submit", code=422), PermanentError, "provider_refused"),
    "409": (Fault("status", "submit", code=409), TransientError, "provider_unavailable"),
    "429": (Fault("rate_limited", "submit"), TransientError, "rate_limited"),
    "429 of nothing": (
        Fault("status", "submit", code=429, body=b""),
        TransientError,
        "rate_limited",
    ),
    "429 of wrong types": (
        Fault("status", "submit", code=429, body={"error": {"type": {}, "code": [1]}}),
        TransientError,
        "rate_limited",
    ),
    "402": (Fault("status", "submit", code=402), OutOfCreditsError, "out_of_credits"),
    "quota": (Fault("out_of_credits", "submit"), OutOfCreditsError, "out_of_credits"),
    "401": (Fault("refused_key", "submit"), OutOfCreditsError, "key_refused"),
    "403": (Fault("status", "submit", code=403), OutOfCreditsError, "key_refused"),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_openai_job_without_a_readable_answer_is_unknown(vendor: FakeOpenAI, name: str) -> None:
    assert type(refused(vendor, UNKNOWN[name])) is UnknownSubmissionError


@pytest.mark.parametrize("name", HANGS)
def test_openai_job_that_hangs_is_unknown(vendor: FakeOpenAI, name: str) -> None:
    submitted(vendor)  # so that loading the SDK takes no time of the deadline
    vendor.script(HANGS[name])
    with pytest.raises(UnknownSubmissionError):
        lyricist(vendor, deadline_seconds=0.6).submit(JOB_INPUT, TOKEN)


@pytest.mark.parametrize("name", REFUSALS)
def test_openai_refusal_is_told_by_its_status(vendor: FakeOpenAI, name: str) -> None:
    fault, kind, code = REFUSALS[name]
    error = refused(vendor, fault)
    assert (type(error), error.code, error.cost) == (kind, code, None)


@pytest.mark.parametrize(
    "fault",
    [*UNKNOWN.values(), *(fault for fault, _, _ in [*REFUSALS.values(), *UNUSABLE.values()])],
    ids=[*UNKNOWN, *REFUSALS, *UNUSABLE],
)
def test_openai_job_is_sent_once_whatever_happens(vendor: FakeOpenAI, fault: Fault) -> None:
    refused(vendor, fault)
    assert len(vendor.calls) == 1


def test_openai_job_is_not_sent_where_nobody_listens(tmp_path: Path) -> None:
    with FakeOpenAI(tmp_path) as gone:
        url = gone.url
    with pytest.raises(TransientError) as caught:
        lyricist(gone, base_url=url).submit(JOB_INPUT, TOKEN)
    assert caught.value.code == "provider_unreachable"


@pytest.mark.parametrize(
    "code",
    [
        "insufficient_quota",
        "credit_balance_exhausted",
        "organization_spend_limit_exceeded",
        "project_spend_limit_exceeded",
        "organization_usage_limit_exceeded",
    ],
)
@pytest.mark.parametrize("field", ["type", "code"])
def test_openai_quota_is_told_from_the_rate_limit(
    vendor: FakeOpenAI, field: str, code: str
) -> None:
    body = {"error": {"message": "no", "param": None, "type": "x", "code": None, field: code}}
    assert (
        type(refused(vendor, Fault("status", "submit", code=429, body=body))) is OutOfCreditsError
    )


@pytest.mark.parametrize("as_date", [False, True])
def test_openai_rate_limit_says_how_long_to_wait(vendor: FakeOpenAI, as_date: bool) -> None:
    vendor.clock_offset = 7_200
    error = refused(vendor, Fault("rate_limited", "submit", retry_after=30, as_date=as_date))
    assert isinstance(error, TransientError)
    assert error.retry_after == pytest.approx(30, abs=2)


def test_openai_rate_limit_may_say_nothing(vendor: FakeOpenAI) -> None:
    error = refused(vendor, Fault("rate_limited", "submit"))
    assert isinstance(error, TransientError)
    assert error.retry_after is None


def test_openai_refusal_repeats_the_vendors_words_and_request(vendor: FakeOpenAI) -> None:
    error = refused(vendor, model="gpt-none")
    assert "The model `gpt-none` does not exist" in error.message
    assert "(request req_" in error.message


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
def test_openai_redirect_names_the_setting_that_leads_there(vendor: FakeOpenAI, code: int) -> None:
    fault = Fault("redirect", "submit", code=code, location="http://127.0.0.1:1/")
    assert refused(vendor, fault).message.endswith("; check OPENAI_BASE_URL")


def test_openai_model_that_is_not_there_names_the_settings_that_chose_it(
    vendor: FakeOpenAI,
) -> None:
    told = refused(vendor, model="gpt-none").message
    assert told.endswith("; check OPENAI_BASE_URL and OPENAI_MODEL")


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "Unrecognized request argument supplied: store"}},
        {"error": {"message": "Unknown parameter", "param": "metadata"}},
        {"detail": [{"loc": ["body", "store"], "msg": "Extra inputs are not permitted"}]},
        "The 'Metadata' parameter is not supported.",
    ],
)
def test_openai_server_that_knows_no_storing_is_told_with_its_setting(
    vendor: FakeOpenAI, body: Any
) -> None:
    error = refused(vendor, Fault("status", "submit", code=400, body=body))
    assert error.message.endswith("; set OPENAI_STORE=false")


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "Invalid 'messages'."}},
        "A bookstore is restored.",
        {"error": [7]},
        b"",
    ],
)
def test_openai_other_refusal_has_nothing_to_do_with_storing(vendor: FakeOpenAI, body: Any) -> None:
    assert (
        "OPENAI_STORE"
        not in refused(vendor, Fault("status", "submit", code=400, body=body)).message
    )


def test_openai_refusal_is_one_short_line(vendor: FakeOpenAI) -> None:
    body = {"error": {"message": "no\n\x1b[31m" * 10_000}}
    headers = {"x-request-id": "r" * 5_000}
    error = refused(vendor, Fault("status", "submit", code=400, body=body, headers=headers))
    assert error.message.isprintable()
    assert len(error.message) < 500


# The key


ECHOES: dict[str, Fault] = {
    "401": Fault("refused_key", echo=True),
    **{
        f"{code} {type(body).__name__}": Fault("status", code=code, body=body)
        for code in (400, 403, 404, 409, 429, 500)
        for body in ({"error": {"message": f"key {KEY}", "code": KEY}}, f"key {KEY} {KEY}", [KEY])
    },
    "request id": Fault("status", code=400, headers={"x-request-id": KEY}),
    "refusal": Fault("fields", choices=[choice(message={"content": None, "refusal": f"{KEY}!"})]),
    "garbage": Fault("garbage_after", raw=f"<{KEY}>"),
    "redirect": Fault("redirect", location=f"http://127.0.0.1:1/{KEY}"),
    "lost": Fault("lose_reply"),
}
ASK: dict[str, Callable[[OpenAILyricist], object]] = {
    "submit": lambda provider: provider.submit(JOB_INPUT, TOKEN),
    "owns": lambda provider: provider.owns("chatcmpl-1", TOKEN),
    "poll": lambda provider: provider.poll(JOB_INPUT, "chatcmpl-1"),
    "standing": lambda provider: provider.account_status(),
}


@pytest.mark.parametrize("echo", ECHOES)
@pytest.mark.parametrize("question", ASK)
def test_openai_key_is_in_no_error(vendor: FakeOpenAI, question: str, echo: str) -> None:
    vendor.script(ECHOES[echo])
    provider = lyricist(vendor)
    assert KEY not in told_by(lambda: ASK[question](provider)) + repr(provider)


def test_openai_key_is_in_no_answer(vendor: FakeOpenAI, tmp_path: Path) -> None:
    said = {"content": f"{WORDS}{KEY}"}
    fault = Fault("fields", "submit", choices=[choice(message=said)], model=KEY, id=KEY)
    receipt = submitted(vendor, fault)
    product = lyricist(vendor).fetch(JOB_INPUT, answer_of(receipt), tmp_path)
    assert KEY not in repr(receipt) + repr(product)


def test_openai_key_is_in_no_log(vendor: FakeOpenAI, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("DEBUG"):
        refused(vendor, Fault("refused_key", echo=True))
    assert KEY not in caplog.text


# A lost submission


def test_openai_lost_reply_is_found_again_and_not_paid_twice(vendor: FakeOpenAI) -> None:
    refused(vendor, Fault("lose_reply", "submit"))
    provider = lyricist(vendor)
    found = provider.find(TOKEN)
    assert found == vendor.charges()[0]["id"]
    report = provider.poll(JOB_INPUT, found)
    assert isinstance(report, Succeeded)
    assert set(report.answer) == {"text", "model", "tokens_in", "tokens_out"}
    assert len(vendor.charges()) == 1


def test_openai_poll_tells_the_same_as_the_receipt(vendor: FakeOpenAI) -> None:
    receipt = submitted(vendor)
    report = lyricist(vendor).poll(JOB_INPUT, receipt.external_id)
    assert report == Succeeded(answer_of(receipt))


def test_openai_finds_nothing_of_another_token(vendor: FakeOpenAI) -> None:
    submitted(vendor)
    assert lyricist(vendor).find("another") is None


def test_openai_finds_nothing_before_the_vendor_lists_it(vendor: FakeOpenAI) -> None:
    vendor.listing_delay = 3_600
    submitted(vendor)
    assert lyricist(vendor).find(TOKEN) is None


def test_openai_looks_for_nothing_where_nothing_is_kept(vendor: FakeOpenAI) -> None:
    assert lyricist(vendor, store=False).find(TOKEN) is None
    assert vendor.calls == []


@pytest.mark.parametrize("code", [400, 401, 404, 405, 429, 500, 501])
def test_openai_finds_nothing_where_the_server_keeps_no_list(vendor: FakeOpenAI, code: int) -> None:
    vendor.script(Fault("status", "lookup", code=code))
    assert lyricist(vendor).find(TOKEN) is None


@pytest.mark.parametrize("kind", ["reset", "lose_reply", "truncate", "html"])
def test_openai_finds_nothing_where_the_list_is_lost(vendor: FakeOpenAI, kind: str) -> None:
    submitted(vendor)
    vendor.script(Fault(kind, "lookup"))
    assert lyricist(vendor).find(TOKEN) is None


@pytest.mark.parametrize(
    "listed",
    [
        None,
        {},
        "all",
        [7, None, [], {}],
        [{"id": "chatcmpl-1", "metadata": None}],
        [{"id": "chatcmpl-1", "metadata": {}}],
        [{"id": "chatcmpl-1", "metadata": {TOKEN_FIELD: "another"}}],
        [{"id": "chatcmpl-1"}],
        [{"id": 7, "metadata": {TOKEN_FIELD: TOKEN}}],
        [{"id": "../models", "metadata": {TOKEN_FIELD: TOKEN}}],
    ],
)
def test_openai_takes_no_completion_for_its_own_that_does_not_show_the_token(
    vendor: FakeOpenAI, listed: Any
) -> None:
    vendor.script(Fault("fields", "lookup", data=listed))
    assert lyricist(vendor).find(TOKEN) is None


def test_openai_owns_the_completion_of_its_token(vendor: FakeOpenAI) -> None:
    assert lyricist(vendor).owns(submitted(vendor).external_id, TOKEN) is True


def test_openai_owns_no_completion_of_another_token(vendor: FakeOpenAI) -> None:
    assert lyricist(vendor).owns(submitted(vendor).external_id, "another") is False


@pytest.mark.parametrize("metadata", [None, {}, [], "token", {TOKEN_FIELD: None}, {TOKEN_FIELD: 7}])
def test_openai_completion_that_shows_no_token_may_be_anybodys(
    vendor: FakeOpenAI, metadata: Any
) -> None:
    receipt = submitted(vendor)
    vendor.script(Fault("fields", "lookup", metadata=metadata))
    assert lyricist(vendor).owns(receipt.external_id, TOKEN) is None


def test_openai_completion_that_does_not_exist_is_nobodys(vendor: FakeOpenAI) -> None:
    with pytest.raises(PermanentError) as caught:
        lyricist(vendor).owns("chatcmpl-unheard-of", TOKEN)
    assert caught.value.code == "job_unknown"


@pytest.mark.parametrize(
    "fault",
    [
        Fault("lose_reply", "lookup"),
        Fault("fields", "lookup", id="another"),
        Fault("redirect", "lookup", code=308, location="http://127.0.0.1:1/"),
        *(Fault("status", "lookup", code=code) for code in (400, 404, 405, 429, 500)),
    ],
    ids=repr,
)
def test_openai_question_whose_completion_it_is_may_be_asked_again(
    vendor: FakeOpenAI, fault: Fault
) -> None:
    receipt = submitted(vendor)
    vendor.script(fault)
    with pytest.raises(TransientError):
        lyricist(vendor).owns(receipt.external_id, TOKEN)
    assert lyricist(vendor).owns(receipt.external_id, TOKEN) is True


def test_openai_question_with_a_key_that_is_refused_says_so(vendor: FakeOpenAI) -> None:
    receipt = submitted(vendor)
    vendor.revoke()
    with pytest.raises(OutOfCreditsError):
        lyricist(vendor).owns(receipt.external_id, TOKEN)


def test_openai_poll_of_what_is_not_kept_says_it_is_lost(vendor: FakeOpenAI) -> None:
    with pytest.raises(SubmissionFailedError) as caught:
        lyricist(vendor).poll(JOB_INPUT, "chatcmpl-unheard-of")
    assert caught.value.code == "submission_lost"


@pytest.mark.parametrize(
    "fault",
    [
        Fault("reset", "lookup"),
        Fault("lose_reply", "lookup"),
        Fault("html", "lookup"),
        Fault("rate_limited", "lookup", retry_after=3),
        *(Fault("status", "lookup", code=code) for code in (400, 405, 408, 409, 422, 500, 503)),
    ],
    ids=repr,
)
def test_openai_poll_that_goes_wrong_is_no_final_status(vendor: FakeOpenAI, fault: Fault) -> None:
    receipt = submitted(vendor)
    vendor.script(fault)
    with pytest.raises(TransientError):
        lyricist(vendor).poll(JOB_INPUT, receipt.external_id)


def test_openai_poll_tells_what_a_stored_completion_holds(vendor: FakeOpenAI) -> None:
    error = refused(vendor, Fault("completion", "submit", refusal="no"))
    with pytest.raises(PermanentError) as caught:
        lyricist(vendor).poll(JOB_INPUT, vendor.charges()[0]["id"])
    assert (caught.value.code, caught.value.cost) == (error.code, error.cost)


# The account


def test_openai_standing_names_the_model(vendor: FakeOpenAI) -> None:
    assert lyricist(vendor).account_status() == "gpt-4o-mini answers"
    assert vendor.charges() == []


def test_openai_standing_of_an_unknown_model_says_so(vendor: FakeOpenAI) -> None:
    with pytest.raises(PermanentError, match="gpt-none"):
        lyricist(vendor, model="gpt-none").account_status()


def test_openai_standing_of_a_revoked_key_says_so(vendor: FakeOpenAI) -> None:
    vendor.revoke()
    with pytest.raises(OutOfCreditsError) as caught:
        lyricist(vendor).account_status()
    assert caught.value.code == "key_refused"
