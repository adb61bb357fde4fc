"""A transition changes its own rows alone: beside each stands a row that one term of its WHERE tells apart."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import select

from resources.contract.protocol import InProgress, Rate
from resources.ledger.ledger_errors import (
    ManyProfilesError,
    ManyShareLinksError,
    NotCompletedError,
    SecretExistsError,
    UnknownCallbackError,
    UnknownDeliveryError,
    UnknownKeyError,
    UnknownLoginLinkError,
    UnknownProfileError,
    UnknownShareLinkError,
)
from resources.ledger.queries.access import ApiKey
from resources.ledger.queries.feed import unmirrored_events
from resources.ledger.queries.retention import DueCheck
from resources.ledger.queries.statistics import StageFigures
from resources.ledger.queries.webhooks import Webhook, deliveries
from resources.ledger.request import Token
from resources.ledger.schema.check_constraints import MOST
from resources.ledger.schema.tables import (
    DeliveryStatus,
    JobStatus,
    api_keys,
    login_links,
    orphans,
    profiles,
    providers,
    reports,
    sessions,
    share_links,
    source_checks,
    spool_costs,
    workers,
)
from resources.ledger.transitions.access import (
    MOST_PROFILES,
    begin_session,
    copy_shared_access,
    end_session,
    end_sessions,
    grant_shared_access,
    keep_profile,
    make_login_link,
    remove_profile,
    revoke_key,
    revoke_share_link,
    set_webhook_secret,
    share_request,
    use_login_link,
)
from resources.ledger.transitions.approval import end_expired_holds
from resources.ledger.transitions.callbacks import save_callback
from resources.ledger.transitions.core import dead_letter_row
from resources.ledger.transitions.dispatch import acquire_permit
from resources.ledger.transitions.housekeeping import (
    delete_request,
    mark_mirrored,
    note_log_pruned,
    pause_provider,
    prune_files,
    purge_reports,
    purge_requests,
    resume_provider,
    save_report,
)
from resources.ledger.transitions.import_completed import publish_spool_costs, save_unwanted
from resources.ledger.transitions.redo import redrivable, redrive
from resources.ledger.transitions.rescue import (
    leave_unclaimed,
    lock_unclaimed,
    prune_lost_workers,
    recover_worker,
    register_worker,
    renew_leases,
    save_heartbeat,
    save_redelivery,
    unregister_worker,
    withdraw_slots,
)
from resources.ledger.transitions.source_checks import (
    CheckOutcome,
    carry_over_shared_access,
    claim_due,
    forget,
    save_check,
    save_use,
    schedule_check,
)
from resources.ledger.transitions.stages import save_progress
from resources.ledger.transitions.webhooks import (
    claim_delivery,
    replay,
    replay_undelivered,
    save_try,
)
from tests.ledger_steps import POISON, Steps
from tests.table_rows import AGO, LATER, NOW, Changed, changes_of, id_of, put

Act = Callable[[], Any]
Make = Callable[[Steps], tuple[Act, Changed]]
"""Puts the rows, and returns the transition and which of them it may change."""

_LONG_AGO = AGO - timedelta(days=1)
_MINE = Token("m" * 43)
_COMPOSED, _DECOMPOSED = "\u00e9t\u00e9", "e\u0301te\u0301"


def key_of(name: str) -> ApiKey:
    return ApiKey(name, "key", "shop", frozenset(), None, NOW, None)


def put_keys(steps: Steps) -> None:
    """Two keys with sessions and links: one of each that is over, and one that lives."""
    for key in ("k1", "k2"):
        put(steps, api_keys, id=key)
        for name, until in (("live", LATER), ("over", AGO)):
            put(steps, sessions, token_hash=f"{key} {name}", key_id=key, expires_at=until)
            put(steps, login_links, token_hash=f"{key} {name}", key_id=key, expires_at=until)


def revoking_a_key(steps: Steps) -> tuple[Act, Changed]:
    put_keys(steps)
    return lambda: revoke_key(steps.db, "k1"), {"api_keys": {"k1"}}


def giving_a_key_a_secret(steps: Steps) -> tuple[Act, Changed]:
    put_keys(steps)
    return lambda: set_webhook_secret(steps.db, key_of("k1"), "s", rotate=False), {
        "api_keys": {"k1"}
    }


def ending_a_session(steps: Steps) -> tuple[Act, Changed]:
    put_keys(steps)
    return lambda: end_session(steps.db, "k1 live"), {"sessions": {"k1 live"}}


def ending_all_sessions(steps: Steps) -> tuple[Act, Changed]:
    put_keys(steps)
    mine = {"k1 live", "k1 over"}
    return lambda: end_sessions(steps.db, "k1"), {"sessions": mine, "login_links": mine}


def beginning_a_session(steps: Steps) -> tuple[Act, Changed]:
    put_keys(steps)
    gone = {"k1 over", "k2 over"}
    return lambda: begin_session(steps.db, _MINE, "k1"), {"sessions": {*gone, _MINE.hash}}


def beginning_the_newest_session(steps: Steps) -> tuple[Act, Changed]:
    """The other key has as many as a key may have, all newer."""
    for key in ("k1", "k2"):
        put(steps, api_keys, id=key)
    put(steps, sessions, token_hash="first", key_id="k1")
    for number in range(100):
        put(steps, sessions, token_hash=f"{number}", key_id="k2", created_at=NOW)
    return lambda: begin_session(steps.db, _MINE, "k1"), {"sessions": {_MINE.hash}}


def beginning_a_session_again(steps: Steps) -> tuple[Act, Changed]:
    """Its own row counts for none of the others, of which there are as many as may be."""
    put(steps, api_keys, id="k1")
    for number in range(99):
        put(steps, sessions, token_hash=f"{number}", key_id="k1")
    begin_session(steps.db, _MINE, "k1")
    return lambda: begin_session(steps.db, _MINE, "k1"), {}


def making_a_link(steps: Steps) -> tuple[Act, Changed]:
    put_keys(steps)
    gone = {"k1 over", "k2 over"}
    return lambda: make_login_link(steps.db, _MINE, key_of("k1")), {
        "login_links": {*gone, _MINE.hash}
    }


def using_a_link(steps: Steps) -> tuple[Act, Changed]:
    for key in ("k1", "k2"):
        put(steps, api_keys, id=key)
    for key, link in (("k1", "another"), ("k1", _MINE.hash), ("k2", "a third")):
        put(steps, login_links, token_hash=link, key_id=key)
    session = Token("s" * 43)
    changed: Changed = {"login_links": {_MINE.hash}, "sessions": {session.hash}}
    return lambda: use_login_link(steps.db, _MINE, session), changed


def put_shared(steps: Steps) -> None:
    """Two completed requests with links: one of each that is over, and one that lives."""
    for name in ("a", "b"):
        steps.completed(name)
        for how, until in (("live", LATER), ("over", AGO)):
            of = {"request_id": id_of(steps, name), "expires_at": until}
            put(steps, share_links, id=f"{name} {how}", token_hash=f"{name} {how}", **of)


def sharing(steps: Steps) -> tuple[Act, Changed]:
    put_shared(steps)
    made: set[str] = {"a over", "b over"}

    def act() -> None:
        made.add(share_request(steps.db, "a", _MINE, days=1, created_by="Mina").id)

    return act, {"share_links": made}


def revoking_a_share(steps: Steps) -> tuple[Act, Changed]:
    put_shared(steps)
    return lambda: revoke_share_link(steps.db, id_of(steps, "a"), "a live"), {
        "share_links": {"a live"}
    }


def put_profiles(steps: Steps) -> None:
    """One name in two spellings and another name, of two owners and in two pipelines."""
    for owner, pipeline in (("shop", "song_video"), ("shop", "image"), ("other", "song_video")):
        for name in (_DECOMPOSED, "winter"):
            put(steps, profiles, owner=owner, pipeline=pipeline, name=name)


def keeping_a_profile(steps: Steps) -> tuple[Act, Changed]:
    put_profiles(steps)
    mine = {("shop", "song_video", name) for name in (_COMPOSED, _DECOMPOSED)}
    return lambda: keep_profile(steps.db, "shop", "song_video", _COMPOSED, {"a": 1}), {
        "profiles": mine
    }


def removing_a_profile(steps: Steps) -> tuple[Act, Changed]:
    put_profiles(steps)
    return (
        lambda: remove_profile(steps.db, "shop", "song_video", _COMPOSED),
        {"profiles": {("shop", "song_video", _DECOMPOSED)}},
    )


def pausing(steps: Steps) -> tuple[Act, Changed]:
    for name, until in (("v1", None), ("v2", None), ("v3", AGO)):
        put(steps, providers, name=name, paused_until=until)
    return lambda: pause_provider(steps.db, "v1", "over limit", 60), {"providers": {"v1"}}


def pausing_for_longer(steps: Steps) -> tuple[Act, Changed]:
    for name in ("v1", "v2"):
        put(steps, providers, name=name, paused_until=AGO)
    return lambda: pause_provider(steps.db, "v1", "over limit", 60), {"providers": {"v1"}}


def pausing_for_less(steps: Steps) -> tuple[Act, Changed]:
    put(steps, providers, name="v1", paused_until=LATER)
    return lambda: pause_provider(steps.db, "v1", "over limit", 60), {}


def resuming(steps: Steps) -> tuple[Act, Changed]:
    for name in ("v1", "v2"):
        put(steps, providers, name=name, paused_until=LATER)
    return lambda: resume_provider(steps.db, "v1"), {"providers": {"v1"}}


def resuming_what_may_be_called(steps: Steps) -> tuple[Act, Changed]:
    put(steps, providers, name="v1", paused_until=AGO, pause_reason="once")
    return lambda: resume_provider(steps.db, "v1"), {}


def letting_read(steps: Steps) -> tuple[Act, Changed]:
    """What is read already, by somebody's own order or by both, is not added again."""
    for name, owner in (("r", "we"), ("a", "shop"), ("b", None), ("c", "stranger")):
        steps.order(name, owner=owner)
    mine, other, unowned = (id_of(steps, name) for name in "rab")
    reading = (("r", "shop"), ("a", "friend"), ("b", "guest"), ("c", "spy"))
    for name, owner in reading:
        request = steps.row(name)
        with steps.db.writing() as tx:
            grant_shared_access(tx, request, owner)

    def act() -> None:
        with steps.db.writing() as tx:
            copy_shared_access(tx, mine, [other, unowned])

    return act, {"shared_access": {(mine, "friend"), (mine, "guest")}}


def put_source_checks(steps: Steps) -> dict[str, int]:
    """What is due since two days, and beside it others that are due since one or later."""
    rows = {
        "mine": {"part": "main", "due_at": _LONG_AGO},
        "next": {"part": "next"},
        "another subject": {"subject": "other", "part": "main", "due_at": LATER},
        "another pipeline": {"pipeline": "image", "part": "main", "due_at": _LONG_AGO},
    }
    for columns in rows.values():
        put(steps, source_checks, **columns)
    with steps.db.reading() as tx:
        found = select(source_checks.c.id).order_by(source_checks.c.id)
        return dict(zip(rows, tx.execute(found).scalars(), strict=True))


def noting_an_order_again(steps: Steps) -> tuple[Act, Changed]:
    ids = put_source_checks(steps)
    return (
        lambda: schedule_check(steps.db, "analysis", "repo", "main", payload={}, found="g"),
        {"source_checks": {ids["mine"]}},
    )


def looking(steps: Steps) -> tuple[Act, Changed]:
    ids = put_source_checks(steps)
    put(steps, source_checks, part="just now", used_at=datetime.now(UTC))
    return (
        lambda: save_use(steps.db, "analysis", "repo"),
        {"source_checks": {ids["mine"], ids["next"]}},
    )


def claiming_what_is_due(steps: Steps) -> tuple[Act, Changed]:
    ids = put_source_checks(steps)
    put(steps, source_checks, pipeline="image", subject="a", part="b", due_at=_LONG_AGO)
    return lambda: claim_due(steps.db, "analysis"), {"source_checks": {ids["mine"]}}


def claiming_where_nothing_is_due(steps: Steps) -> tuple[Act, Changed]:
    put(steps, source_checks, part="main", due_at=LATER)
    put(steps, source_checks, pipeline="image", part="main")
    return lambda: claim_due(steps.db, "analysis"), {}


def check(key: int) -> DueCheck:
    return DueCheck(key, "{}", "f", "", 0, timedelta(days=1), None, False)


def saving_a_check(steps: Steps) -> tuple[Act, Changed]:
    mine = put_source_checks(steps)["mine"]
    return (
        lambda: save_check(steps.db, check(mine), CheckOutcome("g", "mark", 0)),
        {"source_checks": {mine}},
    )


def forgetting(steps: Steps) -> tuple[Act, Changed]:
    mine = put_source_checks(steps)["mine"]
    return lambda: forget(steps.db, check(mine)), {"source_checks": {mine}}


def put_reports(steps: Steps) -> dict[str, Any]:
    """The figures of one stage in each of three hours; returns the keys of their rows."""
    hours = {"before": _LONG_AGO, "mine": AGO, "after": NOW}
    for hour in hours.values():
        put(steps, reports, hour=hour)
    with steps.db.reading() as tx:
        stored = tx.execute(select(reports.c.hour).order_by(reports.c.hour)).scalars()
        return {
            name: (hour, "song_video", "lyric") for name, hour in zip(hours, stored, strict=True)
        }


def reporting_again(steps: Steps) -> tuple[Act, Changed]:
    mine = put_reports(steps)["mine"]
    figures = StageFigures("song_video", "song")
    return (
        lambda: save_report(steps.db, mine[0], [figures]),
        {"reports": {mine, (mine[0], "song_video", "song")}},
    )


def purging_reports(steps: Steps) -> tuple[Act, Changed]:
    rows = put_reports(steps)
    return lambda: purge_reports(steps.db, rows["mine"][0]), {"reports": {rows["before"]}}


def pruning_files(steps: Steps) -> tuple[Act, Changed]:
    steps.filmed("a")
    steps.filmed("b")
    key = id_of(steps, "a")
    return (
        lambda: prune_files(steps.db, [key], lambda request: True),
        {"artifacts": {"a/video.mp4"}, "pruned": {key}},
    )


def noting_pruned_logs(steps: Steps) -> tuple[Act, Changed]:
    steps.completed("a")
    steps.completed("b")
    key = id_of(steps, "a")
    return lambda: note_log_pruned(steps.db, [key]), {"pruned": {key}}


def mirroring(steps: Steps) -> tuple[Act, Changed]:
    steps.order("a")
    steps.order("b")
    first = unmirrored_events(steps.db, 1)[0]
    return (
        lambda: mark_mirrored(steps.db, [first.id]),
        {"events": {(first.request_id, first.seq)}},
    )


def publishing_costs(steps: Steps) -> tuple[Act, Changed]:
    rows = {
        ("a1", "mine"): {},
        ("a2", "mine"): {},
        ("b", "other"): {},
        ("c", "old"): {"day": "2020-01-01"},
    }
    for (answer, spool), columns in rows.items():
        put(steps, spool_costs, answer=answer, spool=spool, **columns)
    return (
        lambda: publish_spool_costs(steps.db, "mine", {"a2": 7}),
        {"spool_costs": {("a1", "mine"), ("c", "old")}},
    )


def saving_what_was_not_wanted(steps: Steps) -> tuple[Act, Changed]:
    for answer in ("mine", "other"):
        put(steps, spool_costs, answer=answer, spool="s")
    return (
        lambda: save_unwanted(steps.db, "r", "mine", [], "nobody has it"),
        {"spool_costs": {("mine", "s")}},
    )


def put_workers(steps: Steps) -> None:
    """Three workers, the first two of one process, each with a request; an operator copied the first one's."""
    for name, nonce in (("w", "n1"), ("w2", "n1"), ("w3", "n2")):
        put(steps, workers, name=name, nonce=nonce)
        steps.working(name, f"{name}:{nonce}")
    steps.sql("INSERT INTO requests (task_id, payload, lease_owner) VALUES ('copy', '{}', 'w:n1')")


def registering(steps: Steps) -> tuple[Act, Changed]:
    put_workers(steps)
    return (
        lambda: register_worker(steps.db, "w", "new", slots=1, poison_deaths=POISON),
        {"workers": {"w"}, **expect_transition(steps, "w")},
    )


def registering_again(steps: Steps) -> tuple[Act, Changed]:
    put_workers(steps)
    return (
        lambda: register_worker(steps.db, "w", "n1", slots=1, poison_deaths=POISON),
        {"workers": {"w"}},
    )


def recovering(steps: Steps) -> tuple[Act, Changed]:
    put_workers(steps)
    steps.completed("done")
    steps.edit("lease_owner = 'w:n1'", "done")
    return (
        lambda: recover_worker(steps.db, "w", poison_deaths=POISON),
        {"workers": {"w"}, **expect_transition(steps, "w")},
    )


def expect_transition(steps: Steps, task_id: str) -> Changed:
    """Its row, its attempt, and its next event."""
    row = steps.row(task_id)
    attempt = steps.attempts(task_id)[-1].id
    return {"requests": {task_id}, "attempts": {attempt}, "events": {(row.id, row.seq + 1)}}


def unregistering(steps: Steps) -> tuple[Act, Changed]:
    put_workers(steps)
    steps.edit("status = 'completed', lease_owner = 'w:n1'", "w")
    return lambda: unregister_worker(steps.db, "w", "n1"), {"workers": {"w"}}


def unregistering_who_holds_a_request(steps: Steps) -> tuple[Act, Changed]:
    put_workers(steps)
    return lambda: unregister_worker(steps.db, "w", "n1"), {}


def unregistering_a_former_process(steps: Steps) -> tuple[Act, Changed]:
    put_workers(steps)
    return lambda: unregister_worker(steps.db, "w", "former"), {}


def withdrawing(steps: Steps) -> tuple[Act, Changed]:
    put_workers(steps)
    return lambda: withdraw_slots(steps.db, "w", "n1"), {"workers": {"w"}}


def withdrawing_as_a_former_process(steps: Steps) -> tuple[Act, Changed]:
    put_workers(steps)
    return lambda: withdraw_slots(steps.db, "w", "former"), {}


def beating(steps: Steps) -> tuple[Act, Changed]:
    put_workers(steps)
    return lambda: save_heartbeat(steps.db, "w", "n1", slots=4), {"workers": {"w"}}


def beating_as_a_former_process(steps: Steps) -> tuple[Act, Changed]:
    put_workers(steps)
    return lambda: save_heartbeat(steps.db, "w", "former", slots=4), {}


def pruning_workers(steps: Steps) -> tuple[Act, Changed]:
    put(steps, workers, name="silent", beat_at=AGO)
    put(steps, workers, name="heard")
    return lambda: prune_lost_workers(steps.db, 3600), {"workers": {"silent"}}


def renewing(steps: Steps) -> tuple[Act, Changed]:
    """Of one worker's two requests one, beside another worker's and one that it no longer holds."""
    put_workers(steps)
    steps.working("second", "w:n1")
    steps.completed("done")
    steps.edit("lease_owner = 'w:n1'", "done")
    keys = [id_of(steps, name) for name in ("w", "w2", "done", "copy")]
    return (
        lambda: renew_leases(steps.db, "w:n1", keys, lease_seconds=9_999),
        {"requests": {"w"}},
    )


def put_deliveries(steps: Steps) -> dict[str, int]:
    """A webhook of each of some requests that have ended, of two owners and to two addresses."""
    for name, owner, url in (
        ("a", "shop", "https://x.example/"),
        ("b", "shop", "https://x.example/"),
        ("c", "shop", "https://y.example/"),
        ("d", "other", "https://x.example/"),
        ("e", None, "https://x.example/"),
        ("delivered", "shop", "https://x.example/"),
    ):
        steps.order(name, owner=owner, callback_url=url)
        steps.cancel(name)
    steps.sql(
        "UPDATE webhook_deliveries SET status = 'delivered' WHERE request_id = :r",
        r=id_of(steps, "delivered"),
    )
    return {each.task_id: each.id for each in deliveries(steps.db, limit=10)}


def claimed(steps: Steps, seconds: float = 60) -> Webhook:
    found = claim_delivery(steps.db, seconds)
    assert found is not None
    return found


def claiming_a_webhook(steps: Steps) -> tuple[Act, Changed]:
    ids = put_deliveries(steps)
    return lambda: claim_delivery(steps.db, 60), {"webhook_deliveries": {ids["a"]}}


def saving_a_try(steps: Steps) -> tuple[Act, Changed]:
    """Another sender has the next one, with the same fence."""
    put_deliveries(steps)
    mine, _ = claimed(steps), claimed(steps)
    return (
        lambda: save_try(steps.db, mine, DeliveryStatus.DELIVERED),
        {"webhook_deliveries": {mine.id}},
    )


def saving_a_try_that_is_over(steps: Steps) -> tuple[Act, Changed]:
    put_deliveries(steps)
    mine = claimed(steps)
    save_try(steps.db, mine, DeliveryStatus.DELIVERED)
    return lambda: save_try(steps.db, mine, DeliveryStatus.DEAD), {}


def saving_a_try_of_a_lease_that_is_lost(steps: Steps) -> tuple[Act, Changed]:
    put_deliveries(steps)
    mine = claimed(steps, 0)
    replay(steps.db, mine.id)
    return lambda: save_try(steps.db, mine, DeliveryStatus.DEAD), {}


def disabling_an_address(steps: Steps) -> tuple[Act, Changed]:
    ids = put_deliveries(steps)
    mine = claimed(steps)
    return (
        lambda: save_try(steps.db, mine, DeliveryStatus.DISABLED),
        {"webhook_deliveries": {ids["a"], ids["b"]}},
    )


def disabling_an_address_of_no_owner(steps: Steps) -> tuple[Act, Changed]:
    ids = put_deliveries(steps)
    mine = [claimed(steps) for _ in range(5)][-1]
    return (
        lambda: save_try(steps.db, mine, DeliveryStatus.DISABLED),
        {"webhook_deliveries": {ids["e"]}},
    )


def replaying(steps: Steps) -> tuple[Act, Changed]:
    ids = put_deliveries(steps)
    return lambda: replay(steps.db, ids["delivered"]), {"webhook_deliveries": {ids["delivered"]}}


def replaying_what_was_not_delivered(steps: Steps) -> tuple[Act, Changed]:
    ids = put_deliveries(steps)
    for name, status in (("a", "dead"), ("b", "disabled"), ("d", "dead")):
        steps.sql("UPDATE webhook_deliveries SET status = :s WHERE id = :i", s=status, i=ids[name])
    return (
        lambda: replay_undelivered(steps.db),
        {"webhook_deliveries": {ids["a"], ids["b"], ids["d"]}},
    )


def naming_an_orphan(steps: Steps) -> tuple[Act, Changed]:
    for token in ("mine", "other"):
        put(steps, orphans, token=token)
    put(steps, orphans, token="elsewhere", provider="other vendor")

    def act() -> None:
        for token in ("mine", "elsewhere"):
            with suppress(UnknownCallbackError):
                save_callback(steps.db, "vendor", token, "x1")

    with steps.db.reading() as tx:
        key = tx.execute(select(orphans.c.id).where(orphans.c.token == "mine")).scalar()
    return act, {"orphans": {key}}


def naming_an_orphan_that_has_a_name(steps: Steps) -> tuple[Act, Changed]:
    put(steps, orphans, token="mine", external_id="x0")

    def act() -> None:
        with suppress(UnknownCallbackError):
            save_callback(steps.db, "vendor", "mine", "x1")

    return act, {}


def leaving_what_another_attempt_has(steps: Steps) -> tuple[Act, Changed]:
    steps.order("a")
    steps.dispatch()
    return lambda: leave_unclaimed(steps.db, "a", 7, canceled=True), {}


def leaving_what_is_at_work(steps: Steps) -> tuple[Act, Changed]:
    steps.working("a")
    return lambda: leave_unclaimed(steps.db, "a", 1, canceled=True), {}


def leaving_what_no_run_claims(steps: Steps) -> tuple[Act, Changed]:
    for name in ("a", "mine", "b"):
        steps.order(name)
    steps.dispatch()
    row = steps.row("mine")
    return (
        lambda: leave_unclaimed(steps.db, "mine", 1, canceled=True),
        {"requests": {"mine"}, "events": {(row.id, row.seq + 1)}},
    )


def completing_a_stage(steps: Steps) -> tuple[Act, Changed]:
    """Its submission, the second one, has its cost; the first one and that of another request had theirs."""
    other, mine = steps.working("other"), steps.working("mine")
    steps.save_intent(other, steps.begin(other), "other's")
    entry = steps.begin(mine)
    steps.settle(mine, entry, steps.save_intent(mine, entry, "first"), JobStatus.FAILED)
    steps.settle(mine, entry, steps.save_intent(mine, entry, "second"), JobStatus.SUCCEEDED)
    row = steps.row("mine")
    return (
        lambda: steps.complete(mine, entry, token="second"),
        {
            "requests": {"mine"},
            "stages": {steps.stages("mine")[-1].id},
            "provider_jobs": {steps.jobs("mine")[-1].id},
            "events": {(row.id, row.seq + 1)},
        },
    )


def redelivering_what_was_redelivered(steps: Steps) -> tuple[Act, Changed]:
    steps.order("a")
    (read,) = steps.dispatch()
    save_redelivery(steps.db, read)
    return lambda: save_redelivery(steps.db, read), {}


def telling_progress_of_a_lost_lease(steps: Steps) -> tuple[Act, Changed]:
    """The other request is held by an attempt of the same fence."""
    lease = steps.working("a")
    entry = steps.begin(lease)
    steps.begin(steps.working("b"))
    steps.lose_worker("a")
    steps.begin(steps.take("a"))
    return lambda: save_progress(steps.db, lease, entry, InProgress(0.5, "half")), {}


def telling_progress_of_a_stage_that_is_done(steps: Steps) -> tuple[Act, Changed]:
    lease = steps.working("a")
    entry = steps.begin(lease)
    steps.complete(lease, entry)
    return lambda: save_progress(steps.db, lease, entry, InProgress(0.5, "half")), {}


def ending_holds(steps: Steps) -> tuple[Act, Changed]:
    """Only what waits for a person has such an end."""
    steps.held("held", hold_seconds=3600)
    steps.order("due")
    steps.edit("not_before = '2020-01-01 00:00:00'", "due")
    return lambda: end_expired_holds(steps.db), {}


def discarding_the_exhausted(steps: Steps) -> tuple[Act, Changed]:
    """Only what has failed is discarded, not what is worked on."""
    lease = steps.working("at-work")
    steps.fail(lease)
    steps.take("at-work")
    steps.edit("max_retries = 0", "at-work")
    steps.failed("with-retries")
    return steps.discard_exhausted, {}


def ending_a_hold(steps: Steps) -> tuple[Act, Changed]:
    """Of what waits for a person, only what has waited long enough, and its stage alone, is approved."""
    steps.held("longer", hold_seconds=3600, hold_then="continue")
    steps.held("mine", hold_seconds=3600, hold_then="continue")
    row = steps.edit("not_before = '2020-01-01 00:00:00'", "mine")
    stage = next(each.id for each in steps.stages("mine") if each.stage == "lyric")
    return (
        lambda: end_expired_holds(steps.db),
        {"requests": {"mine"}, "stages": {stage}, "events": {(row.id, row.seq + 1)}},
    )


def dead_lettering(steps: Steps) -> tuple[Act, Changed]:
    """An operator has taken the next number of its events, another request the one after that."""
    steps.completed("other")
    steps.working("at-work")
    steps.order("mine")
    row = steps.row("mine")
    steps.sql(
        'INSERT INTO events (request_id, seq, type, "to", data, at, mirrored) '
        "VALUES (:r, 2, 'noted', 'pending', '{}', CURRENT_TIMESTAMP, true)",
        r=row.id,
    )

    def act() -> None:
        with steps.db.writing() as tx:
            dead_letter_row(tx, row.id, ValueError("unusable"))

    return act, {"requests": {"mine"}, "events": {(row.id, 3)}}


def dead_lettering_what_has_ended(steps: Steps) -> tuple[Act, Changed]:
    steps.completed("mine")
    key = id_of(steps, "mine")

    def act() -> None:
        with steps.db.writing() as tx:
            dead_letter_row(tx, key, ValueError("unusable"))

    return act, {}


def rescuing(steps: Steps) -> tuple[Act, Changed]:
    """A lease without an end is over; one that holds is not, and what is not at work has none."""
    steps.order("waits")
    steps.edit("not_before = '2999-01-01 00:00:00'", "waits")
    steps.working("holds")
    steps.working("mine")
    steps.edit("lease_until = NULL", "mine")
    return steps.rescue, expect_transition(steps, "mine")


def sharing_with_who_read_before(steps: Steps) -> tuple[Act, Changed]:
    for name, owner in (("stranger", "stranger"), ("before", "shop"), ("mine", "we")):
        steps.order(name, owner=owner)
    mine = id_of(steps, "mine")
    before = replace(check(1), task_id="before")
    return (
        lambda: carry_over_shared_access(steps.db, "song_video", before, mine),
        {"shared_access": {(mine, "shop")}},
    )


def taking_a_permit(steps: Steps) -> tuple[Act, Changed]:
    for name in ("v1", "v2"):
        put(steps, providers, name=name)
    lease = steps.working()
    return lambda: acquire_permit(steps.db, lease, "v1", Rate(2, 60)), {"providers": {"v1"}}


def letting_nobody_read(steps: Steps) -> tuple[Act, Changed]:
    mine, unowned = steps.order("r"), steps.order("a")

    def act() -> None:
        with steps.db.writing() as tx:
            copy_shared_access(tx, mine.id, [unowned.id])

    return act, {}


def claiming_a_webhook_after_many_transitions(steps: Steps) -> tuple[Act, Changed]:
    """Another request has ended after fewer transitions, and its webhook is due later."""
    for name in ("mine", "other"):
        steps.order(name, callback_url="https://x.example/")
    steps.dead("mine")
    steps.cancel("other")
    mine = next(each.id for each in deliveries(steps.db, limit=10) if each.task_id == "mine")
    return lambda: claim_delivery(steps.db, 60), {"webhook_deliveries": {mine}}


def claiming_the_webhook_of_an_earlier_end(steps: Steps) -> tuple[Act, Changed]:
    """The first of its ends was told already, the third has to wait for the second."""
    steps.order("mine", callback_url="https://x.example/")
    for _ in range(3):
        steps.cancel("mine")
        steps.retry("mine")
    first, second, third = sorted(each.id for each in deliveries(steps.db, limit=10))
    steps.sql("UPDATE webhook_deliveries SET status = 'delivered' WHERE id = :i", i=first)
    steps.sql("UPDATE webhook_deliveries SET due_at = '2020-01-01 00:00:00' WHERE id = :i", i=third)
    return lambda: claim_delivery(steps.db, 60), {"webhook_deliveries": {second}}


def claiming_no_webhook_of_a_busy_host(steps: Steps) -> tuple[Act, Changed]:
    ids = put_deliveries(steps)
    return (
        lambda: claim_delivery(steps.db, 60, ["x.example"]),
        {"webhook_deliveries": {ids["c"]}},
    )


CASES: dict[str, Make] = {
    make.__name__.replace("_", " "): make
    for make in (
        revoking_a_key,
        giving_a_key_a_secret,
        ending_a_session,
        ending_all_sessions,
        beginning_a_session,
        beginning_the_newest_session,
        beginning_a_session_again,
        making_a_link,
        using_a_link,
        sharing,
        revoking_a_share,
        keeping_a_profile,
        removing_a_profile,
        pausing,
        pausing_for_longer,
        pausing_for_less,
        resuming,
        resuming_what_may_be_called,
        letting_read,
        noting_an_order_again,
        looking,
        claiming_what_is_due,
        claiming_where_nothing_is_due,
        saving_a_check,
        forgetting,
        reporting_again,
        purging_reports,
        pruning_files,
        noting_pruned_logs,
        mirroring,
        publishing_costs,
        saving_what_was_not_wanted,
        registering,
        registering_again,
        recovering,
        unregistering,
        unregistering_who_holds_a_request,
        unregistering_a_former_process,
        withdrawing,
        withdrawing_as_a_former_process,
        beating,
        beating_as_a_former_process,
        pruning_workers,
        renewing,
        claiming_a_webhook,
        saving_a_try,
        saving_a_try_that_is_over,
        saving_a_try_of_a_lease_that_is_lost,
        disabling_an_address,
        disabling_an_address_of_no_owner,
        replaying,
        replaying_what_was_not_delivered,
        naming_an_orphan,
        naming_an_orphan_that_has_a_name,
        leaving_what_another_attempt_has,
        leaving_what_is_at_work,
        leaving_what_no_run_claims,
        completing_a_stage,
        redelivering_what_was_redelivered,
        telling_progress_of_a_lost_lease,
        telling_progress_of_a_stage_that_is_done,
        ending_holds,
        discarding_the_exhausted,
        ending_a_hold,
        dead_lettering,
        dead_lettering_what_has_ended,
        rescuing,
        sharing_with_who_read_before,
        taking_a_permit,
        letting_nobody_read,
        claiming_no_webhook_of_a_busy_host,
        claiming_a_webhook_after_many_transitions,
        claiming_the_webhook_of_an_earlier_end,
    )
}


@pytest.mark.parametrize("make", CASES.values(), ids=CASES.keys())
def test_transition_changes_its_own_rows_alone(steps: Steps, make: Make) -> None:
    act, own = make(steps)
    assert changes_of(steps, act) == own


def purging(steps: Steps, keys: list[int]) -> Act:
    return lambda: purge_requests(steps.db, keys, lambda request: True)


def deleting(steps: Steps, keys: list[int]) -> Act:
    return lambda: delete_request(steps.db, "a", "Mina")


@pytest.mark.parametrize("remove", [purging, deleting])
def test_removal_of_a_request_leaves_every_other(
    steps: Steps, remove: Callable[[Steps, list[int]], Act]
) -> None:
    steps.filmed("a")
    steps.filmed("b")
    changed = changes_of(steps, remove(steps, [id_of(steps, "a")]))
    assert changed["requests"] == {"a"}
    assert changed["artifacts"] == {"a/video.mp4"}


REFUSED: dict[str, tuple[Callable[[Steps], Any], type[Exception]]] = {
    "session of a revoked key": (lambda s: begin_session(s.db, _MINE, "revoked"), UnknownKeyError),
    "session of no key": (lambda s: begin_session(s.db, _MINE, "none"), UnknownKeyError),
    "link of a revoked key": (
        lambda s: use_login_link(s.db, Token("r" * 43), _MINE),
        UnknownLoginLinkError,
    ),
    "link that is over": (
        lambda s: use_login_link(s.db, Token("o" * 43), _MINE),
        UnknownLoginLinkError,
    ),
    "link that never was": (lambda s: use_login_link(s.db, _MINE, _MINE), UnknownLoginLinkError),
    "secret of a revoked key": (
        lambda s: set_webhook_secret(s.db, key_of("revoked"), "s", rotate=True),
        UnknownKeyError,
    ),
    "second secret": (
        lambda s: set_webhook_secret(s.db, key_of("k2"), "s", rotate=False),
        SecretExistsError,
    ),
    "revocation of no key": (lambda s: revoke_key(s.db, "none"), UnknownKeyError),
    "share of what is at work": (
        lambda s: share_request(s.db, "at-work", _MINE, days=1, created_by="Mina"),
        NotCompletedError,
    ),
    "revocation of another's share": (
        lambda s: revoke_share_link(s.db, id_of(s, "a"), "b live"),
        UnknownShareLinkError,
    ),
    "removal of no profile": (
        lambda s: remove_profile(s.db, "shop", "song_video", "winter"),
        UnknownProfileError,
    ),
    "replay of no webhook": (lambda s: replay(s.db, 99_999_999), UnknownDeliveryError),
}


@pytest.mark.parametrize(("act", "error"), REFUSED.values(), ids=REFUSED.keys())
def test_transition_of_what_is_not_there_is_refused_and_changes_nothing(
    steps: Steps, act: Callable[[Steps], Any], error: type[Exception]
) -> None:
    put_keys(steps)
    put(steps, api_keys, id="revoked", revoked_at=AGO)
    steps.sql("UPDATE api_keys SET webhook_secret = 's' WHERE id = 'k2'")
    put(steps, login_links, token_hash=Token("r" * 43).hash, key_id="revoked")
    put(steps, login_links, token_hash=Token("o" * 43).hash, key_id="k1", expires_at=AGO)
    put_shared(steps)
    steps.working("at-work")

    def refused() -> None:
        with pytest.raises(error):
            act(steps)

    assert changes_of(steps, refused) == {}


@pytest.mark.parametrize(("before", "fence"), [(MOST - 1, MOST), (MOST, 0)])
def test_numbers_of_a_webhook_rise_no_higher_than_the_largest_one(
    steps: Steps, before: int, fence: int
) -> None:
    ids = put_deliveries(steps)
    steps.sql("UPDATE webhook_deliveries SET fence = :n, attempt = :n", n=before)
    save_try(steps.db, claimed(steps), DeliveryStatus.DELIVERED)
    [tried] = [each for each in deliveries(steps.db, limit=10) if each.id == ids["a"]]
    assert (tried.fence, tried.attempt) == (fence, MOST)


def test_secret_of_a_key_is_replaced_by_a_rotation_alone(steps: Steps) -> None:
    put_keys(steps)
    for secret, rotate in (("first", False), ("second", True)):
        set_webhook_secret(steps.db, key_of("k1"), secret, rotate=rotate)
    with steps.db.reading() as tx:
        found = tx.execute(select(api_keys.c.webhook_secret).where(api_keys.c.id == "k1")).scalar()
    assert found == "second"


def test_session_begins_again_where_the_reply_was_lost(steps: Steps) -> None:
    put_keys(steps)
    put(steps, login_links, token_hash=_MINE.hash, key_id="k1")
    session = Token("s" * 43)
    assert [use_login_link(steps.db, _MINE, session) for _ in range(2)] == ["k1", "k1"]


def test_limit_counts_the_links_of_one_request_alone(steps: Steps) -> None:
    put_shared(steps)
    for name, most in (("a", 98), ("b", 99)):
        for number in range(most):
            of = {"id": f"{name}{number}", "token_hash": f"{name}{number}"}
            put(steps, share_links, request_id=id_of(steps, name), **of)
    share_request(steps.db, "a", _MINE, days=1, created_by="Mina")
    with pytest.raises(ManyShareLinksError):
        share_request(steps.db, "b", Token("b" * 43), days=1, created_by="Mina")


def test_limit_counts_the_profiles_of_one_owner_and_pipeline_alone(steps: Steps) -> None:
    for owner, pipeline, most in (
        ("shop", "song_video", MOST_PROFILES - 1),
        ("other", "song_video", MOST_PROFILES),
        ("shop", "image", MOST_PROFILES),
    ):
        for number in range(most):
            put(steps, profiles, owner=owner, pipeline=pipeline, name=f"{number}")
    keep_profile(steps.db, "shop", "song_video", "the last", {})
    keep_profile(steps.db, "shop", "song_video", "0", {})
    with pytest.raises(ManyProfilesError):
        keep_profile(steps.db, "shop", "song_video", "one more", {})


def test_only_settled_dead_letters_of_a_passing_cause_are_tried_once_more(steps: Steps) -> None:
    for name in ("mine", "canceled", "tried", "other-cause"):
        steps.dead(name)
    steps.lost_for_good("in-doubt")
    steps.sql("UPDATE requests SET error_code = 'vendor_down'")
    steps.edit("error_code = 'invalid_payload'", "other-cause")
    redrive(steps.db, "tried")
    steps.edit("status = 'dead', error_code = 'vendor_down'", "tried")
    steps.edit("status = 'canceled'", "canceled")
    steps.edit("error_code = 'vendor_down'", "canceled")
    assert redrivable(steps.db, 10) == ["mine"]
    assert [redrive(steps.db, name) for name in ("tried", "canceled", "gone", "mine")] == [
        *(False, False, False),
        True,
    ]


def test_request_that_is_not_dead_is_not_tried_once_more_and_stays_as_it_is(steps: Steps) -> None:
    steps.order("waiting")
    steps.edit("error_code = 'vendor_down'", "waiting")
    before = steps.row("waiting")
    assert not redrive(steps.db, "waiting")
    assert steps.row("waiting") == before


@pytest.mark.parametrize(("status", "is_kept"), [("pending", True), ("completed", False)])
def test_order_that_is_made_again_keeps_its_request_while_it_is_open(
    steps: Steps, status: str, is_kept: bool
) -> None:
    steps.order("another")
    steps.order("made")
    steps.edit(f"status = '{status}'", "made")
    put(steps, source_checks, part="main", task_id="made")
    schedule_check(steps.db, "analysis", "repo", "main", payload={}, found="g")
    with steps.db.reading() as tx:
        assert tx.execute(select(source_checks.c.task_id)).scalars().all() == [
            "made" if is_kept else None
        ]


def test_what_is_due_knows_whether_its_own_request_has_died(steps: Steps) -> None:
    steps.completed("another")
    steps.dead("made")
    put(steps, source_checks, part="main", task_id="made")
    found = claim_due(steps.db, "analysis")
    assert found is not None
    assert (found.task_id, found.is_dead) == ("made", True)
    assert claim_due(steps.db, "analysis") is None


def test_only_what_was_dispatched_and_is_still_unclaimed_is_looked_after(steps: Steps) -> None:
    for name in ("a", "b", "sent", "claimed"):
        steps.order(name)
    steps.dispatch()
    steps.take("claimed")
    steps.failed("failed")
    steps.order("waits")
    steps.edit("dispatched_at = NULL", "b")
    steps.edit("dispatched_at = '2999-01-01 00:00:00'", "sent")
    assert [each.task_id for each in lock_unclaimed(steps.db, 0)] == ["a", "b"]
