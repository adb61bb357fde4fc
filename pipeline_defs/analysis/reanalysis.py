"""What is analysed again by itself: a branch or a tag of a repository of GitHub that a person has ordered."""

from pipeline_defs.analysis.order import Order, is_sha
from pipeline_defs.analysis.products import Resolved
from pipeline_defs.capabilities import Found, SourceKey
from resources.process.settings import Settings
from resources.providers.github.vendor import GitHubSettings

_WITHOUT_TOKEN = 12
_WITH_TOKEN = 600


def get_source_key(order: Order, resolved: Resolved) -> SourceKey | None:
    """The repository and the ref; None for a commit, which never changes, and for a local repository."""
    if not resolved.owner or is_sha(order.ref):
        return None
    return SourceKey(subject_of(resolved.owner, resolved.name), order.ref)


def subject_of(owner: str, name: str) -> str:
    """The repository, the same however it is spelt."""
    return f"{owner}/{name}".lower()


def asked_an_hour(settings: Settings) -> int:
    """Return how often GitHub is asked.

    It allows 60 calls an hour, 5,000 with a token; where each check finds a change, its order takes three more.
    """
    has_token = settings.of(GitHubSettings).token.get_secret_value()
    return _WITH_TOKEN if has_token else _WITHOUT_TOKEN


def find_commit(order: Order, mark: str, settings: Settings) -> Found | None:
    """The commit that the order's ref names now, by GitHub's ETag; a private repository is not ordered unasked.

    Raises what `GitHubClient.resolve` raises.
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
