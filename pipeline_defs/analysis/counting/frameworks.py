"""The test frameworks whose tests are counted."""

from enum import StrEnum


class Framework(StrEnum):
    """A test framework whose tests are counted."""

    CARGO_TEST = "cargo-test"
    CYPRESS = "cypress"
    GO_TESTING = "go-testing"
    GTEST = "gtest"
    JEST = "jest"
    JUNIT4 = "junit4"
    JUNIT5 = "junit5"
    KOTEST = "kotest"
    MINITEST = "minitest"
    MOCHA = "mocha"
    MSTEST = "mstest"
    NODE_TEST = "node:test"
    NUNIT = "nunit"
    PHPUNIT = "phpunit"
    PLAYWRIGHT = "playwright"
    PYTEST = "pytest"
    RSPEC = "rspec"
    SWIFT_TESTING = "swift-testing"
    TESTNG = "testng"
    UNITTEST = "unittest"
    VITEST = "vitest"
    XCTEST = "xctest"
    XUNIT = "xunit"
