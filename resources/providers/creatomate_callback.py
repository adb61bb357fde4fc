"""What Creatomate's webhook brings: the render object (A.3). Pure."""

from resources.providers.creatomate_answers import id_in
from resources.providers.protocol import Json


def job_named_in(body: Json) -> str | None:
    """The id of the render that the webhook is about; None where it names none that can be used."""
    return id_in(body)
