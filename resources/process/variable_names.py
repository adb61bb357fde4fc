"""The names of environment variables: which processes give each other, and what a misspelt one was meant to be."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from resources.contract.errors import InvalidInputError

WORKSPACE_VARIABLE = "CASTAD_WORKSPACE"
"""The file of the workspace that the processes of `castad up` share."""
STOP_LOCK_VARIABLE = "CASTAD_STOP_LOCK"
"""The path of the stop lock."""
# A process of the former version may give the last one to its children.
_OF_PROCESSES = (WORKSPACE_VARIABLE, STOP_LOCK_VARIABLE, "CASTAD_PROJECT")

# Kubernetes gives every container the addresses of its services, and one may be called castad.
_OF_SERVICES = re.compile(r"CASTAD_(\w+_)?(SERVICE_HOST|SERVICE_PORT\w*|PORT(_\d+_(TCP|UDP)\w*)?)")

OWN_PREFIX = "CASTAD_"
_FORMER_BEGINNINGS = {"CASTAD_PLACES_": "CASTAD_SLOTS_", "COMFYUI_PLACES": "COMFYUI_SLOTS"}
"""How the names of variables began that have others now."""
_ASSIGNED = re.compile(r"^([#\s]*(?:export\s+)?)(\w+)(?=\s*=)", re.MULTILINE)
_OF_VENDORS = re.compile(r"CASTAD_[A-Z0-9]+_URLS")
_OF_STAGES = ("SLOTS", "RETRY")
_PROVIDER = "PROVIDER"
_NEAR = 0.75
_NEAR_WORD = 0.6
_NEAR_PROVIDER = 0.9
"""PROVIDR and PROVIDERS are as near; another program's PRODUCER and PROFILER are not."""


def is_of_stages(name: str) -> bool:
    """Whether it has, or nearly has, the form of a stage's or pipeline's variable."""
    if name.startswith(OWN_PREFIX):
        word, _, rest = name.removeprefix(OWN_PREFIX).partition("_")
        return word in _OF_STAGES and bool(rest)
    stage, _, word = name.rpartition("_")
    return bool(stage) and word.startswith("PRO") and bool(_like(word, [_PROVIDER], _NEAR_PROVIDER))


def is_of_vendors(name: str) -> bool:
    """Whether it has the form of the addresses of a vendor's servers; which vendors have some, they know."""
    return _OF_VENDORS.fullmatch(name) is not None


def todays_name(name: str) -> str | None:
    """Return the name that a renamed variable has now; None for any other."""
    for former, today in _FORMER_BEGINNINGS.items():
        if name.startswith(former):
            return today + name.removeprefix(former)
    return None


def rename_variables(text: str) -> tuple[str, Mapping[str, str]]:
    """Rename the variables that a file of settings sets, in comments too; return it and what was renamed."""
    renamed: dict[str, str] = {}

    def rename(line: re.Match[str]) -> str:
        today = todays_name(line[2])
        if today is None:
            return line[0]
        renamed[line[2]] = today
        return line[1] + today

    return _ASSIGNED.sub(rename, text), renamed


def refuse_renamed(given: Iterable[str]) -> None:
    """Raise InvalidInputError naming every variable that has another name now, and these names."""
    renamed = {name: today for name in sorted({*given}) if (today := todays_name(name))}
    if renamed:
        expected = ", ".join(renamed.values())
        raise InvalidInputError(
            ", ".join(renamed),
            f"expected the new name, {expected}; `castad migrate --env .env` renames them in a file",
            code="invalid_setting",
        )


def refuse_unknown(given: Iterable[str], settings: Collection[str]) -> None:
    """Return if every variable `CASTAD_…` is a setting, of processes or services, or of the stages' forms.

    Raises InvalidInputError naming one that is not, and the nearest.
    """
    known = (*settings, *_OF_PROCESSES)
    for name in sorted(given):
        if not name.startswith(OWN_PREFIX) or name in known or _OF_SERVICES.fullmatch(name):
            continue
        if not is_of_stages(name) and not is_of_vendors(name):
            meant = nearest(name, settings, OWN_PREFIX) or _stage_variable_like(name)
            raise unknown_variable(name, meant or "one of those in .env.example")


def _stage_variable_like(name: str) -> str:
    """The variable with the word that its first one was meant to be; "" where that is none."""
    word, _, rest = name.removeprefix(OWN_PREFIX).partition("_")
    kind = _like(word, _OF_STAGES, _NEAR_WORD)
    return f"{OWN_PREFIX}{kind}_{rest}" if kind and rest else ""


def unknown_variable(name: str, meant: str) -> InvalidInputError:
    """The refusal of a variable that castad does not know."""
    expected = f"is no variable of castad; expected {meant}"
    return InvalidInputError(name, expected, code="invalid_setting")


def nearest(name: str, known: Iterable[str], prefix: str) -> str:
    """The variable with this prefix that is most like the name; "" where none is nearly it."""
    own = _like(name.removeprefix(prefix), [each.removeprefix(prefix) for each in known], _NEAR)
    return f"{prefix}{own}" if own else ""


def _like(word: str, words: Sequence[str], near: float) -> str:
    # Few processes have a name that is not known: difflib is loaded for those.
    from difflib import get_close_matches

    return next(iter(get_close_matches(word, words, n=1, cutoff=near)), "")
