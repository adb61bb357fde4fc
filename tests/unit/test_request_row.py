from dataclasses import fields

from resources.ledger.request import Request
from resources.ledger.schema.tables import requests


def test_request_has_its_fields_in_the_order_of_the_columns():
    assert [field.name for field in fields(Request)] == list(requests.c.keys())
