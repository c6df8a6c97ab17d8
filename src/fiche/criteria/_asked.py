"""What a load must state of its size before any run covers it, or any failure excludes it (A2, D9)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from fiche.criteria import _conditions
from fiche.kernel.condition import Condition
from fiche.kernel.requirement import Candidate
from fiche.kernel.workload import Case

# Dimensions that together say how long or how large one input is: any of these will do.
_SHAPES = (
    ("prompt_tokens", "new_tokens"),
    ("context_tokens",),
    ("images",),
    ("image_width", "image_height"),
)
_TOGETHER = (("resident_sequences",), ("batch",))
_STEP = (("microbatch", "sequence_tokens"),)
_LEARNING = ("training", "adaptation")

_CONDITIONS: Mapping[str, Callable[[], Condition]] = {
    "context": _conditions.context,
    "concurrency": _conditions.concurrency,
    "microbatch": _conditions.microbatch,
}


def untold(candidate: Candidate, case: Case | None) -> tuple[str, ...]:
    """Topics that the case leaves open: a load of no stated size is no question yet."""
    told = case.dimensions if case else {}
    operation = candidate.workload.facts.get("operation")
    learns = operation is not None and operation.value in _LEARNING
    wanted = {"microbatch": _STEP} if learns else {"context": _SHAPES, "concurrency": _TOGETHER}
    return tuple(
        topic
        for topic, ways in wanted.items()
        if not any(all(name in told for name in way) for way in ways)
    )


def conditions(topics: tuple[str, ...]) -> Iterator[Condition]:
    """What to state, topic by topic."""
    yield from (_CONDITIONS[topic]() for topic in topics)
