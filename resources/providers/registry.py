"""Which provider makes which stage. Only this module knows all of them; a vendor is imported when it is chosen."""

from collections.abc import Callable, Mapping
from functools import lru_cache

from pydantic import SecretStr

from resources.contract.protocol import Json, Provider, Rate
from resources.files.pictures import picture_source
from resources.files.signed_links import public_link_builder
from resources.http.host_allowlist import HostAllowlist
from resources.http.vendor_client import RateGate
from resources.ledger.db.database import open_database
from resources.process.settings import Settings
from resources.providers.creatomate.answers import job_id_in_callback as render_id_in_callback
from resources.providers.studio.makers import StudioBand, StudioCamera, StudioLyricist
from resources.providers.suno.answers import job_id_in_callback as task_id_in_callback

_WINDOW_SECONDS = 10

CALLBACK_PARSERS: Mapping[str, Callable[[Json], str | None]] = {
    "suno": task_id_in_callback,
    "creatomate": render_id_in_callback,
}
"""Reads the job's id from a callback's body, by provider; a provider that is not in here never calls back."""


@lru_cache(maxsize=8)
def provider_for(stage: str, settings: Settings) -> Provider:
    """The provider of a stage; one per process, since all runs share the studio's jobs."""
    return _FACTORIES[settings.provider(stage), stage](settings)


def _studio_lyricist(settings: Settings) -> Provider:
    return StudioLyricist(settings.home / "studio")


def _studio_band(settings: Settings) -> Provider:
    return StudioBand(settings.home / "studio")


def _studio_camera(settings: Settings) -> Provider:
    pictures = picture_source(settings)
    return StudioCamera(pictures.open, settings.home / "studio")


def _openai(settings: Settings) -> Provider:
    from resources.providers.openai.lyricist import OpenAILyricist

    return OpenAILyricist(
        api_key=_secret(settings.openai_api_key),
        base_url=settings.openai_base_url,
        model=settings.openai_model,
        usd_in=settings.openai_usd_in,
        usd_out=settings.openai_usd_out,
        store=settings.openai_store,
        deadline_seconds=settings.call_deadline,
    )


def _suno(settings: Settings) -> Provider:
    from resources.providers.suno.band import SunoBand

    return SunoBand(
        api_key=_secret(settings.suno_api_key),
        base_url=settings.suno_base_url,
        model=settings.suno_model,
        credits=settings.suno_credits,
        usd_per_credit=settings.suno_usd_per_credit,
        public_url=settings.public_url,
        allow_hosts=settings.allow_hosts,
        rate=(rate := Rate(settings.suno_calls, _WINDOW_SECONDS)),
        gate=_rate_gate(settings, SunoBand.name, rate),
        deadline_seconds=settings.call_deadline,
        download_seconds=settings.download_deadline,
    )


def _creatomate(settings: Settings) -> Provider:
    from resources.providers.creatomate.camera import CreatomateCamera

    return CreatomateCamera(
        api_key=_secret(settings.creatomate_api_key),
        base_url=settings.creatomate_base_url,
        template_id=settings.creatomate_template_id,
        usd_per_credit=settings.creatomate_usd_per_credit,
        public_url=settings.public_url,
        link_to=public_link_builder(settings),
        fetched=picture_source(settings).fetched,
        allow_hosts=settings.allow_hosts,
        trusted_hosts=_trusted_hosts(settings),
        rate=(rate := Rate(settings.creatomate_calls, _WINDOW_SECONDS)),
        gate=_rate_gate(settings, CreatomateCamera.name, rate),
        deadline_seconds=settings.call_deadline,
        download_seconds=settings.download_deadline,
    )


def _trusted_hosts(settings: Settings) -> tuple[str, ...]:
    """The hosts of songs and stored files, as configured; they may be private."""
    urls = filter(None, (settings.suno_base_url, settings.public_url))
    return tuple(host for url in urls for host in HostAllowlist.for_base_url(url).hosts)


def _rate_gate(settings: Settings, provider: str, rate: Rate) -> RateGate:
    from resources.providers.rate_gate import ledger_rate_gate

    return ledger_rate_gate(lambda: open_database(settings.ledger_url), provider, rate)


def _secret(key: SecretStr | None) -> str:
    return key.get_secret_value() if key else ""


_FACTORIES: dict[tuple[str, str], Callable[[Settings], Provider]] = {
    ("studio", "lyric"): _studio_lyricist,
    ("studio", "song"): _studio_band,
    ("studio", "video"): _studio_camera,
    ("openai", "lyric"): _openai,
    ("suno", "song"): _suno,
    ("creatomate", "video"): _creatomate,
}
