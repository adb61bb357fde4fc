"""Git repositories for tests, made without a git binary."""

from collections.abc import Mapping
from pathlib import Path

from dulwich import porcelain
from dulwich.objects import Blob, Commit, ObjectID, Tree
from dulwich.repo import Repo

AUTHOR = b"A <a@example.org>"


def new_repository(path: Path, files: Mapping[str, bytes]) -> Repo:
    """A repository with one commit of these files on `main`, checked out."""
    path.mkdir(parents=True, exist_ok=True)
    repository = Repo.init(str(path), default_branch=b"main")
    commit_files(repository, files)
    return repository


def commit_files(repository: Repo, files: Mapping[str, bytes]) -> str:
    """The sha of a new commit with these files."""
    for name, content in files.items():
        file = Path(repository.path, name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    porcelain.add(repository, [str(Path(repository.path, name)) for name in files])
    return porcelain.commit(repository, b"A commit", author=AUTHOR, committer=AUTHOR).decode()


def commit_tree(repository: Repo, entries: Mapping[bytes, tuple[int, bytes]]) -> str:
    """The sha of a commit whose tree has these entries as they are: name → (mode, content or sha)."""
    tree = Tree()
    for name, (mode, content) in entries.items():
        blob = Blob.from_string(content)
        repository.object_store.add_object(blob)
        is_sha = mode in (0o160000, 0o040000)
        tree.add(name, mode, ObjectID(content) if is_sha else blob.id)
    repository.object_store.add_object(tree)
    commit = Commit()
    commit.tree, commit.message = tree.id, b"A commit"
    commit.author = commit.committer = AUTHOR
    commit.author_time = commit.commit_time = 0
    commit.author_timezone = commit.commit_timezone = 0
    repository.object_store.add_object(commit)
    return commit.id.decode()
