"""The source design's queues, one a task."""

STAGE_QUEUES = ("vision", "rule", "answer", "reward")
MATCH = "character.match"
SAVES = ("character.save_ownership", "users.save_character")
CHARACTER_QUEUES = (MATCH, *SAVES)
