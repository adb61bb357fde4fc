"""Scenes of those who make people look well: three each."""

from functools import partial

from studio.camera.scenes.composing import Composition, Put, hang
from studio.camera.scenes.outside import street
from studio.camera.scenes.props import (
    baths,
    cases,
    cleaning,
    flowers,
    food,
    furniture,
    goods,
    houses,
    lamps,
    rites,
    salon,
    studio,
    vessels,
    walls,
    weights,
    windows,
)
from studio.camera.scenes.rooms import counter, hall, room, tabletop

SETS = {
    "hair": (
        Composition(
            partial(room, tone="rose"),
            (
                Put(walls.bulb_mirror, 0, 1.2, 2.4),
                Put(salon.salon_chair, 0, 1.15, -0.3),
                Put(furniture.table, -3.3, 0.7),
                Put(salon.bottles, -3.3, 0.9, 1.2),
                Put(flowers.plant, 3.6, 1.2),
                Put(walls.bulb_mirror, 7.2, 1.2, 2.4),
                Put(salon.salon_chair, 7.2, 1.15, -0.3),
                Put(walls.bulb_mirror, -7.2, 1.2, 2.4),
                Put(salon.salon_chair, -7.2, 1.15, -0.3),
            ),
        ),
        Composition(
            street,
            (
                Put(houses.front, -0.7, 1.05),
                Put(salon.barber_pole, 3.6, 1.15, 1.6),
                Put(flowers.plant, -4.4, 1.0),
                Put(salon.salon_chair, -2.2, 0.7, 0.9),
            ),
        ),
        Composition(
            partial(tabletop, tone="rose"),
            (
                Put(salon.scissors, -1.9, 1.3, 0.4),
                Put(salon.dryer, 1.7, 1.5, 0.6),
                Put(salon.comb, 0.2, 1.3, -0.9),
            ),
            far=(Put(walls.bulb_mirror, 0, 1.6, 0.8),),
        ),
    ),
    "nail": (
        Composition(
            partial(tabletop, tone="rose", top=(236, 206, 204)),
            (
                Put(goods.polish, -2.7, 2.2),
                Put(goods.polish, -1.3, 2.7),
                Put(goods.polish, 0.3, 3.0),
                Put(goods.polish, 1.8, 2.5),
                Put(goods.polish, 3.1, 2.1),
                Put(cleaning.sparkle, 0, 1.3, 3.2),
            ),
            far=(Put(goods.polishes, -2.4, 1.2, 0.5), Put(goods.polishes, 3, 1.2, 0.5)),
        ),
        Composition(
            partial(room, tone="rose"),
            (
                Put(goods.polishes, -2.6, 1.0, 0.3),
                Put(walls.mirror, 2.8, 1.1, 1.8),
                hang(lamps.pendant, 0.4, 0.6),
                Put(furniture.desk, 0.4, 1.05, -0.3),
                Put(furniture.arm_lamp, -0.6, 0.8, 1.7),
                Put(goods.polish, 0.8, 0.9, 1.7),
                Put(goods.polish, 1.4, 0.9, 1.7),
                Put(goods.polishes, 7),
                Put(furniture.armchair, -7, 1.1),
            ),
        ),
        Composition(
            partial(counter, tone="rose", front=(226, 190, 190)),
            (
                Put(goods.polishes, -2.0, 1.0),
                Put(goods.polishes, 2.0, 1.0),
                hang(lamps.neon, 0, 0.78, 0.8),
                Put(goods.polish, -1.2, 1.4),
                Put(goods.polish, 0, 1.6),
                Put(goods.polish, 1.2, 1.4),
                Put(flowers.pot_plant, 3.6, 1.5),
                Put(goods.polishes, 7),
                Put(goods.polishes, -7),
            ),
        ),
    ),
    "beauty": (
        Composition(
            partial(room, tone="rose"),
            (
                Put(windows.curtain, -3.8, 1.3),
                hang(lamps.paper_lamp, 0.4, 0.6),
                Put(furniture.bed, 0.4, 1.15),
                Put(food.candle, -3.0, 0.9, 1.5),
                Put(furniture.table, -3.1, 0.7),
                Put(flowers.plant, 4.2, 1.1),
                Put(windows.curtain, 7, 1.3),
                Put(flowers.plant, -7.2, 1.2),
            ),
        ),
        Composition(
            partial(tabletop, tone="rose", top=(206, 176, 158)),
            (
                Put(baths.towels, -1.9, 1.25),
                Put(salon.bottles, 1.5, 1.5),
                Put(food.candle, 3.7, 1.2, -0.2),
                Put(weights.stones, -4.0, 0.9, -0.3),
            ),
            far=(Put(flowers.plant, -3, 1.5, 0.5), Put(walls.bulb_mirror, 2, 1.3, 1.0)),
        ),
        Composition(
            partial(room, tone="warm"),
            (
                Put(walls.bulb_mirror, 0, 1.25, 2.2),
                Put(furniture.desk, 0, 1.05, -0.2),
                Put(salon.bottles, -1.2, 0.8, 1.75),
                Put(food.candle, 1.5, 0.7, 1.75),
                Put(furniture.stool, 0, 1.0, -0.7),
                Put(flowers.plant, 3.9, 1.1),
                Put(windows.curtain, -3.9, 1.2),
                Put(furniture.sofa, 8.2),
            ),
        ),
    ),
    "photo": (
        Composition(
            partial(room, tone="grey", panel=False),
            (
                Put(studio.backdrop, 0, 1.1),
                Put(furniture.stool, 0, 1.15),
                Put(studio.softbox, -3.4, 1.0),
                Put(studio.tripod, 3.2, 1.1, -0.4),
                Put(studio.softbox, 7, 1.1),
                Put(cases.bookcase, -7.6),
            ),
        ),
        Composition(
            tabletop,
            (
                Put(studio.camera, 0, 2.0),
                Put(walls.portrait, -3.6, 1.2, 1.1),
                Put(walls.portrait, 3.7, 1.0, 0.9),
            ),
            far=(Put(studio.softbox, 2.6, 1.2, 0.5),),
        ),
        Composition(
            room,
            (
                hang(walls.portrait, -2.7, 0.62, 1.2),
                hang(walls.picture, 0, 0.62, 1.3),
                hang(walls.portrait, 2.7, 0.62, 1.2),
                hang(walls.picture, -2.7, 0.36),
                hang(walls.portrait, 0, 0.34, 1.1),
                hang(walls.picture, 2.7, 0.36),
                hang(walls.portrait, 6.4, 0.55, 1.2),
                hang(walls.portrait, -6.4, 0.55, 1.2),
                hang(lamps.spotlight, -1.4, 0.86),
                hang(lamps.spotlight, 1.4, 0.86),
                Put(furniture.armchair, -3.2, 0.9, -0.3),
                Put(studio.tripod, 3.0, 0.9, -0.3),
            ),
        ),
    ),
    "wedding": (
        Composition(
            partial(hall, tone="rose"),
            (
                Put(rites.flower_arch, 0, 1.05),
                Put(food.candle, -1.5, 1.1),
                Put(food.candle, 1.5, 1.1),
                Put(flowers.petals),
                Put(flowers.bucket, 6.6, 1.1),
                Put(flowers.bucket, -6.6, 1.1),
            ),
        ),
        Composition(
            partial(room, tone="rose"),
            (
                Put(walls.mirror, 2.6, 1.3, 0.4),
                Put(rites.wedding_dress, -0.9, 1.25),
                hang(lamps.fairy_lights, 0, 0.74),
                Put(flowers.bucket, -3.9, 0.9),
                Put(rites.wedding_dress, 7, 1.1),
                Put(windows.curtain, -7, 1.3),
            ),
        ),
        Composition(
            tabletop,
            (
                Put(rites.wedding_cake, 0, 1.4),
                Put(food.candle, -2.8, 1.1),
                Put(vessels.wine, 2.6, 1.0),
                Put(vessels.wine, 3.6, 1.0),
                Put(flowers.petals),
            ),
            far=(Put(rites.flower_arch, 0, 1.1, 0.5),),
        ),
    ),
}
