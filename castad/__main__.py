"""`python -m castad` is the command line."""

from castad.cli import main

main()
