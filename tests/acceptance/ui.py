"""What a person does in the Dagster UI, by the GraphQL that its own page sends."""

from dataclasses import dataclass

import httpx

EXECUTE_AGAIN = """mutation Again($wanted: ReexecutionParams!) {
  launchRunReexecution(reexecutionParams: $wanted) {
    __typename ... on LaunchRunSuccess { run { runId } } ... on Error { message } } }"""
STATUS = "query Status($run: ID!) { runOrError(runId: $run) { ... on Run { status } } }"
DELETE = "mutation Delete($run: String!) { deletePipelineRun(runId: $run) { __typename } }"


@dataclass(frozen=True)
class Ui:
    """The UI's GraphQL, as its own page asks it."""

    client: httpx.Client

    def ask(self, query: str, **variables: object) -> dict[str, object]:
        answer = self.client.post("/graphql", json={"query": query, "variables": variables})
        assert answer.status_code == 200, answer.text
        [told] = answer.json()["data"].values()
        return dict(told)

    def execute_again(self, run_id: str) -> dict[str, object]:
        wanted = {"parentRunId": run_id, "strategy": "FROM_FAILURE"}
        return self.ask(EXECUTE_AGAIN, wanted=wanted)

    def status_of(self, run_id: str) -> object:
        return self.ask(STATUS, run=run_id).get("status")

    def delete(self, run_id: str) -> None:
        assert self.ask(DELETE, run=run_id)["__typename"] == "DeletePipelineRunSuccess"


def run_of(answer: dict[str, object]) -> str:
    """The run that was launched."""
    assert answer["__typename"] == "LaunchRunSuccess", answer
    run = answer["run"]
    assert isinstance(run, dict)
    return str(run["runId"])
