"""Orders that this configuration cannot fulfill are refused before they are queued."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pipeline_defs.image.order import Order, placeholders
from pipeline_defs.text import UPLOAD
from resources.contract.errors import InvalidInputError
from resources.http.host_allowlist import HostAllowlist
from studio.graphs import verdict_on

if TYPE_CHECKING:
    from resources.process.settings import Settings


def refuse_unfulfillable(order: Order, makers: Mapping[str, str], settings: "Settings") -> None:
    """Return if the maker can execute the order's graph, and its links lead to public addresses.

    A server knows more nodes than this machine: only the server can judge its graphs. Raises InvalidInputError.
    """
    allowlist = HostAllowlist(settings.allow_hosts, plain_http=True)
    for index, image in enumerate(order.images):
        problem = None if UPLOAD.fullmatch(image) else allowlist.url_problem(image)
        if problem is not None:
            raise InvalidInputError(f"images[{index}]", problem, code="private_address")
    if makers["render"] == "local":
        from resources.files.workflow_errors import refusal_of

        verdict = verdict_on(order.workflow, placeholders(len(order.images)).__contains__)
        refusal = refusal_of({"error": verdict.error, "node_errors": verdict.node_errors})
        if refusal is not None:
            raise InvalidInputError("workflow", refusal, code="invalid_workflow")
