"""English sentences of what to settle next."""

from __future__ import annotations

SETTLING: dict[str, str] = {}
