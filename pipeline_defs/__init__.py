"""What runs: the pipelines, a folder each, and what makes Dagster jobs of them."""
