"""The API's keys on the command line, and the first of them."""

import json
import re
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from castad.stack.admin_key import ensure_admin_key
from resources.ledger.db.database import Database, open_database
from resources.ledger.queries.access import Secret, find_active_key, list_keys
from resources.ledger.transitions.access import revoke_key
from resources.process.settings import settings
from tests.command_line import castad


@pytest.fixture
def db(sqlite_ledger_url: str) -> Iterator[Database]:
    database = open_database(settings().ledger_url)
    yield database
    database.close()


def made(*arguments: str) -> str:
    done = castad("key", "create", *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_created_key_opens_what_it_is_for(db):
    secret = Secret.read(made("shop", "--owner", "seoul", "--scope", "read", "--rate", "60"))
    assert secret is not None
    key = find_active_key(db, secret)
    assert key is not None
    assert (key.name, key.owner, [*key.scopes], key.rate_per_minute) == (
        *("shop", "seoul"),
        *(["read"], 60),
    )


def test_created_key_is_for_ordering_and_reading_its_own_by_default(db):
    made("shop")
    [key] = list_keys(db)
    assert (key.owner, sorted(key.scopes), key.rate_per_minute) == ("shop", ["order", "read"], None)


def test_secret_of_a_key_is_nowhere_in_the_ledger(db):
    text = made("shop")
    assert text[-43:].encode() not in (settings().home / "castad.db").read_bytes()
    assert text not in castad("key", "list", "--json").stdout


def test_revoked_key_opens_nothing(db):
    secret = Secret.read(made("shop"))
    assert secret is not None
    assert castad("key", "revoke", secret.id).returncode == 0
    assert find_active_key(db, secret) is None


def test_list_tells_of_revoked_keys_too(db):
    secret = Secret.read(made("shop"))
    assert secret is not None
    castad("key", "revoke", secret.id)
    [key] = json.loads(castad("key", "list", "--json").stdout)["keys"]
    assert key["revoked_at"] is not None


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        (("create", "a b"), "NAME"),
        (("create", "shop", "--owner", "../x"), "--owner"),
        (("create", "shop", "--scope", "root"), "scope"),
        (("create", "shop", "--rate", "0"), "rate"),
        (("revoke", "nobody"), "KEY_ID"),
    ],
)
def test_key_that_cannot_be_is_refused_by_its_field(db, arguments, field):
    done = castad("key", *arguments)
    assert done.returncode == 2
    assert done.stderr.startswith(f"castad: {field}: ")


@given(st.text(max_size=70))
def test_any_text_is_read_as_a_key_or_as_none(text):
    secret = Secret.read(text)
    assert secret is None or secret.text == text


def test_new_keys_are_read_as_they_were_made():
    secret = Secret.new()
    assert Secret.read(secret.text) == secret


def test_two_new_keys_have_nothing_in_common():
    first, second = Secret.new(), Secret.new()
    assert first.id != second.id
    assert first.hash != second.hash


# The first


def opens(db: Database) -> bool:
    secret = Secret.read((settings().home / "admin.key").read_text().strip())
    return secret is not None and find_active_key(db, secret) is not None


def test_first_key_is_an_admins_in_a_file_of_its_owner_alone(db):
    path = ensure_admin_key(db, settings().home)
    assert opens(db)
    assert path.stat().st_mode & 0o077 == 0


def test_first_key_is_made_once(db):
    first = ensure_admin_key(db, settings().home).read_text()
    assert ensure_admin_key(db, settings().home).read_text() == first
    assert len(list_keys(db)) == 1


def test_first_key_is_made_again_where_no_admin_is_left(db):
    ensure_admin_key(db, settings().home)
    revoke_key(db, list_keys(db)[0].id)
    ensure_admin_key(db, settings().home)
    assert opens(db)


def test_no_first_key_is_made_where_there_is_an_admin(db):
    made("boss", "--scope", "admin")
    ensure_admin_key(db, settings().home)
    assert not (settings().home / "admin.key").exists()


def test_key_reads_as_one_word(db):
    assert re.fullmatch(r"castad_[0-9a-f]{12}_[\w-]{43}", made("shop"))
