"""A local git repository as a stream of members."""

import gc
import os
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from dulwich import porcelain
from dulwich.repo import Repo
from hypothesis import given
from hypothesis import strategies as st

from pipeline_defs.analysis.reading.git_tree import read_commit, resolve_ref
from pipeline_defs.analysis.reading.members import (
    AnalysisLimits,
    Kind,
    Member,
    MemberRemark,
    RefusalCode,
)
from pipeline_defs.analysis.reading.work_tree import read_work_tree
from resources.contract.errors import PermanentError
from tests.git_repositories import AUTHOR, commit_files, commit_tree, new_repository

FILES = {"a.py": b"x = 1\n", "src/b.py": b"y = 2\n", "한글.md": b"# h\n"}


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[Repo]:
    with new_repository(tmp_path / "project", FILES) as made:
        yield made


def head(repository: Repo) -> str:
    return repository.head().decode()


def at(repository: Repo) -> Path:
    return Path(repository.path)


def committed(repository: Repo, sha: str, limits: AnalysisLimits | None = None) -> list[Member]:
    return list(read_commit(at(repository), sha, limits or AnalysisLimits()))


def in_work_tree(repository: Repo, limits: AnalysisLimits | None = None) -> dict[str, Member]:
    members = read_work_tree(at(repository), limits or AnalysisLimits())
    return {member.path: member for member in members}


def test_commit_yields_its_files(repository):
    found = {member.path: member.content for member in committed(repository, head(repository))}
    assert found == FILES


def test_commit_is_read_as_it_is_not_as_the_work_tree_is(repository):
    (at(repository) / "a.py").write_bytes(b"changed")
    assert committed(repository, head(repository))[0].content == FILES["a.py"]


@pytest.mark.parametrize("ref", ["HEAD", "main", "refs/heads/main", "v1", "annotated"])
def test_ref_is_the_sha_of_its_commit(repository, ref):
    porcelain.tag_create(repository, b"v1")
    porcelain.tag_create(repository, b"annotated", author=AUTHOR, message=b"m", annotated=True)
    assert resolve_ref(at(repository), ref) == head(repository)


@pytest.mark.parametrize("length", [7, 40])
def test_sha_is_the_sha_of_its_commit(repository, length):
    assert resolve_ref(at(repository), head(repository)[:length]) == head(repository)


def test_branch_of_a_remote_is_found(repository):
    repository.refs[b"refs/remotes/origin/dev"] = repository.head()
    assert resolve_ref(at(repository), "origin/dev") == head(repository)


def test_packed_refs_and_objects_are_read(repository):
    porcelain.pack_refs(repository, all=True)
    porcelain.repack(repository)
    sha = resolve_ref(at(repository), "main")
    assert len(committed(repository, sha)) == len(FILES)


def test_bare_repository_is_read(repository, tmp_path):
    bare = tmp_path / "bare.git"
    shutil.copytree(repository.controldir(), bare)
    config = (bare / "config").read_text()
    (bare / "config").write_text(config.replace("bare = false", "bare = true"))
    assert len(list(read_commit(bare, resolve_ref(bare, "HEAD"), AnalysisLimits()))) == len(FILES)


def test_worktree_with_a_git_file_is_read(repository, tmp_path):
    place = tmp_path / "second"
    porcelain.worktree_add(repository, str(place), branch=b"second")
    assert resolve_ref(place, "HEAD") == head(repository)


def test_folder_inside_the_repository_is_enough(repository):
    assert resolve_ref(at(repository) / "src", "HEAD") == head(repository)


@pytest.mark.parametrize("ref", ["absent", "", "HEAD:a.py", "\0", "\ud800", "f" * 40, "..", "0000"])
def test_ref_that_names_no_commit_is_refused(repository, ref):
    with pytest.raises(PermanentError) as caught:
        resolve_ref(at(repository), ref)
    assert caught.value.code == RefusalCode.REF_NOT_FOUND


@pytest.mark.parametrize("name", ["absent", "plain"])
def test_path_without_a_repository_is_refused(tmp_path, name):
    (tmp_path / "plain").mkdir()
    with pytest.raises(PermanentError) as caught:
        resolve_ref(tmp_path / name, "HEAD")
    assert caught.value.code == RefusalCode.REPOSITORY_NOT_FOUND


@pytest.mark.parametrize("damage", [b"", b"garbage", b"x\x9c"])
def test_damaged_object_refuses_the_repository(repository, damage):
    sha = head(repository)
    for file in (at(repository) / ".git" / "objects").glob("??/*"):
        if file.parent.name + file.name != sha:
            file.chmod(0o644)
            file.write_bytes(damage)
    with pytest.raises(PermanentError) as caught:
        committed(repository, sha)
    assert caught.value.code == RefusalCode.REPOSITORY_BROKEN


def test_missing_object_refuses_the_repository(repository):
    sha = commit_tree(repository, {b"folder": (0o040000, b"1" * 40)})
    with pytest.raises(PermanentError) as caught:
        committed(repository, sha)
    assert caught.value.code == RefusalCode.REPOSITORY_BROKEN


def test_odd_entries_of_a_tree_are_remarks(repository):
    sha = commit_tree(
        repository,
        {
            b"caf\xe9.py": (0o100644, b"x"),
            b"..": (0o100644, b"x"),
            b"link": (0o120000, b"/etc/passwd"),
            b"module": (0o160000, b"1" * 40),
        },
    )
    assert {member.remark for member in committed(repository, sha)} == {
        MemberRemark.NAME_NOT_UTF8,
        MemberRemark.PARENT_NAME,
        MemberRemark.SYMLINK,
        MemberRemark.SUBMODULE,
    }


def test_folder_that_is_too_deep_is_a_remark(repository):
    sha = commit_files(repository, {"1/2/3/4/5/deep.py": b"x"})
    remarks = {member.remark for member in committed(repository, sha, AnalysisLimits(depth=3))}
    assert remarks == {None, MemberRemark.NAME_TOO_DEEP}


@pytest.mark.parametrize(
    ("limits", "code"),
    [
        (AnalysisLimits(members=2), RefusalCode.TOO_MANY_FILES),
        (AnalysisLimits(unpacked_bytes=10), RefusalCode.REPOSITORY_TOO_LARGE),
        (AnalysisLimits(seconds=-1), RefusalCode.ANALYSIS_TIMED_OUT),
    ],
)
def test_limit_that_a_commit_passes_refuses_it(repository, limits, code):
    with pytest.raises(PermanentError) as caught:
        committed(repository, head(repository), limits)
    assert caught.value.code == code


def test_work_tree_is_read_with_what_is_not_committed(repository):
    (at(repository) / "a.py").write_bytes(b"changed")
    (at(repository) / "new.py").write_bytes(b"new")
    (at(repository) / "src" / "b.py").unlink()
    found = {path: member.content for path, member in in_work_tree(repository).items()}
    assert found == {"a.py": b"changed", "new.py": b"new", "한글.md": FILES["한글.md"]}


def test_ignored_file_is_read_only_where_it_is_tracked(repository):
    commit_files(repository, {"out/kept.py": b"1"})
    commit_files(repository, {".gitignore": b"out/\n*.log\n"})
    (at(repository) / "out" / "other.py").write_bytes(b"2")
    (at(repository) / "x.log").write_bytes(b"3")
    assert set(in_work_tree(repository)) == {*FILES, "out/kept.py", ".gitignore"}


def test_odd_things_in_a_work_tree_are_remarks(repository):
    (at(repository) / "link").symlink_to("/etc")
    os.mkfifo(at(repository) / "pipe")
    new_repository(at(repository) / "inner", FILES).close()
    found = in_work_tree(repository)
    remarks = {path: found[path].remark for path in ("link", "pipe", "inner")}
    assert remarks == {
        "link": MemberRemark.SYMLINK,
        "pipe": MemberRemark.SPECIAL_FILE,
        "inner": MemberRemark.SUBMODULE,
    }


def test_folder_that_cannot_be_listed_is_a_remark(repository):
    # Its path is longer than the system takes: unlike a missing permission, that stops root too.
    folder = os.open(at(repository), os.O_RDONLY)
    for _ in range(20):
        os.mkdir("d" * 250, dir_fd=folder)
        inner = os.open("d" * 250, os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = inner
    os.close(folder)
    remarks = [member.remark for member in in_work_tree(repository).values()]
    assert remarks.count(MemberRemark.UNREADABLE_FILE) == 1
    assert remarks.count(None) == len(FILES)


def test_gitignore_that_cannot_be_read_ignores_nothing(repository):
    (at(repository) / "src" / ".gitignore").mkdir()
    (at(repository) / "src" / "new.py").write_bytes(b"1")
    assert set(in_work_tree(repository)) == {*FILES, "src/new.py"}


def test_large_file_of_a_work_tree_is_not_read(repository):
    (at(repository) / "big").write_bytes(b"x" * 200)
    member = in_work_tree(repository, AnalysisLimits(file_bytes=100))["big"]
    assert member == Member("big", 200, Kind.FILE, b"", MemberRemark.LARGE_FILE)


def test_bare_repository_has_no_work_tree(tmp_path):
    Repo.init_bare(str(tmp_path)).close()
    with pytest.raises(PermanentError) as caught:
        list(read_work_tree(tmp_path, AnalysisLimits()))
    assert caught.value.code == RefusalCode.REPOSITORY_NOT_FOUND


def test_reading_writes_nothing(repository):
    before = sorted((str(file), file.stat().st_mtime_ns) for file in at(repository).rglob("*"))
    committed(repository, head(repository))
    in_work_tree(repository)
    after = sorted((str(file), file.stat().st_mtime_ns) for file in at(repository).rglob("*"))
    assert after == before


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A repository whose refs and objects are packed; garbage is collected among what is made after it only."""
    with new_repository(tmp_path_factory.mktemp("packed"), FILES) as made:
        porcelain.pack_refs(made, all=True)
        porcelain.repack(made)
        folder = at(made) / ".git"
    gc.freeze()
    yield folder
    gc.unfreeze()


@given(data=st.data())
def test_damaged_repository_is_read_or_refused(packed, data):
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "damaged.git")
        shutil.copytree(packed, place)
        file = data.draw(
            st.sampled_from(sorted(each for each in place.rglob("*") if each.is_file()))
        )
        content = bytearray(file.read_bytes())
        for _ in range(data.draw(st.integers(1, 5))):
            position = data.draw(st.integers(0, max(0, len(content) - 1)))
            content[position : position + 1] = data.draw(st.binary(max_size=3))
        file.chmod(0o644)
        file.write_bytes(content)
        with warnings.catch_warnings():
            # dulwich leaves the files of a damaged pack to the garbage collector.
            warnings.simplefilter("ignore", ResourceWarning)
            code = code_of_reading(place)
            gc.collect()
        assert code in {None, *RefusalCode}


def code_of_reading(path: Path) -> str | None:
    """The code with which the repository is refused; None where it is read."""
    try:
        list(read_commit(path, resolve_ref(path, "HEAD"), AnalysisLimits()))
    except PermanentError as error:
        return error.code
    return None
