"""What was chosen, by whom, why, and what stands on record beside it (E1, DESIGN 4, catalog 7).

`Choice` is what people wrote; `Choosing` is what follows from it and from the verdicts.
"""

from __future__ import annotations

from fiche.kernel.address import Span
from fiche.kernel.condition import Condition
from fiche.kernel.figure import Figure
from fiche.kernel.record import record

BEFORE_ORDER, AT_DELIVERY = "before_order", "at_delivery"


@record
class Opinion:
    """What one person says of the choice; `reservation` is None where nobody says whether it is one."""

    by: str
    role: str
    says: str
    reservation: bool | None
    span: Span


@record
class Interest:
    """The disclosure of interests of one person who took part."""

    by: str
    statement: str
    span: Span


@record
class Signatory:
    """Who signs, on paper: a name, a role, and a line that nothing here ever fills."""

    name: str
    role: str
    span: Span


@record
class Ordered:
    """The order as it will be placed. `lots` and `cards` are counts; None and empty are untold."""

    span: Span
    date: str = ""
    lots: Figure | None = None
    cards: Figure | None = None
    buyer: str = ""
    number: str = ""


@record
class Replaced:
    """What the decision replaces: in words, and an earlier decision's sha256 where one is named.

    `piece` is the piece that is that file; `digest` is its own, or the one typed where the file is not at hand.
    """

    what: str
    span: Span
    piece: str = ""
    digest: str = ""


@record
class Reasonable:
    """Why the price is taken to be a reasonable one; `ground` is comparison, list_price or statement.

    `offers` are those compared; `listed` is the list price that `piece` attests (None: it attests none), or
    `piece` is the seller's own written statement.
    """

    ground: str
    span: Span
    offers: tuple[str, ...] = ()
    piece: str = ""
    listed: Figure | None = None
    because: str = ""


@record
class Accept:
    """When one topic is to be accepted, by whom and by which test: overrides what is derived."""

    topic: str
    span: Span
    when: str = ""
    by: str = ""
    test: str = ""


@record
class Choice:
    """What was chosen, by whom and why (E1); `none` is a choice too. What is not told is empty."""

    chosen: str
    by: str
    role: str
    because: str
    date: str = ""
    budget_holder: str = ""
    replaces: Replaced | None = None
    order: Ordered | None = None
    price: Reasonable | None = None
    opinions: tuple[Opinion, ...] = ()
    interests: tuple[Interest, ...] = ()
    signatures: tuple[Signatory, ...] = ()
    accept: tuple[Accept, ...] = ()


@record
class Acceptance:
    """An open condition as one of acceptance: when it must be met, who sees to it, by which test.

    `stated` is True where the fiche says when, False where it follows from who can supply it.
    """

    condition: Condition
    when: str
    by: str
    test: str = ""
    stated: bool = False


@record
class Cheaper:
    """A retained candidate that costs less than the chosen one, and how much less."""

    candidate: str
    difference: Figure


@record
class Rejected:
    """A requirement on which an excluded candidate failed, with how far beyond it (None: not a distance)."""

    candidate: str
    requirement: str
    case: str
    device: str
    distance: Figure | None = None


@record
class Mismatch:
    """A quantity that is ordered beside the one that the need computes: `what` is lots or cards."""

    what: str
    ordered: Figure
    computed: Figure


@record
class Choosing:
    """What follows from a choice.

    `acceptance` holds the conditions on which a conditional choice stands. `at_order` is what is open on the
    day of the order and was not on the decision's own. `undisclosed` are people of the decision without a
    statement of interests. `unused` are accepts of a topic that is not open. `discount` is the list price
    less the price of the offer, `share` its ratio to the list price (None where the offer is above it).
    """

    acceptance: tuple[Acceptance, ...] = ()
    at_order: tuple[Condition, ...] = ()
    mismatches: tuple[Mismatch, ...] = ()
    undisclosed: tuple[str, ...] = ()
    cheaper: tuple[Cheaper, ...] = ()
    rejected: tuple[Rejected, ...] = ()
    unused: tuple[Accept, ...] = ()
    discount: Figure | None = None
    share: Figure | None = None
