"""What the studio raises on purpose."""


class StudioError(Exception):
    """Something a person can act on: `code` is stable, `message` is one sentence."""

    code = "studio_error"

    def __init__(self, message: str, *, code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        if code is not None:
            self.code = code


class MissingPartError(StudioError):
    """ffmpeg, a font or the singer is missing: the same call fails again until it is installed."""

    code = "studio_part_missing"


class TemporaryError(StudioError):
    """The same call may succeed later: no space on the disk, a singer that ended."""

    code = "provider_unavailable"


class RenderError(StudioError):
    """ffmpeg has refused this very film."""

    code = "provider_failed"


class PictureError(StudioError):
    """A picture cannot be used; the message begins with the field it came in."""

    code = "invalid_input"

    def __init__(self, field: str, expected: str) -> None:
        super().__init__(f"{field}: {expected}")
        self.field = field
        self.expected = expected


class GraphError(StudioError):
    """A node of a graph has failed, and would again."""

    code = "node_failed"

    def __init__(self, node: str, class_type: str, message: str) -> None:
        where = f"node {node} ({class_type}) failed: " if node else ""
        super().__init__(f"workflow: {where}{message}")
        self.node = node
        self.class_type = class_type


class StoppedError(StudioError):
    """What was under way has ended because its caller had set `stop`."""

    code = "studio_stopped"
