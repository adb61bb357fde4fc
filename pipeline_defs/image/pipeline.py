"""The pipeline: fetch the pictures, execute a graph on a server or this machine, deliver the results."""

from pydantic import BaseModel

from pipeline_defs.capabilities import Changeable, Jobs, MainFile, Pace, TypicalProducts
from pipeline_defs.image import stages
from pipeline_defs.image.order import PICTURES, Order, check_fulfillable
from pipeline_defs.image.products import Delivered, DeliveredPicture, Prepared, Rendered
from pipeline_defs.image.templates import list_templates
from pipeline_defs.pipeline import BoughtStage, LocalStage, Pipeline, Products


class Result(BaseModel):
    """What a client gets; the names are those of files."""

    pictures: list[DeliveredPicture]


def _build_result(products: Products) -> Result:
    return Result(pictures=products["deliver"].pictures)


def _summarize(order: Order) -> str:
    count = len(order.images)
    return f"{order.template or 'workflow'}, {count} {'picture' if count == 1 else 'pictures'}"


PIPELINE = Pipeline(
    name="image",
    title="Pictures by a template or a graph of ComfyUI's",
    order_model=Order,
    stages=(
        LocalStage(
            "prepare", Prepared, "Fetch the pictures and fill in the graph", work=stages.prepare
        ),
        BoughtStage(
            "render",
            Rendered,
            "Execute the graph",
            job_input=stages.build_render_input,
            makers=("comfyui", "local"),
            retry_seconds=10,
        ),
        LocalStage(
            "deliver",
            Delivered,
            "Put the pictures into their format",
            work=stages.deliver,
            metadata="pipeline_defs.image.previews:build_delivered_metadata",
            words=lambda made: "\n".join(dict.fromkeys(each.label for each in made.pictures)),
        ),
    ),
    example={"template": "poster", "images": ["https://example.com/photo.jpg"]},
    summary=_summarize,
    acceptance=check_fulfillable,
    result=_build_result,
    uploads=PICTURES,
    retention={"requests": 1, "files": 1, "runs": 1, "dead": 7, "failed_runs": 7},
    queue="image",
    extras=(
        TypicalProducts(stages.build_typical_products),
        MainFile("image/"),
        Changeable({"format": "deliver", "longest_side": "deliver"}),
        Pace("render"),
        Jobs("/image", {"templates": list_templates}),
    ),
)
