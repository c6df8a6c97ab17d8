"""English sentences of criteria."""

from __future__ import annotations

CRITERIA: dict[str, str] = {}

# Topics of conditions and kinds of requirements, by code.
TOPICS: dict[str, str] = {}
KINDS: dict[str, str] = {}
