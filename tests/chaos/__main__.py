"""`make chaos`: orders through the fake vendors while everything is killed, then a check that only reads."""

import argparse
import json
import shutil
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console

from castad.stack.processes import StopFlag, StopRequested, catch_stop_signals
from tests.chaos.check import Verdict, judge, show
from tests.chaos.drive import Chaos, Wanted
from tests.chaos.progress import Progress
from tests.chaos.selftest import run_selftest
from tests.chaos.stand import PAIRS, open_stand

_WIDTH = 110


def main() -> int:
    asked = _arguments()
    console = Console(width=None if sys.stdout.isatty() else _WIDTH)
    with catch_stop_signals() as stop:
        try:
            if asked.selftest:
                return run_selftest(console, stop)
            return _chaos(asked, console, stop)
        except StopRequested:
            console.print("stopped; nothing is left running")
            return 130


def _chaos(asked: argparse.Namespace, console: Console, stop: StopFlag) -> int:
    wanted = Wanted(asked.seed, asked.orders, asked.pace, asked.limit)
    verdicts = []
    for pair in PAIRS if asked.pair == "all" else (asked.pair,):
        console.rule(f"{pair}, seed {wanted.seed}")
        verdicts.append(_one(pair, wanted, console, stop, keep=asked.keep))
        if asked.json:
            told = [verdict.as_json() for verdict in verdicts]
            asked.json.write_text(json.dumps(told, ensure_ascii=False, indent=2) + "\n")
    return 0 if all(verdict.is_clean for verdict in verdicts) else 1


def _one(pair: str, wanted: Wanted, console: Console, stop: StopFlag, *, keep: bool) -> Verdict:
    folder = Path(tempfile.mkdtemp(prefix="castad-chaos-"))
    began = time.monotonic()
    verdict = None
    try:
        progress = Progress(console, wanted.orders)
        with open_stand(pair, folder) as stand, progress.shown():
            history, met = Chaos(stand, wanted, progress, stop).run()
        (folder / "history.json").write_text(history.as_json())
        verdict = judge(pair, wanted.seed, time.monotonic() - began, history, met)
        show(console, verdict)
        return verdict
    finally:
        if keep or (verdict is not None and not verdict.is_clean):
            console.print(f"logs, state and history.json: {folder}", highlight=False)
        else:
            shutil.rmtree(folder, ignore_errors=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--pair", choices=(*PAIRS, "all"), default="all")
    parser.add_argument("--orders", type=int, default=500)
    parser.add_argument("--seed", type=int, default=int(time.time()) % 100_000)
    parser.add_argument("--pace", type=float, default=1.0, help="seconds between two orders")
    parser.add_argument("--limit", type=float, default=1500.0, help="seconds a pair may take")
    parser.add_argument("--json", type=Path, help="write the verdicts to this file")
    parser.add_argument("--keep", action="store_true", help="keep logs and state")
    parser.add_argument("--selftest", action="store_true", help="plant bugs and see them reported")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
