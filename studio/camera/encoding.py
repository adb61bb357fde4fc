"""How frames, text and a song become the file that phones play: the arguments of ffmpeg. Pure."""

from collections.abc import Sequence
from pathlib import Path

from studio.camera.shots import FPS

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


def encoding(
    frame: tuple[int, int], seconds: float, song: Path, song_start: float, song_fades: bool
) -> Sequence[str]:
    """Arguments that turn raw frames of that size, `text.ass` and the song into `video.mp4`.

    The song begins at `song_start` and fades at the film's end where the song is longer. The length is given with
    -t: -shortest makes ffmpeg hold a gigabyte. Paths other than the song's are relative to the folder ffmpeg works
    in, so that no filter has to read a quoted one.
    """
    fade = (_fade(seconds),) if song_fades else ()
    return (
        *("-f", "rawvideo", "-pixel_format", "yuv420p", "-video_size", f"{frame[0]}x{frame[1]}"),
        *("-framerate", str(FPS), "-color_range", "tv", "-colorspace", "bt709", "-i", "pipe:0"),
        *_sound(song, song_start),
        *("-map", "0:v", "-map", "1:a"),
        *("-vf", "ass=text.ass:fontsdir=fonts", "-t", f"{seconds:.3f}"),
        *("-c:v", "libx264", "-preset", "ultrafast", "-crf", QUALITY, "-threads", "2"),
        *("-x264-params", X264),
        *("-pix_fmt", "yuv420p", "-color_range", "tv", "-colorspace", "bt709"),
        *("-color_primaries", "bt709", "-color_trc", "bt709"),
        *("-af", ",".join((*fade, LIMITER)), "-c:a", "aac", *CODER, "-b:a", "320k"),
        *("-movflags", "+faststart", "video.mp4"),
    )


def _sound(song: Path, start: float) -> Sequence[str]:
    """Arguments that read the song, as what its name says: a vendor's file may claim to be a list of others."""
    begin = ("-ss", f"{start:.3f}") if start else ()
    only = ("-protocol_whitelist", "file", "-f", song.suffix.removeprefix("."))
    return (*begin, *only, "-i", f"file:{song.absolute()}")


def _fade(seconds: float) -> str:
    start = max(0.0, seconds - SONG_FADE_SECONDS)
    return f"afade=t=out:st={start:.3f}:d={SONG_FADE_SECONDS}"
