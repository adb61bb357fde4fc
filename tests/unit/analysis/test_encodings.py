"""Sources as editors write them: in any Unicode encoding, with or without its mark, with every line end."""

import codecs

import pytest

from pipeline_defs.analysis.counting.count import Configs, count_tests, read_configs
from pipeline_defs.analysis.measuring.measured_files import measure_file

PYTEST = "import pytest\n\n# 한글 é\ndef test_a():\n    pass\n\ndef test_b():\n    pass\n"
CSHARP = (
    "using Xunit;\n// é\nclass A {\n  [Fact]\n  public void One() {}\n  // it is 1\n  [Fact]\n"
    "  public void Two() {}\n}\n"
)
MARKS = {
    "utf-8": codecs.BOM_UTF8,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    "utf-32-le": codecs.BOM_UTF32_LE,
    "utf-32-be": codecs.BOM_UTF32_BE,
}
WRITTEN = [
    *((encoding, mark) for encoding, mark in MARKS.items()),
    *((encoding, b"") for encoding in ("utf-8", "utf-16-le", "utf-16-be")),
]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(("encoding", "mark"), WRITTEN)
@pytest.mark.parametrize(("path", "text"), [("test_a.py", PYTEST), ("ATests.cs", CSHARP)])
def test_tests_and_lines_are_found_in_every_encoding_with_every_line_end(
    path, text, encoding, mark, end
):
    content = mark + text.replace("\n", end).encode(encoding)
    found = count_tests(path, content, Configs())
    plain = count_tests(path, text.encode(), Configs())
    assert found is not None
    assert found == plain
    assert len(found.tests) == 2
    lines = measure_file(path, len(content), content).lines
    assert lines == measure_file(path, len(text), text.encode()).lines


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_configuration_is_read_in_every_encoding(encoding):
    package = '{"jest": {"testMatch": ["**/*.test.js"]}}'.encode(encoding)
    configs = read_configs({"package.json": package})
    found = count_tests("a.test.js", b"test('a', () => {});\n", configs)
    assert found is not None
    assert found.framework == "jest"


@pytest.mark.parametrize(
    "content", [b"\0\1\2\3" * 100, b"PK\3\4\0\0\0\0", b"\0" * 100, b"\xff\xfe"]
)
def test_binary_file_stays_binary(content):
    assert measure_file("a.bin", len(content), content).lines.code == 0
