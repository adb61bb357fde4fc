import math
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any, cast

import pytest
from pydantic import BaseModel, Field
from sqlalchemy import String

from pipeline_defs.image.products import Rendered
from pipeline_defs.scan.products import Classification
from pipeline_defs.song_video.products import Lyric, Song, Video
from resources.contract.errors import (
    OutOfCreditsError,
    PermanentError,
    ProviderError,
    SubmissionFailedError,
    TransientError,
)
from resources.contract.protocol import InProgress, Product, Provider, StageInput
from resources.files.artifacts import StoredArtifact
from resources.ledger.schema.tables import provider_jobs
from tests.contract.deals import TOKEN, Deal, as_stored, error_of, finished, streams_of
from tests.contract.subjects import PATIENT, SUBJECTS, VENDORS, Seen, Subject, words


class Sighted(Classification):
    """A classification with the files that it has not."""

    files: list[StoredArtifact] = Field([])


THREADS = 8
LATER = 3600.0
UNHEARD_OF = "a-token-that-nobody-used-so-far-1"
PRODUCTS: dict[str, type[BaseModel]] = {
    "lyric": Lyric,
    "song": Song,
    "video": Video,
    "render": Rendered,
    "vision": Seen,
    "sight": Sighted,
}
STREAMS = {
    "lyric": [],
    "song": ["Audio"],
    "video": ["Audio", "Video"],
    "render": ["Video"],
    "vision": [],
    "sight": [],
}
ID_COLUMN = cast(String, provider_jobs.c.external_id.type)
SONGS = [name for name in SUBJECTS if "Band" in name]
QUICK = [name for name in SUBJECTS if name != "StudioCamera"]


@pytest.fixture(params=SUBJECTS)
def subject(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Subject]:
    """A provider in a world of its own."""
    with SUBJECTS[request.param](tmp_path) as opened:
        yield opened


@pytest.fixture(scope="module", params=SUBJECTS)
def deal(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Deal]:
    """A purchase that all laws about it look at, since making a film takes its time."""
    with SUBJECTS[request.param](tmp_path_factory.mktemp("deal")) as opened:
        yield Deal(opened)


only_vendors = pytest.mark.parametrize("subject", VENDORS, indirect=True)
only_songs = pytest.mark.parametrize("deal", SONGS, indirect=True)
only_quick = pytest.mark.parametrize("subject", QUICK, indirect=True)


def provider_of(subject: Subject) -> Provider:
    return subject.make(PATIENT)


def refused(subject: Subject) -> ProviderError:
    return error_of(lambda: provider_of(subject).submit(subject.job_input(), TOKEN))


def job_of(subject: Subject) -> str:
    """The id of a job that was taken, also where its final status came at once."""
    provider = provider_of(subject)
    try:
        return provider.submit(subject.job_input(), TOKEN).external_id
    except (SubmissionFailedError, PermanentError):
        return str(provider.find(TOKEN))


def at_once(task: Callable[[int], Any]) -> list[Any]:
    """What the task gives for each of the threads' numbers, all beginning together."""
    begin = Barrier(THREADS)

    def run(number: int) -> Any:
        begin.wait()
        return task(number)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(run, range(THREADS)))


def bought(subject: Subject, provider: Provider, number: int) -> tuple[str, Product]:
    """The id and the product of a job that goes all its way in this thread."""
    job_input, folder = subject.job_input(number), subject.folder / f"thread-{number}"
    folder.mkdir()
    provider.prepare(job_input)
    receipt = provider.submit(job_input, f"token-of-thread-{number}")
    answer = receipt.answer or finished(provider, job_input, receipt.external_id).answer
    assert subject.stage in ("lyric", "vision", "sight") or receipt.external_id in str(answer)
    return receipt.external_id, provider.fetch(job_input, as_stored(answer), folder)


# The price


def test_provider_price_is_a_whole_number_of_micro_dollars(subject):
    price = provider_of(subject).price(subject.job_input())
    assert type(price) is int
    assert price >= 0


def test_provider_price_is_the_same_for_the_same_input(subject):
    job_input: StageInput = as_stored(subject.job_input())
    prices = {
        provider_of(subject).price(given) for given in (job_input, job_input, subject.job_input())
    }
    assert len(prices) == 1


def test_provider_price_asks_nothing_of_the_vendor(subject):
    provider_of(subject).price(subject.job_input())
    assert subject.calls() == 0


def test_provider_price_is_at_least_what_is_charged(deal):
    assert deal.receipt
    assert deal.price >= deal.subject.spent()


def test_provider_tells_what_is_charged(deal):
    assert deal.recorded_cost == deal.subject.spent()


# The submission


def test_provider_prepare_charges_nothing(subject):
    provider_of(subject).prepare(subject.job_input())
    assert subject.charges() == []


def test_provider_is_paid_once_for_all_of_a_purchase(deal):
    assert deal.deliveries
    assert deal.subject.charged_tokens() == ([TOKEN] if deal.subject.vendor else [])


def test_provider_receipt_has_an_id_that_the_ledger_keeps(deal):
    external_id = deal.receipt.external_id
    assert 0 < len(external_id) <= (ID_COLUMN.length or 0)
    assert external_id.isprintable()


def test_provider_receipt_can_be_stored(deal):
    answer, cost = deal.receipt.answer, deal.receipt.cost
    assert as_stored(answer) == answer
    assert cost is None or (type(cost) is int and cost >= 0)


def test_provider_sends_nothing_where_its_sender_holds_it_back(subject):
    provider, job_input = provider_of(subject), subject.job_input()
    seen: list[int] = []

    def hold_back() -> None:
        seen.append(subject.calls())
        raise RuntimeError("the lease is lost")

    provider.prepare(job_input)
    before = subject.calls()
    with pytest.raises((TransientError, RuntimeError)):
        provider.submit(job_input, TOKEN, hold_back)
    assert (set(seen), subject.calls(), subject.charges()) == ({before}, before, [])


# The job


def test_provider_job_that_is_not_done_tells_its_share_or_nothing(subject):
    provider, job_input = provider_of(subject), subject.job_input()
    if subject.vendor:
        subject.vendor.delay = LATER
    external_id = provider.submit(job_input, TOKEN).external_id
    report = provider.poll(job_input, external_id)
    provider.cancel(external_id)
    progress = report.progress if isinstance(report, InProgress) else None
    assert progress is None or 0 <= progress <= 1


def test_provider_job_is_finished_by_another_process(deal):
    assert as_stored(deal.answer) == deal.answer


def test_provider_receipt_and_poll_give_the_same_answer(deal):
    assert deal.receipt.answer in (None, deal.answer)


def test_provider_job_that_failed_ends_with_its_final_status(subject):
    subject.doom()
    external_id = job_of(subject)
    with pytest.raises((SubmissionFailedError, PermanentError)):
        finished(provider_of(subject), subject.job_input(), external_id)


# The product


def test_provider_delivers_the_same_again(deal):
    first, second = deal.deliveries
    assert first.stored == second.stored


def test_provider_product_fits_its_stage(deal):
    stored = deal.deliveries[0].stored
    product = PRODUCTS[deal.subject.stage].model_validate(stored)
    assert product.model_dump(mode="json", exclude_unset=True) == stored


def test_provider_leaves_its_files_in_the_folder_and_nothing_else(deal):
    for delivery in deal.deliveries:
        assert delivery.new_files == frozenset(delivery.product.files)
        assert {file.parent for file in delivery.product.files} <= {delivery.folder}


def test_provider_main_file_can_be_played(deal):
    [*files] = deal.deliveries[0].product.files
    assert [*map(streams_of, files[:1])] == [*filter(None, [STREAMS[deal.subject.stage]])]


def test_provider_video_is_an_mp4(deal):
    files = deal.deliveries[0].product.files
    assert deal.subject.stage != "video" or files[0].read_bytes()[4:8] == b"ftyp"


@only_songs
def test_provider_timeline_lies_within_the_song(deal):
    result = deal.deliveries[0].product.result
    moments = [at for line in result["timeline"] for at in (line["start"], line["end"])]
    assert moments
    assert moments == sorted(moments)
    assert moments[0] >= 0
    assert moments[-1] <= result["seconds"]


@only_songs
def test_provider_timed_words_are_those_of_their_line(deal):
    for line in deal.deliveries[0].product.result["timeline"]:
        assert "".join(text for text, _ in line["chunks"]) == line["text"]
        sung = sum(seconds for _, seconds in line["chunks"])
        assert math.isclose(sung, line["end"] - line["start"], abs_tol=0.01)


# What was lost, and what is not wanted any more


def test_provider_finds_nothing_or_the_id_to_come_of_a_new_token(subject):
    provider = provider_of(subject)
    found = provider.find(UNHEARD_OF)
    # A vendor with books may know for certain that it has no such job: polling its id then tells so.
    if found is not None and subject.vendor is None:
        assert provider.submit(subject.job_input(), UNHEARD_OF).external_id == found
        provider.cancel(found)
    assert subject.charges() == []


def test_provider_finds_nothing_or_the_job_of_its_token(deal):
    expected = deal.receipt.external_id
    assert provider_of(deal.subject).find(TOKEN) in (None, expected)


def test_provider_disowns_no_job_of_its_own(deal):
    assert provider_of(deal.subject).owns(deal.receipt.external_id, TOKEN) in (True, None)


def test_provider_owns_no_job_of_another_token(deal):
    assert provider_of(deal.subject).owns(deal.receipt.external_id, UNHEARD_OF) in (False, None)


def test_provider_cancels_an_unknown_job_without_error(subject):
    provider_of(subject).cancel("job-that-nobody-knows")
    assert subject.charges() == []


def test_provider_cancels_a_finished_job_without_error(deal):
    assert deal.deliveries
    provider_of(deal.subject).cancel(deal.receipt.external_id)


@only_quick
def test_provider_cancels_a_job_that_nobody_fetched_without_error(subject):
    provider, job_input = provider_of(subject), subject.job_input()
    external_id = provider.submit(job_input, TOKEN).external_id
    finished(provider, job_input, external_id)
    provider.cancel(external_id)
    assert subject.charged_tokens() == ([TOKEN] if subject.vendor else [])


# The account


def test_provider_standing_is_one_short_line(subject):
    account_status = provider_of(subject).account_status()
    assert 0 < len(account_status) <= 100
    assert account_status.isprintable()


def test_provider_standing_charges_nothing(subject):
    provider_of(subject).account_status()
    assert subject.charges() == []


@only_vendors
def test_provider_without_credits_says_so_and_takes_nothing(subject):
    assert subject.vendor
    subject.vendor.credits = 0
    assert isinstance(refused(subject), OutOfCreditsError)
    assert subject.charges() == []


@only_vendors
def test_provider_whose_key_is_revoked_says_so_and_takes_nothing(subject):
    assert subject.vendor
    subject.vendor.revoke()
    assert isinstance(refused(subject), OutOfCreditsError)
    assert subject.charges() == []


# Many at once


def test_provider_gives_each_of_eight_threads_its_own_job(subject):
    provider = provider_of(subject)
    tokens = [f"token-of-thread-{number}" for number in range(THREADS)]
    jobs = at_once(
        lambda number: provider.submit(subject.job_input(number), tokens[number]).external_id
    )
    at_once(lambda number: provider.cancel(jobs[number]))
    assert len(set(jobs)) == THREADS
    assert Counter(subject.charged_tokens()) == Counter(tokens if subject.vendor else [])


@only_quick
def test_provider_delivers_to_each_of_eight_threads_what_it_submitted(subject):
    provider = provider_of(subject)
    products = at_once(lambda number: bought(subject, provider, number)[1])
    if subject.stage not in ("video", "render", "sight"):
        for number, product in enumerate(products):
            assert words(number) in str(product.result)
