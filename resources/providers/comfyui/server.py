"""One ComfyUI server: its calls, each asked once."""

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote, urlencode, urlsplit

from resources.contract.errors import OutOfCreditsError, ProviderError, TransientError
from resources.contract.protocol import BeforeSend, Json
from resources.files.rendered import BAD_PICTURE
from resources.http.download import download, probe
from resources.http.host_allowlist import HostAllowlist
from resources.http.vendor_client import NoAnswerError, VendorClient, VendorResponse
from resources.providers.comfyui.answers import (
    NAME,
    JobView,
    SavedPicture,
    State,
    job_in_history,
    job_in_queue,
    job_of,
    key_error,
)

URLS_VARIABLE = "CASTAD_COMFYUI_URLS"

_LARGEST_ANSWER = 50_000_000
_LARGEST_PICTURE = 100_000_000


class ComfyUIServer:
    """A server by its address.

    Its methods raise NotSentError and NoAnswerError where it does not answer, and OutOfCreditsError `key_refused`.
    """

    def __init__(
        self, url: str, api_key: str | None, *, deadline_seconds: float, download_seconds: float
    ) -> None:
        parts = urlsplit(url)
        self.name = f"{parts.netloc}{parts.path}"
        self.url = url
        self._allowlist = HostAllowlist.for_base_url(url)
        self._call_seconds = deadline_seconds
        self._download_seconds = download_seconds
        self.key = api_key or ""
        self.headers = {} if api_key is None else {"Authorization": f"Bearer {api_key}"}
        self._client = VendorClient(
            NAME,
            url,
            api_key,
            gate=lambda: None,
            deadline_seconds=deadline_seconds,
            setting=URLS_VARIABLE,
            max_response_bytes=_LARGEST_ANSWER,
        )

    def stats(self) -> Mapping[str, Json]:
        """What the server says of its machine; raises NoAnswerError where it is no ComfyUI."""
        answer = self._client.get("/system_stats")
        if answer.status != 200 or "system" not in answer.fields:
            raise self._no_answer("as ComfyUI does", answer)
        return answer.fields

    def submit(
        self, graph: Mapping[str, Json], prompt_id: str, client_id: str, before_send: BeforeSend
    ) -> VendorResponse:
        """The server's answer to the job, which was sent once."""
        body = {"prompt": graph, "prompt_id": prompt_id, "client_id": client_id}
        return self._client.post_paid("/prompt", body, before_send)

    def job(self, prompt_id: str) -> JobView | None:
        """The job as the server knows it; None where it does not."""
        answer = self._client.get(f"/api/jobs/{quote(prompt_id, safe='')}")
        if answer.status == 200 and answer.fields.get("id") == prompt_id:
            return job_of(answer.body)
        if answer.status != 404:
            raise self._no_answer("about a job", answer)
        # An older server has no such route; and a job moves from the queue to the history between two looks.
        return self._queued(prompt_id) or self._finished(prompt_id) or self._queued(prompt_id)

    def _queued(self, prompt_id: str) -> JobView | None:
        answer = self._client.get("/queue")
        if answer.status != 200 or "queue_running" not in answer.fields:
            raise self._no_answer("about its queue", answer)
        return job_in_queue(answer.body, prompt_id)

    def _finished(self, prompt_id: str) -> JobView | None:
        answer = self._client.get(f"/history/{quote(prompt_id, safe='')}")
        if answer.status != 200 or not isinstance(answer.body, dict):
            raise self._no_answer("about its history", answer)
        return job_in_history(answer.body, prompt_id)

    def upload(self, name: str, picture: Path) -> str:
        """The name of the picture as an input there; the same content under the same name is kept once."""
        answer = self._client.upload("/upload/image", {"type": "input"}, "image", name, picture)
        given, folder = (answer.fields.get(each) for each in ("name", "subfolder"))
        if answer.status != 200 or not isinstance(given, str) or not given:
            raise self._no_answer("to an upload", answer)
        return f"{folder}/{given}" if folder else given

    def free(self) -> None:
        """The server has been asked to free its memory."""
        self._client.post("/free", {"unload_models": True, "free_memory": True})

    def cancel(self, prompt_id: str) -> None:
        """The job is stopped if it is there and not done. Never another: an interrupt names its job."""
        view = self.job(prompt_id)
        if view is not None and view.state is State.PENDING:
            self._client.post("/queue", {"delete": [prompt_id]})
            view = self.job(prompt_id)
        if view is not None and view.state is State.RUNNING:
            self._client.post("/interrupt", {"prompt_id": prompt_id})

    def has(self, picture: SavedPicture) -> bool:
        """Whether the server has this file; raises TransientError where it does not say."""
        try:
            probe(
                self._view(picture),
                field=NAME,
                allowlist=self._allowlist,
                deadline_seconds=self._call_seconds,
                headers=self.headers,
            )
        except TransientError:
            raise
        except ProviderError:
            return False
        return True

    def fetch(self, picture: SavedPicture, file: Path) -> None:
        """The picture is in this file. Raises the errors of `download`."""
        download(
            self._view(picture),
            file,
            field=f"{NAME}: the picture {picture.filename[:100]}",
            max_bytes=_LARGEST_PICTURE,
            allowlist=self._allowlist,
            deadline_seconds=self._download_seconds,
            code=BAD_PICTURE,
            redirects=0,
            headers=self.headers,
        )

    def _view(self, picture: SavedPicture) -> str:
        named = {
            "filename": picture.filename,
            "subfolder": picture.subfolder,
            "type": picture.type,
        }
        return f"{self.url}/view?{urlencode(named)}"

    def _no_answer(self, about: str, answer: VendorResponse) -> NoAnswerError | OutOfCreditsError:
        if answer.status in (401, 403):
            return key_error(answer, self.name)
        told = f"HTTP status {answer.status}: {answer.summary}"
        return NoAnswerError(f"{NAME}: {self.name} did not answer {about} ({told})")
