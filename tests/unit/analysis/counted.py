"""Counting a small source of a test."""

from pipeline_defs.analysis.counting.count import Configs, count_tests
from pipeline_defs.analysis.counting.found import TestFile


def counted(path: str, source: str, configs: Configs | None = None) -> TestFile:
    """What is found in a file that is one of a framework."""
    found = count_tests(path, source.encode(), configs or Configs())
    assert found is not None
    return found


def statuses(path: str, source: str, configs: Configs | None = None) -> dict[str, str]:
    """The tests' names, each with its status."""
    return {test.name: test.status.value for test in counted(path, source, configs).tests}
