"""What an instance without a dagster.yaml needs, lest it write to ~/.dagster."""

NO_TELEMETRY = {"telemetry": {"enabled": False}}
