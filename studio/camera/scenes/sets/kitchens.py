"""Scenes of those who cook for guests: three each."""

from functools import partial

from studio.camera.scenes.composing import Composition, Put, hang
from studio.camera.scenes.outside import street
from studio.camera.scenes.props import (
    fishes,
    flowers,
    food,
    furniture,
    goods,
    grills,
    houses,
    lamps,
    stoves,
    vessels,
    walls,
    windows,
)
from studio.camera.scenes.rooms import room, tabletop, tiled

NIGHT = partial(street, evening=True)
KITCHEN = partial(tiled, tone="white")

SETS = {
    "restaurant": (
        Composition(
            room,
            (
                hang(lamps.pendant, 0, 0.6, 1.3),
                hang(walls.picture, -2.9, 0.5, 1.2),
                hang(walls.picture, 2.9, 0.52),
                Put(furniture.table, 0, 1.3),
                Put(furniture.chair, -3.4, 1.15),
                Put(food.steak, 0, 0.7, 2.25),
                Put(vessels.wine, 1.5, 0.6, 2.2),
                Put(food.candle, -1.5, 0.7, 2.2),
                Put(flowers.plant, 4.2, 1.2),
                Put(furniture.table, 7.5, 1.2),
                Put(vessels.wine, 7.5, 0.6, 2.0),
                Put(furniture.sofa, -7.4, 1.1),
            ),
        ),
        Composition(
            KITCHEN,
            (
                Put(stoves.stove, 0, 2.2),
                Put(stoves.pan, -2.2, 1.05, 3.8),
                Put(stoves.pot, 2.1, 0.85, 3.8),
                hang(lamps.spotlight, 0, 0.8),
                Put(goods.jars, 7.4),
                Put(goods.jars, -7.4),
            ),
        ),
        Composition(
            tabletop,
            (
                Put(food.pasta, 0, 1.7),
                Put(vessels.wine, 3.3, 1.3, 0.2),
                Put(food.candle, -3.5, 1.1, 0.2),
            ),
            far=(Put(lamps.pendant, -2.5, 1.4, 4.4), Put(lamps.pendant, 2.8, 1.4, 5)),
        ),
    ),
    "soup": (
        Composition(
            tabletop,
            (
                Put(vessels.bowl, 0, 1.75),
                Put(food.rice, -3.2, 1.2, 0.1),
                Put(food.side_dish, 3.2, 1.3, 0.2),
                Put(food.side_dish, 2.6, 1.2, -0.6),
                Put(food.chopsticks, -2.6, 1.0, -0.8),
            ),
            far=(Put(lamps.lantern, -2.6, 1.3, 4.4), Put(lamps.lantern, 2.8, 1.3, 4.8)),
        ),
        Composition(
            KITCHEN,
            (
                Put(stoves.stove, 0, 2.4),
                Put(stoves.pot, -2.3, 1.0, 4.1),
                Put(stoves.pot, 1.9, 1.15, 4.1),
                Put(stoves.pot, 7.5, 1.2, 0.1),
                Put(goods.jars, -7.2),
            ),
        ),
        Composition(
            partial(room, tone="wood"),
            (
                hang(lamps.lantern, -3.2, 0.62),
                hang(lamps.lantern, 3.2, 0.66),
                hang(walls.menu, 0, 0.58, 0.9),
                Put(furniture.table, 0, 1.5),
                Put(vessels.bowl, -1.3, 0.65, 2.6),
                Put(vessels.bowl, 1.3, 0.65, 2.6),
                Put(food.side_dish, 0, 0.7, 2.65),
                Put(furniture.stool, -3.6, 1.0, -0.3),
                Put(furniture.stool, 3.6, 1.0, -0.3),
                Put(furniture.table, 8, 1.2),
                Put(furniture.table, -8, 1.2),
            ),
        ),
    ),
    "grill": (
        Composition(
            tabletop,
            (
                Put(grills.charcoal_grill, 0, 1.5, 0.3),
                Put(food.side_dish, -3.6, 1.1, -0.8),
                Put(food.side_dish, 3.6, 1.1, -0.7),
            ),
            far=(
                Put(grills.chimney, 0, 1.3, 3.6),
                Put(lamps.lantern, -3, 1.3, 5),
                Put(lamps.lantern, 3.2, 1.3, 4.6),
            ),
        ),
        Composition(
            partial(room, tone="brick"),
            (
                hang(grills.chimney, 0, 0.45, 1.3),
                hang(grills.chimney, 7.2, 0.45, 1.3),
                hang(grills.chimney, -7.2, 0.45, 1.3),
                Put(furniture.table, 0, 1.7),
                Put(grills.charcoal_grill, 0, 0.55, 3.1),
                Put(vessels.beer, 2.0, 0.6, 2.95),
                Put(furniture.stool, -3.7, 1.1, -0.3),
                Put(furniture.stool, 3.8, 1.1, -0.3),
                Put(furniture.table, 7.2, 1.4),
                Put(furniture.table, -7.2, 1.4),
            ),
        ),
        Composition(
            tabletop,
            (
                Put(grills.skewers, -0.3, 1.6),
                Put(vessels.beer, 3.2, 1.15, 0.3),
                Put(vessels.steam, 0, 2.0, 1.4),
            ),
            far=(Put(houses.campfire, -2, 1.9, 0.5), Put(lamps.lantern, 2.6, 1.4, 5)),
        ),
    ),
    "seafood": (
        Composition(
            partial(tiled, tone="cool"),
            (
                Put(fishes.fish_tank, 0, 1.45, 0.4),
                Put(fishes.fish_tank, 8, 1.3),
                Put(fishes.fish_tank, -8, 1.3),
                hang(lamps.spotlight, -2, 0.8),
                hang(lamps.spotlight, 2, 0.8),
            ),
        ),
        Composition(
            tabletop,
            (
                Put(fishes.sashimi, 0, 1.55),
                Put(food.side_dish, -3.4, 1.0, -0.7),
                Put(food.side_dish, 3.3, 1.1, -0.8),
                Put(food.chopsticks, 0.6, 1.1, -1.1),
            ),
            far=(Put(fishes.fish_tank, 0, 1.5, 0.6),),
        ),
        Composition(
            NIGHT,
            (
                Put(windows.wide_window, 0, 1.1, 1.4),
                Put(houses.stall, 0, 1.1),
                Put(furniture.table, 0, 1.9, -0.8),
                Put(fishes.crab, -1.6, 0.95, 2.55),
                Put(fishes.sashimi, 1.7, 0.7, 2.6),
                hang(lamps.street_lantern, -3.0, 0.42),
                hang(lamps.street_lantern, 3.0, 0.42),
            ),
        ),
    ),
}
