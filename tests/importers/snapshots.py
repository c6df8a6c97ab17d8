"""Snapshots made by hand: allocators that keep their own books, and pickles written opcode by opcode."""

import hashlib
import pickle
import struct
from dataclasses import dataclass, field

from fiche.importers.torch_snapshot import MEMBER

MIB = 1 << 20
START_US = 1_770_000_000_000_000
TRAIN = {"filename": "/srv/job/train.py", "line": 88, "name": "step"}
MODEL = {"filename": "/srv/job/model.py", "line": 41, "name": "forward"}
TORCH = {"filename": "/opt/env/torch/nn/modules/linear.py", "line": 125, "name": "forward"}


def read(content):
    return MEMBER.read(content, hashlib.sha256(content).hexdigest())


def snapshot(segments=(), traces=((),), **more):
    return {
        "segments": list(segments),
        "device_traces": [list(trace) for trace in traces],
        "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": "", "max_split_size": -1},
        "external_annotations": [],
        **more,
    }


SHARED = [MODEL, TRAIN]


def block(address, size, requested, state="active_allocated", frames=(MODEL, TRAIN)):
    return {
        "address": address,
        "size": size,
        "requested_size": requested,
        "state": state,
        "frames": list(frames),
    }


def segment(address, total, blocks, **more):
    """A segment whose sums are those of its blocks; the rest of it is one inactive block."""
    used = sum(one["size"] for one in blocks)
    rest = [block(address + used, total - used, 0, "inactive", ())] if total > used else []
    live = [one for one in blocks if one["state"] != "inactive"]
    return {
        "device": 0,
        "address": address,
        "total_size": total,
        "allocated_size": sum(o["size"] for o in live if o["state"] == "active_allocated"),
        "active_size": sum(one["size"] for one in live),
        "requested_size": sum(one["requested_size"] for one in live),
        "stream": 0,
        "segment_type": "large",
        "segment_pool_id": (0, 0),
        "is_expandable": False,
        "frames": [],
        "blocks": [*blocks, *rest],
        **more,
    }


@dataclass
class Machine:
    """An allocator that notes what it does, and what its levels were after each entry.

    Its books are the oracle: `levels` are (reserved, requested, allocated requests) after each entry.
    """

    device: int = 0
    frames: bool = True
    times: bool = True
    own_lists: bool = False
    entries: list = field(default_factory=list)
    levels: list = field(default_factory=list)
    segments: dict = field(default_factory=dict)
    live: dict = field(default_factory=dict)
    pending: dict = field(default_factory=dict)

    def note(self, action, address, size, frames=SHARED, **more):
        key = "device_free" if action == "oom" else "addr"
        entry = {"action": action, key: address, "size": size, "stream": 0}
        if self.times:
            entry["time_us"] = START_US + 10 * len(self.entries)
        entry |= {"compile_context": "N/A", "user_metadata": "", **more}
        if self.frames:
            entry["frames"] = list(frames) if self.own_lists else frames
        self.entries.append(entry)
        self.levels.append(self.now())

    def now(self):
        allocated = sum(size for size, _ in self.live.values())
        return (
            sum(self.segments.values()),
            allocated + sum(size for size, _ in self.pending.values()),
            allocated,
        )

    def grow(self, address, size, action="segment_alloc"):
        self.segments[address] = size
        self.note(action, address, size)

    def shrink(self, address, action="segment_free"):
        size = self.segments.pop(address)
        self.note(action, address, size)

    def alloc(self, address, size, frames=(MODEL, TRAIN)):
        frames = list(frames)
        self.live[address] = (size, frames)
        self.note("alloc", address, size, frames)

    def ask(self, address):
        self.pending[address] = self.live.pop(address)
        self.note("free_requested", address, self.pending[address][0])

    def complete(self, address):
        size, _ = self.pending.pop(address)
        self.note("free_completed", address, size)

    def free(self, address):
        self.ask(address)
        self.complete(address)

    def held(self, **more):
        """The segments at the end, blocks rounded up to 512 bytes."""
        blocks = {
            address: (size, frames, state)
            for state, some in (
                ("active_allocated", self.live),
                ("active_pending_free", self.pending),
            )
            for address, (size, frames) in some.items()
        }
        return [
            segment(
                start,
                total,
                [
                    block(address, -(-size // 512) * 512, size, state, frames)
                    for address, (size, frames, state) in sorted(blocks.items())
                    if start <= address < start + total
                ],
                device=self.device,
                **more,
            )
            for start, total in sorted(self.segments.items())
        ]


def busy(rounds=40, **how):
    """A machine after some rounds of growing, allocating, freeing late and shrinking."""
    machine = Machine(**how)
    for number in range(rounds):
        base = (number + 1) << 32
        machine.grow(base, 64 * MIB)
        for place in range(4):
            machine.alloc(base + place * 16 * MIB, (place + 1) * MIB + 7 * number, (TORCH, MODEL))
        machine.ask(base)
        machine.free(base + 16 * MIB)
        if number % 3:
            machine.complete(base)
            machine.free(base + 32 * MIB)
            machine.free(base + 48 * MIB)
            machine.shrink(base)
    return machine


def told(reading, counter, stat, device=0):
    """The value of one observation, exact or (low, high)."""
    found = [
        o.value
        for o in reading.observations
        if (o.counter, o.stat, o.device_index) == (counter, stat, device)
    ]
    assert len(found) <= 1
    if not found:
        return None
    value = found[0]
    return value.value if value.rounding == "exact" else (value.low, value.high)


# --- Pickles by hand ----------------------------------------------------------------------------


def framed(body, protocol=4):
    """The opcodes of `body` in one frame, with their STOP."""
    body += b"."
    return bytes((0x80, protocol, 0x95)) + struct.pack("<Q", len(body)) + body


def dumped(value, protocol=4):
    return pickle.dumps(value, protocol=protocol)


class Writer:
    """Protocol 2 as torch's own C++ pickler writes it: one mark a list, no frames."""

    def __init__(self):
        self.out = bytearray(b"\x80\x02")
        self.memo = {}
        self.kept = []

    def whole(self, value):
        self.write(value)
        return bytes(self.out + b".")

    def write(self, value):
        out = self.out
        if value is None:
            out += b"N"
        elif isinstance(value, bool):
            out += b"\x88" if value else b"\x89"
        elif isinstance(value, int):
            self.number(value)
        elif isinstance(value, float):
            out += b"G" + struct.pack(">d", value)
        elif isinstance(value, str):
            self.text(value)
        elif isinstance(value, dict):
            self.many(value, b"}", [part for pair in value.items() for part in pair], b"u")
        elif isinstance(value, list):
            self.many(value, b"]", value, b"e")
        elif isinstance(value, tuple):
            out += b"("
            for part in value:
                self.write(part)
            out += b"t"

    def many(self, value, opening, parts, closing):
        """A container that others refer to is put into the memo when it is complete; entries are not."""
        if id(value) in self.memo:
            self.reference(b"hj", self.memo[id(value)])
            return
        self.out += opening
        if parts:
            self.out += b"("
            for part in parts:
                self.write(part)
            self.out += closing
        if "action" not in value:
            self.kept.append(value)
            self.memo[id(value)] = len(self.memo)
            self.reference(b"qr", self.memo[id(value)])

    def number(self, value):
        if 0 <= value < 256:
            self.out += b"K" + bytes((value,))
        elif -(1 << 31) <= value < 1 << 31:
            self.out += b"J" + struct.pack("<i", value)
        else:
            length = 8 + (value >> 63 > 0)
            self.out += bytes((0x8A, length)) + value.to_bytes(length, "little", signed=True)

    def text(self, value):
        if value in self.memo:
            self.reference(b"hj", self.memo[value])
            return
        raw = value.encode()
        self.out += b"X" + struct.pack("<I", len(raw)) + raw
        self.memo[value] = len(self.memo)
        self.reference(b"qr", self.memo[value])

    def reference(self, opcodes, index):
        if index < 256:
            self.out += opcodes[:1] + bytes((index,))
        else:
            self.out += opcodes[1:] + struct.pack("<I", index)
