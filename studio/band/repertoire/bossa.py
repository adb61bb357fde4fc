"""Bossa nova: a guitar's syncopated chords, the clave on the rim and a shaker. Data only."""

from studio.band.style import Style

BOSSA = Style(
    minor=False,
    verses=((0, 1, 4, 0), (0, 3, 1, 4), (0, 0, 1, 4)),
    choruses=((3, 4, 0, 5), (1, 4, 0, 3), (3, 1, 4, 0)),
    bridges=((5, 1, 4, 4), (3, 3, 1, 4)),
    colour=(0, 2, 6, 8),
    grooves=(
        {"shaker": "x-x-x-x-x-x-x-x-"},
        {"shaker": "x-x-x-x-x-x-x-x-", "rim": "x..x..x...x..x.."},
        {"shaker": "x-x-x-x-x-x-x-x-", "rim": "x..x..x...x..x..", "kick": "x..-x..-x..-x..-"},
        {
            "shaker": "X-x-X-x-X-x-X-x-", "rim": "X..X..X...X..X..", "kick": "x..-x..-x..-x..-",
            "hat": "..x...x...x...x.",
        },
    ),
    bass=("................", "r..rf..fr..rf..f", "r..rf..fr..rf..f", "r..rf..fr..rf..o"),
    comping=("*.*..*..*..*.*..", "*..*..*...*..*..", "*.*..*.*..*..*..", "*.*..*.*..*.*.*."),
    comping_lengths=(3, 3, 3, 3),
    comping_octave=0,
    pads=(0.0, 0.0, 0.4, 0.8),
    pad_octave=12,
    fill={"rim": "x..x..x.x.x.x.x."},
    build="fill",
    kit="soft",
    sounds={"lead": "flute", "pad": "strings", "comping": "music_box", "bass": "round_bass"},
    levels={"lead": 0.30, "pad": 0.07, "comping": 0.20, "bass": 0.36, "drums": 0.44},
    programs={"melody": 53, "lead": 73, "pad": 48, "comping": 24, "bass": 32},
    echo=0.20,
)  # fmt: skip
