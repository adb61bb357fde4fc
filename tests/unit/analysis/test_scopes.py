import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline_defs.analysis.counting.count import read_configs
from pipeline_defs.analysis.counting.scopes import is_match, is_readable, read_scope

GLOBS = [
    ("**/*.test.ts", "a.test.ts", True),
    ("**/*.test.ts", "a/b/c.test.ts", True),
    ("**/*.test.ts", "a/b/c.spec.ts", False),
    ("src/**", "src/a/b.ts", True),
    ("src/**", "lib/a.ts", False),
    ("./src/*.ts", "src/a.ts", True),
    ("src/*.ts", "src/a/b.ts", False),
    ("**/*.{test,spec}.{ts,tsx}", "a/b.spec.tsx", True),
    ("**/*.{test,spec}.{ts,tsx}", "a/b.cy.tsx", False),
    ("a?.ts", "ab.ts", True),
    ("[ab].ts", "b.ts", True),
    ("**/e2e/**/*.ts", "e2e/a.ts", True),
    ("", "a.ts", False),
]
INCLUDED = [
    ("jest.config.js", b"module.exports = { testMatch: ['<rootDir>/src/**/*.js'] }"),
    ("vitest.config.ts", b"export default { test: { include: ['src/**'] } }"),
    (
        "vitest.config.ts",
        b"{ coverage: { include: ['lib/**'], x: {} }, include: ['src/**'], exclude: ['lib/**'] }",
    ),
    ("vitest.config.ts", b"{ test: { exclude: ['lib/**'] } }"),
    ("vitest.config.ts", b"{ root: './src' }"),
    ("jest.config.json", b'{"rootDir": "src"}'),
    ("package.json", b'{"jest": {"rootDir": "src"}}'),
    ("jest.config.js", b"{ roots: ['<rootDir>/src'] }"),
    ("playwright.config.ts", b"{ testDir: './src' }"),
    ("playwright.config.ts", b"{ testDir: path.join(__dirname, 'src') }"),
    ("playwright.config.ts", b"{ projects: [{ testDir: 'e2e' }, { testDir: 'src' }] }"),
]


@pytest.mark.parametrize(("glob", "path", "fits"), GLOBS)
def test_glob_matches_as_the_frameworks_have_it(glob, path, fits):
    assert is_match(glob, path) is fits


@given(st.text(alphabet="*?[]{},/ab!", max_size=60), st.text(alphabet="ab/", max_size=60))
def test_any_glob_is_answered(glob, path):
    assert is_match(glob, path) in (True, False)


def test_glob_of_many_stars_is_answered_without_trying_all_ways():
    assert not is_match("/".join(["**", "*a*a*a*"] * 30) + "/b", "/".join(["aaaaaaaa"] * 500))


@pytest.mark.parametrize("glob", ["**/?(*.)+(spec|test).js", "!src/**"])
def test_glob_with_groups_is_not_readable(glob):
    assert not is_readable(glob)


@pytest.mark.parametrize(("path", "content"), INCLUDED)
def test_scope_holds_what_its_configuration_includes(path, content):
    scope = read_scope(f"web/{path}", content)
    assert scope is not None
    assert scope.has_file("web/src/a.test.js")
    assert not scope.has_file("web/lib/a.test.js")


@pytest.mark.parametrize(
    "content", [b"{}", b"\xff\x00", b"{ testMatch: ['**/?(*.)+(spec|test).js'] }", b"{ coverage: {"]
)
def test_scope_without_a_readable_list_holds_its_whole_folder(content):
    scope = read_scope("web/jest.config.js", content)
    assert scope is not None
    assert scope.has_file("web/lib/a.test.js")
    assert not scope.has_file("lib/a.test.js")


@pytest.mark.parametrize(
    ("path", "framework"),
    [
        ("cypress.config.ts", "cypress"),
        (".mocharc.json", "mocha"),
        ("pytest.ini", "pytest"),
        ("conftest.py", "pytest"),
    ],
)
def test_scope_is_of_the_framework_that_the_name_says(path, framework):
    scope = read_scope(path, b"")
    assert scope is not None
    assert scope.framework is framework


@pytest.mark.parametrize(
    ("path", "content", "framework"),
    [
        ("pyproject.toml", b"[tool.ruff]\n[tool.pytest.ini_options]", "pytest"),
        ("setup.cfg", b"[tool:pytest]", "pytest"),
        ("tox.ini", b"[pytest]", "pytest"),
        ("package.json", b'{"jest": {}}', "jest"),
        ("package.json", b'{"mocha": {}}', "mocha"),
        ("package.json", b'{"scripts": {"test": "vitest run"}}', "vitest"),
        ("package.json", b'{"scripts": {"test": "react-scripts test"}}', "jest"),
        ("package.json", b'{"scripts": {"test": "nyc mocha"}, "jest": {}}', "jest"),
        ("vite.config.ts", b"export default { test: { globals: true } }", "vitest"),
    ],
)
def test_scope_of_a_shared_file_follows_from_its_content(path, content, framework):
    scope = read_scope(path, content)
    assert scope is not None
    assert scope.framework is framework


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("pyproject.toml", b"[tool.ruff]"),
        ("tox.ini", b"[testenv]"),
        ("package.json", b'{"name": "jest"}'),
        ("package.json", b'{"scripts": {"test": "true"}}'),
        ("package.json", b"[1]"),
        ("package.json", b"[" * 100_000),
        ("vite.config.ts", b"export default {}"),
    ],
)
def test_shared_file_that_says_nothing_of_tests_is_no_scope(path, content):
    assert read_scope(path, content) is None


def test_configuration_beyond_its_limit_counts_for_nothing():
    assert read_scope("jest.config.js", b" " * (1024 * 1024 + 1)) is None


@given(st.binary(max_size=300))
def test_any_configuration_is_answered(content):
    for name in ("jest.config.js", "vitest.config.ts", "playwright.config.ts"):
        assert read_scope(name, content) is not None


def test_deepest_configuration_is_asked_first_then_the_longest_name():
    files = dict.fromkeys(["jest.config.js", "a/jest.config.js", "cypress.config.ts"], b"")
    configs = [scope.config for scope in read_configs(files).scopes]
    assert configs == ["a/jest.config.js", "cypress.config.ts", "jest.config.js"]
