"""The fake vendors by hand: start all three, say what to export, run until Ctrl-C or SIGTERM."""

import argparse
import signal
import sys
from contextlib import ExitStack
from pathlib import Path
from tempfile import gettempdir
from threading import Event

from tests.fakes.creatomate import FakeCreatomate
from tests.fakes.openai import FakeOpenAI
from tests.fakes.server import PLENTY, FakeVendor
from tests.fakes.suno import FakeSuno

DEMO_SONG_SECONDS = 20.0


def main() -> None:
    wanted = _arguments()
    stop = Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    with ExitStack() as running:
        openai, suno, creatomate = (
            running.enter_context(vendor(wanted.folder, port=wanted.port and wanted.port + index))
            for index, vendor in enumerate((FakeOpenAI, FakeSuno, FakeCreatomate))
        )
        for fake in (openai, suno, creatomate):
            fake.set(credits=PLENTY, rate=fake.usual_rate)
        suno.set(delay=wanted.delay_song, song_seconds=DEMO_SONG_SECONDS, calls_back=True)
        creatomate.set(delay=wanted.delay_video, calls_back=True)
        _say(*_exports(openai, suno, creatomate), *_how_to(suno, wanted.folder))
        stop.wait()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fakes", description=__doc__)
    ledgers = Path(gettempdir()) / "castad-fake-vendors"
    parser.add_argument("--folder", type=Path, default=ledgers, help="where the ledgers lie")
    parser.add_argument("--port", type=int, default=0, help="the first of three ports; 0: any")
    parser.add_argument("--delay-song", type=float, default=5.0, help="seconds a song takes")
    parser.add_argument("--delay-video", type=float, default=5.0, help="seconds a video takes")
    return parser.parse_args()


def _exports(*fakes: FakeVendor) -> list[str]:
    vendors = [
        f"export {fake.name.upper()}_{what}={value}"
        for fake in fakes
        for what, value in (("API_KEY", fake.key), ("BASE_URL", fake.url))
    ]
    # They are faster than those they stand for, and need not be left alone for half a minute.
    return [*vendors, "export CASTAD_POLL_LONGEST=2"]


def _how_to(suno: FakeVendor, folder: Path) -> list[str]:
    control = f"{suno.origin}/_fake"
    fault = '[{"kind": "lose_reply", "route": "submit"}]'
    return [
        "",
        "# Let the next request of a route go wrong (kinds: tests/fakes/faults.py and each vendor's file):",
        f"#   curl -d '{fault}' {control}/script",
        f"#   curl -d '{{\"credits\": 0}}' {control}/set",
        "# Suno and Creatomate call back where CASTAD_PUBLIC_URL leads to this machine: http://127.0.0.1:8000",
        "# What was charged, what was asked, and what is still to go wrong:",
        f"#   curl {control}/charges {control}/calls {control}/script",
        f"# The ledgers lie in {folder}. Ctrl-C ends the fakes.",
    ]


def _say(*lines: str) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


if __name__ == "__main__":
    try:
        main()
    except OSError as error:
        sys.exit(f"the fake vendors cannot start: {error}")
