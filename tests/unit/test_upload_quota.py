"""A key uploads so much a day, and no key uses up another's."""

from datetime import UTC, datetime, timedelta

import pytest

from castad.api.problems import ApiError
from castad.api.state import UploadQuota

NOON = datetime(2026, 11, 27, 12, tzinfo=UTC)


class Clock:
    now = NOON

    def __call__(self) -> datetime:
        return self.now


def test_key_uploads_as_much_as_a_day_allows_and_no_more():
    quota = UploadQuota(100, Clock())
    quota.take("a", 60)
    with pytest.raises(ApiError, match="40 are left for today") as refused:
        quota.take("a", 41)
    quota.take("a", 40)
    assert (refused.value.code, refused.value.status) == ("upload_quota", 429)
    assert refused.value.headers["Retry-After"] == str(12 * 3600 + 1)


def test_keys_have_a_day_of_their_own():
    quota = UploadQuota(100, Clock())
    quota.take("a", 100)
    quota.take("b", 100)


def test_next_day_begins_again():
    clock = Clock()
    quota = UploadQuota(100, clock)
    quota.take("a", 100)
    clock.now = NOON + timedelta(hours=12)
    quota.take("a", 100)


def test_large_refusals_use_nothing_up():
    quota = UploadQuota(100, Clock())
    for _ in range(5):
        with pytest.raises(ApiError):
            quota.take("a", 101)
    quota.take("a", 100)
