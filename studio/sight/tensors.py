"""The tensors of a file of PyTorch's first format (before 1.6), read without PyTorch.

Such a file is a row of pickles: a magic number, the format's version, facts about the machine, the tensors without
their numbers, and the keys of the storages. Each storage follows as its length and its numbers. A pickle may name
any function of any module and have it called; here, four names mean something, and none of them does anything.
"""

import io
import math
import pickle
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

Tensors = Mapping[str, NDArray[Any]]

_MAGIC = 0x1950A86A20F9469CFC6C
_VERSION = 1001
_LENGTH = np.dtype("<i8")
_DTYPES: Mapping[str, np.dtype[Any]] = {"float": np.dtype("<f4"), "long": np.dtype("<i8")}


class TensorsError(Exception):
    """The file is not of this format, is damaged, or names what it may not."""


class _Storage:
    """Numbers that tensors are views of; they come after the tensors in the file."""

    def __init__(self, dtype: np.dtype[Any], count: int) -> None:
        self.dtype = dtype
        self.count = count
        self.numbers: NDArray[Any] | None = None

    def tensor(self, offset: int, shape: tuple[int, ...], steps: tuple[int, ...]) -> NDArray[Any]:
        """The view of this place, shape and steps; raises TensorsError where it is not inside."""
        if self.numbers is None or any(number < 0 for number in (offset, *shape, *steps)):
            raise TensorsError("a tensor has no numbers, or no place")
        last = offset + sum((size - 1) * step for size, step in zip(shape, steps, strict=True))
        if max(last + 1, math.prod(shape)) > len(self.numbers):
            raise TensorsError("a tensor is larger than its storage")
        in_bytes = [step * self.dtype.itemsize for step in steps]
        return as_strided(self.numbers[offset:], shape, in_bytes, writeable=False)


class _Unpickler(pickle.Unpickler):
    """Makes plain values, dictionaries, storages and the arguments that tensors are made of; nothing else."""

    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file)
        self.storages: dict[str, _Storage] = {}
        # Made anew each time: a pickle may change what it has named.
        self._names: dict[tuple[str, str], Any] = {
            ("collections", "OrderedDict"): OrderedDict,
            ("torch._utils", "_rebuild_tensor_v2"): lambda *arguments: arguments,
            ("torch", "FloatStorage"): "float",
            ("torch", "LongStorage"): "long",
        }

    def find_class(self, module: str, name: str, /) -> Any:
        """What a pickle may name; raises TensorsError for anything else."""
        if (module, name) not in self._names:
            raise TensorsError(f"it names {module}.{name}")
        return self._names[module, name]

    def persistent_load(self, pid: Any, /) -> _Storage:
        """The storage of a key, which tensors may share; raises TensorsError for what describes none."""
        match pid:
            case ("storage", str(kind), str(key), str(), int(count), *_) if kind in _DTYPES:
                return self.storages.setdefault(key, _Storage(_DTYPES[kind], count))
        raise TensorsError("it refers to something that is no storage")


def tensors_in(data: bytes) -> Tensors:
    """All tensors by name, as read-only views of `data`.

    Raises:
        TensorsError: with the reason; nothing that the file names has been called.
    """
    try:
        return _tensors_in(io.BytesIO(data), data)
    except TensorsError:
        raise
    except Exception as error:
        raise TensorsError(f"it is damaged ({type(error).__name__})") from error


def _tensors_in(file: io.BytesIO, data: bytes) -> Tensors:
    magic, version, _ = (_Unpickler(file).load() for _ in range(3))
    if (magic, version) != (_MAGIC, _VERSION):
        raise TensorsError("it is of another format")
    unpickler = _Unpickler(file)
    described = unpickler.load()
    for key in _Unpickler(file).load():
        _read(unpickler.storages[key], file, data)
    return {
        str(name): storage.tensor(offset, shape, steps)
        for name, (storage, offset, shape, steps, *_) in described.items()
    }


def _read(storage: _Storage, file: io.BytesIO, data: bytes) -> None:
    """Give the storage its numbers, which begin here, and go on behind them."""
    (count,) = np.frombuffer(file.read(_LENGTH.itemsize), _LENGTH)
    if count != storage.count:
        raise TensorsError("a storage is of another length than its tensors say")
    storage.numbers = np.frombuffer(data, storage.dtype, storage.count, file.tell())
    file.seek(storage.numbers.nbytes, io.SEEK_CUR)
