"""The local stage: the poster's text, centred in a frame."""

from pipeline_defs.pipeline import Products
from pipeline_defs.poster.order import Order
from resources.contract.errors import PermanentError
from resources.contract.protocol import Product, Work

_WIDTHS = {"A3": 40, "A2": 60}


def make_layout(order: Order, products: Products, work: Work) -> Product:
    """The poster as text and as layout.txt. Raises PermanentError `line_too_wide`."""
    width = _WIDTHS[order.paper]
    lines = [order.headline.upper(), "", *order.lines, "", order.footer or ""]
    rows = ["=" * (width + 4)]
    for number, line in enumerate(lines, start=1):
        work.report(number / len(lines), f"line {number}")
        if len(line) > width:
            raise PermanentError(
                f"layout: {line!r} is wider than {order.paper}, which takes {width} characters",
                code="line_too_wide",
            )
        rows.append(f"| {line.center(width)} |")
    text = "\n".join([*rows, rows[0]]) + "\n"
    file = work.folder / "layout.txt"
    file.write_text(text)
    return Product({"text": text, "width": width}, (file,))
