"""Metadata of the products for Dagster's asset catalog."""

import base64
from collections.abc import Mapping
from io import BytesIO
from typing import Any

from dagster import MetadataValue
from PIL import Image

from pipeline_defs.image.products import Delivered
from resources.files.artifacts import ArtifactStore

_PREVIEW_SIDE = 320
_MOST_PREVIEWS = 6


def build_delivered_metadata(delivered: Delivered, store: ArtifactStore) -> Mapping[str, Any]:
    """Build small previews of the pictures, with their number and total size."""
    shown = []
    for file in delivered.files[:_MOST_PREVIEWS]:
        with Image.open(store.open(vars(file))) as picture:
            small = picture.convert("RGB")
            small.thumbnail((_PREVIEW_SIDE, _PREVIEW_SIDE))
            buffer = BytesIO()
            small.save(buffer, "JPEG", quality=80)
        encoded = base64.b64encode(buffer.getvalue()).decode("ascii")
        shown.append(f"![{file.name}](data:image/jpeg;base64,{encoded})")
    return {
        "pictures": MetadataValue.md("\n\n".join(shown)),
        "count": len(delivered.pictures),
        "bytes": sum(picture.bytes for picture in delivered.pictures),
    }
