"""The execution of graphs on this machine."""

from pathlib import Path

from resources.contract.errors import PermanentError
from resources.contract.protocol import OpenArtifact, Product, StageInput
from resources.files.media import (
    INVALID_WORKFLOW,
    describe_workflow_refusal,
    store_rendered_pictures,
)
from resources.providers.background_jobs import BackgroundJob, LocalProvider, make_core_slots
from studio.graphs import check_graph, render

NAME = "local"


class LocalRenderer(LocalProvider):
    """A provider that executes image graphs on this machine.

    Its result is a list of pictures (node, name, width, height), with a file for each.
    """

    def __init__(self, open_artifact: OpenArtifact, workdir: Path) -> None:
        def make(job_input: StageInput, folder: Path, job: BackgroundJob) -> Product:
            return _render(job_input, folder, job, open_artifact)

        super().__init__(NAME, make, workdir, make_core_slots(workdir, "rendering"))

    def prepare(self, job_input: StageInput) -> None:
        """Check the graph's nodes and their inputs. Raises PermanentError `invalid_workflow`."""
        names = {each["name"] for each in job_input["inputs"]}
        checked = check_graph(job_input["graph"], names.__contains__)
        refusal = describe_workflow_refusal(
            {"error": checked.error, "node_errors": checked.node_errors}
        )
        if refusal is not None:
            raise PermanentError(f"{NAME}: workflow: {refusal}", code=INVALID_WORKFLOW)


def _render(
    job_input: StageInput, folder: Path, job: BackgroundJob, open_artifact: OpenArtifact
) -> Product:
    """Execute the graph; return its output pictures, or its previews if there are none."""
    inputs = {each["name"]: open_artifact(each) for each in job_input["inputs"]}
    saved = render(job_input["graph"], inputs.__getitem__, folder, report=job.report, stop=job.stop)
    pictures = [each for each in saved if each.type == "output"] or saved
    if not pictures:
        raise PermanentError(f"{NAME}: workflow: no picture was saved", code="no_picture")
    files = [(each.node, folder / each.type / each.subfolder / each.filename) for each in pictures]
    return store_rendered_pictures(NAME, files, folder)
