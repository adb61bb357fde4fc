"""Hip hop: kick and snare first, a low bass, and an old piano's stabs over two chords. Data only."""

from studio.band.style import Style

HIPHOP = Style(
    minor=True,
    recited=True,
    verses=((0, 5), (0, 3), (0, 0, 5, 4)),
    choruses=((0, 5), (5, 0), (0, 3)),
    bridges=((3, 4), (5, 4)),
    colour=(0, 2, 4, 6),
    late={"snare": 0.018, "clap": 0.018},
    grooves=(
        {"crackle": "x...............", "hat": "x.x.x.x.x.x.x.x."},
        {
            "crackle": "x...............", "kick": "X..x......X....." "X......x..X.....",
            "snare": "....X.......X...", "hat": "x.x.x.x.x.x.x.x-",
        },
        {
            "crackle": "x...............", "kick": "X..x......X..x.." "X......x..X.....",
            "snare": "....X.......X..-", "hat": "x.x-x.x.x.x-x.x.",
        },
        {
            "crackle": "x...............", "kick": "X..x...x..X....." "X..x......X..x..",
            "snare": "....X.......X..-", "clap": "....x.......x...", "hat": "x.x-x.x-x.x-x.x-",
        },
    ),
    bass=("................", "r..r......r.....", "r..r......r..f..", "r..r...r..r..o.."),
    comping=("*.....*.........", "*..*............", "*..*......*.....", "*..*......*..*.."),
    comping_lengths=(4, 2, 2, 3),
    comping_octave=0,
    pads=(0.0, 0.0, 0.2, 0.7),
    pad_octave=0,
    fill={"snare": "....X.....-.x.xX", "kick": "X..x...........x", "hat": "x.x.x.x.x......."},
    build="fill",
    kit="dusty",
    sounds={"lead": "vibraphone", "pad": "warm", "comping": "sampled_piano", "bass": "sub_bass"},
    levels={"lead": 0.34, "pad": 0.10, "comping": 0.28, "bass": 0.40, "drums": 0.82},
    programs={"melody": 53, "lead": 11, "pad": 89, "comping": 0, "bass": 39},
    echo=0.08,
)  # fmt: skip
