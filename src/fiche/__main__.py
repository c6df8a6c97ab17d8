"""`python -m fiche` is the same as the `fiche` command."""

from fiche.cli.main import run

run()
