"""Checks that the song and the pictures of a render can be fetched, before anything is charged."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace

from resources.contract.errors import PermanentError, ProviderError, TransientError
from resources.contract.protocol import Json, StageInput
from resources.http.download import probe
from resources.http.host_allowlist import HostAllowlist
from resources.providers.creatomate.render_script import Links, LinkTo, links_of, public_link

Fetched = Callable[[Mapping[str, Json]], str | None]
"""From the reference of a linked picture to the path of its stored copy; None without one."""
_OF_A_PICTURE = "order again with a link that leads to the picture, or with the picture as a file"
_OF_A_KEPT_FILE = "make sure that CASTAD_PUBLIC_URL serves the artifacts of this castad"
_OF_THE_SONG = (
    "set CASTAD_PUBLIC_URL, and the vendor fetches the stored file instead; "
    "`castad redo TASK_ID --from song` has a song made again and pays again"
)


class SourceChecker:
    """Checks the links of jobs by fetching their beginning.

    `fetched` finds the stored copy of a picture that was fetched for an order. `ours` are the configured hosts of
    songs and stored files, which may be private like those of `allow_hosts`. Links of a brief may lead only to
    public hosts and to `allow_hosts`.
    """

    def __init__(
        self,
        *,
        link_to: LinkTo | None,
        fetched: Fetched,
        ours: tuple[str, ...],
        allow_hosts: tuple[str, ...],
        deadline_seconds: float,
    ) -> None:
        self._link_to = link_to
        self._fetched = fetched
        self._trusted = HostAllowlist((*ours, *allow_hosts))
        self._public = HostAllowlist(allow_hosts, plain_http=True)
        self._deadline_seconds = deadline_seconds

    def checked_links(self, job_input: StageInput) -> Links:
        """The job's links; a song's link that does not work is replaced by the stored file's.

        A link that works from here may still fail for the vendor: then its failure allows `resubmissions`. Raises
        PermanentError `public_url_missing` or `source_unreachable`, and TransientError `source_unreachable`.
        """
        links = links_of(job_input, self._link_to)
        images = map(self._picture, job_input["images"], links.images)
        logo = links.logo and self._picture(job_input["logo"], links.logo)
        return replace(
            links, images=tuple(images), logo=logo, song=self._song(job_input, links.song)
        )

    def _picture(self, image: Mapping[str, Json], link: str) -> str:
        """The link of the stored copy; where that cannot be reached, the job's own."""
        name = str(image["name"])
        if not image.get("url"):
            self._probe(link, name, self._trusted, _OF_A_KEPT_FILE)
            return link
        fetched = self._fetched(image)
        if self._link_to is not None and fetched is not None:
            kept = self._link_to(fetched)
            with suppress(ProviderError):
                self._probe(kept, name, self._trusted, _OF_A_KEPT_FILE)
                return kept
        self._probe(link, name, self._public, _OF_A_PICTURE)
        return link

    def _song(self, job_input: StageInput, link: str) -> str:
        if not job_input.get("song_url"):
            self._probe(link, "the song", self._trusted, _OF_A_KEPT_FILE)
            return link
        try:
            self._probe(link, "the song", self._trusted, _OF_THE_SONG)
        except ProviderError as error:
            if self._link_to is None:
                raise
            return self._kept_song(job_input, error)
        return link

    def _kept_song(self, job_input: StageInput, trouble: ProviderError) -> str:
        """The stored file's link. Where that fails too, raises `trouble` if that is transient, else its own."""
        kept = public_link(job_input["song"], self._link_to)
        try:
            self._probe(kept, "the song", self._trusted, _OF_A_KEPT_FILE)
        except PermanentError as error:
            raise (trouble if isinstance(trouble, TransientError) else error) from None
        return kept

    def _probe(self, link: str, name: str, allowlist: HostAllowlist, hint: str) -> None:
        field = f"creatomate: {name}"
        try:
            probe(link, field=field, allowlist=allowlist, deadline_seconds=self._deadline_seconds)
        except TransientError as error:
            message, wait = f"{error.message}; {hint}", error.retry_after
            raise TransientError(message, code=error.code, retry_after=wait) from None
        except PermanentError as error:
            raise PermanentError(f"{error.message}; {hint}", code=error.code) from None
