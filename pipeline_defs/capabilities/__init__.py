"""Capabilities that few pipelines have. A pipeline lists those that it has in `Pipeline.extras`."""
