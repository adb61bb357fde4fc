"""The seed of a stage that is made again."""

from resources.purchase.stage_run import seeded_for


def test_stage_that_is_made_again_has_another_seed() -> None:
    job_input = {"seed": "shop-1", "title": "봄날"}
    assert seeded_for(job_input, 1) == job_input
    assert seeded_for(job_input, 2) == {"seed": "shop-1#2", "title": "봄날"}


def test_seed_that_is_no_text_stays_as_it_is() -> None:
    assert seeded_for({"seed": 5}, 2) == {"seed": 5}


def test_input_without_a_seed_stays_as_it_is() -> None:
    assert seeded_for({"title": "봄날"}, 3) == {"title": "봄날"}
