import json
import re
import subprocess
import sys

import pytest
from PIL import Image

from castad.cli.app import COMMANDS, load_command
from castad.cli.context import acting_person
from castad.dagster_storage.home import make_dagster_home
from castad.orders.submit import build_order
from pipeline_defs.catalog import get_catalog
from resources.contract.errors import InvalidInputError
from resources.files.pictures import build_image_reference, get_picture_source
from resources.ledger.limits import Limits
from resources.ledger.queries.overview import build_overview
from resources.ledger.queries.status import get_request, list_requests
from resources.ledger.schema.tables import Status
from resources.ledger.transitions.dispatch import dispatch_due_requests
from resources.ledger.transitions.orders import reject_order
from resources.process.settings import PROJECT_ROOT, settings
from tests.ledger_steps import Steps
from tests.tables import rows_beside

EXAMPLES = PROJECT_ROOT / "examples"
A_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ][^\s\"]*")
ONE_FORM = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
EITHER = " or ".join(get_catalog().names)
ONE = "customer_name: A\nregion: B\ntask_id: x\n"


def test_submit_takes_every_order_once_and_none_in_a_dry_run(castad, ledger):
    file = str(EXAMPLES / "song_video.csv")
    tried = castad("submit", file, "--dry-run")
    assert (tried.returncode, len(tried.stdout.splitlines())) == (0, 3)
    assert list_requests(ledger) == []
    first, again = castad("submit", file, "--json"), castad("submit", file, "--json")
    assert (first.returncode, again.returncode) == (0, 0)
    assert [order["created"] for order in json.loads(first.stdout)["orders"]] == [True] * 3
    assert [order["created"] for order in json.loads(again.stdout)["orders"]] == [False] * 3
    assert [request.source for request in list_requests(ledger)] == ["cli"] * 3


def test_a_dry_run_of_a_file_names_the_row_whose_link_leads_to_no_picture(castad, orders):
    # No host's name is so long, which the resolver knows without a network.
    nowhere = f"https://{'name-that-is-long.' * 15}invalid/picture.png"
    file = str(orders("linked.csv", f"customer_name,region,images\nA,B,\nA,B,{nowhere}\n"))
    done = castad("submit", file, "--dry-run")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("castad: linked.csv row 3: images[0]: ")
    assert done.stderr.endswith("[image_unreachable]\n")


@pytest.mark.parametrize("rows", ["A,B,new\nA,,y\n", "A,B,new\nA,other,x\n"])
def test_a_file_with_one_bad_order_places_none(castad, orders, ledger, rows):
    castad("submit", str(orders("x.yaml", ONE)))
    done = castad("submit", str(orders("bad.csv", "customer_name,region,task_id\n" + rows)))
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("castad: bad.csv row 3: ")
    assert [request.task_id for request in list_requests(ledger)] == ["x"]


def test_file_with_several_bad_orders_is_refused_with_every_one(castad, orders, ledger):
    castad("submit", str(orders("x.yaml", ONE)))
    rows = "A,B,new\nA,,y\nA,other,x\n,B,z\n"
    done = castad("submit", str(orders("bad.csv", "customer_name,region,task_id\n" + rows)))
    *listed, last = done.stderr.splitlines()
    assert [line.partition(": ")[0] for line in listed] == [f"bad.csv row {n}" for n in (3, 4, 5)]
    expected = "castad: 3 orders are refused, so none is submitted [invalid_input]"
    assert (done.returncode, last) == (2, expected)
    assert [request.task_id for request in list_requests(ledger)] == ["x"]


def test_a_name_of_another_order_is_wrong_input_to_every_command(castad, orders, ledger):
    castad("submit", str(orders("x.yaml", ONE)))
    other = str(orders("other.yaml", ONE.replace("A", "C")))
    for command in (("make", other), ("submit", other), ("submit", other, "--dry-run")):
        done = castad(*command)
        assert (done.returncode, done.stdout) == (2, "")
        assert "task_id: 'x' belongs to another order" in done.stderr
        assert done.stderr.endswith("[conflict]\n")
    assert [request.order()["customer_name"] for request in list_requests(ledger)] == ["A"]


def test_retry_brings_back_what_cancel_stopped(castad, orders, ledger):
    castad("submit", str(orders("x.yaml", ONE)))
    assert json.loads(castad("cancel", "x", "--json").stdout) == {
        "task_id": "x",
        "status": "canceled",
    }
    assert castad("retry", "x").returncode == 0
    assert get_request(ledger, "x").status is Status.PENDING
    refused = castad("retry", "x")
    assert refused.returncode == 1
    assert refused.stderr.endswith("[nothing_to_retry]\n")


def test_redo_turns_the_video_and_keeps_the_song(castad, orders, ledger):
    castad("submit", str(orders("x.yaml", ONE)))
    [held] = dispatch_due_requests(ledger, Limits(1, 30))
    steps = Steps(ledger)
    steps.make_all(steps.take("x", dispatched_as=held.attempt))
    stage = castad("redo", "x", "--from", "dance")
    askew = castad("redo", "x", "--from", "video", "--orientation", "askew")
    assert (stage.returncode, askew.returncode) == (2, 2)
    assert stage.stderr == "castad: from: expected lyric, song or video [invalid_input]\n"
    assert askew.stderr.startswith("castad: orientation: expected vertical or horizontal")
    assert get_request(ledger, "x").status is Status.COMPLETED
    assert castad("redo", "x", "--from", "video", "--orientation", "h").returncode == 0
    request = get_request(ledger, "x")
    assert (request.order() or {})["orientation"] == "horizontal"
    newest = {
        view.stage: view.generation for view in build_overview(ledger, request.task_id).stages
    }
    assert newest == {"lyric": 1, "song": 1, "video": 2}


def test_dead_lists_letters_with_reason_and_remedy(castad, orders, ledger):
    assert castad("dead").stderr == "no dead letters\n"
    castad("submit", str(orders("x.yaml", ONE)))
    [held] = dispatch_due_requests(ledger, Limits(1, 30))
    reject_order(ledger, held, "render_failed", "video: no")
    [letter] = json.loads(castad("dead", "--json").stdout)["dead"]
    assert (letter["task_id"], letter["code"]) == ("x", "render_failed")
    assert "`castad retry x`" in letter["remedy"]
    assert "video: no" in castad("dead").stdout


def test_dead_advises_what_helps_an_order_that_cannot_be_read(castad, orders, ledger):
    Steps(ledger).sql("INSERT INTO requests (task_id, payload) VALUES ('x', '{}')")
    [held] = dispatch_due_requests(ledger, Limits(1, 30))
    reject_order(ledger, held, "invalid_payload", "region: expected a value, got none")
    [letter] = json.loads(castad("dead", "--json").stdout)["dead"]
    assert "submit a corrected order with the task_id 'x'" in letter["remedy"]
    assert "UPDATE requests SET payload" in letter["remedy"]
    file = str(orders("x.yaml", ONE))
    assert castad("submit", file, "--dry-run").returncode == 0
    assert castad("submit", file).returncode == 0
    assert (get_request(ledger, "x").status, castad("dead").stdout) == (Status.PENDING, "")


def test_dead_advises_no_second_order_where_that_would_be_a_conflict(castad, orders, ledger):
    castad("submit", str(orders("x.yaml", ONE)))
    [held] = dispatch_due_requests(ledger, Limits(1, 30))
    reject_order(ledger, held, "invalid_payload", "stems: expected false")
    [letter] = json.loads(castad("dead", "--json").stdout)["dead"]
    assert "UPDATE requests SET payload" in letter["remedy"]
    assert "submit a corrected order" not in letter["remedy"]


@rows_beside
def test_help_says_what_holds_where_an_option_is_left_out(command, shown, castad):
    text = castad(*command.split(), "--help").stdout.replace("│", " ")
    assert shown in " ".join(text.split())


@pytest.mark.parametrize("arguments", [["nosuch"], ["nosuch", "--headline", "x"]])
def test_make_of_an_unknown_pipeline_is_refused_by_its_name(castad, arguments):
    done = castad("make", *arguments)
    expected = f"expected {EITHER}, or the .yaml file of one order, got 'nosuch'"
    assert (done.returncode, done.stderr) == (
        *(2, f"castad: PIPELINE|FILE.yaml: {expected} [invalid_input]\n"),
    )


def test_unknown_pipeline_is_named_with_those_that_there_are(castad, ledger):
    Steps(ledger).sql(
        "INSERT INTO requests (task_id, pipeline, payload, status, error_code)"
        " VALUES ('x', 'opera', '{}', 'dead', 'some_code')"
    )
    [letter] = json.loads(castad("dead", "--json").stdout)["dead"]
    assert letter["remedy"] == (
        f"the pipeline 'opera' is none of {', '.join(get_catalog().names)}: correct the pipeline "
        "(UPDATE requests SET pipeline = '…' WHERE task_id = 'x'), then run `castad retry x`"
    )
    expected = f"pipeline: expected {EITHER}, got 'opera'"
    assert json.loads(castad("status", "x", "--json").stdout)["notes"] == [expected]
    done = castad("redo", "x", "--from", "song")
    assert (done.returncode, done.stderr) == (2, f"castad: {expected} [invalid_input]\n")


def test_make_and_watch_of_a_dead_order_say_why_at_once(castad, orders, ledger):
    file = str(orders("x.yaml", ONE))
    castad("submit", file)
    reject_order(
        ledger, dispatch_due_requests(ledger, Limits(1, 30))[0], "some_code", "some reason"
    )
    for command in (("make", file), ("watch", "x"), ("watch", "x", "--json")):
        done = castad(*command)
        assert done.returncode == 1
        assert "some reason" in done.stderr
        assert done.stderr.endswith("[some_code]\n")
        assert done.stdout == "" or json.loads(done.stdout)["status"] == "dead"


def test_status_shows_a_waiting_order(castad, orders):
    castad("submit", str(orders("x.yaml", ONE)))
    told = json.loads(castad("status", "x", "--json").stdout)
    assert (told["task_id"], told["status"], told["path"]) == ("x", "pending", None)
    assert list(told["stages"]) == ["lyric", "song", "video"]
    assert "waiting to start" in castad("status", "x").stdout


def test_history_is_complete_without_a_daemon(castad, orders):
    castad("submit", str(orders("x.yaml", ONE)))
    castad("cancel", "x")
    entries = json.loads(castad("history", "x", "--json").stdout)["history"]
    assert [entry["seq"] for entry in entries] == [1, 2]
    assert [entry["what"] for entry in entries] == [
        "created: nothing → pending",
        f"canceled: pending → canceled (by {acting_person()})",
    ]
    assert len(castad("history", "x").stdout.splitlines()) == 3


def test_unknown_names_are_refused(castad):
    for command in ("status", "watch", "history", "retry", "cancel"):
        done = castad(command, "nobody")
        assert done.returncode == 2
        assert done.stderr == ("castad: task_id: no request is called 'nobody' [unknown_task_id]\n")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("make",), "customer_name: expected a value, got none"),
        (("make", "--customer-name", "A"), "region: expected a value, got none"),
        (("make", "nowhere.yaml"), "nowhere.yaml: cannot be read"),
        (("make", "--colour", "red"), "No such option: --colour"),
        (("make", "--seconds", "long"), "Invalid value for '--seconds'"),
        (
            ("make", "--customer-name", "A", "--region", "B", "--image", "/no"),
            "images[0]: expected",
        ),
        (("make", "--customer-name", b"\xff", "--region", "B"), "argument 3: expected UTF-8 text"),
        (("status",), "Missing argument 'TASK_ID'"),
        (("dance",), "No such command 'dance'"),
    ],
)
def test_wrong_usage_is_one_sentence_and_exit_2(castad, ledger, arguments, expected):
    done = castad(*arguments)
    assert done.returncode == 2
    assert done.stderr.startswith(f"castad: {expected}")
    assert len(done.stderr.splitlines()) == 1
    assert done.stdout == ""
    assert list_requests(ledger) == []


def test_options_go_over_the_file(orders):
    file = orders("x.yaml", ONE + "genre: jazz\nimages: ['https://a/b.jpg']\n")
    options = {"genre": "rock", "task_id": "y", "images": ["https://c/d.jpg"]}
    order = build_order(file, options, settings())
    assert (order.task_id, order.payload["genre"]) == ("y", "rock")
    assert order.payload["images"] == ["https://c/d.jpg"]
    assert order.payload["region"] == "B"


def test_a_picture_of_this_machine_is_kept_and_ordered_as_an_upload(orders, tmp_path):
    picture = tmp_path / "shop window.png"
    Image.new("RGB", (640, 480), "teal").save(picture)
    images = ["https://a/b.jpg", str(picture)]
    order = build_order(orders("x.yaml", ONE), {"images": images}, settings())
    link, upload = order.payload["images"]
    assert link == "https://a/b.jpg"
    kept = get_picture_source(settings()).open(build_image_reference(upload, "images[1]"))
    assert kept.read_bytes() == picture.read_bytes()


def test_a_picture_of_a_refused_order_is_not_kept(orders, tmp_path):
    picture = tmp_path / "shop.png"
    Image.new("RGB", (640, 480), "teal").save(picture)
    with pytest.raises(InvalidInputError):
        build_order(orders("x.yaml", "customer_name: A"), {"images": [str(picture)]}, settings())
    assert not (settings().home / "artifacts").exists()


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("CASTAD_DATABASE_URL", "mysql://a", "invalid_setting"),
        ("CASTAD_DATABASE_URL", "postgresql://a:secret@127.0.0.1:1/b", "state_unavailable"),
        ("CASTAD_HOME", "/dev/null/state", "state_unavailable"),
    ],
)
def test_a_state_that_cannot_be_used_is_one_sentence(castad, monkeypatch, name, value, code):
    monkeypatch.setenv(name, value)
    done = castad("dead")
    assert done.returncode == 1 + (code == "invalid_setting")
    assert done.stderr.endswith(f"[{code}]\n")
    assert len(done.stderr.splitlines()) == 1
    assert "secret" not in done.stderr
    assert castad("doctor").returncode == 1


def test_doctor_has_the_singer_read_a_letter(castad):
    checks = {
        check["check"]: check for check in json.loads(castad("doctor", "--json").stdout)["checks"]
    }
    assert checks["singer"]["fine"]
    assert checks["singer"]["message"].endswith(".so")


def test_doctor_finds_nothing_broken_on_a_new_state(castad):
    done = castad("doctor", "--json")
    told = json.loads(done.stdout)
    broken = [check for check in told["checks"] if not check["fine"] and check["broken"]]
    # A stage that only vendors make lacks a key.
    assert {check["message"].partition(": ")[2] for check in broken} <= {"no key is set"}
    assert (done.returncode, told["ok"]) == (int(bool(broken)), not broken)
    daemon = next(check for check in told["checks"] if check["check"] == "daemon")
    assert (daemon["fine"], daemon["broken"]) == (False, False)
    assert "not running" in castad("doctor").stdout


def test_the_ledger_commands_do_not_wait_for_dagster(castad, orders):
    modules = ", ".join(
        f"castad.cli.{name}" for name in ("order_actions", "approval", "orders", "show")
    )
    code = f"import sys, {modules}; print('dagster' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "False"


def test_dagster_home_is_the_projects_configuration_however_often_asked():
    home = make_dagster_home(settings())
    assert make_dagster_home(settings()) == home
    assert (home / "dagster.yaml").read_text() == (PROJECT_ROOT / "dagster.yaml").read_text()
    (home / "dagster.yaml").unlink()
    (home / "dagster.yaml").write_text("stale: true")
    make_dagster_home(settings())
    assert (home / "dagster.yaml").resolve() == PROJECT_ROOT / "dagster.yaml"


def test_an_unexpected_error_is_written_down_and_told_in_one_sentence(castad, ledger):
    with ledger.writing() as tx:
        for name in ("requests_edited", "requests_bad_status_new"):
            tx.exec_driver_sql(f"DROP TRIGGER {name}")
        tx.exec_driver_sql("PRAGMA ignore_check_constraints = ON")
        tx.exec_driver_sql(
            "INSERT INTO requests (task_id, payload, status) VALUES ('x', '{}', '?')"
        )
    done = castad("status", "x")
    log = settings().home / "logs" / "castad.log"
    assert done.returncode == 1
    assert done.stderr == (
        f"castad: unexpected ValueError; the details are in {log} [internal_error]\n"
    )
    assert "Traceback" in log.read_text()


def test_every_command_tells_moments_in_one_form(castad, orders, ledger):
    castad("submit", str(orders("x.yaml", ONE)))
    [held] = dispatch_due_requests(ledger, Limits(1, 30))
    reject_order(ledger, held, "render_failed", "video: no")
    castad("key", "create", "shop")
    commands = (("status", "x"), ("history", "x"), ("stats",), ("dead",), ("key", "list"))
    for command in commands:
        told = A_MOMENT.findall(castad(*command, "--json").stdout)
        assert told
        assert [moment for moment in told if not ONE_FORM.fullmatch(moment)] == []
    for command in (("history", "x"), ("dead",), ("key", "list")):
        assert ONE_FORM.search(castad(*command).stdout)


def test_list_shows_what_the_newest_orders_are_about(castad, ledger, orders):
    castad(
        "submit", str(orders("o.csv", "task_id,customer_name,region\na,Bluebird,B\nb,Otter,B\n"))
    )
    done = castad("list", "--q", "bluebird")
    assert done.returncode == 0
    assert [line.split()[:2] for line in done.stdout.splitlines()[1:]] == [["a", "Bluebird,"]]
    assert "\x1b" not in done.stdout


def test_list_as_json_is_the_page_of_the_api(castad, ledger, orders):
    castad("submit", str(orders("o.csv", "task_id,customer_name,region\na,A,B\nb,A,B\n")))
    page = json.loads(castad("list", "--limit", "1", "--json").stdout)
    assert [order["task_id"] for order in page["orders"]] == ["b"]
    assert page["next"] is not None


@pytest.mark.parametrize(
    ("option", "value", "field"),
    [("--status", "asleep", "--status"), ("--pipeline", "x", "pipeline"), ("--q", " ", "q")],
)
def test_list_refuses_what_it_cannot_filter_by(castad, option, value, field):
    done = castad("list", option, value)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"castad: {field}: ")


@pytest.mark.parametrize("name", COMMANDS)
def test_command_is_loaded_by_the_name_that_the_help_lists(name):
    assert load_command(name).name == name
