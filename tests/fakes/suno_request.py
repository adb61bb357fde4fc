"""What the fake Suno takes for a job (docs/vendors/suno.md): the envelope it refuses one with."""

from typing import Any

OLD_MODELS = ("V3_5", "V4")
MODELS = (*OLD_MODELS, "V4_5", "V4_5PLUS", "V4_5ALL", "V5")


def wrong_with(body: Any) -> tuple[int, str] | None:
    """The code and the message for a job that is refused; None: it is accepted."""
    if not isinstance(body, dict):
        return 400, "The body is no JSON object"
    for name, type_ in (("customMode", bool), ("instrumental", bool), ("model", str)):
        if not isinstance(body.get(name), type_):
            return 400, f"{name} is required"
    if not str(body.get("callBackUrl", "")).startswith(("http://", "https://")):
        return 400, "Please enter callBackUrl"
    if body["model"] not in MODELS:
        return 400, "model error"
    for name in _required(body):
        if not isinstance(body.get(name), str) or not body[name].strip():
            return 400, f"{name} is required"
    return _too_long(body) or _out_of_range(body)


def _required(body: dict[str, Any]) -> list[str]:
    named = ["style", "title"] if body["customMode"] else []
    sung = not body["customMode"] or not body["instrumental"]
    return [*named, "prompt"] if sung else named


def _too_long(body: dict[str, Any]) -> tuple[int, str] | None:
    old = body["model"] in OLD_MODELS
    most = {"prompt": 3000 if old else 5000, "style": 200 if old else 1000, "title": 80}
    for name, limit in (most if body["customMode"] else {"prompt": 500}).items():
        if len(str(body.get(name) or "")) > limit:
            return 413, f"{name} cannot exceed {limit} characters"
    return None


def _out_of_range(body: dict[str, Any]) -> tuple[int, str] | None:
    if body.get("vocalGender") not in (None, "m", "f"):
        return 400, "vocalGender should be m or f"
    for name in ("styleWeight", "weirdnessConstraint", "audioWeight"):
        weight = body.get(name, 0)
        if not isinstance(weight, int | float) or not 0 <= weight <= 1:
            return 400, f"{name} should lie between 0 and 1"
    return None
