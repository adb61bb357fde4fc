"""Ballads: a piano in broken chords, strings and brushes of a soft kit. Data only."""

from studio.band.style import Style

BALLAD = Style(
    minor=False,
    verses=((0, 2, 3, 4), (0, 5, 1, 4), (0, 4, 5, 3)),
    choruses=((3, 4, 2, 5), (3, 4, 0, 5), (0, 4, 5, 3)),
    bridges=((5, 1, 3, 4), (1, 4, 2, 5)),
    colour=(0, 2, 4, 6),
    grooves=(
        {},
        {"shaker": "....-.......-..."},
        {"kick": "X.........x.....", "rim": "....x.......x...", "hat": "x...-...x...-..."},
        {
            "kick": "X.......x.x.....", "snare": "....x.......x...", "hat": "x.-.x.-.x.-.x.-.",
            "shaker": "--x---x---x---x-",
        },
    ),
    bass=("................", "r...............", "r.......r.....f.", "r.....r.r.....f."),
    comping=("0.1.2.3.2.1.2.1.", "0.1.2.3.2.1.2.1.", "0.1.2.3.2.3.2.1.", "*.1.2.3.*.1.2.3."),
    comping_lengths=(6, 6, 6, 6),
    comping_octave=0,
    pads=(0.0, 0.35, 0.7, 1.0),
    pad_octave=12,
    fill={"tom": "............-.x.", "low_tom": "..............-x"},
    build="fill",
    kit="soft",
    sounds={"lead": "flute", "pad": "strings", "comping": "piano", "bass": "round_bass"},
    levels={"lead": 0.30, "pad": 0.11, "comping": 0.24, "bass": 0.34, "drums": 0.42},
    programs={"melody": 53, "lead": 73, "pad": 48, "comping": 0, "bass": 32},
    echo=0.30,
)  # fmt: skip
