"""What parts of a stack say: one time a line, and no traces."""

import re
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from castad.stack.up import PartLogReader
from resources.process.configure_logging import get_traceback_log_path, log_traceback, open_log

NOW = datetime(2026, 11, 22, 1, 2, 3, 4000, tzinfo=UTC)
AT_NOW = "2026-11-22T01:02:03.004Z"
TRACE = ["Traceback (most recent call last):", '  File "a.py", line 1', "ValueError: boom"]
STACK = [
    "2026-11-22 00:00:00 +0000 - dagster.daemon - ERROR - the tick failed",
    "Stack Trace:",
    '  File "a.py", line 1',
]


def shown(*lines: str) -> list[tuple[str, str]]:
    part = PartLogReader("code")
    told = [line for text in lines for line in part.feed(f"{text}\n".encode(), NOW)]
    return [(line.at, line.text) for line in [*told, *part.flush(NOW)]]


def test_line_with_a_time_keeps_it_and_has_no_other():
    assert shown("2026-11-22T00:00:00.500Z info castad.worker ready") == [
        ("2026-11-22T00:00:00.500Z", "info castad.worker ready")
    ]


def test_line_of_dagster_is_told_in_the_same_form():
    coloured = (
        "\x1b[32m2026-11-22 10:00:00 +0900\x1b[0m - dagster.daemon - \x1b[31mERROR\x1b[0m - no"
    )
    assert shown(coloured) == [(AT_NOW, "error dagster.daemon no")]


def test_line_without_a_time_has_that_of_its_coming():
    assert shown("the API answers") == [(AT_NOW, "the API answers")]


def test_trace_is_one_line_here_and_whole_in_the_log_file():
    [(_, told)] = shown(*TRACE)
    assert told == f"error ValueError: boom; the trace is in {get_traceback_log_path()}"
    assert "\n".join(TRACE) in get_traceback_log_path().read_text()


def test_trace_ends_with_the_next_line_of_a_log():
    lines = shown(*STACK, "2026-11-22T00:00:00.500Z info castad.sensor well again")
    assert [text.split(";")[0] for _, text in lines] == [
        "error dagster.daemon the tick failed",
        "error unexpected",
        "info castad.sensor well again",
    ]


@given(st.lists(st.binary(max_size=60), max_size=8))
def test_any_bytes_become_lines_with_one_time(raws):
    part = PartLogReader("code")
    lines = [line for raw in raws for line in part.feed(raw, NOW)]
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]{12}Z", line.at) for line in lines)
    assert all(line.text.isprintable() for line in lines)


def test_log_is_put_aside_when_it_is_large(tmp_path):
    log = tmp_path / "a.log"
    for number in range(6):
        with open_log(log) as stream:
            stream.write(f"number {number}".encode())
            stream.truncate(6_000_000)
    kept = {path.name: path.read_text()[:8] for path in tmp_path.iterdir()}
    assert kept == {
        "a.log": "number 5",
        "a.log.1": "number 4",
        "a.log.2": "number 3",
        "a.log.3": "number 2",
    }


def test_trace_of_an_error_is_written_down_with_what_it_is_about():
    log = log_traceback(ValueError("boom"), "castad.run lyric")
    first, last = log.read_text().splitlines()[0], log.read_text().splitlines()[-2]
    assert re.fullmatch(r"\S+Z castad\.run lyric", first)
    assert last == "ValueError: boom"
