"""Runs the command line in this process, as a shell would: arguments in, code and two texts out."""

import json
import sys
from dataclasses import dataclass

import pytest
from measure.children import scripted

from fiche.cli import main

__all__ = ["scripted"]


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    def json(self):
        """The one JSON object on standard output."""
        return json.loads(self.out)


@pytest.fixture
def fiche(monkeypatch, capsys):
    """`fiche("estimate", "--bits", 16)` runs it and returns how it ended."""
    monkeypatch.setenv("COLUMNS", "120")

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["fiche", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main.run()
        told = capsys.readouterr()
        return Ended(ended.value.code, told.out, told.err)

    return run
