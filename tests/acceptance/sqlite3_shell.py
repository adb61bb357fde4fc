"""What README's lines need of the `sqlite3` shell, for machines without it: [-cmd '.timeout N'] FILE [SQL]."""

import argparse
import sqlite3
import sys
from contextlib import closing


def main() -> None:
    """The statements, of the command line or of standard input, are executed; a fault ends it with exit code 1."""
    parser = argparse.ArgumentParser(prog="sqlite3")
    parser.add_argument("-cmd", default=".timeout 0")
    parser.add_argument("file")
    parser.add_argument("sql", nargs="?")
    asked = parser.parse_args()
    name, milliseconds = asked.cmd.split()
    if name != ".timeout":
        parser.error(f"unknown command: {name}")
    with closing(sqlite3.connect(asked.file, timeout=int(milliseconds) / 1000)) as database:
        try:
            database.executescript(sys.stdin.read() if asked.sql is None else asked.sql)
        except sqlite3.Error as error:
            sys.exit(f"Error: {error}")


if __name__ == "__main__":
    main()
