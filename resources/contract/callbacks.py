"""Where vendors call back.

A callback is authentic by the token in its address (notes/providers.md A.0); its body is anybody's word, of which
nothing but the name of the job is read.
"""

CALLBACK_PATH = "/callbacks/{provider}/{token}"


def callback_url(public_url: str, provider: str, token: str) -> str:
    """Where this provider calls back about the submission of this token."""
    return public_url + CALLBACK_PATH.format(provider=provider, token=token)
