"""What a stage has made is a product that can be stored, or the stage's fault."""

import json
from collections.abc import Mapping
from pathlib import Path

from resources.contract.errors import PermanentError
from resources.contract.protocol import Product
from resources.purchase.product_files import PRODUCT_UNFIT


def ensure_product(stage: str, made: object) -> Product:
    """What the stage has made, whose result is JSON; raises PermanentError `product_unfit` where it is not so."""
    if not isinstance(made, Product):
        raise _unfit(stage, f"expected a Product, got {_kind(made)}")
    if not isinstance(made.result, Mapping):
        raise _unfit(stage, f"its result: expected a JSON object, got {_kind(made.result)}")
    if not isinstance(made.files, tuple | list):
        raise _unfit(stage, f"its files: expected paths in a tuple, got {_kind(made.files)}")
    for file in made.files:
        if not isinstance(file, Path):
            raise _unfit(stage, f"its files: expected paths in a tuple, got {_kind(file)} in it")
    _refuse_what_is_not_json(stage, made)
    return made


def _refuse_what_is_not_json(stage: str, product: Product) -> None:
    try:
        json.dumps(dict(product.result), ensure_ascii=False, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise _unfit(stage, f"its result is not JSON: {error}") from None


def _kind(value: object) -> str:
    return type(value).__name__


def _unfit(stage: str, fault: str) -> PermanentError:
    return PermanentError(f"{stage}: {fault}", code=PRODUCT_UNFIT)
