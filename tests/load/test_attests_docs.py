"""docs/attests.md shows every fact that a document may attest, each as a fiche takes it (D3)."""

import json
import re
from pathlib import Path

import pytest
import yaml

from fiche import assets
from fiche.cli.compile import importers
from fiche.load.fiche import load_fiche

PAGE = Path(__file__).resolve().parents[2] / "docs" / "attests.md"
TEXT = PAGE.read_text(encoding="utf-8")
(BLOCK,) = re.findall(r"```yaml\n(attests:\n.*?)```", TEXT, re.DOTALL)
SHOWN = [line.partition("  # ")[0].strip() for line in BLOCK.splitlines() if "{fact:" in line]


def test_every_fact_of_the_schema_is_shown():
    known = json.loads(assets.schema_text("fiche.schema.json"))["$defs"]["attest"]["properties"]
    told = {yaml.safe_load(line)[0]["fact"] for line in SHOWN}
    assert told == set(known["fact"]["enum"])


@pytest.mark.parametrize("line", SHOWN)
def test_each_is_taken_with_its_words(line, tmp_path):
    """The words are looked up in the file, and the value is read: no line of the page is refused."""
    (typed,) = yaml.load(line, yaml.BaseLoader)
    (tmp_path / "paper.txt").write_text(typed["quote"] + "\n", encoding="utf-8")
    path = tmp_path / "fiche.yaml"
    path.write_text(
        "fiche: 1\ntitle: t\ndate: 2026-11-29\nauthor: A. Martin\nworkload: {}\npieces:\n"
        f"  - id: paper\n    file: paper.txt\n    kind: document\n    attests:\n      {line}\n"
        "candidates:\n  - {id: a, gpu: nvidia-l4-24g, cards: 1}\n",
        encoding="utf-8",
    )
    (piece,) = load_fiche(path, importers()).fiche.pieces
    (found,) = piece.attested
    assert found.fact == typed["fact"]
    assert found.pointer is not None
