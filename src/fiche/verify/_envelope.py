"""The room that a signature takes in its file: none covers its own bytes, so they are looked at one by one.

A signature is one value of DER, in hexadecimal, and behind it nothing but zeros to the end of its room. What
else stands there, or is written in another way, was put there by somebody whom the signature says nothing of.
"""

from __future__ import annotations

import re
from typing import Any, TypeAlias

# Of pyHanko, which is optional.
Foreign: TypeAlias = Any

_HEX = re.compile(rb"<((?:[0-9a-f]{2})+|(?:[0-9A-F]{2})+)>")
_NULL, _CONSTRUCTED, _LONG = 0x05, 0x20, 0x80
# No parameters: digests of signatures have none, but for the one that says its length (of Ed448).
_PLAIN, _OF_ITS_LENGTH = (b"", b"\x05\x00"), "shake256_len"
# Versions of what is signed, and of who signed it (RFC 5652, 5.1 and 5.3).
_VERSIONS, _SIGNER = ("v1", "v3", "v4", "v5"), {"issuer_and_serial_number": "v1"}


def odd(content: bytes, signature: Foreign) -> str:
    """What stands in the room of a signature beside it; empty where nothing does."""
    start, length, rest, _ = (int(each) for each in signature.byte_range)
    room = _HEX.fullmatch(content, start + length, rest)
    if room is None:
        return "its room holds more than a signature"
    told = bytes.fromhex(room[1].decode("ascii"))
    end = _end(told)
    if end is None or told[end:].strip(b"\0"):
        return "something else stands behind it in its room"
    return "" if _agrees(signature) else "its envelope says something else than the signature"


def _end(told: bytes) -> int | None:
    """Where the first value of DER ends, all parts of which fill what they lie in; None where it is none."""
    first = _head(told, 0, len(told))
    if first is None:
        return None
    waiting = [(0, first[2])]
    while waiting:
        place, until = waiting.pop()
        while place < until:
            head = _head(told, place, until)
            if head is None or (head[0] == _NULL and head[1] != head[2]):
                return None
            if head[0] & _CONSTRUCTED:
                waiting.append((head[1], head[2]))
            place = head[2]
    return first[2]


def _head(told: bytes, place: int, until: int) -> tuple[int, int, int] | None:
    """The tag of a value, where its content begins and where it ends; None where it has no end of its own."""
    if until - place < 2:
        return None
    tag, length = told[place], told[place + 1]
    begin = place + 2
    if length & _LONG:
        count = length & ~_LONG
        length = int.from_bytes(told[begin : begin + count], "big")
        begin += count
        if not count or length < _LONG or told[begin - count] == 0:
            return None
    is_long_tag = tag & 0x1F == 0x1F
    end = begin + length
    return None if not tag or is_long_tag or end > until else (tag, begin, end)


def _agrees(signature: Foreign) -> bool:
    """What is said twice is the same: versions, and by which digest."""
    signed, signer = signature.signed_data, signature.signer_info
    own, named = signer["digest_algorithm"], list(signed["digest_algorithms"])
    plain = all(
        each["parameters"].dump() in _PLAIN or each["algorithm"].native == _OF_ITS_LENGTH
        for each in (own, *named)
    )
    version = _SIGNER.get(signer["sid"].name, "v3")
    return (
        plain
        and own["algorithm"].native in {each["algorithm"].native for each in named}
        and signed["version"].native in _VERSIONS
        and signer["version"].native == version
    )
