"""Memory snapshots with traces: each is replayed, and what is reserved must be the same throughout.

A folder is searched for `*.pickle`. A device without a trace, or one that cannot be followed, is not
covered; the line of a passed one says over how many events both agree.
"""

import hashlib

from fiche.importers.torch_snapshot import opened
from fiche.kernel.diagnostic import Refused
from fiche.simulate.allocator.compared import compared
from fiche.simulate.allocator.recorded import recorded

NOT_COVERED = "not covered"


def add_options(parser):
    """It has none."""


def run(path, options):
    """Yield (name, complaints, what passed) per device of each snapshot."""
    del options
    for file in sorted(path.rglob("*.pickle")) if path.is_dir() else [path]:
        content = file.read_bytes()
        sha256 = hashlib.sha256(content).hexdigest()
        try:
            devices = [device.index for device in opened(content, sha256).devices]
        except Refused as refusal:
            yield file.name, [f"{NOT_COVERED}: {refusal}"]
            continue
        for device in devices:
            yield (f"{file.name}, device {device}", *_compared(content, sha256, device))


def _compared(content, sha256, device):
    try:
        told = compared(recorded(content, sha256, device))
    except ValueError as problem:
        return [f"{NOT_COVERED}: {problem}"], ""
    agrees = told.agreed == told.events and told.recorded_end_bytes == told.replayed_end_bytes
    return ([], told.words) if agrees else ([told.words], "")
