"""This machine as an engine of graphs: filters by nodes that need no model, free (docs/filters.md)."""

from resources.contract.protocol import Provider
from resources.process.settings import Settings
from resources.providers.vendor import Vendor


def _renderer(settings: Settings) -> Provider:
    from resources.files.pictures import picture_source
    from resources.providers.local.makers import LocalRenderer

    return LocalRenderer(picture_source(settings).open, settings.home / "local")


def _slots(settings: Settings) -> int:
    from resources.providers.local_provider import cores

    return cores()


VENDOR = Vendor("local", {"render": _renderer}, slots=_slots)
