import gzip
import io
import tarfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline_defs.analysis.reading.members import (
    AnalysisLimits,
    Kind,
    Member,
    MemberRemark,
    RefusalCode,
)
from pipeline_defs.analysis.reading.tarball import read_tarball
from resources.contract.errors import PermanentError
from tests.archives import file_entry, members_of_tarball, special_entry, tarball, tarball_of

NAMES = st.one_of(
    st.sampled_from(
        ["a", "a/b.py", "./a", "/etc/passwd", "../up", "a/../b", "가/나.py", "x" * 300]
    ),
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=120),
)
TYPES = st.sampled_from(
    [
        tarfile.REGTYPE,
        tarfile.AREGTYPE,
        tarfile.LNKTYPE,
        tarfile.SYMTYPE,
        tarfile.CHRTYPE,
        tarfile.BLKTYPE,
        tarfile.DIRTYPE,
        tarfile.FIFOTYPE,
        tarfile.CONTTYPE,
        tarfile.GNUTYPE_SPARSE,
        b"V",
        b"?",
    ]
)
FORMATS = st.sampled_from([tarfile.PAX_FORMAT, tarfile.GNU_FORMAT])
DAMAGE = 1_000


@st.composite
def entries(draw: st.DrawFn) -> tuple[tarfile.TarInfo, bytes]:
    entry, content = file_entry(draw(NAMES), draw(st.binary(max_size=2_000)))
    entry.type = draw(TYPES)
    entry.linkname = draw(st.sampled_from(["", "/etc/passwd", "../.."]))
    return entry, content


def refused(archive: bytes, limits: AnalysisLimits | None = None) -> str | None:
    """The code with which the archive is refused; None for one that is read."""
    try:
        members_of_tarball(archive, limits)
    except PermanentError as error:
        return error.code
    return None


READ_OR_REFUSED = {None, *RefusalCode}


def test_tarball_yields_every_file_with_its_bytes():
    files = {
        "README.md": b"# Read",
        "src/a.py": b"x = 1\n",
        "한글/" + "긴이름" * 50: b"\0\xff",
        "empty": b"",
    }
    assert members_of_tarball(tarball_of(files)) == [
        Member(path, len(content), Kind.FILE, content) for path, content in files.items()
    ]


def test_top_folder_is_dropped():
    archive = tarball(
        [
            special_entry("o-r-abc1234/", tarfile.DIRTYPE),
            file_entry("o-r-abc1234/a.py", b"1"),
            file_entry("o-r-abc1234/src/b.py", b"2"),
        ]
    )
    paths = [member.path for member in members_of_tarball(archive, has_top_folder=True)]
    assert paths == ["a.py", "src/b.py"]


def test_file_beside_the_top_folder_is_passed_over():
    archive = tarball([file_entry("pax_header", b"x" * 700), file_entry("o-r/a.py", b"1")])
    paths = [member.path for member in members_of_tarball(archive, has_top_folder=True)]
    assert paths == ["a.py"]


@pytest.mark.parametrize(
    ("kind", "remark"),
    [
        (tarfile.SYMTYPE, MemberRemark.SYMLINK),
        (tarfile.LNKTYPE, MemberRemark.HARD_LINK),
        (tarfile.CHRTYPE, MemberRemark.SPECIAL_FILE),
        (tarfile.BLKTYPE, MemberRemark.SPECIAL_FILE),
        (tarfile.FIFOTYPE, MemberRemark.SPECIAL_FILE),
    ],
)
def test_what_is_no_regular_file_is_a_remark(kind, remark):
    archive = tarball([special_entry("odd", kind, "/etc/passwd"), file_entry("a.py", b"1")])
    assert [member.remark for member in members_of_tarball(archive)] == [remark, None]


@pytest.mark.parametrize(
    ("content", "remark"),
    [
        (b"x" * 101, MemberRemark.LARGE_FILE),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", MemberRemark.LFS_POINTER),
    ],
)
def test_content_that_is_not_looked_into_is_a_remark_with_its_size(content, remark):
    [member] = members_of_tarball(tarball_of({"big": content}), AnalysisLimits(file_bytes=100))
    assert (member.remark, member.size, member.content) == (remark, len(content), b"")


def test_name_that_comes_again_is_a_remark():
    archive = tarball([file_entry("a", b"1"), file_entry("./a", b"2")])
    assert [member.remark for member in members_of_tarball(archive)] == [
        None,
        MemberRemark.REPEATED_NAME,
    ]


@pytest.mark.parametrize(
    ("limits", "code"),
    [
        (AnalysisLimits(members=2), RefusalCode.TOO_MANY_FILES),
        (AnalysisLimits(unpacked_bytes=1_000), RefusalCode.REPOSITORY_TOO_LARGE),
        (AnalysisLimits(compressed_bytes=10), RefusalCode.ARCHIVE_TOO_LARGE),
        (AnalysisLimits(ratio_from=1_000, ratio=2), RefusalCode.ARCHIVE_BOMB),
        (AnalysisLimits(seconds=-1), RefusalCode.ANALYSIS_TIMED_OUT),
    ],
)
def test_limit_that_is_passed_refuses_with_its_code(limits, code):
    archive = tarball_of(dict.fromkeys("abc", b"0" * 5000))
    assert refused(archive, limits) == code


def test_bomb_is_refused_before_it_is_unpacked():
    packed = io.BytesIO(gzip.compress(b"\0" * 20_000_000) * 100)
    with pytest.raises(PermanentError):
        list(read_tarball(packed, AnalysisLimits(ratio_from=1_000_000), has_top_folder=False))
    assert packed.tell() < 100_000


def test_header_longer_than_any_name_is_refused_before_it_is_read():
    header = tarfile.TarInfo("././@LongLink")
    header.type, header.size = tarfile.GNUTYPE_LONGNAME, 1 << 30
    block = header.tobuf(tarfile.GNU_FORMAT)
    assert refused(gzip.compress(block + b"x" * 5_000)) == RefusalCode.ARCHIVE_BROKEN


def test_thousands_of_headers_in_a_row_are_read():
    header = tarfile.TarInfo("x")
    header.type = tarfile.XHDTYPE
    blocks = header.tobuf(tarfile.USTAR_FORMAT) * 5_000
    end = b"\0" * 1_024
    assert members_of_tarball(gzip.compress(blocks + end)) == []


def test_archive_in_several_gzip_streams_is_one():
    plain = gzip.decompress(tarball_of({"a": b"1" * 3_000, "b": b"2"}))
    packed = b"".join(gzip.compress(plain[at : at + 700]) for at in range(0, len(plain), 700))
    assert [member.path for member in members_of_tarball(packed + b"\0" * 100)] == ["a", "b"]


@pytest.mark.parametrize(
    "archive",
    [
        b"",
        b"not gzip",
        gzip.compress(b""),
        gzip.compress(b"not tar" * 200),
        tarball_of({"a": b"1"}) + b"trailing",
        gzip.compress(b"\0" * 1_024)[:-1],
    ],
    ids=["empty", "not gzip", "nothing packed", "not tar", "bytes after it", "cut off"],
)
def test_what_is_no_whole_archive_is_refused(archive):
    assert refused(archive) == RefusalCode.ARCHIVE_BROKEN


def test_archive_cut_off_anywhere_is_refused():
    noise = bytes((at * 7919 + at // 251) % 256 for at in range(60_000))
    archive = tarball_of({"a.py": noise, "b/" + "c" * 200: noise[::-1]})
    assert {refused(archive[:end]) for end in range(0, len(archive), DAMAGE)} == {
        RefusalCode.ARCHIVE_BROKEN
    }


@given(st.lists(entries(), max_size=8), FORMATS)
def test_names_types_sizes_and_orders_are_all_read_or_refused(listed, format):
    assert (
        refused(tarball(listed, format), AnalysisLimits(file_bytes=1_000, depth=3, name_bytes=200))
        in READ_OR_REFUSED
    )


@given(st.lists(entries(), max_size=5), FORMATS, st.data())
def test_damaged_archive_is_read_or_refused(listed, format, data):
    plain = bytearray(gzip.decompress(tarball(listed, format)))
    for _ in range(data.draw(st.integers(1, 8))):
        plain[data.draw(st.integers(0, len(plain) - 1))] = data.draw(st.integers(0, 255))
    assert refused(gzip.compress(bytes(plain))) in READ_OR_REFUSED


@given(st.binary(max_size=5_000), st.booleans())
def test_random_bytes_are_refused(noise, packs):
    assert refused(gzip.compress(noise) if packs else noise) in READ_OR_REFUSED


@given(st.binary(max_size=1_500))
def test_random_extended_header_is_read_or_refused(body):
    header = tarfile.TarInfo("x")
    header.type, header.size = tarfile.XHDTYPE, len(body)
    follower, _ = file_entry("a.py")
    padded = body + b"\0" * (-len(body) % 512)
    blocks = header.tobuf(tarfile.USTAR_FORMAT) + padded + follower.tobuf() + b"\0" * 1_024
    assert refused(gzip.compress(blocks)) in READ_OR_REFUSED
