"""What the band plays in every genre. Data only.

A figure is sixteen characters, one for each sixteenth step of a bar. Drums: "X" loud, "x" plain, "-" soft. Chords:
a digit is one note of the chord from below (3 the first one an octave up), "*" all of them. Bass: "r" root,
"o" its octave, "f" its fifth. "." rests. Where there are four of something, they belong to the four levels of
fullness, from an intro's to a chorus'.
"""

from collections.abc import Mapping
from dataclasses import dataclass

Figures = tuple[str, str, str, str]
Groove = Mapping[str, str]
Progressions = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Style:
    """How the band plays one genre.

    Progressions hold scale degrees (0 = tonic), one chord for each bar; `colour` holds a chord's steps over its
    root, `comping_lengths` how many steps a struck chord sounds. `build` is "roll" where a chorus is led to by a
    snare roll, else "fill". `sounds` names an instrument for each of lead, pad, comping and bass, `levels` how
    loud they and the drums are, `programs` the General MIDI programs of melody, lead, pad, comping and bass.
    `pump` is how far a kick presses the chords down; `drive` plays the comping through a guitar amplifier.
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


POP = Style(
    minor=False,
    verses=((0, 5, 3, 4), (0, 4, 5, 3), (5, 3, 0, 4)),
    choruses=((3, 4, 2, 5), (0, 4, 5, 3), (3, 0, 4, 5)),
    bridges=((1, 2, 3, 4), (5, 2, 3, 4)),
    colour=(0, 2, 4),
    grooves=(
        {"hat": "x...-...x...-...", "rim": "............x..."},
        {"kick": "X.....x.X.......", "rim": "....x.......x...", "hat": "x.-.x.-.x.-.x.-."},
        {"kick": "X.....x.X.......", "snare": "....X.......X...", "hat": "x.-.x.-.x.-.x.--"},
        {
            "kick": "X.....x.X.x.....", "snare": "....X.......X...", "clap": "....x.......x...",
            "hat": "x.x.x.x.x.x.x...", "open": "..............x.", "tambourine": "-.x.-.x.-.x.-.x.",
        },
    ),
    bass=("................", "r.......r.....f.", "r..r..r.r.....f.", "r..r..r.r..r.of."),
    comping=("0.2.1.2.3.2.1.2.", "*.....*...*.....", "*.....*...*..*..", "*..*..*...*.*.*."),
    comping_lengths=(3, 3, 3, 3),
    comping_octave=12,
    pads=(0.7, 0.0, 0.5, 1.0),
    pad_octave=0,
    fill={"snare": "........x.x.xxXX", "tom": "............x.x.", "low_tom": "..............x."},
    build="fill",
    kit="tight",
    sounds={"lead": "bell", "pad": "warm", "comping": "electric_piano", "bass": "finger_bass"},
    levels={"lead": 0.32, "pad": 0.20, "comping": 0.22, "bass": 0.30, "drums": 0.50},
    programs={"melody": 53, "lead": 11, "pad": 89, "comping": 4, "bass": 33},
    echo=0.18,
    pump=0.25,
)  # fmt: skip
BALLAD = Style(
    minor=False,
    verses=((0, 2, 3, 4), (0, 5, 1, 4), (0, 4, 5, 3)),
    choruses=((3, 4, 2, 5), (3, 4, 0, 5), (0, 4, 5, 3)),
    bridges=((5, 1, 3, 4), (1, 4, 2, 5)),
    colour=(0, 2, 4, 6),
    grooves=(
        {},
        {"shaker": "....-.......-..."},
        {"kick": "X.........x.....", "rim": "....x.......x...", "hat": "x...-...x...-..."},
        {
            "kick": "X.......x.x.....", "snare": "....x.......x...", "hat": "x.-.x.-.x.-.x.-.",
            "shaker": "--x---x---x---x-",
        },
    ),
    bass=("................", "r...............", "r.......r.....f.", "r.....r.r.....f."),
    comping=("0.1.2.3.2.1.2.1.", "0.1.2.3.2.1.2.1.", "0.1.2.3.2.3.2.1.", "*.1.2.3.*.1.2.3."),
    comping_lengths=(6, 6, 6, 6),
    comping_octave=0,
    pads=(0.0, 0.35, 0.7, 1.0),
    pad_octave=12,
    fill={"tom": "............-.x.", "low_tom": "..............-x"},
    build="fill",
    kit="soft",
    sounds={"lead": "flute", "pad": "strings", "comping": "piano", "bass": "round_bass"},
    levels={"lead": 0.30, "pad": 0.11, "comping": 0.24, "bass": 0.34, "drums": 0.42},
    programs={"melody": 53, "lead": 73, "pad": 48, "comping": 0, "bass": 32},
    echo=0.30,
)  # fmt: skip
EDM = Style(
    minor=True,
    verses=((0, 5, 2, 6), (0, 3, 5, 6)),
    choruses=((5, 6, 0, 2), (0, 5, 2, 6), (5, 2, 0, 6)),
    bridges=((3, 5, 0, 6), (5, 3, 6, 0)),
    colour=(0, 2, 4),
    grooves=(
        {"hat": "..x...x...x...x."},
        {"kick": "X...X...X...X...", "hat": "..x...x...x...x.", "rim": "......x.......x."},
        {"kick": "X...X...X...X...", "clap": "....x.......x...", "hat": "--x---x---x---x-"},
        {
            "kick": "X...X...X...X...", "clap": "....X.......X...", "open": "..x...x...x...x.",
            "hat": "x-x-x-x-x-x-x-x-",
        },
    ),
    bass=("................", "r.......r.......", "..r...r...r...r.", "..rr..rr..rr..or"),
    comping=("0.1.2.3.0.1.2.3.", "0..1..2.0..1..2.", "*..*..*...*..*..", "*..*..*..*..*.*."),
    comping_lengths=(2, 2, 2, 2),
    comping_octave=12,
    pads=(0.8, 0.45, 0.6, 1.0),
    pad_octave=0,
    fill={"snare": "........-.-.x.xx"},
    build="roll",
    kit="club",
    sounds={"lead": "saw", "pad": "super_saw", "comping": "pluck_synth", "bass": "saw_bass"},
    levels={"lead": 0.55, "pad": 0.34, "comping": 0.80, "bass": 0.26, "drums": 0.46},
    programs={"melody": 53, "lead": 81, "pad": 90, "comping": 80, "bass": 38},
    echo=0.22,
    pump=0.75,
)  # fmt: skip
ROCK = Style(
    minor=False,
    verses=((0, 4, 5, 3), (0, 3, 0, 4), (5, 3, 0, 4)),
    choruses=((0, 4, 5, 3), (3, 4, 0, 5), (0, 3, 5, 4)),
    bridges=((5, 4, 3, 4), (3, 5, 4, 4)),
    colour=(0, 4),
    grooves=(
        {"hat": "x...x...x...x...", "kick": "X.......x......."},
        {"kick": "X......xX.x.....", "snare": "....X.......X...", "hat": "x.x.x.x.x.x.x.x."},
        {"kick": "X..x...xX.x.....", "snare": "....X.......X..-", "hat": "x.x.x.x.x.x.x.x."},
        {"kick": "X..x...xX.x.....", "snare": "....X.......X...", "open": "x...x...x...x..."},
    ),
    bass=("r...............", "r.r.r.r.r.r.r.r.", "r.r.r.r.r.r.r.f.", "r.r.r.r.r.r.o.f."),
    comping=("*...............", "*.*.*.*.*.*.*.*.", "*.*.*.*.*.*.*.*.", "*.....*.*...*.*."),
    comping_lengths=(12, 2, 2, 7),
    comping_octave=-12,
    pads=(0.0, 0.0, 0.4, 1.0),
    pad_octave=0,
    fill={"snare": "x.xxx...........", "tom": "......xxx.x.....", "low_tom": "..........xxX.XX"},
    build="fill",
    kit="live",
    sounds={"lead": "lead_guitar", "pad": "organ", "comping": "guitar", "bass": "pick_bass"},
    levels={"lead": 0.42, "pad": 0.09, "comping": 0.16, "bass": 0.42, "drums": 0.74},
    programs={"melody": 53, "lead": 29, "pad": 18, "comping": 30, "bass": 34},
    echo=0.10,
    drive=True,
)  # fmt: skip
AMBIENT = Style(
    minor=False,
    verses=((0, 2, 5, 3), (3, 0, 4, 5)),
    choruses=((3, 4, 5, 0), (0, 5, 3, 2)),
    bridges=((1, 3, 5, 3), (5, 1, 3, 0)),
    colour=(0, 2, 4, 8),
    grooves=(
        {},
        {"shaker": "..-...-...-...-."},
        {"kick": "x...............", "shaker": "..x...-...x...-."},
        {"kick": "X.........x.....", "rim": "........x.......", "shaker": "..x.-.x...x.-.x."},
    ),
    bass=("................", "r...............", "r...............", "r.........f....."),
    comping=("0.....2.....3...", "0...2...3.....1.", "0...2...3...1...", "0.2.3.1.0.2.3.1."),
    comping_lengths=(8, 8, 8, 8),
    comping_octave=12,
    pads=(1.0, 0.9, 0.9, 1.0),
    pad_octave=0,
    fill={"shaker": "--------xxxxxxxx"},
    build="fill",
    kit="soft",
    sounds={"lead": "glass", "pad": "wide_pad", "comping": "music_box", "bass": "sub_bass"},
    levels={"lead": 0.20, "pad": 0.15, "comping": 0.16, "bass": 0.24, "drums": 0.40},
    programs={"melody": 53, "lead": 92, "pad": 91, "comping": 10, "bass": 39},
    echo=0.45,
)  # fmt: skip

STYLES = {"pop": POP, "ballad": BALLAD, "edm": EDM, "rock": ROCK, "ambient": AMBIENT}
