"""Keys that hold a canary, and all that orders leave behind in which it may be looked for."""

import base64
import sqlite3
import subprocess
import zlib
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex
from typing import Any

from sqlalchemy import create_engine, inspect, make_url, text

from tests.command_line import Done, castad
from tests.fakes.faults import Fault
from tests.integration.vendor_house import Vendors

CORE = token_hex(16)
"""What every key has in common. No way of quoting a text changes a hexadecimal digit."""
KEYS = {name: f"Canary/{CORE}+{name}=" for name in ("openai", "suno", "creatomate")}


def forms(secret: str) -> list[bytes]:
    """As it is, and as it looks inside base64 of anything, at each of the three ways it may fall."""
    raw = secret.encode()
    inner = [base64.b64encode(b"\0" * shift + raw)[4 if shift else 0 : -4] for shift in range(3)]
    return [raw, *inner]


def leaks(secret: str, *places: bytes) -> list[bytes]:
    """What of the places holds the secret, with a little of what is around it."""
    found = []
    for place in places:
        for form in forms(secret):
            at = place.find(form)
            if at >= 0:
                found.append(place[max(0, at - 120) : at + 40])
    return found


def unpacked(value: Any) -> Iterator[bytes]:
    """A column's value as bytes, and what is packed inside."""
    raw = bytes(value) if isinstance(value, bytes | memoryview) else str(value).encode()
    yield raw
    with suppress(zlib.error):
        yield zlib.decompress(raw)


def sqlite_values(file: Path) -> Iterator[bytes]:
    with closing(sqlite3.connect(file)) as connection:
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        for (table,) in tables.fetchall():
            for row in connection.execute(f'SELECT * FROM "{table}"'):
                for value in row:
                    yield from unpacked(value)


def postgres_values(url: str) -> Iterator[bytes]:
    engine = create_engine(url)
    with engine.connect() as connection:
        for table in inspect(connection).get_table_names():
            for row in connection.execute(text(f'SELECT * FROM "{table}"')):
                for value in row:
                    yield from unpacked(value)
    engine.dispose()


@dataclass
class Evidence:
    """All that orders left behind: what was said, and where the rest lies."""

    home: Path
    database_url: str | None
    said: list[str] = field(default_factory=list)
    answered: list[str] = field(default_factory=list)
    logged: list[str] = field(default_factory=list)
    api_keys: list[str] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)

    def hears(self, done: "Done | subprocess.CompletedProcess[str]") -> None:
        self.said += [done.stdout, done.stderr]

    def files(self) -> list[Path]:
        return [path for path in self.home.rglob("*") if path.is_file()]

    def values(self) -> Iterator[bytes]:
        """Every value in every table, the ledger's and Dagster's."""
        for file in self.files():
            if file.read_bytes().startswith(b"SQLite format 3"):
                yield from sqlite_values(file)
        if self.database_url is not None:
            yield from postgres_values(self.database_url)

    @property
    def secrets(self) -> list[str]:
        password = self.database_url and make_url(self.database_url).password
        return [CORE, *self.api_keys, *([str(password)] if password else [])]


def asked(vendors: Vendors, task_id: str, evidence: Evidence) -> None:
    """History and doctor have been asked, while the vendors refuse the key and quote it."""
    vendors.openai.script(Fault("refused_key", "models", echo=True))
    vendors.suno.script(Fault("refused_key", "credits", echo=True))
    ask(evidence, ("history", task_id), ("doctor",))


def ask(evidence: Evidence, *commands: tuple[str, ...]) -> None:
    for command in commands:
        evidence.hears(castad(*command))
        evidence.hears(castad(*command, "--json"))
