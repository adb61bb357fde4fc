"""Trot: a two-beat bass, chords between its beats and strings. Data only."""

from studio.band.style import Style

TROT = Style(
    minor=True,
    verses=((0, 0, 3, 4), (0, 3, 4, 0), (0, 5, 3, 4)),
    choruses=((0, 3, 4, 0), (3, 0, 4, 0), (5, 3, 4, 0)),
    bridges=((3, 3, 0, 4), (5, 5, 3, 4)),
    colour=(0, 2, 4),
    grooves=(
        {"kick": "X.......x.......", "hat": "....x.......x...", "snare": "....-.......-.-."},
        {"kick": "X.......X.......", "snare": "....x.......x...", "hat": "x.-.x.-.x.-.x.-."},
        {"kick": "X.......X.......", "snare": "....x..-....x.--", "hat": "x.-.x.-.x.-.x.-."},
        {
            "kick": "X.......X.......", "snare": "....X..x....X.xx", "hat": "x.-.x.-.x.-.x.-.",
            "open": "......x.......x.", "tambourine": "..x...x...x...x.",
        },
    ),
    bass=("r.......f.......", "r.......f.......", "r.......f.......", "r.......f...r.f."),
    comping=("....*.......*...", "....*.......*...", "....*.*.....*.*.", "....*.*.....*.**"),
    comping_lengths=(1, 1, 1, 1),
    comping_octave=12,
    pads=(0.8, 0.3, 0.6, 1.0),
    pad_octave=12,
    fill={"snare": "........x.xxx.xx", "tom": "............x.x.", "low_tom": "..............x."},
    build="fill",
    kit="live",
    sounds={"lead": "organ", "pad": "strings", "comping": "guitar", "bass": "finger_bass"},
    levels={"lead": 0.34, "pad": 0.11, "comping": 0.30, "bass": 0.36, "drums": 0.46},
    programs={"melody": 53, "lead": 21, "pad": 48, "comping": 27, "bass": 33},
    echo=0.20,
)  # fmt: skip
