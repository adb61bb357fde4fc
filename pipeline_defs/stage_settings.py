"""What the environment says of all pipelines and their stages. Pure, but for the vendors' keys.

A pipeline has CASTAD_SLOTS_<PIPELINE>. A stage has CASTAD_RETRY_<STAGE>, CASTAD_SLOTS_<STAGE> and, if it is
bought, <STAGE>_PROVIDER. Where several pipelines have a stage of this name, or one is called so itself, the
pipeline's name stands in front: CASTAD_RETRY_<PIPELINE>_<STAGE>.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from pipeline_defs.pipeline import BoughtStage, Pipeline, Stage
from resources.contract.errors import InvalidInputError
from resources.contract.protocol import StageSettings

IsAvailable = Callable[[str, str], bool]
"""Whether a maker's key is set; refuses with a sentence where a variable of this name chose it without a key."""
SlotsAt = Callable[[str], int | None]
"""How many jobs a maker takes at once, None for any number."""

_LONGEST_RETRY = 31_536_000.0
_NEAR = 0.75


@dataclass(frozen=True)
class VariableNames:
    """The names of one stage's variables."""

    retry: str
    slots: str
    provider: str

    @property
    def names(self) -> tuple[str, ...]:
        """All of them."""
        return (self.retry, self.slots, self.provider)

    @property
    def unused(self) -> str:
        """The variable by which a stage of this machine has no provider; "" where a provider makes the stage."""
        return "" if self.provider else f"{self.retry.removeprefix('CASTAD_RETRY_')}_PROVIDER"


def variables_of(pipelines: Iterable[Pipeline]) -> Mapping[tuple[str, str], VariableNames]:
    """The names of the variables of every stage, by pipeline and stage."""
    listed = list(pipelines)
    names = unique_stage_names(listed)
    found = {}
    for pipeline in listed:
        for stage in pipeline.stages:
            suffix = names[pipeline.name, stage.name].upper()
            provider = f"{suffix}_PROVIDER" if isinstance(stage, BoughtStage) else ""
            found[pipeline.name, stage.name] = VariableNames(
                f"CASTAD_RETRY_{suffix}", f"CASTAD_SLOTS_{suffix}", provider
            )
    return found


def unique_stage_names(pipelines: Iterable[Pipeline]) -> Mapping[tuple[str, str], str]:
    """The name of every stage among all pipelines and stages, by pipeline and stage.

    It is the stage's own, or, where another stage or a pipeline has that too, has the pipeline's in front.
    """
    listed = list(pipelines)
    pairs = [(pipeline.name, name) for pipeline in listed for name in pipeline.stage_names]
    shared = Counter(name for _, name in pairs) + Counter(each.name for each in listed)
    return {(of, name): name if shared[name] == 1 else f"{of}_{name}" for of, name in pairs}


def slots_variable(pipeline: Pipeline) -> str:
    """The name of the variable that limits how many of the pipeline's requests are at work at once."""
    return f"CASTAD_SLOTS_{pipeline.name.upper()}"


def pipeline_slots(pipeline: Pipeline, given: Mapping[str, str]) -> int | None:
    """The pipeline's limit, None without one; raises InvalidInputError naming the variable."""
    name = slots_variable(pipeline)
    return _whole_number(name, given[name]) if name in given else None


def slots_in_order(at_once: int) -> int:
    """Return how many requests are at work where a stage takes `at_once`: half as many again wait for it.

    They begin in their order, and all that are at work come to the stage at about the same time: the fewer they
    are, the less one overtakes another.
    """
    return at_once + (at_once + 1) // 2


def refuse_unknown_variables(
    given: Mapping[str, str], known: Iterable[str], makers: Iterable[str]
) -> None:
    """Every given variable of a pipeline or stage exists; raises InvalidInputError naming the nearest one.

    Other programs have variables that end with _PROVIDER: one is refused only where it looks like one of these.
    """
    names, providers = sorted(set(known)), set(makers)
    for name in sorted(set(given) - set(names)):
        of_kind = [each for each in names if _kind(each) == _kind(name)]
        nearest = _nearest(name, of_kind)
        is_chosen = name.endswith("_PROVIDER") and given[name] in providers
        if name.startswith("CASTAD_") or nearest or is_chosen:
            meant = " or ".join(nearest) or f"one of {', '.join(of_kind or names)}"
            raise InvalidInputError(
                name,
                f"is a variable of no stage and no pipeline; expected {meant}",
                code="invalid_setting",
            )


def _kind(name: str) -> str:
    """What all variables of this kind begin with: `CASTAD_RETRY_`; "" for a stage's provider."""
    return "_".join([*name.split("_")[:2], ""]) if name.startswith("CASTAD_") else ""


def _nearest(name: str, of_kind: Sequence[str]) -> list[str]:
    """The variables that may be meant: a pipeline's name more or less in front, or the closest."""
    kind = _kind(name)
    own, names = name.removeprefix(kind), [each.removeprefix(kind) for each in of_kind]
    found = [each for each in names if own.endswith(f"_{each}") or each.endswith(f"_{own}")]
    if not kind or not found:
        found = get_close_matches(own, names, n=1, cutoff=_NEAR)
    return [f"{kind}{each}" for each in found]


def stage_settings(
    stage: Stage,
    names: VariableNames,
    given: Mapping[str, str],
    deadline: float,
    is_available: IsAvailable,
    slots_at: SlotsAt,
) -> StageSettings:
    """The settings of a stage; raises InvalidInputError naming the variable that cannot be used."""
    retry, slots = given.get(names.retry), given.get(names.slots)
    if names.unused in given:
        raise InvalidInputError(
            names.unused,
            f"expected it unset: this machine makes {stage.name}",
            code="invalid_setting",
        )
    maker = _maker(stage, names, given, is_available) if isinstance(stage, BoughtStage) else ""
    at_once = stage.slots if stage.slots or not maker else slots_at(maker)
    return StageSettings(
        name=stage.name,
        maker=maker,
        kind=(stage.kind or stage.name) if isinstance(stage, BoughtStage) else "",
        retry_seconds=stage.retry_seconds if retry is None else _seconds(names.retry, retry),
        slots=at_once if slots is None else _whole_number(names.slots, slots),
        deadline=deadline if stage.deadline is None else stage.deadline,
    )


def _maker(
    stage: BoughtStage, names: VariableNames, given: Mapping[str, str], is_available: IsAvailable
) -> str:
    """The maker that the environment chooses, else the first one that is available, else the last."""
    chosen = given.get(names.provider)
    if chosen is None:
        return next((maker for maker in stage.makers if is_available(maker, "")), stage.makers[-1])
    if chosen not in stage.makers:
        raise InvalidInputError(
            names.provider, f"expected {' or '.join(stage.makers)}", code="invalid_setting"
        )
    is_available(chosen, names.provider)
    return chosen


def _seconds(name: str, text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= _LONGEST_RETRY:
        raise InvalidInputError(name, "expected seconds, more than 0", code="invalid_setting")
    return seconds


def _whole_number(name: str, text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 10 and int(text) > 0):
        raise InvalidInputError(
            name, "expected a whole number of at least 1", code="invalid_setting"
        )
    return int(text)
