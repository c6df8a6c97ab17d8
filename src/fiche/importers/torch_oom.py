"""Out-of-memory messages of PyTorch on CUDA, ROCm, XPU and MPS, in logs as people keep them (C11).

A message is an observation of a failure, never a need: not the size asked for, nor used plus asked.
"""

from __future__ import annotations

from collections.abc import Iterator

from fiche.importers._events import Event
from fiche.importers._failure_words import TORCH, anchors
from fiche.importers._ggml_words import OWN as GGML
from fiche.importers._lines import holds
from fiche.importers._opened import opened, opened_head
from fiche.importers._reading import reading_of
from fiche.importers._torch_messages import certainty, names_one, torch_events
from fiche.importers._unsupported import nothing_found, unsupported
from fiche.kernel.diagnostic import Refused
from fiche.kernel.doors import Importer
from fiche.kernel.piece import Reading
from fiche.kernel.said import tell

# A request that the driver turned down, after which torch asks again: no failure, and its refusal says so.
_ATTEMPT = b"memory allocation failed with OOM on device"
# Their own lines say more than the driver's three words inside them: not read in part.
_OTHER_PROGRAMS = frozenset({"TensorFlow log"})


def read(content: bytes, sha256: str) -> Reading:
    """Every out-of-memory failure of a log, in order, repeats counted; what people only name is set aside.

    Raises:
        Refused: the file holds no such failure (F424, or F421 naming a format that is not read yet).
    """
    text = opened(content, sha256)
    found, aside = torch_events(text, sha256)
    if not found and not names_one(aside):
        raise nothing_found(text, sha256, "an out-of-memory message of PyTorch")
    return reading_of("torch_oom", sha256, found, aside, _warnings)


def _high(event: Event, name: str) -> int | None:
    value = event.quantities.get(name)
    return None if value is None else value.high


def _low(event: Event, name: str) -> int | None:
    value = event.quantities.get(name)
    return None if value is None else value.low


def _above(event: Event, name: str, other: str) -> bool:
    """True when one printed figure is surely larger than another."""
    low, high = _low(event, name), _high(event, other)
    return low is not None and high is not None and low > high


def _warnings(event: Event) -> Iterator[str]:
    """What a reader of the report should be told about one event."""
    if event.complete is False:
        yield tell("truncated: the message breaks off; what it did not print is not known")
    for name, text in _COMPARISONS:
        if _above(event, *name):
            yield text
    yield from _limit(event)
    yield from _processes(event)


_COMPARISONS = (
    (
        ("allocated", "total_capacity"),
        tell(
            "allocated_exceeds_capacity: more is allocated than the device holds: part of it "
            "lies in system memory"
        ),
    ),
    (
        ("requested", "total_capacity"),
        tell("requested_exceeds_capacity: one request was larger than the whole device"),
    ),
    (
        ("free", "total_capacity"),
        tell(
            "free_exceeds_capacity: more is free than the device holds: free and total count "
            "different memories"
        ),
    ),
    (
        ("free", "requested"),
        tell(
            "free_exceeds_requested: more was free than was asked for: a limit, fragmentation or "
            "a fault, not a lack of memory"
        ),
    ),
)


def _limit(event: Event) -> Iterator[str]:
    allowed = event.quantities.get("allowed")
    if allowed is None or event.first.shape == "mps":
        return
    if allowed.unavailable:
        yield tell("limit_not_set: the limit printed is the program's word for none")
    elif "total_capacity" not in event.quantities or _above(event, "total_capacity", "allowed"):
        yield (
            tell(
                "limited_below_capacity: a limit was set for the process; what was free on the "
                "device says little"
            )
        )


def _processes(event: Event) -> Iterator[str]:
    own = event.quantities.get("process_in_use")
    in_use = [*([own] if own else []), *(other.in_use for other in event.other_processes)]
    if any(value.unavailable for value in in_use):
        yield (
            tell(
                "nvml_value_not_available: 17179869184.00 GiB is the driver's word for 'not "
                "available', no size"
            )
        )
    if event.other_processes and own is None:
        yield (
            tell(
                "self_process_not_identified: processes are listed but not which one failed; in a "
                "container the failing process can be among them"
            )
        )


def accepts(head: bytes, name: str) -> int:
    """90 for a message with figures, 60 for a driver's or library's word, 5 for attempts alone, else 0."""
    text = opened_head(head)
    try:
        sure = certainty(text)
    except Refused:
        return 60  # too many to tell: reading says so
    if sure == 1 and (unsupported(text) in _OTHER_PROGRAMS or holds(text, GGML)):
        return 0
    return (5 if _ATTEMPT in text else 0, 60, 90)[sure]


MEMBER = Importer(
    name="torch_oom",
    title="Out-of-memory messages of PyTorch",
    accepts=accepts,
    read=read,
    anchors=anchors(TORCH),
    log=True,
)
