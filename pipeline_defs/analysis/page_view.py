"""The page's view of an analysed repository. Pure."""

from collections.abc import Mapping
from typing import Any

_SHOWN = 8


def result(
    brief: Mapping[str, Any], products: Mapping[str, Mapping[str, Any]]
) -> Mapping[str, Any]:
    """Return the commit, its figures, and the largest languages; the share of the others is summed up."""
    resolved, counted = products["resolve"], products["analyse"]
    languages = sorted(counted["languages"].items(), key=lambda each: -each[1])
    reports = [file["name"] for file in products["record"].get("files", [])]
    return {
        "title": "/".join(filter(None, (resolved["owner"], resolved["name"]))),
        "sha": resolved["sha"],
        "files": counted["file_count"],
        "lines": counted["code_lines"],
        "tests": counted["test_count"],
        "languages": languages[:_SHOWN],
        "others": round(sum(share for _, share in languages[_SHOWN:]), 1),
        "frameworks": sorted(counted["frameworks"].items(), key=lambda each: -each[1]),
        "report": reports[0] if reports else "",
    }
