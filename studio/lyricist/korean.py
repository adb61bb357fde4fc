"""The Korean stock of lines in one place, and what of it is sung calmly."""

from studio.lyricist import korean_baked as baked
from studio.lyricist import korean_body as body
from studio.lyricist import korean_care as care
from studio.lyricist import korean_children as children
from studio.lyricist import korean_cycling as cycling
from studio.lyricist import korean_desk as desk
from studio.lyricist import korean_drinks as drinks
from studio.lyricist import korean_faces as faces
from studio.lyricist import korean_food as food
from studio.lyricist import korean_goods as goods
from studio.lyricist import korean_health as health
from studio.lyricist import korean_home as home
from studio.lyricist import korean_learning as learning
from studio.lyricist import korean_leaves as leaves
from studio.lyricist import korean_lines as lines
from studio.lyricist import korean_looks as looks
from studio.lyricist import korean_play as play
from studio.lyricist import korean_road as road
from studio.lyricist import korean_rooms as rooms
from studio.lyricist import korean_shops as shops
from studio.lyricist import korean_solace as solace
from studio.lyricist import korean_solemn as calm
from studio.lyricist import korean_sport as sport
from studio.lyricist import korean_table as table
from studio.lyricist.korean_frames import CALM_FRAMES, FRAMES
from studio.lyricist.registers import is_calm
from studio.lyricist.stock import GROUP, Pace, lines_in, stock_of

PACE = Pace(syllables=3.6, seconds_for_two=3.8)
TRADES = (
    baked,
    body,
    care,
    children,
    cycling,
    desk,
    drinks,
    faces,
    food,
    goods,
    health,
    home,
    learning,
    leaves,
    looks,
    play,
    road,
    rooms,
    shops,
    solace,
    sport,
    table,
)
OWN = lines_in(TRADES)
CALM = {name: own for name, own in OWN.items() if is_calm(name.removeprefix(GROUP))}
KOREAN = stock_of(lines, OWN, FRAMES, PACE)
CALM_KOREAN = stock_of(calm, CALM, CALM_FRAMES, PACE)
