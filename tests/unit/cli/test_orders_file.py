import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from castad.orders.batch import RefusedOrdersError, check_batch
from castad.orders.orders_file import (
    LARGEST_FILE,
    CheckedOrder,
    RawOrder,
    check_order,
    parse_csv_orders,
    parse_yaml_orders,
    read_orders_file,
)
from pipeline_defs.capabilities import UniqueKey
from resources.contract.errors import InvalidInputError
from tests.small_pipelines import small_pipeline
from tests.song_video import normalize

GOOD = "customer_name,region,task_id,images,max_retries\n"


def accepted(raws: Sequence[RawOrder]) -> list[CheckedOrder]:
    """The checked orders, each task_id once; raises RefusedOrdersError."""
    orders, refused = check_batch(raws, check_order)
    if refused:
        raise RefusedOrdersError(refused)
    return orders


def load_orders(path: Path) -> list[CheckedOrder]:
    return accepted(read_orders_file(path))


def refusal(path: Path) -> str:
    with pytest.raises(InvalidInputError) as refused:
        load_orders(path)
    return refused.value.message


def write(folder: Path, name: str, content: str | bytes) -> Path:
    file = folder / name
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return file


def test_a_csv_row_and_a_yaml_entry_say_the_same_order(tmp_path):
    table = write(tmp_path, "a.csv", GOOD + "Bakery,Jeonju,x,https://a/b.jpg|https://a/c.jpg,5\n")
    entry = write(
        tmp_path,
        "a.yaml",
        "{customer_name: Bakery, region: Jeonju, task_id: x, max_retries: 5,"
        " images: ['https://a/b.jpg', 'https://a/c.jpg']}",
    )
    [of_table], [of_entry] = load_orders(table), load_orders(entry)
    assert of_table.payload == of_entry.payload == normalize(of_entry.payload)
    assert (of_table.task_id, of_table.max_retries) == (of_entry.task_id, of_entry.max_retries)


def test_a_brand_is_a_few_cells_of_a_row(tmp_path):
    header = "customer_name,region,logo,brand_colors,phone,opening_hours"
    row = 'A,B,https://a/logo.png,#E4572E|#29335c,010-1234-5678,"Mon-Fri 9-18\nSun closed"'
    [order] = load_orders(write(tmp_path, "a.csv", f"{header}\n{row}\n"))
    assert order.payload["logo"] == ["https://a/logo.png"]
    assert order.payload["brand_colors"] == ["#e4572e", "#29335c"]
    assert order.payload["phone"] == "010-1234-5678"
    assert order.payload["opening_hours"] == "Mon-Fri 9-18\nSun closed"


def test_an_empty_cell_is_the_default(tmp_path):
    file = write(tmp_path, "a.csv", "customer_name,region,genre,priority\nA,B,,\n")
    [order] = load_orders(file)
    assert order.payload == normalize({"customer_name": "A", "region": "B"})
    assert order.priority is None


@pytest.mark.parametrize("value", ["NA", "null", "None", "1e5", "007", "true", "NaN"])
def test_a_cell_is_text_and_nothing_else(tmp_path, value):
    [order] = load_orders(write(tmp_path, "a.csv", f"customer_name,region\n{value},B\n"))
    assert order.payload["customer_name"] == value


def test_a_csv_is_not_read_beyond_the_first_order_too_many():
    text = "customer_name,region\n" + "A,B\n" * 20_000
    assert len(parse_csv_orders(text, "a.csv")) == 10_001


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_csv_may_end_its_lines_as_any_system_does(end):
    text = end.join(["customer_name,region", f'"A{end}A",B', "C"])
    fields = [raw.fields for raw in parse_csv_orders(text, "a.csv")]
    assert fields == [{"customer_name": f"A{end}A", "region": "B"}, {"customer_name": "C"}]


def test_a_byte_order_mark_is_no_part_of_the_first_column(tmp_path):
    file = write(tmp_path, "a.csv", b"\xef\xbb\xbfcustomer_name,region\nA,B\n")
    assert len(load_orders(file)) == 1


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("customer_name,region\nA,B\nA,\n", "a.csv row 3: region: expected a value, got none"),
        ("customer_name,region\nA,B\n\n\nA,\n", "a.csv row 5: region"),
        ('customer_name,region\n"A\nA",B\nA,\n', "a.csv row 3: region"),
        ("customer_name\nA\n", "a.csv: missing column region"),
        ("customer_name,region,colour\nA,B,red\n", "a.csv: unknown column 'colour'; expected"),
        (
            "customer_name,region,region\nA,B,B\n",
            "a.csv: expected each column once; region is there twice",
        ),
        (
            "customer_name,region\nA,B,C\n",
            "a.csv row 2: expected 2 cells, as the header has; got 3",
        ),
        ("customer_name,region\n", "a.csv: expected at least one order"),
        ("", "a.csv: expected at least one order"),
        (
            "customer_name,region,duration_seconds\nA,B,soon\n",
            "a.csv row 2: duration_seconds: expected a whole number",
        ),
        ("customer_name,region,max_retries\nA,B,-1\n", "a.csv row 2: max_retries: expected"),
        ("customer_name,region,task_id\nA,B,a b\n", "a.csv row 2: task_id: expected"),
        (b"customer_name,region\n\xff,B\n", "a.csv: expected UTF-8 text"),
        ("," * 1_000_000, "a.csv: unknown column ''; expected customer_name"),
        ("customer_name,region\n" + "," * 1_000_000, "a.csv: expected at least one order"),
        (f"customer_name,region\n{'A' * 200_000},B\n", "a.csv: expected CSV: field larger than"),
        ('customer_name,region\n"A,B\n', "a.csv: expected CSV: unexpected end of data"),
        ('customer_name,region\n"A"x,B\n', "a.csv: expected CSV: ',' expected after"),
        ("customer_name,region\n" + "A,B\n" * 10_001, "a.csv: expected at most 10,000 orders"),
    ],
    ids=lambda given: ascii(given)[:60],
)
def test_a_refused_csv_is_told_by_row_and_field(tmp_path, content, expected):
    assert refusal(write(tmp_path, "a.csv", content)).startswith(expected)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("just text", "a.yaml: expected a mapping"),
        ("- customer_name: A\n  region: B\n- 7", "a.yaml entry 2: expected a mapping"),
        ("customer_name: A", "a.yaml: region: expected a value, got none"),
        ("- {customer_name: A, region: B}\n- {customer_name: A}", "a.yaml entry 2: region"),
        ("customer_name: [", "a.yaml: expected YAML"),
        ("!!python/object/apply:os.system ['true']", "a.yaml: expected YAML"),
        ("[" * 100_000, "a.yaml: expected YAML of at most"),
        ("", "a.yaml: expected at least one order"),
    ],
)
def test_a_refused_yaml_is_told_by_entry_and_field(tmp_path, content, expected):
    assert refusal(write(tmp_path, "a.yaml", content)).startswith(expected)


def test_what_cannot_be_read_is_told_in_one_sentence(tmp_path):
    folder = tmp_path / "folder.csv"
    folder.mkdir()
    huge = tmp_path / "huge.yaml"
    with huge.open("wb") as stream:
        os.truncate(stream.fileno(), LARGEST_FILE + 1)
    assert refusal(folder) == "folder.csv: expected a file; this is a folder"
    assert refusal(huge) == "huge.yaml: expected at most 5 MB"
    assert refusal(tmp_path / "none.csv") == "none.csv: cannot be read: No such file or directory"
    assert refusal(tmp_path / "a.xlsx") == "a.xlsx: expected a .yaml or .csv file"


def test_every_order_of_a_file_that_cannot_be_used_is_refused(tmp_path):
    content = "- {customer_name: A}\n- 7\n- {customer_name: A, region: B}\n- {region: B}"
    orders, refused = check_batch(read_orders_file(write(tmp_path, "a.yaml", content)), check_order)
    assert [order.location for order in orders] == ["a.yaml entry 3"]
    assert [(each.location, each.field) for each in refused] == [
        ("a.yaml entry 1", "region"),
        ("a.yaml entry 2", None),
        ("a.yaml entry 4", "customer_name"),
    ]


def test_the_same_order_twice_in_a_file_is_one_order(tmp_path):
    file = write(tmp_path, "a.csv", "customer_name,region,task_id\nA,B,x\nA,B,x\nA,B,\nA,B,\n")
    assert [order.task_id for order in load_orders(file)] == ["x", None, None]


SURVEY = small_pipeline("survey", extras=(UniqueKey(lambda brief: brief.subject),))


def check_survey(fields: Mapping[Any, Any]) -> CheckedOrder:
    return CheckedOrder("", fields.get("task_id"), SURVEY, SURVEY.normalize(fields["order"]))


@pytest.mark.parametrize("names", [(None, None), ("b", "a"), ("a", "a"), ("a", None)])
def test_orders_of_a_file_with_one_unique_key_are_the_first_of_them(names):
    raws = [
        RawOrder(f"entry {remark}", {"task_id": name, "order": {"subject": "a", "remark": remark}})
        for name, remark in zip(names, "12", strict=True)
    ]
    orders, refused = check_batch(raws, check_survey)
    assert ([order.location for order in orders], refused) == (["entry 1"], [])


def test_a_task_id_of_two_orders_is_told_with_both_rows(tmp_path):
    file = write(tmp_path, "a.csv", "customer_name,region,task_id\nA,B,x\nA,C,x\n")
    assert refusal(file).startswith("a.csv row 3: task_id: 'x' is another order in a.csv row 2")


def test_a_task_id_of_two_ways_to_handle_an_order_is_told_with_both_rows(tmp_path):
    file = write(tmp_path, "a.csv", "customer_name,region,task_id,priority\nA,B,x,1\nA,B,x,2\n")
    assert refusal(file).startswith("a.csv row 3: priority: this is the order of a.csv row 2")


def told(read: Callable[[], Any]) -> str:
    """What a refusal says; nothing where there is none."""
    try:
        read()
    except InvalidInputError as error:
        return error.message
    return ""


def checked(text: str, name: str) -> list[CheckedOrder]:
    raws = parse_csv_orders(text, name) if name.endswith(".csv") else parse_yaml_orders(text, name)
    return accepted(raws)


def is_one_sentence(message: str, name: str) -> bool:
    return not message or (message.startswith(name) and len(message.splitlines()) == 1)


CELLS = st.one_of(
    st.sampled_from(["customer_name", "region", "task_id", "images", "max_retries", "", '"', "A"]),
    st.text(max_size=8),
)
TABLES = st.lists(st.lists(CELLS, max_size=4), max_size=5).map(
    lambda rows: "\n".join(",".join(row) for row in rows)
)
YAMLISH = st.lists(
    st.one_of(
        st.sampled_from(
            [
                *("customer_name: A", "\n", "- ", "region: ", "[", "]", "{", "}", "&a ", "*a"),
                *("!!", "|", "<<: ", "? ", "2001-99-99", "0x", ".inf", "max_retries: 3", "%"),
            ]
        ),
        st.text(max_size=5),
    ),
    max_size=12,
).map("".join)


@settings(deadline=None, max_examples=300)
@given(text=st.one_of(TABLES, st.text(max_size=60)))
def test_any_csv_text_gives_orders_or_one_sentence(text):
    assert is_one_sentence(told(lambda: checked(text, "a.csv")), "a.csv")


@settings(deadline=None, max_examples=300)
@given(text=st.one_of(YAMLISH, st.text(max_size=60)))
def test_any_yaml_text_gives_orders_or_one_sentence(text):
    assert is_one_sentence(told(lambda: checked(text, "a.yaml")), "a.yaml")


@settings(
    deadline=None, max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(content=st.binary(max_size=80), kind=st.sampled_from([".csv", ".yaml"]))
def test_any_file_gives_orders_or_one_sentence(tmp_path, content, kind):
    file = write(tmp_path, f"any{kind}", content)
    assert is_one_sentence(told(lambda: load_orders(file)), file.name)


@pytest.mark.parametrize(
    "header",
    [
        "상호,지역,화면 방향",
        "가게 이름,동네,방향",
        "Customer name,REGION,Orientation",
        " customer-name , region,orientation",
    ],
)
@pytest.mark.parametrize("orientation", ["horizontal", "Horizontal", "가로"])
def test_columns_and_choices_are_read_as_people_write_them(tmp_path, header, orientation):
    file = write(tmp_path, "a.csv", f"{header}\n봄날,전주,{orientation}\n")
    [order] = read_orders_file(file)
    assert order.fields == {"customer_name": "봄날", "region": "전주", "orientation": "horizontal"}


def test_unknown_column_is_named_as_it_was_written(tmp_path):
    assert "unknown column '색깔'" in refusal(
        write(tmp_path, "a.csv", "상호,지역,색깔\nA,B,빨강\n")
    )


def test_every_bad_row_is_named_at_once(tmp_path):
    text = "상호,지역,길이\nA,B,soon\nA,B,20\nA,B,20,30\n,B,20\n"
    raws = read_orders_file(write(tmp_path, "a.csv", text))
    _, refused = check_batch(raws, lambda fields: check_order(fields, "x"))
    assert [each.location for each in refused] == [
        "a.csv row 2",
        "a.csv row 4",
        "a.csv row 5",
    ]
