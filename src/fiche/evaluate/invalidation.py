"""What would void the conclusion, from its scope, its bounds and its dates (E3).

The conclusion leans on what is chosen or retained, else on the shortlist; what speaks of other candidates
alone would void nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fiche.evaluate.invalidating_bounds import bounds
from fiche.evaluate.invalidating_days import days
from fiche.evaluate.invalidating_scope import scope
from fiche.evaluate.rejudge import Judged
from fiche.kernel.decision import Decision, Outcome
from fiche.kernel.figure import Node
from fiche.kernel.invalidation import Invalidation
from fiche.kernel.record import replace

# In reading order.
KINDS = (
    *("model", "formats", "engine", "software", "driver", "method", "placement"),
    *("larger", "growth", "machine", "shared", "spread", "guard_band"),
    *("offer_ends", "piece_ends", "piece_ages", "catalog_ages", "rate"),
    *("assumption", "author"),
)


def invalidations(judged: Judged) -> tuple[Invalidation, ...]:
    """Each event once, with all the candidates whose verdict leans on it."""
    decision = judged.decision
    leaning = leaned_on(decision)
    merged = _merged(_all(decision, leaning))
    return tuple(sorted(merged, key=lambda event: KINDS.index(event.kind)))


def leaned_on(decision: Decision) -> tuple[Outcome, ...]:
    """The candidates that carry the conclusion: chosen and retained, else to confirm, else all."""
    chosen = decision.fiche.choice.chosen if decision.fiche.choice else ""
    held = [o for o in decision.outcomes if o.status == "retained" or o.candidate.id == chosen]
    open_ones = [o for o in decision.outcomes if o.status == "to_confirm"]
    return tuple(held or open_ones or decision.outcomes)


def _all(decision: Decision, leaning: tuple[Outcome, ...]) -> Iterator[Invalidation]:
    for outcome in leaning:
        yield from scope(decision, outcome)
        yield from bounds(decision, outcome)
        yield from days(decision, outcome)
    names = {outcome.candidate.id for outcome in leaning}
    for second in decision.second_readings:
        found = second.finding
        if found.candidate in names:
            for text in second.if_held:
                yield Invalidation(
                    kind="assumption",
                    text=text,
                    candidates=(found.candidate,),
                    because=(found.requirement,),
                )
    for fact in decision.fiche.invalidated_by:
        yield Invalidation(kind="author", text=fact.value)


def _merged(events: Iterable[Invalidation]) -> list[Invalidation]:
    found: dict[tuple[object, ...], Invalidation] = {}
    for event in events:
        key = (event.kind, event.subject, event.values, event.day, event.case, event.text)
        place = (
            *key,
            _bounds(event.figure),
            *((name, _bounds(node)) for name, node in event.figures),
        )
        before = found.get(place)
        if before is None:
            found[place] = event
            continue
        found[place] = replace(
            before,
            candidates=tuple(dict.fromkeys((*before.candidates, *event.candidates))),
            because=tuple(dict.fromkeys((*before.because, *event.because))),
        )
    return list(found.values())


def _bounds(figure: Node | None) -> object:
    return None if figure is None else (figure.low, figure.high, figure.unit)
