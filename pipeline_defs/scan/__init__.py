"""The scan pipeline: classify waste, find the rule of its disposal, and match a character."""
