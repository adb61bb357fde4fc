"""Every private name of Dagster that castad uses, as of the version in `VERSION`, and why each is needed.

No other module imports from `dagster._…`. What castad only passes on is annotated as `Any` there. A name that an
upgrade has removed fails here, and docs/upgrading-dagster.md lists what to check then.
"""

# ruff: noqa: F401, I001 - imported to be imported from here; grouped by what they are used for

# dagster.yaml names and configures castad's own storages, launcher and instance.
from dagster._core.instance.ref import InstanceRef
from dagster._serdes import ConfigurableClass

# What castad's storages implement: the abstract classes, and the stock ones that they extend.
from dagster._core.storage.base_storage import DagsterStorage
from dagster._core.storage.event_log.sql_event_log import SqlEventLogStorage
from dagster._core.storage.event_log.sqlite.consolidated_sqlite_event_log import (
    ConsolidatedSqliteEventLogStorage,
)
from dagster._core.storage.runs.sql_run_storage import SqlRunStorage
from dagster._core.storage.runs.sqlite import SqliteRunStorage
from dagster._core.storage.schedules.sql_schedule_storage import SqlScheduleStorage
from dagster._core.storage.schedules.sqlite import SqliteScheduleStorage

# The tables that castad reads and writes itself, and the watcher that dagster-postgres uses.
from dagster._core.storage.event_log.migration import ASSET_KEY_INDEX_COLS
from dagster._core.storage.event_log.polling_event_watcher import SqlPollingEventWatcher
from dagster._core.storage.event_log.schema import (
    AssetKeyTable,
    AssetEventTagsTable,
    SqlEventLogStorageTable,
)
from dagster._core.storage.runs.schema import RunsTable, RunTagsTable

# The signature of a method that castad's instance overrides, and what another one raises.
from dagster._core.errors import DagsterRunAlreadyExists
from dagster._core.execution.plan.resume_retry import ReexecutionStrategy

# The launcher's interface, by which run monitoring checks a run's health.
from dagster._core.launcher import CheckRunHealthResult, WorkerStatus

# A worker executes a run in its own process, as `dagster api execute_run` does in a new one.
from dagster._core.execution.api import execute_run_iterator
from dagster._core.origin import JobPythonOrigin
from dagster._utils.error import serializable_error_info_from_exc_info
from dagster._utils.hosted_user_process import recon_job_from_origin

# Interrupts are deferred between a vendor's acceptance of a job and the saving of its id.
from dagster._utils.interrupts import capture_interrupts, pop_captured_interrupt

# Event types without a public constructor, and the set of those that concern assets.
from dagster._core.events import (
    ASSET_CHECK_EVENTS,
    ASSET_EVENTS,
    AssetObservationData,
    EngineEventData,
)

# Whether a sensor is on, when it last ticked, and whether that failed.
from dagster._core.definitions.run_request import InstigatorType
from dagster._core.scheduler.instigation import (
    InstigatorStatus,
    TickStatus,
)

# The UI's application for this project's workspace, behind castad's authentication.
from dagster._core.workspace.context import WorkspaceProcessContext
from dagster._core.workspace.load_target import WorkspaceFileTarget

# `castad daemon` is the stock daemon but for the sensors' loop: its period of 5 s (`MIN_INTERVAL_LOOP_TIME`)
# is a constant, and a sensor that has answered would wait for the next request only after up to 5 s.
from dagster._daemon.controller import create_daemon_of_type, daemon_controller_from_instance
from dagster._daemon.daemon import SensorDaemon, SpanMarker
from dagster._daemon.sensor import execute_sensor_iteration

VERSION = "1.13.27"
"""The version of Dagster that these names were read in; pyproject.toml pins the same one."""
