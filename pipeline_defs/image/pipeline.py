"""The pipeline: pictures are fetched, a graph is executed by a server or this machine, its results delivered."""

from pydantic import BaseModel

from pipeline_defs.capabilities import Changeable, Jobs, MainFile, Pace, TypicalProducts
from pipeline_defs.image import stages
from pipeline_defs.image.order import PICTURES, Order, refuse_unfulfillable
from pipeline_defs.image.products import Delivered, DeliveredPicture, Prepared, Rendered
from pipeline_defs.image.templates import listed
from pipeline_defs.pipeline import BoughtStage, LocalStage, Pipeline, Products


class Result(BaseModel):
    """What a client gets; the names are those of files."""

    pictures: list[DeliveredPicture]


def _result(products: Products) -> Result:
    delivered: Delivered = products["deliver"]
    return Result(pictures=delivered.pictures)


def _delivered_words(delivered: Delivered) -> str:
    return "\n".join(dict.fromkeys(picture.label for picture in delivered.pictures))


def _summary(order: Order) -> str:
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
            job_input=stages.render_input,
            makers=("comfyui", "local"),
            retry_seconds=10,
        ),
        LocalStage(
            "deliver",
            Delivered,
            "Put the pictures into their format",
            work=stages.deliver,
            metadata="pipeline_defs.image.previews:delivered_metadata",
            words=_delivered_words,
        ),
    ),
    example={"template": "poster", "images": ["https://example.com/photo.jpg"]},
    summary=_summary,
    acceptance=refuse_unfulfillable,
    result=_result,
    uploads=PICTURES,
    retention={"requests": 1, "files": 1, "runs": 1, "dead": 7, "failed_runs": 7},
    queue="image",
    extras=(
        TypicalProducts(stages.typical),
        MainFile("image/"),
        Changeable({"format": "deliver", "longest_side": "deliver"}),
        Pace("render"),
        Jobs("/image", {"templates": listed}),
    ),
)
