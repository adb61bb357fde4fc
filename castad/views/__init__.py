"""Rows turned into the models that every face reads, where a pipeline is needed; see also `resources.views`."""
