"""`castad cover`: a frame of an order's video becomes its cover."""

from castad.cli.person import acting_person
from castad.orders.cover import choose_frame, moment
from castad.stack.output import print_json, print_line
from resources.files.artifacts import open_artifact_store
from resources.ledger.db.database import open_database
from resources.process.settings import settings


def choose_one(task_id: str, seconds: float, *, as_json: bool) -> None:
    """The frame at this moment is the cover, and its path was printed. Raises what `choose_frame` raises."""
    config = settings()
    db, store = open_database(config.ledger_url), open_artifact_store(config)
    thumbnail, cover = choose_frame(db, store, task_id, moment(seconds), acting_person())
    paths = {"cover": str(store.root / cover.where), "thumbnail": str(store.root / thumbnail.where)}
    if as_json:
        print_json({"task_id": task_id, "seconds": seconds, **paths})
    else:
        print_line(paths["cover"])
