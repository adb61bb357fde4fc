"""The catalogue of characters as CSV, JSON and snapshot."""

import csv
import io
from contextlib import suppress
from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline_defs.scan.characters.store import (
    COLUMNS,
    load_shipped_snapshot,
    read_csv,
    read_snapshot,
)
from resources.contract.errors import InvalidInputError


def as_csv(rows: list[dict[str, str]]) -> str:
    file = io.StringIO()
    writer = csv.DictWriter(file, COLUMNS)
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue()


def rows() -> list[dict[str, str]]:
    return [asdict(each) for each in load_shipped_snapshot().characters]


def test_csv_is_read_as_it_was_written():
    assert read_csv(as_csv(rows())) == load_shipped_snapshot().characters


def test_snapshot_is_read_as_it_was_written():
    assert read_snapshot(load_shipped_snapshot().to_json()) == load_shipped_snapshot()


def test_code_that_is_there_twice_is_refused():
    with pytest.raises(InvalidInputError, match="code: expected each once"):
        read_csv(as_csv([*rows(), {**rows()[0], "match": "x"}]))


def test_missing_text_is_refused_by_row_and_column():
    with pytest.raises(InvalidInputError, match="row 1: name: expected a text"):
        read_csv(as_csv([{**rows()[0], "name": ""}]))


def test_missing_column_is_refused():
    with pytest.raises(InvalidInputError, match="expected the columns code, name"):
        read_csv("code,name\na,b\n")


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused(text):
    with suppress(InvalidInputError):
        assert read_csv(text)


@pytest.mark.parametrize(
    "stored", ['{"version": 3, "characters": ["x"]}', '{"version": 1e999}', "[]"]
)
def test_stored_text_of_another_form_is_no_snapshot(stored):
    assert read_snapshot(stored) is None


@given(st.text(max_size=100))
def test_any_stored_text_is_a_snapshot_or_none(text):
    read_snapshot(text)
