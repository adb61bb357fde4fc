"""Scenes of those who move, clean and mend: three each."""

from functools import partial

from studio.camera.scenes.composing import Composition, Put, hang
from studio.camera.scenes.outside import street
from studio.camera.scenes.props import (
    cases,
    cleaning,
    fields,
    flowers,
    furniture,
    houses,
    lamps,
    pipes,
    vehicles,
    walls,
    windows,
)
from studio.camera.scenes.rooms import room, tabletop, tiled, workshop

SETS = {
    "moving": (
        Composition(
            street,
            (
                Put(vehicles.truck, -0.3, 1.1),
                Put(houses.box, 3.9, 0.7, -0.4),
                Put(houses.box, -4.4, 0.75, -0.5),
                Put(houses.boxes, 7.4, 1.0),
                Put(houses.boxes, -7.6, 1.0),
            ),
        ),
        Composition(
            room,
            (
                Put(windows.wide_window, 0, 1.0, 2.6),
                Put(houses.boxes, -1.9, 1.1),
                Put(houses.open_box, 2.2, 1.1),
                Put(flowers.plant, 4.2, 0.9),
                Put(furniture.sofa, 8),
                Put(houses.boxes, -7.2, 1.1),
                Put(windows.dust, 0, 1, 2),
            ),
        ),
        Composition(
            tabletop,
            (
                Put(houses.open_box, -0.9, 1.6),
                Put(pipes.keys, 2.9, 1.0, 2.3),
                Put(flowers.pot_plant, 4.0, 1.5),
            ),
            far=(Put(houses.boxes, 1, 1.5, 0.5),),
        ),
    ),
    "cleaning": (
        Composition(
            partial(tiled, tone="cool"),
            (
                Put(windows.wide_window, 0.8, 1.0, 2.4),
                Put(cleaning.squeegee, 0.8, 1.1, 2.0),
                Put(cleaning.bucket_mop, -2.6, 1.1),
                Put(cleaning.sprays, 3.2, 0.8),
                Put(furniture.sofa, 8.2),
                Put(cleaning.sprays, -7, 1.2),
            ),
        ),
        Composition(
            partial(tabletop, tone="cool", top=(190, 206, 210)),
            (Put(cleaning.sprays, -0.6, 1.6), Put(cleaning.sparkle, 2.4, 1.2, 3.0)),
            far=(Put(windows.wide_window, 0, 1.3, 1.2),),
        ),
        Composition(
            room,
            (
                Put(windows.garden_window, 0, 1.1, 2.6),
                Put(furniture.sofa, -0.6, 1.1),
                Put(cleaning.sparkle, 0.2, 1.3, 3.4),
                Put(cleaning.bucket_mop, 3.6, 1.0),
                Put(flowers.plant, -4.3),
                Put(cases.bookcase, 7.6),
                Put(furniture.armchair, -7.6),
            ),
        ),
    ),
    "plumbing": (
        Composition(
            partial(tiled, tone="cool"),
            (
                Put(pipes.sink, -0.2, 1.25),
                Put(pipes.toolbox, 3.4, 0.9),
                Put(walls.mirror, 0, 0.75, 6.0),
                Put(cleaning.bucket_mop, 7, 1.0),
                Put(pipes.sink, -7, 1.1),
            ),
        ),
        Composition(
            workshop,
            (
                hang(pipes.wrench, -3.4, 0.52, 1.1),
                hang(pipes.pliers, -2.0, 0.52, 1.1),
                hang(pipes.hammer, -0.6, 0.52, 1.1),
                hang(pipes.saw, 0.9, 0.52, 1.1),
                hang(pipes.wrench, 2.4, 0.52, 1.3),
                hang(pipes.pliers, 3.7, 0.52, 1.2),
                Put(pipes.toolbox, -1.6, 0.95),
                Put(pipes.drill, 2.4, 0.9),
                hang(pipes.wrench, 6, 0.52, 1.1),
                hang(pipes.hammer, 7.4, 0.52),
                hang(pipes.saw, -6, 0.52),
                hang(pipes.pliers, -7.4, 0.52),
            ),
        ),
        Composition(
            street,
            (
                Put(vehicles.van, 0, 1.2, -0.3),
                Put(pipes.toolbox, -4.0, 0.6, -0.6),
                Put(houses.front, 9, 1.0),
                Put(fields.tree, -8, 1.1),
            ),
        ),
    ),
    "repair": (
        Composition(
            workshop,
            (
                hang(pipes.hammer, -3.3, 0.52, 1.2),
                hang(pipes.saw, -1.8, 0.52, 1.1),
                hang(pipes.keys, 0, 0.52, 1.1),
                hang(pipes.pliers, 1.7, 0.52, 1.2),
                hang(pipes.wrench, 3.3, 0.52, 1.2),
                Put(pipes.drill, -1.6, 1.1),
                Put(pipes.toolbox, 2.2, 1.0),
                hang(pipes.hammer, 6, 0.52),
                hang(pipes.keys, 7.6, 0.52),
                hang(pipes.saw, -6, 0.52),
                hang(pipes.wrench, -7.6, 0.52),
                hang(lamps.pendant, 0, 0.84),
            ),
        ),
        Composition(
            tabletop,
            (
                Put(pipes.drill, -1.6, 1.4, 0.2),
                Put(pipes.toolbox, 2.0, 1.2),
                Put(furniture.arm_lamp, -4.2, 1.2),
            ),
            far=(
                Put(pipes.hammer, -2.4, 1.5, 4.4),
                Put(pipes.wrench, 0, 1.5, 4.4),
                Put(pipes.saw, 2.4, 1.5, 4.4),
            ),
        ),
        Composition(
            room,
            (
                Put(walls.door, -1.6, 1.1),
                Put(furniture.ladder, 2.0, 1.1),
                Put(pipes.toolbox, 3.7, 0.75),
                hang(lamps.pendant, 2.0, 0.72),
                Put(cases.bookcase, 7.6),
                Put(furniture.sofa, -7.8),
            ),
        ),
    ),
}
