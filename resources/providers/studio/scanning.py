"""Vision and advice on this machine: a note in words beats the picture, and a rule gives the steps."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from resources.contract.errors import PermanentError
from resources.contract.protocol import Json, StageInput
from resources.contract.studio_errors import as_castad_errors
from studio.images import check_image
from studio.sight import see
from studio.waste import UNKNOWN, advise, find_question, find_tags, find_thing, find_unknown_words

NOTE = "note"
OpenArtifact = Callable[[Mapping[str, Json]], Path]

_UNSURE = {
    "Korean": "사진만으로는 확실하지 않습니다. 물건을 가운데에 놓고 다시 찍거나 무엇인지 글로 적어 주세요.",
    "English": "I am not sure from the picture; put the thing in its middle, or say in words what it is.",
}
_UNNAMED = {
    "Korean": "적어 주신 말에서 아는 품목을 찾지 못했습니다. 다른 말로 적거나 사진을 함께 보내 주세요.",
    "English": "I know no thing by these words; use other words, or send a photograph as well.",
}
_HALF_KNOWN = {
    "Korean": "모르는 말이 있어 안내하지 못했습니다: {words}. 무엇인지 다른 말로 적어 주세요.",
    "English": "I do not know these words: {words}. Say what it is in other words.",
}
"""Beside the name of an ordinary thing; a picture would tell no more of what is in it."""


def vision(open_artifact: OpenArtifact) -> Callable[[StageInput], Mapping[str, Json]]:
    """The maker of classifications: it says who has seen the thing and how sure."""

    def classify(job_input: StageInput) -> Mapping[str, Json]:
        note, reference = str(job_input["note"]), job_input["image"]
        found, tags = find_thing(note), find_tags(note)
        if found is not None:
            if reference is not None:
                with as_castad_errors():
                    check_image(open_artifact(reference), str(reference["name"]))
            unknown = find_unknown_words(note, found)
            if unknown:
                remark = _HALF_KNOWN[job_input["language"]].format(words=", ".join(unknown))
                return _classified(UNKNOWN, UNKNOWN, None, NOTE, None, remark, tags)
            return _classified(found.major, found.middle, found.minor, NOTE, None, "", tags)
        if reference is None:
            language = job_input["language"]
            remark = find_question(note, language) or _UNNAMED[language]
            return _classified(UNKNOWN, UNKNOWN, None, NOTE, None, remark, tags)
        seen = see(open_artifact(reference))
        remark = _UNSURE[job_input["language"]] if seen.major == UNKNOWN else ""
        return _classified(
            seen.major, seen.middle, seen.minor, seen.seen_by, seen.confidence, remark, tags
        )

    return classify


def _classified(
    major: str,
    middle: str,
    minor: str | None,
    by: str,
    confidence: float | None,
    remark: str,
    tags: Sequence[str],
) -> dict[str, Any]:
    return {
        "major_category": major,
        "middle_category": middle,
        "minor_category": minor,
        "situation_tags": list(tags),
        "seen_by": by,
        "confidence": confidence,
        "remark": remark,
    }


def answer(job_input: StageInput) -> Mapping[str, Json]:
    """The advice by the input's rule. Raises PermanentError `no_rule` where it has none."""
    rule = job_input["rule"]
    if rule is None:
        raise PermanentError("rule: expected a rule of disposal", code="no_rule")
    thing = job_input["thing"]
    advice = advise(
        rule,
        thing["minor_category"],
        thing["situation_tags"],
        job_input["language"],
        job_input.get("elsewhere", ()),
    )
    return {
        "disposal_steps": list(advice.steps),
        "insufficiencies": list(advice.insufficiencies),
        "user_answer": advice.reply,
        "model": "studio",
    }
