"""The nodes of a graph: pictures and masks as arrays, their sizes and tones, and their files."""
