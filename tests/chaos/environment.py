"""The environment of a process under test: a fast clock, fake vendors, and nothing of this machine's own."""

import os
from collections.abc import Mapping
from pathlib import Path

from resources.process.settings import PROJECT_ROOT
from resources.providers.vendor import VENDORS
from tests.fakes.server import FakeVendor, Rate

CLOCK = {
    "CASTAD_LEASE_SECONDS": "3",
    "CASTAD_BEAT_SECONDS": "0.5",
    "CASTAD_WATCH_SECONDS": "0.1",
    "CASTAD_POLL_SECONDS": "0.1",
    "CASTAD_POLL_LONGEST": "0.5",
    "CASTAD_DISPATCH_GRACE": "3",
    "CASTAD_RETRY_LYRIC": "0.2",
    "CASTAD_RETRY_SONG": "0.5",
    "CASTAD_RETRY_VIDEO": "1",
    "CASTAD_RETRY_RENDER": "0.5",
    "COMFYUI_LOST_SECONDS": "5",
    # The laws about slots know those of stages only.
    "CASTAD_SLOTS_IMAGE": "1000",
    "CASTAD_SLOTS_RENDER": "2",
    "CASTAD_STEP_RETRY_DELAY": "0.1",
    "CASTAD_UNKNOWN_GRACE": "5",
    "CASTAD_CALL_DEADLINE": "10",
    "CASTAD_CONCURRENT_RUNS": "8",
    "CASTAD_SLOTS_LYRIC": "3",
    "CASTAD_SLOTS_VIDEO": "1",
    "SUNO_CALLS_PER_10_SECONDS": "20",
}
SLOTS: Mapping[str, int] = {
    name.removeprefix("CASTAD_SLOTS_").lower(): int(value)
    for name, value in CLOCK.items()
    if name.startswith("CASTAD_SLOTS_")
}
"""How many may be at work in each limited stage."""
RATES: Mapping[str, Rate] = {"suno": (int(CLOCK["SUNO_CALLS_PER_10_SECONDS"]), 10.0)}
"""How often a vendor may be called."""
_OF_VENDORS = tuple(f"{name.upper()}_" for name in VENDORS)
_FOREIGN = ("CASTAD_", "LYRIC_", "SONG_", "VIDEO_", "DAGSTER_", *_OF_VENDORS)


def environment_of(
    home: Path, database_url: str | None, broker_url: str | None, vendors: Mapping[str, FakeVendor]
) -> dict[str, str]:
    """What a process needs that works in this state folder; Dagster's configuration lies in it."""
    chosen = {
        "CASTAD_HOME": str(home),
        "DAGSTER_HOME": str(_dagster_home(home)),
        "PYTHONPATH": str(PROJECT_ROOT),
        "PYTHONWARNINGS": "ignore",
        "PYTHONUNBUFFERED": "1",
        "MALLOC_ARENA_MAX": "1",
    }
    if database_url is not None:
        chosen["CASTAD_DATABASE_URL"] = database_url
    if broker_url is not None:
        chosen["CASTAD_BROKER_URL"] = broker_url
    for vendor, fake in vendors.items():
        name = vendor.upper()
        chosen |= {f"{name}_API_KEY": fake.key, f"{name}_BASE_URL": fake.url}
    chosen["CASTAD_COMFYUI_URLS"] = vendors["comfyui"].url
    inherited = {name: value for name, value in os.environ.items() if _is_ours(name)}
    return {**inherited, **CLOCK, **chosen}


def _is_ours(name: str) -> bool:
    return not name.startswith(_FOREIGN)


def _dagster_home(home: Path) -> Path:
    folder = home / "dagster"
    folder.mkdir(parents=True, exist_ok=True)
    link = folder / "dagster.yaml"
    if not link.is_symlink():
        link.symlink_to(PROJECT_ROOT / "dagster.yaml")
    return folder
