"""The process of the API and the pages."""

import sys

from castad.api.known_keys import knows_keys
from castad.api.server.serve import Limits, address_of, guarded_config, serve
from castad.stack.admin_key import ensure_admin_key
from castad.stack.processes import ensure_port_free
from castad.web.app import create_site
from pipeline_defs.catalog import get_catalog
from resources.contract.errors import StateUnavailableError
from resources.ledger.db.database import open_database
from resources.process.configure_logging import configure_logging
from resources.process.settings import Settings

WITH_ROOM = ("/healthz", "/readyz", "/metrics", "/login", "/session")
"""The paths of probes and of the log-in: they are answered at an address that has used up its share."""
_STOP_SECONDS = 5
_SWITCH_SECONDS = 0.001
"""By Python's own 5 ms the loop waits for a thread that answers an order, at each of its steps."""


def run_api(settings: Settings, host: str, port: int) -> int:
    """Serve API and pages until a signal stops this process; return the exit code.

    Without a ledger scans are answered, if this machine knows the keys; all else is once the ledger answers.
    Raises PortTakenError and StateUnavailableError.
    """
    ensure_port_free(host, port)
    configure_logging()
    key_hint = _key_hint(settings)
    get_catalog().resolve_stage_settings(settings)
    sys.setswitchinterval(_SWITCH_SECONDS)
    limits = Limits(
        settings.connections_per_address,
        trusted_proxies=settings.trusted_proxies,
        with_room=WITH_ROOM,
    )
    site = create_site(settings)
    config = guarded_config(site, host, port, limits, stop_seconds=_STOP_SECONDS)
    line = f"the API answers on {address_of(host, port)}; {key_hint}"
    return serve(config, line, site.state.api.direct.begin_stop)


def _key_hint(settings: Settings) -> str:
    try:
        key_file = ensure_admin_key(open_database(settings.ledger_url), settings.home)
    except StateUnavailableError as error:
        if not knows_keys(settings):
            raise
        return f"{error.message}; until then only scans are answered"
    return f"an admin's key is in {key_file}" if key_file else "`castad key list` lists its keys"
