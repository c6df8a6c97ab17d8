"""A letter to a seller as plain text: no salutation, nothing that the seller need not know."""

from __future__ import annotations

from typing import Any

from fiche.cli.usage import unknown
from fiche.kernel.decision import Decision
from fiche.kernel.diagnostic import Refused
from fiche.kernel.settling import Letter, Request
from fiche.render._settling import letter
from fiche.render.visible import visible


def chosen(decision: Decision, seller: str | None) -> tuple[Letter, ...]:
    """All letters, or the one to this seller.

    Raises:
        Refused: F701 nothing is asked of such a seller.
    """
    found = () if decision.settling is None else decision.settling.letters
    if seller is None:
        return found
    mine = tuple(one for one in found if one.seller == seller)
    if not mine:
        raise Refused([unknown("seller", seller, [one.seller for one in found])])
    return mine


def letter_text(told: Letter) -> str:
    """One letter: whom, about which offers, for which day, and the numbered requests."""
    lines = [
        f"To: {told.seller}",
        f"About (our references): {', '.join(told.offers)}",
        f"For a decision of: {told.date}",
        "",
        *(f"{place}. {_request(one)}" for place, one in enumerate(told.requests, 1)),
    ]
    return "".join(f"{visible(line)}\n" for line in lines)


def _request(one: Request) -> str:
    wanted = f" Wanted: {one.threshold}." if one.threshold else ""
    wish = " (A preference.)" if one.level == "want" else ""
    of = f" [{one.offer}]" if one.offer and one.offer not in one.text else ""
    return f"{one.text}{of}{wanted}{wish}"


def letters_json(found: tuple[Letter, ...]) -> dict[str, Any]:
    """The same under the key that decision.json has for it."""
    return {"letters": [letter(one) for one in found]}
