"""What the asset catalog shows of a scan."""

from collections.abc import Mapping
from typing import Any

from dagster import MetadataValue

from pipeline_defs.scan.products import Answer, Classification, Reward
from resources.files.artifacts import ArtifactStore


def seen(product: Classification, store: ArtifactStore) -> Mapping[str, Any]:
    """The class, and who has seen it."""
    return {
        "major": product.major_category,
        "middle": product.middle_category,
        "minor": product.minor_category or "",
        "seen_by": product.seen_by,
        "confidence": product.confidence if product.confidence is not None else "",
    }


def answered(product: Answer, store: ArtifactStore) -> Mapping[str, Any]:
    """The reply."""
    return {"reply": MetadataValue.text(product.user_answer), "answered_by": product.answered_by}


def rewarded(product: Reward, store: ArtifactStore) -> Mapping[str, Any]:
    """The character, or why there is none."""
    if product.reward is None:
        return {"reward": "", "why_not": product.why_not}
    return {"reward": product.reward.name, "match": product.reward.match_reason}
