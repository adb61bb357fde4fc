"""Swing: a walking bass, a ride cymbal and ninth chords off the beat. Data only."""

from studio.band.style import Style

JAZZ = Style(
    minor=False,
    verses=((1, 4, 0, 5), (0, 5, 1, 4), (0, 3, 1, 4)),
    choruses=((1, 4, 0, 0), (3, 1, 4, 0), (1, 4, 5, 1)),
    bridges=((5, 1, 4, 0), (3, 3, 1, 4)),
    colour=(2, 4, 6, 8),
    grooves=(
        {"hat": "....x.......x..."},
        {"hat": "....x.......x...", "shaker": "x...x.-.x...x.-."},
        {"hat": "x...x.x.x...x.x.", "rim": "....-.......-...", "kick": "-...-...-...-..."},
        {"hat": "X...X.x.X...X.x.", "snare": "......-......-..", "kick": "-...-...-...x.x."},
    ),
    bass=("................", "r.......f.......", "r...f...o...f...", "r...f...o...f..."),
    comping=("*...............", "*.....*.........", "......*.......*.", "..*...*.....*.*."),
    comping_lengths=(10, 3, 2, 3),
    comping_octave=0,
    pads=(0.0, 0.0, 0.0, 0.0),
    pad_octave=0,
    fill={"snare": "..........x.-.x."},
    build="fill",
    kit="soft",
    sounds={"lead": "flute", "pad": "warm", "comping": "piano", "bass": "round_bass"},
    levels={"lead": 0.34, "pad": 0.10, "comping": 0.26, "bass": 0.42, "drums": 0.40},
    programs={"melody": 53, "lead": 59, "pad": 61, "comping": 0, "bass": 32},
    echo=0.16,
)  # fmt: skip
