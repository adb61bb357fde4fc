import pytest

from pipeline_defs.analysis.measuring.attributes import Attributes
from pipeline_defs.analysis.measuring.languages import Lines
from pipeline_defs.analysis.measuring.measured_files import LeftOut, apply_attributes, measure_file

NOTHING_SAID = Attributes()


def left_out(path: str, content: bytes = b"x\n", said: Attributes = NOTHING_SAID) -> LeftOut | None:
    return apply_attributes(measure_file(path, len(content), content), said).left_out


@pytest.mark.parametrize(
    ("said", "path", "reason"),
    [
        (NOTHING_SAID, "src/a.py", None),
        (Attributes(vendored=True), "src/a.py", LeftOut.VENDORED),
        (Attributes(vendored=False), "vendor/a.py", None),
        (Attributes(documentation=True), "src/a.py", LeftOut.DOCUMENTATION),
        (Attributes(documentation=False), "docs/a.py", None),
        (Attributes(generated=True), "src/a.py", LeftOut.GENERATED),
        (Attributes(generated=False), "__generated__/a.py", None),
        (Attributes(detectable=True), "a.sql", None),
        (Attributes(detectable=False), "src/a.py", LeftOut.NOT_DETECTABLE),
        (Attributes(language="PHP"), "a.unheard", None),
        (Attributes(language="Unheard"), "a.unheard", LeftOut.UNKNOWN_LANGUAGE),
    ],
)
def test_attributes_win_over_the_usual_names(said, path, reason):
    assert left_out(path, said=said) is reason


def test_binary_file_has_no_language_and_no_lines():
    file = measure_file("a.py", 4, b"a\n\0\n")
    assert (file.language, file.lines, left_out("a.py", b"\0")) == (None, Lines(), LeftOut.BINARY)


def test_text_in_utf_16_is_measured():
    file = measure_file("a.cs", 0, "// a\nint b;\n".encode("utf-16"))
    assert file.lines == Lines(code=1, comment=1)
