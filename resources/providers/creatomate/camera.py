"""Have films rendered by Creatomate, API v2 (docs/vendors/creatomate.md).

The API has no idempotency key, so that a render is submitted once, after the same body has passed a free dry run.
The vendor keeps a film for 30 days.
"""

import json
import logging
import math
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any
from urllib.parse import quote

from resources.contract.errors import PermanentError, TransientError, UnknownSubmissionError
from resources.contract.protocol import (
    BeforeSend,
    InProgress,
    Json,
    Product,
    Receipt,
    StageInput,
    Succeeded,
    allow_send,
    build_callback_url,
)
from resources.files.media import check_film
from resources.http.addresses import HostAllowlist
from resources.http.download import ExpiredLinkError, download
from resources.http.vendor_client import RateGate, VendorClient, shorten_to_line
from resources.process.configure_logging import LOG_FIELDS
from resources.process.file_locks import translate_disk_errors
from resources.process.settings import Settings
from resources.providers.creatomate import answers, render_script
from resources.providers.creatomate.account import CreatomateSettings
from resources.providers.creatomate.render_script import AssetLinks, SourceChecker
from studio.screenplay import FPS, try_covers, write_transcripts
from studio.timeline import Line

_MOST = 64
_LARGEST_FILM = 500_000_000
_TOLERANCE_SECONDS = 1.0
_log = logging.getLogger("castad.providers")

_RENDERS = "/v2/renders"
_PIXELS_PER_CREDIT = 1e8
_EMPTY_PICTURE: Mapping[str, Json] = {
    "output_format": "png",
    "width": 16,
    "height": 16,
    "elements": [],
}


def _build_expired_error(render_id: str) -> PermanentError:
    return PermanentError(
        f"creatomate: the vendor no longer has the film of render {shorten_to_line(render_id)}; "
        "`castad redo TASK_ID --from video` renders it again and pays again",
        code="artifact_expired",
    )


class CreatomateCamera:
    """A provider of videos by Creatomate, from castad's own RenderScript or a template of the account."""

    name = "creatomate"
    usual_seconds = 60.0
    unique_ids = True
    repeatable = False
    token_is_id = False

    def __init__(
        self,
        own: CreatomateSettings,
        settings: Settings,
        sources: SourceChecker,
        gate: RateGate,
    ) -> None:
        self.rate = own.rate
        self._own = own
        self._settings = settings
        self._key = own.api_key.get_secret_value()
        self._client = VendorClient(
            self.name, own.base_url, self._key, gate=gate, deadline_seconds=settings.call_deadline
        )
        self._allowlist = HostAllowlist(
            (*HostAllowlist.for_base_url(own.base_url).hosts, *settings.allow_hosts)
        )
        self._sources = sources
        self._lock = Lock()
        self._dry_runs: dict[str, tuple[Mapping[str, Json], float | None]] = {}
        """By the job's input: bodies that passed their dry runs, with the pixels of the film if reported."""

    def price(self, job_input: StageInput) -> int:
        """Return the cost in micro-dollars by width, height, fps and seconds of the dry run or of the input."""
        _, pixels = self._find_dry_run(job_input)
        if pixels is None:
            width, height = render_script.get_frame(job_input)
            pixels = width * height * FPS * render_script.get_film_seconds(job_input)
        return self._compute_cost(pixels)

    def prepare(self, job_input: StageInput) -> None:
        """Check all links of the job, and send the body in a dry run, which is free.

        Raises the errors of a refused dry run, also for mere warnings: such a render would be charged all the
        same.
        """
        body = self._build_body(job_input, self._sources.check_links(job_input))
        answer = self._client.post(_RENDERS, {**body, "dry_run": True})
        source = answers.check_dry_run(answer, self._key)
        pixels = None if self._own.template_id is None else answers.compute_pixels(source)
        content = json.dumps(job_input, sort_keys=True)
        with self._lock:
            self._dry_runs.pop(content, None)
            self._dry_runs[content] = body, pixels
            if len(self._dry_runs) > _MOST:
                del self._dry_runs[next(iter(self._dry_runs))]

    def _find_dry_run(
        self, job_input: StageInput
    ) -> tuple[Mapping[str, Json] | None, float | None]:
        """Return the body and pixels of the dry run of the same input; both None if this process has none."""
        return self._dry_runs.get(json.dumps(job_input, sort_keys=True), (None, None))

    def submit(
        self, job_input: StageInput, token: str, before_send: BeforeSend = allow_send
    ) -> Receipt:
        """Queue the render; the token is its `metadata` and part of the webhook's URL, if there is one."""
        body, _ = self._find_dry_run(job_input)
        body = body or self._build_body(
            job_input, render_script.collect_links(job_input, self._sources.link_to)
        )
        body = {**body, "metadata": token}
        if self._settings.public_url is not None:
            body["webhook_url"] = build_callback_url(self._settings.public_url, self.name, token)
        answer = self._client.post_paid(_RENDERS, body, before_send)
        if 200 <= answer.status < 300:
            render = answers.read_queued_render(answer, self._key, token)
            for advice in answers.list_advice(render, self._key):
                fields = {"provider": self.name, "job": render["id"]}
                _log.warning(
                    "render accepted with a warning: %s", advice, extra={LOG_FIELDS: fields}
                )
            return Receipt(render["id"])
        raise answers.build_refusal_error(answer, self._key) or UnknownSubmissionError(
            f"creatomate: the render may have been queued ({answers.summarize_response(answer, self._key)})"
        )

    def find(self, token: str) -> str | None:
        """Return None: the vendor cannot list renders."""
        return None

    def owns(self, external_id: str, token: str) -> bool | None:
        """Return whether the render's `metadata` is this token; None if it has none.

        Raises PermanentError `job_unknown` if there is no such render.
        """
        try:
            metadata = self._get_render(external_id).get("metadata")
        except TransientError as error:
            if error.code == answers.RENDER_UNKNOWN:
                raise PermanentError(error.message, code="job_unknown") from None
            raise
        return metadata == token if isinstance(metadata, str) else None

    def poll(self, job_input: StageInput, external_id: str) -> InProgress | Succeeded:
        """Query the render's state; only its own `status` is final."""
        return answers.read_render_state(self._get_render(external_id), self._key)

    def fetch(self, job_input: StageInput, answer: Mapping[str, Json], folder: Path) -> Product:
        """Download the film, check it, and return it with its transcripts and, if they can be made, covers.

        A differing length or size only adds a note. Raises TransientError `bad_download` if the film is damaged,
        and PermanentError `artifact_expired` if the vendor no longer has it.
        """
        film, render_id = folder / "video.mp4", str(answer["id"])
        # The link in the answer may have expired; the render then has a new one.
        for find_link in (lambda _: str(answer["url"]), self._ask_for_link):
            with suppress(ExpiredLinkError):
                download(
                    find_link(render_id),
                    film,
                    field="creatomate: the film",
                    max_bytes=_LARGEST_FILM,
                    allowlist=self._allowlist,
                    deadline_seconds=self._settings.download_deadline,
                    code="bad_download",
                )
                break
        else:
            raise _build_expired_error(render_id)
        seen = check_film(film, "creatomate: the film")
        notes, ordered = [], render_script.get_film_seconds(job_input)
        if abs(seen.seconds - ordered) > _TOLERANCE_SECONDS:
            notes.append(f"the film lasts {seen.seconds:g} s, {ordered:g} s were ordered")
        fades: list[tuple[float, float]] = []
        if self._own.template_id is None:
            fades = render_script.list_text_fades(job_input, seen.seconds)
            notes += render_script.describe_unused_pictures(job_input)
            width, height = render_script.get_frame(job_input)
            if (seen.width, seen.height) != (width, height):
                notes.append(
                    f"the film is {seen.width}x{seen.height}, {width}x{height} was ordered; "
                    "Creatomate's free plan makes small films"
                )
        result = {**vars(seen), "notes": [*notes, *answer.get("notes", [])]}
        lines = [Line.from_json(line) for line in job_input["timeline"]]
        with translate_disk_errors():
            transcripts = write_transcripts(lines, folder, job_input["customer_name"])
        files = (film, *try_covers(film, seen.seconds, folder, fades), *transcripts)
        # By the render's own numbers.
        pixels = answers.compute_pixels(answer)
        cost = None if pixels is None else self._compute_cost(pixels)
        return Product(result, files, cost=cost)

    def _ask_for_link(self, render_id: str) -> str:
        """Query the link that the render has now. Raises PermanentError `artifact_expired` without one."""
        try:
            link = answers.read_finished_render(self._get_render(render_id), self._key).get("url")
        except TransientError as error:
            if error.code != answers.RENDER_UNKNOWN:
                raise
            link = None
        if link is None:
            raise _build_expired_error(render_id)
        return str(link)

    def cancel(self, external_id: str) -> None:
        """Do nothing: no call that stops a render is documented."""

    def account_status(self) -> str:
        """Test the key by the dry run of an empty picture; the API does not report the balance."""
        answer = self._client.post(_RENDERS, {**_EMPTY_PICTURE, "dry_run": True})
        answers.check_dry_run(answer, self._key)
        return "key accepted"

    def _build_body(self, job_input: StageInput, links: AssetLinks) -> dict[str, Json]:
        if self._own.template_id is None:
            return render_script.build_render_script(job_input, links)
        return {
            "template_id": self._own.template_id,
            "modifications": render_script.build_template_values(job_input, links),
        }

    def _get_render(self, external_id: str) -> Mapping[str, Any]:
        """Fetch the render. Raises TransientError for any other answer, `render_unknown` for 404."""
        answer = self._client.get(f"{_RENDERS}/{quote(external_id, safe='')}")
        if answer.status == 200 and answer.fields.get("id") == external_id:
            return answer.fields
        if answer.status == 404:
            raise TransientError(
                f"creatomate: there is no render {shorten_to_line(external_id, self._key)}",
                code=answers.RENDER_UNKNOWN,
            )
        refusal = answers.build_refusal_error(answer, self._key)
        if refusal is not None and not isinstance(refusal, PermanentError):
            raise refusal
        raise TransientError(
            f"creatomate: the render's status could not be read ({answers.summarize_response(answer, self._key)})"
        )

    def _compute_cost(self, pixels: float) -> int:
        """Compute the cost of the pixels in micro-dollars; at least one credit."""
        credits_taken = max(1, math.ceil(pixels / _PIXELS_PER_CREDIT))
        return round(credits_taken * self._own.usd_per_credit * 1_000_000)
