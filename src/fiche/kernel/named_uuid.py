"""UUIDs of version 5 (RFC 9562, 5.5), as `uuid.uuid5` makes them: the same name has the same id everywhere.

The standard library's module asks at its import which machine it runs on; a short command waits for that.
"""

from __future__ import annotations

import hashlib


def named_uuid(namespace: bytes, name: bytes) -> str:
    """The id of a name within a namespace of sixteen bytes."""
    made = bytearray(hashlib.sha1(namespace + name, usedforsecurity=False).digest()[:16])
    made[6] = made[6] & 0x0F | 0x50  # the version
    made[8] = made[8] & 0x3F | 0x80  # the variant
    text = made.hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
