"""Refusals in the language of the page: a sentence by the code, and the exact English one beside it. Pure."""

from dataclasses import dataclass

from castad.web.texts import Translator

_OTHER = "refusal_other"


@dataclass(frozen=True)
class Refusal:
    """What a page says of a refusal; `detail` is English, and empty where the sentence is it already."""

    code: str
    sentence: str
    detail: str = ""


def refusal(translate: Translator, code: str, detail: str) -> Refusal:
    """The refusal with this stable code and this English sentence."""
    if translate.language == "en":
        return Refusal(code, detail)
    failed = translate.find(f"code_{code}", translate(_OTHER))
    return Refusal(code, translate.find(f"refusal_{code}", failed), detail)


def operators_remedy(translate: Translator, code: str) -> str:
    """Return what an operator can do about an error of this code; "" for a code that is unknown."""
    return translate.find(f"remedy_{code}", "")
