"""What a person may do with an order that waits for one, as commands. Pure."""

from castad.readmodels.hold_body import choice_bodies, editable
from castad.readmodels.snapshot import Snapshot


def hold_commands(snapshot: Snapshot) -> list[str]:
    """A line for each command."""
    name, held = snapshot.request.task_id, snapshot.request.held_stage
    lines = [f"`castad approve {name}{_seen(snapshot)}` goes on"]
    if editable(snapshot) is not None:
        lines.append(f"`castad edit {name}` changes it first")
    for choice in (choice_bodies(snapshot) or ())[1:]:
        lines.append(f"`castad choose {name} {choice.id}` takes {choice.label} first")
    return [
        *lines,
        f"`castad redo {name} --from {held}` has it made again",
        f"`castad reject {name}` cancels the order",
    ]


def _seen(snapshot: Snapshot) -> str:
    """The options that name what is approved; none where it is the first approval of the order."""
    held = next(
        (each for each in snapshot.stages if each.stage == snapshot.request.held_stage), None
    )
    if held is None or (
        held.generation == 1 and not any(each.approved_at for each in snapshot.stages)
    ):
        return ""
    return f" --stage {held.stage} --generation {held.generation}"
