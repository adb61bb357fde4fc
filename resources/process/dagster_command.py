"""Which of Dagster's commands this process executes."""

import sys


def is_code_server() -> bool:
    """Whether this process serves definitions to Dagster's daemon and web server."""
    return sys.argv[1:3] == ["api", "grpc"]


def is_job_execution() -> bool:
    """Whether this process is `dagster job execute`: one run, for a person who reads its output."""
    return sys.argv[1:3] == ["job", "execute"]
