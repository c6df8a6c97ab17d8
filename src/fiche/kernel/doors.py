"""The types of the doors: a member is one module of a room whose MEMBER is one of these values."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fiche.kernel.comparison import Comparison, Inquiry
from fiche.kernel.fact import Fact
from fiche.kernel.figure import Node
from fiche.kernel.piece import Reading
from fiche.kernel.record import record
from fiche.kernel.requirement import Candidate, Requirement
from fiche.kernel.workload import Case, Workload


@record
class Importer:
    """One foreign format.

    `accepts(content, name)` scores a file from 0 (no) to 100 (surely); `read(content,
    sha256)` returns a Reading or raises `Refused` with Pointers, never half of it.
    """

    name: str
    title: str
    accepts: Callable[[bytes, str], int]
    read: Callable[[bytes, str], Reading]


@record
class Estimator:
    """One item of a load.

    `estimate(workload, case)` returns named nodes: Figures, or Unknowns whose condition says what
    the fiche would have to state. `case` is None for items no case changes. `resident` is True for
    items that must be in memory together (they may count in a floor).
    """

    name: str
    title: str
    source: str
    per_case: bool
    resident: bool
    applies: Callable[[Workload], bool]
    estimate: Callable[[Workload, Case | None], tuple[Node, ...]]


@record
class Vendor:
    """What differs between makers: `supports(facts, feature)` answers `yes`, `no` or `unknown`."""

    name: str
    title: str
    supports: Callable[[Mapping[str, Fact], str], str]


@record
class Criterion:
    """One kind of requirement.

    `compare` gathers what the pieces say into comparisons (one a case and device for memory, one
    otherwise); the rule that turns them into verdicts is not its business.
    """

    name: str
    title: str
    compare: Callable[[Requirement, Candidate, Inquiry], tuple[Comparison, ...]]
