"""Read a commit of a local git repository, without a git program and without a checkout."""

import json
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from dulwich.errors import NotGitRepository
from dulwich.objects import Blob, Commit, ObjectID, ShaFile, Tree
from dulwich.objectspec import AmbiguousShortId, parse_commit
from dulwich.repo import Repo

from pipeline_defs.analysis.reading.members import (
    Acceptance,
    AnalysisLimits,
    Kind,
    Member,
    MemberRemark,
    ReadingBudget,
    RefusalCode,
    make_refusal,
)
from resources.contract.errors import CastadError


@contextmanager
def open_repository(path: Path) -> Iterator[Repo]:
    """Open the git repository at or above `path`, bare or not; raise errors of the block as PermanentError."""
    with _translate_errors(), _discover(path) as repository:
        yield repository


def _discover(path: Path) -> Repo:
    try:
        # A path that does not exist must not be searched for above.
        path.stat()
        return Repo.discover(path)
    except (NotGitRepository, OSError) as error:
        raise make_refusal(
            RefusalCode.REPOSITORY_NOT_FOUND,
            "repository: expected the path of a git repository that can be read on this machine",
        ) from error


@contextmanager
def _translate_errors() -> Iterator[None]:
    try:
        yield
    except CastadError:
        raise
    except MemoryError as error:
        raise make_refusal(
            RefusalCode.ANALYSIS_OUT_OF_MEMORY, "repository: expected files that fit into memory"
        ) from error
    except Exception as error:  # dulwich raises anything for a damaged repository.
        raise make_refusal(
            RefusalCode.REPOSITORY_BROKEN,
            f"repository: expected a whole git repository; reading it ended with {type(error).__name__}",
        ) from error


def resolve_ref(path: Path, ref: str) -> str:
    """Resolve a branch, tag, (short) sha or HEAD of the repository to the full sha of a commit.

    Raise PermanentError `repository_not_found`, `repository_broken` or `ref_not_found`.
    """
    with open_repository(path) as repository:
        try:
            return parse_commit(repository, ref.encode("utf-8", "replace")).id.decode("ascii")
        except (KeyError, ValueError, AmbiguousShortId) as error:
            raise make_refusal(
                RefusalCode.REF_NOT_FOUND,
                "ref: expected a branch, a tag or a commit of the repository",
            ) from error


def read_commit(path: Path, sha: str, limits: AnalysisLimits) -> Iterator[Member]:
    """Read the members of a commit's tree.

    Raise PermanentError as `resolve_ref` does, and if a limit is exceeded.
    """
    budget, acceptance = ReadingBudget(limits), Acceptance(limits)
    with open_repository(path) as repository:
        store = _Objects(repository)
        commit = store[ObjectID(sha.encode("ascii"))]
        if not isinstance(commit, Commit):
            raise make_refusal(RefusalCode.REF_NOT_FOUND, "ref: expected the sha of a commit")
        for name, mode, object_id in _list_entries(store, commit.tree, budget):
            yield _read_member(store, name, mode, object_id, budget, acceptance)


class _Objects:
    """The objects of a repository; a partial clone lacks some."""

    def __init__(self, repository: Repo) -> None:
        self._store = repository.object_store
        self._is_partial = _is_partial_clone(repository)
        self._absent: set[ObjectID] = set()

    def __getitem__(self, object_id: ObjectID) -> ShaFile:
        return self._store[object_id]

    def find(self, name: bytes, object_id: ObjectID) -> ShaFile | None:
        """Return the object; None if a partial clone has not fetched it.

        Raise PermanentError `repository_broken` if another repository lacks it.
        """
        try:
            return self._store[object_id]
        except KeyError:
            if not self._is_partial:
                named = name.decode("utf-8", "replace") or "its first folder"
                raise make_refusal(
                    RefusalCode.REPOSITORY_BROKEN,
                    f"repository: expected a whole git repository; it lacks {named}",
                ) from None
        self._absent.add(object_id)
        return None

    def is_absent(self, object_id: ObjectID) -> bool:
        """Return whether `find` has not found it."""
        return object_id in self._absent


def _is_partial_clone(repository: Repo) -> bool:
    """Return whether git would fetch absent objects from a promisor remote."""
    config = repository.get_config()
    for section in config.sections():
        names = {name.lower(): value.lower() for name, value in config.items(section)}
        if names.get(b"promisor") == b"true" or b"partialclonefilter" in names:
            return True
        if section[0].lower() == b"extensions" and b"partialclone" in names:
            return True
    return False


def _list_entries(
    store: "_Objects", root: ObjectID, budget: ReadingBudget
) -> Iterator[tuple[bytes, int, ObjectID]]:
    """Yield every entry except folders, in git's order; a folder that is too deep is an entry."""
    waiting = [(b"", stat.S_IFDIR, root, 0)]
    while waiting:
        name, mode, object_id, depth = waiting.pop()
        if not stat.S_ISDIR(mode) or depth > budget.limits.depth:
            yield name, mode, object_id
            continue
        tree = store.find(name, object_id)
        if tree is None:
            yield name, mode, object_id
            continue
        if not isinstance(tree, Tree):
            raise make_refusal(
                RefusalCode.REPOSITORY_BROKEN, "repository: expected a tree where a tree is named"
            )
        prefix = name + b"/" if name else b""
        inner = []
        for entry in tree.items():
            budget.add_member()
            inner.append((prefix + entry.path, entry.mode, entry.sha, depth + 1))
        waiting.extend(reversed(inner))


def _read_member(
    store: "_Objects",
    name: bytes,
    mode: int,
    object_id: ObjectID,
    budget: ReadingBudget,
    acceptance: Acceptance,
) -> Member:
    kind = Kind.FILE if stat.S_ISREG(mode) else Kind.SPECIAL
    if mode & 0o170000 == 0o160000:
        kind = Kind.SUBMODULE
    elif stat.S_ISLNK(mode):
        kind = Kind.SYMLINK
    if stat.S_ISDIR(mode) and store.is_absent(object_id):
        kind = Kind.FILE
    if kind is not Kind.FILE:
        return acceptance.make_member(name, 0, kind)
    blob = store.find(name, object_id)
    if blob is None:
        path = acceptance.make_member(name or b".", 0, kind).path
        return Member(path, 0, kind, remark=MemberRemark.NOT_FETCHED)
    if not isinstance(blob, Blob):
        raise make_refusal(
            RefusalCode.REPOSITORY_BROKEN, "repository: expected a blob where a file is named"
        )
    content = blob.as_raw_string()
    budget.add_unpacked(len(content))
    return acceptance.make_member(name, len(content), kind, content)


def write_listing(
    file: Path, files: Mapping[str, int], submodules: Sequence[str], *, is_cut: bool
) -> None:
    """Write the list of a commit: `files` with their sizes; `is_cut` if there are more."""
    listing = {"files": files, "submodules": submodules, "is_cut": is_cut}
    file.write_text(json.dumps(listing, ensure_ascii=False), "utf-8", "surrogatepass")


def add_listed(members: Iterable[Member], file: Path) -> Iterator[Member]:
    """Yield the members of an archive, then what only the list of its commit has, with a remark."""
    listing = json.loads(file.read_text("utf-8", "surrogatepass"))
    seen = set()
    for member in members:
        seen.add(member.path)
        yield member
    for path, size in listing["files"].items():
        if path not in seen:
            yield Member(path, size, Kind.FILE, remark=MemberRemark.NOT_IN_ARCHIVE)
    for path in listing["submodules"]:
        if path not in seen:
            yield Member(path, 0, Kind.SUBMODULE, remark=MemberRemark.SUBMODULE)
    if listing["is_cut"]:
        yield Member(".", 0, Kind.SPECIAL, remark=MemberRemark.LISTING_CUT)
