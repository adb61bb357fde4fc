"""Acoustic songs: a steel guitar picked and strummed, and a wooden box for drums. Data only."""

from studio.band.style import Style

ACOUSTIC = Style(
    minor=False,
    verses=((0, 4, 5, 3), (0, 3, 0, 4), (0, 5, 3, 4)),
    choruses=((3, 0, 4, 5), (0, 4, 5, 3), (3, 4, 0, 5)),
    bridges=((5, 3, 4, 4), (1, 3, 5, 4)),
    colour=(0, 2, 4),
    grooves=(
        {},
        {"shaker": "x.-.x.-.x.-.x.-."},
        {"kick": "X.....x.X.......", "rim": "....x.......x...", "shaker": "x.-.x.-.x.-.x.-."},
        {"kick": "X.....x.X.x.....", "rim": "....X..-....X.-.", "shaker": "x.-.x.-.x.-.x.--"},
    ),
    bass=("................", "r...............", "r.......r.......", "r.....r.r...f..."),
    comping=("0.2.3.2.1.2.3.2.", "0.2.3.2.1.2.3.2.", "*...*.*...*.*.*.", "*...*.*...*.*.**"),
    comping_lengths=(6, 6, 4, 4),
    comping_octave=0,
    pads=(0.0, 0.0, 0.0, 0.4),
    pad_octave=12,
    fill={"rim": "........x.x.x.xx"},
    build="fill",
    kit="soft",
    sounds={"lead": "flute", "pad": "strings", "comping": "guitar", "bass": "round_bass"},
    levels={"lead": 0.26, "pad": 0.06, "comping": 0.34, "bass": 0.30, "drums": 0.40},
    programs={"melody": 53, "lead": 22, "pad": 48, "comping": 25, "bass": 32},
    echo=0.16,
)  # fmt: skip
