"""A line per phase while it is measured, on a terminal only, read from the journal as it grows."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from fiche.cli.measured_text import duration
from fiche.cli.terminal import put_message
from fiche.measure.job import Job
from fiche.measure.trials import Watch


def watch_of(job: Job, place: int, of: int) -> Watch | None:
    """What to do with each event of the journal; None where nobody looks on."""
    if not sys.stderr.isatty():
        return None
    name = Path(job.output).name
    put_message(f"[{place + 1}/{of}] {name}" if of else f"[{place + 1}] {name}")

    def tell(event: dict[str, Any]) -> None:
        phase = event.get("phase")
        if event.get("event") == "phase_end" and isinstance(phase, dict):
            took = duration(phase.get("duration_ns"))
            put_message(
                f"  {phase.get('name')} ({phase.get('pass')}): {phase.get('outcome')}, {took}"
            )

    return tell
