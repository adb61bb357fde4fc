"""Scenes of those who heal: three each."""

from functools import partial

from studio.camera.scenes.composing import Composition, Put, hang
from studio.camera.scenes.outside import outdoors, street
from studio.camera.scenes.props import (
    cases,
    clinics,
    fields,
    flowers,
    furniture,
    goods,
    houses,
    lamps,
    rites,
    toys,
    vessels,
    walls,
    windows,
)
from studio.camera.scenes.rooms import counter, room, tabletop

MEADOW = partial(outdoors, ground=(96, 140, 76))
WARD = partial(room, tone="white", floor=(196, 190, 180))

SETS = {
    "clinic": (
        Composition(
            WARD,
            (
                Put(clinics.reception, 0, 1.12),
                hang(walls.clock, 0, 0.56, 1.1),
                hang(lamps.spotlight, -2.4, 0.8),
                hang(lamps.spotlight, 2.4, 0.8),
                Put(flowers.plant, 7, 1.3),
                Put(furniture.sofa, -8),
            ),
        ),
        Composition(
            partial(tabletop, tone="cool", top=(206, 210, 212)),
            (
                Put(clinics.stethoscope, -0.4, 1.7),
                Put(furniture.papers, 3.2, 1.2),
                Put(flowers.pot_plant, -4.0, 1.5, 0.3),
            ),
            far=(Put(windows.blinds, 0, 1.4, 1.6),),
        ),
        Composition(
            WARD,
            (
                Put(windows.garden_window, 1.6, 1.1, 2.5),
                Put(clinics.screen_curtain, -3.6, 1.15),
                Put(furniture.bed, 0.5, 1.1),
                Put(clinics.drip_stand, 3.9, 1.1),
                Put(furniture.bed, 8),
                Put(clinics.screen_curtain, -7),
            ),
        ),
    ),
    "dental": (
        Composition(
            WARD,
            (
                Put(windows.blinds, -1.2, 1.1, 2.6),
                Put(clinics.dental_chair, -0.2, 1.15),
                Put(flowers.plant, 4.3, 1.0),
                Put(furniture.desk, 7.6),
                Put(furniture.laptop, 7.6, 0.8, 1.9),
                Put(clinics.screen_curtain, -7.2),
            ),
        ),
        Composition(
            partial(tabletop, tone="cool", top=(210, 218, 220)),
            (Put(clinics.tooth, -0.8, 1.6), Put(clinics.toothbrushes, 2.8, 1.4)),
            far=(Put(clinics.dental_chair, 0, 1.3, 0.6),),
        ),
        Composition(
            WARD,
            (
                Put(clinics.reception, 0, 1.12),
                Put(clinics.tooth, 0, 0.75, 3.6),
                hang(lamps.spotlight, -2.4, 0.8),
                hang(lamps.spotlight, 2.4, 0.8),
                Put(furniture.sofa, 8),
                Put(flowers.plant, -7, 1.2),
            ),
        ),
    ),
    "pharmacy": (
        Composition(
            partial(counter, tone="white", front=(214, 222, 218)),
            (
                Put(goods.medicines, -2.3),
                Put(goods.medicines, 2.3),
                Put(goods.medicines, 7),
                Put(goods.medicines, -7),
                hang(walls.cross_sign, 0, 0.8),
                Put(clinics.capsules, -2.2, 0.9),
                Put(goods.register, 2.4, 0.9),
                Put(flowers.pot_plant, 0, 1.3),
            ),
        ),
        Composition(
            partial(tabletop, tone="green", top=(206, 190, 160)),
            (Put(clinics.mortar, -1.6, 1.5), Put(clinics.capsules, 2.2, 1.3)),
            far=(Put(goods.medicines, 0, 1.3, 0.5), hang(walls.cross_sign, 0, 0.8)),
        ),
        Composition(
            street,
            (
                Put(houses.front, 0, 1.1),
                Put(goods.medicines, -1.5, 0.55, 0.8),
                hang(walls.cross_sign, 3.5, 0.64, 1.1),
                Put(flowers.plant, -4.2),
            ),
        ),
    ),
    "obgyn": (
        Composition(
            partial(room, tone="rose"),
            (
                Put(windows.garden_window, -2.2, 1.0, 2.5),
                Put(clinics.cradle, 0.8, 1.15),
                Put(toys.bear, -3.3, 0.75),
                Put(windows.curtain, 4.3, 1.3),
                Put(furniture.armchair, 7),
                Put(furniture.armchair, -7),
            ),
        ),
        Composition(
            partial(tabletop, tone="rose", top=(232, 206, 190)),
            (
                Put(clinics.baby_shoes, -0.4, 1.5),
                Put(toys.bear, 3.4, 0.9, 0.3),
                Put(flowers.pot_plant, -3.9, 1.5, 0.3),
            ),
            far=(Put(clinics.cradle, 0, 1.3, 0.6),),
        ),
        Composition(
            partial(room, tone="warm"),
            (
                Put(windows.garden_window, 1.2, 1.2, 2.3),
                Put(furniture.bed, 0.2, 1.1),
                Put(flowers.bucket, -3.6, 1.0),
                Put(furniture.floor_lamp, 4.0, 1.1),
                Put(clinics.cradle, 7.2),
                Put(furniture.armchair, -7.4),
            ),
        ),
    ),
    "nursing": (
        Composition(
            partial(room, tone="green"),
            (
                Put(windows.garden_window, -0.4, 1.4, 2.0),
                Put(rites.wheelchair_garden, -1.4, 1.1),
                Put(furniture.round_table, 2.2, 0.95),
                Put(vessels.cup, 2.2, 0.5, 1.6),
                Put(flowers.plant, 4.0, 1.1),
                Put(furniture.armchair, 7),
                Put(cases.bookcase, -7.6),
            ),
        ),
        Composition(
            MEADOW,
            (
                Put(fields.blossom_tree, -2.4, 1.3),
                Put(furniture.bench, 1.5, 1.2),
                Put(fields.tree, 8, 1.1),
                Put(fields.tree, -8, 1.1),
            ),
        ),
        Composition(
            partial(tabletop, tone="warm"),
            (Put(rites.tea, -0.4, 1.4), Put(flowers.pot_plant, 3.6, 1.9)),
            far=(Put(windows.garden_window, 0, 1.4, 1.4),),
        ),
    ),
}
