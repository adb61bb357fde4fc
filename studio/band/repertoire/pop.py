"""Pop: syncopated chords, claps and a tight kit. Data only."""

from studio.band.style import Style

POP = Style(
    minor=False,
    verses=((0, 5, 3, 4), (0, 4, 5, 3), (5, 3, 0, 4)),
    choruses=((3, 4, 2, 5), (0, 4, 5, 3), (3, 0, 4, 5)),
    bridges=((1, 2, 3, 4), (5, 2, 3, 4)),
    colour=(0, 2, 4),
    grooves=(
        {"hat": "x...-...x...-...", "rim": "............x..."},
        {"kick": "X.....x.X.......", "rim": "....x.......x...", "hat": "x.-.x.-.x.-.x.-."},
        {"kick": "X.....x.X.......", "snare": "....X.......X...", "hat": "x.-.x.-.x.-.x.--"},
        {
            "kick": "X.....x.X.x.....", "snare": "....X.......X...", "clap": "....x.......x...",
            "hat": "x.x.x.x.x.x.x...", "open": "..............x.", "tambourine": "-.x.-.x.-.x.-.x.",
        },
    ),
    bass=("................", "r.......r.....f.", "r..r..r.r.....f.", "r..r..r.r..r.of."),
    comping=("0.2.1.2.3.2.1.2.", "*.....*...*.....", "*.....*...*..*..", "*..*..*...*.*.*."),
    comping_lengths=(3, 3, 3, 3),
    comping_octave=12,
    pads=(0.7, 0.0, 0.5, 1.0),
    pad_octave=0,
    fill={"snare": "........x.x.xxXX", "tom": "............x.x.", "low_tom": "..............x."},
    build="fill",
    kit="tight",
    sounds={"lead": "bell", "pad": "warm", "comping": "electric_piano", "bass": "finger_bass"},
    levels={"lead": 0.32, "pad": 0.20, "comping": 0.22, "bass": 0.30, "drums": 0.50},
    programs={"melody": 53, "lead": 11, "pad": 89, "comping": 4, "bass": 33},
    echo=0.18,
    pump=0.25,
)  # fmt: skip
