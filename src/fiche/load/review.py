"""Comments on a report, from their file: every one on an id that the report shows, nothing taken on trust."""

from __future__ import annotations

from collections.abc import Mapping as Mapping_
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from fiche.kernel.comment import NAMED, SORTS, Comment, Resolution, Review
from fiche.kernel.decision import Input
from fiche.kernel.diagnostic import Refused
from fiche.kernel.number import quoted
from fiche.kernel.record import replace
from fiche.load.fault import Faults
from fiche.load.folder import YAML_LIMIT, UnreadableError, followed, read_file
from fiche.load.inputs import yaml_input
from fiche.load.node import Mapping, Node, Scalar
from fiche.load.references import nearest
from fiche.load.schema import check
from fiche.load.source import source
from fiche.load.tree import parse

ROLE = "review"
_OTHERS = ("fiche", "policy", "catalog", "offers", "campaign")
Names = Mapping_[str, Sequence[str]]


class Read(NamedTuple):
    """The comments, the file as an input of the report, and its bytes."""

    review: Review
    input: Input
    content: bytes


def load_review(path: Path, name: str, known: Names) -> Read:
    """Read a file of comments under the name that `inputs` will give it.

    `known` leads from each id that the report shows to the sorts of things (SORTS) that bear it.

    Raises:
        Refused: it cannot be read, is no YAML or no review (F660), or a comment is on an id that the report
            does not show (F661) or that several things bear (F665), has the id of another (F662), was resolved
            before it was written (F663), or has no words (F664).
    """
    try:
        content = read_file(followed(path), str(path), YAML_LIMIT)
    except UnreadableError as problem:
        raise Refused([problem.told]) from None
    try:
        found = _review(path.name, content, known)
    except Refused as refused:
        raise Refused(refused.diagnostics, folder=str(path.parent)) from None
    return Read(_called(found, name), yaml_input(name, ROLE, content), content)


def read_review(content: bytes, name: str, known: Names) -> Read:
    """The same from bytes, under the name that `inputs` gives them; see `load_review`.

    Raises:
        Refused: whatever is wrong with the comments.
    """
    return Read(_review(name, content, known), yaml_input(name, ROLE, content), content)


def _called(found: Review, name: str) -> Review:
    """Under the name of the input: errors name the file as it was typed, a report as `inputs` does."""
    comments = (replace(one, span=replace(one.span, file=name)) for one in found.comments)
    return replace(found, file=name, comments=tuple(comments))


def _review(name: str, content: bytes, known: Names) -> Review:
    faults = Faults()
    root = parse(source(name, content))
    _check_kind(root, faults)
    faults.stop()
    check(root, "review", faults)
    faults.stop()
    assert isinstance(root, Mapping)
    comments = tuple(_comment(node, known, faults) for node in root.each("comments"))
    _check_once(root, faults)
    faults.stop()
    of = root.text("of").removeprefix("sha256:")
    return Review(file=name, of=of, comments=comments)


def _check_kind(root: Node, faults: Faults) -> None:
    """A file of another kind is told as such, not key by key."""
    if isinstance(root, Mapping) and "review" in root:
        return
    kinds = [kind for kind in _OTHERS if isinstance(root, Mapping) and kind in root]
    told = f": it says '{kinds[0]}: …'" if kinds else ": it does not say 'review: 1'"
    faults.add("F660", f"this file is no review{told}", root.span, "start it with review: 1")


def _check_once(root: Mapping, faults: Faults) -> None:
    first: dict[str, Scalar] = {}
    for node in root.each("comments"):
        name = node.scalar("id")
        if first.setdefault(name.text, name) is not name:
            message = f"comment '{name.text}' is written twice"
            hint = f"the first stands on {first[name.text].span}; give this one an id of its own"
            faults.add("F662", message, name.span, hint)


def _comment(node: Mapping, known: Names, faults: Faults) -> Comment:
    on, sort = _subject(node.scalar("on"), known, faults)
    says = _words(node, faults)
    return Comment(
        id=node.text("id"),
        by=node.text("by"),
        role=node.text("role"),
        date=node.text("date"),
        on=on,
        sort=sort,
        says=says,
        span=node.scalar("says").span,
        resolved=_resolution(node, faults) if "resolved" in node else None,
    )


def _resolution(comment: Mapping, faults: Faults) -> Resolution:
    node = comment.mapping("resolved")
    day = node.scalar("date")
    if day.text < comment.text("date"):
        message = f"comment '{comment.text('id')}' was resolved before it was written"
        faults.add("F663", message, day.span, f"it was written on {comment.text('date')}")
    return Resolution(
        by=node.text("by"), date=day.text, says=_words(node, faults), role=node.text("role")
    )


def _words(node: Mapping, faults: Faults) -> str:
    says = node.scalar("says")
    if not says.text.strip():
        faults.add("F664", "a comment without words", says.span, "write what is to be said")
    return says.text


def _subject(told: Scalar, known: Names, faults: Faults) -> tuple[str, str]:
    """The id that a comment is on, and what bears it; `case:limit` names the sort of thing."""
    head, _, rest = told.text.partition(":")
    name, asked = (rest, head) if head in SORTS and rest else (told.text, "")
    sorts = [sort for sort in known.get(name, ()) if sort == (asked or sort)]
    named = [sort for sort in sorts if sort in NAMED]
    if len(named) > 1:
        ways = " or ".join(f"{sort}:{name}" for sort in named)
        message = f"{quoted(name)} is the name of a {' and of a '.join(named)}"
        faults.add("F665", message, told.span, f"write {ways}")
    elif not sorts:
        pool = [one for one, of in known.items() if not asked or asked in of]
        what = f"no {asked or 'id'} {quoted(name)} is shown by this report"
        faults.add("F661", what, told.span, (faults.helpful and nearest(name, pool)) or _WHERE)
    return name, next(iter(named or sorts), "report")


_WHERE = (
    "write an id as the report shows it: a figure, piece, candidate, requirement, case, open point (D1), "
    "candidate/requirement.case, or report"
)
