"""`python -m castad` is the command line."""

from castad.cli.app import main

main()
