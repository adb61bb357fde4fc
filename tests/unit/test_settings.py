import traceback

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from pydantic import ValidationError

from pipeline_defs.catalog import get_catalog
from resources.contract.errors import InvalidInputError
from resources.process.setting_types import STOP_LOCK_VARIABLE, WORKSPACE_VARIABLE
from resources.process.settings import PROJECT_ROOT, Settings, settings
from tests.tables import read_beside, rows_beside

REFUSED = [
    ("CASTAD_LEASE_SECONDS", "abc"),
    ("CASTAD_LEASE_SECONDS", "0"),
    ("CASTAD_LEASE_SECONDS", "-30"),
    ("CASTAD_LEASE_SECONDS", "nan"),
    ("CASTAD_BEAT_SECONDS", "inf"),
    ("CASTAD_POLL_SECONDS", "1e999"),
    ("CASTAD_STAGE_DEADLINE", "0x10"),
    ("CASTAD_CONCURRENT_RUNS", "0"),
    ("CASTAD_CONCURRENT_RUNS", "1.5"),
    ("CASTAD_POISON_DEATHS", "none"),
    ("CASTAD_RESUBMIT_BELOW", "-0.01"),
    ("CASTAD_RESUBMIT_BELOW", "nan"),
    ("CASTAD_HOME", "~nobody-of-this-name/castad"),
    ("CASTAD_DATABASE_URL", "mysql://castad:pw@db/castad"),
    ("CASTAD_DATABASE_URL", "castad"),
    ("CASTAD_DATABASE_URL", "sqlite:///castad.db"),
    ("CASTAD_DATABASE_URL", "postgresql://castad:pw@db:port/castad"),
    ("CASTAD_DATABASE_URL", "postgresql://castad:hun@ter2@db/castad"),
    ("CASTAD_BROKER_URL", "redis://castad:pw@broker:port/0"),
    ("CASTAD_DATABASE_URL", "postgresql+asyncpg://castad:pw@db/castad"),
    ("CASTAD_BROKER_URL", "kafka://broker/0"),
    ("CASTAD_BROKER_URL", "redis://"),
    ("CASTAD_BROKER_URL", "redis://broker/name"),
    ("CASTAD_BROKER_URL", "filesystem://"),
    ("CASTAD_UI_HOSTS", "https://castad.example.com"),
    ("CASTAD_UI_HOSTS", "castad.example.com,*"),
    ("CASTAD_UI_HOSTS", "castad.example.com:port"),
    ("CASTAD_UI_PASSWORD", "hunter2"),
    ("CASTAD_WEBHOOK_SECRET", "hunter2"),
    ("CASTAD_WEBHOOK_SECRET", "whsec_hunter2="),
    ("CASTAD_WEBHOOK_WAITS", "5,soon"),
    ("CASTAD_WEBHOOK_WAITS", "5,0"),
    ("OPENAI_API_KEY", "two words"),
    ("OPENAI_BASE_URL", "api.openai.com"),
    ("OPENAI_STORE", "perhaps"),
    ("SUNO_CALLS_PER_10_SECONDS", "0"),
    ("SUNO_USD_PER_CREDIT", "nan"),
    ("CREATOMATE_BASE_URL", "https://user@api.creatomate.com"),
    ("CREATOMATE_USD_PER_CREDIT", "-1"),
]
BAD_URLS = read_beside(__file__)["BAD_URLS"]


@pytest.mark.parametrize(("variable", "value"), REFUSED)
def test_settings_refusal_names_the_variable(variable, value, monkeypatch):
    monkeypatch.setenv(variable, value)
    with pytest.raises(InvalidInputError, match=f"^{variable}: "):
        get_catalog().resolve_stage_settings(settings())


@pytest.mark.parametrize(("variable", "value"), REFUSED)
def test_settings_refusal_is_one_short_sentence(variable, value, monkeypatch):
    monkeypatch.setenv(variable, value)
    with pytest.raises(InvalidInputError) as refusal:
        get_catalog().resolve_stage_settings(settings())
    assert refusal.value.message.isprintable()
    assert len(refusal.value.message) < 300


@rows_beside
def test_settings_refusal_is_in_the_words_of_an_orders(variable, value, expected, monkeypatch):
    monkeypatch.setenv(variable, value)
    with pytest.raises(InvalidInputError, match=f"^{variable}: {expected}$"):
        get_catalog().resolve_stage_settings(settings())


@pytest.mark.parametrize(
    "variable",
    ["OPENAI_ORG_ID", "OPENAI_LOG", "OPENAI_API_TYPE", "OPENAI_API_VERSION", "OPENAI_API_KEY_PATH"],
)
def test_settings_leave_alone_what_other_programs_read_of_a_vendor(variable, monkeypatch):
    monkeypatch.setenv(variable, "x")
    get_catalog().resolve_stage_settings(settings())


@pytest.mark.parametrize(("variable", "value"), REFUSED)
def test_settings_refusal_has_a_code_of_its_own(variable, value, monkeypatch):
    monkeypatch.setenv(variable, value)
    with pytest.raises(InvalidInputError) as refusal:
        get_catalog().resolve_stage_settings(settings())
    assert refusal.value.code == "invalid_setting"


@pytest.mark.parametrize("url", BAD_URLS)
def test_settings_refusal_never_shows_a_password(url, monkeypatch):
    monkeypatch.setenv("CASTAD_DATABASE_URL", url)
    with pytest.raises(InvalidInputError) as refusal:
        settings()
    assert "hunter2" not in "".join(traceback.format_exception(refusal.value))


@given(st.text("abz09:/@?#%[]&=. -", max_size=30))
@hypothesis_settings(deadline=None)
def test_settings_take_or_refuse_any_database_url_without_repeating_it(text):
    try:
        Settings(database_url=f"postgresql://castad:hunter2{text}")
    except ValidationError as refusal:
        assert "hunter2" not in refusal.errors()[0]["msg"]  # noqa: PT017


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+psycopg2"])
def test_settings_know_postgres_by_each_of_its_names(scheme, monkeypatch):
    monkeypatch.setenv("CASTAD_DATABASE_URL", f"{scheme}://castad:p%40ss@db:5432/castad?x=1")
    assert settings().database_url == "postgresql+psycopg2://castad:p%40ss@db:5432/castad?x=1"


def test_settings_keep_the_ledger_in_the_named_database(monkeypatch):
    monkeypatch.setenv("CASTAD_DATABASE_URL", "postgresql://db/castad")
    assert settings().ledger_url == "postgresql+psycopg2://db/castad"


def test_settings_keep_the_ledger_in_the_home_folder_where_no_database_is_named(
    monkeypatch, tmp_path
):
    monkeypatch.setenv("CASTAD_HOME", str(tmp_path))
    assert settings().ledger_url == f"sqlite:///{tmp_path}/castad.db"


@pytest.mark.parametrize(
    ("field", "default"),
    [
        ("database_url", None),
        ("concurrent_runs", None),
        ("lease_seconds", 30),
        ("beat_seconds", 10),
        ("unknown_grace", 900),
        ("resubmit_below", 0.02),
        ("poison_deaths", 5),
        ("allow_hosts", ()),
        ("max_cost", None),
        ("daily_budget", None),
    ],
)
def test_settings_default_to_what_the_design_says(field, default):
    assert getattr(settings(), field) == default


@pytest.mark.parametrize(
    ("variables", "processes"),
    [
        ({}, 1),
        ({"CASTAD_WORKERS": "3"}, 1),
        ({"CASTAD_WORKERS": "3", "CASTAD_BROKER_URL": "redis://broker/0"}, 1),
        (
            {
                "CASTAD_WORKERS": "3",
                "CASTAD_BROKER_URL": "redis://broker/0",
                "CASTAD_DATABASE_URL": "postgresql://db/castad",
            },
            3,
        ),
    ],
)
def test_worker_processes_are_many_only_with_postgres_and_a_broker(
    variables, processes, monkeypatch
):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert settings().worker_processes == processes


def test_settings_default_home_lies_in_the_project(monkeypatch):
    monkeypatch.delenv("CASTAD_HOME")
    assert settings().home == PROJECT_ROOT / ".castad"


@pytest.mark.parametrize("field", Settings.model_fields)
def test_settings_take_an_empty_variable_for_one_that_is_not_set(field, monkeypatch):
    monkeypatch.delenv("CASTAD_HOME")
    alias = Settings.model_fields[field].validation_alias
    monkeypatch.setenv(str(alias or f"CASTAD_{field.upper()}"), "")
    assert getattr(settings(), field) == Settings.model_fields[field].default


def test_settings_make_the_home_folder_absolute(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CASTAD_HOME", "state")
    assert settings().home == tmp_path / "state"


def test_settings_know_the_home_folder_of_the_user(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CASTAD_HOME", "~/castad")
    assert settings().home == tmp_path / "castad"


def test_settings_are_read_once_a_process(monkeypatch):
    first = settings()
    monkeypatch.setenv("CASTAD_LEASE_SECONDS", "70")
    assert settings() is first


def test_settings_cannot_be_changed():
    with pytest.raises(ValidationError):
        settings().lease_seconds = 7


@pytest.mark.parametrize(
    "variable",
    ["CASTAD_LEASE_SECOND", "CASTAD_SLOT_SONG", "CASTAD_UNHEARD_OF", "CASTAD_STAGE_VARIABLES"],
)
def test_settings_refuse_a_variable_they_do_not_know(variable, monkeypatch, tmp_path):
    expected = f"^{variable}: is no variable of castad; expected one of those in .env.example$"
    (tmp_path / ".env").write_text(f"{variable}=1\n")
    monkeypatch.setitem(Settings.model_config, "env_file", tmp_path / ".env")
    with pytest.raises(InvalidInputError, match=expected):
        settings()
    monkeypatch.setitem(Settings.model_config, "env_file", None)
    monkeypatch.setenv(variable, "1")
    with pytest.raises(InvalidInputError, match=expected):
        settings()


@pytest.mark.parametrize(
    "variable",
    [
        *(WORKSPACE_VARIABLE, STOP_LOCK_VARIABLE, "CASTADE_LEASE"),
        *("CASTAD_SERVICE_HOST", "CASTAD_SERVICE_PORT_HTTP", "CASTAD_API_PORT_8000_TCP_ADDR"),
    ],
)
def test_settings_leave_alone_variables_of_processes_and_of_other_programs(variable, monkeypatch):
    monkeypatch.setenv(variable, "1")
    assert settings().lease_seconds == 30


def test_settings_are_read_from_the_env_file_too(monkeypatch, tmp_path):
    (tmp_path / ".env").write_text("CASTAD_LEASE_SECONDS=70\nLYRIC_PROVIDER=\nOTHER=1\n")
    monkeypatch.setitem(Settings.model_config, "env_file", tmp_path / ".env")
    assert settings().lease_seconds == 70


def test_settings_take_the_environment_before_the_env_file(monkeypatch, tmp_path):
    (tmp_path / ".env").write_text("CASTAD_LEASE_SECONDS=70\n")
    monkeypatch.setitem(Settings.model_config, "env_file", tmp_path / ".env")
    monkeypatch.setenv("CASTAD_LEASE_SECONDS", "80")
    assert settings().lease_seconds == 80


def test_settings_refuse_an_env_file_that_is_no_text(monkeypatch, tmp_path):
    (tmp_path / ".env").write_bytes(b"CASTAD_HOME=/\xff\xfe")
    monkeypatch.setitem(Settings.model_config, "env_file", tmp_path / ".env")
    with pytest.raises(InvalidInputError, match=r"^\.env: "):
        settings()


def test_settings_refuse_a_beat_too_slow_for_the_lease(monkeypatch):
    monkeypatch.setenv("CASTAD_LEASE_SECONDS", "10")
    with pytest.raises(InvalidInputError, match=r"^CASTAD_BEAT_SECONDS: expected at most half"):
        settings()
