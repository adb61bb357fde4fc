"""Orders that this configuration cannot fulfill are refused before they are queued."""

from collections.abc import Mapping

from pipeline_defs.fields import UPLOAD
from pipeline_defs.image.order import Order, placeholders
from resources.contract.errors import InvalidInputError
from resources.http.addresses import HostAllowlist
from resources.process.settings import Settings
from studio.graphs import Graph, check_graph, describe_nodes, find_unknown_nodes


def refuse_unfulfillable(order: Order, makers: Mapping[str, str], settings: Settings) -> None:
    """Return if the maker can execute the order's graph, and its links lead to public addresses.

    A server knows more nodes than this machine: only the server can judge its graphs. Raises InvalidInputError.
    """
    allowlist = HostAllowlist(settings.allow_hosts, plain_http=True)
    for index, image in enumerate(order.images):
        problem = None if UPLOAD.fullmatch(image) else allowlist.find_url_problem(image)
        if problem is not None:
            raise InvalidInputError(f"images[{index}]", problem, code="private_address")
    if makers["render"] == "local":
        _ensure_known(order.workflow or {})
        checked = check_graph(order.workflow, placeholders(len(order.images)).__contains__)
        if checked.error or checked.node_errors:
            from resources.files.media import describe_workflow_refusal

            refusal = describe_workflow_refusal(
                {"error": checked.error, "node_errors": checked.node_errors}
            )
            raise InvalidInputError("workflow", str(refusal), code="invalid_workflow")


def _ensure_known(graph: Graph) -> None:
    """Refuse a graph with nodes that only a ComfyUI server executes. Raises InvalidInputError."""
    unknown = [f"{node[:20]} ({kind[:60]})" for node, kind in find_unknown_nodes(graph).items()]
    if unknown:
        more = f" and {len(unknown) - 3} more" if len(unknown) > 3 else ""
        raise InvalidInputError(
            "workflow",
            f"node {', '.join(unknown[:3])}{more} needs a ComfyUI server, which CASTAD_COMFYUI_URLS names; "
            f"this machine runs filters without a model only: {', '.join(describe_nodes())}",
            code="invalid_workflow",
        )
