"""The files that a product names: written by its stage in its folder, and under names of their own."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from resources.contract.errors import PermanentError
from resources.contract.protocol import Product
from resources.ledger.db.database import Database
from resources.ledger.queries.listing import find_artifact

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


def refuse_taken_names(db: Database, task_id: str, stage: str, names: Iterable[str]) -> None:
    """Return if the request has no artifact of these names yet; raises PermanentError `product_unfit`."""
    for name in names:
        taken = find_artifact(db, task_id, name)
        if taken is not None:
            raise PermanentError(
                f"{stage}: its product names the file {name!r}, which {taken.stage} has made; "
                "expected a name of its own",
                code=PRODUCT_UNFIT,
            )


def _fault(file: Path, folder: Path, names: set[str]) -> str | None:
    if file.is_symlink() or not file.resolve().is_relative_to(folder.resolve()):
        return "which is not in the folder that it was given"
    if not file.is_file():
        return "which it has not written"
    return "twice" if file.name in names else None
