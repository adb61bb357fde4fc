"""Laws of the house: what no type checker sees and a careless change would break."""

import ast
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from graphlib import TopologicalSorter
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import grimp
import pytest
import yaml
from dagster import DefaultScheduleStatus, DefaultSensorStatus
from pydantic_settings import BaseSettings
from sqlalchemy import create_engine, inspect

from pipeline_defs.catalog import get_catalog
from pipeline_defs.checks import RESERVED_BY_CASTAD
from pipeline_defs.definitions import defs
from resources.ledger.db.database import Database
from resources.ledger.schema.tables import FOLDED, JobStatus, StageStatus, Status, metadata
from resources.ledger.schema.triggers import WATCHED
from resources.ledger.transitions.core import BOOKKEEPING
from resources.process import settings as process_settings
from resources.process.settings import PROJECT_ROOT, Settings, get_variable_name, settings
from resources.providers.vendor import VENDORS, load_vendor

PROJECT = tomllib.loads((PROJECT_ROOT / "pyproject.toml").read_text())
PACKAGES = ("castad", "pipeline_defs", "resources", "sensors", "studio")
MODELS: list[type[BaseSettings]] = [
    Settings,
    *(model for name in VENDORS if (model := load_vendor(name).settings) is not None),
]
VARIABLES = [
    *(
        get_variable_name(model, field)
        for model in MODELS
        for field in model.model_fields
        if field != "stage_variables"
    ),
    *get_catalog().variable_names,
]
WRAPS_DAGSTER = "resources/dagster/"
PRIVATE_DAGSTER = "resources/dagster/internals.py"
WRITES_LEDGER = ("resources/ledger/transitions/", "resources/ledger/schema/")
WRITES_DAGSTERS_TABLES = {"castad/dagster_storage/event_log.py"}
WRITES_TABLES_OF_ITS_OWN = {"pipeline_defs/scan/characters/store.py"}
"""In databases of its own, which the ledger does not know."""
LOCKS = ("requirements.lock", "requirements-dev.lock")
# Both are spelled so that this file does not hold what it looks for.
MACHINE_PATH = re.compile(r"(?<![\w.~}$-])/(?:home|root|Users|work|mnt)/[\w.-]+")
REGISTRY = re.compile(
    r"\b(?:[\w-]+\.)*(?:pypi|pythonhosted|npmjs|rubygems|anaconda)\.(?:org|com)\b"
)


def python_files() -> list[Path]:
    return [path for package in PACKAGES for path in sorted((PROJECT_ROOT / package).rglob("*.py"))]


def name_of(path: Path) -> str:
    return path.relative_to(PROJECT_ROOT).as_posix()


def nodes_of(path: Path) -> Iterator[ast.AST]:
    return ast.walk(ast.parse(path.read_text(encoding="utf-8")))


@cache
def imports_of(path: Path) -> list[ast.Import | ast.ImportFrom]:
    """Every import of a file, wherever in it; most laws here ask for nothing else."""
    return [node for node in nodes_of(path) if isinstance(node, ast.Import | ast.ImportFrom)]


def imported(path: Path) -> Iterator[tuple[str, str]]:
    """Every (module, name) that a file imports."""
    for node in imports_of(path):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif node.module:
            yield from ((node.module, alias.name) for alias in node.names)


def writes(path: Path) -> Iterator[str]:
    """The SQLAlchemy insert, update and delete in a file, imported or called on a table, and raw SQL."""
    tables = set(metadata.tables)
    for module, name in imported(path):
        if module.startswith("sqlalchemy") and name in ("insert", "update", "delete"):
            yield f"imports {name}"
    for node in nodes_of(path):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = node.func.value
            owner_name = owner.id if isinstance(owner, ast.Name) else getattr(owner, "attr", "")
            if node.func.attr in ("insert", "update", "delete") and owner_name in (
                *tables,
                "sa",
                "sqlalchemy",
            ):
                yield f"line {node.lineno}: {owner_name}.{node.func.attr}()"
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            statement = re.match(r"\s*(INSERT\s+INTO|UPDATE|DELETE\s+FROM)\s+(\w+)", node.value)
            if statement and statement[2] in tables:
                yield f"line {node.lineno}: {statement[1]} {statement[2]}"


def tracked_files() -> list[Path]:
    """What git holds; in a copy without git, every file that is not hidden or made."""
    if (PROJECT_ROOT / ".git").exists():
        command = ["git", "-c", "safe.directory=*", "ls-files", "-z"]
        listed = subprocess.run(command, cwd=PROJECT_ROOT, stdout=subprocess.PIPE, check=True)
        names = listed.stdout.decode().split("\0")
        return [path for name in names if name and (path := PROJECT_ROOT / name).is_file()]
    return [
        path
        for path in PROJECT_ROOT.rglob("*")
        if path.is_file() and not re.search(r"/(\.|__pycache__)", f"/{name_of(path)}")
    ]


def found_in_tracked_files(pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{name_of(path)}: {found.group()}"
        for path in tracked_files()
        for found in pattern.finditer(path.read_text(encoding="utf-8", errors="replace"))
    ]


def package_of(requirement: str) -> str:
    return re.split(r"[=<>~! \[;]", requirement, maxsplit=1)[0].lower().replace("_", "-")


def locked(lock: str) -> dict[str, set[str]]:
    """The versions of each package of a lock; a package may have several, for different systems."""
    lines = (PROJECT_ROOT / lock).read_text().splitlines()
    found: dict[str, set[str]] = {}
    for line in lines:
        if pinned := re.match(r"([A-Za-z0-9][\w.-]*)(?:\[[\w,-]+\])?==([^\s;]+)", line):
            found.setdefault(package_of(pinned[1]), set()).add(pinned[2])
    return found


def job() -> Any:
    return defs().resolve_job_def("song_video")


def test_workspace_and_dg_name_the_same_module_and_location():
    workspace = yaml.safe_load((PROJECT_ROOT / "workspace.yaml").read_text())
    (entry,) = workspace["load_from"]
    project = PROJECT["tool"]["dg"]["project"]
    assert entry == {
        "python_module": {
            "module_name": project["code_location_target_module"],
            "location_name": project["code_location_name"],
        }
    }


@pytest.mark.parametrize("name", ["Procfile", "dagster.yaml", "workspace.yaml"])
def test_wheel_has_the_file_where_an_installed_castad_looks_for_it(name, monkeypatch):
    assert process_settings.find_project_file(name).is_file()
    shipped = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    monkeypatch.setattr(process_settings, "_IS_CHECKOUT", False)
    assert process_settings.find_project_file(name) == PROJECT_ROOT / shipped[name]


def test_nothing_else_in_pyproject_names_a_code_location():
    assert "dagster" not in PROJECT["tool"]


@dataclass(frozen=True)
class Loaded:
    """Where a fresh interpreter has loaded the definitions, and what it said."""

    folder: Path
    done: "subprocess.CompletedProcess[str]"


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Loaded:
    folder = tmp_path_factory.mktemp("elsewhere")
    script = (
        "import json; from pipeline_defs.definitions import defs; "
        "print(json.dumps([job.name for job in defs().resolve_all_job_defs()]))"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return Loaded(folder, done)


def test_definitions_load_in_a_fresh_interpreter_from_another_folder(loaded):
    assert loaded.done.returncode == 0, loaded.done.stderr
    assert "song_video" in json.loads(loaded.done.stdout)


def test_definitions_load_without_touching_the_disk(loaded):
    assert list(loaded.folder.iterdir()) == []


def test_only_the_transitions_write_to_the_ledger():
    others = [
        path
        for path in python_files()
        if not name_of(path).startswith(WRITES_LEDGER)
        and name_of(path) not in WRITES_DAGSTERS_TABLES | WRITES_TABLES_OF_ITS_OWN
    ]
    assert {name_of(path): found for path in others if (found := list(writes(path)))} == {}


def test_the_law_about_writing_sees_what_the_transitions_do():
    transitions = [path for path in python_files() if "/ledger/transitions/" in name_of(path)]
    assert [path for path in transitions if list(writes(path))]


def test_resources_import_dagster_only_where_they_wrap_one_of_its_classes():
    importing = {
        name_of(path)
        for path in python_files()
        for module, _ in imported(path)
        if module.split(".")[0] == "dagster" and path.is_relative_to(PROJECT_ROOT / "resources")
    }
    assert {name for name in importing if not name.startswith(WRAPS_DAGSTER)} == set()


def test_dagsters_private_modules_are_named_in_one_file():
    naming = {
        name_of(path)
        for path in python_files()
        for module, _ in imported(path)
        if re.match(r"dagster\w*\._", module)
    }
    assert naming == {PRIVATE_DAGSTER}


def test_imports_are_never_relative():
    relative = [
        name_of(path)
        for path in python_files()
        for node in imports_of(path)
        if isinstance(node, ast.ImportFrom) and node.level
    ]
    assert relative == []


def test_what_is_written_without_a_transition_is_neither_folded_nor_an_edit():
    assert set(metadata.tables["requests"].columns.keys()) >= BOOKKEEPING
    assert not BOOKKEEPING & {*WATCHED, *FOLDED}


def test_request_is_changed_without_a_transition_in_one_place():
    transitions = [path for path in python_files() if "/ledger/transitions/" in name_of(path)]
    changing = {path.stem for path in transitions if "update(requests)" in path.read_text()}
    assert changing == {"core"}


def test_trigger_names_only_columns_that_exist():
    watched = {*WATCHED, *FOLDED}
    assert watched <= set(metadata.tables["requests"].columns.keys())


@pytest.mark.parametrize(
    ("table", "states"),
    [("requests", Status), ("stages", StageStatus), ("provider_jobs", JobStatus)],
)
def test_database_allows_exactly_the_states_that_the_code_knows(table, states, sqlite_url):
    Database(sqlite_url).close()
    engine = create_engine(sqlite_url)
    checks = {
        check["name"]: check["sqltext"] for check in inspect(engine).get_check_constraints(table)
    }
    engine.dispose()
    assert set(re.findall(r"'(\w+)'", str(checks["status_exists"]))) == set(states)


@pytest.mark.parametrize("variable", VARIABLES)
def test_env_example_names_every_setting(variable):
    text = (PROJECT_ROOT / ".env.example").read_text(encoding="utf-8")
    assert re.search(rf"^[# ]*{variable}=", text, re.MULTILINE)


def test_env_example_names_no_setting_that_does_not_exist():
    text = (PROJECT_ROOT / ".env.example").read_text(encoding="utf-8")
    assert set(re.findall(r"^[# ]*([A-Z0-9_]+)=", text, re.MULTILINE)) <= set(VARIABLES)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_env_example_shows_the_defaults(model, monkeypatch, tmp_path):
    text = (PROJECT_ROOT / ".env.example").read_text(encoding="utf-8")
    (tmp_path / ".env").write_text(re.sub(r"^#(?=[A-Z_]+=)", "", text, flags=re.MULTILINE))
    monkeypatch.setitem(Settings.model_config, "env_file", tmp_path / ".env")
    monkeypatch.delenv("CASTAD_HOME")
    monkeypatch.chdir(PROJECT_ROOT)
    shown = (
        Settings().of(model).model_dump(exclude={"database_url", "broker_url", "stage_variables"})
    )
    defaults = {name: field.default for name, field in model.model_fields.items()}
    assert shown == {name: defaults[name] for name in shown}


def test_env_example_shows_the_defaults_of_the_stages(monkeypatch, tmp_path):
    text = (PROJECT_ROOT / ".env.example").read_text(encoding="utf-8")
    (tmp_path / ".env").write_text(re.sub(r"^#(?=[A-Z_]+=)", "", text, flags=re.MULTILINE))
    unset = get_catalog().resolve_stage_settings(settings())
    monkeypatch.setitem(Settings.model_config, "env_file", tmp_path / ".env")
    settings.cache_clear()
    assert settings().stage_variables
    assert get_catalog().resolve_stage_settings(settings()) == unset


@pytest.mark.parametrize("lock", LOCKS)
def test_lock_holds_no_url(lock):
    assert "://" not in (PROJECT_ROOT / lock).read_text()


@pytest.mark.parametrize("lock", LOCKS)
def test_lock_holds_a_hash_for_every_package(lock):
    blocks = re.split(r"\n(?=[A-Za-z0-9])", (PROJECT_ROOT / lock).read_text())
    assert [block.splitlines()[0] for block in blocks[1:] if "--hash=sha256:" not in block] == []


def test_both_locks_hold_the_same_versions():
    runtime, everything = (locked(lock) for lock in LOCKS)
    assert {package: everything.get(package) for package in runtime} == runtime


@pytest.mark.parametrize("requirement", PROJECT["project"]["dependencies"])
def test_every_dependency_is_locked(requirement):
    assert package_of(requirement) in locked("requirements.lock")


@pytest.mark.parametrize("requirement", PROJECT["project"]["optional-dependencies"]["dev"])
def test_every_development_dependency_is_locked(requirement):
    assert package_of(requirement) in locked("requirements-dev.lock")


def test_every_package_that_is_imported_is_declared():
    declared = {package_of(requirement) for requirement in PROJECT["project"]["dependencies"]}
    ours = {*PACKAGES, *sys.stdlib_module_names}
    used = {module.split(".")[0] for path in python_files() for module, _ in imported(path)} - ours
    providing = packages_distributions()
    undeclared = {
        name for name in used if declared.isdisjoint(map(package_of, providing.get(name, ())))
    }
    assert undeclared == set()


def test_dagster_family_is_pinned_to_exact_versions():
    family = [line for line in PROJECT["project"]["dependencies"] if line.startswith("dagster")]
    assert family
    assert [line for line in family if not re.fullmatch(r"[a-z-]+==\d+\.\d+\.\d+", line)] == []


def test_dagster_family_is_of_one_release():
    pinned = dict(
        line.split("==")
        for line in PROJECT["project"]["dependencies"]
        if line.startswith("dagster")
    )
    core = pinned["dagster"]
    library = core.replace("1.", "0.", 1).split(".")
    expected = f"0.{int(library[1]) + 16}.{library[2]}"
    assert set(pinned.values()) <= {core, expected}


def test_tracked_files_hold_no_path_of_a_machine():
    assert found_in_tracked_files(MACHINE_PATH) == []


def test_tracked_files_name_no_package_registry():
    assert found_in_tracked_files(REGISTRY) == []


def test_tracked_files_hold_no_secrets_file():
    assert [name_of(path) for path in tracked_files() if path.name == ".env"] == []


def test_tests_are_no_packages():
    """An `__init__.py` under tests/ would shadow the real `resources` package."""
    assert list((PROJECT_ROOT / "tests").rglob("__init__.py")) == []


def test_job_is_exactly_three_ops():
    assert [node.name for node in job().nodes_in_topological_order] == ["lyric", "song", "video"]


def test_job_runs_its_ops_in_the_process_of_its_run():
    assert job().executor_def.name == "in_process"


def test_job_is_never_retried_by_dagster_itself():
    assert job().tags["dagster/max_retries"] == "0"


@pytest.mark.parametrize("name", ["requests_sensor", "rescue_sensor", "outbox_sensor"])
def test_sensor_runs_without_anybody_turning_it_on(name):
    assert defs().resolve_sensor_def(name).default_status is DefaultSensorStatus.RUNNING


def test_no_sensor_is_left_off():
    sensors = list(defs().sensors or [])
    assert sensors
    assert {sensor.default_status for sensor in sensors} == {DefaultSensorStatus.RUNNING}


def test_no_schedule_is_left_off():
    schedules = list(defs().schedules or [])
    assert schedules
    assert {each.default_status for each in schedules} == {DefaultScheduleStatus.RUNNING}


def test_pandas_is_loaded_only_where_a_report_is_made():
    loading = {
        name_of(path)
        for path in python_files()
        for module, _ in imported(path)
        if module.split(".")[0] == "pandas"
    }
    assert loading == {"sensors/hour_report.py"}


def test_no_process_loads_pandas_when_it_starts():
    """One loads what each of castad's processes loads."""
    started = "castad.cli.app, castad.cli.orders, castad.cli.show, castad.api.app, castad.engine.worker_process"
    code = f"import sys, {started}, pipeline_defs.definitions; print('pandas' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_pipelines_load_without_dagster_and_what_only_a_run_or_a_vendor_needs():
    code = "import sys, pipeline_defs.catalog as loaded; loaded.get_catalog(); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"dagster", "alembic", "httpx", "fastapi"} & set(done.stdout.split())


def test_catalog_shows_a_product_for_every_stage_the_history_and_the_reports():
    keys = {key.to_user_string() for key in defs().resolve_all_asset_keys()}
    products = {f"{each.name}/{stage}" for each in get_catalog() for stage in each.stage_names}
    assert keys == {"requests", "report", "retention", *products}


def test_no_pipeline_may_have_the_name_of_a_job_of_castads_own():
    jobs = {job.name for job in defs().resolve_all_job_defs()}
    of_pipelines = {each.name for each in get_catalog()}
    assert {name for name in jobs - of_pipelines if not name.startswith("__")} == RESERVED_BY_CASTAD


def test_instance_leaves_the_retries_of_requests_to_the_ledger():
    instance = yaml.safe_load((PROJECT_ROOT / "dagster.yaml").read_text())
    assert instance["run_retries"]["max_retries"] == 0


@pytest.mark.parametrize("path", ["dagster.yaml", "workspace.yaml"])
def test_configuration_reads_no_secret_into_a_file(path):
    assert "password" not in (PROJECT_ROOT / path).read_text()


def test_no_file_imports_itself_over_others():
    graph = grimp.build_graph(*PACKAGES)
    imports = {name: graph.find_modules_directly_imported_by(name) for name in graph.modules}
    # Raises CycleError.
    TopologicalSorter(imports).prepare()
