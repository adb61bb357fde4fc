"""The files that a product names: written by its stage, in the folder that it was given."""

from collections.abc import Sequence
from pathlib import Path

from resources.contract.errors import PermanentError
from resources.contract.protocol import Product

PRODUCT_UNFIT = "product_unfit"
"""The code of a product that a stage must not have."""


def product_files(stage: str, product: Product, folder: Path) -> Sequence[Path]:
    """The product's files, which may be stored.

    Raises PermanentError `product_unfit` for a file that was not written, is outside the folder or a link, or has
    the name of another.
    """
    names: set[str] = set()
    for file in product.files:
        fault = _fault(file, folder, names)
        if fault is not None:
            raise PermanentError(
                f"{stage}: its product names the file {file.name!r}, {fault}", code=PRODUCT_UNFIT
            )
        names.add(file.name)
    return product.files


def _fault(file: Path, folder: Path, names: set[str]) -> str | None:
    if file.is_symlink() or not file.resolve().is_relative_to(folder.resolve()):
        return "which is not in the folder that it was given"
    if not file.is_file():
        return "which it has not written"
    return "twice" if file.name in names else None
