"""What the page of a work shows, by what the work needs now."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from castad.api.state import Api
from castad.readmodels.snapshot import Snapshot
from castad.readmodels.status_body import StatusBody
from castad.web.remedies import remedy_of
from castad.web.sharing import NewLink, link_values
from castad.web.texts import Translator
from castad.web.visitor import Visitor
from castad.web.work_finished import finished_of
from castad.web.work_held import held_of
from castad.web.work_live import live_of
from castad.web.work_offers import priced_offers
from castad.web.work_view import made_and_earlier, scene_of


@dataclass(frozen=True)
class Beside:
    """What a form has left on the page: a new link, or what was given and is wrong in it."""

    new_link: NewLink | None = None
    given: Mapping[str, str] = field(default_factory=dict)
    errors: Mapping[str, str] = field(default_factory=dict)


NOTHING = Beside()


def scene_values(
    api: Api,
    visitor: Visitor,
    snapshot: Snapshot,
    body: StatusBody,
    translate: Translator,
    beside: Beside,
) -> dict[str, Any]:
    """The values of the scene's template, and the files of the scenes that have no result."""
    scene = scene_of(snapshot.request)
    made, earlier = made_and_earlier(snapshot, body, translate)
    values: dict[str, Any] = {"scene": scene, "earlier": earlier, "made": made}
    if scene == "result":
        offers = priced_offers(api, snapshot, body.brief, translate)
        links = link_values(api, visitor, snapshot.request, beside.new_link)
        finished = finished_of(snapshot, body, translate, offers=offers)
        return {**values, **links, "finished": finished, "made": ()}
    if scene == "held":
        held = held_of(api, snapshot, body, translate, beside.given, beside.errors)
        heard = [take.file for take in held.takes]
        return {**values, "held": held, "made": [each for each in made if each not in heard]}
    if scene == "live":
        return {**values, "live": live_of(api, snapshot, body, translate)}
    return {**values, "remedy": remedy_of(body, translate, is_admin=visitor.is_admin)}
