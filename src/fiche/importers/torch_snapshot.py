"""A memory snapshot of torch: the pickle that `torch.cuda.memory._dump_snapshot` or a crash writes.

Layouts of evidence_formats 2.3: a dictionary with segments and traces, or a bare list of segments. Never
loaded by `pickle.load`: scanned, then built with every door to code shut, then checked level by level.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from fiche.importers._pickle_load import no_collection, plain_values
from fiche.importers._pickle_opcodes import looks_like_pickle
from fiche.importers._pickle_portion import UnsafePickleError
from fiche.importers._pickle_rows import Batch
from fiche.importers._pickle_scan import Scan
from fiche.importers._refusal import refused
from fiche.importers._snapshot_columns import Columns, MisshapenError, dropped
from fiche.importers._snapshot_device import Device
from fiche.importers._snapshot_reading import reading_of
from fiche.importers._snapshot_shape import Levels, Now
from fiche.kernel.diagnostic import Refused
from fiche.kernel.doors import Importer
from fiche.kernel.piece import Reading

_TRACES, _BEHIND = b"device_traces", b"allocator_settings"
# No entry of a trace and no block is written in fewer bytes.
_LEAST_BYTES = 4
_MOST_DEVICES = 4096
_CODES = {
    "forbidden_global": "F460",
    "malformed": "F461",
    "truncated": "F461",
    "excessive": "F462",
    "text": "F465",
    "other": "F463",
}
_HINTS = {
    "F460": "a snapshot holds plain values only: do not open this file in any other program either",
    "F461": "copy the file again; a snapshot that was cut tells nothing",
    "F462": "no snapshot of this length needs that: the file is damaged or made to do harm",
    "F465": "write it again with torch.cuda.memory._dump_snapshot",
}


@dataclass
class Opened:
    """A snapshot as it was read: its dictionary without the traces' entries, and its devices with them."""

    root: Mapping[str, Any]
    shape: str
    devices: list[Device]
    doubts: list[str]


def read(content: bytes, sha256: str) -> Reading:
    """Levels of each device now and over the recorded window.

    Raises:
        Refused: the pickle names code (F460), is broken (F461) or asks for too much memory (F462), is no
            snapshot (F463), tells of pinned host memory alone (F464), or is a text pickle (F465).
    """
    with _refusing(sha256):
        told = _opened(content, sha256)
        return reading_of(told.root, told.shape, told.devices, told.doubts, sha256)


def opened(content: bytes, sha256: str) -> Opened:
    """The devices of a snapshot with their traces, for what needs entries rather than figures.

    Raises:
        Refused: as `read`.
    """
    with _refusing(sha256):
        return _opened(content, sha256)


@contextmanager
def _refusing(sha256: str) -> Iterator[None]:
    """Turn what is wrong with a pickle into a refusal at its place."""
    try:
        with no_collection():
            yield
    except UnsafePickleError as problem:
        code = _CODES[problem.reason]
        place = f"byte {problem.offset}"
        if code == "F463":
            raise _no_snapshot(problem.words, sha256, place) from None
        raise refused(code, problem.words, sha256, path=place, hint=_HINTS[code]) from None
    except MisshapenError as problem:
        raise _no_snapshot(problem.words, sha256, problem.path) from None


def _no_snapshot(words: str, sha256: str, path: str = "") -> Refused:
    hint = "fiche reads what torch.cuda.memory._dump_snapshot writes, and memory_snapshot() pickled"
    return refused("F463", f"no memory snapshot: {words}", sha256, path=path, hint=hint)


def _opened(content: bytes, sha256: str) -> Opened:
    taken = _Taken()
    traces_at = content.find(_TRACES)
    behind = content.find(_BEHIND, traces_at) if traces_at >= 0 else -1
    scan = Scan(content, traces_at, behind if behind >= 0 else len(content))
    value = plain_values(content, scan, taken.take)
    shape = "list-of-segments" if isinstance(value, list) else "dict"
    root = {"segments": value} if isinstance(value, list) else value
    if not isinstance(root, dict):
        raise MisshapenError("", f"the file holds a {type(root).__name__}")
    if "segments" not in root and ("host_segments" in root or "host_traces" in root):
        words = "a snapshot of pinned host memory only, which is no memory of a device"
        raise refused("F464", words, sha256, path="host_segments", hint="snapshot a device")
    segments = root.get("segments")
    if not isinstance(segments, list):
        raise MisshapenError("", "there is no list of segments")
    most = len(content) // _LEAST_BYTES
    levels = Levels(segments, most)
    traces = taken.traces(root, most)
    if value == []:
        raise MisshapenError("", "an empty list: it says nothing of any device")
    devices = [
        Device(index, levels.devices.get(index) or Now(), traces.get(index) or Columns()).replayed()
        for index in sorted({*levels.devices, *(i for i, t in traces.items() if len(t))})
    ]
    return Opened(root, shape, devices, levels.doubts)


class _Taken:
    """Columns by the list that their entries stood in: batches arrive while the pickle is built."""

    def __init__(self) -> None:
        self._columns: dict[int, tuple[list[Any], Columns]] = {}

    def take(self, owner: list[Any], entries: list[Any] | Batch) -> bool:
        """Keep a batch as columns, behind what already stands in its list; False for no trace."""
        if not isinstance(entries, Batch) and (
            {*map(type, entries)} != {dict} or "action" not in entries[0]
        ):
            return False
        columns = self._columns.setdefault(id(owner), (owner, Columns()))[1]
        columns.take(owner, "device_traces")
        dropped(owner)
        owner.clear()
        if isinstance(entries, Batch):
            columns.take_batch(entries, "device_traces")
            return True
        columns.take(entries, "device_traces")
        dropped(entries)
        return True

    def traces(self, root: Mapping[str, Any], most: int) -> dict[int, Columns]:
        """The traces by device, what was left in their lists added.

        Raises:
            MisshapenError: they are no lists, more devices than any machine has, or more than the file
                can hold.
        """
        listed = root.get("device_traces")
        listed = [] if listed is None else listed
        if not isinstance(listed, list) or len(listed) > _MOST_DEVICES:
            raise MisshapenError("device_traces", "the traces are no list of one a device")
        traces: dict[int, Columns] = {}
        for device, trace in enumerate(listed):
            path = f"device_traces/{device}"
            if not isinstance(trace, list):
                raise MisshapenError(path, f"a trace is a {type(trace).__name__}")
            most -= len(trace)
            if most < 0:
                raise MisshapenError(path, "more entries than a file of this length can hold")
            if not trace and id(trace) not in self._columns:
                continue
            columns = self._columns.pop(id(trace), (trace, Columns()))[1]
            columns.take(trace, path)
            dropped(trace)
            traces[device] = columns
        return traces


def accepts(content: bytes, name: str) -> int:
    """92 for a pickle with the keys of a snapshot, 60 for any other: none is ever opened otherwise.

    A text pickle has no first byte to know it by: its file's name says what it is.
    """
    if not looks_like_pickle(content):
        named = name.lower().endswith((".pickle", ".pkl"))
        return 60 if named and content.rstrip().endswith(b".") else 0
    keys = (b"total_size", b"device_traces", b"host_segments")
    return 92 if any(content.find(key) >= 0 for key in keys) else 60


MEMBER = Importer(
    name="torch_snapshot", title="Memory snapshot of PyTorch", accepts=accepts, read=read
)
