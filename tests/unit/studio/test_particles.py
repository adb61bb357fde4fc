import pytest

from resources.studio.lyricist.particles import with_particle


@pytest.mark.parametrize(
    ("word", "particle", "expected"),
    [
        ("카페", "은/는", "카페는"),
        ("식당", "은/는", "식당은"),
        ("카페", "이/가", "카페가"),
        ("식당", "이/가", "식당이"),
        ("카페", "을/를", "카페를"),
        ("식당", "을/를", "식당을"),
        ("카페", "과/와", "카페와"),
        ("식당", "과/와", "식당과"),
        ("카페", "으로/로", "카페로"),
        ("식당", "으로/로", "식당으로"),
        ("호텔", "으로/로", "호텔로"),
        ("호텔", "이/가", "호텔이"),
    ],
)
def test_a_particle_follows_the_final_consonant(word: str, particle, expected: str) -> None:
    assert with_particle(word, particle) == expected


@pytest.mark.parametrize(
    ("word", "expected"),
    [("GS25", "GS25가"), ("카페 1", "카페 1이"), ("Studio 7", "Studio 7이"), ("KFC", "KFC가")],
)
def test_a_particle_follows_how_digits_and_capitals_are_read(word: str, expected: str) -> None:
    assert with_particle(word, "이/가") == expected


@pytest.mark.parametrize(
    ("word", "expected"), [("Coffee Farm", "Coffee Farm을"), ("Cafe", "Cafe를")]
)
def test_a_particle_follows_how_an_english_word_sounds(word: str, expected: str) -> None:
    assert with_particle(word, "을/를") == expected


@pytest.mark.parametrize("word", ["카페!", "카페 (본점)"])
def test_marks_at_the_end_do_not_change_the_particle_rule(word: str) -> None:
    assert with_particle(word, "은/는").startswith(word)


def test_a_name_without_letters_gets_a_particle_too() -> None:
    assert with_particle("★", "이/가") == "★가"
