"""The English stock of lines in one place, and what of it is sung calmly."""

from studio.lyricist import english_arts as arts
from studio.lyricist import english_baked as baked
from studio.lyricist import english_body as body
from studio.lyricist import english_cycling as cycling
from studio.lyricist import english_desk as desk
from studio.lyricist import english_drinks as drinks
from studio.lyricist import english_feast as feast
from studio.lyricist import english_flowers as flowers
from studio.lyricist import english_health as health
from studio.lyricist import english_home as home
from studio.lyricist import english_learning as learning
from studio.lyricist import english_leisure as leisure
from studio.lyricist import english_lines as lines
from studio.lyricist import english_looks as looks
from studio.lyricist import english_nursing as nursing
from studio.lyricist import english_occasions as occasions
from studio.lyricist import english_play as play
from studio.lyricist import english_repairs as repairs
from studio.lyricist import english_road as road
from studio.lyricist import english_shops as shops
from studio.lyricist import english_solace as solace
from studio.lyricist import english_solemn as calm
from studio.lyricist import english_table as table
from studio.lyricist import english_wear as wear
from studio.lyricist.english_frames import CALM_FRAMES, FRAMES
from studio.lyricist.registers import is_calm
from studio.lyricist.stock import GROUP, Pace, lines_in, stock_of

PACE = Pace(syllables=3.4, seconds_for_two=3.8)
TRADES = (
    play,
    road,
    cycling,
    repairs,
    home,
    arts,
    learning,
    leisure,
    body,
    occasions,
    looks,
    flowers,
    wear,
    shops,
    baked,
    feast,
    table,
    solace,
    nursing,
    health,
    desk,
    drinks,
)
OWN = lines_in(TRADES)
CALM = {name: own for name, own in OWN.items() if is_calm(name.removeprefix(GROUP))}
ENGLISH = stock_of(lines, OWN, FRAMES, PACE)
CALM_ENGLISH = stock_of(calm, CALM, CALM_FRAMES, PACE)
