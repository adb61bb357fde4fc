"""What a share link shows: the result that was shared, and the files it is looked at with."""

from dataclasses import replace
from pathlib import Path

from castad.readmodels.newest_files import is_cover
from castad.readmodels.snapshot import Snapshot
from pipeline_defs.capabilities import MainFile
from resources.ledger.db.database import Database
from resources.ledger.ledger_errors import UnknownShareLinkError
from resources.ledger.queries.access import read_shared_overview
from resources.ledger.queries.health import ArtifactView
from resources.ledger.request import Token

_CAPTIONS = "text/vtt"
"""Not offered, but shown by a player with the film."""


def shared_snapshot(db: Database, token: str, artifacts: Path) -> Snapshot:
    """Return the snapshot of the order as it was shared, with the files that the link shows and no others.

    Raises UnknownShareLinkError where the link shows nothing, or the result's files are not there any more.
    """
    given = Token.read(token)
    if given is None:
        raise UnknownShareLinkError
    whole = Snapshot(read_shared_overview(db, given), artifacts)
    shown = shared_files(whole)
    if shown is None or any(not (artifacts / each.where).is_file() for each in shown):
        raise UnknownShareLinkError
    return Snapshot(replace(whole.overview, artifacts=shown), artifacts)


def shared_files(snapshot: Snapshot) -> list[ArtifactView] | None:
    """Return the main files of the result with their cover and captions, or all of it where its pipeline has none.

    None where the main files have been removed. Never what was made before or after, nor what was not chosen.
    """
    pipeline, made = snapshot.pipeline, _made_of(snapshot)
    wanted = None if pipeline is None else pipeline.find_extra(MainFile)
    if pipeline is None or wanted is None:
        return made
    main = [each for each in made if wanted.matches(each.media_type)]
    if not main:
        return None
    return [
        each
        for each in made
        if each.stage == main[-1].stage
        and (each in main or each.media_type == _CAPTIONS or is_cover(each.name, pipeline.cover))
    ]


def _made_of(snapshot: Snapshot) -> list[ArtifactView]:
    """Return the files of each stage; a product that a person has changed has those of the generation before."""
    of_stage = {view.stage: view.generation for view in snapshot.overview.stages}
    files = [
        each
        for each in snapshot.overview.artifacts
        if each.generation <= of_stage.get(each.stage, 0)
    ]
    newest = {
        each.stage: each.generation for each in sorted(files, key=lambda file: file.generation)
    }
    return [each for each in files if each.generation == newest[each.stage]]
