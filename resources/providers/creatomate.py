"""The video by Creatomate, API v2 (notes/providers.md A.3 and A.7).

It knows no idempotency key, so a render is submitted once, and only after the same body has passed a free dry run.
"""

import logging
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from resources.download import ExpiredLinkError, download
from resources.media import check_film
from resources.net import Reach
from resources.providers.creatomate_answers import (
    advice_in,
    check_dry_run,
    finished_render,
    queued_render,
    refusal_of,
    verdict_on,
)
from resources.providers.errors import PermanentError, TransientError, UnknownSubmissionError
from resources.providers.protocol import Finished, Json, Order, Product, Rate, Receipt, Working
from resources.providers.render_script import (
    film_seconds,
    frame_of,
    links_of,
    modifications,
    other_length,
    other_size,
    render_script,
    unseen_pictures,
)
from resources.providers.wire import Gate, NoAnswerError, Wire, one_line
from resources.studio.shots import FPS
from resources.studio.thumbnail import try_thumbnail

_log = logging.getLogger("castad.providers")

_RENDERS = "/v2/renders"
_LARGEST_FILM = 500_000_000
_PIXELS_PER_CREDIT = 1e8
_TINY: Mapping[str, Json] = {"output_format": "png", "width": 16, "height": 16, "elements": []}


class CreatomateCamera:
    """Films a song at Creatomate, with castad's own RenderScript or with a template of the account."""

    name = "creatomate"
    usual_seconds = 60.0
    rate = Rate(calls=30, seconds=10)
    """Per account, polls included (A.3)."""

    def __init__(
        self,
        api_key: str,
        base_url: str,
        *,
        template_id: str | None,
        usd_per_credit: float,
        public_url: str | None,
        allow_hosts: tuple[str, ...],
        gate: Gate,
        deadline_seconds: float,
        download_seconds: float,
    ) -> None:
        self._wire = Wire(
            self.name, base_url, api_key, gate=gate, deadline_seconds=deadline_seconds
        )
        self._key = api_key
        self._template_id = template_id
        self._usd_per_credit = usd_per_credit
        self._public_url = public_url
        self._reach = Reach((*Reach.of_service(base_url).hosts, *allow_hosts))
        self._download_seconds = download_seconds

    def price(self, order: Order) -> int:
        """The credits of width · height · fps · seconds / 1e8, rounded up, at least one (A.3).

        A template has a size of its own; the orientation's stands for it until the render is there.
        """
        width, height = frame_of(order)
        return self._cost(width * height * FPS * film_seconds(order))

    def prepare(self, order: Order) -> None:
        """The same body has passed a dry run, which queues nothing and costs nothing (A.3).

        Raises PermanentError `render_invalid` on its errors and warnings alike, since a render with
        warnings is made and charged all the same; PermanentError `dry_run_ignored` where the vendor
        seems to have queued it, so that nothing is sent after it.
        """
        answer = self._wire.post(_RENDERS, {**self._body(order), "dry_run": True})
        check_dry_run(answer, self._key)
        self._wire.gate()

    def submit(self, order: Order, token: str) -> Receipt:
        """Queue the render; `token` rides as its `metadata`, which the render object repeats (A.0).

        Only the documented refusals (A.7) prove that nothing was queued; everything else raises
        UnknownSubmissionError.
        """
        try:
            answer = self._wire.order(_RENDERS, {**self._body(order), "metadata": token})
        except NoAnswerError as error:
            raise UnknownSubmissionError(
                f"creatomate: the render may have been queued ({error.message})"
            ) from None
        if 200 <= answer.status < 300:
            render = queued_render(answer, self._key)
            for advice in advice_in(render, self._key):
                _log.warning("creatomate: render %s: %s", render["id"], advice)
            return Receipt(render["id"])
        refusal = refusal_of(answer, self._key)
        if refusal is not None:
            raise refusal
        raise UnknownSubmissionError(
            f"creatomate: the render may have been queued (HTTP status {answer.status}: {answer.said})"
        )

    def find(self, token: str) -> str | None:
        """Nothing: no documented call lists renders, and one of another's telling is unproven (A.3, [U])."""
        return None

    def poll(self, order: Order, external_id: str) -> Working | Finished:
        """Ask once how the render stands (A.3); only its own `status` is a verdict."""
        return verdict_on(self._render(external_id), self._key)

    def fetch(self, order: Order, answer: Mapping[str, Json], folder: Path) -> Product:
        """The film is in `folder`, whole and playable, with a thumbnail where one can be made.

        Raises PermanentError `artifact_expired` where the vendor no longer has it: it keeps renders for
        30 days (A.6).
        """
        film = folder / "video.mp4"
        self._bring(answer, film)
        seen = check_film(film, "creatomate: the film")
        notes = other_length(order, seen.seconds)
        if self._template_id is None:
            notes += [*unseen_pictures(order), *other_size(order, (seen.width, seen.height))]
        result = {
            "seconds": seen.seconds,
            "width": seen.width,
            "height": seen.height,
            "fps": seen.fps,
            "notes": [*notes, *answer.get("notes", [])],
        }
        return Product(
            result, (film, *try_thumbnail(folder, seen.seconds)), cost=self._actual_cost(answer)
        )

    def cancel(self, external_id: str) -> None:
        """Nothing: no call that stops a render is documented."""

    def standing(self) -> str:
        """Whether the key works, by the dry run of an empty picture; the balance cannot be asked for."""
        answer = self._wire.post(_RENDERS, {**_TINY, "dry_run": True})
        check_dry_run(answer, self._key)
        return "key accepted"

    def _body(self, order: Order) -> dict[str, Json]:
        links = links_of(order, self._public_url)
        if self._template_id is None:
            return render_script(order, links)
        return {"template_id": self._template_id, "modifications": modifications(order, links)}

    def _render(self, external_id: str) -> Mapping[str, Any]:
        """The render object; whatever else comes instead is no verdict."""
        answer = self._wire.get(f"{_RENDERS}/{quote(external_id, safe='')}")
        if answer.status == 200 and answer.fields.get("id") == external_id:
            return answer.fields
        if answer.status == 404:
            raise TransientError(
                f"creatomate: it does not know render {one_line(external_id, self._key)}",
                code="render_unknown",
            )
        refusal = refusal_of(answer, self._key)
        if refusal is not None and not isinstance(refusal, PermanentError):
            raise refusal
        raise TransientError(
            f"creatomate: the render's status could not be read (HTTP status {answer.status}: {answer.said})"
        )

    def _bring(self, answer: Mapping[str, Json], film: Path) -> None:
        try:
            self._download(str(answer["url"]), film)
        except ExpiredLinkError:
            fresh = self._fresh_link(str(answer["id"]))
            try:
                self._download(fresh, film)
            except ExpiredLinkError:
                raise _expired(str(answer["id"])) from None

    def _fresh_link(self, render_id: str) -> str:
        try:
            render = self._render(render_id)
        except TransientError as error:
            if error.code == "render_unknown":
                raise _expired(render_id) from None
            raise
        link = finished_render(render).get("url")
        if link is None:
            raise _expired(render_id)
        return str(link)

    def _download(self, url: str, film: Path) -> None:
        download(
            url,
            film,
            field="creatomate: the film",
            max_bytes=_LARGEST_FILM,
            reach=self._reach,
            deadline_seconds=self._download_seconds,
            code="bad_download",
        )

    def _actual_cost(self, answer: Mapping[str, Json]) -> int | None:
        """What the render's own numbers come to; None where it does not tell them all."""
        pixels = 1.0
        for name in ("width", "height", "frame_rate", "duration"):
            if answer.get(name) is None:
                return None
            pixels *= float(answer[name])
        return self._cost(pixels)

    def _cost(self, pixels: float) -> int:
        credits_taken = max(1, math.ceil(pixels / _PIXELS_PER_CREDIT))
        return round(credits_taken * self._usd_per_credit * 1_000_000)


def _expired(render_id: str) -> PermanentError:
    return PermanentError(
        f"creatomate: it no longer has the film of render {one_line(render_id)}; "
        "`castad redo TASK_ID --from video` renders it anew and pays again",
        code="artifact_expired",
    )
