"""Scenes of water and greens: three each."""

from functools import partial

from studio.camera.scenes.composing import Composition, Put, hang
from studio.camera.scenes.outside import outdoors
from studio.camera.scenes.props import (
    baths,
    cleaning,
    fields,
    flowers,
    furniture,
    lamps,
    sports,
    vessels,
    windows,
)
from studio.camera.scenes.rooms import hall, room, tabletop, tiled

MEADOW = partial(outdoors, ground=(96, 140, 76))

SETS = {
    "swim": (
        Composition(
            partial(hall, tone="cool", floor=(180, 196, 200)), (Put(baths.lanes, 0, 1.0, -0.2),)
        ),
        Composition(
            partial(tabletop, tone="cool", top=(120, 180, 196)),
            (
                Put(baths.float_board, 0, 1.6),
                Put(baths.towels, -3.0, 1.2),
                Put(cleaning.sparkle, 0, 1.0, 4),
            ),
            far=(Put(baths.lockers, 0, 1.2, 0.5),),
        ),
        Composition(
            partial(tiled, tone="cool"),
            (
                Put(baths.lockers, -1.8, 1.05, 0.3),
                Put(furniture.bench, -1.4, 1.1, -0.3),
                Put(baths.float_board, 3.4, 1.1),
                Put(baths.towels, -2.0, 0.6, 0.8),
                Put(baths.lockers, 7.4, 1.05),
                Put(baths.lockers, -7.6, 1.05),
            ),
        ),
    ),
    "golf": (
        Composition(
            partial(room, tone="dark", floor=(70, 110, 70), panel=False),
            (
                Put(sports.golf_screen, 0, 1.12, 0.9),
                Put(sports.golf_bag, -3.3, 1.0, -0.2),
                Put(sports.golf_ball, 0.8, 0.3, 0.0),
                Put(furniture.sofa, 8, 1.0),
                Put(sports.golf_bag, -7, 1.1),
            ),
        ),
        Composition(
            partial(tabletop, tone="green", top=(92, 150, 74)),
            (Put(sports.golf_ball, 0, 1.35, 0.5),),
            far=(Put(sports.golf_screen, 0, 1.2, 0.8),),
        ),
        Composition(
            MEADOW,
            (
                Put(fields.tree, -3.4, 1.0),
                Put(fields.tree, 3.8, 1.2),
                Put(sports.golf_bag, 1.6, 1.15),
                Put(sports.golf_ball, -1.2, 0.5, 0.1),
                Put(fields.tree, 8, 1.1),
                Put(fields.tree, -8, 1.1),
            ),
        ),
    ),
    "bathhouse": (
        Composition(
            partial(tiled, tone="cool"),
            (
                Put(baths.bath, 0, 1.0, 0.3),
                hang(lamps.paper_lamp, -2.6, 0.7),
                hang(lamps.paper_lamp, 2.6, 0.66),
                Put(flowers.plant, 4.0, 0.9, 0.8),
            ),
        ),
        Composition(
            partial(room, tone="wood", floor=(170, 120, 80)),
            (
                Put(windows.window, 0, 0.9, 3.2),
                Put(furniture.bench, 0, 1.5),
                Put(baths.towels, -2.2, 0.7, 1.5),
                Put(baths.sauna_bucket, 3.6, 1.1),
                Put(vessels.steam, -1.2, 2.4, 2.0),
                Put(vessels.steam, 2.0, 2.4, 2.0),
                Put(furniture.bench, 7.4, 1.3),
                Put(furniture.bench, -7.4, 1.3),
            ),
        ),
        Composition(
            tabletop,
            (
                Put(baths.sauna_bucket, -1.9, 1.5),
                Put(baths.towels, 1.8, 1.4),
                Put(vessels.glass, 4.0, 1.1),
                Put(vessels.steam, -1.9, 2.0, 1.8),
            ),
            far=(Put(lamps.paper_lamp, -2, 1.4, 4.6), Put(flowers.plant, 3, 1.4, 0.5)),
        ),
    ),
}
