import pytest

from pipeline_defs.analysis.measuring.untested import SourceFile, UntestedFolder, untested_folders


@pytest.mark.parametrize(
    ("source", "test"),
    [
        ("pkg/a.go", "pkg/a_test.go"),
        ("pkg/a.go", "pkg/other_test.go"),
        ("src/ui/button.tsx", "src/ui/__tests__/button.test.tsx"),
        ("src/app/json/tag.py", "tests/test_json.py"),
        ("src/app/tag.py", "tests/unit/test_tag.py"),
        ("src/main/java/a/FooBar.java", "src/test/java/a/FooBarTest.java"),
        ("lib/foo_bar.rb", "spec/foo_bar_spec.rb"),
        ("tests/helpers/a.py", "tests/test_b.py"),
    ],
)
def test_folder_is_tested_from_within_or_by_name(source, test):
    assert untested_folders([SourceFile(source, 10)], [test]) == []


@pytest.mark.parametrize("test", ["tests/test_other.py", "src/b/test_x.py", "src/a/c/test_x.py"])
def test_folder_that_no_test_is_in_or_named_after_is_untested(test):
    assert untested_folders([SourceFile("src/a/b.py", 10)], [test]) == [
        UntestedFolder("src/a", 1, 10)
    ]


def test_untested_folders_come_longest_first():
    sources = [
        SourceFile("a/x.py", 1),
        SourceFile("b/y.py", 5),
        SourceFile("b/z.py", 5),
        SourceFile("w.py", 7),
    ]
    assert untested_folders(sources, []) == [
        UntestedFolder("b", 2, 10),
        UntestedFolder(".", 1, 7),
        UntestedFolder("a", 1, 1),
    ]
