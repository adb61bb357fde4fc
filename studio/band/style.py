"""How the band plays one genre: what a style consists of.

A figure is sixteen characters, one for each sixteenth step of a bar, or a multiple of that for bars in turn;
"." rests. Drums: "X" loud, "x" plain, "-" soft. Chords: a digit is one note of the chord from below (3 the
first one an octave up), "*" all of them, "d" and "u" are strums down and up. Bass: "r" root, "o" its octave,
"t" its third, "f" its fifth, "s" its sixth, "a" a half step before the next bar's root. Where there are four of
something, they belong to the four levels of fullness, from an intro's to a chorus'.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

Figures = tuple[str, str, str, str]
Groove = Mapping[str, str]
Progressions = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Style:
    """How the band plays one genre.

    Progressions hold scale degrees (0 = tonic), one chord for each bar; `colour` holds a chord's steps over its
    root and `colours` those of single degrees, `comping_lengths` how many steps a struck chord sounds. `build`
    is "roll" where a chorus is led to by a snare roll, else "fill". `sounds` names an instrument for each of
    lead, pad, comping and bass, `levels` how loud they and the drums are, `programs` the General MIDI programs
    of melody, lead, pad, comping and bass. `pump` is how far a kick presses the chords down; `drive` plays the
    comping through a guitar amplifier.

    `dominants` are degrees whose minor chord is played in major, `sung` holds the degrees of its melodies, and
    `recited` keeps those of verses within a few notes; `turning` has lines turn around their last note.
    `fullness` holds the levels of sections where they are not the usual ones, `late` how many seconds after its
    step a drum is struck. A `soloing` lead improvises in breaks.
    """

    minor: bool
    verses: Progressions
    choruses: Progressions
    bridges: Progressions
    colour: tuple[int, ...]
    grooves: tuple[Groove, Groove, Groove, Groove]
    bass: Figures
    comping: Figures
    comping_lengths: tuple[int, int, int, int]
    comping_octave: int
    pads: tuple[float, float, float, float]
    pad_octave: int
    fill: Groove
    build: str
    kit: str
    sounds: Mapping[str, str]
    levels: Mapping[str, float]
    programs: Mapping[str, int]
    echo: float
    pump: float = 0.0
    drive: bool = False
    colours: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    dominants: Sequence[int] = ()
    sung: Sequence[int] = range(7)
    recited: bool = False
    fullness: Mapping[str, int] = field(default_factory=dict)
    late: Mapping[str, float] = field(default_factory=dict)
    turning: bool = False
    soloing: bool = False
