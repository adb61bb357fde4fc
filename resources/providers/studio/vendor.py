"""The studio on this machine: lyrics, songs and videos, free and without a key (docs/studio.md)."""

from resources.contract.protocol import Provider
from resources.process.settings import Settings
from resources.providers.vendor import NeededProgram, Vendor


def _make_lyricist(settings: Settings) -> Provider:
    from resources.providers.studio.makers import StudioLyricist

    return StudioLyricist(settings.home / "studio")


def _make_band(settings: Settings) -> Provider:
    from resources.providers.studio.makers import StudioBand

    return StudioBand(settings.home / "studio")


def _make_camera(settings: Settings) -> Provider:
    from resources.files.pictures import get_picture_source
    from resources.providers.studio.makers import StudioCamera

    return StudioCamera(get_picture_source(settings).open, settings.home / "studio")


def _make_vision(settings: Settings) -> Provider:
    from resources.files.pictures import get_picture_source
    from resources.providers.background_jobs import AnsweringProvider
    from resources.providers.studio.makers import make_classifier

    return AnsweringProvider("studio", make_classifier(get_picture_source(settings).open))


def _make_answer(settings: Settings) -> Provider:
    from resources.providers.background_jobs import AnsweringProvider
    from resources.providers.studio.makers import write_advice

    return AnsweringProvider("studio", write_advice)


def _find_font() -> str:
    from studio.camera.fonts import find_font

    font = find_font()
    return "; ".join((str(font.path), *font.remarks))


def _find_singer() -> str:
    from studio.singer.processes import find_espeak, run_espeak

    with run_espeak(installation := find_espeak()) as speaker:
        speaker.spell(["a"], "ko")
    return str(installation.library)


def _describe_voice() -> str:
    """Return the name of the installed voice; the plain voice without one, which is no fault."""
    from studio.singer.kokoro.model import is_installed
    from studio.singer.singing import NOT_INSTALLED

    return "Kokoro" if is_installed() else NOT_INSTALLED


VENDOR = Vendor(
    "studio",
    {
        "lyric": _make_lyricist,
        "song": _make_band,
        "video": _make_camera,
        "vision": _make_vision,
        "answer": _make_answer,
    },
    needs=(
        NeededProgram("Korean font", _find_font, "`make install` installs one"),
        NeededProgram(
            "singer",
            _find_singer,
            "`make install` installs it; without it songs have no voice",
            is_optional=True,
        ),
        NeededProgram("voice", _describe_voice, "`make install` installs it"),
    ),
)
