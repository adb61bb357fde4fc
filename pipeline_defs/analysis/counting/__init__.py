"""Find and count the tests in source files by their text."""
