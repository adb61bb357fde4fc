"""Scenes of those who sell what is kept: three each."""

from functools import partial

from studio.camera.scenes.composing import Composition, Put, hang
from studio.camera.scenes.outside import street
from studio.camera.scenes.props import (
    cases,
    flowers,
    furniture,
    goods,
    houses,
    lamps,
    salon,
    treasures,
    vessels,
    walls,
    windows,
)
from studio.camera.scenes.rooms import counter, room, tabletop

NIGHT = partial(street, evening=True)

SETS = {
    "clothes": (
        Composition(
            partial(room, tone="rose"),
            (
                Put(goods.clothes_rail, -1.6, 1.15),
                Put(treasures.mannequin, 3.0, 1.2),
                hang(lamps.spotlight, -2, 0.8),
                hang(lamps.spotlight, 2.6, 0.8),
                Put(goods.shoe_shelf, 7, 1.0),
                Put(goods.clothes_rail, -7.4, 1.1),
            ),
        ),
        Composition(
            NIGHT,
            (
                Put(windows.wide_window, 0, 1.4, 0.9),
                Put(treasures.mannequin, -1.6, 1.2, 0.3),
                Put(treasures.mannequin, 1.7, 1.2, 0.3),
                hang(lamps.fairy_lights, 0, 0.7),
                Put(flowers.plant, 4.2),
                Put(flowers.plant, -4.2),
            ),
        ),
        Composition(
            room,
            (
                Put(walls.mirror, 0.2, 1.4, 0.3),
                Put(treasures.hanbok, -2.8, 1.15),
                Put(goods.shoe_shelf, 3.2, 0.95),
                Put(goods.clothes_rail, 7.4),
                Put(treasures.hanbok, -7, 1.1),
            ),
        ),
    ),
    "jewelry": (
        Composition(
            partial(tabletop, top=(70, 46, 66)),
            (Put(treasures.ring, 0, 1.5),),
            far=(Put(treasures.necklace, -3, 1.5, 0.6), Put(treasures.necklace, 3, 1.5, 0.6)),
        ),
        Composition(
            partial(counter, tone="dark"),
            (
                hang(lamps.spotlight, -2.6, 0.72),
                hang(lamps.spotlight, 0, 0.72),
                hang(lamps.spotlight, 2.6, 0.72),
                Put(treasures.necklace, -2.7, 1.15),
                Put(treasures.necklace, 0, 1.35),
                Put(treasures.necklace, 2.7, 1.15),
                Put(treasures.watch, 5.6),
                Put(treasures.watch, -5.6),
                Put(treasures.necklace, 8),
                Put(treasures.necklace, -8),
            ),
        ),
        Composition(
            partial(tabletop, top=(84, 66, 54)),
            (Put(treasures.watch, -1.7, 1.5), Put(treasures.ring, 2.2, 0.95, -0.2)),
            far=(Put(walls.clock, -2.6, 1.5, 3.8), Put(walls.clock, 2.2, 1.8, 4.4)),
        ),
    ),
    "phone": (
        Composition(
            partial(tabletop, tone="cool", top=(190, 196, 206)),
            (
                Put(treasures.phone, -2.4, 1.2),
                Put(treasures.phone, 0, 1.45),
                Put(treasures.phone, 2.5, 1.2),
            ),
            far=(Put(goods.cases, -2.4, 1.2, 0.5), Put(goods.cases, 3, 1.2, 0.5)),
        ),
        Composition(
            partial(counter, tone="white", front=(206, 210, 218)),
            (
                Put(goods.cases, -2.5, 1.05),
                Put(goods.cases, 2.5, 1.05),
                Put(goods.cases, 7.2),
                Put(goods.cases, -7.2),
                Put(treasures.phone, -1.2, 0.75),
                Put(treasures.phone, 0.7, 0.75),
                Put(goods.register, 3.0, 0.9),
                hang(lamps.spotlight, 0, 0.8),
            ),
        ),
        Composition(
            NIGHT,
            (
                Put(houses.front, 0, 1.1),
                Put(treasures.phone, -2.6, 0.8, 1.0),
                Put(treasures.phone, -1.2, 0.8, 1.0),
                Put(treasures.phone, 0.2, 0.8, 1.0),
                hang(lamps.neon, 0, 0.78, 0.8),
            ),
        ),
    ),
    "books": (
        Composition(
            partial(room, tone="wood"),
            (
                Put(cases.bookcase, -2.4, 1.12),
                Put(cases.bookcase, 2.6, 1.12),
                Put(cases.bookcase, 7.4, 1.12),
                Put(cases.bookcase, -7.4, 1.12),
                Put(furniture.ladder, 0.3, 1.1),
                hang(lamps.pendant, 0, 0.76),
                Put(cases.stack, -2.9, 0.9, -0.3),
            ),
        ),
        Composition(
            tabletop,
            (
                Put(cases.open_book, 0, 1.8),
                Put(cases.stack, -3.4, 1.2, 0.2),
                Put(vessels.cup, 3.2, 0.95),
            ),
            far=(Put(cases.bookcase, -2.4, 1.2, 0.5), Put(cases.bookcase, 3, 1.2, 0.5)),
        ),
        Composition(
            room,
            (
                Put(windows.garden_window, -1.8, 1.2, 2.0),
                Put(furniture.armchair, 1.8, 1.15),
                Put(furniture.floor_lamp, 3.7, 1.2),
                Put(cases.stack, -0.8, 0.8),
                Put(flowers.plant, -3.9),
                Put(cases.bookcase, 7.6),
                Put(cases.bookcase, -7.4),
            ),
        ),
    ),
    "flower": (
        Composition(
            partial(room, tone="green"),
            (
                Put(flowers.bucket, -2.9, 1.15),
                Put(flowers.bucket, 2.9, 1.15),
                Put(furniture.table, 0, 1.0),
                Put(flowers.bouquet, 0, 0.95, 1.7),
                hang(flowers.hanging_plant, -2.8, 0.68),
                hang(flowers.hanging_plant, 2.8, 0.74),
                Put(flowers.petals),
                Put(flowers.bucket, -6, 1.3),
                Put(flowers.bucket, 6.2, 1.3),
                Put(flowers.plant, 8.4),
                Put(flowers.plant, -8.2),
            ),
        ),
        Composition(
            tabletop,
            (
                Put(flowers.bouquet, 0, 1.5, 0.1),
                Put(salon.scissors, 3.5, 0.6, -0.6),
                Put(flowers.petals),
            ),
            far=(Put(flowers.bucket, -3, 1.6, 0.5), Put(flowers.bucket, 3, 1.6, 0.5)),
        ),
        Composition(
            street,
            (
                Put(houses.front, 0, 1.05),
                Put(flowers.bucket, -3.3, 1.05, -0.3),
                Put(flowers.bucket, -1.3, 1.05, -0.3),
                Put(flowers.bucket, 0.7, 1.05, -0.3),
                Put(flowers.bucket, 3.9, 1.0, -0.3),
                hang(lamps.fairy_lights, 0, 0.72),
                Put(flowers.petals),
                Put(flowers.bucket, 6.2, 1.1),
                Put(flowers.bucket, -6, 1.1),
            ),
        ),
    ),
    "optician": (
        Composition(
            partial(counter, tone="white", front=(206, 196, 182)),
            (
                Put(goods.spectacles, -2.4, 1.05),
                Put(goods.spectacles, 2.5, 1.05),
                Put(goods.spectacles, 7.3),
                Put(goods.spectacles, -7.3),
                Put(goods.glasses, -2, 1.2),
                Put(goods.glasses, 2.2, 1.2),
            ),
        ),
        Composition(
            partial(tabletop, top=(196, 170, 140)),
            (Put(goods.glasses, -0.9, 2.6, 0.2), Put(goods.glasses, 2.7, 1.4, -0.8)),
            far=(Put(treasures.eye_chart, 1.0, 1.5, 0.8),),
        ),
        Composition(
            partial(room, tone="cool"),
            (
                Put(treasures.eye_chart, 0.9, 1.15, 1.9),
                Put(salon.salon_chair, -2.4, 1.1),
                Put(furniture.desk, 8, 1.0),
                Put(goods.spectacles, -7, 1.0),
                Put(flowers.plant, 3.7, 1.1),
            ),
        ),
    ),
}
