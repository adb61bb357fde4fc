"""A report looks the same on every face, and text out of the ledger does no harm on any."""

import csv
import io
import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from castad.cli.reports import build_report_table
from resources.files.markup import escape_invisible
from resources.ledger.queries.hours import HourlyReport, StageFigures, Unusual
from resources.views.report import (
    HOUR,
    Language,
    ReportBody,
    build_report,
    describe_unusual,
    format_csv,
    load_words,
    render_report,
)
from tests.html_elements import ALLOWED, HOSTILE, Elements

AT = datetime(2030, 1, 31, 9, tzinfo=UTC)
NAMES = st.one_of(st.just(HOSTILE), st.sampled_from(["=1+1", "@x", "＝1+1", "|a|b|"]), st.text())
SLOW = Unusual("p95", 30.0, 3.0, 1.05, 7)
DEAR = Unusual("cost", 2_000_000, 500_000, 175_000, 5)
WORDS = StageFigures(
    *("ads", "words", 20, 2, 1, 2.0, 30.0, 41.5, 2_000_000),
    codes={"timeout": 2},
    unusual=(SLOW, DEAR),
)


def report(*stages: StageFigures, at: datetime = AT, made: datetime | None = None) -> ReportBody:
    return build_report(HourlyReport(at, made or at + HOUR, stages))


def named(name: str) -> ReportBody:
    """A report in which every text is `name`."""
    stage = replace(WORDS, pipeline=name, stage=name, codes={name: 2})
    return report(stage, StageFigures(name, ""))


def printed(of: ReportBody, language: Language = "en") -> str:
    console = Console(file=io.StringIO(), width=1000, force_terminal=False)
    console.print(build_report_table(of, load_words(language)))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.mark.parametrize("language", ["en", "ko"])
@given(name=NAMES)
def test_page_holds_its_own_elements_only(language, name):
    elements = Elements(render_report(named(name), language))
    assert elements.open == []
    assert elements.names <= ALLOWED
    assert not {
        each for each in elements.attributes if each.startswith("on") or each in ("href", "src")
    }


@given(name=NAMES)
def test_terminal_prints_no_control_character(name):
    assert all(each == "\n" or escape_invisible(each) == each for each in printed(named(name)))


@given(name=NAMES)
def test_csv_has_a_line_for_each_stage_and_no_formula(name):
    lines = list(csv.reader(io.StringIO(format_csv(named(name)))))
    assert [len(line) for line in lines] == [len(lines[0])] * 3
    texts = [cell for line in lines[1:] for cell in (line[1], line[2], line[-2])]
    assert not [text for text in texts if text.startswith(tuple("=+-@＝＋－＠"))]


@given(name=NAMES)
def test_json_of_any_names_can_be_read(name):
    body = json.loads(named(name).model_dump_json())
    assert body["stages"][1]["stage"] is None


def test_json_tells_money_in_dollars():
    [stage] = report(WORDS).stages
    assert (stage.cost_usd, stage.count, stage.failure_rate) == (2.0, 22, 0.090909)
    slow, dear = stage.unusual
    assert (slow.figure, slow.value, slow.usual) == ("p95_seconds", 30.0, 3.0)
    assert (dear.figure, dear.value, dear.usual, dear.margin) == ("cost_usd", 2.0, 0.5, 0.175)


@pytest.mark.parametrize("language", ["en", "ko"])
def test_every_face_says_what_is_unusual_and_how_usual_it_would_be(language):
    said = load_words(language)["usual_range"].format(usual="3.0 s", margin="1.1 s", days=7)
    assert said in Elements(render_report(report(WORDS), language)).text
    assert said in printed(report(WORDS), language)
    assert said in describe_unusual(report(WORDS), load_words(language))[0]


def test_unusual_cost_of_nothing_is_said_though_a_table_leaves_it_blank():
    free = replace(WORDS, cost=0, unusual=(Unusual("cost", 0.0, 500_000, 175_000, 5),))
    shown = printed(report(free))
    assert "Cost: 0.0000 USD, usually 0.5000 USD" in shown
    assert shown.count("0.0000 USD") == 1


def test_hour_without_executions_prints_no_number_that_is_none():
    empty = report(StageFigures("ads", "words"))
    for shown in (render_report(empty, "en"), printed(empty), format_csv(empty)):
        assert "nan" not in shown.lower().replace("unusual", "")
        assert "inf" not in shown.lower()


def test_title_names_the_whole_hour_also_at_midnight():
    late = report(at=AT.replace(hour=23))
    assert "Report of 2030-01-31, 23:00 to 00:00 UTC" in printed(late)


@pytest.mark.parametrize("language", ["en", "ko"])
def test_every_face_says_that_the_running_hour_is_not_finished(language):
    running = report(WORDS, made=AT + HOUR / 2)
    said = load_words(language)["unfinished"].format(at="2030-01-31 09:30:00 UTC")
    assert not running.finished
    assert said in printed(running, language)
    assert said in Elements(render_report(running, language)).text


def test_plot_is_labelled_as_the_figures_beside_it():
    shown = Elements(render_report(report(WORDS), "en")).text
    assert shown.count("0 – 41.5 s") == 1
    assert shown.count("41.5 s") == 3
