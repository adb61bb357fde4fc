"""Rock: power chords through an amplifier and a live kit. Data only."""

from studio.band.style import Style

ROCK = Style(
    minor=False,
    verses=((0, 4, 5, 3), (0, 3, 0, 4), (5, 3, 0, 4)),
    choruses=((0, 4, 5, 3), (3, 4, 0, 5), (0, 3, 5, 4)),
    bridges=((5, 4, 3, 4), (3, 5, 4, 4)),
    colour=(0, 4),
    grooves=(
        {"hat": "x...x...x...x...", "kick": "X.......x......."},
        {"kick": "X......xX.x.....", "snare": "....X.......X...", "hat": "x.x.x.x.x.x.x.x."},
        {"kick": "X..x...xX.x.....", "snare": "....X.......X..-", "hat": "x.x.x.x.x.x.x.x."},
        {"kick": "X..x...xX.x.....", "snare": "....X.......X...", "open": "x...x...x...x..."},
    ),
    bass=("r...............", "r.r.r.r.r.r.r.r.", "r.r.r.r.r.r.r.f.", "r.r.r.r.r.r.o.f."),
    comping=("*...............", "*.*.*.*.*.*.*.*.", "*.*.*.*.*.*.*.*.", "*.....*.*...*.*."),
    comping_lengths=(12, 2, 2, 7),
    comping_octave=-12,
    pads=(0.0, 0.0, 0.4, 1.0),
    pad_octave=0,
    fill={"snare": "x.xxx...........", "tom": "......xxx.x.....", "low_tom": "..........xxX.XX"},
    build="fill",
    kit="live",
    sounds={"lead": "lead_guitar", "pad": "organ", "comping": "guitar", "bass": "pick_bass"},
    levels={"lead": 0.42, "pad": 0.09, "comping": 0.16, "bass": 0.42, "drums": 0.74},
    programs={"melody": 53, "lead": 29, "pad": 18, "comping": 30, "bass": 34},
    echo=0.10,
    drive=True,
)  # fmt: skip
