"""Whether everything a render is made of can be fetched, looked at before anything is charged for it."""

from collections.abc import Mapping
from dataclasses import replace

from resources.download import probe
from resources.providers.errors import PermanentError, ProviderError, TransientError
from resources.providers.protocol import Json, Order
from resources.providers.render_script import Links, LinkTo, links_of, public_link
from resources.reach import Reach

_OF_A_PICTURE = "order anew with a link that leads to the picture, or with the picture as a file"
_OF_A_KEPT_FILE = "see to it that CASTAD_PUBLIC_URL serves the artifacts of this castad"
_OF_THE_SONG = (
    "where CASTAD_PUBLIC_URL serves it, the kept file is fetched instead; "
    "`castad redo TASK_ID --from song` has a song made anew and pays again"
)


class Sources:
    """The links of orders, each of them tried from here.

    `ours` are the hosts that the configuration itself trusts, besides those of `allow_hosts`: songs and kept
    files lie there. A link of the brief gets no further than any other download of one.
    """

    def __init__(
        self,
        *,
        link_to: LinkTo | None,
        ours: tuple[str, ...],
        allow_hosts: tuple[str, ...],
        deadline_seconds: float,
    ) -> None:
        self._link_to = link_to
        self._known = Reach((*ours, *allow_hosts))
        self._anywhere = Reach(allow_hosts, plain_http=True)
        self._deadline_seconds = deadline_seconds

    def fetchable(self, order: Order) -> Links:
        """The order's links, with the kept file's instead of a song's link that leads nowhere.

        A link that works from here may still not work for the vendor, which `resubmissions` of its verdict
        is for. Raises PermanentError `public_url_missing` or `source_unreachable`, and TransientError
        `source_unreachable`.
        """
        links = links_of(order, self._link_to)
        for image, link in zip(order["images"], links.images, strict=True):
            self._try_picture(image, link)
        return replace(links, song=self._song(order, links.song))

    def _try_picture(self, image: Mapping[str, Json], link: str) -> None:
        name = str(image["name"])
        if image.get("url"):
            self._try(link, name, self._anywhere, _OF_A_PICTURE)
        else:
            self._try(link, name, self._known, _OF_A_KEPT_FILE)

    def _song(self, order: Order, link: str) -> str:
        if not order.get("song_url"):
            self._try(link, "the song", self._known, _OF_A_KEPT_FILE)
            return link
        try:
            self._try(link, "the song", self._known, _OF_THE_SONG)
        except ProviderError as error:
            if self._link_to is None:
                raise
            return self._kept_song(order, error)
        return link

    def _kept_song(self, order: Order, trouble: ProviderError) -> str:
        """The kept file's link; where that is no good and the trouble may pass, the trouble is raised."""
        kept = public_link(order["song"], self._link_to)
        try:
            self._try(kept, "the song", self._known, _OF_A_KEPT_FILE)
        except PermanentError as error:
            raise (trouble if isinstance(trouble, TransientError) else error) from None
        return kept

    def _try(self, link: str, name: str, reach: Reach, remedy: str) -> None:
        field = f"creatomate: {name}"
        try:
            probe(link, field=field, reach=reach, deadline_seconds=self._deadline_seconds)
        except TransientError as error:
            told, wait = f"{error.message}; {remedy}", error.retry_after
            raise TransientError(told, code=error.code, retry_after=wait) from None
        except PermanentError as error:
            raise PermanentError(f"{error.message}; {remedy}", code=error.code) from None
