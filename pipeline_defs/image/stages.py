"""The work of the local stages, prepare and deliver, and the input of the render stage between them."""

import hashlib
import re
import shutil
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pipeline_defs.image.order import PICTURES, Order, map_placeholders
from pipeline_defs.image.products import Prepared, Rendered
from pipeline_defs.pipeline import Products
from resources.contract.errors import PermanentError
from resources.contract.protocol import Product, Work
from resources.files.pictures import get_picture_type, list_picture_references
from resources.process.file_locks import translate_disk_errors
from studio.graphs import list_inputs, rename_inputs
from studio.images import stretch_levels

_ENDINGS = {"image/jpeg": "jpg", "image/png": "png", "image/webp": "webp"}
_SAVED = {"png": ("PNG", "png"), "jpeg": ("JPEG", "jpg"), "webp": ("WEBP", "webp")}
_QUALITY = 92
_NOT_IN_NAMES = re.compile(r"[^a-z0-9]+")


def prepare(order: Order, products: Products, work: Work) -> Product:
    """Build the graph as it will be sent, and copy its pictures under names made from their content.

    Raise PermanentError `picture_missing` if the graph loads more pictures than the order has, and the errors of
    `PictureSource.open`.
    """
    references = list_picture_references(order.model_dump(), PICTURES, work.task_id)
    template = order.known_template
    pictures = [work.picture(reference) for reference in references]
    if template is not None and template.stretch:
        with translate_disk_errors():
            copies = [(work.folder / f"stretched-{each.name}.png", each) for each in pictures]
            pictures = [copy if stretch_levels(each, copy) else each for copy, each in copies]
    files = [_copy_by_content(picture, work) for picture in pictures]
    names = {name: files[number].name for name, number in map_placeholders(len(files)).items()}
    graph = rename_inputs(order.workflow or {}, names)
    for missing in (name for name in list_inputs(graph) if name.startswith("$image")):
        raise PermanentError(
            f"workflow: it loads {missing[:20]}, and the order has {len(files)} pictures",
            code="picture_missing",
        )
    return Product(_build_prepared(order, graph), tuple(dict.fromkeys(files)))


def _copy_by_content(picture: Path, work: Work) -> Path:
    with translate_disk_errors():
        with picture.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
        ending = _ENDINGS.get(get_picture_type(picture), "png")
        copy = work.folder / _name_input(digest, f".{ending}")
        shutil.copyfile(picture, copy)
    return copy


def _name_input(digest: str, suffix: str) -> str:
    return f"castad-{digest[:32]}{suffix}"


def _build_prepared(order: Order, graph: Mapping[str, Any]) -> dict[str, Any]:
    template = order.known_template
    return {
        "graph": graph,
        "pictures": None if template is None else template.pictures,
        "usd": None if template is None else template.cost,
    }


def build_typical_products(order: Order) -> Products:
    """Build the product of `prepare` without its pictures, from which the price is estimated."""
    return {"prepare": Prepared(**_build_prepared(order, order.workflow or {}))}


def build_render_input(order: Order, task_id: str, products: Products) -> Mapping[str, Any]:
    """Build the input of the maker: graph, pictures, and their expected number and cost."""
    prepared: Prepared = products["prepare"]
    return {
        "graph": prepared.graph,
        # A redo stores the same picture under another name.
        "inputs": [
            {**asdict(file), "name": _name_input(file.sha256, Path(file.name).suffix)}
            for file in prepared.files
        ],
        "pictures": prepared.pictures,
        "usd": prepared.usd,
    }


def deliver(order: Order, products: Products, work: Work) -> Product:
    """Convert the pictures to the ordered format and size.

    Metadata is removed, since a server writes its graph into its files.
    """
    rendered: Rendered = products["render"]
    described, files = [], []
    for number, (picture, stored) in enumerate(
        zip(rendered.pictures, rendered.files, strict=True), start=1
    ):
        work.report((number - 1) / len(rendered.pictures), picture.name)
        label = _get_label(order, picture.node)
        parts = (order.template or "picture", label if len(rendered.pictures) > 1 else "")
        stem = "-".join(filter(None, (_NOT_IN_NAMES.sub("-", part.lower()) for part in parts)))
        file = work.folder / f"{stem.strip('-')}-{number}.{_SAVED[order.format][1]}"
        width, height = _save_picture(work.open(vars(stored)), file, order)
        facts = {"name": file.name, "node": picture.node, "label": label}
        described.append({**facts, "width": width, "height": height, "bytes": file.stat().st_size})
        files.append(file)
    return Product({"pictures": described}, tuple(files))


def _get_label(order: Order, node: str) -> str:
    """Return the node's title, or the `filename_prefix` of an own graph; "" if it has neither."""
    about = (order.workflow or {}).get(node, {})
    meta, prefix = about.get("_meta"), about.get("inputs", {}).get("filename_prefix")
    title = meta.get("title") if isinstance(meta, dict) else None
    label = title or (None if order.template else prefix)
    return label[:80] if isinstance(label, str) else ""


def _save_picture(source: Path, file: Path, order: Order) -> tuple[int, int]:
    from PIL import Image, ImageOps

    with translate_disk_errors(), Image.open(source, formats=("PNG", "JPEG", "WEBP")) as opened:
        picture = ImageOps.exif_transpose(opened)
        if order.longest_side is not None:
            picture.thumbnail((order.longest_side, order.longest_side), Image.Resampling.LANCZOS)
        has_alpha = picture.mode in ("RGBA", "LA", "PA") or "transparency" in picture.info
        if has_alpha and order.format == "jpeg":
            picture = picture.convert("RGBA")
            white = Image.new("RGBA", picture.size, "white")
            picture = Image.alpha_composite(white, picture)
        picture = picture.convert("RGBA" if has_alpha and order.format != "jpeg" else "RGB")
        # A new image has the pixels only.
        bare = Image.frombytes(picture.mode, picture.size, picture.tobytes())
        bare.save(file, _SAVED[order.format][0], quality=_QUALITY)
        return bare.size
