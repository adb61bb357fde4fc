"""Creatomate: videos (docs/vendors/creatomate.md)."""

from resources.contract.protocol import Json, Provider
from resources.process.settings import Settings
from resources.providers.creatomate.account import CreatomateSettings
from resources.providers.vendor import Vendor


def _make_camera(settings: Settings) -> Provider:
    from resources.files.artifacts import make_public_link_builder
    from resources.files.pictures import get_picture_source
    from resources.providers.background_jobs import get_rate_gate
    from resources.providers.creatomate.camera import CreatomateCamera
    from resources.providers.creatomate.render_script import SourceChecker
    from resources.providers.vendor import list_configured_hosts

    own = settings.of(CreatomateSettings)
    sources = SourceChecker(
        make_public_link_builder(settings),
        get_picture_source(settings).find_fetched,
        list_configured_hosts(settings),
        settings.allow_hosts,
        settings.call_deadline,
    )
    gate = get_rate_gate(settings, CreatomateCamera.name, own.rate)
    return CreatomateCamera(own, settings, sources, gate)


def _read_callback_job_id(body: Json) -> str | None:
    from resources.providers.creatomate.answers import read_id

    return read_id(body)


VENDOR = Vendor(
    "creatomate",
    {"video": _make_camera},
    CreatomateSettings,
    key="CREATOMATE_API_KEY",
    job_id_in_callback=_read_callback_job_id,
)
