from hypothesis import given
from hypothesis import strategies as st

from resources.contract.protocol import Rate
from resources.purchase.polling import compute_poll_delay

SUNO = Rate(20, 10)
seconds = st.floats(0, 1e5)


def pause(age: float, usual: float = 150, in_flight: int = 1, rate: Rate | None = SUNO) -> float:
    return compute_poll_delay(age, usual, shortest=0.5, longest=30, rate=rate, in_flight=in_flight)


@given(seconds)
def test_job_on_this_machine_ends_unseen_for_a_twentieth_of_its_time(age):
    assert pause(age, rate=None) <= max(age / 20, 0.02) + 1e-9


def test_job_on_this_machine_is_asked_at_the_shortest_pause_at_least():
    assert pause(2000, rate=None) == 0.5


def test_job_is_asked_seldom_while_it_cannot_be_done():
    assert pause(0) == 30


def test_job_is_asked_often_about_its_usual_end():
    assert pause(150) < pause(75)
    assert pause(150) < pause(225)


def test_job_that_is_long_overdue_is_asked_seldom_again():
    assert pause(2000) == 30


@given(seconds, seconds, st.integers(1, 10_000))
def test_all_jobs_in_flight_use_at_most_half_of_the_rate(age, usual, in_flight):
    calls_a_second = in_flight / pause(age, usual, in_flight)
    assert calls_a_second <= SUNO.calls / SUNO.seconds / 2 + 1e-9


@given(seconds, seconds)
def test_lonely_job_waits_between_the_shortest_and_the_longest_pause(age, usual):
    assert 0.5 <= pause(age, usual) <= 30
