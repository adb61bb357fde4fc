"""The Korean stock of lines in one place."""

from resources.studio.lyricist import korean_food as food
from resources.studio.lyricist import korean_lines as lines
from resources.studio.lyricist import korean_places as places
from resources.studio.lyricist.stock import Stock

KOREAN = Stock(
    nameless=lines.NAMELESS,
    placeless=lines.PLACELESS,
    pace=3.6,
    seconds_for_two=3.8,
    titles=lines.TITLES,
    openings=lines.OPENINGS,
    frames=lines.FRAMES,
    quotes=lines.QUOTES,
    hooks=lines.HOOKS,
    common=lines.COMMON,
    moods=lines.MOODS,
    trades={
        "cafe": food.CAFE,
        "bakery": food.BAKERY,
        "restaurant": food.RESTAURANT,
        "soup": food.SOUP,
        "grill": food.GRILL,
        "chicken": food.CHICKEN,
        "snack": food.SNACK,
        "seafood": food.SEAFOOD,
        "bar": food.BAR,
        "hair": places.HAIR,
        "nail": places.NAIL,
        "beauty": places.BEAUTY,
        "yoga": places.YOGA,
        "gym": places.GYM,
        "flower": places.FLOWER,
        "stay": places.STAY,
        "books": places.BOOKS,
        "clinic": places.CLINIC,
        "dental": places.DENTAL,
        "pharmacy": places.PHARMACY,
        "academy": places.ACADEMY,
        "pet": places.PET,
        "photo": places.PHOTO,
        "car": places.CAR,
        "market": places.MARKET,
    },
)
