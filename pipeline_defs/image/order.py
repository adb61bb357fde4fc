"""The order of pictures: a template with parameters, or an own graph, and the pictures that it begins with."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from pipeline_defs.fields import UPLOAD, Extra, Flag, Image, normalize_text
from pipeline_defs.image.templates import MOST_PICTURES, Template, load_templates
from resources.contract.errors import InvalidInputError
from resources.http.addresses import HostAllowlist
from resources.process.settings import Settings
from studio.graphs import check_graph, describe_nodes, find_unknown_nodes

PICTURES = ("images",)
"""The fields that hold pictures."""
_MOST_NODES = 1_000
_QUEUED = frozenset(("service_type", "parameters", "format", "longest_side"))
"""The fields of a queued order, beside its template and the graph that was filled in from it."""


def _check_workflow(workflow: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return the graph if each of its nodes has a class and inputs. Raise ValueError otherwise."""
    if workflow is None:
        return None
    if not 0 < len(workflow) <= _MOST_NODES:
        raise ValueError(f"expected 1 to {_MOST_NODES} nodes, in ComfyUI's API format")
    for node, about in workflow.items():
        parts = about if isinstance(about, dict) else {}
        is_named = isinstance(parts.get("class_type"), str)
        if not is_named or not isinstance(parts.get("inputs"), dict):
            expected = f"expected node {ascii(node)[:40]} to have `class_type` and `inputs`"
            raise ValueError(f"{expected}, as ComfyUI's API format has them")
    return workflow


class Order(BaseModel):
    """What is done with which pictures."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        str_strip_whitespace=True,
        json_schema_extra=lambda schema: schema.update(build_order_schema()),
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
    workflow: Annotated[dict[str, Any] | None, AfterValidator(_check_workflow), Extra()] = Field(
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
    def _fill_in_graph(cls, given: Any) -> Any:
        """Fill in the template's graph. A queued order has both, and keeps its graph; a new one may not.

        Raise InvalidInputError, which names the field.
        """
        if not isinstance(given, dict):
            return given
        if given.get("workflow") is not None:
            if given.get("template") and not _QUEUED.issubset(given):
                raise InvalidInputError("template", "expected a template or a workflow, got both")
            if given.get("parameters") and not given.get("template"):
                raise InvalidInputError(
                    "parameters", "expected none beside a workflow: they are a template's"
                )
            return given
        name, parameters = given.get("template"), given.get("parameters", {})
        if not name:
            expected = f"expected one of {', '.join(load_templates())}, or a workflow"
            raise InvalidInputError("template", expected)
        if not isinstance(name, str) or not isinstance(parameters, dict):
            return given
        template = find_template(name)
        filled = template.fill_in(parameters)
        _check_pictures(template, given.get("images"))
        return {**given, "parameters": filled, "workflow": template.build_workflow(filled)}

    @property
    def known_template(self) -> Template | None:
        """The current template of this name; None if there is none."""
        return load_templates().get(self.template)


def find_template(name: str) -> Template:
    """Return the template of this name. Raise InvalidInputError if it is unknown."""
    found = load_templates().get(name.strip())
    if found is None:
        expected = f"expected one of {', '.join(load_templates())}, got {ascii(name)[:80]}"
        raise InvalidInputError("template", expected)
    return found


def _check_pictures(template: Template, images: Any) -> None:
    """Raise InvalidInputError unless the order brings as many pictures as the template takes."""
    if not isinstance(images or [], list):
        return
    count, wanted = len(images or []), template.images
    if not wanted.minimum <= count <= wanted.maximum:
        exact = f"{wanted.minimum}" if wanted.minimum == wanted.maximum else ""
        expected = exact or f"{wanted.minimum} to {wanted.maximum}"
        noun = "picture" if expected == "1" else "pictures"
        raise InvalidInputError("images", f"expected {expected} {noun}, got {count}")


def map_placeholders(count: int) -> Mapping[str, int]:
    """Map each placeholder, by which a graph loads a picture of the order, to the picture's index."""
    numbered = {f"$image_{number + 1}": number for number in range(count)}
    return {**numbered, "$image": 0} if count else {}


def build_order_schema() -> dict[str, Any]:
    """Build the JSON Schema of valid combinations of fields: a known template, or a graph."""
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
    named = [_build_template_schema(name, template) for name, template in load_templates().items()]
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


def _build_template_schema(name: str, template: Template) -> dict[str, Any]:
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


def check_fulfillable(order: Order, makers: Mapping[str, str], settings: Settings) -> None:
    """Raise InvalidInputError unless the maker can execute the graph and all links are public.

    Only this machine's graphs are checked: a server knows more nodes, so only the server can judge its graphs.
    """
    allowlist = HostAllowlist(settings.allow_hosts, plain_http=True)
    for index, image in enumerate(order.images):
        problem = None if UPLOAD.fullmatch(image) else allowlist.find_url_problem(image)
        if problem is not None:
            raise InvalidInputError(f"images[{index}]", problem, code="private_address")
    if makers["render"] == "local":
        unknown = find_unknown_nodes(order.workflow or {})
        if unknown:
            named = [f"{node[:20]} ({kind[:60]})" for node, kind in unknown.items()]
            more = f" and {len(named) - 3} more" if len(named) > 3 else ""
            raise InvalidInputError(
                "workflow",
                f"node {', '.join(named[:3])}{more} needs a ComfyUI server, which CASTAD_COMFYUI_URLS names; "
                f"this machine runs filters without a model only: {', '.join(describe_nodes())}",
                code="invalid_workflow",
            )
        checked = check_graph(order.workflow, map_placeholders(len(order.images)).__contains__)
        if checked.error or checked.node_errors:
            from resources.files.media import describe_workflow_refusal

            faults = {"error": checked.error, "node_errors": checked.node_errors}
            refusal = str(describe_workflow_refusal(faults))
            raise InvalidInputError("workflow", refusal, code="invalid_workflow")
