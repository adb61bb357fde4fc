"""The request body of a song for sunoapi.org. Pure.

Lengths: docs/vendors/suno.md.
"""

from dataclasses import dataclass

from resources.contract.errors import PermanentError
from resources.contract.protocol import Json, StageInput
from studio.words import list_sung_lines

_OLD_MODELS = ("V3_5", "V4")


@dataclass(frozen=True)
class ModelLimits:
    """The most characters that a model accepts."""

    prompt: int
    style: int
    title: int = 80
    """Some newer models are said to accept 100; this is what all of them accept."""


def model_limits(model: str) -> ModelLimits:
    """The model's limits; an unknown model is treated as a newer one."""
    return ModelLimits(3000, 200) if model in _OLD_MODELS else ModelLimits(5000, 1000)


def check_job_input(job_input: StageInput, model: str) -> None:
    """Return where the model accepts the lyric. Raises PermanentError `lyric_too_long` or `lyric_empty`."""
    most, length = model_limits(model).prompt, len(job_input["lyric"])
    if length > most:
        raise PermanentError(
            f"suno: the lyric has {length} characters; {model} accepts at most {most}",
            code="lyric_too_long",
        )
    if not list_sung_lines(job_input["lyric"]):
        raise PermanentError("suno: the lyric has no line to sing", code="lyric_empty")


def request_body(job_input: StageInput, model: str, callback: str) -> dict[str, Json]:
    """The request body: the lyric is sung word by word, or the song is instrumental and has no lyric.

    Style and title are cut where they are too long.
    """
    limits = model_limits(model)
    vocals = f"{job_input['language']} vocals" if job_input["vocals"] else "instrumental"
    style = ", ".join(part for part in (_line(job_input["genre"]), vocals) if part)
    title = _line(job_input["title"]) or list_sung_lines(job_input["lyric"])[0]
    return {
        "customMode": True,
        "instrumental": not job_input["vocals"],
        **({"prompt": job_input["lyric"]} if job_input["vocals"] else {}),
        "style": style[: limits.style].strip(),
        "title": title[: limits.title].strip(),
        "model": model,
        "callBackUrl": callback,
    }


def _line(text: str) -> str:
    return " ".join(text.split())
