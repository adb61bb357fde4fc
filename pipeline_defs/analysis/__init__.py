"""The analysis pipeline: the languages, lines and tests of a git repository."""
