"""Two sides of a diff, compared: judged again where both are fiches, by their documents otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fiche import __version__
from fiche.cli.compile import doors
from fiche.cli.diff_read import Read, read_side
from fiche.evaluate.decide import Doors, decide, judged_fiche
from fiche.evaluate.difference import difference
from fiche.evaluate.difference_documents import documents
from fiche.kernel.decision import Decision, Fiche
from fiche.kernel.difference import Difference
from fiche.kernel.record import record


@record(eq=False)
class Sides:
    """A difference with what was read for it, and either side's document or the decision that it is of."""

    found: Difference
    reads: tuple[Read, Read]
    whole: tuple[Decision | Mapping[str, Any], Decision | Mapping[str, Any]]


def compared(first: Path, second: Path) -> Sides:
    """What differs between two files.

    Raises:
        Refused: F640 to F644, and whatever is wrong with a fiche.
    """
    one, other = read_side(first), read_side(second)
    members = doors()

    def again(fiche: Fiche) -> Decision:
        return judged_fiche(fiche, members, __version__)

    if one.fiche is not None and other.fiche is not None:
        before, after = again(one.fiche), again(other.fiche)
        found = difference((one.name, before), (other.name, after), again)
        return Sides(found=found, reads=(one, other), whole=(before, after))
    sides = _side(one, members), _side(other, members)
    return Sides(found=documents(*sides), reads=(one, other), whole=(sides[0][2], sides[1][2]))


def _side(read: Read, members: Doors) -> tuple[str, str, Mapping[str, Any]]:
    """The document of a decision, or the one that a fiche would have."""
    if read.document is not None:
        return read.name, "decision", read.document
    from fiche.render.json import decision_document

    assert read.fiche is not None
    return read.name, "fiche", decision_document(decide(read.fiche, members, __version__))
