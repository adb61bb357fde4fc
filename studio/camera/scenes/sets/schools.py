"""Scenes of those who teach: three each."""

from functools import partial

from studio.camera.scenes.composing import Composition, Put, hang
from studio.camera.scenes.outside import outdoors
from studio.camera.scenes.props import (
    arts,
    cabinet,
    cases,
    cleaning,
    fields,
    flowers,
    furniture,
    instruments,
    lamps,
    toys,
    vessels,
    walls,
    weights,
    windows,
)
from studio.camera.scenes.rooms import hall, room, tabletop

MEADOW = partial(outdoors, ground=(96, 140, 76))
STUDY = partial(room, tone="wood")

SETS = {
    "academy": (
        Composition(
            partial(room, tone="green"),
            (
                Put(walls.board, 0, 1.15, 2.9),
                Put(furniture.desk, 0, 1.0),
                Put(cabinet.globe, -1.4, 0.8, 1.9),
                Put(cases.stack, 1.2, 0.7, 1.9),
                hang(walls.clock, 0, 0.84),
                Put(cases.bookcase, 7.6),
                Put(flowers.plant, -7, 1.2),
            ),
        ),
        Composition(
            tabletop,
            (
                Put(cases.open_book, 0, 1.9),
                Put(cabinet.pencils, -3.2, 1.3),
                Put(furniture.arm_lamp, 2.7, 1.5),
            ),
            far=(Put(walls.board, 0, 1.2, 1.4),),
        ),
        Composition(
            room,
            (
                Put(cases.bookcase, -2.0, 1.15),
                Put(windows.garden_window, 2.7, 1.0, 2.2),
                Put(furniture.table, 1.9, 1.0),
                Put(cases.open_book, 1.9, 0.7, 1.75),
                Put(furniture.chair, 3.9, 0.9),
                Put(cases.bookcase, 7.6),
                Put(cases.bookcase, -7.4),
            ),
        ),
    ),
    "music": (
        Composition(
            room,
            (
                Put(instruments.piano, -0.6, 1.15),
                Put(furniture.stool, -0.6, 1.0, -0.6),
                Put(instruments.guitar, 3.6, 0.95),
                hang(walls.picture, -2.6, 0.66),
                hang(lamps.pendant, 0.6, 0.72),
                Put(instruments.guitar, 7, 1.1),
                Put(instruments.drums, -7.2, 1.0),
            ),
        ),
        Composition(
            partial(room, tone="dark", floor=(90, 66, 60)),
            (
                Put(instruments.drums, -0.9, 1.15),
                Put(instruments.guitar, 3.2, 1.1),
                hang(lamps.spotlight, -2, 0.84),
                hang(lamps.spotlight, 2, 0.84),
                Put(weights.speaker, 6.6, 1.2),
                Put(weights.speaker, -6.6, 1.2),
            ),
        ),
        Composition(
            tabletop,
            (Put(instruments.microphone, -0.6, 1.15, 1.6), Put(instruments.notes, 2.2, 1.5, 2.0)),
            far=(Put(instruments.piano, 1.5, 1.4, 0.5),),
        ),
    ),
    "art": (
        Composition(
            partial(hall, tone="warm"),
            (
                Put(arts.canvas, -1.0, 1.15),
                Put(arts.canvas, 3.2, 0.9, 0.1),
                Put(furniture.stool, -3.4, 1.0),
                Put(windows.dust, 0, 1, 2),
                Put(arts.canvas, 7.4, 1.1),
                Put(arts.canvas, -7.2, 1.0),
            ),
        ),
        Composition(
            tabletop,
            (
                Put(arts.palette_board, 0.6, 1.7),
                Put(arts.brushes, -3.0, 1.6),
                Put(cleaning.paint_can, 4.0, 0.9, 0.2),
            ),
            far=(Put(arts.canvas, -2, 1.3, 0.5), Put(arts.canvas, 2.8, 1.3, 0.5)),
        ),
        Composition(
            room,
            (
                Put(arts.potter, -0.4, 1.2),
                hang(lamps.pendant, -0.4, 0.7),
                Put(arts.pots, 0, 0.95, 4.6),
                Put(furniture.table, 4.0, 0.9),
                Put(arts.pots, 4.0, 0.6, 1.6),
                Put(flowers.plant, -3.9, 1.1),
                Put(arts.pots, 7.6, 1.2),
                Put(arts.pots, -7.2, 1.2),
            ),
        ),
    ),
    "kindergarten": (
        Composition(
            partial(room, tone="warm"),
            (
                hang(lamps.bunting, 0, 0.7),
                Put(windows.garden_window, 0, 1.1, 2.5),
                Put(toys.small_chairs, 0.2, 1.15),
                hang(toys.balloons, -3.2, 0.6),
                Put(toys.bear, 3.6, 0.9),
                Put(toys.blocks, 7, 1.2),
                Put(toys.slide, -7.4, 1.0),
            ),
        ),
        Composition(
            MEADOW,
            (
                Put(fields.tree, -3.8, 1.1),
                Put(toys.slide, -0.2, 1.2),
                hang(toys.balloons, 3.6, 0.5),
                Put(toys.bear, 3.4, 0.8, -0.3),
                Put(fields.tree, 8, 1.1),
                Put(fields.tree, -8, 1.1),
            ),
        ),
        Composition(
            partial(tabletop, tone="warm", top=(236, 200, 140)),
            (Put(toys.bear, -2.2, 1.3), Put(toys.blocks, 1.8, 1.2)),
            far=(hang(lamps.bunting, 0, 0.5),),
        ),
    ),
    "studycafe": (
        Composition(
            partial(room, tone="grey"),
            (
                Put(arts.cubicle, -2.1, 1.1),
                Put(arts.cubicle, 2.1, 1.1),
                Put(arts.cubicle, 6.3, 1.1),
                Put(arts.cubicle, -6.3, 1.1),
                hang(lamps.pendant, 0, 0.74),
            ),
        ),
        Composition(
            tabletop,
            (
                Put(cases.open_book, 0, 1.7),
                Put(furniture.arm_lamp, -3.2, 1.5),
                Put(vessels.cup, 3.2, 1.0),
            ),
            far=(Put(cases.bookcase, 0, 1.3, 0.5),),
        ),
        Composition(
            STUDY,
            (
                Put(windows.wide_window, 0, 1.2, 2.3),
                Put(furniture.table, 0, 1.6),
                Put(furniture.laptop, -1.4, 0.8, 2.8),
                Put(vessels.small_cup, 0.4, 1.2, 2.8),
                Put(cases.stack, 1.7, 0.6, 2.8),
                hang(lamps.pendant, -1.8, 0.8),
                hang(lamps.pendant, 1.8, 0.8),
                Put(cases.bookcase, 7.6),
                Put(cases.bookcase, -7.6),
            ),
        ),
    ),
}
