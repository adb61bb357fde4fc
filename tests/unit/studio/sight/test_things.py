import csv

from studio.sight import TABLE, read_things
from studio.waste import MAJORS, MIDDLES, RECYCLABLE, UNKNOWN


def test_every_thing_is_of_a_class_of_waste_that_there_is():
    for index, thing in read_things().items():
        assert 0 <= index < 1000
        assert thing.major in MAJORS
        assert thing.major != UNKNOWN
        assert thing.middle in (MIDDLES if thing.major == RECYCLABLE else (thing.major,))
        assert thing.minor == thing.minor.strip() != ""


def test_the_table_names_each_class_of_imagenet_once_and_in_order():
    with TABLE.open(encoding="utf-8", newline="") as file:
        indexes = [int(row["imagenet"]) for row in csv.DictReader(file)]
    assert indexes == sorted(set(indexes))
    assert indexes == list(read_things())


def test_a_minor_name_is_of_one_class_only():
    classes: dict[str, set[tuple[str, str]]] = {}
    for thing in read_things().values():
        classes.setdefault(thing.minor, set()).add((thing.major, thing.middle))
    assert {minor: of for minor, of in classes.items() if len(of) > 1} == {}
