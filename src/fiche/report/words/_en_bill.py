"""English sentences of packages and their cost."""

from __future__ import annotations

BILL: dict[str, str] = {}
