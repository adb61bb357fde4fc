"""What the benchmark of scans reads from streams, and what its page says."""

import json
from collections.abc import Sequence

import pytest

from bench.engine.figures import Figure
from bench.engine.outcome import Outcome
from bench.engine.statistics import Verdict
from bench.scan.counting import count_connections
from bench.scan.fake_openai import build_completion, build_content
from bench.scan.figures import (
    ROWS,
    Timed,
    compute_alone_figures,
    compute_stream_figures,
    format_stage_note,
    judge,
)
from bench.scan.lines import LedgerLines, Reading, Scan, StepLines, has_reward, parse_data
from bench.scan.report import Report, Size, build_ratio_rows, draw_bar, draw_bars, format_page
from bench.scan.side import RUN, SOURCE, STATELESS, TITLES
from bench.scan.source_events import convert_event
from tests.tables import rows_beside

_STEPS = ("vision", "rule", "answer", "reward")


def _data(**said: object) -> bytes:
    return f"data: {json.dumps(said)}\n".encode()


def _step_lines(reward: object) -> list[bytes]:
    lines = [_data(status="started", task_id="s")]
    for name in _STEPS:
        lines.append(_data(step=name, status="started", progress=0))
        last = {"result": {"reward": reward}} if name == "reward" else {}
        lines += [b": \n", b"\n", _data(step=name, status="completed", progress=25, **last)]
    return lines


def _read(reading: Reading, lines: Sequence[bytes]) -> list[bool]:
    """The lines come one a second, the first after one second."""
    return [reading.read(line, float(at)) for at, line in enumerate(lines, 1)]


def _scan(reward: object = "유리") -> Scan:
    reading = StepLines(Scan(asked=0.0))
    _read(reading, _step_lines(reward))
    return reading.scan


def test_the_steps_of_an_answered_scan_last_from_line_to_line():
    scan = _scan()
    assert [step.seconds for step in scan.steps.values()] == [3.0] * 4
    assert (scan.first, scan.reward, scan.total, scan.ended) == (1.0, 3.0, 17.0, 17.0)
    assert scan.is_complete
    assert scan.has_reward


def test_an_answered_scan_ends_with_the_line_of_its_result_only():
    ended = _read(StepLines(Scan(0.0)), _step_lines("유리"))
    assert ended == [False] * 16 + [True]


def test_a_scan_without_a_character_is_complete():
    scan = _scan(None)
    assert scan.is_complete
    assert not scan.has_reward


def test_a_failed_step_ends_the_scan_and_says_why():
    reading = StepLines(Scan(0.0))
    failed = _data(step="vision", status="failed", error={"code": "x", "message": "y"})
    assert _read(reading, [*_step_lines("유리")[:2], failed])[-1]
    assert not reading.scan.is_complete
    assert "'code': 'x'" in reading.scan.failure


def test_a_stream_that_breaks_off_is_not_complete():
    reading = StepLines(Scan(0.0))
    _read(reading, _step_lines("유리")[:-1])
    assert not reading.scan.is_complete
    assert reading.scan.total is None


@pytest.mark.parametrize(
    "line", [b": \r\n", b"1f\r\n", b"id: 4\n", b"data: [1]\n", b"data: {\n", b""]
)
def test_what_is_no_object_of_data_is_passed_over(line):
    assert parse_data(line) is None
    assert not StepLines(Scan(0.0)).read(line, 1.0)


def _ledger_lines(status: str = "completed") -> list[bytes]:
    lines = [b"event: snapshot\n", _data(stage="vision", type="stage_started", at="2026-01-01")]
    for second, name in enumerate(_STEPS):
        began, done = f"1970-01-01T00:00:{second:02}Z", f"1970-01-01T00:00:{second:02}.500Z"
        lines.append(_data(type="stage_started", stage=name, at=began))
        lines += [b"event: progress\n", _data(stage=name, percent=5)]
        lines.append(_data(type="stage_completed", stage=name, at=done))
    lines += [_data(type="stage_started", stage="save", at="1970-01-01T00:00:09Z")]
    result = {"answer": {"text": "t"}, "reward": {"reward": {"name": "유리"}}}
    return [*lines, b"event: end\n", _data(status=status, error="e", result=result)]


def test_the_steps_of_an_order_last_from_event_to_event_of_the_ledger():
    reading = LedgerLines(Scan(asked=0.0))
    ended = _read(reading, _ledger_lines())
    assert [step.seconds for step in reading.scan.steps.values()] == [0.5] * 4
    assert reading.scan.total == 3.5
    assert (ended.index(True), len(ended)) == (len(ended) - 1, len(ended))
    assert reading.scan.is_complete
    assert reading.scan.has_reward


def test_an_order_that_died_is_a_failure():
    reading = LedgerLines(Scan(0.0))
    _read(reading, _ledger_lines("dead"))
    assert reading.scan.failure == "dead: e"
    assert not reading.scan.is_complete


@rows_beside
def test_a_reward_is_found_wherever_the_result_has_it(result, has):
    assert has_reward(result) is has


def test_connections_are_those_established_at_the_servers_port():
    lines = [
        " 0: 0100007F:1538 00000000:0000 0A 0 0",
        " 1: 0100007F:1538 0100007F:A001 01 0 0",
        " 2: 0100007F:A001 0100007F:1538 01 0 0",
        " 3: 0100007F:1538 0100007F:A002 06 0 0",
    ]
    assert count_connections(0x1538, lines) == 1


def _celery(kind: str, uuid: str, **more: object) -> dict[str, object]:
    return {"type": kind, "uuid": uuid, **more}


def test_a_client_of_the_source_design_hears_of_its_own_chain_only():
    started = _celery("task-started", "a/b/answer")
    assert convert_event("a/b", started) == {"step": "answer", "status": "started", "progress": 50}
    assert convert_event("other", started) is None
    assert convert_event("a/b", _celery("task-received", "a/b/answer")) is None
    assert convert_event("a/b", _celery("task-started", "a/b/elsewhere")) is None
    assert convert_event("a/b", {"type": "worker-heartbeat"}) is None


def test_the_last_event_of_a_chain_has_its_result():
    done = _celery("task-succeeded", "s/reward", result="'{\"reward\": null}'")
    said = convert_event("s", done)
    assert said is not None
    assert (said["progress"], said["result"]) == (100, {"reward": None})


@pytest.mark.parametrize(("kind", "steps"), [("array", list), ("object", dict)])
def test_the_model_answers_by_the_schema_that_is_asked(kind, steps):
    properties = {"disposal_steps": {"type": kind}, "user_answer": {}}
    asked = {"response_format": {"json_schema": {"schema": {"properties": properties}}}}
    assert isinstance(build_content(asked)["disposal_steps"], steps)
    assert build_content({})["middle_category"] == "유리병"
    said = build_completion(asked)["choices"][0]["message"]["content"]
    assert json.loads(said) == build_content(asked)


def test_overhead_is_what_the_model_did_not_take():
    timed = [Timed(_scan(), calls=2, model_seconds=each) for each in (16.0, 16.5, 17.0)]
    figures = compute_alone_figures(timed, 0.8)
    assert figures["overhead_800"] == Figure(0.5, "3 scans")
    assert figures["overhead_p95_800"].value == pytest.approx(0.95)
    assert (figures["reward_800"].value, figures["calls"].value) == (3.0, 2)
    assert format_stage_note(timed).startswith("vision 3000.0 ms, rule")


def test_streams_that_did_not_end_lower_the_share():
    lost = Scan(0.0, failure="no end in 120 s")
    figures = compute_stream_figures([_scan(), _scan(None), lost, lost])
    assert figures["streams_done"].value == 50
    assert figures["streams_unrewarded"].value == 50
    assert figures["streams_total"].value == 17.0
    nothing = compute_stream_figures([lost])
    assert nothing["streams_done"].value == 0
    assert nothing["streams_total"].value is None


def _outcomes() -> list[Outcome]:
    source = Outcome(SOURCE, TITLES[SOURCE], {"overhead_0": Figure(0.04), "rate_0": Figure(20)})
    ours = {"overhead_0": Figure(0.02), "reward_0": Figure(0.001), "rate_0": Figure(80)}
    return [source, Outcome(STATELESS, TITLES[STATELESS], ours), Outcome(RUN, TITLES[RUN])]


def test_goals_are_judged_and_what_was_not_measured_has_missed():
    verdicts = {(one.row.key, one.outcome.name): one.verdict for one in judge(_outcomes())}
    assert verdicts["overhead_0", STATELESS] is Verdict.FLOOR
    assert verdicts["reward_0", STATELESS] is Verdict.AIM
    assert verdicts["reward_0", RUN] is Verdict.MISSED
    assert not [key for key in verdicts if key[1] == SOURCE]


def test_more_is_better_in_the_ratio_of_a_rate_only():
    told = {title.partition(",")[0]: times for title, times in build_ratio_rows(_outcomes())}
    assert told == {"overhead of four steps": "2×", "scans a second": "4×"}


def test_the_page_has_every_row_the_published_figures_and_what_failed():
    outcomes = _outcomes()
    outcomes[2].troubles.append("RuntimeError: no answer")
    report = Report("2026-01-01", 1.5, {"processor": "2 × x"}, "Valkey", Size(40, 500, 8), outcomes)
    text = format_page(report)
    assert all(row.title in text for row in ROWS)
    assert "| 95.1 % of 30, 9.3 % of 34 |" in text
    assert f"**{TITLES[RUN]} failed: RuntimeError: no answer**" in text
    assert "| processor | 2 × x |" in text
    assert json.loads(json.dumps(report.as_json()))["goals"]


def test_bars_grow_with_the_figure_and_one_above_nothing_is_seen():
    assert (len(draw_bar(2, 2)), len(draw_bar(1, 2)), len(draw_bar(0.0001, 2)), draw_bar(0, 2)) == (
        40,
        20,
        1,
        "",
    )
    drawn = "\n".join(line.plain for line in draw_bars(_outcomes()))
    assert "overhead of four steps, p50, model at once (less is better)" in drawn
