"""Measure files: their languages and lines, and whether they count, as GitHub does."""
