"""Which program writes a record; a test holds the version to the package's own."""

from __future__ import annotations

NAME = "fiche"
VERSION = "0.1.0"
FORMAT = "fiche-measurement/1"
