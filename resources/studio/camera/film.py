"""A film from a song, its timeline and pictures: shots, movement, cross-fades, text, and the finished file."""

import shutil
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from PIL import Image

from resources.ffmpeg import find_ffmpeg, run
from resources.studio.camera.fonts import find_font
from resources.studio.camera.frames import Scene, draw_frames
from resources.studio.camera.images import open_image
from resources.studio.camera.palettes import Palette, palette_for
from resources.studio.camera.pictures import canvas_size, caption_shade, fitted
from resources.studio.camera.scenery import SCENES, paint
from resources.studio.camera.shots import FPS, Shot, plan_shots
from resources.studio.camera.subtitles import Layout, Text, document
from resources.studio.camera.thumbnail import take_thumbnail

FRAMES = {"vertical": (1080, 1920), "horizontal": (1920, 1080)}
FADE_SECONDS = 0.5
SONG_FADE_SECONDS = 1.0
# The fastest preset with what shows most put back: smooth gradients (aq, deblock) and smaller files (cabac).
X264 = "cabac=1:8x8dct=1:aq-mode=1:deblock=1,0,0:subme=1"

Progress = Callable[[float], None]


@dataclass(frozen=True)
class Script:
    """Everything a film is made of. `images` are files, in order; without any the studio paints its own.

    The film begins `song_start` seconds into the song; `song_fades` where the song goes on after its end.
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


def film(script: Script, folder: Path, progress: Progress, stop: Event) -> tuple[Path, Path]:
    """Make `video.mp4` and `thumbnail.jpg` in the empty `folder`, and return their paths.

    Raises:
        InvalidInputError: a picture cannot be used.
        ProviderError: ffmpeg or the font is missing, the disk is full, or the rendering failed.
        StoppedError: `stop` was set.
    """
    program, font = find_ffmpeg(), find_font()
    palette = palette_for(script.genre, script.seed)
    (folder / "fonts").mkdir()
    shutil.copyfile(font.path, folder / "fonts" / f"font{font.path.suffix}")
    layout = Layout.of(*script.frame)
    text = document(script.text, font, layout, script.seconds, palette.accent)
    (folder / "text.ass").write_text(text, "utf-8")
    with closing(_frames(script, layout, palette, progress)) as frames:
        run(program, _encoding(script), frames, folder, stop)
    return folder / "video.mp4", take_thumbnail(program, folder, script.seconds, stop)


def shots_of(script: Script) -> tuple[Shot, ...]:
    """The film's shots; there are fewer than images where those do not all fit into its time."""
    moments = [line.start for line in script.text.lines]
    return plan_shots(script.seconds, moments, len(script.images) or len(SCENES), script.seed)


def _frames(
    script: Script, layout: Layout, palette: Palette, progress: Progress
) -> Generator[bytes, None, None]:
    """Every frame of the film as yuv420p."""
    canvas = canvas_size(script.frame)
    scene = Scene(
        shots=shots_of(script),
        seconds=script.seconds,
        frame=script.frame,
        shade=caption_shade(script.frame, layout.caption_middle, layout.caption_size * 3.4),
        painter=lambda number: _picture(script, palette, number, canvas),
    )
    count = round(script.seconds * FPS)
    for number, frame in enumerate(draw_frames(scene), 1):
        yield frame.tobytes()
        progress(number / count)


def _picture(script: Script, palette: Palette, number: int, canvas: tuple[int, int]) -> Image.Image:
    if script.images:
        return fitted(open_image(script.images[number], f"images[{number}]"), canvas)
    return paint(number, palette, canvas, script.seed)


def _encoding(script: Script) -> Sequence[str]:
    """Arguments that turn the frames, the text and the song into the video.

    The length is given with -t: -shortest makes ffmpeg hold a gigabyte. Paths other than the song's are
    relative to the folder ffmpeg works in, so that no filter has to read a quoted one.
    """
    width, height = script.frame
    length = f"{script.seconds:.3f}"
    out = f"fade=t=out:st={script.seconds - FADE_SECONDS:.3f}:d={FADE_SECONDS}"
    return (
        *("-f", "rawvideo", "-pixel_format", "yuv420p", "-video_size", f"{width}x{height}"),
        *("-framerate", str(FPS), "-color_range", "tv", "-colorspace", "bt709", "-i", "pipe:0"),
        *_sound(script),
        *("-map", "0:v", "-map", "1:a"),
        *("-vf", f"ass=text.ass:fontsdir=fonts,fade=t=in:d={FADE_SECONDS},{out}", "-t", length),
        *("-c:v", "libx264", "-preset", "ultrafast", "-crf", "23", "-threads", "2"),
        *("-x264-params", X264),
        *("-pix_fmt", "yuv420p", "-color_range", "tv", "-colorspace", "bt709"),
        *("-color_primaries", "bt709", "-color_trc", "bt709"),
        *(_fade_of_sound(script) if script.song_fades else ()),
        *("-c:a", "aac", "-b:a", "192k", "-movflags", "+faststart", "video.mp4"),
    )


def _sound(script: Script) -> Sequence[str]:
    """Arguments that read the song, as what its name says: a vendor's file may claim to be a list of others."""
    begin = ("-ss", f"{script.song_start:.3f}") if script.song_start else ()
    only = ("-protocol_whitelist", "file", "-f", script.song.suffix.removeprefix("."))
    return (*begin, *only, "-i", f"file:{script.song.absolute()}")


def _fade_of_sound(script: Script) -> Sequence[str]:
    start = max(0.0, script.seconds - SONG_FADE_SECONDS)
    return ("-af", f"afade=t=out:st={start:.3f}:d={SONG_FADE_SECONDS}")
