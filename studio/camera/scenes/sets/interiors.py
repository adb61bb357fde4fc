"""Scenes of rooms, laundries and houses: three each."""

from functools import partial

from studio.camera.scenes.composing import Composition, Put, hang
from studio.camera.scenes.outside import outdoors
from studio.camera.scenes.props import (
    baths,
    cases,
    cleaning,
    fields,
    flowers,
    food,
    furniture,
    goods,
    houses,
    lamps,
    laundry,
    pipes,
    vessels,
    walls,
    windows,
)
from studio.camera.scenes.rooms import counter, room, tabletop, tiled

SETS = {
    "interior": (
        Composition(
            room,
            (
                Put(cleaning.roller, -1.6, 1.2, 0.4),
                Put(furniture.ladder, 1.8, 1.15),
                Put(cleaning.paint_can, -3.6, 0.9),
                Put(cleaning.paint_can, 3.8, 0.9),
                Put(windows.window, 7, 1.1, 2.4),
                Put(cleaning.roller, -7, 1.1, 0.3),
            ),
        ),
        Composition(
            partial(room, tone="green"),
            (
                Put(furniture.sofa, -0.3, 1.1),
                hang(walls.picture, -1.4, 0.55, 1.2),
                hang(walls.picture, 1.2, 0.55, 1.2),
                Put(furniture.floor_lamp, 3.7, 1.15),
                Put(flowers.plant, -4.2, 1.0),
                hang(lamps.pendant, 0, 0.8),
                Put(cases.bookcase, 7.6),
                Put(furniture.armchair, -7.4),
            ),
        ),
        Composition(
            tabletop,
            (
                Put(cleaning.paint_can, -2.4, 1.4),
                Put(cleaning.paint_can, 0.2, 1.2, 0.2),
                Put(cleaning.brush, 2.6, 1.3),
                Put(furniture.papers, 0.5, 1.3, -1.0),
            ),
            far=(Put(furniture.sofa, 0, 1.4, 0.6),),
        ),
    ),
    "laundry": (
        Composition(
            partial(tiled, tone="cool"),
            (
                Put(laundry.washer, -2.9, 1.1),
                Put(laundry.washer, 0, 1.1),
                Put(laundry.washer, 2.9, 1.1),
                Put(laundry.washer, -2.9, 1.1, 3.6),
                Put(laundry.washer, 0, 1.1, 3.6),
                Put(laundry.washer, 2.9, 1.1, 3.6),
                Put(laundry.washer, 5.8, 1.1),
                Put(laundry.washer, -5.8, 1.1),
                Put(food.basket, 0.8, 0.9, -0.6),
            ),
        ),
        Composition(
            partial(counter, tone="white"),
            (
                hang(laundry.shirts, 0, 0.64, 1.15),
                Put(baths.towels, -2.4, 1.0),
                Put(goods.register, 2.4, 1.0),
                Put(laundry.washer, 7),
                Put(laundry.washer, -7),
            ),
        ),
        Composition(
            tabletop,
            (
                Put(cleaning.iron, -1.2, 1.35),
                Put(baths.towels, 2.8, 1.3),
                Put(vessels.steam, -1.8, 1.6, 0.8),
            ),
            far=(Put(laundry.shirts, 0, 1.3, 4.6),),
        ),
    ),
    "realty": (
        Composition(
            partial(outdoors, ground=(120, 140, 90)),
            (
                Put(houses.flats, -3.2, 1.05),
                Put(houses.house, 1.2, 1.0, -0.2),
                Put(fields.tree, 4.2, 0.85),
                Put(houses.flats, 7.4, 1.0),
                Put(houses.house, -7.4, 1.0),
            ),
        ),
        Composition(
            tabletop,
            (
                Put(houses.house, -1.4, 1.15),
                Put(pipes.keys, 2.4, 1.4, 2.6),
                Put(furniture.papers, 3.4, 1.0, -0.6),
            ),
            far=(Put(windows.wide_window, 0, 1.4, 1.3),),
        ),
        Composition(
            room,
            (
                Put(walls.door, 0.2, 1.2),
                hang(pipes.keys, 2.9, 0.5, 0.9),
                hang(walls.picture, -2.9, 0.5),
                Put(flowers.plant, -3.7, 1.1),
                Put(houses.box, 3.8, 0.7),
                Put(windows.dust, 1, 1, 1),
                Put(furniture.sofa, 8),
                Put(windows.window, -7, 1.1, 2.4),
            ),
        ),
    ),
}
