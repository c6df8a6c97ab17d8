"""From a path to a decision: the only place where all rooms meet."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from fiche import __version__
from fiche.evaluate.decide import Doors, completed, decide
from fiche.importers._room import Room
from fiche.kernel.decision import Decision
from fiche.kernel.doors import Criterion, Estimator, Reader, Vendor
from fiche.kernel.record import record
from fiche.kernel.said import tell
from fiche.kernel.workload import Case, Workload
from fiche.load.fiche import load_fiche
from fiche.registry import member, member_names, members


@record
class Compiled:
    """A decision, and the bytes of every file that went in, by the name that `inputs` gives it."""

    decision: Decision
    contents: Mapping[str, bytes]


def compile_fiche(path: Path, review: Path | None = None) -> Compiled:
    """Load, judge and order; `review` is a file of comments, set beside what was judged.

    Raises:
        Refused: anything wrong with the fiche, with a file that it names, or with the comments.
    """
    loaded = load_fiche(path, importers())
    asked = {one.kind for one in completed(loaded.fiche.requirements)}
    made = Compiled(
        decision=decide(loaded.fiche, doors(asked), __version__), contents=loaded.contents
    )
    if review is None:
        return made
    from fiche.cli.reviewed import reviewed

    return reviewed(made, path, review)


def importers() -> Reader:
    """The formats that fiche reads; only those that a fiche needs are imported."""
    return Room()


def doors(kinds: Collection[str] | None = None) -> Doors:
    """Estimators, criteria and vendors, found by listing their rooms; of some kinds of criteria, or all."""
    room = "fiche.criteria"
    names = [name for name in member_names(room) if kinds is None or name in kinds]
    return Doors(
        estimators=members("fiche.estimators", Estimator),
        criteria=tuple(member(room, name, Criterion) for name in names),
        vendors=members("fiche.vendors", Vendor),
        ready=_ready,
    )


def _ready(workload: Workload, case: Case) -> tuple[str, ...]:
    """Why no ready workload runs it; what reads a job is loaded only where a model's real code is named."""
    if workload.model is None or workload.model.config is None:
        return (tell("the fiche names no config.json of the model"),)
    from fiche.cli.measured_from import refusals

    return refusals(workload, case)
