"""Ambient music: slow clouds, glass and a music box. Data only."""

from studio.band.style import Style

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
