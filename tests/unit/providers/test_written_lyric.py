import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from resources.providers.openai.completions import LONGEST_WRITTEN, clean_lines, strip_thoughts
from resources.providers.openai.lyricist import LONGEST_TEXT, LONGEST_TITLE, read_lyric
from tests.tables import rows_beside

WORDS = st.text(st.characters(categories=["Ll", "Lo"]), min_size=1, max_size=12).filter(
    lambda word: "title" not in word and "제목" not in word
)
LINES = st.lists(st.lists(WORDS, min_size=1, max_size=6).map(" ".join), min_size=1, max_size=12)
PIECES = [*"abc 가나\n\n\n.,:-–\"“”「」'`*_#>[]()=•", "[Verse]\n", "Chorus", "**", "---\n"]
TITLELESS = (
    st.lists(st.sampled_from(PIECES), max_size=60)
    .map("".join)
    .filter(lambda written: "```" not in written)
)
CHATTY = st.lists(st.sampled_from([*PIECES, "Title: ", "```\n"]), max_size=60).map("".join)
LYRIC = "[Verse]\n군산의 밤\n머뭄의 아침\n\n[Chorus]\n스테이 머뭄"


def letters(text: str) -> str:
    return "".join(filter(str.isalpha, text))


@given(LINES)
def test_lyric_keeps_every_line_after_its_title(lines):
    assert read_lyric("Title: x\n\n" + "\n".join(lines)).text.splitlines() == lines


@given(LINES)
def test_lyric_keeps_every_line_where_it_has_no_title(lines):
    assert read_lyric("\n".join(lines)).text.splitlines() == lines


@given(LINES)
def test_lyric_keeps_every_word_under_any_decoration(lines):
    marks = ["**{}**", "> {}", "- {}", "# {}", '"{}"', "`{}`", "*{}*", "{}"]
    decorated = [marks[index % len(marks)].format(line) for index, line in enumerate(lines)]
    written = "```text\nTitle: x\n\n" + "\n\n\n".join(decorated) + "\n```"
    assert [line for line in read_lyric(written).text.splitlines() if line] == lines


@given(TITLELESS)
def test_lyric_loses_no_letter_of_an_answer_without_title(written):
    assert letters(read_lyric(written).text) == letters(written)


@given(st.text() | CHATTY)
def test_lyric_has_no_blank_line_at_its_ends(written):
    text = read_lyric(written).text
    assert text == text.strip("\n")


@given(st.text() | CHATTY)
def test_lyric_has_no_two_blank_lines_in_a_row(written):
    assert "\n\n\n" not in read_lyric(written).text


@given(st.text() | CHATTY)
def test_lyric_is_of_visible_characters(written):
    lyric = read_lyric(written)
    assert clean_lines(lyric.text) == lyric.text.split("\n") or not lyric.text
    assert len(lyric.title.splitlines()) <= 1


@given(st.text() | CHATTY)
def test_lyric_reads_the_same_from_what_was_stored(written):
    assert read_lyric("\n".join(clean_lines(written))) == read_lyric(written)


@pytest.mark.parametrize(
    "invisible", ["\x00", "\x07", "\x7f", "\u202e", "\u2066", "\u200e", "\ufeff", "\ud800"]
)
def test_lyric_is_without_invisible_characters(invisible):
    assert read_lyric(f"군{invisible}산의 밤").text == "군산의 밤"


def test_lyric_keeps_joined_emoji():
    assert read_lyric("la 👩\u200d🍳 la").text == "la 👩\u200d🍳 la"


@pytest.mark.parametrize("line_break", ["\r\n", "\r", "\u2028", "\x85", "\x0b"])
def test_lyric_has_lines_at_any_kind_of_line_break(line_break):
    assert read_lyric(LYRIC.replace("\n", line_break)).text == LYRIC


@rows_beside
def test_title_is_found_however_it_is_written(line):
    lyric = read_lyric(f"{line}\n\n{LYRIC}")
    assert (lyric.title, lyric.text) == ("군산의 밤", LYRIC)


@pytest.mark.parametrize("first", ["", "Title:\n", "Title: **\n", "Title: ...\n"])
def test_title_that_is_missing_is_the_first_sung_line(first):
    lyric = read_lyric(first + LYRIC)
    assert (lyric.title, lyric.text) == ("군산의 밤", LYRIC)


@pytest.mark.parametrize(
    "line",
    ["Title-winning bread on the hill", "Entitled: to a smile", "The title of our song: you"],
)
def test_title_is_not_made_of_a_sung_line(line):
    assert line in read_lyric(f"{line}\nla la la").text


def test_title_after_sung_lines_loses_none_of_them():
    assert "군산의 밤" in read_lyric("군산의 밤\nTitle: x\n머뭄").text


@pytest.mark.parametrize(
    "mark", ["[Verse 2]", "**[Verse 2]**", "[Verse 2]:", "## Verse 2", "**Verse 2:**", "(Verse 2)"]
)
def test_section_mark_stands_in_brackets(mark):
    assert read_lyric(f"Title: x\n{mark}\nla la").text == "[Verse 2]\nla la"


@pytest.mark.parametrize(
    "line", ["Bridge!", "chorus", "(la la la)", "# 1 in town", "It's a 'maybe'"]
)
def test_sung_line_is_no_section_mark(line):
    assert not read_lyric(line).text.startswith("[")


def test_lyric_is_without_the_quotation_marks_around_it():
    assert read_lyric(f'"Title: x\n\n{LYRIC}"').text == LYRIC


def test_lyric_keeps_what_it_quotes():
    assert read_lyric('"안녕" 인사하는 "머뭄"').text == '"안녕" 인사하는 "머뭄"'


def test_lyric_keeps_the_marks_of_ordinary_text():
    line = "#1 in town, 5 * 5 stars, it's 'ours' - snake_case"
    assert read_lyric(line).text == line


@settings(max_examples=20)
@given(st.integers(1, 5_000))
def test_lyric_that_is_too_long_ends_with_a_whole_line(length):
    line = "가" * length
    lyric = read_lyric("\n".join([line] * (2 * LONGEST_TEXT // length + 2)))
    assert len(lyric.text) <= LONGEST_TEXT
    assert set(lyric.text.split("\n")) == {line[:LONGEST_TEXT]}


def test_title_that_is_too_long_is_cut():
    assert len(read_lyric("Title: " + "가" * 500 + "\nla").title) == LONGEST_TITLE


@pytest.mark.parametrize(
    "piece", ["*", "`", "_", "*a ", "[", "'", '"', "Title", ":", " ", "#", "Title:*"]
)
def test_lyric_of_an_absurd_answer_is_read_all_the_same(piece):
    assert len(read_lyric(piece * LONGEST_WRITTEN).text) <= LONGEST_TEXT


# Thoughts before the lyric


@rows_beside
def test_thoughts_before_a_lyric_are_no_part_of_it(thoughts):
    assert strip_thoughts(f"{thoughts}Title: x\n{LYRIC}").strip() == f"Title: x\n{LYRIC}"


@pytest.mark.parametrize(
    "written",
    [LYRIC, "I <think> of you\n<b>la</b>", "Think of me\n<thinker>", f"{LYRIC}\n<think>la"],
)
def test_lyric_without_thoughts_stays_as_it_is(written):
    assert strip_thoughts(written) == written


@pytest.mark.parametrize("end", ["", "</thin", "<think>", "< /think>"])
def test_thoughts_without_an_end_leave_nothing(end):
    assert strip_thoughts(f"<think>la la{end}") == ""


def test_lyric_keeps_what_looks_like_thoughts_at_its_end():
    written = f"<think>hm</think>{LYRIC}\n<think>la</think>"
    assert strip_thoughts(written) == f"{LYRIC}\n<think>la</think>"


@pytest.mark.parametrize("piece", ["<think>", "<think></think>", "<", " ", "</think>", "<think"])
def test_thoughts_of_an_absurd_answer_are_read_all_the_same(piece):
    assert strip_thoughts(piece * 200_000) in ("", piece * 200_000, piece * 199_999)


# What tells a lyric from a remark


@rows_beside
def test_lyric_of_any_usual_form_is_one(written):
    assert read_lyric(written).has_form


@pytest.mark.parametrize(
    "written",
    [
        "Sorry, I can't help with that request because it names a business.",
        "I cannot do that.\n\nPlease ask for something else.\n\nThank you.",
        "",
        "The title of our song: you and me",
    ],
)
def test_remark_has_no_form_of_a_lyric(written):
    assert not read_lyric(written).has_form
