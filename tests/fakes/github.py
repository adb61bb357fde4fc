"""A fake of GitHub's REST API for repositories, and of its host of archives (docs/vendors/github.md).

Routes: repository, commit, tree, tarball (a redirect), archive (on the same host, asks for no token). An archive
lacks what `.gitattributes` export-ignore, as git itself makes it. A renamed
repository answers with a redirect to its id. `rate` is the primary limit: 403 with `x-ratelimit-reset`;
`rate_limited(code=429)` is the secondary one.
"""

import hashlib
import subprocess
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from tests.archives import file_entry, tarball
from tests.fakes.faults import Fault
from tests.fakes.reply import Call, Reply, json_reply
from tests.fakes.server import FakeVendor, Route

_REPOSITORY = "/repos/([^/]+)/([^/]+)"
_ID = "/repositories/([0-9]+)"


def git_archive(files: Mapping[str, bytes], top: str) -> bytes:
    """The gzip'd tar that git makes of a commit with these files."""
    with tempfile.TemporaryDirectory() as folder:
        for path, content in files.items():
            file = Path(folder) / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)

        def git(*arguments: str) -> bytes:
            command = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments]
            return subprocess.run(command, cwd=folder, check=True, capture_output=True).stdout

        git("init", "-q")
        git("add", "-A", "-f")
        git("commit", "-qm", "files")
        return git("archive", "--format=tar.gz", f"--prefix={top}", "HEAD")


@dataclass
class FakeRepository:
    """A repository; `refs` and `archives` by sha. Without a ref it is empty."""

    id: int
    owner: str
    name: str
    is_private: bool = False
    refs: dict[str, str] = field(default_factory=dict)
    archives: dict[str, bytes] = field(default_factory=dict)
    trees: dict[str, Mapping[str, int]] = field(default_factory=dict)

    def push(self, files: Mapping[str, bytes], *refs: str) -> str:
        """The sha of a new commit with these files, which the refs name from now on."""
        content = b"".join(b"%s\0%s\0" % (k.encode(), v) for k, v in sorted(files.items()))
        sha = hashlib.sha1(content, usedforsecurity=False).hexdigest()
        top = f"{self.owner}-{self.name}-{sha[:7]}"
        self.trees[sha] = {path: len(content) for path, content in files.items()}
        if any(path.endswith(".gitattributes") for path in files):
            self.archives[sha] = git_archive(files, f"{top}/")
        else:
            self.archives[sha] = tarball(file_entry(f"{top}/{k}", v) for k, v in files.items())
        for ref in (*refs, "HEAD", sha):
            self.refs[ref] = sha
        return sha


class FakeGitHub(FakeVendor):
    """Repositories whose names are compared without case; private ones answer only to the token."""

    name: ClassVar[str] = "github"
    routes: ClassVar[tuple[Route, ...]] = (
        ("limit", "GET", "/rate_limit"),
        ("repository", "GET", _REPOSITORY),
        ("repository", "GET", _ID),
        ("commit", "GET", f"{_REPOSITORY}/commits/(.+)"),
        ("commit", "GET", f"{_ID}/commits/(.+)"),
        ("tree", "GET", f"{_REPOSITORY}/git/trees/([0-9a-f]+)"),
        ("tarball", "GET", f"{_REPOSITORY}/tarball/(.+)"),
        ("archive", "GET", "/archives/([0-9]+)/([0-9a-f]+)"),
    )
    open_routes: ClassVar[frozenset[str]] = frozenset(("archive",))

    def __init__(self, folder: Path, *, key: str | None = None, port: int = 0) -> None:
        super().__init__(folder, key=key, port=port)
        self._repositories: list[FakeRepository] = []
        self._renamed: dict[tuple[str, str], FakeRepository] = {}

    def add(self, owner: str, name: str, *, is_private: bool = False) -> FakeRepository:
        """A new repository, which is empty."""
        made = FakeRepository(len(self._repositories) + 1, owner, name, is_private)
        self._repositories.append(made)
        return made

    def repository(self, owner: str, name: str) -> FakeRepository:
        """The repository of this name."""
        found = self._by_name(owner, name)
        assert found is not None
        return found

    def rename(self, repository: FakeRepository, owner: str, name: str) -> None:
        """Its old name leads to it by a redirect."""
        self._renamed[(repository.owner.lower(), repository.name.lower())] = repository
        repository.owner, repository.name = owner, name

    def is_authorized(self, call: Call) -> bool:
        return "authorization" not in call.headers or super().is_authorized(call)

    def on_limit(self, call: Call, fault: Fault | None) -> Reply:
        headers = {"x-ratelimit-limit": "5000", "x-ratelimit-remaining": "4999"}
        return json_reply(200, {}, headers)

    def on_repository(self, call: Call, fault: Fault | None, *asked: str) -> Reply:
        found = self._find(call, *asked)
        if isinstance(found, Reply):
            return found
        record = {
            "id": found.id,
            "full_name": f"{found.owner}/{found.name}",
            "private": found.is_private,
        }
        return json_reply(200, record)

    def on_commit(self, call: Call, fault: Fault | None, *asked: str) -> Reply:
        *of, ref = asked
        found = self._find(call, *of)
        if isinstance(found, Reply):
            return found
        if not found.refs:
            return json_reply(409, {"message": "Git Repository is empty."})
        sha = found.refs.get(ref)
        if sha is None:
            return json_reply(422, {"message": f"No commit found for SHA: {ref}"})
        etag = f'"{sha}"'
        if call.headers.get("if-none-match") == etag:
            return Reply(304, b"", headers={"ETag": etag})
        return Reply(200, sha.encode(), "application/vnd.github.sha", {"ETag": etag})

    def on_tree(self, call: Call, fault: Fault | None, owner: str, name: str, sha: str) -> Reply:
        found = self._find(call, owner, name)
        if isinstance(found, Reply):
            return found
        if sha not in found.trees:
            return self.not_found(call)
        entries = [
            {"path": path, "mode": "100644", "type": "blob", "size": size}
            for path, size in sorted(found.trees[sha].items())
        ]
        return json_reply(200, {"sha": sha, "tree": entries, "truncated": False})

    def on_tarball(self, call: Call, fault: Fault | None, owner: str, name: str, ref: str) -> Reply:
        found = self._find(call, owner, name)
        if isinstance(found, Reply):
            return found
        sha = found.refs.get(ref)
        if sha is None:
            return self.not_found(call)
        return Reply(302, b"", headers={"Location": f"{self.origin}/archives/{found.id}/{sha}"})

    def on_archive(self, call: Call, fault: Fault | None, number: str, sha: str) -> Reply:
        return Reply(200, self._by_id(number).archives[sha], "application/x-gzip")

    def unauthorized(self, call: Call, *, echo: bool) -> Reply:
        shown = f": {call.headers.get('authorization')}" if echo else ""
        return json_reply(401, {"message": f"Bad credentials{shown}"})

    def too_often(self, headers: Mapping[str, str], code: int | None) -> Reply:
        if code == 429:
            message = "You have exceeded a secondary rate limit."
            return json_reply(429, {"message": message}, headers)
        reset = int(time.time() + self.clock_offset + float(headers.get("Retry-After", "60")))
        spent = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(reset)}
        return json_reply(403, {"message": "API rate limit exceeded for 127.0.0.1."}, spent)

    def not_found(self, call: Call) -> Reply:
        return json_reply(404, {"message": "Not Found"})

    def _find(self, call: Call, *asked: str) -> FakeRepository | Reply:
        found = self._by_id(*asked) if len(asked) == 1 else self._by_name(*asked)
        if found is None or (found.is_private and "authorization" not in call.headers):
            return self.not_found(call)
        if len(asked) == 2 and found is self._renamed.get((asked[0].lower(), asked[1].lower())):
            rest = call.path.split("/", 4)[4:]
            moved = "/".join((f"{self.origin}/repositories/{found.id}", *rest))
            return json_reply(301, {"message": "Moved Permanently"}, {"Location": moved})
        return found

    def _by_id(self, number: str) -> FakeRepository:
        return self._repositories[int(number) - 1]

    def _by_name(self, owner: str, name: str) -> FakeRepository | None:
        wanted = (owner.lower(), name.lower())
        named = (
            each for each in self._repositories if (each.owner.lower(), each.name.lower()) == wanted
        )
        return next(named, None) or self._renamed.get(wanted)
