"""Short words for what a reading says, for tests of importers."""

import contextlib

from fiche.kernel.diagnostic import Refused

DIGEST = "ab" * 32


def reader(member):
    """A function that reads text or bytes with a member."""

    def read(text):
        return member.read(text if isinstance(text, bytes) else text.encode(), DIGEST)

    return read


def told(reading):
    """(counter, stat, device, what was printed) of every observation."""
    return [
        (seen.counter, seen.stat, seen.device_index, seen.value.text if seen.value else seen.number)
        for seen in reading.observations
    ]


def facts(reading):
    return {path: fact.value for path, fact in reading.facts.items()}


def keys(reading):
    """The short keys of the warnings."""
    return {warning.partition(":")[0] for warning in reading.warnings}


def totals(reading):
    """(device, printed, name, what others held at least and at most) of every capacity."""
    return [
        (c.device_index, c.value.text, c.device_name, c.others and (c.others.low, c.others.high))
        for c in reading.capacities
    ]


def holds_together(read, text):
    """A damaged text is refused, or read into intervals that are intervals and places that exist."""
    text = text.encode() if isinstance(text, str) else text
    with contextlib.suppress(Refused):
        for seen in read(text).observations:
            assert seen.pointer.line is None or 1 <= seen.pointer.line <= text.count(b"\n") + 1
            if seen.value is not None and not seen.value.unavailable:
                assert 0 <= seen.value.low <= seen.value.high
