"""What a simulation executed against what a case asks: less does not answer for it, more is more than it."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.criteria._scope import Question
from fiche.kernel.said import tell
from fiche.kernel.simulation import Simulation


def less_than(ask: Question, told: Simulation) -> Iterator[str]:
    """Dimensions of the case that it does not reach, or does not tell."""
    yield from (tell("{topic}: the fiche does not say", topic=topic) for topic in ask.untold)
    for name, wanted in sorted(ask.dimensions.items()):
        ran = told.dimensions.get(name)
        if ran is None:
            yield tell(
                "{name}: the piece does not say what was executed; the question is {wanted}",
                name=name,
                wanted=wanted.low,
            )
        elif ran.low < wanted.low:
            yield tell(
                "{name}: executed {ran}, the question is {wanted}",
                name=name,
                ran=ran.low,
                wanted=wanted.low,
            )


def more_than(ask: Question, told: Simulation) -> Iterator[str]:
    """Dimensions in which it executed more than the case asks."""
    for name, wanted in sorted(ask.dimensions.items()):
        if told.dimensions[name].low > wanted.low:
            yield tell(
                "{name}: executed {dimensions}, the question is {wanted}",
                name=name,
                dimensions=told.dimensions[name].low,
                wanted=wanted.low,
            )
