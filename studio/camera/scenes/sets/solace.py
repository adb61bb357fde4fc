"""Scenes of those who comfort: three each."""

from functools import partial

from studio.camera.scenes.composing import Composition, Put, hang
from studio.camera.scenes.outside import outdoors
from studio.camera.scenes.props import (
    cases,
    fields,
    flowers,
    food,
    furniture,
    rites,
    vessels,
    weather,
    windows,
)
from studio.camera.scenes.rooms import room, tabletop

MEADOW = partial(outdoors, ground=(96, 140, 76))

SETS = {
    "funeral": (
        Composition(
            partial(room, tone="grey"),
            (
                Put(windows.window, 0, 1.3, 2.4),
                Put(furniture.table, 0, 1.6),
                Put(flowers.chrysanthemums, -1.6, 1.0, 2.75),
                Put(flowers.chrysanthemums, 1.6, 1.0, 2.75),
                Put(food.candle, 0, 1.2, 2.75),
                Put(flowers.chrysanthemums, 6.6, 1.2),
                Put(flowers.chrysanthemums, -6.6, 1.2),
            ),
        ),
        Composition(
            partial(outdoors, ground=(104, 132, 92)),
            (
                Put(fields.tree, -2.2, 1.45),
                Put(rites.memorial, 1.8, 1.2),
                Put(weather.snow),
                Put(fields.tree, 8, 1.2),
                Put(fields.tree, -8, 1.1),
            ),
        ),
        Composition(
            partial(tabletop, tone="grey"),
            (Put(flowers.chrysanthemums, -1.5, 1.5), Put(rites.candles, 2.2, 1.0)),
            far=(Put(windows.garden_window, 0.5, 1.4, 1.4),),
        ),
    ),
    "counseling": (
        Composition(
            partial(room, tone="green"),
            (
                Put(windows.garden_window, 0, 1.1, 2.6),
                Put(furniture.armchair, -2.6, 1.1),
                Put(furniture.armchair, 2.6, 1.1),
                Put(furniture.round_table, 0, 0.75),
                Put(vessels.small_cup, 0, 0.9, 1.27),
                Put(flowers.plant, 7, 1.3),
                Put(cases.bookcase, -7.6),
            ),
        ),
        Composition(
            tabletop,
            (Put(rites.tea, -0.6, 1.4), Put(rites.tissues, 3.4, 1.3)),
            far=(Put(windows.rainy_window, 0, 1.4, 1.3),),
        ),
        Composition(
            partial(room, tone="warm"),
            (
                Put(windows.rainy_window, -0.8, 1.1, 2.4),
                Put(furniture.sofa, -0.6, 1.05),
                Put(furniture.floor_lamp, 3.4, 1.15),
                Put(flowers.plant, -4.3, 0.9),
                Put(cases.bookcase, 7.4),
                Put(furniture.armchair, -7.4),
            ),
        ),
    ),
    "faith": (
        Composition(
            tabletop,
            (Put(rites.candles, 0, 1.6),),
            far=(Put(windows.garden_window, 0, 1.5, 1.4),),
        ),
        Composition(
            partial(room, tone="warm"),
            (
                Put(windows.garden_window, 0, 1.4, 2.2),
                Put(furniture.table, 0, 1.5),
                Put(cases.open_book, 0, 1.0, 2.6),
                Put(food.candle, -1.9, 0.9, 2.6),
                Put(food.candle, 1.9, 0.9, 2.6),
                Put(flowers.plant, 4.0, 1.1),
                Put(flowers.plant, 7, 1.3),
                Put(flowers.plant, -7, 1.3),
            ),
        ),
        Composition(
            MEADOW,
            (
                Put(fields.blossom_tree, -2.4, 1.3),
                Put(furniture.bench, 1.7, 1.2),
                Put(fields.tree, 8, 1.1),
                Put(fields.tree, -8, 1.1),
            ),
        ),
    ),
}
# A business of one faith is not shown with the house of another: these are for those that name their own.
HOUSES = {
    "church": Composition(
        partial(room, tone="grey", floor=(120, 84, 62), panel=False),
        (
            Put(windows.arch, -2.5, 1.15, 1.5),
            Put(windows.arch, 0, 1.35, 1.6),
            Put(windows.arch, 2.5, 1.15, 1.5),
            Put(rites.lectern, 0, 0.7),
            Put(rites.pews, 0, 1.0, -0.9),
            Put(windows.arch, 6.4, 1.15, 1.5),
            Put(windows.arch, -6.4, 1.15, 1.5),
        ),
    ),
    "temple": Composition(
        MEADOW,
        (
            hang(rites.roof_lantern, 0, 0.56),
            Put(fields.blossom_tree, -2.9, 1.1),
            Put(furniture.bench, 1.9, 1.1),
            Put(fields.tree, 8, 1.1),
            Put(fields.tree, -8, 1.1),
        ),
    ),
}
