"""Where vendors call back.

The token in its address authenticates a callback (docs/vendors/README.md). Its body is untrusted: only the job's
id is read from it.
"""

CALLBACK_PATH = "/callbacks/{provider}/{token}"


def callback_url(public_url: str, provider: str, token: str) -> str:
    """The address at which this provider calls back about the submission with this token."""
    return public_url + CALLBACK_PATH.format(provider=provider, token=token)
