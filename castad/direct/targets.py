"""Where the spool's messages go: the import to the ledger, saves to their pipelines' functions."""

from collections.abc import Callable, Mapping
from typing import Any

from castad.direct.ledger_import import TARGET, deliver_import
from pipeline_defs.catalog import Catalog

Target = Callable[[Mapping[str, Any]], None]


def targets_of(pipelines: Catalog) -> dict[str, Target]:
    """The function of each target; empty where no pipeline answers directly."""
    stateless = [each.stateless for each in pipelines if each.stateless is not None]
    if not stateless:
        return {}
    saves = {name: save for each in stateless for name, save in each.targets.items()}
    return {TARGET: deliver_import, **saves}
