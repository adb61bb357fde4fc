"""Every composed scene by its name: three of each trade, the main one first, and those of weather."""

from studio.camera.scenes.composing import Composition
from studio.camera.scenes.sets import (
    boutiques,
    clinics,
    cycling,
    drinks,
    games,
    grocers,
    homes,
    interiors,
    kitchens,
    leisure,
    looks,
    offices,
    roads,
    schools,
    solace,
    takeaways,
    training,
    weather,
)

OF_TRADES: dict[str, tuple[Composition, Composition, Composition]] = {
    **drinks.SETS,
    **kitchens.SETS,
    **takeaways.SETS,
    **grocers.SETS,
    **boutiques.SETS,
    **looks.SETS,
    **training.SETS,
    **leisure.SETS,
    **schools.SETS,
    **clinics.SETS,
    **offices.SETS,
    **solace.SETS,
    **homes.SETS,
    **interiors.SETS,
    **roads.SETS,
    **cycling.SETS,
    **games.SETS,
}
COMPOSITIONS: dict[str, Composition] = {
    **{
        f"{trade}-{number}": composition
        for trade, three in OF_TRADES.items()
        for number, composition in enumerate(three, 1)
    },
    **weather.WEATHER,
    **solace.HOUSES,
}
