"""What a stage needs beyond its request: the chosen providers, the orders' pictures, the finished files."""

from dataclasses import dataclass

from resources.contract.protocol import Provider
from resources.contract.stage_options import StageSettings
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


def stage_tools() -> StageTools:
    """The tools that this process's settings say.

    They are no Dagster resource: each resource of a run costs memory while the run waits, and time at its start.
    """
    return StageTools(settings(), artifact_store(settings()))
