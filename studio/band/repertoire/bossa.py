"""Bossa nova: a nylon guitar's syncopated chords, the clave on the rim and a shaker. Data only."""

from studio.band.style import Style

BOSSA = Style(
    minor=False,
    verses=((0, 1, 4, 0), (0, 3, 1, 4), (0, 0, 1, 4)),
    choruses=((3, 4, 0, 5), (1, 4, 0, 3), (3, 1, 4, 0)),
    bridges=((5, 1, 4, 4), (3, 3, 1, 4)),
    colour=(2, 4, 6, 8),
    dominants=(5,),
    colours={0: (2, 4, 5, 8), 3: (2, 4, 5, 8)},
    grooves=(
        {"shaker": "--x---x---x---x-"},
        {"shaker": "x-x-x-x-x-x-x-x-", "rim": "x..x..x...x..x..", "kick": "-..--..--..--..-"},
        {"shaker": "x-x-x-x-x-x-x-x-", "rim": "x..x..x...x..x..", "kick": "x..-x..-x..-x..-"},
        {
            "shaker": "X-x-X-x-X-x-X-x-", "rim": "X..X..X...X..X..", "kick": "x..-x..-x..-x..-",
            "hat": "..x...x...x...x.",
        },
    ),
    bass=("................", "r..rf..fr..rf..f", "r..rf..fr..rf..f", "r..rf..fr..rf..a"),
    comping=(
        "*.*..*..*..*.*..", "*..*..*...*..*..", "*.*..*.*..*..*..",
        "*.*..*.*.*.*..*." "..*..*.*.*.*..*.",
    ),
    comping_lengths=(3, 3, 3, 3),
    comping_octave=0,
    pads=(0.0, 0.0, 0.3, 0.8),
    pad_octave=12,
    fill={"rim": "x..x..x.x.x.x.x.", "shaker": "x-x-x-x-x-x-x-x-"},
    build="fill",
    kit="samba",
    sounds={"lead": "saxophone", "pad": "strings", "comping": "nylon_guitar", "bass": "upright_bass"},
    levels={"lead": 0.42, "pad": 0.06, "comping": 0.24, "bass": 0.34, "drums": 0.95},
    programs={"melody": 53, "lead": 66, "pad": 48, "comping": 24, "bass": 32},
    echo=0.18,
)  # fmt: skip
