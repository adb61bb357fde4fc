"""The result of an analysis: its model, its published schema, and reports of it."""
