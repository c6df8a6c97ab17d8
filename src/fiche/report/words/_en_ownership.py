"""English sentences of buying against renting."""

from __future__ import annotations

OWNERSHIP: dict[str, str] = {}
