"""Scenes of weather, for any trade."""

from functools import partial

from studio.camera.scenes.composing import Composition, Put
from studio.camera.scenes.props import (
    cases,
    flowers,
    furniture,
    vessels,
    windows,
)
from studio.camera.scenes.rooms import room

WEATHER = {
    "rain": Composition(
        partial(room, tone="cool"),
        (
            Put(windows.rainy_window, 0, 1.5, 1.7),
            Put(furniture.armchair, -3.0, 1.0),
            Put(flowers.plant, 3.9, 1.1),
            Put(cases.bookcase, 7.6),
            Put(furniture.floor_lamp, -7, 1.2),
        ),
    ),
    "morning": Composition(
        room,
        (
            Put(windows.garden_window, 0, 1.6, 1.7),
            Put(windows.curtain, -3.3, 1.5, 0.4),
            Put(windows.curtain, 3.3, 1.5, 0.4),
            Put(furniture.table, 0, 1.2),
            Put(flowers.pot_plant, -1.1, 1.3, 2.1),
            Put(vessels.cup, 0.9, 0.6, 2.1),
            Put(flowers.plant, 7, 1.3),
            Put(flowers.plant, -7, 1.3),
        ),
    ),
}
