"""The API as a process."""

import json

from castad.api.app import create_app, described_app
from castad.api.server.serve import Limits, address_of, guarded_config, serve
from castad.stack.first_key import ensure_admin_key
from castad.stack.ports import refuse_taken
from resources.ledger.db.database import open_database
from resources.process.log_lines import log_lines
from resources.process.settings import Settings

_STOP_SECONDS = 5


def run_api(settings: Settings, host: str, port: int) -> int:
    """Calls were answered until this process was told to stop; returns the exit code. Raises PortTakenError."""
    refuse_taken(host, port)
    log_lines()
    key_file = ensure_admin_key(open_database(settings.ledger_url), settings.home)
    told = f"an admin's key is in {key_file}" if key_file else "`castad key list` names its keys"
    limits = Limits(settings.connections_per_address)
    config = guarded_config(create_app(settings), host, port, limits, stop_seconds=_STOP_SECONDS)
    return serve(config, f"the API answers on {address_of(host, port)}; {told}")


def openapi_text() -> str:
    """The OpenAPI description, for programs that write clients."""
    return json.dumps(described_app().openapi(), ensure_ascii=False, indent=2)
