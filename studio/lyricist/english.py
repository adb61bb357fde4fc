"""The English stock of lines in one place, and what is left of it for solemn businesses."""

from studio.lyricist import english_drinks as drinks
from studio.lyricist import english_food as food
from studio.lyricist import english_lines as lines
from studio.lyricist import english_places as places
from studio.lyricist import english_solemn as solemn
from studio.lyricist.stock import stock_of

PACE, SECONDS_FOR_TWO = 3.4, 3.8
TRADES = (
    food,
    places,
    drinks,
)
ENGLISH = stock_of(lines, TRADES, PACE, SECONDS_FOR_TWO)
SOLEMN_ENGLISH = stock_of(solemn, (), PACE, SECONDS_FOR_TWO)
