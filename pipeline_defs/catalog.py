"""The catalog of this project's pipelines, and the settings of their stages; it loads without Dagster.

A pipeline has CASTAD_SLOTS_<PIPELINE>. A stage has CASTAD_RETRY_<STAGE>, CASTAD_SLOTS_<STAGE> and, if it is
bought, <STAGE>_PROVIDER. If several pipelines have a stage of this name, or a pipeline has the name itself, the
pipeline's name precedes it: CASTAD_RETRY_<PIPELINE>_<STAGE>.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from typing import Any

from pydantic import BaseModel

from pipeline_defs.capabilities import (
    Pace,
    can_settle_shared_key,
    get_typical_products,
    get_unique_key,
)
from pipeline_defs.checks import INVALID_PIPELINE, check_pipeline
from pipeline_defs.pipeline import BoughtStage, Brief, Pipeline, Stage
from resources.contract.errors import InvalidInputError
from resources.contract.protocol import Provider, StageSettings
from resources.ledger.limits import DEFAULT_QUEUE, Limit, Limits
from resources.process.settings import Settings
from resources.providers.vendor import (
    VENDORS,
    check_vendor_settings,
    get_vendor_slots,
    is_vendor_available,
    load_module_value,
    make_provider,
    require_api_key,
)

PIPELINES = ("song_video", "analysis", "image", "scan")
"""The folders of the pipelines; the first is the default."""


_LONGEST_RETRY = 31_536_000.0


class Catalog:
    """All pipelines of the project, their queues, and the settings of their stages."""

    def __init__(self, pipelines: Mapping[str, Pipeline]) -> None:
        self._pipelines = dict(pipelines)

    def __iter__(self) -> Iterator[Pipeline]:
        return iter(self._pipelines.values())

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the pipelines, the default pipeline first."""
        return tuple(self._pipelines)

    @property
    def default(self) -> Pipeline:
        """The pipeline of orders that do not name one."""
        return next(iter(self))

    @property
    def product_reusing_pipelines(self) -> frozenset[str]:
        """The names of the pipelines whose orders may take over the products of another request."""
        return frozenset(each.name for each in self if can_settle_shared_key(each))

    @property
    def first_stages(self) -> dict[str, str]:
        """The name of the first stage of each pipeline, by pipeline name."""
        return {pipeline.name: pipeline.stage_names[0] for pipeline in self}

    @cached_property
    def stage_names(self) -> Mapping[tuple[str, str], str]:
        """A unique name for every stage, by (pipeline name, stage name), in execution order.

        It is the stage's name. If another stage or a pipeline has that name too, the pipeline's name precedes it.
        """
        pairs = [(pipeline.name, name) for pipeline in self for name in pipeline.stage_names]
        shared = Counter(name for _, name in pairs) + Counter(self.names)
        return {(of, name): name if shared[name] == 1 else f"{of}_{name}" for of, name in pairs}

    def find_pipeline(self, name: str) -> Pipeline | None:
        """Return the pipeline of this name; None if there is none, for example for a name written by SQL."""
        return self._pipelines.get(name)

    def get_pipeline(self, name: str) -> Pipeline:
        """Return the pipeline of this name. Raises InvalidInputError if there is none."""
        found = self.find_pipeline(name)
        if found is None:
            raise self.make_unknown_pipeline_error(name)
        return found

    def make_unknown_pipeline_error(self, name: str) -> InvalidInputError:
        """Make the InvalidInputError for a pipeline name that is not in the catalog."""
        expected = f"expected {' or '.join(self.names)}, got {ascii(name)[:80]}"
        return InvalidInputError("pipeline", expected)

    @property
    def variable_names(self) -> tuple[str, ...]:
        """The names of the environment variables that configure pipelines and stages."""
        names = [get_slots_variable(pipeline) for pipeline in self]
        for pipeline in self:
            for stage in pipeline.stages:
                found = get_stage_variables(self.stage_names[pipeline.name, stage.name])
                names += found if isinstance(stage, BoughtStage) else found[:2]
        return tuple(names)

    @property
    def queues(self) -> tuple[str, ...]:
        """The names of all worker queues, the default queue first."""
        return tuple(dict.fromkeys((DEFAULT_QUEUE, *(pipeline.queue for pipeline in self))))

    def get_queue(self, name: str) -> str:
        """Return the queue of the pipeline of this name; the default queue if there is no such pipeline."""
        found = self.find_pipeline(name)
        return DEFAULT_QUEUE if found is None else found.queue

    def check_queue(self, name: str) -> str:
        """Return the queue name if a queue has it. Raises InvalidInputError otherwise."""
        if name not in self.queues:
            raise InvalidInputError("queue", f"expected {' or '.join(self.queues)}")
        return name

    def read_slots(self, pipeline: Pipeline, settings: Settings) -> int | None:
        """Read how many requests of the pipeline may run at the same time; None if there is no limit.

        The limit is that of the environment, else it follows from the slots of the stage in `Pace`. Raises
        InvalidInputError naming an environment variable with an unusable value.
        """
        given = read_pipeline_slots(pipeline, dict(settings.stage_variables))
        pace = pipeline.find_extra(Pace)
        if given is not None or pace is None:
            return given
        at_once = self.get_stage_settings(pipeline, pace.stage, settings).slots
        # Half as many more may wait for the stage. Requests begin in their order and reach it at about the same
        # time; the fewer run, the fewer overtake each other.
        return None if at_once is None else at_once + (at_once + 1) // 2

    def list_stage_settings(
        self, pipeline: Pipeline, settings: Settings
    ) -> tuple[StageSettings, ...]:
        """List the settings of the pipeline's stages, in execution order.

        Raises InvalidInputError naming an environment variable that no stage has, or whose value is unusable.
        """
        return _resolve_once(self, settings)[pipeline.name]

    def get_stage_settings(
        self, pipeline: Pipeline, stage: str, settings: Settings
    ) -> StageSettings:
        """Return the settings of the stage of this name; the pipeline has to have it.

        Raises as `list_stage_settings`.
        """
        return next(
            each for each in self.list_stage_settings(pipeline, settings) if each.name == stage
        )

    def collect_limits(self, settings: Settings) -> Limits:
        """Collect the slots of every pipeline and stage and the rate limit of every vendor in use.

        Without a broker they also limit the runs of the worker that the launcher starts on demand.
        """
        stages = [
            (pipeline.name, stage)
            for pipeline in self
            for stage in self.list_stage_settings(pipeline, settings)
        ]
        rates = {
            stage.maker: make_provider(stage.maker, stage.kind, settings).rate
            for _, stage in stages
            if stage.maker
        }
        slots = {
            **{f"pipeline:{each.name}": self.read_slots(each, settings) for each in self},
            **{f"stage:{pipeline}.{stage.name}": stage.slots for pipeline, stage in stages},
        }
        return Limits(
            on_demand=0 if settings.broker_url else settings.runs_at_once,
            lease_seconds=settings.lease_seconds,
            limits=(
                *(Limit(name, count) for name, count in slots.items() if count is not None),
                *(
                    Limit(f"vendor:{v}", rate.calls, rate.seconds)
                    for v, rate in rates.items()
                    if rate
                ),
            ),
            queues=tuple((pipeline.name, pipeline.queue) for pipeline in self),
            first_stages=tuple(self.first_stages.items()),
        )

    def make_stage_provider(
        self, pipeline: Pipeline, stage: str, settings: Settings
    ) -> Provider | None:
        """Make the provider that the settings choose for this stage; return None for a local stage."""
        chosen = self.get_stage_settings(pipeline, stage, settings)
        return make_provider(chosen.maker, chosen.kind, settings) if chosen.maker else None

    def choose_makers(self, pipeline: Pipeline, brief: Brief, settings: Settings) -> dict[str, str]:
        """Choose the provider of each stage of this order, by stage name.

        "" for a local stage or a known result.
        """
        typical = get_typical_products(pipeline, brief)
        return {
            chosen.name: "" if stage.find_local_work(brief, typical) else chosen.maker
            for stage, chosen in zip(
                pipeline.stages, self.list_stage_settings(pipeline, settings), strict=True
            )
        }

    def estimate_prices(
        self, pipeline: Pipeline, payload: Mapping[str, Any], settings: Settings
    ) -> dict[str, int]:
        """Estimate the price of each stage in micro-dollars, by stage name, with one submission per stage.

        Raises InvalidInputError for an invalid payload.
        """
        brief = pipeline.parse(payload)
        makers = self.choose_makers(pipeline, brief, settings)
        typical = get_typical_products(pipeline, brief)
        found = dict.fromkeys(pipeline.stage_names, 0)
        for stage in pipeline.stages:
            if isinstance(stage, BoughtStage) and makers[stage.name]:
                provider = make_provider(makers[stage.name], stage.kind or stage.name, settings)
                found[stage.name] = provider.price(stage.job_input(brief, "estimate", typical))
        return found

    def accept_order(
        self, pipeline: Pipeline, payload: Mapping[str, Any], settings: Settings
    ) -> dict[str, Any]:
        """Validate the payload and return it as JSON with all defaults.

        Raises InvalidInputError naming the field or the environment variable because of which these settings
        cannot fulfill the order, also if it would cost more than CASTAD_MAX_COST.
        """
        brief: BaseModel = pipeline.parse(payload)
        get_unique_key(pipeline, payload)
        makers = self.choose_makers(pipeline, brief, settings)
        for stage, maker in makers.items():
            if maker:
                require_api_key(maker, f"the maker of {stage}", settings)
        pipeline.acceptance(brief, makers, settings)
        if settings.max_cost is not None:
            check_max_cost(self.estimate_prices(pipeline, payload, settings), settings.max_cost)
        return brief.model_dump(mode="json")

    def resolve_stage_settings(self, settings: Settings) -> Mapping[str, tuple[StageSettings, ...]]:
        """Resolve the settings of all stages, by pipeline name.

        Raises InvalidInputError naming an environment variable of a vendor or stage that is unknown or unusable.
        """
        check_vendor_settings(settings)
        given = dict(settings.stage_variables)
        check_variables(given, self.variable_names, VENDORS)
        for pipeline in self:
            read_pipeline_slots(pipeline, given)

        return {
            pipeline.name: tuple(
                resolve_stage(stage, self.stage_names[pipeline.name, stage.name], settings)
                for stage in pipeline.stages
            )
            for pipeline in self
        }


def check_max_cost(prices: Mapping[str, int], max_cost: float) -> None:
    """Raise InvalidInputError `over_max_cost` if the sum of the prices exceeds CASTAD_MAX_COST.

    `prices` are in micro-dollars by stage name, `max_cost` is in dollars.
    """
    total = sum(prices.values()) / 1_000_000
    if total <= max_cost:
        return
    listed = ", ".join(f"{stage} {price / 1_000_000:.4f}" for stage, price in prices.items())
    raise InvalidInputError(
        "CASTAD_MAX_COST",
        f"expected at least {total:.4f} USD for this order ({listed}), got {max_cost:.4f}",
        code="over_max_cost",
    )


@lru_cache(maxsize=16)
def _resolve_once(catalog: Catalog, settings: Settings) -> Mapping[str, tuple[StageSettings, ...]]:
    return catalog.resolve_stage_settings(settings)


@lru_cache(maxsize=1)
def get_catalog() -> Catalog:
    """Return the project's catalog, loaded at the first call and cached.

    Raises InvalidInputError naming the folder and the faulty field if a pipeline's folder is invalid.
    """
    pipelines = {}
    for folder in PIPELINES:
        place = f"pipeline_defs/{folder}"
        pipeline = load_module_value(
            place, f"pipeline_defs.{folder}.pipeline", "PIPELINE", INVALID_PIPELINE
        )
        if not isinstance(pipeline, Pipeline):
            raise InvalidInputError(
                place, "expected `PIPELINE` in pipeline.py", code=INVALID_PIPELINE
            )
        check_pipeline(folder, pipeline)
        pipelines[folder] = pipeline
    return Catalog(pipelines)


def get_stage_variables(unique_name: str) -> tuple[str, str, str]:
    """Return the names of the environment variables for a stage's retry wait, its slots and its provider."""
    suffix = unique_name.upper()
    return f"CASTAD_RETRY_{suffix}", f"CASTAD_SLOTS_{suffix}", f"{suffix}_PROVIDER"


def get_slots_variable(pipeline: Pipeline) -> str:
    """Return the name of the environment variable that limits how many of the pipeline's requests run at once."""
    return f"CASTAD_SLOTS_{pipeline.name.upper()}"


def read_pipeline_slots(pipeline: Pipeline, given: Mapping[str, str]) -> int | None:
    """Read the limit of the pipeline's running requests from the given environment variables.

    Return None if its variable is not set. Raises InvalidInputError naming the variable if it is no whole number.
    """
    name = get_slots_variable(pipeline)
    return _parse_whole_number(name, given[name]) if name in given else None


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

    Its maker is the one that the environment sets, else the first whose key is set, else the last. Raises
    InvalidInputError naming an environment variable that cannot be used.
    """
    given = dict(settings.stage_variables)
    of_retry, of_slots, of_provider = get_stage_variables(unique_name)
    maker, kind, slots, retry_seconds = "", "", stage.slots, stage.retry_seconds
    if isinstance(stage, BoughtStage):
        kind = stage.kind or stage.name
        if of_provider not in given:
            available = (each for each in stage.makers if is_vendor_available(each, settings))
            maker = next(available, stage.makers[-1])
        else:
            maker = given[of_provider]
            if maker not in stage.makers:
                raise InvalidInputError(
                    of_provider, f"expected {' or '.join(stage.makers)}", code="invalid_setting"
                )
            require_api_key(maker, of_provider, settings)
        slots = slots or get_vendor_slots(maker, settings)
    elif of_provider in given:
        raise InvalidInputError(
            of_provider,
            f"expected it unset: this machine makes {stage.name}",
            code="invalid_setting",
        )
    if of_retry in given:
        try:
            retry_seconds = float(given[of_retry])
        except ValueError:
            retry_seconds = 0.0
        if not 0 < retry_seconds <= _LONGEST_RETRY:
            raise InvalidInputError(
                of_retry, "expected seconds, more than 0", code="invalid_setting"
            )
    return StageSettings(
        name=stage.name,
        maker=maker,
        kind=kind,
        retry_seconds=retry_seconds,
        slots=_parse_whole_number(of_slots, given[of_slots]) if of_slots in given else slots,
        deadline=settings.stage_deadline if stage.deadline is None else stage.deadline,
    )


def _parse_whole_number(name: str, text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 10 and int(text) > 0):
        raise InvalidInputError(
            name, "expected a whole number of at least 1", code="invalid_setting"
        )
    return int(text)
