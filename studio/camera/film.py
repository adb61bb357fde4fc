"""A film from a song, its timeline and pictures, or painted scenes: shots, text, and the finished file."""

import random
import shutil
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from threading import Event

import numpy as np
from PIL import Image

from studio.camera.fonts import find_font
from studio.camera.frames import Scene, draw_frames
from studio.camera.graphics import QUIET, Emblem, cut_emblem, draw_code, squares
from studio.camera.moving import Moving, Subject
from studio.camera.palettes import Colour, Palette, brand_palette, deepen, find_brightest_ground
from studio.camera.photos import Fitted, fit_photo
from studio.camera.pictures import Planes, convert, size_canvas
from studio.camera.scenes import compositions, indoors, landscapes, town
from studio.camera.scenes.brush import Size, add_grain
from studio.camera.scouting import FEWEST, Brief, cast, choose_scenes, list_moves
from studio.camera.shots import FPS, Rhythm, Section, Shot, plan_shots
from studio.camera.staging import Stage, find_areas, stage_text
from studio.camera.subtitles import find_fades, write_document
from studio.camera.text import Layout, Span, Text, TextArea
from studio.ffmpeg import find_ffmpeg, run, take_covers
from studio.images import open_image

FRAMES = {"vertical": (1080, 1920), "horizontal": (1920, 1080)}
# Seconds in which a sticker comes, and in which it goes.
STICKER_FADE = 0.3
SONG_FADE_SECONDS = 1.0
# The fastest preset with what shows most put back: smooth gradients (aq, deblock) and smaller files (cabac).
# Threads that share a frame hold fewer of them. A whole picture every two seconds lets a player jump, and a cover
# be taken in less than half the time, for 4 % more bytes.
X264 = "cabac=1:8x8dct=1:aq-mode=1:deblock=1,0,0:sliced-threads=1:keyint=60"
QUALITY = "25"
# A vendor's song may be as loud as can be. At four times its rate the peaks between its samples are limited, too.
LIMITER = "aresample=176400,alimiter=limit=0.8:level=0:latency=1,aresample=44100"
# In thirty songs ffmpeg's usual coder at 192 kbit/s made peaks up to 1.6 dB higher, this one at 320 up to 0.25.
CODER = ("-aac_coder", "fast", "-aac_tns", "0", "-aac_pns", "0", "-aac_is", "0")

Progress = Callable[[int, int], None]

Painter = Callable[[Palette, Size, np.random.Generator], Image.Image]
# Scenes for any trade, of no parts and without movement of their own.
PICTURES: dict[str, Painter] = {
    name.removeprefix("paint_"): painter
    for module in (landscapes, town, indoors)
    for name, painter in vars(module).items()
    if name.startswith("paint_") and painter.__module__ == module.__name__
}


@dataclass(frozen=True)
class Script:
    """Everything a film is made of. `images` are files, in order; without any the studio paints its own.

    The film begins `song_start` seconds into the song; `song_fades` where the song is longer. The song
    has a beat every `beat_seconds`, where that is known; its `sections` are in seconds of the film. `about` is
    free text, what the business tells of itself, from which with its name and region the scenes are chosen. Of
    `brand_colours` there are two at most; the `logo` is a file, and on both cards.
    """

    seed: str
    text: Text
    genre: str
    song: Path
    seconds: float
    frame: tuple[int, int]
    images: tuple[Path, ...] = ()
    song_start: float = 0.0
    song_fades: bool = False
    beat_seconds: float | None = None
    sections: tuple[Section, ...] = ()
    about: str = ""
    brand_colours: tuple[Colour, ...] = ()
    logo: Path | None = None

    @cached_property
    def scenes(self) -> tuple[str, ...]:
        """The names of the scenes that are painted for it where it has no images."""
        sung = "\n".join(line.text for line in self.text.lines)
        brief = Brief(self.text.customer_name, self.text.region, self.about, sung)
        shots = len(_plan(self, FEWEST))
        return choose_scenes(brief, self.genre, self.seed, self.seconds, shots)


def film(script: Script, folder: Path, progress: Progress, stop: Event) -> tuple[Path, Path, Path]:
    """Make `video.mp4`, `thumbnail.jpg` and `cover.jpg` in the empty `folder`, and return their paths.

    `progress` is called with how many frames of how many are done. Raises PictureError for a picture that cannot
    be used, and what `find_font`, `ffmpeg.run` and `ffmpeg.take_covers` raise.
    """
    program, font = find_ffmpeg(), find_font()
    palette = brand_palette(script.genre, script.seed, script.brand_colours)
    (folder / "fonts").mkdir()
    for path in filter(None, (font.path, font.emoji)):
        shutil.copyfile(path, folder / "fonts" / path.name)
    layout = Layout.of(*script.frame, script.text.look.scale)
    logo = None if script.logo is None else cut_emblem(open_image(script.logo, "logo[0]"))
    text = replace(script.text, logo_shape=logo.shape if logo else None)
    stage = stage_text(text, font, layout, script.seconds)
    document = write_document(stage, palette.accent, palette.button)
    (folder / "text.ass").write_text(document, "utf-8")
    scene = compose(script, find_areas(stage), palette)
    stickers = _make_stickers(stage, text.contact.link, logo)
    with closing(_draw(scene, stickers, progress)) as frames:
        run(program, _encode(script), frames, folder, stop)
    video = folder / "video.mp4"
    return video, *take_covers(video, script.seconds, folder, find_fades(stage))


def shots_of(script: Script) -> tuple[Shot, ...]:
    """Plan the film's shots: of as many images as fit into its time, or without any of what its lines name."""
    if script.images:
        return _plan(script, len(script.images))
    scenes = script.scenes
    shots = _plan(script, len(scenes), list_moves(scenes))
    return cast(shots, script.text.lines, script.sections, scenes)


def _plan(script: Script, pictures: int, liked_moves: Sequence[str] = ()) -> tuple[Shot, ...]:
    """Plan shots in which pictures take turns; their number follows from the song, or from images."""
    rhythm = None
    if script.beat_seconds is not None:
        rhythm = Rhythm(script.beat_seconds, -script.song_start, script.sections)
    return plan_shots(
        script.seconds,
        [line.start for line in script.text.lines],
        pictures,
        script.seed,
        genre=script.genre,
        rhythm=rhythm,
        liked_moves=liked_moves,
        all_shown=bool(script.images),
    )


def compose(script: Script, written: Sequence[TextArea], palette: Palette) -> Scene:
    """Put together what the film's frames are drawn from."""
    canvas, scenes = size_canvas(script.frame), () if script.images else script.scenes

    def make_picture(number: int) -> Fitted:
        if script.images:
            image = open_image(script.images[number], f"images[{number}]")
            return fit_photo(image, canvas, palette)
        take, place = divmod(number, len(scenes))
        return paint(scenes[place], take, palette, canvas, script.seed)

    return Scene(
        shots=shots_of(script),
        seconds=script.seconds,
        frame=script.frame,
        painter=make_picture,
        areas=written,
        brightest=find_brightest_ground(palette.accent),
        ink=deepen(palette.ground[1]),
    )


@dataclass(frozen=True)
class Sticker:
    """An RGBA picture with even sides, seen from `start` to `end` with its corner at even `left` and `top`.

    It comes and goes softly, but not at the film's own ends.
    """

    start: float
    end: float
    left: int
    top: int
    parts: tuple[Image.Image, ...]
    masks: tuple[Image.Image, Image.Image]
    stays: bool

    @staticmethod
    def of(picture: Image.Image, corner: tuple[int, int], span: Span, seconds: float) -> "Sticker":
        """Make the picture ready for a film of this many seconds."""
        whole = picture.getchannel("A")
        parts = convert(picture.convert("RGB"))
        return Sticker(*span, *corner, parts, (whole, whole.reduce(2)), span[1] >= seconds)

    def measure_presence(self, moment: float) -> float:
        """Return how much of it is seen, in [0, 1]."""
        if not self.start <= moment < self.end:
            return 0.0
        coming = (moment - self.start) / STICKER_FADE if self.start else 1.0
        going = 1.0 if self.stays else (self.end - moment) / STICKER_FADE
        return min(1.0, coming, going)

    def stick(self, planes: Planes, moment: float) -> None:
        """Stick it on the frame of a moment."""
        level = self.measure_presence(moment)
        if not level:
            return
        for (plane, divided), part in zip(planes.split(), self.parts, strict=True):
            mask = self.masks[divided - 1].point([round(level * share) for share in range(256)])
            left, top = self.left // divided, self.top // divided
            box = slice(top, top + part.height), slice(left, left + part.width)
            under = Image.fromarray(plane[box])
            under.paste(part, mask=mask)
            plane[box] = np.asarray(under)


def _make_stickers(stage: Stage, link: str, logo: Emblem | None) -> tuple[Sticker, ...]:
    """Make what is stuck on the frames: the logo on the cards, the link's QR code on the last one."""
    found = []
    for card in stage.cards:
        pictures = []
        if logo and card.logo:
            left, top, right, bottom = map(int, card.logo)
            pictures.append((logo.draw((right - left, bottom - top)), (left, top)))
        if card.details.code:
            left, top, right, _ = map(int, card.details.code)
            square = (right - left) // (len(squares(link)) + 2 * QUIET)
            pictures.append((draw_code(link, square), (left, top)))
        found += [Sticker.of(*each, (card.start, card.end), stage.seconds) for each in pictures]
    return tuple(found)


def _draw(
    scene: Scene, stickers: Sequence[Sticker], progress: Progress
) -> Generator[bytes, None, None]:
    """Yield every frame of the film as yuv420p."""
    count = round(scene.seconds * FPS)
    for number, frame in enumerate(draw_frames(scene)):
        for sticker in stickers:
            sticker.stick(frame, number / FPS)
        yield frame.data.tobytes()
        progress(number + 1, count)


def _encode(script: Script) -> Sequence[str]:
    """List arguments for ffmpeg that turn raw frames, `text.ass` and the song into `video.mp4`.

    The length is given with -t: -shortest makes ffmpeg hold a gigabyte. The song is read as what its name says: a
    vendor's file may claim to be a list of others. Paths other than the song's are relative to the folder ffmpeg
    works in, so that no filter has to read a quoted one.
    """
    width, height = script.frame
    begin = ("-ss", f"{script.song_start:.3f}") if script.song_start else ()
    kind = script.song.suffix.removeprefix(".")
    fade_at = max(0.0, script.seconds - SONG_FADE_SECONDS)
    fade = f"afade=t=out:st={fade_at:.3f}:d={SONG_FADE_SECONDS},"
    return (
        *("-f", "rawvideo", "-pixel_format", "yuv420p", "-video_size", f"{width}x{height}"),
        *("-framerate", str(FPS), "-color_range", "tv", "-colorspace", "bt709", "-i", "pipe:0"),
        *(*begin, "-protocol_whitelist", "file"),
        *("-f", kind, "-i", f"file:{script.song.absolute()}"),
        *("-map", "0:v", "-map", "1:a"),
        *("-vf", "ass=text.ass:fontsdir=fonts", "-t", f"{script.seconds:.3f}"),
        *("-c:v", "libx264", "-preset", "ultrafast", "-crf", QUALITY, "-threads", "2"),
        *("-x264-params", X264),
        *("-pix_fmt", "yuv420p", "-color_range", "tv", "-colorspace", "bt709"),
        *("-color_primaries", "bt709", "-color_trc", "bt709"),
        *("-af", f"{fade if script.song_fades else ''}{LIMITER}"),
        *("-c:a", "aac", *CODER, "-b:a", "320k"),
        *("-movflags", "+faststart", "video.mp4"),
    )


def paint(scene: str, take: int, palette: Palette, size: Size, seed: str) -> Fitted:
    """Paint the scene of that name in `size`; every take is another picture, the same for the same seed."""
    chance = np.random.default_rng(random.Random(f"picture {seed} {scene} {take}").getrandbits(64))  # noqa: S311
    moving: tuple[Moving, ...] = ()
    composition = None if scene in PICTURES else compositions.find_scene(scene)
    if composition:
        picture, moving = compositions.compose(composition, take, palette, size, chance)
    else:
        picture = PICTURES[scene](palette, size, chance)
    add_grain(picture, chance)
    return Fitted(picture, Subject(), moving)
