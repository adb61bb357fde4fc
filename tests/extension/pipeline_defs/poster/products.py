"""The products of the stages, as the ledger stores them."""

from pydantic import BaseModel

from resources.files.artifacts import StoredArtifact


class Layout(BaseModel):
    """The poster as text, and the same text as a file."""

    text: str
    width: int
    files: list[StoredArtifact] = []


class Printing(BaseModel):
    """The printed copies on their way, and the print shop's receipt as a file."""

    copies: int
    tracking: str
    files: list[StoredArtifact] = []
