"""The processes a test has started, as they are seen while some of them end."""

from collections.abc import Callable

import psutil


def find_children(matches: Callable[[list[str]], bool]) -> list[psutil.Process]:
    """List this process' descendants whose command line matches, without those that have ended.

    A process may end between any two looks at it, so each error of a look means that it is gone.
    """
    found = []
    for child in psutil.Process().children(recursive=True):
        try:
            if child.status() != psutil.STATUS_ZOMBIE and matches(child.cmdline()):
                found.append(child)
        except psutil.Error:
            continue
    return found
