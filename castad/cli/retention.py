"""`castad retention`: what is old is removed, or counted."""

from castad.stack.output import print_json, print_line
from resources.process.settings import settings
from sensors.retention import retain, retained


def run_retention(*, dry_run: bool, gently: bool = False, as_json: bool) -> None:
    """What is old was removed, or only counted; the counts were printed."""
    from castad.stack.local_daemon import open_instance

    with open_instance(settings()) as instance:
        counts = retained(retain(instance, is_dry=dry_run, is_gentle=gently))
    if as_json:
        print_json({"dry_run": dry_run, **counts})
        return
    are = "would be" if dry_run else "are"
    print_line(f"dead letters {are} tried once more: {counts['redriven']:,}")
    done = "would be removed" if dry_run else "removed"
    for name, count in counts.items():
        if name not in ("unfinished", "redriven"):
            print_line(f"{name.replace('_', ' ')} {done}: {count:,}")
