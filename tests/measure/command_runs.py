"""`fiche run` as its users start it: a process of its own, and a stand-in for PyTorch in the command's."""

import json
import os
import sys
from pathlib import Path

import jsonschema_rs

from fiche.assets import schema_text

STAND_IN = Path(__file__).parent / "stand_in"
SCHEMA = jsonschema_rs.Draft202012Validator(json.loads(schema_text("run.schema.json")))
FICHE = (sys.executable, "-m", "fiche")


class Done:
    """How it ended, and what lies in the folder."""

    def __init__(self, process, folder):
        self.code = process.returncode
        self.out, self.err = process.stdout, process.stderr
        self.folder = folder

    @property
    def index(self):
        found = json.loads((self.folder / "run.json").read_text(encoding="utf-8"))
        SCHEMA.validate(found)
        return found

    @property
    def records(self):
        """Each program's record, by process."""
        return [
            json.loads((self.folder / entry["file"]).read_text(encoding="utf-8"))
            for entry in self.index["records"]
        ]

    @property
    def phase(self):
        ((phase,),) = [record["phases"] for record in self.records]
        return phase


def environment(**more):
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("FICHE_")}
    return {**inherited, "PYTHONPATH": str(STAND_IN), "COLUMNS": "120", **more}
