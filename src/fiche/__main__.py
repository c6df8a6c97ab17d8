"""`python -m fiche` is the same as the `fiche` command."""

from fiche.cli.process import main

main()
