"""English sentences of the record of a choice."""

from __future__ import annotations

CHOICE: dict[str, str] = {}
