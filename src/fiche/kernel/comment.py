"""What people say of a report: who, when, on what; words that attest nothing and move no verdict."""

from __future__ import annotations

from fiche.kernel.address import Span
from fiche.kernel.record import record

# What a comment may be on. Those of the first row are names that the author of a fiche gave.
NAMED = ("candidate", "requirement", "piece", "case")
SORTS = (*NAMED, "report", "finding", "figure", "point", "step", "topic")


@record
class Resolution:
    """How a comment was answered; all of it as people wrote it."""

    by: str
    date: str
    says: str
    role: str = ""


@record
class Comment:
    """One comment. `on` is the id that it is about, `sort` (of SORTS) says what bears that id."""

    id: str
    by: str
    role: str
    date: str
    on: str
    sort: str
    says: str
    span: Span
    resolved: Resolution | None = None

    @property
    def is_open(self) -> bool:
        """True where nobody has answered it."""
        return self.resolved is None


@record
class Review:
    """The comments of one file, in its order.

    `of` is what it says that they were written on (a fiche's id, or the sha256 of a decision.json; empty where
    it says nothing); `is_apart` tells that this is another decision than the one that they stand beside.
    """

    file: str
    of: str
    comments: tuple[Comment, ...]
    is_apart: bool = False

    @property
    def num_open(self) -> int:
        """How many are not answered."""
        return sum(comment.is_open for comment in self.comments)

    @property
    def in_order(self) -> tuple[Comment, ...]:
        """Open ones first, else as the file has them."""
        return tuple(sorted(self.comments, key=lambda comment: not comment.is_open))
