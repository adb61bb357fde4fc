"""A vendor is a folder and a line of the registry, and its variables are checked when a process starts."""

import json
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

from resources.contract.errors import InvalidInputError
from resources.process.settings import PROJECT_ROOT, settings
from resources.providers.suno.vendor import SunoSettings
from resources.providers.vendor import (
    VENDORS,
    check_vendor_settings,
    is_vendor_available,
    list_configured_hosts,
    load_vendor,
    make_provider,
    require_api_key,
)

ACME = """
from pydantic import SecretStr
from pydantic_settings import SettingsConfigDict

from resources.process.setting_types import ApiKey, WebAddress
from resources.providers.vendor import Vendor, VendorSettings


class AcmeSettings(VendorSettings):
    model_config = SettingsConfigDict(env_prefix="ACME_")

    api_key: ApiKey = SecretStr("")
    base_url: WebAddress = "https://api.acme.example"
    size: int = 7


class Painter:
    name, usual_seconds, unique_ids, repeatable, token_is_id, rate = "acme", 1.0, True, False, False, None
    price = prepare = submit = owns = poll = fetch = cancel = account_status = print
    find = print

    def __init__(self, own):
        self.size, self.key = own.size, own.api_key.get_secret_value()


def _painter(settings):
    return Painter(settings.of(AcmeSettings))


VENDOR = Vendor(
    "acme",
    {"poster": _painter},
    AcmeSettings,
    key="ACME_API_KEY",
    job_id_in_callback=lambda body: body["job"],
)
"""
ASK = """
import json, os, sys
from resources.contract.errors import CastadError
from resources.process.settings import settings
from resources.providers import vendor as registry
for expression, variables in json.loads(sys.argv[1]):
    os.environ.update(variables)
    settings.cache_clear()
    try:
        print(json.dumps(eval(expression)))
    except CastadError as error:
        print(json.dumps([error.code, error.message]))
    for name in variables:
        del os.environ[name]
"""


class Tree:
    """A copy of the room `resources` with one vendor more, asked in a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.copytree(PROJECT_ROOT / "resources", folder / "resources")
        self.registry = folder / "resources/providers/vendor.py"
        self.registry.write_text(
            self.registry.read_text().replace("VENDORS = (\n", 'VENDORS = (\n    "acme",\n')
        )
        self.vendor = folder / "resources/providers/acme/vendor.py"
        self.vendor.parent.mkdir()
        self.vendor.write_text(ACME)

    def says(self, *questions: tuple[str, dict[str, str]]) -> list[Any]:
        """What the registry says to each expression under these variables, in one process."""
        environment = {"PYTHONPATH": str(self.folder), "CASTAD_HOME": str(self.folder)}
        asked = subprocess.run(
            [sys.executable, "-c", ASK, json.dumps(questions)],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert asked.returncode == 0, asked.stderr
        return [json.loads(line) for line in asked.stdout.splitlines()]


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


MADE = "vars(registry.make_provider('acme', 'poster', settings()))"
UNUSABLE = "registry.check_vendor_settings(settings())"
FOLDER = "resources/providers/acme: "


AVAILABLE = "registry.is_vendor_available('acme', settings())"
ANSWERS: list[tuple[str, dict[str, str], Any]] = [
    (MADE, {"ACME_API_KEY": "k", "ACME_SIZE": "9"}, {"size": 9, "key": "k"}),
    (MADE, {}, {"size": 8, "key": ""}),
    (AVAILABLE, {}, False),
    (AVAILABLE, {"ACME_API_KEY": "k"}, True),
    ("registry.read_callback_job_id('acme', {'job': 'j-1'})", {}, "j-1"),
    (
        "registry.require_api_key('acme', 'POSTER_PROVIDER', settings())",
        {},
        ["invalid_setting", "ACME_API_KEY: expected a key, since POSTER_PROVIDER is acme"],
    ),
]


def test_new_vendor_goes_by_its_own_settings(tree):
    (tree.folder / ".env").write_text("ACME_SIZE=8\n")
    *said, wide = tree.says(*(each[:2] for each in ANSWERS), (UNUSABLE, {"ACME_SIZE": "wide"}))
    assert said == [told for *_, told in ANSWERS]
    assert wide[0] == "invalid_setting"
    assert wide[1].startswith("ACME_SIZE: ")


@pytest.mark.parametrize(
    ("text", "other", "fault"),
    [
        (ACME, "", "expected VENDOR in vendor.py"),
        ('"acme",', '"acne",', "expected VENDOR.name to be acme, got acne"),
        ('{"poster": _painter}', '{"poster": None}', "VENDOR.makers.poster: expected a function"),
        ('{"poster": _painter}', '["poster"]', "VENDOR.makers: expected a mapping"),
        ("    AcmeSettings,", "    int,", "VENDOR.settings: expected a subclass of VendorSettings"),
        ('key="ACME_API_KEY"', "key=3", "VENDOR.key: expected text"),
        (
            '"ACME_API_KEY"',
            '"ACME_KEY"',
            "expected VENDOR.key to be a variable of its settings, got ACME_KEY",
        ),
        (
            "    find = print\n",
            "",
            "expected the maker of poster to return a Provider, which has find",
        ),
    ],
)
def test_vendor_that_cannot_be_is_refused_by_its_folder_and_field(tree, text, other, fault):
    tree.vendor.write_text(ACME.replace(text, other))
    expression = MADE if "Provider" in fault else UNUSABLE
    assert tree.says((expression, {})) == [["invalid_vendor", f"{FOLDER}{fault}"]]


def test_settings_are_read_without_any_vendors_client(tree):
    heavy = "httpx", "openai", "numpy", "studio", "sqlalchemy.orm"
    loaded = f"(settings(), [name for name in {heavy} if name in __import__('sys').modules])[1]"
    assert tree.says((loaded, {})) == [[]]


def test_registry_names_every_folder():
    folders = {path.parent.name for path in (PROJECT_ROOT / "resources/providers").glob("*/*.py")}
    assert sorted(VENDORS) == sorted(folders)


def test_provider_is_one_for_all_threads_of_a_process():
    together = Barrier(8)

    def make(_: int) -> object:
        together.wait()
        return make_provider("studio", "lyric", settings())

    with ThreadPoolExecutor(8) as threads:
        assert len(set(map(id, threads.map(make, range(8))))) == 1


def test_settings_of_a_vendor_are_read_once(monkeypatch):
    before = settings().of(SunoSettings)
    monkeypatch.setenv("SUNO_MODEL", "V9")
    assert settings().of(SunoSettings) is before


def test_vendors_key_is_shown_nowhere(monkeypatch):
    monkeypatch.setenv("SUNO_API_KEY", "hunter2")
    shown = settings().of(SunoSettings)
    assert "hunter2" not in f"{shown!r} {shown} {settings()!r} {shown.model_dump_json()}"


def test_refused_key_is_not_repeated(monkeypatch):
    monkeypatch.setenv("SUNO_API_KEY", "hunter2 ")
    with pytest.raises(InvalidInputError, match=r"^SUNO_API_KEY: expected a key") as refusal:
        check_vendor_settings(settings())
    assert "hunter2" not in f"{refusal.value!r} {refusal.value.__cause__!r}"


@pytest.mark.parametrize("name", VENDORS)
def test_vendor_takes_an_empty_variable_for_one_that_is_not_set(name, monkeypatch):
    model = load_vendor(name).settings
    fields = model.model_fields if model else {}
    for field in fields:
        monkeypatch.setenv(f"{name}_{field}".upper(), "")
    read = settings().of(model).model_dump() if model else {}
    assert read == {field: info.default for field, info in fields.items()}


def test_studio_needs_no_key():
    assert is_vendor_available("studio", settings())
    require_api_key("studio", "SONG_PROVIDER", settings())


def test_hosts_of_all_configured_addresses_are_known(monkeypatch):
    monkeypatch.setenv("CASTAD_PUBLIC_URL", "http://10.0.0.1/castad")
    monkeypatch.setenv("SUNO_BASE_URL", "http://127.0.0.1:9")
    hosts = set(list_configured_hosts(settings()))
    assert {"10.0.0.1:80", "127.0.0.1:9", "api.creatomate.com:443"} <= hosts
