"""Scenes of those who train: three each."""

from functools import partial

from studio.camera.scenes.composing import Composition, Put, hang
from studio.camera.scenes.props import (
    baths,
    figures,
    flowers,
    food,
    furniture,
    lamps,
    parties,
    sports,
    weights,
    windows,
)
from studio.camera.scenes.rooms import hall, mirrors, room, tabletop

RUBBER = (74, 78, 86)

SETS = {
    "gym": (
        Composition(
            partial(hall, tone="grey", floor=RUBBER),
            (
                Put(weights.rack, -1.9, 1.1),
                hang(weights.punchbag, 2.8, 0.7, 1.1),
                Put(weights.kettlebell, 1.1, 0.55, -0.2),
                Put(weights.rack, 7.2, 1.1),
                Put(weights.treadmill, -7.4, 1.2),
            ),
        ),
        Composition(
            partial(hall, tone="cool", floor=(84, 84, 92)),
            (
                Put(weights.treadmill, -2.4, 1.15),
                Put(weights.treadmill, 1.9, 1.15),
                Put(weights.treadmill, 6.2, 1.15),
                Put(weights.treadmill, -6.7, 1.15),
            ),
        ),
        Composition(
            partial(tabletop, tone="grey", top=(64, 66, 76)),
            (
                Put(weights.barbell, 0, 1.1, 0.3),
                Put(weights.kettlebell, -1.8, 1.6, -0.4),
                Put(weights.kettlebell, 1.9, 1.25, -0.2),
            ),
            far=(Put(weights.rack, 0, 1.3, 0.6),),
        ),
    ),
    "yoga": (
        Composition(
            partial(hall, tone="green"),
            (
                Put(weights.mat, -1.4, 1.0),
                Put(figures.tree_pose, -1.4, 1.15),
                Put(weights.mat, 2.4, 0.9),
                Put(figures.meditator, 2.4, 1.15, -0.3),
                Put(flowers.plant, -4.2, 1.1),
                Put(windows.dust, 0, 1, 1.5),
                Put(weights.exercise_ball, 7),
                Put(flowers.plant, -7.6, 1.2),
            ),
        ),
        Composition(
            tabletop,
            (
                Put(weights.stones, 0, 1.9),
                Put(food.candle, -2.7, 1.3),
                Put(food.candle, 2.7, 1.1, -0.2),
            ),
            far=(Put(flowers.plant, -3, 1.6, 0.5), Put(windows.garden_window, 2, 1.3, 1.4)),
        ),
        Composition(
            room,
            (
                Put(windows.garden_window, 0, 1.5, 1.8),
                Put(weights.mat, 0, 1.3),
                Put(figures.meditator, 0, 1.3, -0.3),
                Put(weights.rolled_mats, 3.4, 1.1),
                Put(weights.exercise_ball, -3.3, 1.0),
                Put(flowers.plant, 7, 1.3),
                Put(flowers.plant, -7, 1.3),
            ),
        ),
    ),
    "dance": (
        Composition(
            mirrors,
            (
                Put(weights.barre, 0, 1.1, 0.2),
                Put(figures.dancer, -1.8, 1.15),
                Put(figures.dancer, 2.3, 1.0, 0.1),
                hang(lamps.spotlight, -2, 0.9),
                hang(lamps.spotlight, 2, 0.9),
                Put(figures.dancer, 6.6, 1.0),
                Put(figures.dancer, -6.6, 1.0),
            ),
        ),
        Composition(
            partial(mirrors, tone="dark", floor=(70, 60, 80)),
            (
                hang(parties.disco_ball, 0, 0.78),
                Put(weights.speaker, -3.6, 1.1),
                Put(weights.speaker, 3.8, 1.1),
                Put(figures.street_dancer, -1.2, 1.15),
                Put(figures.street_dancer, 1.5, 1.05),
                Put(figures.street_dancer, 7, 1.05),
                Put(figures.street_dancer, -7, 1.05),
            ),
        ),
        Composition(
            partial(hall, tone="rose"),
            (
                Put(weights.barre, 0, 1.0, 0.2),
                Put(figures.dancer, 0.4, 1.3),
                Put(baths.towels, -3.4, 0.8),
                Put(weights.rolled_mats, 3.8),
                Put(windows.dust, 0, 1, 2),
            ),
        ),
    ),
    "martial": (
        Composition(
            partial(hall, tone="warm", floor=(84, 120, 130)),
            (
                Put(figures.kicker, -1.0, 1.25),
                hang(weights.punchbag, 2.9, 0.7),
                Put(sports.shield, -4.0, 0.9),
                Put(figures.kicker, 6.6, 1.1),
                Put(figures.kicker, -7.4, 1.1),
            ),
        ),
        Composition(
            partial(room, tone="wood", floor=(150, 60, 56)),
            (
                hang(sports.belts, 0, 0.66, 1.35),
                Put(furniture.table, 0, 1.3),
                Put(sports.trophy, -1.4, 0.9, 2.25),
                Put(sports.trophy, 0, 1.2, 2.25),
                Put(sports.trophy, 1.4, 0.9, 2.25),
                Put(figures.kicker, 7, 1.1),
                Put(sports.shield, -3.8, 1.0),
                Put(sports.shield, 3.8, 1.0),
            ),
        ),
        Composition(
            partial(tabletop, top=(120, 64, 54)),
            (Put(sports.trophy, -2.2, 1.7), Put(sports.shield, 1.6, 1.5)),
            far=(Put(sports.belts, 0, 1.4, 4.6),),
        ),
    ),
}
