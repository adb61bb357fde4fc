"""Whatever may cost money names what was seen: the same act again is the same act, and buys once."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.contract.errors import CastadError
from resources.ledger.db.database import Database
from resources.ledger.ledger_errors import ChangedMeanwhileError, LedgerError
from resources.ledger.rules import FailureAction
from resources.ledger.schema.tables import JobStatus, Status
from resources.ledger.transitions.approval import approve_stage
from resources.ledger.transitions.callbacks import resubmit_request
from resources.ledger.transitions.orders import retry_request
from resources.ledger.transitions.redo import redo_stages
from tests.api_house import BRIEF, House, served, use_ledger
from tests.ledger_steps import STAGES, Steps
from tests.page_visitor import log_in, question_in

Act = Callable[[Database, str], object]
"""What a person does with the order of this name, as they have seen it."""


def buys(steps: Steps, name: str, ends: Callable[[Steps, Any, Any], object]) -> None:
    """The order is due and works: it buys what it lacks first, and that ends so."""
    lease = steps.take(name)
    stage = next(each for each in STAGES if not is_made(steps, name, each))
    entry = steps.begin(lease, stage)
    token = f"{name} {len(steps.jobs(name))}"
    job = steps.save_intent(lease, entry, token)
    ends(steps, lease, (entry, job, token))


def is_made(steps: Steps, name: str, stage: str) -> bool:
    rows = [each for each in steps.stages(name) if each.stage == stage]
    return bool(rows) and max(rows, key=lambda row: row.generation).status == "completed"


def done(steps: Steps, lease: Any, bought: Any) -> None:
    entry, job, token = bought
    job = steps.settle(lease, entry, job, JobStatus.SUBMITTED, external_id=token)
    steps.settle(lease, entry, job, JobStatus.SUCCEEDED)
    steps.complete(lease, entry)
    for stage in STAGES[STAGES.index(entry.stage) + 1 :]:
        steps.make_stage(lease, stage)


def refused(steps: Steps, lease: Any, bought: Any) -> None:
    entry, job, _ = bought
    steps.settle(lease, entry, job, JobStatus.FAILED)
    steps.fail(lease, FailureAction.DEAD_LETTER, entry.stage)


def lost(steps: Steps, lease: Any, bought: Any) -> None:
    entry, job, _ = bought
    steps.settle(lease, entry, job, JobStatus.UNKNOWN)
    steps.fail(lease, FailureAction.DEAD_LETTER, entry.stage)


def held(steps: Steps, lease: Any, bought: Any) -> None:
    """The song is bought, and waits for a person as the lyric did."""
    entry, job, token = bought
    job = steps.settle(lease, entry, job, JobStatus.SUBMITTED, external_id=token)
    steps.settle(lease, entry, job, JobStatus.SUCCEEDED)
    steps.complete(lease, entry)
    steps.meets_hold(lease, "video")


def made_once(steps: Steps, name: str) -> None:
    steps.order(name)
    buys(steps, name, done)


def died_once(steps: Steps, name: str) -> None:
    steps.order(name)
    buys(steps, name, refused)


def lost_once(steps: Steps, name: str) -> None:
    steps.order(name)
    buys(steps, name, lost)


def held_once(steps: Steps, name: str) -> None:
    steps.order(name, hold="lyric,song")
    lease = steps.take(name)
    steps.make_stage(lease, "lyric")
    steps.meets_hold(lease, "song")


CASES: dict[str, tuple[Callable[[Steps, str], None], Act, Act, Callable[..., object]]] = {
    "redo": (
        made_once,
        lambda db, name: redo_stages(db, name, "lyric", STAGES, generation=1),
        lambda db, name: redo_stages(db, name, "lyric", STAGES),
        done,
    ),
    "retry": (
        died_once,
        lambda db, name: retry_request(db, name, attempt=1),
        lambda db, name: retry_request(db, name),
        refused,
    ),
    "resubmit": (
        lost_once,
        lambda db, name: resubmit_request(db, name, attempt=1),
        lambda db, name: resubmit_request(db, name),
        lost,
    ),
    "approve": (
        held_once,
        lambda db, name: approve_stage(db, name, "lyric", "Mina", 1),
        lambda db, name: approve_stage(db, name, None, "Mina"),
        held,
    ),
}
"""Each act: what was before, the act that names what was seen, the one that does not, how a purchase ends."""


def attempted(act: Act, steps: Steps, name: str) -> str:
    try:
        act(steps.db, name)
    except LedgerError as error:
        return error.code
    return "done"


def repeated(steps: Steps, case: str, *, named: bool, times: int, name: str = "r") -> list[str]:
    """The act is done so often, and whatever is due after each works at once; how each went."""
    before, with_name, without, ends = CASES[case]
    before(steps, name)
    found = []
    for _ in range(times):
        found.append(attempted(with_name if named else without, steps, name))
        if steps.row(name).status is Status.PENDING and steps.row(name).waits_for is None:
            buys(steps, name, ends)
    return found


def bought(steps: Steps, name: str = "r") -> int:
    return len(steps.jobs(name))


BEFORE = {"redo": 1, "retry": 1, "resubmit": 1, "approve": 0}


@pytest.mark.parametrize("case", CASES)
def test_same_act_again_is_the_same_act_and_buys_once(steps, case):
    assert repeated(steps, case, named=True, times=3) == ["done"] * 3
    assert bought(steps) == BEFORE[case] + 1


@pytest.mark.parametrize("case", CASES)
def test_act_that_names_nothing_is_refused_once_it_was_paid_for(steps, case):
    found = repeated(steps, case, named=False, times=3)
    assert found == ["done", "changed_meanwhile", "changed_meanwhile"]
    assert bought(steps) == BEFORE[case] + 1


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("case", CASES)
def test_same_act_at_the_same_moment_buys_once(db, steps, case, named):
    before, with_name, without, ends = CASES[case]
    before(steps, "r")
    act = with_name if named else without
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: attempted(act, steps, "r"), range(8)))
    kinds = {"resubmit": "resolved", "redo": "redone", "retry": "retried", "approve": "approved"}
    assert [event.type for event in steps.events()].count(kinds[case]) == 1
    assert found.count("done") == (8 if named else 1)
    buys(steps, "r", ends)
    assert bought(steps) == BEFORE[case] + 1


def test_redo_of_what_was_seen_after_the_first_one_buys_again(steps):
    repeated(steps, "redo", named=True, times=1)
    redo_stages(steps.db, "r", "lyric", STAGES, generation=2)
    buys(steps, "r", done)
    assert bought(steps) == 3


def test_redo_with_another_change_of_an_old_generation_is_refused(steps):
    repeated(steps, "redo", named=True, times=1)
    with pytest.raises(ChangedMeanwhileError, match=r"expected its newest one, 2, got 1$"):
        redo_stages(steps.db, "r", "lyric", STAGES, generation=1, asked={"genre": "jazz"})


def test_redo_of_a_generation_that_is_not_there_yet_is_refused(steps):
    made_once(steps, "r")
    with pytest.raises(ChangedMeanwhileError, match=r"expected its newest one, 1, got 2$"):
        redo_stages(steps.db, "r", "lyric", STAGES, generation=2)


def test_redo_after_what_went_before_it_was_made_again_is_refused(steps):
    made_once(steps, "r")
    redo_stages(steps.db, "r", "lyric", STAGES, generation=1)
    buys(steps, "r", done)
    with pytest.raises(ChangedMeanwhileError):
        redo_stages(steps.db, "r", "video", STAGES, generation=1)


def test_retry_of_an_older_attempt_is_refused(steps):
    repeated(steps, "retry", named=True, times=1)
    retry_request(steps.db, "r", attempt=2)
    buys(steps, "r", refused)
    with pytest.raises(
        ChangedMeanwhileError, match=r"^attempt: .* expected its newest one, 3, got 0"
    ):
        retry_request(steps.db, "r", attempt=0)


@pytest.mark.parametrize("attempt", [None, 1])
def test_retry_after_a_cancel_that_bought_nothing_may_be_repeated(steps, attempt):
    died_once(steps, "r")
    for _ in range(3):
        assert retry_request(steps.db, "r", attempt=attempt).status is Status.PENDING
        steps.cancel("r")
    assert bought(steps) == 1


def test_retry_that_names_nothing_may_be_repeated_where_only_an_earlier_purchase_was_used(steps):
    died_once(steps, "r")
    retry_request(steps.db, "r")
    lease = steps.take()
    steps.make_stage(lease, "lyric")
    steps.fail(lease, FailureAction.DEAD_LETTER, "song")
    assert retry_request(steps.db, "r").status is Status.PENDING


def test_approval_of_another_stage_by_its_name_goes_on(steps):
    repeated(steps, "approve", named=True, times=1)
    assert approve_stage(steps.db, "r", "song", "Mina").status is Status.PENDING


@given(
    acts=st.lists(st.tuples(st.sampled_from(["redo", "retry"]), st.integers(1, 3)), max_size=8),
    ends=st.lists(st.sampled_from([done, refused]), min_size=9, max_size=9),
)
def test_any_acts_buy_no_more_than_there_are_different_ones(machine_steps, acts, ends):
    steps = machine_steps()
    steps.order("r")
    buys(steps, "r", ends[-1])
    for (kind, seen), end in zip(acts, ends, strict=False):
        act = retry_request if kind == "retry" else None
        try:
            if act is not None:
                retry_request(steps.db, "r", attempt=seen)
            else:
                redo_stages(steps.db, "r", "lyric", STAGES, generation=seen)
        except CastadError:
            continue
        if steps.row("r").status is Status.PENDING:
            buys(steps, "r", end)
    assert bought(steps) <= 1 + len(set(acts))


@pytest.fixture(scope="module")
def machine_steps(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], Steps]]:
    """An empty ledger, of one database for all examples."""
    from resources.ledger.db.database import open_database

    found = open_database(f"sqlite:///{tmp_path_factory.mktemp('acts')}/castad.db")

    def emptied() -> Steps:
        steps = Steps(found)
        steps.empty()
        return steps

    yield emptied
    found.close()


# At the faces


@pytest.fixture
def house(ledger_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    use_ledger(ledger_url, monkeypatch)
    with served() as house:
        yield house


def paths(house: House, name: str) -> dict[str, str]:
    return {
        "redo": f"/v1/pipeline/redo/{name}?from=lyric&generation=1",
        "retry": f"/v1/pipeline/retry/{name}?attempt=1",
    }


def ordered(client: httpx.Client, name: str = "r") -> None:
    client.post("/v1/pipeline/start", json={**BRIEF, "task_id": name}).raise_for_status()


@pytest.mark.parametrize(("case", "end"), [("redo", done), ("retry", refused)])
def test_same_call_again_buys_once(house, case, end):
    shop = house.as_("shop")
    ordered(shop)
    buys(house.steps, "r", end)
    for _ in range(3):
        assert shop.post(paths(house, "r")[case]).status_code == 200
        if house.steps.row("r").status is Status.PENDING:
            buys(house.steps, "r", end)
    assert bought(house.steps) == 2


def test_same_resubmission_by_call_again_buys_once(house):
    admin = house.admin()
    ordered(admin)
    buys(house.steps, "r", lost)
    for _ in range(3):
        answer = admin.post("/v1/pipeline/resolve/r", json={"choice": "resubmit", "attempt": 1})
        assert answer.status_code == 200, answer.text
        if house.steps.row("r").status is Status.PENDING:
            buys(house.steps, "r", lost)
    assert bought(house.steps) == 2


def test_parameter_of_a_redo_that_would_have_no_effect_is_refused(house):
    shop = house.as_("shop")
    ordered(shop)
    buys(house.steps, "r", done)
    answer = shop.post("/v1/pipeline/redo/r?from=lyric&orientaton=horizontal")
    assert (answer.status_code, answer.json()["field"]) == (422, "orientaton")


@pytest.mark.parametrize(("verb", "end"), [("redo", done), ("retry", refused)])
def test_same_form_of_the_dashboard_posted_again_buys_once(house, verb, end):
    operator = log_in(house, "admin", "admin")
    ordered(house.admin())
    buys(house.steps, "r", end)
    first = {"stage": "lyric"} if verb == "redo" else {"attempt": "1"}
    address, sent = question_in(operator.post(f"/dashboard/r/{verb}", first))
    assert {"redo": "generation", "retry": "attempt"}[verb] in sent
    for _ in range(3):
        assert operator.http.post(address, data=sent).status_code == 303
        if house.steps.row("r").status is Status.PENDING:
            buys(house.steps, "r", end)
    assert bought(house.steps) == 2


@pytest.mark.parametrize("case", CASES)
def test_act_with_another_request_is_no_repeat(steps, case):
    repeated(steps, case, named=False, times=1, name="other")
    assert repeated(steps, case, named=False, times=1) == ["done"]
    assert bought(steps) == BEFORE[case] + 1


@pytest.mark.parametrize("made", [(), ("lyric",)])
def test_retry_after_one_that_was_not_paid_for_is_no_repeat(steps, made):
    """What was bought before it, and what a stage without a submission is said to have cost, do not count."""
    died_once(steps, "r")
    retry_request(steps.db, "r")
    lease = steps.take("r")
    for stage in made:
        steps.make_stage(lease, stage)
    steps.fail(lease, FailureAction.DEAD_LETTER, "song")
    assert retry_request(steps.db, "r").status is Status.PENDING
