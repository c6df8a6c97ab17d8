"""What a listing of another program says of offers, row by row, before any of it is an offer of ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fiche.kernel.catalog import Card
from fiche.kernel.diagnostic import Diagnostic
from fiche.kernel.record import field, record


@record
class Ask:
    """One price of a row. `text` is as printed; `covers` is lot or card; `per` is the time that it pays for.

    `suffix` tells several prices of one row apart; `told` are terms that go with this price alone.
    """

    text: str
    column: str
    covers: str
    per: str
    suffix: str = ""
    told: Mapping[str, str] = field(default_factory=dict)


@record
class Memory:
    """Device memory as a row has it: of one card, or of the `lot` of all cards.

    `kind` is `print` where the format says that a machine printed it, else `label`: a name, no capacity.
    """

    text: str
    unit: str
    column: str
    kind: str
    of: str = "card"


@record
class Raw:
    """One row: the words that name its cards, how many of them there are, its memory and its prices.

    `place` is a line or a JSON pointer. `told` has paths of the offers form that the format states in so many
    words. `host` is main memory, with its unit and column. `why` says why a row is no offer of cards.
    """

    place: str
    seller: str = ""
    name: str = ""
    name_column: str = ""
    count: str = ""
    count_column: str = ""
    memory: tuple[Memory, ...] = ()
    asks: tuple[Ask, ...] = ()
    told: Mapping[str, str] = field(default_factory=dict)
    host: tuple[str, str, str] | None = None
    slice_of: str = ""
    broken: tuple[str, str, str] | None = None
    why: str = ""


@record(eq=False)
class Asked:
    """What a person says of a file that is imported, and the cards that names may stand for.

    `currency` and `seller` are empty where the person leaves them to the format; `columns` are templates of the
    generic format, by path. `wrong` says what of an offer the form of offers does not take, with its path.
    """

    file: str
    folder: str
    sha256: str
    cards: tuple[Card, ...]
    currency: str = ""
    seller: str = ""
    observed_on: str = ""
    source: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    wrong: Callable[[Mapping[str, str]], tuple[str, Diagnostic] | None] = lambda offer: None


@record
class Doubt:
    """Something of a row that was not taken as it stands: `kind` is a stable word, `why` says it in English."""

    kind: str
    column: str
    value: str
    why: str


@record
class Refusal:
    """A row that cannot be right: it is named, never converted."""

    code: str
    place: str
    column: str
    value: str
    why: str
    hint: str


@record(eq=False)
class Entry:
    """What became of one row: offers (paths and texts), or why there is none; and what of it is in doubt."""

    place: str
    offers: tuple[Mapping[str, str], ...] = ()
    doubts: tuple[Doubt, ...] = ()
    left: str = ""
    refusal: Refusal | None = None
