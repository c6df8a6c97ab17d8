"""What has to be measured or checked again for one change of a baseline (A7, D7, D10)."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.kernel.alternative import Anew
from fiche.kernel.decision import Outcome
from fiche.kernel.finding import Finding, Verdict

# By the start of the path that changes: what such a change may alter beside the memory. A changed format must
# recover the minimum quality; what is bought with recomputation or with waiting is paid in time.
_ALTERED = (
    ("gpu", ("memory", "software", "duration")),
    ("cards", ("memory", "software", "duration")),
    ("placement.", ("memory", "software", "duration")),
    ("formats.", ("memory", "quality")),
    ("method.", ("memory", "quality", "duration", "result")),
    ("optimizer", ("memory", "quality")),
    ("training.", ("memory", "duration", "result")),
    ("attention", ("memory", "duration", "result")),
    ("engine.", ("memory", "software", "quality", "duration")),
    ("backend", ("memory", "software", "quality", "duration", "result")),
)
_OF_A_CASE = (
    ("microbatch", ("memory", "duration", "result")),
    ("accumulation", ("memory", "duration", "result")),
    ("resident_sequences", ("memory", "duration")),
)
_OTHERWISE = ("memory", "duration")
# Kinds of requirement that answer for each.
_ANSWERS = {
    "memory": ("memory",),
    "software": ("software", "precision"),
    "quality": ("quality",),
    "duration": ("duration", "throughput", "latency"),
    "result": (),
}


def altered(path: str) -> tuple[str, ...]:
    """What a change of this path may alter, by codes of `Anew.what`."""
    if path.startswith("cases."):
        name = path.rpartition(".")[2]
        return next((what for key, what in _OF_A_CASE if key == name), _OTHERWISE)
    return next((what for start, what in _ALTERED if path.startswith(start)), _OTHERWISE)


def anew(outcome: Outcome) -> tuple[Anew, ...]:
    """Each with whether all its musts are admissible for this candidate already."""
    path = outcome.candidate.change[0] if outcome.candidate.change else ""
    return tuple(_of(what, outcome) for what in altered(path))


def _of(what: str, outcome: Outcome) -> Anew:
    asked = list(_asked(what, outcome))
    done = bool(asked) and all(found.verdict is Verdict.ADMISSIBLE for found in asked)
    return Anew(what=what, done=done, asked=asked[0].requirement if asked else "")


def _asked(what: str, outcome: Outcome) -> Iterator[Finding]:
    """The musts that answer for it; nobody asks for a duration unless a requirement does."""
    for found in outcome.findings:
        if found.kind in _ANSWERS[what] and found.level == "must":
            yield found
