"""A score as a standard MIDI file. Pure.

Source: MIDI 1.0 specification, "Standard MIDI Files 1.0" (RP-001), and the General MIDI drum map.
"""

import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence

from studio.band.notes import Hit, Note
from studio.band.score import Score
from studio.form import BEATS_PER_BAR, Grid
from studio.timeline import Line

TICKS_PER_BEAT = 480
DRUM_CHANNEL = 9
HIT_SECONDS = 0.1
STRONGEST = 127
TEMPO, TRACK_NAME, LYRIC, METER, END = 0x51, 0x03, 0x05, 0x58, 0x2F
DRUM_NOTES = {
    "kick": 36, "boom": 35, "snare": 38, "clap": 39, "rim": 37, "hat": 42, "open": 46, "crash": 49,
    "shaker": 82, "tambourine": 54, "tom": 47, "low_tom": 43,
}  # fmt: skip
"""The drums that General MIDI has; the others are left out."""

Event = tuple[float, int, bytes]
"""What happens at a moment in seconds; of what happens at once the lower rank comes first."""
RELEASED, SAID, STRUCK = 0, 1, 2


def midi_file(
    score: Score, grid: Grid, programs: Mapping[str, int], lines: Sequence[Line] = ()
) -> bytes:
    """A file of type 1: a tempo track, then one named track for every part, drums on channel 10.

    `programs` are the General MIDI programs of melody, lead, pad, comping and bass. With the lines, the melody has
    a lyric event for every chunk. Times are right within half a tick.
    """
    parts = {
        "melody": score.melody,
        "lead": score.lead,
        "pad": score.chords,
        "comping": score.comping,
        "bass": score.bass,
    }
    tracks = [_track(_opening(grid), grid)]
    for channel, (name, notes) in enumerate(parts.items()):
        events = [_meta(0.0, TRACK_NAME, name.encode())]
        events.append((0.0, SAID, bytes([0xC0 | channel, programs[name]])))
        events += _said(lines) if name == "melody" else ()
        tracks.append(_track([*events, *_played(notes, channel)], grid))
    drums = [_meta(0.0, TRACK_NAME, b"drums"), *_played(_struck(score.drums), DRUM_CHANNEL)]
    tracks.append(_track(drums, grid))
    header = struct.pack(">4sIHHH", b"MThd", 6, 1, len(tracks), TICKS_PER_BEAT)
    return header + b"".join(tracks)


def _opening(grid: Grid) -> list[Event]:
    return [
        _meta(0.0, TRACK_NAME, b"tempo"),
        _meta(0.0, METER, bytes([BEATS_PER_BAR, 2, 24, 8])),
        _meta(0.0, TEMPO, round(grid.beat * 1_000_000).to_bytes(3, "big")),
    ]


def _said(lines: Iterable[Line]) -> Iterator[Event]:
    for line in lines:
        for moment, chunk in zip(line.starts(), line.chunks, strict=True):
            yield _meta(moment, LYRIC, chunk.text.encode(errors="replace"))


def _struck(hits: Iterable[Hit]) -> Iterator[Note]:
    for hit in hits:
        if hit.drum in DRUM_NOTES:
            yield Note(hit.start, HIT_SECONDS, DRUM_NOTES[hit.drum], hit.strength)


def _played(notes: Iterable[Note], channel: int) -> Iterator[Event]:
    for note in notes:
        strength = max(1, min(STRONGEST, round(note.strength * STRONGEST)))
        yield note.start, STRUCK, bytes([0x90 | channel, note.pitch, strength])
        yield note.start + note.seconds, RELEASED, bytes([0x80 | channel, note.pitch, 0])


def _meta(moment: float, kind: int, data: bytes) -> Event:
    return moment, SAID, bytes([0xFF, kind]) + _variable(len(data)) + data


def _track(events: Iterable[Event], grid: Grid) -> bytes:
    """The events in order, each after the ticks since the one before."""
    timed = [(round(at / grid.beat * TICKS_PER_BEAT), rank, data) for at, rank, data in events]
    body, now = bytearray(), 0
    for tick, _, data in sorted(timed, key=lambda event: event[:2]):
        body += _variable(tick - now) + data
        now = tick
    body += _variable(0) + bytes([0xFF, END, 0])
    return struct.pack(">4sI", b"MTrk", len(body)) + bytes(body)


def _variable(number: int) -> bytes:
    """A number in groups of seven bits, the highest first; all but the last are marked."""
    groups = [number & 0x7F]
    while number := number >> 7:
        groups.append(0x80 | number & 0x7F)
    return bytes(reversed(groups))
