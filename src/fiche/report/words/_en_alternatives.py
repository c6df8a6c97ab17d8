"""English sentences of alternatives, remedies and what would void a conclusion."""

from __future__ import annotations

ALTERNATIVES: dict[str, str] = {}
