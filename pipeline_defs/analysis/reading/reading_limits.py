"""How much one reading of a repository may take. Pure."""

from dataclasses import dataclass

MEGABYTE = 1_000_000


@dataclass(frozen=True)
class Limits:
    """The limits of one analysis; sizes in bytes."""

    compressed_bytes: int = 500 * MEGABYTE
    unpacked_bytes: int = 2_000 * MEGABYTE
    ratio: int = 200
    """How many bytes may come of one packed byte, once `ratio_from` bytes are unpacked."""
    ratio_from: int = 50 * MEGABYTE
    members: int = 200_000
    depth: int = 64
    name_bytes: int = 4_096
    file_bytes: int = 10 * MEGABYTE
    """A larger file is counted by its size and not looked into."""
    held_bytes: int = 256 * MEGABYTE
    """How much of test files is kept until all is read; the tests of further ones are not counted."""
    seconds: float = 1_200.0
    memory_bytes: int = 2_000 * MEGABYTE
    """The address space of a process that analyses."""
    answer_bytes: int = 40 * MEGABYTE
    """The JSON of a result; who asked for it holds it whole, in a process that has no bound."""
