"""The seed of a stage's input, where it has one. Pure."""

from resources.contract.protocol import StageInput

SEED = "seed"


def seeded_for(job_input: StageInput, generation: int) -> StageInput:
    """The input of this generation: what is made again has another seed, so that it comes out another way.

    A seed that is no text stays as it is: its maker expects its type.
    """
    seed = job_input.get(SEED)
    if generation == 1 or not isinstance(seed, str):
        return job_input
    return {**job_input, SEED: f"{seed}#{generation}"}
