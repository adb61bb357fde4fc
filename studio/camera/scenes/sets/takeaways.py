"""Scenes of those who cook to take away: three each."""

from functools import partial

from studio.camera.scenes.composing import Composition, Put, hang
from studio.camera.scenes.outside import street
from studio.camera.scenes.props import (
    food,
    furniture,
    goods,
    grills,
    houses,
    lamps,
    snacks,
    stoves,
    vessels,
    walls,
    windows,
)
from studio.camera.scenes.rooms import counter, tabletop, tiled

NIGHT = partial(street, evening=True)
KITCHEN = partial(tiled, tone="white")

SETS = {
    "chicken": (
        Composition(
            tabletop,
            (
                Put(grills.chicken, -1.2, 1.55),
                Put(vessels.beer, 2.6, 1.35),
                Put(grills.fries, -4.0, 1.0, 0.2),
            ),
            far=(Put(lamps.neon, 2.5, 1.4, 4.6), Put(lamps.pendant, -2.5, 1.4, 4.8)),
        ),
        Composition(
            tabletop,
            (Put(grills.pizza, -0.4, 1.55, 0.1), Put(vessels.glass, 3.6, 1.3, 0.3)),
            far=(Put(stoves.oven, 0, 1.3, 0.5),),
        ),
        Composition(
            partial(counter, tone="brick"),
            (
                hang(walls.menu, 0, 0.6),
                hang(lamps.pendant, -3.1, 0.64),
                hang(lamps.pendant, 3.1, 0.64),
                Put(grills.burger, -2.3, 1.2),
                Put(grills.fries, 0.2, 1.3),
                Put(grills.chicken, 2.8, 1.0),
                Put(stoves.tap, 6.6),
                Put(vessels.beer, 8.2),
                Put(goods.register, -6.4, 1.2),
            ),
        ),
    ),
    "snack": (
        Composition(
            NIGHT,
            (
                Put(windows.wide_window, 0, 1.1, 1.4),
                Put(houses.stall, 0, 1.12),
                Put(furniture.table, 0, 2.0, -0.8),
                Put(snacks.street_pan, -1.5, 0.85, 2.7),
                Put(snacks.fish_cakes, 2.0, 0.8, 2.7),
                hang(lamps.fairy_lights, 0, 0.6),
            ),
        ),
        Composition(
            tabletop,
            (
                Put(snacks.street_pan, 0, 1.4),
                Put(snacks.gimbap, 2.6, 0.8, -1.0),
                Put(food.chopsticks, -2.6, 1.0, -0.9),
            ),
            far=(Put(lamps.lantern, -2.8, 1.4, 4.6), Put(lamps.lantern, 2.8, 1.4, 4.4)),
        ),
        Composition(
            partial(counter, tone="warm", tiles=True),
            (
                hang(walls.menu, 0, 0.64),
                hang(lamps.pendant, -3.1, 0.66),
                hang(lamps.pendant, 3.1, 0.66),
                Put(snacks.dumplings, -2.6, 1.0),
                Put(snacks.fish_cakes, 2.5, 1.1),
                Put(snacks.gimbap, 0, 0.75),
                Put(goods.register, -6.4, 1.1),
                Put(snacks.street_pan, 7.2),
            ),
        ),
    ),
    "banchan": (
        Composition(
            partial(counter, tone="green"),
            (
                hang(lamps.pendant, -2.6, 0.68),
                hang(lamps.pendant, 2.6, 0.68),
                Put(goods.jars, 0, 1.0, 1.2),
                Put(snacks.trays, 0, 1.15),
                Put(goods.jars, -7.4),
                Put(goods.jars, 7.4),
            ),
        ),
        Composition(
            tabletop,
            (
                Put(snacks.lunch_box, 0, 1.6),
                Put(food.side_dish, -3.5, 1.3, -0.5),
                Put(food.side_dish, 3.6, 1.3, -0.4),
                Put(food.chopsticks, 0.3, 1.2, -1.2),
            ),
            far=(Put(goods.jars, -2.2, 1.4, 0.5), Put(goods.jars, 3.4, 1.4, 0.5)),
        ),
        Composition(
            KITCHEN,
            (
                Put(stoves.stove, 0, 2.2),
                Put(stoves.pot, -2.4, 0.85, 3.8),
                Put(food.side_dish, -0.3, 0.9, 3.8),
                Put(food.side_dish, 0.9, 0.9, 3.8),
                Put(stoves.pan, 2.6, 0.75, 3.8),
                Put(goods.jars, 7.2),
                Put(goods.jars, -7.2),
            ),
        ),
    ),
}
