"""How a purchase may have to be made by the thresholds of a policy: never law in the code (catalog 7)."""

from __future__ import annotations

from fiche.kernel.address import Span
from fiche.kernel.condition import Condition
from fiche.kernel.figure import Figure
from fiche.kernel.record import record

# What an amount is to a band: in it, below it, at or above its end, or not to be told.
WITHIN, BELOW, ABOVE, OPEN = "within", "below", "above", "open"


@record
class SimilarOrder:
    """Another order for the same need: its amount counts with this one's.

    `tax` is `excluded` or `included`, empty where it is untold; `piece` attests it, empty where none does.
    """

    id: str
    span: Span
    date: str = ""
    amount: Figure | None = None
    tax: str = ""
    seller: str = ""
    what: str = ""
    piece: str = ""


@record
class Band:
    """A procedure of a policy: what it is called, from and below which amounts, and where that is written.

    `tax` is the basis of its amounts. `date` is since when the rule is as cited. `whom` says which buyers it is
    for, `confirm` who settles whether it applies.
    """

    id: str
    name: str
    tax: str
    source: str
    confirm: str
    span: Span
    at_least: Figure | None = None
    below: Figure | None = None
    article: str = ""
    date: str = ""
    whom: str = ""


@record
class QuotesRule:
    """How many quotes a policy asks for from an amount on, and where that is written."""

    at_least: Figure
    quotes: Figure
    tax: str
    source: str
    span: Span


@record
class Thresholds:
    """What a policy says of purchases. `within` is the period, in hours, of the orders that count together."""

    bands: tuple[Band, ...] = ()
    quotes: tuple[QuotesRule, ...] = ()
    within: Figure | None = None
    within_source: str = ""


NO_THRESHOLDS = Thresholds()


@record
class Counted:
    """A similar order, and why it is not in the total (empty where it is): a code of the report.

    `converted` is its amount in the total's currency, where it was told in another one.
    """

    order: SimilarOrder
    left_out: str = ""
    converted: Figure | None = None


@record
class Placed:
    """A band with where the need's total and this order alone stand to it."""

    band: Band
    need: str
    order: str


@record
class Quoted:
    """A rule on quotes with where the need's total stands to it: within, below or open."""

    rule: QuotesRule
    need: str


@record
class Procedure:
    """What the policy's thresholds say of the need's total, each with its source.

    `order` is this order before tax, `total` with the similar orders that count; None is not known, and
    `open` says why. `splitting` are bands that the total reaches and this order alone does not. `sellers`
    are those of whom a priced quote is on record that holds on the day. `assumed` is True where the total
    rests on somebody's guess.
    """

    order: Figure | None
    total: Figure | None
    counted: tuple[Counted, ...] = ()
    placed: tuple[Placed, ...] = ()
    quotes: tuple[Quoted, ...] = ()
    splitting: tuple[Placed, ...] = ()
    sellers: tuple[str, ...] = ()
    open: tuple[Condition, ...] = ()
    assumed: bool = False
