"""Pictures that a maker has rendered: checked, and numbered in their order."""

from collections.abc import Sequence
from pathlib import Path

from PIL import Image, UnidentifiedImageError

from resources.contract.errors import TransientError
from resources.contract.protocol import Product
from resources.process.disk_errors import disk_errors

BAD_PICTURE = "bad_picture"
_FORMATS = ("PNG", "JPEG", "WEBP")
_MOST_PIXELS = 150_000_000


def rendered_product(maker: str, pictures: Sequence[tuple[str, Path]], folder: Path) -> Product:
    """The pictures, each with the node that saved it, as `rendered-1.png` … in `folder`.

    Raises TransientError `bad_picture` for a file that is not a whole picture: only its delivery is at fault.
    """
    files, described = [], []
    for number, (node, picture) in enumerate(pictures, start=1):
        try:
            ending, size = _checked(maker, picture)
        except TransientError:
            picture.unlink(missing_ok=True)
            raise
        with disk_errors():
            file = picture.rename(folder / f"rendered-{number}.{ending}")
        files.append(file)
        described.append({"node": node, "name": file.name, "width": size[0], "height": size[1]})
    return Product({"pictures": described}, tuple(files))


def _checked(maker: str, picture: Path) -> tuple[str, tuple[int, int]]:
    """The ending and the size of a picture that has been decoded once."""
    try:
        with Image.open(picture, formats=_FORMATS) as image:
            _ensure_bearable(image)
            image.load()
            return {"JPEG": "jpg"}.get(str(image.format), str(image.format).lower()), image.size
    except (
        OSError,
        SyntaxError,
        ValueError,
        UnidentifiedImageError,
        Image.DecompressionBombError,
        Image.DecompressionBombWarning,
    ) as error:
        raise TransientError(
            f"{maker}: the picture {picture.name[:100]} cannot be used ({type(error).__name__})",
            code=BAD_PICTURE,
        ) from None


def _ensure_bearable(image: Image.Image) -> None:
    if image.width * image.height > _MOST_PIXELS:
        raise ValueError(f"it has more than {_MOST_PIXELS // 1_000_000} million pixels")
