"""Each row of each vendor's table in docs/vendors, as an answer over HTTP."""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.contract.answer_table import AnswerRow, AnswerTable, Meaning, build_error
from resources.contract.errors import (
    OutOfCreditsError,
    PermanentError,
    ProviderError,
    SubmissionFailedError,
    TransientError,
    UnknownSubmissionError,
)
from resources.providers.github.rest_client import GitHubClient
from resources.providers.suno import answers as suno
from tests.contract.answer_rows import PROVIDERS, TABLES, Case, blocks_in, blocks_of, cases_of
from tests.contract.deals import error_of
from tests.contract.subjects import PATIENT, VENDORS, Subject
from tests.fakes.faults import Fault
from tests.fakes.github import FakeGitHub

NAMES = [(vendor, title) for vendor, tables in TABLES.items() for title in tables]
BOUGHT = {
    "openai": "OpenAILyricist",
    "suno": "SunoBand",
    "creatomate": "CreatomateCamera",
    "comfyui": "ComfyUIRenderer",
}
CASES = [case for vendor, title in NAMES for case in cases_of(vendor, title)]
FAILURES = [case for case in CASES if case.table == "failures"]
SUBMISSIONS = [case for case in CASES if case.vendor in BOUGHT and case not in FAILURES]
READS = [case for case in CASES if case.vendor == "github"]
KINDS: dict[str, type[ProviderError]] = {
    "account": OutOfCreditsError,
    "rate": TransientError,
    "content": PermanentError,
    "input": PermanentError,
    "theirs": TransientError,
    "unknown": UnknownSubmissionError,
}


@pytest.fixture(scope="module")
def subjects(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Subject]]:
    """A provider of each vendor that sells something."""
    with ExitStack() as stack:
        yield {
            vendor: stack.enter_context(VENDORS[name](tmp_path_factory.mktemp(vendor)))
            for vendor, name in BOUGHT.items()
        }


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FakeGitHub]:
    with FakeGitHub(tmp_path_factory.mktemp("github")) as fake:
        yield fake


def fault_of(case: Case) -> Fault:
    """The answer to a submission that the case speaks of."""
    if case.table == "envelopes":
        return Fault("envelope", "submit", code=case.status, msg=case.sentence)
    error = {"message": case.sentence, "type": "x", "param": None, "code": case.name or None}
    bodies: dict[str, Any] = {
        "openai": {"error": error},
        "suno": {"message": case.sentence},
        "creatomate": {"hint": case.sentence},
        "comfyui": {"detail": case.sentence},
    }
    return Fault("status", "submit", code=case.status, body=bodies[case.vendor])


def refused(subjects: dict[str, Subject], case: Case) -> tuple[ProviderError, int]:
    """The error that the answer becomes, and how often the vendor was paid."""
    subject = subjects[case.vendor]
    assert subject.vendor is not None
    provider, before = subject.make(PATIENT), len(subject.charges())
    provider.prepare(subject.job_input())
    subject.vendor.script(fault_of(case))
    error = error_of(lambda: provider.submit(subject.job_input(), f"token-of-a-case-{case.status}"))
    return error, len(subject.charges()) - before


def code_of(case: Case) -> str:
    return "submission_unknown" if case.meaning == "unknown" else case.code


@pytest.mark.parametrize("vendor", TABLES)
def test_tables_in_a_vendors_page_are_the_ones_that_are_used(vendor):
    assert blocks_of(vendor) == blocks_in(PROVIDERS / vendor / "answers.md")


@pytest.mark.parametrize(("vendor", "title"), NAMES)
def test_table_has_a_meaning_for_every_status(vendor, title):
    last = TABLES[vendor][title].rows[-1]
    assert (last.status, last.names, last.phrases) == ("any", (), ())


@pytest.mark.parametrize("case", SUBMISSIONS, ids=str)
def test_answer_to_a_submission_means_what_the_page_says(subjects, case):
    error, charged = refused(subjects, case)
    kind = SubmissionFailedError if case.code == suno.REFUNDED else KINDS[case.meaning]
    assert (type(error), error.code, charged) == (kind, code_of(case), 0)
    # The vendor's own words are always told.
    assert " ".join(case.sentence.split()) in error.message
    assert all(setting in error.message for setting in case.check)


@pytest.mark.parametrize("case", [case for case in CASES if case.meaning == "content"], ids=str)
def test_refused_content_says_to_change_the_words(subjects, case):
    error = failure_of(subjects, case) if case in FAILURES else refused(subjects, case)[0]
    assert "; change the " in error.message


def failure_of(subjects: dict[str, Subject], case: Case) -> ProviderError:
    """The vendor's final status of a task that has failed so."""
    subject = subjects[case.vendor]
    assert subject.vendor is not None
    told = {"error_code": case.status, "error_message": case.sentence}
    status = case.name.upper() or "GENERATE_AUDIO_FAILED"
    subject.vendor.script(Fault("final_status", "submit", status=status, **told))
    provider = subject.make(PATIENT)
    task = provider.submit(subject.job_input(), "token-of-a-failure").external_id
    return error_of(lambda: provider.poll(subject.job_input(), task))


@pytest.mark.parametrize("case", FAILURES, ids=str)
def test_failed_task_means_what_the_page_says(subjects, case):
    error = failure_of(subjects, case)
    kind = PermanentError if case.meaning == "content" else SubmissionFailedError
    assert (type(error), error.code) == (kind, case.code)
    assert " ".join(case.sentence.split()) in error.message


@pytest.mark.parametrize("case", READS, ids=str)
def test_githubs_answer_means_what_the_page_says(server, case):
    name, _, value = case.name.partition(": ")
    headers = {name: value or "30"} if name else {}
    body = {"message": case.sentence}
    server.script(Fault("status", "any", code=case.status, body=body, headers=headers))
    client = GitHubClient(server.url, "a-token", deadline_seconds=PATIENT, download_seconds=PATIENT)
    error = error_of(lambda: client.resolve("o", "n", "main"))
    assert (type(error), error.code) == (KINDS[case.meaning], case.code)
    assert " ".join(case.sentence.split()) in error.message


@given(st.sampled_from(NAMES), st.integers(-1, 1_000), st.sets(st.text()), st.text())
def test_any_answer_has_a_meaning_and_is_told(named, status, names, sentence):
    vendor, title = named
    row = TABLES[vendor][title].find_row(status, names, sentence)
    error = build_error(row, vendor, "what it said", advice="change the words")
    assert (error is None) == (row.meaning is Meaning.UNKNOWN)
    assert error is None or error.message.startswith(f"{vendor}: ")
    assert error is None or "what it said" in error.message


def test_row_that_nothing_fits_proves_nothing():
    table = AnswerTable((AnswerRow("400", Meaning.INPUT),))
    assert table.find_row(500).meaning is Meaning.UNKNOWN
