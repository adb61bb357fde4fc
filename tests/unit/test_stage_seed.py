"""The seed of a stage that is made again."""

from resources.purchase.submission import seed_generation


def test_stage_that_is_made_again_has_another_seed():
    job_input = {"seed": "shop-1", "title": "봄날"}
    assert seed_generation(job_input, 1) == job_input
    assert seed_generation(job_input, 2) == {"seed": "shop-1#2", "title": "봄날"}


def test_seed_that_is_no_text_stays_as_it_is():
    assert seed_generation({"seed": 5}, 2) == {"seed": 5}


def test_input_without_a_seed_stays_as_it_is():
    assert seed_generation({"title": "봄날"}, 3) == {"title": "봄날"}
