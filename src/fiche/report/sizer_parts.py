"""The sizer as a part of a report: words, numbers and traces as plain texts, which a script evaluates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fiche.kernel.record import record


@record(eq=False)
class Sizer:
    """`unscripted` is what a reader without scripts is told; `content` is plain JSON, told already."""

    unscripted: str
    content: Mapping[str, Any]
