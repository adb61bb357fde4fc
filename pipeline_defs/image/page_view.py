"""What the pages show of finished pictures. Pure."""

from collections.abc import Mapping
from typing import Any


def result(
    brief: Mapping[str, Any], products: Mapping[str, Mapping[str, Any]]
) -> Mapping[str, Any]:
    """The finished pictures by the names of their files, and the names of those that they began with."""
    return {
        "pictures": products["deliver"]["pictures"],
        "begun_with": [
            file["name"]
            for file in products["prepare"].get("files", [])
            if file["media_type"].startswith("image/")
        ],
    }
