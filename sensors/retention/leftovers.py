"""Files that no row refers to: left by a process that died, or uploaded and fetched long ago."""

from collections.abc import Iterable, Sequence
from itertools import islice
from zlib import crc32

from resources.files.pictures import UPLOADS
from resources.files.removal import files_in, folders, pictures, remove_file
from resources.ledger.queries.ended import (
    ended_by_task,
    known_files,
    names_deleted,
    uploads_in_use,
    uploads_of_orders,
)
from resources.ledger.retention_rules import EndedRequest, why_barred
from sensors.retention.cycle import BATCH, Cycle

_HOURS = 24
_DAY = 86_400.0


def retain_leftovers(cycle: Cycle) -> None:
    """What no row refers to is gone, as far as the time allows; a name is looked at once a day."""
    hour = None if cycle.is_dry or cycle.until == float("inf") else cycle.at.hour
    names = (name for name in folders(cycle.store) if hour in (None, _hour_of(name)))
    while cycle.goes_on() and (page := list(islice(names, BATCH))):
        _sweep_folders(cycle, page)
    if cycle.goes_on():
        _sweep_unused_uploads(cycle)
    if cycle.goes_on() and hour in (None, 0):
        _sweep_pictures(cycle)


def _hour_of(name: str) -> int:
    return crc32(name.encode(errors="surrogateescape")) % _HOURS


def _sweep_folders(cycle: Cycle, names: Sequence[str]) -> None:
    """Files that no order lists: of an ended order after a day, of an unknown one after the days of files.

    Another ledger may have used this folder, so an unknown order's files are not taken for remains; those of one
    that a person deleted are.
    """
    found, deleted = ended_by_task(cycle.db, names), names_deleted(cycle.db, names)
    there = {name: list(files_in(cycle.store, name)) for name in names}
    known = known_files(cycle.db, [each[0] for files in there.values() for each in files])
    for name, files in there.items():
        oldest = _swept_before(cycle, found.get(name), is_deleted=name in deleted)
        if oldest is not None:
            _sweep(cycle, (each for each in files if each[0] not in known), oldest)


def _swept_before(cycle: Cycle, request: EndedRequest | None, *, is_deleted: bool) -> float | None:
    """The Unix time before which an unlisted file was written that goes; None where all stay."""
    if request is not None:
        return None if why_barred(request) else cycle.at.timestamp() - _DAY
    return cycle.at.timestamp() - (_DAY if is_deleted else _days_of_files(cycle) * _DAY)


def _sweep_unused_uploads(cycle: Cycle) -> None:
    """Remove what was uploaded more than a day ago and no order, ended or not, and no profile names."""
    oldest = cycle.at.timestamp() - _DAY
    by_other_sweep = cycle.at.timestamp() - _days_of_files(cycle) * _DAY
    needed = uploads_in_use(cycle.db)
    old = [
        (name, each)
        for each in files_in(cycle.store, UPLOADS)
        if by_other_sweep <= each[2] < oldest and (name := each[0].rpartition("/")[2]) not in needed
    ]
    if old:
        named = uploads_of_orders(cycle.db)
        _sweep(cycle, (each for name, each in old if name not in named), oldest)


def _sweep_pictures(cycle: Cycle) -> None:
    """Pictures of orders are kept as long as files, an upload that an open order or a profile has for ever."""
    needed = uploads_in_use(cycle.db)
    unneeded = (each for each in pictures(cycle.store) if each[0].rpartition("/")[2] not in needed)
    _sweep(cycle, unneeded, cycle.at.timestamp() - _days_of_files(cycle) * _DAY)


def _sweep(cycle: Cycle, files: Iterable[tuple[str, int, float]], oldest: float) -> None:
    for where, size, written in files:
        if written < oldest and (
            cycle.is_dry or remove_file(cycle.store, where, older_than=oldest)
        ):
            cycle.counts["leftover_files"] += 1
            cycle.counts["bytes"] += size


def _days_of_files(cycle: Cycle) -> float:
    """As long as any pipeline keeps its files, since their pipeline is unknown."""
    return cycle.times.longest_of_files()
