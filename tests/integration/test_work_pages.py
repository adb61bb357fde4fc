"""The page of one work in all its states, its forms without JavaScript, and the page of a share link."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from castad.web.words import Translator
from resources.contract.protocol import InProgress
from resources.files.artifacts import StoredArtifact
from resources.ledger.db.database import Database
from resources.ledger.request import Request, make_task_id
from resources.ledger.rules import Failure, FailureAction
from resources.ledger.transitions.core import Lease
from resources.ledger.transitions.stages import save_progress
from resources.process.settings import settings
from tests.api_house import BRIEF, House, served
from tests.ledger_steps import Steps
from tests.page_visitor import PageVisitor, log_in

HOSTILE = "<script>alert(1)</script>😀\"'"
WORDS = "[Verse]\n갓 구운 빵 냄새\n\n[Chorus]\n봄날이 와요\n봄날이 와요"
LYRIC = {"title": "봄날", "text": WORDS}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """One for all tests: each has owners of its own."""
    home = tmp_path_factory.mktemp("works")
    with served(settings().model_copy(update={"home": home})) as house:
        yield house


@pytest.fixture
def shop(house: House) -> PageVisitor:
    return log_in(house, make_task_id())


@pytest.fixture
def work(house: House, shop: PageVisitor) -> "Work":
    return Work(house.steps, shop.owner, make_task_id())


class Work:
    """An order of the shop's, which a test brings as far as it needs."""

    def __init__(self, steps: Steps, owner: str, name: str) -> None:
        self.steps, self.owner, self.name = steps, owner, name

    @property
    def db(self) -> Database:
        return self.steps.db

    @property
    def path(self) -> str:
        return f"/works/{self.name}"

    @property
    def row(self) -> Request:
        return self.steps.row(self.name)

    def ordered(self, payload: Mapping[str, Any] = BRIEF, **chosen: Any) -> Lease:
        self.steps.order(self.name, dict(payload), owner=self.owner, **chosen)
        return self.steps.take(self.name)

    def make(self, lease: Lease, stage: str) -> None:
        files = FILES.get(stage, ())
        kept = [StoredArtifact(name, "0" * 64, 1, kind, f"x/{name}") for name, kind in files]
        result = {**PRODUCTS[stage], "files": [vars(each) for each in kept]}
        self.steps.complete(lease, self.steps.begin(lease, stage), files=kept, result=result)

    def waits_for_its_words(self) -> None:
        lease = self.ordered(hold="lyric,song")
        self.make(lease, "lyric")
        self.steps.meets_hold(lease, "song")

    def waits_for_its_song(self) -> None:
        lease = self.ordered(hold="song")
        self.make(lease, "lyric")
        self.make(lease, "song")
        self.steps.meets_hold(lease, "video")

    def done(self, payload: Mapping[str, Any] = BRIEF) -> None:
        lease = self.ordered(payload)
        for stage in PRODUCTS:
            self.make(lease, stage)

    def has_files(self, house: House) -> None:
        """Put something where its files are."""
        folder = house.app.state.api.store.root / "x"
        folder.mkdir(parents=True, exist_ok=True)
        for name, _ in FILES["video"]:
            (folder / name).write_bytes(b"x")

    def ends(self, code: str, action: FailureAction = FailureAction.DEAD_LETTER) -> None:
        failure = Failure(code, "it went wrong", action)
        self.steps.fail_as(self.ordered(), failure, "lyric")


FILES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "song": (("song.wav", "audio/wav"), ("song-b.wav", "audio/wav")),
    "video": (("video.mp4", "video/mp4"), ("cover.jpg", "image/jpeg")),
}
TAKES = [{"id": "1", "title": "봄날", "seconds": 10}, {"id": "2", "title": "봄날", "seconds": 11}]
LINE = {"text": "봄날이 와요", "start": 1, "end": 2, "chunks": []}
PRODUCTS: Mapping[str, Mapping[str, Any]] = {
    "lyric": LYRIC,
    "song": {"seconds": 10, "genre": "pop", "timeline": [LINE], "songs": TAKES},
    "video": {"seconds": 10, "width": 1080, "height": 1920, "fps": 30},
}


# What each state shows


VENDORS_WORDS = "Zyx said no"


def test_no_word_of_a_vendor_reaches_a_korean_page(shop, work):
    lease = work.ordered()
    begun = work.steps.begin(lease, "lyric")
    result = {**LYRIC, "notes": [VENDORS_WORDS], "files": []}
    work.steps.complete(lease, begun, files=[], result=result)
    song = work.steps.begin(lease, "song")
    save_progress(work.db, lease, song, InProgress(0.5, VENDORS_WORDS))
    pages = [shop.get(work.path).text]
    for status in ("failed", "dead", "canceled"):
        told = f"status = '{status}', error_code = 'zyx', error_message = '{VENDORS_WORDS}'"
        work.steps.edit(told, work.name)
        pages += [shop.get(work.path).text, shop.get("/works").text]
    assert not [page for page in pages if VENDORS_WORDS in page]


def test_page_of_words_has_each_line_with_its_fit_the_hook_and_the_price_of_the_next_tap(
    shop, work
):
    work.waits_for_its_words()
    page = shop.get(work.path).text
    assert 'data-scene="held"' in page
    assert re.findall(r'class="fit small (\w+)">', page) == ["good"] * 3
    assert page.count("봄날이 와요</span>") == 2
    assert len(re.findall(r'class="hook" title="[^"]+">', page)) == 2
    assert re.search(r'value="approve">[^<]+<span class="price number">\$0<', page)


def test_page_of_words_is_there_when_an_operator_has_made_the_order_unusable(shop, work):
    work.waits_for_its_words()
    work.steps.edit("payload = '{}'", work.name)
    answer = shop.get(work.path)
    assert answer.status_code == 200
    assert not re.search(r'value="approve">[^<]+<span class="price', answer.text)


def test_page_of_a_song_has_every_take_and_when_its_lines_are_sung(shop, work):
    work.waits_for_its_song()
    page = shop.get(work.path).text
    assert re.findall(r'name="choice" value="(\w)"( checked)?', page) == [
        ("a", " checked"),
        ("b", ""),
    ]
    assert f'<audio controls preload="none" src="/artifacts/{work.name}/song-b.wav"' in page
    lines = re.findall(r'data-take="(\w)"( hidden)?.*?data-start="([\d.]+)"', page, re.DOTALL)
    assert lines == [("a", "", "1.0"), ("b", " hidden", "1.1")]


def test_page_of_a_work_that_is_made_says_how_far_it_is_and_reloads_without_script(shop, work):
    work.make(work.ordered(), "lyric")
    page = shop.get(work.path).text
    assert 'data-scene="live"' in page
    assert '<progress max="100" value="33"' in page
    assert f'data-events="/v1/pipeline/events/{work.name}"' in page
    assert '<noscript><meta http-equiv="refresh"' in page


def test_page_of_a_result_has_the_film_the_caption_and_every_file(shop, work):
    work.done()
    page = shop.get(work.path).text
    assert 'data-scene="result"' in page
    assert (
        f'src="/artifacts/{work.name}/video.mp4" poster="/artifacts/{work.name}/cover.jpg"' in page
    )
    assert "#봄날베이커리" in page
    assert list_files_of(page)[0] == ["video.mp4", "cover.jpg", "song.wav", "song-b.wav"]


def test_file_of_a_result_is_saved_under_the_shops_name(shop, work):
    work.done()
    page = shop.get(work.path).text
    assert re.findall(r' download="([^"]+)"', page) == [
        "봄날 베이커리 영상.mp4",
        "봄날 베이커리 표지.jpg",
        "봄날 베이커리 노래.wav",
        "봄날 베이커리 노래 2.wav",
    ]


def test_result_marks_the_take_that_the_film_uses(shop, work):
    work.done()
    marked = re.findall(
        r'href="[^"]*/([^/"]+)" download=(?:(?!</li>).)*class="badge completed"',
        shop.get(work.path).text,
        re.DOTALL,
    )
    assert marked == ["song.wav"]


def test_film_of_before_a_redo_is_an_earlier_version_while_it_runs_and_after(shop, work):
    work.done()
    shop.confirm(f"{work.path}/redo", {"stage": "video"})
    lease = work.steps.take(work.name)
    begun = work.steps.begin(lease, "video")
    while_it_runs = shop.get(work.path).text
    assert list_files_of(while_it_runs) == (["song.wav", "song-b.wav"], ["video.mp4", "cover.jpg"])
    again = StoredArtifact("video.2.mp4", "0" * 64, 1, "video/mp4", "x/video.2.mp4")
    result = {**PRODUCTS["video"], "files": [vars(again)]}
    work.steps.complete(lease, begun, files=[again], result=result)
    after = shop.get(work.path).text
    assert list_files_of(after) == (
        ["video.2.mp4", "song.wav", "song-b.wav"],
        ["video.mp4", "cover.jpg"],
    )


def test_sounds_of_a_song_whose_take_was_chosen_are_no_earlier_version(shop, work):
    work.waits_for_its_song()
    shop.post(
        f"{work.path}/held", {"stage": "song", "generation": "1", "choice": "b", "act": "approve"}
    )
    assert list_files_of(shop.get(work.path).text) == (["song.wav", "song-b.wav"], [])


def list_files_of(page: str) -> tuple[list[str], list[str]]:
    """The downloads of a page, and among them those of earlier versions."""
    listed = r'href="[^"]*/([^/"]+)" download='
    now, _, earlier = page.partition("<summary>" + Translator("ko")("earlier_versions")[:5])
    return re.findall(listed, now), re.findall(listed, earlier)


def test_page_of_a_result_offers_the_other_way_round_and_each_stage_again_with_a_price(shop, work):
    work.done()
    offers = r'name="stage" value="(\w+)">.*?name="value" value="(\w*)">.*?\$0</span>'
    found = re.findall(offers, shop.get(work.path).text, re.DOTALL)
    assert found == [("video", "horizontal"), ("video", ""), ("song", ""), ("lyric", "")]


@pytest.mark.parametrize(
    ("code", "button"),
    [
        ("image_unreachable", 'href="/order/song_video?like='),
        ("invalid_payload", 'href="/order/song_video?like='),
        ("never_heard_of", "/retry"),
    ],
)
def test_page_of_a_dead_work_has_one_sentence_its_code_and_one_button(shop, work, code, button):
    work.ends(code)
    page = shop.get(work.path).text
    stopped = page[page.index("stopped") : page.index('<details class="card')]
    assert f"<code>{code}</code>" in stopped
    assert button in stopped
    assert len(re.findall(r'class="(?:button )?primary"', stopped)) == 1


def test_page_of_a_work_in_doubt_says_that_it_was_not_sent_again(house, work):
    work.ends("submission_unknown", FailureAction.LOOK_UP)
    admin = log_in(house, "admin", "admin")
    page = admin.get(work.path, headers={"Accept-Language": "en"}).text
    assert "so it was not sent again" in page
    assert f'href="/dashboard/{work.name}#resolve"' in page


def test_page_of_any_work_is_there_for_an_order_that_nobody_understands(house, work):
    work.steps.order(work.name, {"brief": 1}, owner=work.owner)
    assert log_in(house, work.owner).get(work.path).status_code == 200


# What is done there


FIELDS = {"stage": "lyric", "generation": "1", "title": "새 제목"}


def test_gallery_lists_what_waits_for_its_owner(shop, work):
    work.waits_for_its_words()
    pages = [shop.get(f"/works?status={state}").text for state in ("held", "completed")]
    assert [f'data-task="{work.name}"' in page for page in pages] == [True, False]


def test_title_of_the_tab_says_the_state(shop, work):
    work.waits_for_its_words()
    said = Translator("ko")("status_held")
    assert f"<title>{said} · " in shop.get(work.path).text


def test_words_are_saved_and_the_work_waits_on(shop, work):
    work.waits_for_its_words()
    fields = {**FIELDS, "text": "새 줄\r\n\r\n둘째 줄", "act": "save"}
    assert shop.post(f"{work.path}/held", fields).headers["location"] == f"{work.path}?did=saved"
    assert work.row.held_stage == "lyric"
    assert "새 줄\n\n둘째 줄" in shop.get(work.path).text


def test_owner_deletes_an_ended_work_once_it_was_asked(shop, work):
    work.done()
    assert f'action="{work.path}/delete"' in shop.get(work.path).text
    assert shop.confirm(f"{work.path}/delete", {}).headers["location"] == "/works"
    assert shop.get(work.path).status_code == 404


def test_work_that_has_not_ended_has_no_delete(shop, work):
    work.ordered()
    assert f'action="{work.path}/delete"' not in shop.get(work.path).text


def test_approval_takes_the_words_of_the_form_with_it(shop, work):
    work.waits_for_its_words()
    shop.post(f"{work.path}/held", {**FIELDS, "text": "새 줄", "act": "approve"})
    assert work.row.held_stage is None
    assert [each.type for each in work.steps.events(work.name)][-2:] == ["revised", "approved"]


def test_words_that_somebody_changed_meanwhile_are_neither_approved_nor_replaced(shop, work):
    work.waits_for_its_words()
    shown = re.search(r'name="generation" value="(\d+)"', shop.get(work.path).text)
    assert shown is not None
    work.steps.revise(work.name, text="다른 사람의 줄")
    fields = {"stage": "lyric", "generation": shown[1], "text": "내 줄", "act": "approve"}
    assert shop.post(f"{work.path}/held", fields).status_code == 409
    assert (work.row.held_stage, "다른 사람의 줄" in shop.get(work.path).text) == ("lyric", True)


def test_conflict_shows_both_versions_and_either_can_be_kept(shop, work):
    work.waits_for_its_words()
    work.steps.revise(work.name, text="다른 사람의 줄")
    mine = {"stage": "lyric", "generation": "1", "title": "봄날", "text": "내 줄", "act": "save"}
    page = shop.post(f"{work.path}/held", mine).text
    assert re.findall(r'class="stored" dir="auto">([^<]+)<', page) == ["다른 사람의 줄"]
    assert re.search(r'<textarea id="f-text"[^>]*>내 줄</textarea>', page)
    newest = re.search(r'name="generation" value="(\d+)"', page)
    assert newest is not None
    shop.post(f"{work.path}/held", {**mine, "generation": newest[1]})
    assert "내 줄" in shop.get(work.path).text


def test_words_that_cannot_be_sung_come_back_with_what_is_wrong(shop, work):
    work.waits_for_its_words()
    fields = {**FIELDS, "text": "가" * 200, "act": "approve"}
    answer = shop.post(f"{work.path}/held", fields)
    assert answer.status_code == 422
    assert 'id="error-text" role="alert"' in answer.text
    assert "가" * 200 in answer.text
    assert work.row.held_stage == "lyric"


def test_draft_counts_the_syllables_and_stores_nothing(shop, work):
    work.waits_for_its_words()
    lines = shop.post(f"{work.path}/draft", {"text": "하나 둘"}).json()["lines"]
    assert [(each["text"], each["syllables"]) for each in lines] == [("하나 둘", 3)]
    assert WORDS in shop.get(work.path).text


def test_take_is_chosen_and_approved_by_one_form(shop, work):
    work.waits_for_its_song()
    shop.post(
        f"{work.path}/held", {"stage": "song", "generation": "1", "choice": "b", "act": "approve"}
    )
    assert [each.type for each in work.steps.events(work.name)][-2:] == ["chosen", "approved"]


@pytest.mark.parametrize(
    ("act", "fields", "event"),
    [
        ("reject", {}, "rejected"),
        ("redo", {"stage": "lyric"}, "redone"),
        ("cancel", {}, "canceled"),
    ],
)
def test_work_that_waits_is_rejected_made_again_or_canceled(shop, work, act, fields, event):
    work.waits_for_its_words()
    assert shop.confirm(f"{work.path}/{act}", fields).status_code == 303
    assert work.steps.last(work.name).type == event


def test_dead_work_is_retried(shop, work):
    work.ends("never_heard_of")
    shop.confirm(f"{work.path}/retry", {})
    assert work.row.status == "pending"


def test_result_is_filmed_the_other_way_round(shop, work):
    work.done()
    asked = {"stage": "video", "field": "orientation", "value": "horizontal"}
    shop.confirm(f"{work.path}/redo", asked)
    assert (work.row.order() or {})["orientation"] == "horizontal"


def test_provider_is_freed_by_an_admin_only(shop, work):
    work.ordered()
    assert shop.post(f"{work.path}/resume", {"provider": "suno"}).status_code == 403


@pytest.mark.parametrize("query", ["", "?lang=en"])
def test_address_of_a_form_leads_back_to_the_work_in_the_chosen_language(shop, work, query):
    answer = shop.get(f"{work.path}/share{query}")
    assert answer.headers["location"] == f"{work.path}{query}"


@pytest.mark.parametrize(
    "reach",
    [
        Work.ordered,
        Work.waits_for_its_words,
        Work.done,
        lambda work: work.ends("invalid_payload"),
        lambda work: work.ends("never_heard_of"),
    ],
)
def test_page_offers_no_act_with_a_key_that_only_reads(house, work, reach):
    reach(work)
    page = log_in(house, work.owner, "read").get(work.path).text
    main = page[page.index("<main") :]
    assert re.findall(r"<button(?! type=.button)|/order/", main) == []


# Whose it is


@pytest.mark.parametrize(
    "act", ["held", "draft", "reject", "redo", "retry", "cancel", "share", "unshare", "cover"]
)
def test_work_of_another_owner_is_unknown(house, work, act):
    work.waits_for_its_words()
    other, before = log_in(house, make_task_id()), work.row
    assert other.get(work.path).status_code == 404
    fields = {"stage": "lyric", "generation": "1", "days": "7", "seconds": "1", "link": "a"}
    assert other.post(f"{work.path}/{act}", fields).status_code == 404
    assert work.row == before


@pytest.mark.parametrize("act", ["held", "draft", "retry", "share", "cover"])
def test_form_without_its_csrf_token_changes_nothing(shop, work, act):
    work.waits_for_its_words()
    before = work.row
    assert shop.http.post(f"{work.path}/{act}", data={"stage": "lyric"}).status_code == 403
    assert work.row == before


def test_names_from_outside_are_text_on_every_page(shop, work):
    work.done({**BRIEF, "customer_name": HOSTILE, "region": HOSTILE})
    page = shop.get(work.path).text
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page


# Share links


def shared(house: House, shop: PageVisitor, work: Work) -> str:
    """The path of a new share link."""
    work.has_files(house)
    page = shop.post(f"{work.path}/share", {"days": "7"}).text
    found = re.search(r'id="share-address" readonly value="http://[^/]+(/s/[^"]+)"', page)
    assert found
    assert 'class="qr" src="data:image/svg' in page
    return found[1]


def test_share_link_shows_the_result_to_anybody_and_nothing_else(house, shop, work):
    work.done()
    path = shared(house, shop, work)
    answer = house.client(None).get(path)
    assert answer.status_code == 200
    assert answer.headers["x-robots-tag"] == "noindex"
    assert f'src="{path}/files/video.mp4"' in answer.text
    assert not [
        each for each in (work.name, work.owner, "$0", "/artifacts/") if each in answer.text
    ]
    assert "<nav" not in answer.text


def test_share_link_that_was_revoked_shows_a_page_that_says_so(house, shop, work):
    work.done()
    path = shared(house, shop, work)
    link = re.search(r'name="link" value="(\w+)"', shop.get(work.path).text)
    assert link
    shop.confirm(f"{work.path}/unshare", {"link": link[1]})
    answer = house.client(None).get(path)
    assert (answer.status_code, answer.headers["x-robots-tag"]) == (404, "noindex")


@pytest.mark.parametrize("days", ["", "0", "91", "7.5", "칠", "9" * 5000])
def test_share_link_of_no_sensible_length_is_refused(shop, work, days):
    work.done()
    assert shop.post(f"{work.path}/share", {"days": days}).status_code == 422
