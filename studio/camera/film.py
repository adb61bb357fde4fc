"""A film from a song, its timeline and pictures: shots, movement, cross-fades, text, and the finished file."""

import shutil
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event

from studio.camera.areas import TextArea
from studio.camera.brand_colours import brand_palette
from studio.camera.casting import cast
from studio.camera.contrast import brightest_ground, deep
from studio.camera.cutting import Rhythm, Section
from studio.camera.emblem import emblem
from studio.camera.encoding import encoding
from studio.camera.fades import fades
from studio.camera.fitting import Fitted, fitted
from studio.camera.fonts import find_font
from studio.camera.frames import Scene, draw_frames
from studio.camera.layout import Layout
from studio.camera.looks import LOOKS
from studio.camera.motion import Subject
from studio.camera.naming import find_words
from studio.camera.palettes import Colour, Palette
from studio.camera.pictures import canvas_size
from studio.camera.scenery import paint
from studio.camera.scouting import Brief, moves_of, scenes_for
from studio.camera.shots import FPS, Shot, plan_shots
from studio.camera.staging import areas, staged
from studio.camera.stickers import Sticker, stick, stickers
from studio.camera.subtitles import document
from studio.camera.text import Text
from studio.ffmpeg import find_ffmpeg, run
from studio.images import open_image
from studio.stills import take_covers

FRAMES = {"vertical": (1080, 1920), "horizontal": (1920, 1080)}

Progress = Callable[[int, int], None]


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

    @property
    def scenes(self) -> tuple[str, ...]:
        """The names of the scenes that are painted for it where it has no images."""
        sung = "\n".join(line.text for line in self.text.lines)
        brief = Brief(self.text.customer_name, self.text.region, self.about, sung)
        return scenes_for(brief, self.genre, self.seed, self.seconds)


def film(script: Script, folder: Path, progress: Progress, stop: Event) -> tuple[Path, Path, Path]:
    """Make `video.mp4`, `thumbnail.jpg` and `cover.jpg` in the empty `folder`, and return their paths.

    `progress` is called with how many frames of how many are done.

    Raises:
        PictureError: a picture cannot be used.
        MissingPartError: `ffmpeg_missing` or `font_missing`.
        TemporaryError: `disk_full`, or ffmpeg did not give a cover in time.
        RenderError: ffmpeg failed, or the film has no frame for a cover.
        StoppedError: `stop` was set.
        OSError: `folder` cannot be written, or the machine has no room for another process.
    """
    program, font = find_ffmpeg(), find_font()
    palette = brand_palette(script.genre, script.seed, script.brand_colours)
    (folder / "fonts").mkdir()
    for path in filter(None, (font.path, font.emoji)):
        shutil.copyfile(path, folder / "fonts" / path.name)
    layout = Layout.of(*script.frame, LOOKS[script.text.caption_style].scale)
    logo = None if script.logo is None else emblem(open_image(script.logo, "logo[0]"))
    said = replace(script.text, logo_shape=logo.shape if logo else None)
    text = document(said, font, layout, script.seconds, palette.accent, palette.button)
    (folder / "text.ass").write_text(text, "utf-8")
    scene = scene_of(script, areas(said, font, layout, script.seconds), palette)
    stuck = stickers(
        staged(said, font, layout, script.seconds), said.contact.link, logo, script.seconds
    )
    with closing(_frames(scene, stuck, progress)) as frames:
        run(program, _encoded(script), frames, folder, stop)
    video = folder / "video.mp4"
    changing = fades(said, font, layout, script.seconds)
    return video, *take_covers(video, script.seconds, folder, changing)


def shots_of(script: Script) -> tuple[Shot, ...]:
    """The film's shots; there are fewer than images where those do not all fit into its time.

    Without images they show what their lines name.
    """
    scenes = () if script.images else script.scenes
    shots = plan_shots(
        script.seconds,
        [line.start for line in script.text.lines],
        len(script.images) or len(scenes),
        script.seed,
        genre=script.genre,
        rhythm=_rhythm(script),
        liked_moves=moves_of(scenes),
        all_shown=bool(script.images),
    )
    if script.images:
        return shots
    return cast(shots, script.text.lines, script.sections, scenes, find_words)


def scene_of(script: Script, written: Sequence[TextArea], palette: Palette) -> Scene:
    """What the film's frames are drawn from."""
    canvas = canvas_size(script.frame)
    return Scene(
        shots=shots_of(script),
        seconds=script.seconds,
        frame=script.frame,
        painter=lambda number: _picture(script, palette, number, canvas),
        areas=written,
        brightest=brightest_ground(palette.accent),
        ink=deep(palette.ground[1]),
    )


def _frames(
    scene: Scene, stuck: Sequence[Sticker], progress: Progress
) -> Generator[bytes, None, None]:
    """Every frame of the film as yuv420p."""
    count = round(scene.seconds * FPS)
    for number, frame in enumerate(draw_frames(scene)):
        stick(frame, stuck, number / FPS)
        yield frame.data.tobytes()
        progress(number + 1, count)


def _rhythm(script: Script) -> Rhythm | None:
    if script.beat_seconds is None:
        return None
    return Rhythm(script.beat_seconds, -script.song_start, script.sections)


def _picture(script: Script, palette: Palette, number: int, canvas: tuple[int, int]) -> Fitted:
    if script.images:
        return fitted(open_image(script.images[number], f"images[{number}]"), canvas, palette)
    scenes = script.scenes
    take, place = divmod(number, len(scenes))
    painted = paint(scenes[place], take, palette, canvas, script.seed)
    return Fitted(painted.picture, Subject(), painted.moving)


def _encoded(script: Script) -> Sequence[str]:
    return encoding(script.frame, script.seconds, script.song, script.song_start, script.song_fades)
