"""The links of an order that is answered directly: they are given up together, however slowly they come."""

import pytest

from castad.direct.answering import AnswerFiles
from castad.direct.ledger_import import DirectJob
from resources.contract.errors import TransientError
from resources.process.settings import Settings
from tests.fakes.raw import RawServer, drip

HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"


@pytest.mark.parametrize("count", [1, 3])
def test_links_that_drip_are_given_up_after_one_deadline(tmp_path, count):
    settings = Settings(home=tmp_path, allow_hosts=("127.0.0.1",))
    surroundings = AnswerFiles(settings, link_seconds=0.3)
    with RawServer(drip(HEAD, b"x")) as server:
        links = [f"{server.url}/{number}.jpg" for number in range(count)]
        job = DirectJob("s1", "shop", {"images": links})
        with pytest.raises(TransientError), surroundings.pictures(job, ["images"]):
            pytest.fail("the links were fetched")
        assert len(server.requests) == 1
    surroundings.close()


@pytest.mark.filterwarnings("ignore:Implicitly cleaning up")
def test_folder_of_a_process_is_made_once_and_again_where_it_was_removed(tmp_path):
    surroundings = AnswerFiles(Settings(home=tmp_path))
    made = surroundings.folder
    assert surroundings.folder == made
    made.rmdir()
    assert surroundings.folder.is_dir()
    surroundings.close()
