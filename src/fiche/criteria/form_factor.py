"""Form factor: slot width or module of the card, by its row in the catalog or a document; one of a list."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fiche.criteria import _claims, _conditions
from fiche.criteria._told import CATALOG, card_fact, comparison
from fiche.kernel.comparison import Claim, Comparison, Inquiry
from fiche.kernel.doors import Criterion
from fiche.kernel.fact import Fact
from fiche.kernel.requirement import Candidate, Requirement
from fiche.kernel.said import listed, tell

_WORD = re.compile(r"\w+(?:-\w+)*")
_WIDTH = re.compile(r"(?:single|dual|double|triple|quad|[1-4])-slot")
_SAME = {"1-slot": "single-slot", "2-slot": "dual-slot", "double-slot": "dual-slot"}
_SAME |= {"3-slot": "triple-slot", "4-slot": "quad-slot"}
# How a card is joined to its board: a card has one of these.
_JOINT = re.compile(r"(?P<kind>pcie|sxm|oam|mxm|superchip)(?P<version>[0-9]*)")


def compare(
    requirement: Requirement, candidate: Candidate, ground: Inquiry
) -> tuple[Comparison, ...]:
    """One comparison: the form that a row or a document names against those that will do."""
    wanted = tuple(fact.value for fact in requirement.choices["one_of"])
    row = card_fact(candidate.card, "form_factor")
    claims = tuple(_claims_of(wanted, candidate, row, ground))
    told = tell(" (told so far: {claims})", claims=claims[0].text) if claims else ""
    lacking = _conditions.document(
        "form_factor",
        tell(
            "state the slot width or module of {gpu} from a document{told}",
            gpu=candidate.gpu,
            told=told,
        ),
        threshold=listed(wanted, " or "),
        supplier=tell("maker or seller"),
    )
    return (comparison(listed(wanted, " or "), claims, (lacking,), row),)


def _claims_of(
    wanted: tuple[str, ...], candidate: Candidate, row: Fact | None, ground: Inquiry
) -> Iterator[Claim]:
    if row is not None:
        yield Claim(piece=CATALOG, answer=_meets(wanted, row.value), text=row.value)
    for piece, item in _claims.attested("form_factor", candidate, ground):
        if _claims.vouched(item, ground):
            told, by = item.words["value"].value, _claims.people(item)
            yield Claim(piece=piece.id, answer=_meets(wanted, told), text=told, by=by)


def _meets(wanted: tuple[str, ...], told: str) -> str:
    """`yes` if one will do, `no` if none can; empty where what is told is less than what is asked."""
    answers = {_fits(_words(one), _words(told)) for one in wanted}
    return "yes" if "yes" in answers else "no" if answers == {"no"} else ""


def _fits(asked: frozenset[str], told: frozenset[str]) -> str:
    if asked and all(_held(word, told) for word in asked):
        return "yes"
    return "no" if _apart(asked, told) else ""


def _held(word: str, told: frozenset[str]) -> bool:
    """`SXM` is held by `SXM5`, and not the other way round."""
    joint = _JOINT.fullmatch(word)
    if joint is None or joint["version"]:
        return word in told
    return any(found["kind"] == word for found in map(_JOINT.fullmatch, told) if found)


def _apart(asked: frozenset[str], told: frozenset[str]) -> bool:
    """Two widths, or two ways of being joined, of which a card has one."""
    widths = [{word for word in words if _WIDTH.fullmatch(word)} for words in (asked, told)]
    joints = [{_JOINT.fullmatch(word) for word in words} - {None} for words in (asked, told)]
    kinds = [{joint["kind"] for joint in found if joint} for found in joints]
    versions = [
        {joint["version"] for joint in found if joint and joint["version"]} for found in joints
    ]
    return any(one and two and not one & two for one, two in (widths, kinds, versions))


def _words(text: str) -> frozenset[str]:
    plain = re.sub(r"([a-z0-9]) slot\b", r"\1-slot", text.casefold())
    return frozenset(_SAME.get(word, word) for word in _WORD.findall(plain))


MEMBER = Criterion(
    name="form_factor",
    title=tell("Form factor"),
    compare=compare,
    expects=tell("row of the catalog, or document of maker or seller"),
    settles=tell(
        "A form that has all the words of one that will do admits; another slot width or module excludes; one "
        "told in fewer words than are asked is to confirm."
    ),
    needs=(("one_of",),),
)
