"""The process of the API and the pages."""

import sys

from castad.api.server.serve import Limits, address_of, guarded_config, serve
from castad.stack.admin_key import ensure_admin_key
from castad.stack.ports import ensure_port_free
from castad.web.app import create_site
from pipeline_defs.catalog import catalog
from resources.ledger.db.database import open_database
from resources.process.configure_logging import configure_logging
from resources.process.settings import Settings

WITH_ROOM = ("/healthz", "/metrics", "/login", "/session")
"""The paths of probes and of the log-in: they are answered at an address that has used up its share."""
_STOP_SECONDS = 5
_SWITCH_SECONDS = 0.001
"""By Python's own 5 ms the loop waits for a thread that answers an order, at each of its steps."""


def run_api(settings: Settings, host: str, port: int) -> int:
    """API and pages were served until a signal stopped this process; returns the exit code.

    Raises PortTakenError.
    """
    ensure_port_free(host, port)
    configure_logging()
    key_file = ensure_admin_key(open_database(settings.ledger_url), settings.home)
    key_hint = (
        f"an admin's key is in {key_file}" if key_file else "`castad key list` lists its keys"
    )
    catalog().resolve(settings)
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
