"""Scenes of those who sell and mend bicycles: three."""

from functools import partial

from studio.camera.scenes.composing import Composition, Put, hang
from studio.camera.scenes.outside import outdoors
from studio.camera.scenes.props import bicycles, cycling, fields, flowers, lamps, pipes
from studio.camera.scenes.rooms import room

SETS = {
    "bike": (
        Composition(
            partial(room, tone="cool", floor=(142, 132, 122), panel=False),
            (
                Put(cycling.tool_board, 0.2, 1.0, 3.6),
                Put(bicycles.repair_stand, 0, 1.15, -0.5),
                Put(cycling.floor_pump, 3.9, 0.9, -0.3),
                Put(pipes.toolbox, -3.7, 0.75, -0.5),
                Put(flowers.plant, 7.4, 1.2),
                Put(pipes.toolbox, -7.4, 1.0),
            ),
        ),
        Composition(
            partial(room, tone="warm"),
            (
                Put(bicycles.hanging((198, 70, 60), 7.0), 0, 0.85, 4.15),
                Put(bicycles.hanging((240, 196, 80), 9.0), -7.6, 0.85, 3.2),
                Put(bicycles.hanging((236, 236, 232), 8.0), 7.6, 0.85, 3.2),
                Put(cycling.helmets, 0, 0.85, 3.1),
                Put(bicycles.standing_bicycle, 0, 1.0, -0.8),
                Put(cycling.floor_pump, 4.1, 0.8, -0.2),
                hang(lamps.pendant, -3.4, 0.84),
                hang(lamps.pendant, 3.4, 0.84),
            ),
        ),
        Composition(
            partial(outdoors, ground=(104, 150, 86)),
            (
                Put(cycling.river, 0, 1.0, 0.0),
                Put(fields.tree, -4.4, 1.3, 0.1),
                Put(cycling.bench, 3.1, 0.85, -0.1),
                Put(bicycles.parked_bicycle, -1.4, 1.1, -0.9),
                Put(fields.tree, 8, 1.3, 0.1),
                Put(fields.tree, -9, 1.2, 0.1),
            ),
        ),
    ),
}
