"""Trot: a two-beat bass with chords between its beats, strings and an accordion. Data only."""

from studio.band.style import Style

TROT = Style(
    minor=True,
    dominants=(4,),
    sung=(0, 1, 2, 4, 5),
    turning=True,
    verses=((0, 0, 3, 4), (0, 3, 4, 0), (0, 5, 3, 4)),
    choruses=((0, 3, 4, 0), (3, 0, 4, 0), (5, 3, 4, 0)),
    bridges=((3, 3, 0, 4), (5, 5, 3, 4)),
    colour=(0, 2, 4),
    fullness={"intro": 2, "break": 2},
    grooves=(
        {"kick": "X.......X.......", "snare": "....x.......x...", "hat": "-.-.-.-.-.-.-.-."},
        {"kick": "X.......X.......", "snare": "....x.......x.-.", "hat": "-.-.-.-.-.-.-.-."},
        {
            "kick": "X.......X.......", "snare": "....X..-....X.--", "hat": "-.x.-.x.-.x.-.x.",
            "tambourine": "..x...x...x...x.",
        },
        {
            "kick": "X.......X.......", "snare": "....X..x....X.xx", "hat": "-.x.-.x.-.x.-.x.",
            "open": "......x.......x.", "tambourine": "..x...x...x...x.",
        },
    ),
    bass=(
        "r.......f.......", "r.......f.......", "r.......f.....f." "r.......f...t.a.",
        "r.....r.f.....f." "r.....r.f...t.a.",
    ),
    comping=("....*.......*...", "....*.......*...", "....*.*.....*.*.", "..*.*.*...*.*.**"),
    comping_lengths=(1, 1, 1, 1),
    comping_octave=12,
    pads=(0.5, 0.3, 0.7, 1.0),
    pad_octave=12,
    fill={"snare": "........x.xxx.xx", "tom": "............x.x.", "kick": "........X......."},
    build="fill",
    kit="live",
    sounds={"lead": "accordion", "pad": "strings", "comping": "steel_guitar", "bass": "finger_bass"},
    levels={"lead": 0.56, "pad": 0.11, "comping": 0.34, "bass": 0.30, "drums": 0.42},
    programs={"melody": 53, "lead": 21, "pad": 48, "comping": 27, "bass": 33},
    echo=0.22,
)  # fmt: skip
