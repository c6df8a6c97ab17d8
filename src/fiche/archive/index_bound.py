"""Many ids in one question to an index: in steps that every database takes, each id a bound parameter."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

# A question may hold 999 parameters in older SQLites; some questions name each id twice.
STEP = 400


def marked(ids: Sequence[str]) -> tuple[str, dict[str, object]]:
    """The marks for ids within `IN (…)`, and what stands for each mark."""
    parameters: dict[str, object] = {f"v{place}": each for place, each in enumerate(ids)}
    return ", ".join(f":{name}" for name in parameters), parameters


def steps(every: Iterable[str]) -> Iterator[list[str]]:
    """The ids in their order, at most `STEP` at a time."""
    ids = list(every)
    for start in range(0, len(ids), STEP):
        yield ids[start : start + STEP]
