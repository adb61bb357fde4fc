"""Painted scenes: the tools of painting, rooms, things, and pictures without parts."""
