"""The work of `castad login-link` and `castad share`: links to the page."""

from castad.cli.person import acting_person
from castad.stack.login_link import first_admin_key, new_login_link, running_address
from castad.stack.output import print_json, print_line, print_status
from resources.contract.errors import InvalidInputError
from resources.ledger.db.database import Database, open_database
from resources.ledger.ledger_errors import UnknownKeyError
from resources.ledger.queries.access import ShareLink, get_active_key, list_share_links
from resources.ledger.queries.status import get_request
from resources.ledger.request import Token
from resources.ledger.transitions.access import revoke_share_link, share_request
from resources.process.configure_logging import format_utc
from resources.process.settings import settings
from resources.views.json_types import readable

_LOCAL = "http://127.0.0.1:8000"


def print_login_link(key_name: str | None, url: str | None, *, as_json: bool) -> None:
    """A one-time link was printed. Raises UnknownKeyError, SeveralKeysError."""
    db = _ledger()
    key = first_admin_key(db) if key_name is None else get_active_key(db, key_name)
    if key is None:
        raise UnknownKeyError("admin")
    link = new_login_link(db, key, url or _base_url())
    if as_json:
        print_json({"url": link, "key": key.name})
        return
    print_line(link)
    print_status(f"it logs in as {key.name}, once, within 15 minutes: give it to nobody else")


def run_share(task_id: str, *, days: int, revoke: str | None, is_list: bool, as_json: bool) -> None:
    """A new link was printed, or the order's links, or one is revoked.

    Raises InvalidInputError, UnknownRequestError, IllegalTransitionError, UnknownShareLinkError.
    """
    db = _ledger()
    if revoke is not None and is_list:
        raise InvalidInputError("castad share", "expected one of --list and --revoke")
    if is_list:
        _show(list_share_links(db, get_request(db, task_id).id), as_json=as_json)
    elif revoke is not None:
        _say_revoked(revoke_share_link(db, get_request(db, task_id).id, revoke), as_json=as_json)
    else:
        _share(db, task_id, days, as_json=as_json)


def _share(db: Database, task_id: str, days: int, *, as_json: bool) -> None:
    token = Token.new()
    link = share_request(db, task_id, token, days=days, created_by=acting_person())
    url = f"{_base_url()}/s/{token.text}"
    if as_json:
        print_json({"id": link.id, "url": url, "expires_at": format_utc(link.expires_at)})
        return
    print_line(url)
    print_status(
        f"whoever has it sees the result until {format_utc(link.expires_at)}; "
        f"`castad share {task_id} --revoke {link.id}` ends that"
    )


def _say_revoked(link: ShareLink, *, as_json: bool) -> None:
    if as_json:
        print_json(_as_json(link))
    else:
        print_line(f"{link.id} is revoked")


def _show(links: list[ShareLink], *, as_json: bool) -> None:
    if as_json:
        print_json({"links": [_as_json(link) for link in links]})
    elif not links:
        print_status("no share links; `castad share TASK_ID` makes one")
    for link in () if as_json else links:
        state = "revoked" if link.revoked_at else f"until {format_utc(link.expires_at)}"
        print_line(f"{link.id}  {state}  by {readable(link.created_by)}")


def _as_json(link: ShareLink) -> dict[str, str | None]:
    return {
        "id": link.id,
        "created_by": readable(link.created_by),
        "created_at": format_utc(link.created_at),
        "expires_at": format_utc(link.expires_at),
        "revoked_at": link.revoked_at and format_utc(link.revoked_at),
    }


def _ledger() -> Database:
    return open_database(settings().ledger_url)


def _base_url() -> str:
    """Where people reach the API, as far as it is known."""
    known = settings().public_url or running_address(settings().home) or _LOCAL
    return str(known).rstrip("/")
