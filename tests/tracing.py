"""Which tests coverage traces: all Python runs at half its speed in a process that is traced, pytest's too."""

from collections import Counter
from collections.abc import Generator
from typing import Any

import pytest

_TRACED_VALUES = 6
_NOTHING_NEW = frozenset(
    f"tests/{file}.py"
    for file in (
        *("extension/test_faces", "extension/test_refusals"),
        *("integration/test_analysis_kills", "integration/test_any_row"),
        *("integration/test_api_service", "integration/test_database_outage"),
        *("integration/test_direct_outages", "integration/test_ledger_machine"),
        *("integration/test_refused_rows", "integration/test_spent_days"),
        *("integration/test_studio", "unit/providers/test_vendors", "unit/studio/test_contrast"),
        *("unit/studio/test_mix", "unit/studio/test_score", "unit/studio/test_singer"),
        *("unit/studio/test_subtitles", "unit/studio/test_thumbnail", "unit/test_limits"),
        *("unit/test_excerpt", "unit/test_fakes", "unit/test_project", "unit/test_report_figures"),
    )
)
"""Dear files that run next to no line which other tests do not run too, or not in the tests' own process."""


class Tracing:
    """Traced are what is loaded, and the first values of each test with one database.

    What a property tries by the dozen, other tests try once.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._traced: set[str] = set()

    def pytest_sessionstart(self) -> None:
        """Who only hands out tests runs none."""
        if self._controller and not self._controller.started:
            self._controller.cov.stop()

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        tried = Counter[str]()
        for item in items:
            function, _, values = item.nodeid.partition("[")
            tried[function] += 1
            is_first = "postgres" not in values and tried[function] <= _TRACED_VALUES
            is_property = item.get_closest_marker("hypothesis") is not None
            if is_first and not is_property and function.partition("::")[0] not in _NOTHING_NEW:
                self._traced.add(item.nodeid)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """What a traced test has set up stays traced until one begins that is not."""
        controller = self._controller
        if controller is not None:
            is_wanted = item.nodeid in self._traced
            if is_wanted and not controller.started:
                controller.resume()
            elif controller.started and not is_wanted:
                controller.pause()
        return (yield)

    @property
    def _controller(self) -> Any:
        """Of pytest-cov, where coverage was asked for."""
        return getattr(self._config.pluginmanager.getplugin("_cov"), "cov_controller", None)


def register_tracing(config: pytest.Config) -> None:
    """Coverage, where it is asked for, looks at some of the tests only."""
    config.pluginmanager.register(Tracing(config), "castad-tracing")
