"""What clients see of an order and its events: in webhooks, in the mirror in Dagster's log, and in the faces."""
