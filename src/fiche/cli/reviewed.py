"""`--review`: comments of people beside a decision, which they do not change."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from pathlib import Path

from fiche.cli.compile import Compiled
from fiche.kernel.comment import Review
from fiche.kernel.decision import Decision
from fiche.kernel.record import replace
from fiche.load.review import Read, load_review
from fiche.render._identity import fiche_id
from fiche.render.json import decision_bytes
from fiche.report.nameable import nameable

_FOLDER = "review"


def reviewed(compiled: Compiled, fiche: Path, path: Path) -> Compiled:
    """A decision with the comments of a file, which becomes one of its inputs.

    Raises:
        Refused: F660 to F665, and whatever is wrong with the file.
    """
    name = _name(fiche, path, compiled.contents)
    return commented(compiled, load_review(path, name, nameable(compiled.decision)), name)


def commented(compiled: Compiled, read: Read, name: str) -> Compiled:
    """A decision with comments that were read, under the name that `inputs` gives their file."""
    decision = compiled.decision
    review = replace(read.review, is_apart=_is_apart(read.review, decision))
    inputs = (*decision.fiche.inputs, read.input)
    return Compiled(
        decision=replace(decision, fiche=replace(decision.fiche, inputs=inputs), review=review),
        contents={**compiled.contents, name: read.content},
    )


def _name(fiche: Path, path: Path, taken: Collection[str]) -> str:
    """From the fiche's folder where it lies there; no other file's name."""
    folder, file = fiche.resolve().parent, path.resolve()
    name = file.relative_to(folder).as_posix() if file.is_relative_to(folder) else file.name
    while name in taken:
        name = f"{_FOLDER}/{name}"
    return name


def _is_apart(review: Review, decision: Decision) -> bool:
    """True where the comments say that they were written on another decision than this one without them."""
    if not review.of or review.of == fiche_id(decision.fiche):
        return False
    return review.of != hashlib.sha256(decision_bytes(decision)).hexdigest()
