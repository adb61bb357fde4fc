"""Scenes of those who sell what is eaten: three each."""

from functools import partial

from studio.camera.scenes.composing import Composition, Put, hang
from studio.camera.scenes.outside import outdoors, street
from studio.camera.scenes.props import (
    fields,
    food,
    furniture,
    goods,
    grills,
    houses,
    lamps,
    snacks,
    vehicles,
    vessels,
    windows,
)
from studio.camera.scenes.rooms import counter, tabletop, tiled

NIGHT = partial(street, evening=True)
MEADOW = partial(outdoors, ground=(96, 140, 76))

SETS = {
    "market": (
        Composition(
            street,
            (
                Put(windows.wide_window, 0, 1.1, 1.6),
                Put(houses.stall, 0, 1.1),
                Put(fields.crate, -2.4, 1.1, 1.1),
                Put(fields.crate, 0.1, 1.1, 1.1),
                Put(fields.crate, 2.6, 1.1, 1.1),
                Put(fields.crate, -2.3, 1.15, -0.4),
                Put(food.basket, 0.1, 1.1, -0.4),
                Put(food.baguettes, 2.6, 0.8, -0.4),
                hang(lamps.bunting, 0, 0.72),
                Put(houses.stall, -8.4, 1.1),
                Put(houses.stall, 8.4, 1.1),
            ),
        ),
        Composition(
            counter,
            (
                Put(goods.groceries, -2.3),
                Put(goods.groceries, 2.3),
                Put(goods.groceries, 7.0),
                Put(goods.groceries, -7.0),
                hang(lamps.pendant, 0, 0.74),
                Put(grills.shop_scale, -1.6, 0.8),
                Put(food.basket, 2.0, 1.1),
                Put(goods.register, 3.9, 0.8),
            ),
        ),
        Composition(
            tabletop,
            (
                Put(fields.fruit_basket, 0.4, 1.35),
                Put(vessels.jar, -2.8, 1.8),
                Put(vessels.jar, -3.9, 1.5),
                Put(snacks.gift_box, 3.6, 1.0),
            ),
            far=(Put(goods.groceries, -2.2, 1.2, 0.5), Put(goods.groceries, 3, 1.2, 0.5)),
        ),
    ),
    "butcher": (
        Composition(
            partial(counter, tone="white", tiles=True),
            (
                hang(grills.hanging_meat, 0, 0.66, 1.1),
                Put(grills.meat, -1.2, 0.95),
                Put(grills.shop_scale, 2.9, 1.0),
                hang(lamps.spotlight, -3, 0.85),
                Put(goods.register, 6.6, 1.1),
                Put(grills.meat, -7.2),
            ),
        ),
        Composition(
            tabletop,
            (Put(grills.meat, -0.3, 1.6),),
            far=(Put(grills.hanging_meat, 0, 1.3, 4.4),),
        ),
        Composition(
            street,
            (
                Put(houses.front, 0, 1.1),
                hang(lamps.street_lantern, -3.4, 0.5),
                hang(lamps.street_lantern, 3.4, 0.5),
                Put(grills.shop_scale, -1.2, 0.75, 1.3),
                Put(grills.meat, -2.6, 0.42, 1.3),
            ),
        ),
    ),
    "fruit": (
        Composition(
            street,
            (
                Put(windows.wide_window, 0, 1.1, 1.6),
                Put(houses.stall, 0, 1.1),
                Put(fields.crate, -2.5, 1.05, 1.2),
                Put(fields.crate, 0, 1.05, 1.2),
                Put(fields.crate, 2.5, 1.05, 1.2),
                Put(fields.crate, -2.4, 1.1, -0.4),
                Put(fields.crate, 0.1, 1.1, -0.4),
                Put(fields.crate, 2.6, 1.1, -0.4),
                Put(fields.crate, 7, 1.2),
                Put(fields.crate, -7, 1.2),
                hang(lamps.bunting, 0, 0.78),
            ),
        ),
        Composition(
            tabletop,
            (Put(fields.fruit_basket, 0, 1.65), Put(vessels.glass, 3.6, 1.1)),
            far=(Put(fields.crate, -3, 1.7, 0.6), Put(fields.crate, 3, 1.7, 0.6)),
        ),
        Composition(
            MEADOW,
            (
                Put(fields.apple_tree, -2.6, 1.25),
                Put(fields.apple_tree, 3.2, 1.05, 0.3),
                Put(fields.crate, 0.4, 1.1, -0.4),
                Put(fields.apple_tree, 8, 1.1),
                Put(fields.apple_tree, -8, 1.1),
            ),
        ),
    ),
    "convenience": (
        Composition(
            partial(tiled, tone="white"),
            (
                Put(goods.fridge, -2.3, 1.02),
                Put(goods.groceries, 2.4, 1.05),
                Put(goods.fridge, -7.2),
                Put(goods.groceries, 7.0, 1.05),
                hang(lamps.spotlight, 0, 0.86),
            ),
        ),
        Composition(
            partial(counter, tone="cool"),
            (
                Put(goods.groceries, -2.3),
                Put(goods.groceries, 2.3),
                Put(goods.fridge, 7.4),
                Put(goods.fridge, -7.4),
                Put(goods.register, -1.4, 1.0),
                Put(snacks.gimbap, 1.6, 0.7),
                Put(vessels.glass, 3.4, 0.9),
            ),
        ),
        Composition(
            NIGHT,
            (
                Put(houses.front, 0, 1.1),
                Put(goods.fridge, -1.7, 0.62, 0.8),
                hang(lamps.fairy_lights, 0, 0.66),
                Put(furniture.stool, 3.9, 0.9),
            ),
        ),
    ),
    "farm": (
        Composition(
            partial(outdoors, ground=(120, 110, 66)),
            (
                Put(fields.barn, -2.0, 1.1, 0.1),
                Put(fields.tree, 3.4, 1.0, 0.1),
                Put(fields.rows),
                Put(vehicles.tractor, 1.4, 0.75, 0.0),
                Put(fields.tree, 8, 1.1),
                Put(fields.tree, -8, 1.1),
            ),
        ),
        Composition(
            MEADOW,
            (
                Put(fields.apple_tree, -2.4, 1.3),
                Put(fields.apple_tree, 2.8, 1.1),
                Put(fields.crate, 0.2, 1.1, -0.5),
                Put(fields.crate, 2.6, 1.0, -0.6),
                Put(fields.apple_tree, 8, 1.1),
                Put(fields.apple_tree, -8, 1.1),
                Put(windows.dust, 0, 1, 1),
            ),
        ),
        Composition(
            tabletop,
            (
                Put(fields.crate, -2.0, 1.4, 0.1),
                Put(fields.crate, 2.0, 1.5),
                Put(food.basket, -4.4, 1.0),
            ),
            far=(Put(fields.barn, -2, 1.2, 0.5), Put(fields.tree, 3, 1.3, 0.5)),
        ),
    ),
}
