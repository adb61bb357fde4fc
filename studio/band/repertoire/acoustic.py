"""Acoustic songs: a steel guitar picked and strummed, a harmonica, and a wooden box for drums. Data only."""

from studio.band.style import Style

ACOUSTIC = Style(
    minor=False,
    verses=((0, 4, 5, 3), (0, 3, 0, 4), (0, 5, 3, 4)),
    choruses=((3, 0, 4, 5), (0, 4, 5, 3), (3, 4, 0, 5)),
    bridges=((5, 3, 4, 4), (1, 3, 5, 4)),
    colour=(0, 2, 4),
    grooves=(
        {},
        {"shaker": "--x---x---x---x-"},
        {"kick": "X.....x.X.......", "snare": "....x.......x...", "shaker": "--x---x---x---x-"},
        {
            "kick": "X.....x.X.x.....", "snare": "....X.......X...", "rim": ".......-.......-",
            "shaker": "-.x.-.x.-.x.-.x.", "tambourine": "....x.......x...",
        },
    ),
    bass=("................", "r.......r.......", "r.......r.......", "r.....r.r.....f."),
    comping=(
        "0.2.3.2.1.2.3.2.", "0.2.3.2.1.2.3.2.", "d...d.u...u.d.u.", "d...d.u.d.u.d.uu",
    ),
    comping_lengths=(7, 7, 4, 4),
    comping_octave=0,
    pads=(0.0, 0.0, 0.2, 0.5),
    pad_octave=0,
    fill={"snare": "........x.x.x.xx", "shaker": "........-.x.-.x."},
    build="fill",
    kit="box",
    sounds={"lead": "harmonica", "pad": "nylon_guitar", "comping": "steel_guitar", "bass": "upright_bass"},
    levels={"lead": 0.56, "pad": 0.16, "comping": 0.22, "bass": 0.28, "drums": 0.85},
    programs={"melody": 53, "lead": 22, "pad": 24, "comping": 25, "bass": 32},
    echo=0.14,
)  # fmt: skip
