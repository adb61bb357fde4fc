"""Which pipeline a command's arguments choose, on which its options depend. Pure."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache

from pipeline_defs.fields import list_order_fields
from pipeline_defs.pipeline import Pipeline

_OWN_FLAGS = ("--dry-run", "--json", "--help")
_OWN_OPTIONS = ("--task-id", "--from")


def chosen_pipeline(
    arguments: Sequence[str],
    pipelines: Iterable[Pipeline],
    pipeline_of: Callable[[str], Pipeline | None],
) -> Pipeline | None:
    """The pipeline to which the first argument leads that is neither one of its options nor an option's value.

    `pipeline_of` says where an argument leads; it is asked once about each.
    """
    pipeline_of = cache(pipeline_of)
    for pipeline in pipelines:
        first = _first_argument(arguments, _takes_value(pipeline))
        if first is not None and pipeline_of(first) is pipeline:
            return pipeline
    return None


def _first_argument(arguments: Sequence[str], takes_value: Mapping[str, bool]) -> str | None:
    """The first argument that is no option and no option's value; None after an option that is none of these."""
    rest = iter(arguments)
    for argument in rest:
        if argument == "--":
            return next(rest, None)
        if not argument.startswith("-"):
            return argument
        option, has_value, _ = argument.partition("=")
        if option not in takes_value:
            return None
        if takes_value[option] and not has_value:
            next(rest, None)
    return None


def _takes_value(pipeline: Pipeline) -> dict[str, bool]:
    """The options of a command that orders of this pipeline, and whether each takes a value."""
    fields = list_order_fields(pipeline.order_model)
    return {
        **dict.fromkeys(_OWN_OPTIONS, True),
        **dict.fromkeys(_OWN_FLAGS, False),
        **{option: not field.is_flag for field in fields for option in field.options},
    }
