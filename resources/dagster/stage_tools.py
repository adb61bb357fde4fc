"""The Dagster resource `tools`: what a stage needs besides its request."""

from dataclasses import dataclass

from dagster import InitResourceContext, resource

from resources.contract.protocol import Provider
from resources.files.artifacts import ArtifactStore
from resources.files.pictures import PictureSource
from resources.process.settings import Settings, settings
from resources.providers.registry import artifact_store, picture_source, provider_for


@dataclass(frozen=True)
class StageTools:
    """The providers that this process' settings choose, and the folder of finished files."""

    settings: Settings
    store: ArtifactStore

    def provider(self, stage: str) -> Provider:
        """Who makes this stage."""
        return provider_for(stage, self.settings)

    @property
    def pictures(self) -> PictureSource:
        """Where the pictures of orders are found."""
        return picture_source(self.settings)


@resource(
    description="The providers this process' settings choose, and the folder of finished files"
)
def stage_tools(context: InitResourceContext) -> StageTools:
    """Made from the environment when a run begins; it has no config, so no secret can get into one.

    No ConfigurableResource: that is built anew for each run, fields and all, in about as long as a stage's moves.
    """
    return StageTools(settings(), artifact_store(settings()))
