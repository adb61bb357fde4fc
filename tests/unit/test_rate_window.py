"""A vendor's window: no more calls than it allows in any span, and a share of it for each kind that waits."""

from hypothesis import given
from hypothesis import strategies as st

from resources.contract.protocol import Rate
from resources.ledger.limits import RateWindow

moments = st.lists(st.floats(0, 100, allow_nan=False), max_size=30)
rates = st.builds(Rate, st.integers(1, 6), st.integers(1, 20))


def window(
    rate: Rate, submissions: list[float], questions: list[float], refused: float = 0
) -> RateWindow:
    return RateWindow(rate, tuple(sorted(submissions)), tuple(sorted(questions)), refused)


@given(rates, st.lists(st.tuples(st.floats(0, 3), st.booleans()), max_size=60))
def test_no_span_holds_more_calls_than_the_vendor_allows(rate, asked):
    at, kept, calls = 0.0, RateWindow(rate), list[float]()
    for pause, is_submission in asked:
        at += pause
        kept = RateWindow.read(kept.text(), rate, at)
        if is_submission and kept.count_room_for_submissions(at) > 0:
            kept, _ = kept.with_submission(at), calls.append(at)
        elif not is_submission and kept.count_room_for_questions(at, submissions_wait=True) > 0:
            kept, _ = kept.with_question(at), calls.append(at)
    for first in calls:
        assert sum(first <= call < first + rate.seconds for call in calls) <= rate.calls


@given(rates, moments, moments, st.floats(0, 100), st.integers(1, 6))
def test_there_is_room_at_the_moment_that_is_told_and_not_before(
    rate, submissions, questions, refused, count
):
    kept = window(rate, submissions, questions, refused)
    if count > rate.calls:
        return
    at = kept.find_next_submission_at(100.0, count)
    assert kept.count_room_for_submissions(at + 1e-6) >= min(count, -(-rate.calls // 3))
    if at > 100.0 and kept.refused_at == 0:
        assert kept.count_room_for_submissions(at - 1e-3) < count


@given(rates, moments)
def test_question_always_has_room_in_the_end(rate, questions):
    kept = window(rate, [], questions)
    at = kept.find_next_question_at(100.0) + 1.02 * rate.seconds
    assert kept.count_room_for_questions(at + 1e-6, submissions_wait=True) > 0


@given(st.text(max_size=40))
def test_whatever_is_stored_is_read(text):
    rate = Rate(2, 10)
    assert RateWindow.read(text, rate, 5.0).count_room_for_submissions(5.0) <= rate.calls
