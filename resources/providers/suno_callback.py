"""What Suno calls back with: `{code, msg, data}`, in the names of another style than its record (A.2). Pure."""

from resources.providers.protocol import Json
from resources.providers.suno_answers import fields_in, task_id_in


def job_named_in(body: Json) -> str | None:
    """The id of the task that the callback is about; None where it names none that can be used."""
    return task_id_in(fields_in(body).get("data"))
