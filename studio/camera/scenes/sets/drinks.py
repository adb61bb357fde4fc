"""Scenes of those who pour and bake: three each."""

from functools import partial

from studio.camera.scenes.composing import Composition, Put, hang
from studio.camera.scenes.outside import street
from studio.camera.scenes.props import (
    cases,
    flowers,
    food,
    furniture,
    goods,
    houses,
    lamps,
    snacks,
    stoves,
    vessels,
    walls,
    windows,
)
from studio.camera.scenes.rooms import counter, room, tabletop, tiled

NIGHT = partial(street, evening=True)
KITCHEN = partial(tiled, tone="white")

SETS = {
    "cafe": (
        Composition(
            tabletop,
            (
                Put(vessels.cup, 0, 2.0),
                Put(food.croissant, 3.0, 1.5, -0.3),
                Put(cases.stack, -3.4),
            ),
            far=(Put(windows.rainy_window, 0, 1.5, 1.2),),
        ),
        Composition(
            partial(counter, tone="green", tiles=True),
            (
                hang(walls.menu, 0, 0.66),
                hang(lamps.pendant, -3, 0.6),
                hang(lamps.pendant, 3, 0.6),
                Put(stoves.espresso_machine, -0.9, 1.15),
                Put(stoves.grinder, 2.3),
                Put(vessels.cups, 3.7),
                Put(food.cake, -4.4),
                Put(flowers.plant, 6.8, 1.2),
                Put(food.bread_case, -8.6, 0.7),
            ),
        ),
        Composition(
            room,
            (
                Put(windows.rainy_window, 0, 1.15, 2.3),
                hang(lamps.pendant, 0, 0.7),
                Put(furniture.round_table, 0, 1.1),
                Put(vessels.cup, -0.3, 0.6, 1.85),
                Put(furniture.chair, -2.4, 1.1),
                Put(flowers.plant, 3.4, 1.2),
                Put(cases.bookcase, 7.4),
                Put(flowers.plant, -6.4, 1.3),
            ),
        ),
    ),
    "bar": (
        Composition(
            partial(counter, tone="dark"),
            (
                Put(goods.spirits, -2.4, 1.0),
                Put(goods.spirits, 2.4, 1.0),
                Put(goods.spirits, 7.4),
                Put(goods.spirits, -7.4),
                Put(stoves.tap, 0, 0.9),
                Put(vessels.beer, -2.0, 0.9),
                Put(vessels.wine, 2.0, 0.9),
                Put(vessels.cocktail, 3.3, 0.8),
                hang(lamps.pendant, -2.6, 0.74),
                hang(lamps.pendant, 2.6, 0.74),
            ),
        ),
        Composition(
            tabletop,
            (
                Put(vessels.beer, -1.6, 1.7, -0.1),
                Put(vessels.cocktail, 1.7, 1.5),
                Put(food.candle, 3.8, 1.1, -0.2),
            ),
            far=(Put(goods.spirits, -2.4, 1.2, 0.5), Put(goods.spirits, 3, 1.2, 0.5)),
        ),
        Composition(
            NIGHT,
            (
                Put(houses.front, 0, 1.05),
                hang(lamps.street_lantern, -3.0, 0.55),
                hang(lamps.street_lantern, 3.2, 0.55),
                Put(furniture.stool, -2.2, 1.0, -0.4),
                Put(furniture.stool, -0.7, 1.0, -0.4),
                hang(lamps.neon, 0, 0.78, 0.9),
            ),
        ),
    ),
    "bakery": (
        Composition(
            counter,
            (
                hang(lamps.pendant, -2.6, 0.72),
                hang(lamps.pendant, 2.6, 0.72),
                Put(food.bread_case, 0, 1.15),
                Put(food.baguettes, -2.4, 0.9, 3.5),
                Put(food.cake, 2.2, 0.8, 3.5),
                Put(food.loaf, 0, 0.9, 3.5),
                Put(food.bread_case, -8),
                Put(food.bread_case, 8),
            ),
        ),
        Composition(
            tabletop,
            (
                Put(food.loaf, -0.6, 1.9),
                Put(vessels.steam, -0.8, 2.2, 2.2),
                Put(food.croissant, 3.2, 1.4, 0.3),
                Put(food.bun, -3.8, 1.6, -0.2),
                Put(food.rolling_pin, 1.6, 1.0, -1.0),
            ),
            far=(Put(food.bread_case, -2, 1.2, 0.5), Put(food.baguettes, 3.4, 1.5, 0.5)),
        ),
        Composition(
            partial(tiled, tone="warm"),
            (
                Put(stoves.oven, 0, 1.05),
                hang(lamps.spotlight, -3.5, 0.7),
                Put(food.baguettes, -3.7, 1.1),
                Put(food.baguettes, 4.2, 1.0),
                Put(food.cake, 6.6, 1.2, 0.2),
                Put(food.bread_case, -7.6),
            ),
        ),
    ),
    "ricecake": (
        Composition(
            tabletop,
            (Put(snacks.rice_cakes, 0, 1.6), Put(snacks.gift_box, 3.6, 1.0, 0.3)),
            far=(Put(snacks.dumplings, -3, 1.6, 0.5), Put(lamps.paper_lamp, 2.6, 1.4, 4.6)),
        ),
        Composition(
            partial(counter, tone="warm"),
            (
                hang(lamps.paper_lamp, -2.8, 0.62),
                hang(lamps.paper_lamp, 2.8, 0.68),
                Put(snacks.layer_cake, 0, 1.15),
                Put(snacks.rice_cakes, -3.0, 0.75),
                Put(snacks.gift_box, 2.6, 1.0),
                Put(snacks.gift_box, 4.4, 0.8),
                Put(snacks.dumplings, -6.6, 1.1),
                Put(snacks.rice_cakes, 7.4),
            ),
        ),
        Composition(
            KITCHEN,
            (
                Put(stoves.stove, 0, 2.2),
                Put(snacks.dumplings, -2.0, 0.95, 3.8),
                Put(stoves.pot, 1.9, 0.9, 3.8),
                Put(snacks.rice_cakes, 0.4, 0.55, 3.75),
                Put(goods.jars, 7.2),
                Put(goods.jars, -7.2),
            ),
        ),
    ),
}
