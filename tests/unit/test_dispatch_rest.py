"""How long the dispatcher rests."""

from hypothesis import given
from hypothesis import strategies as st

from sensors.dispatch_waiter import compute_rest


@given(st.floats(0, 1e9))
def test_rest_after_a_query_is_short_however_long_it_took(seconds):
    assert 0 <= compute_rest(seconds) <= 0.5
