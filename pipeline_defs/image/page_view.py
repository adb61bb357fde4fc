"""The page's view of finished pictures. Pure."""

from collections.abc import Mapping
from typing import Any


def result(
    brief: Mapping[str, Any], products: Mapping[str, Mapping[str, Any]]
) -> Mapping[str, Any]:
    """Return the finished pictures, and the file names of the pictures that the order brought."""
    return {
        "pictures": products["deliver"]["pictures"],
        "begun_with": [
            file["name"]
            for file in products["prepare"].get("files", [])
            if file["media_type"].startswith("image/")
        ],
    }
