"""The pipeline: a layout by this machine, then its printing by a print shop."""

from collections.abc import Mapping
from typing import Any

from pipeline_defs.capabilities import Changeable, TypicalProducts
from pipeline_defs.pipeline import BoughtStage, LocalStage, Pipeline, Products
from pipeline_defs.poster.layout import make_layout
from pipeline_defs.poster.order import Order
from pipeline_defs.poster.products import Layout, Printing


def _printing_input(order: Order, task_id: str, products: Products) -> Mapping[str, Any]:
    layout: Layout = products["layout"]
    return {
        "text": layout.text,
        "paper": order.paper,
        "copies": order.copies,
        "colours": order.colours,
    }


def _typical(order: Order) -> Products:
    return {"layout": Layout(text=order.headline, width=40)}


def _result(products: Products) -> Mapping[str, Any]:
    printing: Printing = products["printing"]
    return {
        "poster": products["layout"].text,
        "copies": printing.copies,
        "tracking": printing.tracking,
        "receipt": printing.files[0].name,
    }


def _summary(order: Order) -> str:
    return f"{order.headline}, {order.copies} x {order.paper}"


PIPELINE = Pipeline(
    name="poster",
    title="A printed poster",
    order_model=Order,
    stages=(
        LocalStage(
            "layout",
            Layout,
            "Lay out the text",
            work=make_layout,
            metadata="pipeline_defs.poster.previews:layout_metadata",
        ),
        BoughtStage(
            "printing",
            Printing,
            "Print the copies",
            job_input=_printing_input,
            makers=("printshop",),
            retry_seconds=60,
            metadata="pipeline_defs.poster.previews:printing_metadata",
        ),
    ),
    example={"headline": "Summer sale", "lines": ["Everything must go"], "copies": 20},
    summary=_summary,
    result=_result,
    extras=(TypicalProducts(_typical), Changeable({"copies": "printing"})),
)
