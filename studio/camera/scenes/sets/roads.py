"""Scenes of cars and of those who travel: three each."""

from functools import partial

from studio.camera.scenes.composing import Composition, Put, hang
from studio.camera.scenes.outside import outdoors, street
from studio.camera.scenes.props import (
    cleaning,
    fields,
    flowers,
    furniture,
    houses,
    lamps,
    pipes,
    vehicles,
    vessels,
    windows,
)
from studio.camera.scenes.rooms import hall, room, tabletop, tiled, workshop

NIGHT = partial(street, evening=True)

SETS = {
    "car": (
        Composition(
            partial(hall, tone="grey", floor=(110, 110, 116)),
            (
                Put(vehicles.lifted_car, 0, 1.1),
                Put(pipes.tires, -4.0, 0.7, -0.2),
                Put(pipes.toolbox, 3.4, 0.75, -0.3),
                Put(pipes.tires, 7, 1.0),
                Put(pipes.tires, -7.4, 1.0),
            ),
        ),
        Composition(
            workshop,
            (
                hang(pipes.wrench, -3.4, 0.52, 1.2),
                hang(pipes.wrench, -2.2, 0.52, 1.0),
                hang(pipes.pliers, -1.0, 0.52, 1.1),
                hang(pipes.hammer, 0.5, 0.52, 1.1),
                hang(pipes.wrench, 2.0, 0.52, 1.3),
                hang(pipes.pliers, 3.4, 0.52),
                Put(pipes.tires, -2.4, 1.0),
                Put(pipes.wheel, 0.4, 1.0),
                Put(pipes.drill, 3.0, 0.9),
                Put(pipes.tires, 7),
                Put(pipes.tires, -7),
            ),
        ),
        Composition(
            NIGHT,
            (
                Put(vehicles.car, 0, 1.25, -0.5),
                hang(lamps.fairy_lights, 0, 0.66),
                Put(fields.tree, 8.4, 1.1),
                Put(fields.tree, -8, 1.1),
            ),
        ),
    ),
    "carwash": (
        Composition(
            partial(tiled, tone="cool", floor=(130, 140, 148)),
            (
                Put(vehicles.wash_brushes, 0, 1.1),
                Put(vehicles.foam_car, 0, 1.05, -0.3),
                Put(cleaning.bucket_mop, 7),
                Put(cleaning.sprays, -7, 1.2),
            ),
        ),
        Composition(
            partial(tabletop, tone="cool", top=(96, 120, 140)),
            (Put(cleaning.bucket_mop, -1.8, 1.3), Put(cleaning.sprays, 2.0, 1.2)),
            far=(Put(vehicles.car, 0, 1.4, 0.6),),
        ),
        Composition(
            street,
            (
                Put(vehicles.car, 0, 1.25, -0.4),
                Put(cleaning.sparkle, 0, 1.4, 3.4),
                Put(cleaning.bucket_mop, 4.2, 0.75, -0.5),
                Put(fields.tree, 8.4, 1.1),
                Put(fields.tree, -8, 1.1),
            ),
        ),
    ),
    "stay": (
        Composition(
            partial(room, tone="warm"),
            (
                Put(windows.wide_window, 0.6, 1.15, 2.5),
                Put(furniture.bed, 0.2, 1.15),
                Put(furniture.floor_lamp, -3.9, 1.1),
                hang(lamps.paper_lamp, 2.8, 0.76),
                Put(flowers.plant, 4.3),
                Put(furniture.armchair, 7.2),
                Put(windows.curtain, -6.8, 1.3),
            ),
        ),
        Composition(
            partial(outdoors, ground=(66, 92, 70)),
            (
                Put(houses.house, -2.4, 1.15),
                Put(houses.campfire, 2.4, 0.9),
                Put(furniture.chair, 4.2, 0.8),
                Put(fields.tree, 8, 1.3),
                Put(fields.tree, -8, 1.3),
                hang(lamps.fairy_lights, 0, 0.5),
            ),
        ),
        Composition(
            tabletop,
            (
                Put(vessels.cup, -1.6, 1.4),
                Put(pipes.keys, 2.2, 1.1, 2.4),
                Put(flowers.pot_plant, 4.0, 1.5),
            ),
            far=(Put(furniture.bed, 0, 1.5, 0.6),),
        ),
    ),
}
