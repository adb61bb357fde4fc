from pathlib import Path

import pytest
from PIL import Image

from tests.unit.studio.filters.photos import OTHER, PHOTO


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    """A folder with the photographs a.png and b.png."""
    Image.fromarray(PHOTO).save(tmp_path / "a.png")
    Image.fromarray(OTHER).save(tmp_path / "b.png")
    return tmp_path
