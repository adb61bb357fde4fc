"""Downloads the film of a render.

The link is valid as long as the vendor keeps the file, which is 30 days (docs/vendors/creatomate.md).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from resources.contract.errors import PermanentError, TransientError
from resources.contract.protocol import Json
from resources.http.download import ExpiredLinkError, download
from resources.http.host_allowlist import HostAllowlist
from resources.http.vendor_client import one_line
from resources.providers.creatomate.answers import RENDER_UNKNOWN, finished_render

_LARGEST_FILM = 500_000_000


@dataclass(frozen=True)
class FilmDownloader:
    """Downloads films from hosts in `allowlist`; `render` gets a render object from the vendor.

    No link that contains the `key` is followed.
    """

    allowlist: HostAllowlist
    deadline_seconds: float
    render: Callable[[str], Mapping[str, Any]]
    key: str = field(repr=False)

    def fetch(self, answer: Mapping[str, Json], film: Path) -> None:
        """The film is at `film`, from the link in the job's result or from the one that the render has now.

        Raises PermanentError `artifact_expired` where the vendor no longer has it; TransientError or
        OutOfCreditsError where it may be available later.
        """
        render_id = str(answer["id"])
        try:
            self._download(str(answer["url"]), film)
        except ExpiredLinkError:
            fresh = self._link_now(render_id)
            try:
                self._download(fresh, film)
            except ExpiredLinkError:
                raise _expired(render_id) from None

    def _link_now(self, render_id: str) -> str:
        try:
            link = finished_render(self.render(render_id), self.key).get("url")
        except TransientError as error:
            if error.code != RENDER_UNKNOWN:
                raise
            link = None
        if link is None:
            raise _expired(render_id)
        return str(link)

    def _download(self, url: str, film: Path) -> None:
        download(
            url,
            film,
            field="creatomate: the film",
            max_bytes=_LARGEST_FILM,
            allowlist=self.allowlist,
            deadline_seconds=self.deadline_seconds,
            code="bad_download",
        )


def _expired(render_id: str) -> PermanentError:
    return PermanentError(
        f"creatomate: the vendor no longer has the film of render {one_line(render_id)}; "
        "`castad redo TASK_ID --from video` renders it again and pays again",
        code="artifact_expired",
    )
