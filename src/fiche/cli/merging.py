"""`fiche import RANK... --merge OUT`: the records of all ranks of one run as one record beside them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from fiche.cli.evidence import each_read, read_evidence
from fiche.cli.output import write_new_file
from fiche.cli.record_files import expanded, form_of
from fiche.cli.terminal import put_json, put_text
from fiche.cli.usage import together
from fiche.importers._record_merge import RankRecord, merged
from fiche.kernel.diagnostic import Refused


def merge(files: Sequence[Path], target: Path, *, as_json: bool, alone: Sequence[str]) -> None:
    """Write one record of all ranks, and say what it holds; the originals stay as they are.

    Raises:
        Refused: F702 options that go with one file's content only; F430 to F439 a record is wrong; F550 to
            F556 they are not all ranks of one run; F610 something has that name, F611 it cannot be written.
    """
    if alone:
        message = f"{', '.join(alone)}: --merge puts records together and does nothing else"
        raise Refused([together(message, f"then: fiche import {target}")])
    ranks, wrong = each_read(tuple(expanded(files)), _rank)
    if wrong:
        raise Refused([each.shown for each in wrong])
    content = (json.dumps(merged(ranks), indent=1, ensure_ascii=False) + "\n").encode()
    write_new_file(target, content)
    (piece,), _ = read_evidence([target], None)
    if as_json:
        sha256 = hashlib.sha256(content).hexdigest()
        put_json({"pieces": [piece.json()], "merged": {"file": str(target), "sha256": sha256}})
    else:
        from fiche.cli.evidence_text import pieces_text

        told = ", ".join(f"rank {one.rank} {one.name}" for one in sorted(ranks, key=_number))
        put_text(f"written: {target}, of {told}\n\n{pieces_text([piece])}")


def _number(one: RankRecord) -> int:
    return one.rank


def _rank(file: Path) -> RankRecord:
    found = form_of(file)
    open_phases = [phase for phase, _ in found.unfinished]
    return RankRecord(
        document=found.document, unfinished=open_phases, sha256=found.sha256, name=str(file)
    )
