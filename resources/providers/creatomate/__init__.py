"""The vendor Creatomate, which renders videos."""
