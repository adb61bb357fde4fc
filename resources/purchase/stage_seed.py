"""The seed of a stage's input, where it has one. Pure."""

from resources.contract.protocol import StageInput

SEED = "seed"


def seeded_for(order: StageInput, generation: int) -> StageInput:
    """The input of this generation: what is made again has another seed, so that it comes out another way."""
    if generation == 1 or SEED not in order:
        return order
    return {**order, SEED: f"{order[SEED]}#{generation}"}
