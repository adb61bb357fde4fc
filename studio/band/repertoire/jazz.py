"""Swing: a walking bass, a ride cymbal, and ninth chords off the beat. Data only."""

from studio.band.style import Style

JAZZ = Style(
    minor=False,
    verses=((1, 4, 0, 5), (0, 5, 1, 4), (0, 3, 1, 4)),
    choruses=((1, 4, 0, 0), (3, 1, 4, 0), (1, 4, 5, 1)),
    bridges=((5, 1, 4, 0), (3, 3, 1, 4)),
    colour=(2, 4, 6, 8),
    colours={0: (2, 4, 5, 8), 3: (2, 4, 5, 8)},
    fullness={"break": 2},
    dominants=(5,),
    soloing=True,
    grooves=(
        {"hat": "....x.......x..."},
        {"hat": "....x.......x...", "sweep": "x...x...x...x...", "ride": "-...-.....-....."},
        {
            "ride": "x...x.x.x...x.x.", "hat": "....x.......x...", "kick": "-...-...-...-...",
            "snare": "......-.......-." "..-...........-.",
        },
        {
            "ride": "x...X.x.x...X.x.", "hat": "....x.......x...", "kick": "-...-...-...-.x.",
            "snare": "......x...-....." "..x.....-.....x.",
        },
    ),
    bass=(
        "................", "r.......f.......",
        "r...t...f...a..." "r...f...t...a...", "r...t...f...a..." "r...s...f...a...",
    ),
    comping=(
        "*...............", "*.....*........." "......*.........",
        "......*.......*." "..*...........*.", "..*...*.......*." "*.....*...*.....",
    ),
    comping_lengths=(12, 3, 2, 4),
    comping_octave=0,
    pads=(0.0, 0.0, 0.0, 0.5),
    pad_octave=0,
    fill={"snare": "........x.x.x.x.", "tom": "............x...", "ride": "........x...x.x."},
    build="fill",
    kit="brushes",
    sounds={"lead": "muted_trumpet", "pad": "saxophone", "comping": "piano", "bass": "upright_bass"},
    levels={"lead": 0.84, "pad": 0.05, "comping": 0.30, "bass": 0.28, "drums": 0.90},
    programs={"melody": 53, "lead": 59, "pad": 66, "comping": 0, "bass": 32},
    echo=0.14,
)  # fmt: skip
