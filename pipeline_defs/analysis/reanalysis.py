"""Repeated analysis of a branch or tag of a GitHub repository that a person has ordered."""

from pipeline_defs.analysis.order import Order, is_sha
from pipeline_defs.analysis.products import Resolved
from pipeline_defs.capabilities import Found, SourceKey
from resources.process.settings import Settings
from resources.providers.github.vendor import GitHubSettings

_WITHOUT_TOKEN = 12
_WITH_TOKEN = 600


def get_source_key(order: Order, resolved: Resolved) -> SourceKey | None:
    """Return the repository and ref; None for a commit, which never changes, and for a local repository."""
    if not resolved.owner or is_sha(order.ref):
        return None
    return SourceKey(f"{resolved.owner}/{resolved.name}".lower(), order.ref)


def get_hourly_limit(settings: Settings) -> int:
    """Return the number of checks per hour.

    GitHub allows 60 calls an hour, 5,000 with a token. An order after a change takes three more calls.
    """
    has_token = settings.of(GitHubSettings).token.get_secret_value()
    return _WITH_TOKEN if has_token else _WITHOUT_TOKEN


def find_commit(order: Order, mark: str, settings: Settings) -> Found | None:
    """Return the commit that the order's ref names now; None if GitHub's ETag is unchanged.

    A private repository is not ordered automatically. Raise the errors of `GitHubClient.resolve_changed`.
    """
    from resources.providers.github.vendor import make_github_client

    repository = order.github
    if repository is None:
        return Found(None)
    github = make_github_client(settings)
    commit = github.resolve_changed(repository.owner, repository.name, order.ref, mark)
    if commit is None:
        return None
    if commit.is_private:
        return Found(None)
    definite = {"repository": f"{commit.owner}/{commit.name}", "ref": commit.sha}
    return Found(definite, commit.etag)
