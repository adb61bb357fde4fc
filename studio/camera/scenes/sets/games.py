"""Scenes of play: three each."""

from functools import partial

from studio.camera.scenes.composing import Composition, Put, hang
from studio.camera.scenes.outside import outdoors
from studio.camera.scenes.props import (
    animals,
    cleaning,
    fields,
    flowers,
    furniture,
    goods,
    instruments,
    lamps,
    parties,
    salon,
    weights,
    windows,
)
from studio.camera.scenes.rooms import hall, room, tabletop, tiled

MEADOW = partial(outdoors, ground=(96, 140, 76))
DARK = partial(room, tone="dark", floor=(70, 60, 86), panel=False)

SETS = {
    "pcbang": (
        Composition(
            DARK,
            (
                Put(furniture.desk, -2.4, 1.0),
                Put(parties.monitor, -2.4, 1.05, 1.9),
                Put(furniture.desk, 2.4, 1.0),
                Put(parties.monitor, 2.4, 1.05, 1.9),
                Put(parties.game_chair, -2.4, 0.95, -0.8),
                Put(parties.game_chair, 2.4, 0.95, -0.8),
                hang(lamps.neon, 0, 0.76),
                Put(parties.monitor, 7, 1.05, 1.9),
                Put(furniture.desk, 7),
                Put(parties.monitor, -7, 1.05, 1.9),
                Put(furniture.desk, -7),
            ),
        ),
        Composition(
            partial(tabletop, top=(40, 40, 56)),
            (Put(parties.keyboard, -0.4, 1.4), Put(parties.headset, -3.9, 1.0, 0.7)),
            far=(Put(parties.monitor, 0, 2.1, 0.6),),
        ),
        Composition(
            DARK,
            (
                Put(furniture.desk, 0, 1.3),
                Put(parties.monitor, -1.1, 1.15, 2.45),
                Put(parties.headset, 2.2, 0.7, 2.45),
                Put(parties.game_chair, 0.3, 1.2, -0.8),
                Put(weights.speaker, -3.9, 0.9),
                Put(weights.speaker, 4.2, 0.9),
                hang(lamps.neon, 2.4, 0.7, 0.8),
                Put(goods.fridge, 8),
                Put(goods.fridge, -8),
            ),
        ),
    ),
    "karaoke": (
        Composition(
            DARK,
            (
                Put(parties.song_screen, 0, 1.1, 2.2),
                hang(parties.disco_ball, 0, 0.84),
                Put(furniture.sofa, -1.6, 0.95, -0.6),
                Put(instruments.stand_microphone, 3.2, 1.15, -0.4),
                Put(weights.speaker, 7, 1.2),
                Put(weights.speaker, -7, 1.2),
            ),
        ),
        Composition(
            partial(tabletop, top=(60, 44, 84)),
            (Put(instruments.microphone, -0.8, 1.25, 2.0), Put(parties.tambourine, 2.9, 1.3)),
            far=(Put(parties.song_screen, 0, 1.5, 1.0),),
        ),
        Composition(
            partial(hall, tone="dark", floor=(84, 60, 96)),
            (
                hang(parties.disco_ball, 0, 0.76, 1.2),
                Put(weights.speaker, -3.4, 1.25),
                Put(weights.speaker, 3.6, 1.25),
                Put(instruments.stand_microphone, 0, 1.3),
                Put(parties.confetti),
                Put(furniture.sofa, 8),
                Put(furniture.sofa, -8),
            ),
        ),
    ),
    "pet": (
        Composition(
            room,
            (
                Put(windows.garden_window, 0, 1.1, 2.5),
                Put(animals.dog, -1.5, 1.35),
                Put(animals.cat, 2.3, 1.15),
                Put(weights.exercise_ball, 4.2, 0.35),
                Put(flowers.plant, -4.2),
                Put(furniture.sofa, 8),
                Put(animals.cat, -7, 1.2),
            ),
        ),
        Composition(
            partial(tiled, tone="cool"),
            (
                Put(furniture.table, 0, 1.4),
                Put(animals.dog, 0, 1.0, 2.4),
                Put(salon.bottles, -3.4, 1.0),
                Put(cleaning.sparkle, 0, 1.5, 5.4),
                Put(salon.dryer, 3.6, 0.8),
                Put(animals.dog, 7, 1.1),
                Put(goods.groceries, -7.2),
            ),
        ),
        Composition(
            MEADOW,
            (
                Put(fields.tree, -3.4, 1.2),
                Put(animals.dog, 0.4, 1.35, -0.4),
                Put(animals.dog, 3.2, 0.8, -0.2),
                Put(weights.exercise_ball, -1.9, 0.3, -0.3),
                Put(fields.tree, 8, 1.1),
                Put(fields.tree, -8, 1.1),
                Put(flowers.petals),
            ),
        ),
    ),
}
