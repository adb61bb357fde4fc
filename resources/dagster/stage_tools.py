"""The Dagster resource `tools`: what a stage needs besides its request."""

from dataclasses import dataclass

from dagster import InitResourceContext, resource

from resources.contract.protocol import Provider
from resources.contract.stage_settings import StageSettings
from resources.files.artifacts import ArtifactStore, artifact_store
from resources.files.pictures import PictureSource, picture_source
from resources.process.settings import Settings, settings
from resources.providers.registry import make_provider


@dataclass(frozen=True)
class StageTools:
    """The providers chosen by the settings, and the folder of finished files."""

    settings: Settings
    store: ArtifactStore

    def provider(self, stage: StageSettings) -> Provider:
        """The provider of this stage."""
        return make_provider(stage.maker, stage.kind, self.settings)

    @property
    def pictures(self) -> PictureSource:
        """The pictures of orders."""
        return picture_source(self.settings)


@resource(description="The providers chosen by the settings, and the folder of finished files")
def stage_tools(context: InitResourceContext) -> StageTools:
    """Made from the environment when a run starts; it has no config, so that no secret can get into one.

    It is not a ConfigurableResource: building one for each run takes about as long as a stage's ledger moves.
    """
    return StageTools(settings(), artifact_store(settings()))
