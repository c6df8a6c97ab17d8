"""How the fiche, and each of its pieces, may be kept and shown."""

from __future__ import annotations

from fiche.kernel.custody import Citation, Custody
from fiche.kernel.said import tell
from fiche.load.node import Mapping


def custody(node: Mapping) -> Custody:
    """What a fiche or a piece says of it."""
    return Custody(
        rights=node.text("rights"),
        confidentiality=node.text("confidentiality"),
        keep_until=node.text("keep_until"),
        identifier=node.text("identifier"),
        supersedes=tuple(one.text for one in node.scalars("supersedes")),
    )


def citation(node: Mapping) -> Citation | None:
    """The entry of an archive that a piece was taken from; None where it says none."""
    if "cites" not in node:
        return None
    told = node.mapping("cites")
    return Citation(archive=told.text("archive"), entry=told.text("entry"), file=told.text("file"))


def overdue(told: Custody, day: str) -> tuple[str, ...]:
    """A warning where a thing was to be kept until a day that has passed on the day of the fiche."""
    if not told.keep_until or not day or day <= told.keep_until:
        return ()
    return (
        tell(
            "it was to be kept until {day}, which has passed on {today}: it is used all the same, and "
            "whoever gave it says whether it may be",
            day=told.keep_until,
            today=day,
        ),
    )
