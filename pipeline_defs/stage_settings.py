"""Read the settings of pipelines and stages from environment variables. Pure, except for the vendors' keys.

A pipeline has CASTAD_SLOTS_<PIPELINE>. A stage has CASTAD_RETRY_<STAGE>, CASTAD_SLOTS_<STAGE> and, if it is
bought, <STAGE>_PROVIDER. If several pipelines have a stage of this name, or a pipeline has the name itself, the
pipeline's name precedes it: CASTAD_RETRY_<PIPELINE>_<STAGE>.
"""

from collections import Counter
from collections.abc import Iterable, Mapping

from pipeline_defs.pipeline import BoughtStage, Pipeline, Stage
from resources.contract.errors import InvalidInputError
from resources.contract.protocol import StageSettings
from resources.process.settings import Settings
from resources.providers.vendor import get_vendor_slots, is_vendor_available, require_api_key

_LONGEST_RETRY = 31_536_000.0


def get_stage_variables(unique_name: str) -> tuple[str, str, str]:
    """Return the names of the environment variables for a stage's retry wait, its slots and its provider."""
    suffix = unique_name.upper()
    return f"CASTAD_RETRY_{suffix}", f"CASTAD_SLOTS_{suffix}", f"{suffix}_PROVIDER"


def make_unique_stage_names(pipelines: Iterable[Pipeline]) -> Mapping[tuple[str, str], str]:
    """Make a unique name for every stage, by (pipeline name, stage name).

    It is the stage's name. If another stage or a pipeline has that name too, the pipeline's name precedes it.
    """
    listed = list(pipelines)
    pairs = [(pipeline.name, name) for pipeline in listed for name in pipeline.stage_names]
    shared = Counter(name for _, name in pairs) + Counter(each.name for each in listed)
    return {(of, name): name if shared[name] == 1 else f"{of}_{name}" for of, name in pairs}


def get_slots_variable(pipeline: Pipeline) -> str:
    """Return the name of the environment variable that limits how many of the pipeline's requests run at once."""
    return f"CASTAD_SLOTS_{pipeline.name.upper()}"


def read_pipeline_slots(pipeline: Pipeline, given: Mapping[str, str]) -> int | None:
    """Read the limit of the pipeline's running requests from the given environment variables.

    Return None if its variable is not set. Raises InvalidInputError naming the variable if it is no whole number.
    """
    name = get_slots_variable(pipeline)
    return _parse_whole_number(name, given[name]) if name in given else None


def count_paced_requests(at_once: int) -> int:
    """Compute the limit of running requests of a pipeline whose pacing stage takes `at_once` requests.

    Half as many more may wait for the stage. Requests begin in their order and reach the stage at about the same
    time; the fewer run, the fewer overtake each other.
    """
    return at_once + (at_once + 1) // 2


def check_variables(given: Mapping[str, str], known: Iterable[str], makers: Iterable[str]) -> None:
    """Raise InvalidInputError for an environment variable of no pipeline or stage.

    `given` are the variables by name, `known` the valid names. Other programs may use variables that end with
    _PROVIDER: such a variable is refused only if its value is one of the `makers`.
    """
    names, providers = sorted(set(known)), set(makers)
    for name in sorted(set(given) - set(names)):
        if name.startswith("CASTAD_") or given[name] in providers:
            kind = _get_prefix(name)
            expected = ", ".join(each for each in names if _get_prefix(each) == kind)
            raise InvalidInputError(
                name,
                f"is a variable of no stage and no pipeline; expected one of {expected}",
                code="invalid_setting",
            )


def _get_prefix(name: str) -> str:
    """Return the variable's prefix, such as `CASTAD_RETRY_`; "" for a stage's provider variable."""
    return "_".join([*name.split("_")[:2], ""]) if name.startswith("CASTAD_") else ""


def resolve_stage(stage: Stage, unique_name: str, settings: Settings) -> StageSettings:
    """Resolve the settings of a stage from the environment and its defaults.

    Raises InvalidInputError naming an environment variable that cannot be used.
    """
    given = dict(settings.stage_variables)
    of_retry, of_slots, of_provider = get_stage_variables(unique_name)
    retry, slots = given.get(of_retry), given.get(of_slots)
    if not isinstance(stage, BoughtStage) and of_provider in given:
        raise InvalidInputError(
            of_provider,
            f"expected it unset: this machine makes {stage.name}",
            code="invalid_setting",
        )
    maker = _choose_maker(stage, of_provider, settings) if isinstance(stage, BoughtStage) else ""
    at_once = stage.slots if stage.slots or not maker else get_vendor_slots(maker, settings)
    return StageSettings(
        name=stage.name,
        maker=maker,
        kind=(stage.kind or stage.name) if isinstance(stage, BoughtStage) else "",
        retry_seconds=stage.retry_seconds if retry is None else _parse_seconds(of_retry, retry),
        slots=at_once if slots is None else _parse_whole_number(of_slots, slots),
        deadline=settings.stage_deadline if stage.deadline is None else stage.deadline,
    )


def _choose_maker(stage: BoughtStage, variable: str, settings: Settings) -> str:
    """Return the maker that the environment sets, else the first whose key is set, else the last.

    `variable` names the environment variable. Raises InvalidInputError if its maker is unknown or has no key.
    """
    chosen = dict(settings.stage_variables).get(variable)
    if chosen is None:
        return next(
            (maker for maker in stage.makers if is_vendor_available(maker, settings)),
            stage.makers[-1],
        )
    if chosen not in stage.makers:
        raise InvalidInputError(
            variable, f"expected {' or '.join(stage.makers)}", code="invalid_setting"
        )
    require_api_key(chosen, variable, settings)
    return chosen


def _parse_seconds(name: str, text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= _LONGEST_RETRY:
        raise InvalidInputError(name, "expected seconds, more than 0", code="invalid_setting")
    return seconds


def _parse_whole_number(name: str, text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 10 and int(text) > 0):
        raise InvalidInputError(
            name, "expected a whole number of at least 1", code="invalid_setting"
        )
    return int(text)
