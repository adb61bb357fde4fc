"""A process's settings, logs, locks and crash points."""
