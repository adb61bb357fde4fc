"""The studio on this machine: lyrics, songs and videos, free and without a key (docs/studio.md)."""

from resources.contract.protocol import Provider
from resources.process.settings import Settings
from resources.providers.vendor import Vendor


def _lyricist(settings: Settings) -> Provider:
    from resources.providers.studio.makers import StudioLyricist

    return StudioLyricist(settings.home / "studio")


def _band(settings: Settings) -> Provider:
    from resources.providers.studio.makers import StudioBand

    return StudioBand(settings.home / "studio")


def _camera(settings: Settings) -> Provider:
    from resources.files.pictures import picture_source
    from resources.providers.studio.makers import StudioCamera

    return StudioCamera(picture_source(settings).open, settings.home / "studio")


VENDOR = Vendor("studio", {"lyric": _lyricist, "song": _band, "video": _camera})
