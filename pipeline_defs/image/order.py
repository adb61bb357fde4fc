"""The order of pictures: a template with parameters, or an own graph, and the pictures that it begins with."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from pipeline_defs.fields import UPLOAD, Extra, Flag, check_image_reference, normalize_text
from pipeline_defs.image.templates import MOST_PICTURES, Template, templates
from resources.contract.errors import InvalidInputError
from resources.http.addresses import HostAllowlist
from resources.process.settings import Settings
from studio.graphs import Graph, check_graph, describe_nodes, find_unknown_nodes

PICTURES = ("images",)
"""The fields that hold pictures."""
_MOST_NODES = 1_000
_QUEUED = frozenset(("service_type", "parameters", "format", "longest_side"))
"""What a queued order has in any case; it has a template and the graph that was filled in from it."""

Image = Annotated[str, Field(max_length=2000), AfterValidator(check_image_reference)]


def _graph(workflow: dict[str, Any] | None) -> dict[str, Any] | None:
    """The graph, if each of its nodes has a class and inputs. Raises ValueError."""
    if workflow is None:
        return None
    if not 0 < len(workflow) <= _MOST_NODES:
        raise ValueError(f"expected 1 to {_MOST_NODES} nodes, in ComfyUI's API format")
    for node, about in workflow.items():
        is_node = (
            isinstance(about, dict)
            and isinstance(about.get("class_type"), str)
            and isinstance(about.get("inputs"), dict)
        )
        if not is_node:
            raise ValueError(
                f"expected node {ascii(node)[:40]} to have `class_type` and `inputs`, "
                "as ComfyUI's API format has them"
            )
    return workflow


class Order(BaseModel):
    """What is done with which pictures."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        str_strip_whitespace=True,
        json_schema_extra=lambda schema: schema.update(order_rules()),
    )

    service_type: Annotated[Literal["comfyui"], Extra()] = Field(
        "comfyui", description="The kind of server whose graphs these are: comfyui"
    )
    template: Annotated[str, Field(max_length=48), AfterValidator(normalize_text)] = Field(
        "", description="The template's name; or give a workflow"
    )
    parameters: Annotated[dict[str, Any], Extra()] = Field(
        {}, description='The template\'s parameters, such as {"colors": 6}'
    )
    workflow: Annotated[dict[str, Any] | None, AfterValidator(_graph), Extra()] = Field(
        None,
        description="A graph in ComfyUI's API format, whose LoadImage nodes load $image_1, $image_2 …; "
        "filled in from the template",
    )
    images: Annotated[list[Image], Flag("image")] = Field(
        [], max_length=MOST_PICTURES, description=f"Up to {MOST_PICTURES} links to pictures"
    )
    format: Literal["png", "jpeg", "webp"] = Field(
        "png", description="The format of the pictures: png, jpeg or webp"
    )
    longest_side: Annotated[int | None, Extra()] = Field(
        None, ge=16, le=16_384, description="Pixels of the longer side at most: 16 to 16384"
    )

    @model_validator(mode="before")
    @classmethod
    def _with_its_graph(cls, given: Any) -> Any:
        """Fill in the template's graph; an order that was queued keeps its own.

        Raises InvalidInputError, which names the very field.
        """
        if not isinstance(given, dict):
            return given
        if given.get("workflow") is not None:
            _refuse_both(given)
            return given
        name, parameters = given.get("template"), given.get("parameters", {})
        if not name:
            expected = f"expected one of {', '.join(templates())}, or a workflow"
            raise InvalidInputError("template", expected)
        if not isinstance(name, str) or not isinstance(parameters, dict):
            return given
        template = find_template(name)
        filled = template.filled(parameters)
        _ensure_pictures(template, given.get("images"))
        return {**given, "parameters": filled, "workflow": template.workflow(filled)}

    @property
    def known_template(self) -> Template | None:
        """The template's file as it is now, None where there is none of this name."""
        return templates().get(self.template)


def _refuse_both(given: Mapping[str, Any]) -> None:
    """Return unless a new order has a template beside its graph; raises InvalidInputError."""
    if given.get("template") and not _QUEUED.issubset(given):
        raise InvalidInputError("template", "expected a template or a workflow, got both")
    if given.get("parameters") and not given.get("template"):
        raise InvalidInputError(
            "parameters", "expected none beside a workflow: they are a template's"
        )


def find_template(name: str) -> Template:
    """The template of this name; raises InvalidInputError."""
    found = templates().get(name.strip())
    if found is None:
        expected = f"expected one of {', '.join(templates())}, got {ascii(name)[:80]}"
        raise InvalidInputError("template", expected)
    return found


def _ensure_pictures(template: Template, images: Any) -> None:
    """Return if the order brings as many pictures as the template takes; raises InvalidInputError."""
    if not isinstance(images or [], list):
        return
    count, wanted = len(images or []), template.images
    if not wanted.minimum <= count <= wanted.maximum:
        exact = f"{wanted.minimum}" if wanted.minimum == wanted.maximum else ""
        expected = exact or f"{wanted.minimum} to {wanted.maximum}"
        noun = "picture" if expected == "1" else "pictures"
        raise InvalidInputError("images", f"expected {expected} {noun}, got {count}")


def placeholders(count: int) -> Mapping[str, int]:
    """The names by which a graph loads the order's pictures, and which of them each is."""
    numbered = {f"$image_{number + 1}": number for number in range(count)}
    return {**numbered, "$image": 0} if count else {}


def order_rules() -> dict[str, Any]:
    """Return as JSON Schema what an order's fields have to be together: a template that there is, or a graph."""
    own = {
        "required": ["workflow"],
        "properties": {
            "workflow": _GRAPH,
            "template": {"const": ""},
            "parameters": {"maxProperties": 0},
        },
    }
    queued = {
        "required": ["template", "workflow", *sorted(_QUEUED)],
        "properties": {"workflow": _GRAPH, "template": {"minLength": 1}},
    }
    named = [_template_rules(name, template) for name, template in templates().items()]
    return {"anyOf": [*named, own, queued]}


_GRAPH: Mapping[str, Any] = {
    "type": "object",
    "minProperties": 1,
    "maxProperties": _MOST_NODES,
    "additionalProperties": {
        "type": "object",
        "required": ["class_type", "inputs"],
        "properties": {"class_type": {"type": "string"}, "inputs": {"type": "object"}},
    },
}


def _template_rules(name: str, template: Template) -> dict[str, Any]:
    parameters = {
        "type": "object",
        "additionalProperties": False,
        "properties": {each: about.rules for each, about in template.parameters.items()},
    }
    count = {"minItems": template.images.minimum, "maxItems": template.images.maximum}
    return {
        "required": ["template", *(["images"] if template.images.minimum else [])],
        "properties": {
            "template": {"const": name},
            "parameters": parameters,
            "images": count,
            "workflow": {"type": "null"},
        },
    }


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
