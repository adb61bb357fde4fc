"""A fake of Creatomate v2 (docs/vendors/creatomate.md).

Routes: submit, dry_run, poll, file. Its own kinds:
    final_status(status=, error_message=, fields={})    on submit or poll; any status of the vendor's
    answer(errors=[], warnings=[])                 on dry_run, or on submit: accepted with these

Its webhooks are of the kinds succeeded and failed.

What the notes do not say: an entry of `errors` and `warnings` is an object of path and message; a file that is
not there yet is answered with 404.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from tests.fakes.calling import CallingVendor
from tests.fakes.faults import Fault, Kind, kind
from tests.fakes.render import TEMPLATE, Render, errors_in, unmatched, wrong_with
from tests.fakes.reply import Call, Reply, json_reply
from tests.fakes.server import Rate, Route


class FakeCreatomate(CallingVendor):
    """Every accepted render is charged by the vendor's formula, whatever becomes of it.

    `templates` maps the ids that exist to the names of their elements; None: any id is a template and
    any name is an element of it; all of them are like `template_source`. Links to this machine without TLS are
    really fetched when the render is due, links to public hosts are believed, and others lead nowhere.
    """

    name: ClassVar[str] = "creatomate"
    routes: ClassVar[tuple[Route, ...]] = (
        ("submit", "POST", "/v2/renders"),
        ("dry_run", "POST", "/v2/renders"),
        ("poll", "GET", "/v2/renders/([^/]+)"),
        ("file", "GET", r"/files/([^/]+)\.mp4"),
    )
    own_kinds: ClassVar[Mapping[str, Kind]] = {
        "final_status": kind("status error_message fields", "submit poll"),
        "answer": kind("errors warnings", "submit dry_run"),
    }
    usual_rate: ClassVar[Rate | None] = (30, 10.0)
    settable: ClassVar[tuple[str, ...]] = (*CallingVendor.settable, "templates", "template_source")
    last_kinds: ClassVar[frozenset[str]] = frozenset(("succeeded", "failed"))

    def __init__(self, folder: Path, *, key: str | None = None, port: int = 0) -> None:
        super().__init__(folder, key=key, port=port)
        self.credits = 1000
        self.templates: dict[str, list[str]] | None = None
        self.template_source: Mapping[str, Any] = TEMPLATE
        self._renders: dict[str, Render] = {}

    def route(self, method: str, path: str, body: Any) -> tuple[str, tuple[str, ...]]:
        route, parts = super().route(method, path, body)
        dry = isinstance(body, dict) and body.get("dry_run") is True
        return ("dry_run" if route == "submit" and dry else route), parts

    def on_dry_run(self, call: Call, fault: Fault | None) -> Reply:
        advice = self._advice(call.body, fault)
        answer = {
            "valid": not advice["errors"],
            **advice,
            "source": {
                name: each for name, each in self._filled(call.body).items() if name != "dry_run"
            },
        }
        return json_reply(200, answer)

    def on_submit(self, call: Call, fault: Fault | None) -> Reply:
        wrong = wrong_with(call.body)
        if wrong:
            return _error(400, wrong)
        if not self._has_template(call.body):
            return _error(404, "The template does not exist.")
        final_status = fault.details if fault and fault.kind == "final_status" else {}
        render = Render(self._filled(call.body), final_status)
        with self.lock:
            if self.credits < render.credits:
                return self.out_of_credits()
            self.credits -= render.credits
        self._renders[render.id] = render
        self.charge(
            call,
            what="video",
            id=render.id,
            metadata=call.body.get("metadata"),
            cost=render.credits,
            unit="credits",
        )
        advice = self._advice(call.body, fault)
        given = {name: entries for name, entries in advice.items() if entries}
        self.accepted(render.id)
        return json_reply(202, self._object(render, "planned", {}) | given)

    def on_poll(self, call: Call, fault: Fault | None, wanted: str) -> Reply:
        render = self._renders.get(wanted)
        if render is None:
            return _error(404, "The render does not exist.")
        status = render.status(self.delay)
        scripted = render.final_status if status in ("succeeded", "failed") else {}
        told = fault.details if fault else scripted
        return json_reply(200, self._object(render, told.get("status", status), told))

    def on_file(self, call: Call, fault: Fault | None, wanted: str) -> Reply:
        render = self._renders.get(wanted)
        if render is None or render.status(self.delay) != "succeeded" or not render.file:
            return Reply(404, b"Not Found", "text/plain")
        return Reply(200, render.file, "video/mp4")

    def unauthorized(self, call: Call, *, echo: bool) -> Reply:
        given = call.headers.get("authorization", "")
        return _error(401, f"The API key is not valid{': ' + given if echo else '.'}")

    def too_often(self, headers: Mapping[str, str], code: int | None) -> Reply:
        counted = {"X-RateLimit-Remaining": "0", **headers}
        return _error(429, "You sent too many requests.", counted)

    def out_of_credits(self) -> Reply:
        return _error(402, "There are no credits left in this billing period.")

    def not_found(self, call: Call) -> Reply:
        return _error(404, f"{call.method} {call.path} does not exist.")

    def callback_address(self, job: str) -> str | None:
        address = self._renders[job].request.get("webhook_url")
        return None if address is None else str(address)

    def callback(self, job: str, kind: str) -> Any:
        render = self._renders[job]
        return self._object(render, kind, render.final_status)

    def callback_due(self, job: str) -> str | None:
        render = self._renders[job]
        status = render.status(self.delay)
        told = render.final_status.get("status", status)
        return told if status in self.last_kinds and told in self.last_kinds else None

    def _filled(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """The job with what its template brings."""
        return {**self.template_source, **body} if "template_id" in body else body

    def _has_template(self, body: Mapping[str, Any]) -> bool:
        wanted = body.get("template_id")
        return wanted is None or self.templates is None or wanted in self.templates

    def _advice(self, body: Mapping[str, Any], fault: Fault | None) -> dict[str, list[Any]]:
        if fault and fault.kind == "answer":
            return {"errors": fault.get("errors", []), "warnings": fault.get("warnings", [])}
        wrong = wrong_with(body)
        if not wrong and not self._has_template(body):
            wrong = "The template does not exist."
        if wrong:
            return {"errors": [{"path": "", "message": wrong}], "warnings": []}
        names = (self.templates or {}).get(body.get("template_id", ""))
        given = body.get("modifications", {})
        return {
            "errors": errors_in(body),
            "warnings": unmatched(given, names) if names is not None else [],
        }

    def _object(self, render: Render, status: str, told: Mapping[str, Any]) -> dict[str, Any]:
        body = render.request
        failed = status in ("failed", "cancelled")
        return {
            "id": render.id,
            "status": status,
            "error_message": told.get("error_message", render.error) if failed else None,
            "url": f"{self.origin}/files/{render.id}.mp4",
            "snapshot_url": None,
            "template_id": body.get("template_id"),
            "template_name": None,
            "template_tags": [],
            "output_format": body.get("output_format", "mp4"),
            "render_scale": body.get("render_scale", 1),
            "width": render.width,
            "height": render.height,
            "frame_rate": render.frame_rate,
            "duration": render.seconds,
            "file_size": len(render.file) if render.file else None,
            "modifications": body.get("modifications"),
            "webhook_url": body.get("webhook_url"),
            "metadata": body.get("metadata"),
            **told.get("fields", {}),
        }


def _error(status: int, hint: str, headers: Mapping[str, str] | None = None) -> Reply:
    content = {"hint": hint, "documentation": "https://creatomate.com/docs/api/introduction"}
    return json_reply(status, content, headers)
