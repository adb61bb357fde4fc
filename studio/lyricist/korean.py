"""The Korean stock of lines in one place, and what is left of it for solemn businesses."""

from studio.lyricist import korean_baked as baked
from studio.lyricist import korean_drinks as drinks
from studio.lyricist import korean_food as food
from studio.lyricist import korean_lines as lines
from studio.lyricist import korean_places as places
from studio.lyricist import korean_solemn as solemn
from studio.lyricist import korean_table as table
from studio.lyricist.stock import stock_of

PACE, SECONDS_FOR_TWO = 3.6, 3.8
TRADES = (
    places,
    baked,
    drinks,
    food,
    table,
)
KOREAN = stock_of(lines, TRADES, PACE, SECONDS_FOR_TWO)
SOLEMN_KOREAN = stock_of(solemn, (), PACE, SECONDS_FOR_TWO)
