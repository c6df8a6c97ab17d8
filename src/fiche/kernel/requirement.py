"""What must hold, on what must it hold, and by which policy it is judged."""

from __future__ import annotations

from collections.abc import Mapping

from fiche.kernel.address import Span
from fiche.kernel.catalog import Card, Offer
from fiche.kernel.fact import Fact
from fiche.kernel.figure import Figure
from fiche.kernel.procedure import NO_THRESHOLDS, Thresholds
from fiche.kernel.record import field, record
from fiche.kernel.workload import Workload


@record
class Requirement:
    """One criterion (F8): `level` is must or want; thresholds in `figures`, words in `facts`.

    `figures` keys: at_least, at_most. `facts` keys by kind: metric, dataset, component, version, tax,
    by (a date), format, link, document; `piece` is the kind of piece that the author expects, in words.
    `choices` are lists of which one is enough (gfx, one_of). `implied` marks memory and quality added
    because every fiche requires them, whether written or not (DESIGN 4).
    """

    id: str
    kind: str
    level: str
    span: Span | None
    cases: tuple[str, ...] = ()
    figures: Mapping[str, Figure]
    facts: Mapping[str, Fact]
    implied: bool = False
    choices: Mapping[str, tuple[Fact, ...]] = field(default_factory=dict)


@record
class Candidate:
    """A card, how many, from whom, on which machine; `workload` is already changed by `change` (D10)."""

    id: str
    gpu: str
    card: Card | None
    cards: Figure
    offer: Offer | None
    machine: str
    workload: Workload
    span: Span
    baseline: str = ""
    change: tuple[str, str, str] | None = None
    other_users: Fact | None = None


@record
class Policy:
    """How strictly pieces are read: data, not code (`strict` and `noted` facts per criterion).

    `typed_scope` is `counts` (neutral) or `never_alone` (strict). `tie_tolerance` (a ratio) bands
    costs from the cheapest; `machine_spread` (bytes) is how far two machines of one card may differ.
    `sha256` names the file's bytes. `max_age` is in days, by kind of piece (`others` for every kind that is
    not named, `catalog` for the catalog's own facts); `changed` lists per criterion the facts whose change
    since a piece was made makes it stale. `guard_bands` by criterion are how near to its limit a measured
    value settles nothing: bytes for memory, points of the score for quality, a ratio of the limit elsewhere.
    `thresholds` are what it says of quotes and procedures.
    """

    name: str
    version: str
    sha256: str
    strict: Mapping[str, tuple[str, ...]]
    noted: Mapping[str, tuple[str, ...]]
    typed_scope: str
    tie_tolerance: Figure
    machine_spread: Figure | None = None
    max_age: Mapping[str, int] = field(default_factory=dict)
    changed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    guard_bands: Mapping[str, Figure] = field(default_factory=dict)
    thresholds: Thresholds = NO_THRESHOLDS
