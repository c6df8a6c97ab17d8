"""The types of the doors: a member is one module of a room whose MEMBER is one of these values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Protocol

from fiche.kernel.record import record

if (
    TYPE_CHECKING
):  # a member is found by its door's name: what goes through it is loaded by who makes it
    from fiche.kernel.comparison import Comparison, Inquiry
    from fiche.kernel.condition import Condition
    from fiche.kernel.config import Config
    from fiche.kernel.fact import Fact
    from fiche.kernel.figure import Node
    from fiche.kernel.listing import Asked, Raw
    from fiche.kernel.model import Model, Parameters
    from fiche.kernel.piece import Reading
    from fiche.kernel.requirement import Candidate, Requirement
    from fiche.kernel.workload import Case, Workload


@record
class Importer:
    """One foreign format; its module has the name of the kind.

    `accepts(content, name)` scores a file from 0 (no) to 100 (surely); `read(content,
    sha256)` returns a Reading or raises `Refused` with Pointers, never half of it. `anchors` are rare
    byte strings of which every line that it reads holds at least one (in a format of its own, which is
    read whole, they may be left out): only what surrounds them is kept of a very long log. `log` is True
    where its lines stand in a running log among those of other programs: such readings are joined.
    """

    name: str
    title: str
    accepts: Callable[[bytes, str], int]
    read: Callable[[bytes, str], Reading]
    anchors: tuple[bytes, ...] = ()
    log: bool = False


class Reader(Protocol):
    """The room of importers, as other rooms are handed it."""

    def kinds(self) -> tuple[str, ...]:
        """The kinds that it reads, in name order."""

    def read(self, content: bytes, sha256: str, name: str, kind: str) -> Reading:
        """Read one file by the importer of a kind, or by the one that its content calls for.

        Raises:
            Refused: nothing reads it, or what reads it refuses.
        """

    def document(self, content: bytes, sha256: str, name: str) -> Reading | None:
        """The words of a document that lie in a container (PDF, Word, mail); None for plain text.

        Raises:
            Refused: it is such a document, and its words cannot be read.
        """


@record
class Estimator:
    """One item of a load.

    `estimate(workload, case)` returns named nodes: Figures, or Unknowns whose condition says what
    the fiche would have to state. `case` is None for items no case changes. `resident` is True for
    items that must be in memory together (they may count in a floor). `phases` are the phases of a case
    in which the item is alive, in the words of the fiche; empty means all of them. `spread` says how the
    item lies on several devices: parameters (it follows them), tokens (it follows the tokens computed),
    own (the estimator or the engine's rule cuts it), each (whole on every device).
    """

    name: str
    title: str
    source: str
    per_case: bool
    resident: bool
    applies: Callable[[Workload], bool]
    estimate: Callable[[Workload, Case | None], tuple[Node, ...]]
    phases: tuple[str, ...] = ()
    spread: str = "parameters"


@record
class Family:
    """One structure of models, under all the model types that share it.

    `build(config, inner)` returns the model that a configuration describes; what it does not understand it
    puts into `Model.open`, and never guesses. `inner(part)` builds a part of it (a text or vision
    configuration) with whichever family knows that part.
    """

    name: str
    title: str
    source: str
    model_types: tuple[str, ...]
    build: Callable[[Config, Callable[[Config], Model]], Model]


@record(eq=False)
class Packed:
    """What a method makes of some tensors of a group.

    `copies` of them; `values` are the bytes of one tensor's own values, `beside` those of its scales, zero
    points and indices. Both are None where the method leaves these tensors in the format of unquantised
    values. An Unknown in either carries what would have to be said. `or_kept` says why these tensors may be
    left as they are after all, where the fiche does not tell; empty where that is settled.
    """

    copies: Node
    values: Node | None = None
    beside: Node | None = None
    or_kept: str = ""


@record
class Quantisation:
    """One way to store parameters in fewer bits.

    `methods` are the words it goes by: `quant_method` of a configuration, or a storage format of a fiche.
    `packed(model, group, workload)` splits a group of parameters into what the method makes of it: some
    layers may be kept as they are. `conditions(model, workload)` are what would silently change the format;
    `dequantised(model, workload)` is a reason why the engine may load the values in 16 bits after
    all, empty where it does not or where the fiche says that it does not.
    """

    name: str
    title: str
    source: str
    methods: tuple[str, ...]
    packed: Callable[[Model, Parameters, Workload], tuple[Packed, ...]]
    conditions: Callable[[Model, Workload], tuple[Condition, ...]]
    dequantised: Callable[[Model, Workload], str]


@record
class Engine:
    """What one program keeps between steps, and by which rule.

    `names` are the words that a fiche may call it by. `covered` says which versions the rule was read in,
    `settings` which of its settings the rule reads. `cache(model, workload, case)` returns named nodes: bytes
    on the most loaded device where the placement is told, of the whole model otherwise. A version or
    a setting that the fiche does not say opens an interval, with the rule between its ends.
    """

    name: str
    title: str
    source: str
    names: tuple[str, ...]
    covered: str
    settings: tuple[str, ...]
    cache: Callable[[Model, Workload, Case | None], tuple[Node, ...]]


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
    otherwise); the rule that turns them into verdicts is not its business. For the selection table (F8),
    in words for people: `expects` names the kinds of piece that settle it, `settles` says what in such a
    piece admits and what excludes. `needs` are the keys of its threshold: of each group one at least. A must
    has them (F314); where a want lacks them, nothing is required and `compare` is not asked.
    """

    name: str
    title: str
    compare: Callable[[Requirement, Candidate, Inquiry], tuple[Comparison, ...]]
    expects: str = ""
    settles: str = ""
    needs: tuple[tuple[str, ...], ...] = ()


@record
class Listing:
    """One format of listings of offers; its module has the name of the format.

    `accepts(content, name)` scores a file from 0 (no) to 100 (surely). `read(content, asked)` yields each row
    in the order of the file, or raises `Refused` where the file is not of the format after all. `currency` is
    what the format's own documentation says its prices are in, named in `currency_by`; both are empty where
    it says nothing. `observed(content)` is the day that the file itself gives for its prices, empty where it
    gives none.
    """

    name: str
    title: str
    accepts: Callable[[bytes, str], int]
    read: Callable[[bytes, Asked], Iterator[Raw]]
    currency: str = ""
    currency_by: str = ""
    observed: Callable[[bytes], str] = lambda content: ""
