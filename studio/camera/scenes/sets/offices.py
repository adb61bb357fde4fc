"""Scenes of those who counsel: three each."""

from functools import partial

from studio.camera.scenes.composing import Composition, Put, hang
from studio.camera.scenes.outside import outdoors
from studio.camera.scenes.props import (
    cabinet,
    cases,
    fields,
    figures,
    flowers,
    furniture,
    houses,
    vessels,
    walls,
    weather,
    windows,
)
from studio.camera.scenes.rooms import room, tabletop

MEADOW = partial(outdoors, ground=(96, 140, 76))
STUDY = partial(room, tone="wood")

SETS = {
    "law": (
        Composition(
            STUDY,
            (
                Put(cases.law_books, -2.4, 1.05),
                Put(cases.law_books, 2.6, 1.05),
                Put(furniture.desk, 0, 1.3, -0.4),
                Put(furniture.desk_lamp, -1.6, 1.1, 2.1),
                Put(furniture.papers, 0.6, 1.1, 2.1),
                Put(cases.law_books, 7.5),
                Put(cases.law_books, -7.3),
            ),
        ),
        Composition(
            partial(tabletop, tone="wood"),
            (
                Put(cabinet.scales, 0, 1.3),
                Put(cabinet.gavel, 2.9, 0.9, -0.5),
                Put(cases.open_book, -2.9, 1.0, -0.5),
            ),
            far=(Put(cases.law_books, -2.4, 1.1, 0.5), Put(cases.law_books, 2.6, 1.1, 0.5)),
        ),
        Composition(
            partial(room, tone="green"),
            (
                Put(walls.door, 0.6, 1.15),
                hang(walls.picture, -2.8, 0.56, 1.1),
                Put(furniture.armchair, -2.8, 1.0),
                Put(flowers.plant, 3.9, 1.2),
                Put(windows.dust, 1, 1, 1),
                Put(cases.bookcase, -7.4),
                Put(cases.law_books, 7.4),
            ),
        ),
    ),
    "tax": (
        Composition(
            STUDY,
            (
                Put(windows.blinds, 0, 1.1, 2.7),
                Put(furniture.desk, 0, 1.3, -0.3),
                Put(cabinet.chart, -1.3, 0.85, 2.15),
                Put(furniture.papers, 1.3, 1.0, 2.15),
                Put(cabinet.folders, 7, 1.2),
                Put(cases.bookcase, -7.6),
                Put(flowers.plant, 4.2, 1.0),
            ),
        ),
        Composition(
            tabletop,
            (
                Put(cabinet.calculator, -1.6, 1.6),
                Put(furniture.papers, 1.7, 1.8, 0.1),
                Put(vessels.cup, 3.9, 0.7, 0.1),
            ),
            far=(Put(cabinet.folders, 0, 1.6, 0.6), Put(cabinet.chart, 2.4, 1.4, 2.6)),
        ),
        Composition(
            partial(room, tone="cool"),
            (
                Put(cases.bookcase, -2.4, 1.1),
                Put(cabinet.folders, -2.4, 0.9, 6.3),
                Put(windows.wide_window, 2.6, 0.85, 2.6),
                Put(furniture.table, 1.8, 1.1),
                Put(furniture.laptop, 1.2, 0.9, 1.95),
                Put(cabinet.calculator, 2.9, 0.5, 1.95),
                Put(cases.bookcase, 7.8),
                Put(flowers.plant, -7),
            ),
        ),
    ),
    "insurance": (
        Composition(
            MEADOW,
            (
                Put(houses.house, -3.0, 0.85),
                Put(weather.umbrella, 1.4, 1.35),
                Put(figures.family, 1.4, 0.7),
                Put(fields.tree, 8, 1.1),
                Put(fields.tree, -8, 1.1),
                Put(weather.rain, 1.4, 0.8, 4.4),
            ),
        ),
        Composition(
            partial(room, tone="warm"),
            (
                Put(windows.garden_window, 0, 1.1, 2.6),
                Put(furniture.sofa, -0.4, 1.15),
                Put(furniture.floor_lamp, 3.7, 1.1),
                Put(flowers.plant, -4.2),
                hang(walls.picture, -3.0, 0.6),
                Put(cases.bookcase, 7.6),
                Put(furniture.armchair, -7.4),
            ),
        ),
        Composition(
            tabletop,
            (
                Put(furniture.papers, 0.8, 2.0),
                Put(houses.house, -2.4, 0.8, 0.1),
                Put(vessels.cup, 3.8, 0.8),
            ),
            far=(Put(windows.wide_window, 0, 1.3, 1.5),),
        ),
    ),
}
