"""Which vendors call back, where, and what their callbacks tell.

A callback is authentic by the token in its address (notes/providers.md A.0); its body is anybody's word, of which
nothing but the name of the job is read.
"""

from collections.abc import Callable, Mapping

from resources.providers import creatomate_callback, suno_callback
from resources.providers.protocol import Json

CALLBACK_PATH = "/callbacks/{provider}/{token}"
JOB_NAMED_IN: Mapping[str, Callable[[Json], str | None]] = {
    "suno": suno_callback.job_named_in,
    "creatomate": creatomate_callback.job_named_in,
}
"""How each vendor's callback names its job, by the provider's name; who is not in here never calls back."""


def callback_url(public_url: str, provider: str, token: str) -> str:
    """Where this provider calls back about the submission of this token."""
    return public_url + CALLBACK_PATH.format(provider=provider, token=token)
