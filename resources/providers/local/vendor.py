"""This machine as an engine of graphs: filters by nodes that need no model, free (docs/filters.md)."""

from resources.contract.protocol import Provider
from resources.process.settings import Settings
from resources.providers.vendor import Vendor


def _make_renderer(settings: Settings) -> Provider:
    from resources.files.pictures import get_picture_source
    from resources.providers.local.renderer import LocalRenderer

    return LocalRenderer(get_picture_source(settings).open, settings.home / "local")


def _count_slots(settings: Settings) -> int:
    from resources.providers.background_jobs import count_cores

    return count_cores()


VENDOR = Vendor("local", {"render": _make_renderer}, slots=_count_slots)
