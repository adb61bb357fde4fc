"""Metadata of a scan for Dagster's asset catalog."""

from collections.abc import Mapping
from typing import Any

from dagster import MetadataValue

from pipeline_defs.scan.products import Answer, Classification, Reward
from resources.files.artifacts import ArtifactStore


def build_vision_metadata(product: Classification, store: ArtifactStore) -> Mapping[str, Any]:
    """Return the class and its maker."""
    return {
        "major": product.major_category,
        "middle": product.middle_category,
        "minor": product.minor_category or "",
        "seen_by": product.seen_by,
        "confidence": product.confidence if product.confidence is not None else "",
    }


def build_answer_metadata(product: Answer, store: ArtifactStore) -> Mapping[str, Any]:
    """Return the reply and its maker."""
    return {"reply": MetadataValue.text(product.user_answer), "answered_by": product.answered_by}


def build_reward_metadata(product: Reward, store: ArtifactStore) -> Mapping[str, Any]:
    """Return the character, or the reason why there is none."""
    if product.reward is None:
        return {"reward": "", "why_not": product.why_not}
    return {"reward": product.reward.name, "match": product.reward.match_reason}
