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
    IllegalTransitionError,
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
from resources.ledger.queries.feed import list_unmirrored_events
from resources.ledger.queries.hours import StageFigures
from resources.ledger.queries.retention import DueCheck
from resources.ledger.queries.status import EventView
from resources.ledger.queries.webhooks import Webhook, list_deliveries
from resources.ledger.request import Request, Token
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
    delete_profile,
    end_session,
    end_sessions,
    grant_shared_access,
    make_login_link,
    revoke_key,
    revoke_share_link,
    save_profile,
    set_webhook_secret,
    share_request,
    use_login_link,
)
from resources.ledger.transitions.approval import end_expired_holds
from resources.ledger.transitions.callbacks import save_callback
from resources.ledger.transitions.core import Lease, dead_letter_unusable_request
from resources.ledger.transitions.dispatch import acquire_permit
from resources.ledger.transitions.housekeeping import (
    delete_request,
    mark_events_mirrored,
    pause_provider,
    prune_files,
    purge_reports,
    purge_requests,
    resume_provider,
    save_log_pruned,
    save_report,
)
from resources.ledger.transitions.import_completed import (
    publish_spool_costs,
    save_unwanted_purchases,
)
from resources.ledger.transitions.redo import list_redrivable_requests, redrive_request
from resources.ledger.transitions.rescue import (
    list_unclaimed_requests,
    prune_lost_workers,
    recover_worker,
    register_worker,
    release_unclaimed_request,
    renew_leases,
    save_heartbeat,
    save_redelivery,
    unregister_worker,
    withdraw_worker_slots,
)
from resources.ledger.transitions.source_checks import (
    CheckOutcome,
    carry_over_shared_access,
    claim_due_check,
    delete_check,
    save_check,
    save_source_use,
    schedule_check,
)
from resources.ledger.transitions.stages import StageEntry, save_progress
from resources.ledger.transitions.webhooks import claim_delivery, replay_webhooks, save_delivery_try
from tests.ledger_steps import POISON, Steps
from tests.table_rows import AGO, LATER, NOW, Changed, changes_of, id_of, put

Rows = Any
"""What the setup of a case returns: keys of the rows that it has put."""
Case = tuple[
    Callable[[Steps], Rows],
    Callable[[Steps, Any], Any],
    Changed | Callable[[Any], Changed],
]
"""Puts the rows, makes the transition, and says which of the rows that may change."""

_LONG_AGO = AGO - timedelta(days=1)
_MINE, _SESSION = Token("m" * 43), Token("s" * 43)
_COMPOSED, _DECOMPOSED = "\u00e9t\u00e9", "e\u0301te\u0301"
_OF_K1 = {"k1 live", "k1 over"}
_OVER = {"k1 over", "k2 over"}


def key_of(name: str) -> ApiKey:
    return ApiKey(name, "key", "shop", frozenset(), None, NOW, None)


def put_keys(steps: Steps) -> None:
    """Two keys with sessions and links: one of each that is over, and one that lives."""
    for key in ("k1", "k2"):
        put(steps, api_keys, id=key)
        for name, until in (("live", LATER), ("over", AGO)):
            put(steps, sessions, token_hash=f"{key} {name}", key_id=key, expires_at=until)
            put(steps, login_links, token_hash=f"{key} {name}", key_id=key, expires_at=until)


def put_many_sessions(steps: Steps) -> None:
    """The other key has as many as a key may have, all newer."""
    for key in ("k1", "k2"):
        put(steps, api_keys, id=key)
    put(steps, sessions, token_hash="first", key_id="k1")
    for number in range(100):
        put(steps, sessions, token_hash=f"{number}", key_id="k2", created_at=NOW)


def put_session_begun(steps: Steps) -> None:
    """Its own row counts for none of the others, of which there are as many as may be."""
    put(steps, api_keys, id="k1")
    for number in range(99):
        put(steps, sessions, token_hash=f"{number}", key_id="k1")
    begin_session(steps.db, _MINE, "k1")


def put_links(steps: Steps) -> None:
    for key in ("k1", "k2"):
        put(steps, api_keys, id=key)
    for key, link in (("k1", "another"), ("k1", _MINE.hash), ("k2", "a third")):
        put(steps, login_links, token_hash=link, key_id=key)


def put_shared(steps: Steps) -> None:
    """Two completed requests with links: one of each that is over, and one that lives."""
    for name in ("a", "b"):
        steps.completed(name)
        for how, until in (("live", LATER), ("over", AGO)):
            of = {"request_id": id_of(steps, name), "expires_at": until}
            put(steps, share_links, id=f"{name} {how}", token_hash=f"{name} {how}", **of)


def put_profiles(steps: Steps) -> None:
    """One name in two spellings and another name, of two owners and in two pipelines."""
    for owner, pipeline in (("shop", "song_video"), ("shop", "image"), ("other", "song_video")):
        for name in (_DECOMPOSED, "winter"):
            put(steps, profiles, owner=owner, pipeline=pipeline, name=name)


def put_providers(**paused_until: datetime | None) -> Callable[[Steps], None]:
    def put_them(steps: Steps) -> None:
        for name, until in paused_until.items():
            put(steps, providers, name=name, paused_until=until, pause_reason="once")

    return put_them


def pause(steps: Steps, _: None) -> None:
    pause_provider(steps.db, "v1", "over limit", 60)


def put_readers(steps: Steps) -> list[int]:
    """What is read already, by somebody's own order or by both, is not added again."""
    for name, owner in (("r", "we"), ("a", "shop"), ("b", None), ("c", "stranger")):
        steps.order(name, owner=owner)
    for name, owner in (("r", "shop"), ("a", "friend"), ("b", "guest"), ("c", "spy")):
        request = steps.row(name)
        with steps.db.writing() as tx:
            grant_shared_access(tx, request, owner)
    return [id_of(steps, name) for name in "rab"]


def copy_readers(steps: Steps, ids: list[int]) -> None:
    with steps.db.writing() as tx:
        copy_shared_access(tx, ids[0], ids[1:])


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


def put_source_just_used(steps: Steps) -> dict[str, int]:
    ids = put_source_checks(steps)
    put(steps, source_checks, part="just now", used_at=datetime.now(UTC))
    return ids


def put_another_source_due(steps: Steps) -> dict[str, int]:
    ids = put_source_checks(steps)
    put(steps, source_checks, pipeline="image", subject="a", part="b", due_at=_LONG_AGO)
    return ids


def put_no_source_due(steps: Steps) -> None:
    put(steps, source_checks, part="main", due_at=LATER)
    put(steps, source_checks, pipeline="image", part="main")


def check(key: int) -> DueCheck:
    return DueCheck(key, "{}", "f", "", 0, timedelta(days=1), None, False)


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


def put_films(steps: Steps) -> int:
    steps.filmed("a")
    steps.filmed("b")
    return id_of(steps, "a")


def put_two_events(steps: Steps) -> EventView:
    steps.order("a")
    steps.order("b")
    return list_unmirrored_events(steps.db, 1)[0]


def put_costs(steps: Steps) -> None:
    put(steps, spool_costs, answer="c", spool="old", day="2020-01-01")
    for answer, spool in (("a1", "mine"), ("a2", "mine"), ("b", "other")):
        put(steps, spool_costs, answer=answer, spool=spool)


def put_workers(steps: Steps) -> Changed:
    """Three workers, the first two of one process, each with a request; an operator copied the first one's."""
    for name, nonce in (("w", "n1"), ("w2", "n1"), ("w3", "n2")):
        put(steps, workers, name=name, nonce=nonce)
        steps.working(name, f"{name}:{nonce}")
    steps.sql("INSERT INTO requests (task_id, payload, lease_owner) VALUES ('copy', '{}', 'w:n1')")
    return expect_transition(steps, "w")


def put_worker_of_ended(steps: Steps) -> Changed:
    changed = put_workers(steps)
    steps.completed("done")
    steps.edit("lease_owner = 'w:n1'", "done")
    return changed


def put_worker_without_work(steps: Steps) -> None:
    put_workers(steps)
    steps.edit("status = 'completed', lease_owner = 'w:n1'", "w")


def expect_transition(steps: Steps, task_id: str) -> Changed:
    """Its row, its attempt, and its next event."""
    row = steps.row(task_id)
    attempt = steps.attempts(task_id)[-1].id
    return {"requests": {task_id}, "attempts": {attempt}, "events": {(row.id, row.seq + 1)}}


def put_silent_worker(steps: Steps) -> None:
    put(steps, workers, name="silent", beat_at=AGO)
    put(steps, workers, name="heard")


def put_leases(steps: Steps) -> list[int]:
    """Of one worker's two requests one, beside another worker's and one that it no longer holds."""
    put_worker_of_ended(steps)
    steps.working("second", "w:n1")
    return [id_of(steps, name) for name in ("w", "w2", "done", "copy")]


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
    return {each.task_id: each.id for each in list_deliveries(steps.db, limit=10)}


def put_undelivered(steps: Steps) -> dict[str, int]:
    ids = put_deliveries(steps)
    for name, status in (("a", "dead"), ("b", "disabled"), ("d", "dead")):
        steps.sql("UPDATE webhook_deliveries SET status = :s WHERE id = :i", s=status, i=ids[name])
    return ids


def claimed(steps: Steps, seconds: float = 60) -> Webhook:
    found = claim_delivery(steps.db, seconds)
    assert found is not None
    return found


def put_two_claimed(steps: Steps) -> Webhook:
    """Another sender has the next one, with the same fence."""
    put_deliveries(steps)
    mine, _ = claimed(steps), claimed(steps)
    return mine


def put_try_that_is_over(steps: Steps) -> Webhook:
    put_deliveries(steps)
    mine = claimed(steps)
    save_delivery_try(steps.db, mine, DeliveryStatus.DELIVERED)
    return mine


def put_lost_lease_of_a_webhook(steps: Steps) -> Webhook:
    put_deliveries(steps)
    mine = claimed(steps, 0)
    replay_webhooks(steps.db, mine.id)
    return mine


def put_claimed(number: int) -> Callable[[Steps], tuple[dict[str, int], Webhook]]:
    """Claim so many, and return the last one with the ids."""
    return lambda steps: (put_deliveries(steps), [claimed(steps) for _ in range(number)][-1])


def put_later_end_due_first(steps: Steps) -> int:
    """Another request has ended after fewer transitions, and its webhook is due later."""
    for name in ("mine", "other"):
        steps.order(name, callback_url="https://x.example/")
    steps.dead("mine")
    steps.cancel("other")
    return next(each.id for each in list_deliveries(steps.db, limit=10) if each.task_id == "mine")


def put_three_ends(steps: Steps) -> int:
    """The first of its ends was told already, the third has to wait for the second."""
    steps.order("mine", callback_url="https://x.example/")
    for _ in range(3):
        steps.cancel("mine")
        steps.retry("mine")
    first, second, third = sorted(each.id for each in list_deliveries(steps.db, limit=10))
    steps.sql("UPDATE webhook_deliveries SET status = 'delivered' WHERE id = :i", i=first)
    steps.sql("UPDATE webhook_deliveries SET due_at = '2020-01-01 00:00:00' WHERE id = :i", i=third)
    return second


def put_orphans(steps: Steps) -> int:
    for token in ("mine", "other"):
        put(steps, orphans, token=token)
    put(steps, orphans, token="elsewhere", provider="other vendor")
    with steps.db.reading() as tx:
        key: int = tx.execute(select(orphans.c.id).where(orphans.c.token == "mine")).scalar_one()
    return key


def name_orphans(steps: Steps, _: Any) -> None:
    for token in ("mine", "elsewhere"):
        with suppress(UnknownCallbackError):
            save_callback(steps.db, "vendor", token, "x1")


def put_dispatched(steps: Steps) -> Request:
    for name in ("mine", "a", "b"):
        steps.order(name)
    return steps.dispatch()[0]


def expect_event(row: Request) -> Changed:
    return {"requests": {row.task_id}, "events": {(row.id, row.seq + 1)}}


def put_submissions(steps: Steps) -> tuple[Lease, StageEntry, Changed]:
    """Its submission, the second one, has its cost; the first one and that of another request had theirs."""
    other, mine = steps.working("other"), steps.working("mine")
    steps.save_intent(other, steps.begin(other), "other's")
    entry = steps.begin(mine)
    steps.settle(mine, entry, steps.save_intent(mine, entry, "first"), JobStatus.FAILED)
    steps.settle(mine, entry, steps.save_intent(mine, entry, "second"), JobStatus.SUCCEEDED)
    of_stage: Changed = {"stages": {steps.stages("mine")[-1].id}}
    of_job: Changed = {"provider_jobs": {steps.jobs("mine")[-1].id}}
    return mine, entry, {**expect_event(steps.row("mine")), **of_stage, **of_job}


def put_redelivered(steps: Steps) -> Request:
    read = put_dispatched(steps)
    save_redelivery(steps.db, read)
    return read


def put_lost_lease(steps: Steps) -> tuple[Lease, StageEntry]:
    """The other request is held by an attempt of the same fence."""
    lease = steps.working("a")
    entry = steps.begin(lease)
    steps.begin(steps.working("b"))
    steps.lose_worker("a")
    steps.begin(steps.take("a"))
    return lease, entry


def put_stage_that_is_done(steps: Steps) -> tuple[Lease, StageEntry]:
    lease = steps.working("a")
    entry = steps.begin(lease)
    steps.complete(lease, entry)
    return lease, entry


def report(steps: Steps, of: tuple[Lease, StageEntry]) -> None:
    save_progress(steps.db, *of, InProgress(0.5, "half"))


def put_no_expired_hold(steps: Steps) -> None:
    """Only what waits for a person has such an end."""
    steps.held("held", hold_seconds=3600)
    steps.order("due")
    steps.edit("not_before = '2020-01-01 00:00:00'", "due")


def put_expired_hold(steps: Steps) -> Changed:
    """Of what waits for a person, only what has waited long enough, and its stage alone, is approved."""
    steps.held("longer", hold_seconds=3600, hold_then="continue")
    steps.held("mine", hold_seconds=3600, hold_then="continue")
    row = steps.edit("not_before = '2020-01-01 00:00:00'", "mine")
    stage = next(each.id for each in steps.stages("mine") if each.stage == "lyric")
    return {"requests": {"mine"}, "stages": {stage}, "events": {(row.id, row.seq + 1)}}


def put_none_exhausted(steps: Steps) -> None:
    """Only what has failed is discarded, not what is worked on."""
    steps.fail(steps.working("at-work"))
    steps.take("at-work")
    steps.edit("max_retries = 0", "at-work")
    steps.failed("with-retries")


def put_event_by_hand(steps: Steps) -> int:
    """An operator has taken the next number of its events, another request the one after that."""
    steps.completed("other")
    steps.working("at-work")
    key = steps.order("mine").id
    steps.sql(
        'INSERT INTO events (request_id, seq, type, "to", data, at, mirrored) '
        "VALUES (:r, 2, 'noted', 'pending', '{}', CURRENT_TIMESTAMP, true)",
        r=key,
    )
    return key


def put_completed(steps: Steps) -> int:
    steps.completed("mine")
    return id_of(steps, "mine")


def dead_letter(steps: Steps, key: int) -> None:
    with steps.db.writing() as tx:
        dead_letter_unusable_request(tx, key, ValueError("unusable"))


def put_lease_without_end(steps: Steps) -> Changed:
    """A lease without an end is over; one that holds is not, and what is not at work has none."""
    steps.order("waits")
    steps.edit("not_before = '2999-01-01 00:00:00'", "waits")
    steps.working("holds")
    steps.working("mine")
    steps.edit("lease_until = NULL", "mine")
    return expect_transition(steps, "mine")


def put_former_reader(steps: Steps) -> int:
    for name, owner in (("stranger", "stranger"), ("before", "shop"), ("mine", "we")):
        steps.order(name, owner=owner)
    return id_of(steps, "mine")


def put_vendors(steps: Steps) -> Lease:
    put_providers(v1=None, v2=None)(steps)
    return steps.working()


CASES: dict[str, Case] = {
    "revoking a key": (put_keys, lambda s, _: revoke_key(s.db, "k1"), {"api_keys": {"k1"}}),
    "giving a key a secret": (
        put_keys,
        lambda s, _: set_webhook_secret(s.db, key_of("k1"), "s", rotate=False),
        {"api_keys": {"k1"}},
    ),
    "ending a session": (
        put_keys,
        lambda s, _: end_session(s.db, "k1 live"),
        {"sessions": {"k1 live"}},
    ),
    "ending all sessions": (
        put_keys,
        lambda s, _: end_sessions(s.db, "k1"),
        {"sessions": _OF_K1, "login_links": _OF_K1},
    ),
    "beginning a session": (
        put_keys,
        lambda s, _: begin_session(s.db, _MINE, "k1"),
        {"sessions": {*_OVER, _MINE.hash}},
    ),
    "beginning the newest session": (
        put_many_sessions,
        lambda s, _: begin_session(s.db, _MINE, "k1"),
        {"sessions": {_MINE.hash}},
    ),
    "beginning a session again": (
        put_session_begun,
        lambda s, _: begin_session(s.db, _MINE, "k1"),
        {},
    ),
    "making a link": (
        put_keys,
        lambda s, _: make_login_link(s.db, _MINE, key_of("k1")),
        {"login_links": {*_OVER, _MINE.hash}},
    ),
    "using a link": (
        put_links,
        lambda s, _: use_login_link(s.db, _MINE, _SESSION),
        {"login_links": {_MINE.hash}, "sessions": {_SESSION.hash}},
    ),
    "sharing": (
        put_shared,
        lambda s, _: share_request(s.db, "a", _MINE, days=1, created_by="Mina"),
        {"share_links": {"a over", "b over", _MINE.hash[:12]}},
    ),
    "revoking a share": (
        put_shared,
        lambda s, _: revoke_share_link(s.db, id_of(s, "a"), "a live"),
        {"share_links": {"a live"}},
    ),
    "keeping a profile": (
        put_profiles,
        lambda s, _: save_profile(s.db, "shop", "song_video", _COMPOSED, {"a": 1}),
        {"profiles": {("shop", "song_video", name) for name in (_COMPOSED, _DECOMPOSED)}},
    ),
    "removing a profile": (
        put_profiles,
        lambda s, _: delete_profile(s.db, "shop", "song_video", _COMPOSED),
        {"profiles": {("shop", "song_video", _DECOMPOSED)}},
    ),
    "pausing": (put_providers(v1=None, v2=None, v3=AGO), pause, {"providers": {"v1"}}),
    "pausing for longer": (put_providers(v1=AGO, v2=AGO), pause, {"providers": {"v1"}}),
    "pausing for less": (put_providers(v1=LATER), pause, {}),
    "resuming": (
        put_providers(v1=LATER, v2=LATER),
        lambda s, _: resume_provider(s.db, "v1"),
        {"providers": {"v1"}},
    ),
    "resuming what may be called": (
        put_providers(v1=AGO),
        lambda s, _: resume_provider(s.db, "v1"),
        {},
    ),
    "letting read": (
        put_readers,
        copy_readers,
        lambda ids: {"shared_access": {(ids[0], "friend"), (ids[0], "guest")}},
    ),
    "letting nobody read": (lambda s: [s.order("r").id, s.order("a").id], copy_readers, {}),
    "letting read who read before": (
        put_former_reader,
        lambda s, mine: carry_over_shared_access(
            s.db, "song_video", replace(check(1), task_id="before"), mine
        ),
        lambda mine: {"shared_access": {(mine, "shop")}},
    ),
    "noting an order again": (
        put_source_checks,
        lambda s, _: schedule_check(s.db, "analysis", "repo", "main", payload={}, found="g"),
        lambda ids: {"source_checks": {ids["mine"]}},
    ),
    "using a source": (
        put_source_just_used,
        lambda s, _: save_source_use(s.db, "analysis", "repo"),
        lambda ids: {"source_checks": {ids["mine"], ids["next"]}},
    ),
    "claiming what is due": (
        put_another_source_due,
        lambda s, _: claim_due_check(s.db, "analysis"),
        lambda ids: {"source_checks": {ids["mine"]}},
    ),
    "claiming where nothing is due": (
        put_no_source_due,
        lambda s, _: claim_due_check(s.db, "analysis"),
        {},
    ),
    "saving a check": (
        put_source_checks,
        lambda s, ids: save_check(s.db, check(ids["mine"]), CheckOutcome("g", "mark", 0)),
        lambda ids: {"source_checks": {ids["mine"]}},
    ),
    "forgetting": (
        put_source_checks,
        lambda s, ids: delete_check(s.db, check(ids["mine"])),
        lambda ids: {"source_checks": {ids["mine"]}},
    ),
    "reporting again": (
        put_reports,
        lambda s, rows: save_report(s.db, rows["mine"][0], [StageFigures("song_video", "song")]),
        lambda rows: {"reports": {rows["mine"], (rows["mine"][0], "song_video", "song")}},
    ),
    "purging reports": (
        put_reports,
        lambda s, rows: purge_reports(s.db, rows["mine"][0]),
        lambda rows: {"reports": {rows["before"]}},
    ),
    "pruning files": (
        put_films,
        lambda s, key: prune_files(s.db, [key], lambda request: True),
        lambda key: {"artifacts": {"a/video.mp4"}, "pruned": {key}},
    ),
    "noting pruned logs": (
        put_films,
        lambda s, key: save_log_pruned(s.db, [key]),
        lambda key: {"pruned": {key}},
    ),
    "mirroring": (
        put_two_events,
        lambda s, first: mark_events_mirrored(s.db, [first.id]),
        lambda first: {"events": {(first.request_id, first.seq)}},
    ),
    "publishing costs": (
        put_costs,
        lambda s, _: publish_spool_costs(s.db, "mine", {"a2": 7}),
        {"spool_costs": {("a1", "mine"), ("c", "old")}},
    ),
    "saving what was not wanted": (
        put_costs,
        lambda s, _: save_unwanted_purchases(s.db, "r", "a1", [], "nobody has it"),
        {"spool_costs": {("a1", "mine")}},
    ),
    "registering": (
        put_workers,
        lambda s, _: register_worker(s.db, "w", "new", slots=1, poison_deaths=POISON),
        lambda changed: {"workers": {"w"}, **changed},
    ),
    "registering again": (
        put_workers,
        lambda s, _: register_worker(s.db, "w", "n1", slots=1, poison_deaths=POISON),
        {"workers": {"w"}},
    ),
    "recovering": (
        put_worker_of_ended,
        lambda s, _: recover_worker(s.db, "w", poison_deaths=POISON),
        lambda changed: {"workers": {"w"}, **changed},
    ),
    "unregistering": (
        put_worker_without_work,
        lambda s, _: unregister_worker(s.db, "w", "n1"),
        {"workers": {"w"}},
    ),
    "unregistering who holds a request": (
        put_workers,
        lambda s, _: unregister_worker(s.db, "w", "n1"),
        {},
    ),
    "unregistering a former process": (
        put_worker_without_work,
        lambda s, _: unregister_worker(s.db, "w", "former"),
        {},
    ),
    "withdrawing": (
        put_workers,
        lambda s, _: withdraw_worker_slots(s.db, "w", "n1"),
        {"workers": {"w"}},
    ),
    "withdrawing as a former process": (
        put_workers,
        lambda s, _: withdraw_worker_slots(s.db, "w", "former"),
        {},
    ),
    "beating": (
        put_workers,
        lambda s, _: save_heartbeat(s.db, "w", "n1", slots=4),
        {"workers": {"w"}},
    ),
    "beating as a former process": (
        put_workers,
        lambda s, _: save_heartbeat(s.db, "w", "former", slots=4),
        {},
    ),
    "pruning workers": (
        put_silent_worker,
        lambda s, _: prune_lost_workers(s.db, 3600),
        {"workers": {"silent"}},
    ),
    "renewing": (
        put_leases,
        lambda s, keys: renew_leases(s.db, "w:n1", keys, lease_seconds=9_999),
        {"requests": {"w"}},
    ),
    "claiming a webhook": (
        put_deliveries,
        lambda s, _: claim_delivery(s.db, 60),
        lambda ids: {"webhook_deliveries": {ids["a"]}},
    ),
    "claiming no webhook of a busy host": (
        put_deliveries,
        lambda s, _: claim_delivery(s.db, 60, ["x.example"]),
        lambda ids: {"webhook_deliveries": {ids["c"]}},
    ),
    "claiming a webhook after many transitions": (
        put_later_end_due_first,
        lambda s, _: claim_delivery(s.db, 60),
        lambda mine: {"webhook_deliveries": {mine}},
    ),
    "claiming the webhook of an earlier end": (
        put_three_ends,
        lambda s, _: claim_delivery(s.db, 60),
        lambda second: {"webhook_deliveries": {second}},
    ),
    "saving a try": (
        put_two_claimed,
        lambda s, mine: save_delivery_try(s.db, mine, DeliveryStatus.DELIVERED),
        lambda mine: {"webhook_deliveries": {mine.id}},
    ),
    "saving a try that is over": (
        put_try_that_is_over,
        lambda s, mine: save_delivery_try(s.db, mine, DeliveryStatus.DEAD),
        {},
    ),
    "saving a try of a lease that is lost": (
        put_lost_lease_of_a_webhook,
        lambda s, mine: save_delivery_try(s.db, mine, DeliveryStatus.DEAD),
        {},
    ),
    "disabling an address": (
        put_claimed(1),
        lambda s, of: save_delivery_try(s.db, of[1], DeliveryStatus.DISABLED),
        lambda of: {"webhook_deliveries": {of[0]["a"], of[0]["b"]}},
    ),
    "disabling an address of no owner": (
        put_claimed(5),
        lambda s, of: save_delivery_try(s.db, of[1], DeliveryStatus.DISABLED),
        lambda of: {"webhook_deliveries": {of[0]["e"]}},
    ),
    "replaying": (
        put_deliveries,
        lambda s, ids: replay_webhooks(s.db, ids["delivered"]),
        lambda ids: {"webhook_deliveries": {ids["delivered"]}},
    ),
    "replaying what was not delivered": (
        put_undelivered,
        lambda s, _: replay_webhooks(s.db),
        lambda ids: {"webhook_deliveries": {ids["a"], ids["b"], ids["d"]}},
    ),
    "naming an orphan": (put_orphans, name_orphans, lambda key: {"orphans": {key}}),
    "naming an orphan that has a name": (
        lambda s: put(s, orphans, token="mine", external_id="x0"),
        name_orphans,
        {},
    ),
    "leaving what another attempt has": (
        put_dispatched,
        lambda s, _: release_unclaimed_request(s.db, "mine", 7, canceled=True),
        {},
    ),
    "leaving what is at work": (
        lambda s: s.working("a"),
        lambda s, _: release_unclaimed_request(s.db, "a", 1, canceled=True),
        {},
    ),
    "leaving what no run claims": (
        put_dispatched,
        lambda s, _: release_unclaimed_request(s.db, "mine", 1, canceled=True),
        expect_event,
    ),
    "redelivering what was redelivered": (
        put_redelivered,
        lambda s, read: save_redelivery(s.db, read),
        {},
    ),
    "completing a stage": (
        put_submissions,
        lambda s, of: s.complete(of[0], of[1], token="second"),
        lambda of: of[2],
    ),
    "reporting progress of a lost lease": (put_lost_lease, report, {}),
    "reporting progress of a stage that is done": (put_stage_that_is_done, report, {}),
    "ending no hold": (put_no_expired_hold, lambda s, _: end_expired_holds(s.db), {}),
    "ending a hold": (
        put_expired_hold,
        lambda s, _: end_expired_holds(s.db),
        lambda changed: changed,
    ),
    "discarding the exhausted": (put_none_exhausted, lambda s, _: s.discard_exhausted(), {}),
    "dead-lettering": (
        put_event_by_hand,
        dead_letter,
        lambda key: {"requests": {"mine"}, "events": {(key, 3)}},
    ),
    "dead-lettering what has ended": (put_completed, dead_letter, {}),
    "rescuing": (put_lease_without_end, lambda s, _: s.rescue(), lambda changed: changed),
    "taking a permit": (
        put_vendors,
        lambda s, lease: acquire_permit(s.db, lease, "v1", Rate(2, 60)),
        {"providers": {"v1"}},
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_transition_changes_its_own_rows_alone(steps, case):
    put_rows, act, own = case
    rows = put_rows(steps)
    expected = own(rows) if callable(own) else own
    assert changes_of(steps, lambda: act(steps, rows)) == expected


@pytest.mark.parametrize(
    "remove",
    [
        lambda steps, key: purge_requests(steps.db, [key], lambda request: True),
        lambda steps, key: delete_request(steps.db, "a", "Mina"),
    ],
)
def test_removal_of_a_request_leaves_every_other(steps, remove):
    key = put_films(steps)
    changed = changes_of(steps, lambda: remove(steps, key))
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
        lambda s: delete_profile(s.db, "shop", "song_video", "winter"),
        UnknownProfileError,
    ),
    "replay of no webhook": (lambda s: replay_webhooks(s.db, 99_999_999), UnknownDeliveryError),
}


@pytest.mark.parametrize(("act", "error"), REFUSED.values(), ids=REFUSED.keys())
def test_transition_of_what_is_not_there_is_refused_and_changes_nothing(steps, act, error):
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
def test_numbers_of_a_webhook_rise_no_higher_than_the_largest_one(steps, before, fence):
    ids = put_deliveries(steps)
    steps.sql("UPDATE webhook_deliveries SET fence = :n, attempt = :n", n=before)
    save_delivery_try(steps.db, claimed(steps), DeliveryStatus.DELIVERED)
    [tried] = [each for each in list_deliveries(steps.db, limit=10) if each.id == ids["a"]]
    assert (tried.fence, tried.attempt) == (fence, MOST)


def test_secret_of_a_key_is_replaced_by_a_rotation_alone(steps):
    put_keys(steps)
    for secret, rotate in (("first", False), ("second", True)):
        set_webhook_secret(steps.db, key_of("k1"), secret, rotate=rotate)
    with steps.db.reading() as tx:
        found = tx.execute(select(api_keys.c.webhook_secret).where(api_keys.c.id == "k1")).scalar()
    assert found == "second"


def test_session_begins_again_where_the_reply_was_lost(steps):
    put_keys(steps)
    put(steps, login_links, token_hash=_MINE.hash, key_id="k1")
    session = Token("s" * 43)
    assert [use_login_link(steps.db, _MINE, session) for _ in range(2)] == ["k1", "k1"]


def test_limit_counts_the_links_of_one_request_alone(steps):
    put_shared(steps)
    for name, most in (("a", 98), ("b", 99)):
        for number in range(most):
            of = {"id": f"{name}{number}", "token_hash": f"{name}{number}"}
            put(steps, share_links, request_id=id_of(steps, name), **of)
    share_request(steps.db, "a", _MINE, days=1, created_by="Mina")
    with pytest.raises(IllegalTransitionError, match="share links"):
        share_request(steps.db, "b", Token("b" * 43), days=1, created_by="Mina")


def test_limit_counts_the_profiles_of_one_owner_and_pipeline_alone(steps):
    for owner, pipeline, most in (
        ("shop", "song_video", MOST_PROFILES - 1),
        ("other", "song_video", MOST_PROFILES),
        ("shop", "image", MOST_PROFILES),
    ):
        for number in range(most):
            put(steps, profiles, owner=owner, pipeline=pipeline, name=f"{number}")
    save_profile(steps.db, "shop", "song_video", "the last", {})
    save_profile(steps.db, "shop", "song_video", "0", {})
    with pytest.raises(IllegalTransitionError, match="profiles already"):
        save_profile(steps.db, "shop", "song_video", "one more", {})


def test_only_settled_dead_letters_of_a_passing_cause_are_tried_once_more(steps):
    for name in ("mine", "canceled", "tried", "other-cause"):
        steps.dead(name)
    steps.lost_for_good("in-doubt")
    steps.sql("UPDATE requests SET error_code = 'vendor_down'")
    steps.edit("error_code = 'invalid_payload'", "other-cause")
    redrive_request(steps.db, "tried")
    steps.edit("status = 'dead', error_code = 'vendor_down'", "tried")
    steps.edit("status = 'canceled'", "canceled")
    steps.edit("error_code = 'vendor_down'", "canceled")
    assert list_redrivable_requests(steps.db, 10) == ["mine"]
    assert [redrive_request(steps.db, name) for name in ("tried", "canceled", "gone", "mine")] == [
        *(False, False, False),
        True,
    ]


def test_request_that_is_not_dead_is_not_tried_once_more_and_stays_as_it_is(steps):
    steps.order("waiting")
    steps.edit("error_code = 'vendor_down'", "waiting")
    before = steps.row("waiting")
    assert not redrive_request(steps.db, "waiting")
    assert steps.row("waiting") == before


@pytest.mark.parametrize(("status", "is_kept"), [("pending", True), ("completed", False)])
def test_order_that_is_made_again_keeps_its_request_while_it_is_open(steps, status, is_kept):
    steps.order("another")
    steps.order("made")
    steps.edit(f"status = '{status}'", "made")
    put(steps, source_checks, part="main", task_id="made")
    schedule_check(steps.db, "analysis", "repo", "main", payload={}, found="g")
    with steps.db.reading() as tx:
        assert tx.execute(select(source_checks.c.task_id)).scalars().all() == [
            "made" if is_kept else None
        ]


def test_what_is_due_knows_whether_its_own_request_has_died(steps):
    steps.completed("another")
    steps.dead("made")
    put(steps, source_checks, part="main", task_id="made")
    found = claim_due_check(steps.db, "analysis")
    assert found is not None
    assert (found.task_id, found.is_dead) == ("made", True)
    assert claim_due_check(steps.db, "analysis") is None


def test_only_what_was_dispatched_and_is_still_unclaimed_is_looked_after(steps):
    for name in ("a", "b", "sent", "claimed"):
        steps.order(name)
    steps.dispatch()
    steps.take("claimed")
    steps.failed("failed")
    steps.order("waits")
    steps.edit("dispatched_at = NULL", "b")
    steps.edit("dispatched_at = '2999-01-01 00:00:00'", "sent")
    assert [each.task_id for each in list_unclaimed_requests(steps.db, 0)] == ["a", "b"]
