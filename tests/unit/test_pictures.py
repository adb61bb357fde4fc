import hashlib
import http.server
import io
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from resources.contract.errors import InvalidInputError, PermanentError, TransientError
from resources.files.artifacts import ArtifactStore
from resources.files.pictures import PictureSource, build_image_reference
from resources.http.addresses import HostAllowlist
from resources.ledger.request import check_task_id
from tests.song_video import check_brief

FORMATS = ["JPEG", "PNG", "WEBP"]


def picture(kind: str = "PNG", size: tuple[int, int] = (40, 30)) -> bytes:
    stream = io.BytesIO()
    Image.linear_gradient("L").resize(size).convert("RGB").save(stream, kind)
    return stream.getvalue()


def grey(width: int, height: int) -> bytes:
    """Of one colour, for a size at which a gradient takes a second of everybody who imports this."""
    stream = io.BytesIO()
    Image.new("L", (width, height)).save(stream, "PNG", compress_level=1)
    return stream.getvalue()


NO_PICTURES = {
    "empty": b"",
    "text": b"<svg xmlns='http://www.w3.org/2000/svg'/>",
    "page": b"<!doctype html><title>404</title>",
    "only a header": picture("PNG")[:20],
    "half a JPEG": picture("JPEG", (400, 300))[:600],
    "half a PNG": picture("PNG", (400, 300))[:600],
    "half a WebP": picture("WEBP", (400, 300))[:150],
    "a GIF": picture("GIF"),
    "a BMP": picture("BMP"),
    "a TIFF": picture("TIFF"),
    "50 MB": picture("PNG") + bytes(50_000_000),
    "20,000 pixels wide": picture("PNG", (20_000, 1)),
    "20,000 pixels high": picture("PNG", (1, 20_000)),
    "56 megapixels": grey(8_000, 7_000),
}


class PictureSite:
    """Serves `body` to whoever asks; `asked` counts."""

    def __init__(self) -> None:
        self.body = picture()
        self.status = 200
        self.asked = 0
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.asked += 1
                self.send_response(site.status)
                self.end_headers()
                self.wfile.write(site.body)

            def log_message(self, *_: Any) -> None:
                pass

        class Server(http.server.ThreadingHTTPServer):
            def handle_error(self, *_: Any) -> None:
                """A client that hangs up early is part of the game."""

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/picture.png"

    @property
    def link(self) -> dict[str, str]:
        return {"name": "images[0]", "url": self.url}


@pytest.fixture
def site() -> Iterator[PictureSite]:
    made = PictureSite()
    thread = threading.Thread(target=made.server.serve_forever, args=(0.01,))
    thread.start()
    yield made
    made.server.shutdown()
    thread.join()
    made.server.server_close()


@pytest.fixture
def store(tmp_path: Path) -> ArtifactStore:
    return ArtifactStore(tmp_path / "artifacts")


@pytest.fixture
def source(store: ArtifactStore) -> PictureSource:
    return PictureSource(store, allowlist=HostAllowlist(("127.0.0.1",), plain_http=True))


def file_of(tmp_path: Path, content: bytes, name: str = "front") -> Path:
    path = tmp_path / name
    path.write_bytes(content)
    return path


def kept(store: ArtifactStore) -> list[Path]:
    return [path for path in store.root.rglob("*") if path.is_file()]


def open_upload(source: PictureSource, reference: str) -> Path:
    return source.open(build_image_reference(reference, "images[0]"))


@pytest.mark.parametrize("kind", FORMATS)
def test_upload_keeps_the_picture_byte_for_byte(kind, source, tmp_path):
    content = picture(kind)
    reference = source.store_picture_file(file_of(tmp_path, content), "image")
    assert open_upload(source, reference).read_bytes() == content


def test_upload_gives_a_picture_one_reference_that_a_brief_takes(source, tmp_path):
    path = file_of(tmp_path, picture(), "one")
    first = source.store_picture_file(path, "image")
    assert source.store_picture_file(file_of(tmp_path, picture(), "two"), "image") == first
    assert source.store_picture_file(file_of(tmp_path, picture("JPEG"), "three"), "image") != first
    assert check_brief({"customer_name": "a", "region": "b", "images": [first]})
    assert path.read_bytes() == picture()


@pytest.mark.parametrize("case", NO_PICTURES)
def test_upload_refuses_what_is_no_usable_picture_and_keeps_nothing(case, source, store, tmp_path):
    with pytest.raises(InvalidInputError, match=r"^image: "):
        source.store_picture_file(file_of(tmp_path, NO_PICTURES[case]), "image")
    assert kept(store) == []


@pytest.mark.parametrize(
    "path",
    ["no-such-file.png", ".", "", "a\0b", "\ud800", "x" * 300, "/dev/zero", "/dev/null/x"],
    ids=lambda path: ascii(path)[:20],
)
def test_upload_refuses_a_path_without_a_file_naming_the_field(path, source):
    with pytest.raises(InvalidInputError, match=r"^image: expected a picture file"):
        source.store_picture_file(Path(path), "image")


def test_upload_reports_a_folder_it_cannot_write(source, store, tmp_path):
    store.root.write_bytes(b"a file where the folder should be")
    with pytest.raises(TransientError) as failure:
        source.store_picture_file(file_of(tmp_path, picture()), "image")
    assert failure.value.code == "disk_error"


def test_link_leads_to_the_picture_and_is_fetched_once(source, site):
    first = source.open(site.link)
    assert first.read_bytes() == site.body
    assert source.open({**site.link, "name": "images[3]"}) == first
    assert site.asked == 1


@pytest.mark.parametrize("later", [404, 200])
def test_link_that_was_fetched_stays_what_it_was(source, site, later):
    first = source.open(site.link).read_bytes()
    site.status, site.body = later, picture("JPEG")
    assert source.open(site.link).read_bytes() == first


def test_link_is_fetched_again_for_another_order(source, site):
    source.open({**site.link, "order": "a"})
    site.body = picture("JPEG")
    assert source.open({**site.link, "order": "b"}).read_bytes() == site.body


def test_same_picture_of_many_orders_is_kept_once(source, site, store):
    places = {source.open({**site.link, "order": name}) for name in "abc"}
    [place] = places
    assert place.name == hashlib.sha256(site.body).hexdigest()
    assert source.find_fetched({**site.link, "order": "a"}) == str(place.relative_to(store.root))


@pytest.mark.parametrize("status", [401, 403, 404, 410])
def test_dead_link_is_final_and_says_what_was_expected(source, site, status):
    site.status = status
    with pytest.raises(PermanentError, match=r"^images\[0\]: .*expected a link to") as refusal:
        source.open(site.link)
    assert refusal.value.code == "image_unreachable"


def test_link_to_a_host_that_does_not_exist_is_final(source):
    # No host's name is so long, which the resolver knows without a network.
    nowhere = {
        "name": "images[0]",
        "url": f"https://{'name-that-is-long.' * 15}invalid/picture.png",
    }
    with pytest.raises(PermanentError, match=r"^images\[0\]: .*expected a link to") as refusal:
        source.open(nowhere)
    assert refusal.value.code == "image_unreachable"


def test_link_that_is_only_tried_leaves_nothing(source, site, store):
    source.check_link(site.link, 20)
    assert (kept(store), source.find_fetched(site.link)) == ([], None)


def test_link_that_failed_is_fetched_again(source, site):
    site.status = 503
    with pytest.raises(TransientError):
        source.open(site.link)
    site.status = 200
    assert source.open(site.link).read_bytes() == site.body


def test_links_that_differ_are_kept_apart(source, site):
    source.open(site.link)
    site.body = picture("JPEG")
    assert source.open({**site.link, "url": f"{site.url}?2"}).read_bytes() == site.body


@pytest.mark.parametrize("case", NO_PICTURES)
def test_link_to_what_is_no_usable_picture_is_refused_and_leaves_no_file(case, source, site, store):
    site.body = NO_PICTURES[case]
    with pytest.raises(PermanentError, match=r"^images\[0\]: ") as refusal:
        source.open(site.link)
    assert refusal.value.code == "invalid_image"
    assert kept(store) == []


def test_link_to_a_private_address_is_refused_where_that_is_not_allowed(store, site):
    with pytest.raises(PermanentError, match=r"^images\[0\]: ") as refusal:
        PictureSource(store, allowlist=HostAllowlist(plain_http=True)).open(site.link)
    assert refusal.value.code == "private_address"
    assert site.asked == 0


def test_link_fetched_onto_a_folder_that_cannot_be_written_is_an_error_of_the_disk(
    source, site, store
):
    store.root.write_bytes(b"a file where the folder should be")
    with pytest.raises(TransientError) as failure:
        source.open(site.link)
    assert failure.value.code == "disk_error"


@pytest.mark.parametrize(
    "reference",
    [
        {"name": "song.wav", "where": "order-1/song.wav"},
        build_image_reference("upload:" + "0a" * 32, "images[0]"),
    ],
    ids=["artifact", "upload"],
)
def test_artifact_that_is_gone_is_said_to_be_missing(reference, source):
    with pytest.raises(PermanentError, match=re.escape(reference["name"])) as failure:
        source.open(reference)
    assert failure.value.code == "artifact_missing"


def test_uploads_lie_in_no_folder_of_a_request():
    where = build_image_reference("upload:" + "0a" * 32, "images[0]")["where"]
    with pytest.raises(InvalidInputError):
        check_task_id(where.split("/", maxsplit=1)[0])


@given(
    st.text()
    | st.from_regex(r"(upload:|https?://)?[a-f0-9/.:]*", fullmatch=True)
    | st.sampled_from(["upload:../../etc/passwd", "../../etc/passwd", "upload:" + "0a" * 32])
    | st.from_regex(r"upload:[0-9a-f]{64}", fullmatch=True)
)
def test_brief_makes_no_reference_that_leads_out_of_the_uploads(image):
    try:
        brief = check_brief({"customer_name": "a", "region": "b", "images": [image]})
    except InvalidInputError:
        return
    reference = build_image_reference(brief.images[0], "images[0]")
    if "where" in reference:
        assert re.fullmatch(r"\.uploads/[0-9a-f]{64}", reference["where"])
    else:
        assert reference["url"].lower().startswith(("https://", "http://"))


def test_a_link_that_was_fetched_is_nobodys_upload(source, site):
    source.open(site.link)
    named = f"upload:{hashlib.sha256(site.body).hexdigest()}"
    assert not source.has_picture(named)
    with pytest.raises(PermanentError):
        open_upload(source, named)
