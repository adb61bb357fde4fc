"""Dance music: four to the floor, chords that the kick presses down, and a drop. Data only."""

from studio.band.style import Style

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
