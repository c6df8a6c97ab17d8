"""The opcodes of pickles: their widths, those that snapshots are written with, those that must not be.

Source: `pickletools` of Python 3.11, and evidence_formats 2.3 for what torch's two writers emit.
"""

from __future__ import annotations

import re

from fiche.kernel.lazy import lazy

# Texts up to here are part of a run; a longer one is judged on its own.
_SHORT = 24
# An index of the memo costs its writer six bytes: LONG_BINPUT and the object that it names.
_BYTES_PER_INDEX = 6

PROTOCOLS = range(2, 6)
FRAME, STOP = 0x95, 0x2E
# What allocates, or lies on the stack, at the cost of one byte.
ALLOCATING = b"]}()N\x85\x86\x87\x88\x89t"
# A snapshot holds pairs of numbers (segment_pool_id) and no other tuple: hashing nested ones may never end.
TUPLES = b")t\x85\x86\x87"
PAIR = 0x86
NUMBERS = b"KMJ\x8a"

FORBIDDEN = {
    ord("c"): "GLOBAL",
    0x93: "STACK_GLOBAL",
    ord("i"): "INST",
    ord("o"): "OBJ",
    0x81: "NEWOBJ",
    0x92: "NEWOBJ_EX",
    ord("R"): "REDUCE",
    ord("b"): "BUILD",
    0x82: "EXT1",
    0x83: "EXT2",
    0x84: "EXT4",
}
OUTSIDE = {
    ord("P"): "a persistent id (PERSID)",
    ord("Q"): "a persistent id (BINPERSID)",
    0x96: "a buffer (BYTEARRAY8)",
    0x97: "a buffer from outside (NEXT_BUFFER)",
    0x98: "a buffer from outside (READONLY_BUFFER)",
}
ODD = {
    ord("0"): "POP",
    ord("1"): "POP_MARK",
    ord("2"): "DUP",
    0x80: "a second PROTO",
    0x8B: "a number of any length (LONG4)",
    0x8F: "a set",
    0x90: "a set",
    0x91: "a frozen set",
    0x8D: "a text of more than 4 GiB",
}


_TEXTS = lazy(rb"(?:\x8c[\x08-\xff]|X[\x08-\xff][\x00-\x03]\x00\x00)([\x20-\x7e]{8,1024})")
WIDTHS = {
    **dict.fromkeys(b"]}()\x94\x85\x86\x87\x88\x89uesNta.", 1),
    **dict.fromkeys(b"hKq", 2),
    **dict.fromkeys(b"jJr", 5),
    **dict.fromkeys(b"M", 3),
    **dict.fromkeys(b"G", 9),
    **dict.fromkeys(b"X\x8c\x8a\x95", 0),
}


def reach(content: bytes, pos: int) -> int:
    """How many bytes the opcode at `pos` takes; 1 for those that are not ordinary."""
    op = content[pos]
    width = WIDTHS.get(op, 1)
    if width:
        return width
    head = {ord("X"): 5, 0x95: 9}.get(op, 2)
    return head if op == FRAME else head + int.from_bytes(content[pos + 1 : pos + head], "little")


_LONGS = b"|".join(bytes([n]) + b"." * n for n in (6, 7, 5, 0, 1, 2, 3, 4, 8)) + (
    rb"|\x09........\x00"
)
NUMBER = rb"(?:K.|M..|J....|\x8a(?:" + _LONGS + b"))"


def ordinary(length: int, *, puts: bool = True) -> bytes:
    """The opcodes of a run, commonest first, each branch told by its first byte.

    A pair of numbers is one step: no other tuple is taken.
    Without `puts` none that names the index at which it puts something into the memo.
    Repeated dots and not counts: the engine walks them without bookkeeping.
    """
    pair = b"(?:" + NUMBER + rb"\x86)?+"
    marked = b"(?:" + NUMBER * 2 + b"t)?+"
    short = b"|".join(re.escape(bytes([n])) + b"." * n for n in range(_SHORT))
    texts = b"|".join(re.escape(bytes([n])) + rb"\x00\x00\x00" + b"." * n for n in range(_SHORT))
    return (
        rb"h.|[]}\x94\x88\x89uesNa]|j....|\(" + marked + b"|K." + pair
        + rb"|\x8a(?:" + _LONGS + b")" + pair + b"|J...." + pair + rb"|\x8c(?:" + short
        + rb")|M.." + pair + b"|G........|X(?:" + texts + b")"
        + (rb"|q.|r" + indexes(length) if puts else b"")
    )  # fmt: skip


def indexes(length: int) -> bytes:
    """Memo indexes up to the most that a file of this length can fill, in steps of 65536."""
    low, high = (length // _BYTES_PER_INDEX >> 16) & 0xFF, length // _BYTES_PER_INDEX >> 24
    top = b"[\\x00-" + re.escape(bytes([low])) + b"]" + re.escape(bytes([high]))
    below = b".[\\x00-" + re.escape(bytes([high - 1])) + b"]|" if high else b""
    return b"..(?:" + below + top + b")"


def long_texts(content: bytes) -> bytes:
    """Texts of eight letters and more, each once and in a line of its own: what people may have written."""
    return b"\n".join({found[1]: None for found in _TEXTS.finditer(content)})


def looks_like_pickle(content: bytes) -> bool:
    """True for the first bytes of a binary pickle, and for a text one of a container."""
    if content[:1] == b"\x80":
        return content[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05")
    return content.startswith((b"(dp", b"(lp", b"}q", b"]q"))
