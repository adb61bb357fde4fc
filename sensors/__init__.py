"""Dagster's sensors and schedules."""
