"""A campaign in the terminal: its jobs before they run, and how they stand."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator

from fiche.cli.campaign_rows import Row
from fiche.cli.campaign_run import DOCUMENT, TABLE, Found, Ready
from fiche.cli.terminal import paragraph, table
from fiche.measure.campaign.drive import Standing
from fiche.measure.campaign.plan import Job
from fiche.report.numbers import PAGE, memory

# Of a campaign with more, the first ones are shown and the rest is counted (law 8).
_MOST = 200


def dry_text(ready: Ready) -> str:
    """The jobs in the order in which they would start."""
    shown = [(each.id, _changed(each), _typed(each)) for each in ready.jobs[:_MOST]]
    text = table(shown, header=("job", "changed", "command: fiche …"), whole=(0,))
    return text + _more(len(ready.jobs)) + f"\n{len(ready.jobs)} jobs; nothing was run\n"


def standing_text(found: Found) -> str:
    """How each job stands, with its largest peaks a device: allocated and reserved apart (C3)."""
    text = table(
        [line for one in found.standings[:_MOST] for line in _lines(one, found)],
        header=("job", "state", "tries", "device", "allocated, peak", "reserved, peak"),
        right=(2, 4, 5),
        whole=(0,),
    )
    text += _more(len(found.standings)) + "".join(_why(found))
    counts = Counter(one.state for one in found.standings)
    states = ", ".join(f"{count} {state}" for state, count in counts.items())
    text += f"\n{len(found.standings)} jobs: {states}\n"
    kept = len(found.document["jobs_of_other_plans"])
    if kept:
        text += f"{kept} further jobs of earlier plans are kept in the folder, and not shown here\n"
    output = found.ready.output
    if (output / TABLE).exists():
        text += paragraph(f"{output / TABLE} has a row for each phase, device and trial")
        text += paragraph(f"{output / DOCUMENT} has the digests of all records")
    return text


def _more(count: int) -> str:
    return f"{count - _MOST} further jobs; --json has them all\n" if count > _MOST else ""


def _why(found: Found) -> Iterator[str]:
    """Each message once, with the jobs that ended so; what a failed one reached is no need (C11)."""
    jobs: dict[str, list[str]] = {}
    for one in found.standings[:_MOST]:
        if one.message:
            jobs.setdefault(one.message, []).append(one.job.id)
    for message, ids in jobs.items():
        yield "\n" + paragraph(message) + paragraph(", ".join(ids), indent="  ")
    if any(one.state == "failed" for one in found.standings):
        yield "\n" + paragraph("The peaks of a failed job are what it reached before, and no need.")


def _changed(job: Job) -> str:
    return ", ".join(f"{name}={value}" for name, value in job.changed_shown)


def _typed(job: Job) -> str:
    """As it is typed; what looks like a secret is in no log of a terminal."""
    return shlex.join(job.words_shown)


def _lines(one: Standing, found: Found) -> Iterator[tuple[str, ...]]:
    """One line a device; peaks of several phases are several instants, so each is only a largest (C4)."""
    own = found.rows_of(one.job.id)
    devices = sorted({row.cells["device_index"] for row in own if row.cells.get("device_index")})
    head = (one.job.id, one.state, str(len(one.tries) or ""))
    for device in devices or [""]:
        mine = [row for row in own if row.cells.get("device_index", "") == device]
        peaks = (_largest(mine, f"{kind}_peak_bytes") for kind in ("allocated", "reserved"))
        yield (*head, device, *peaks)
        head = ("", "", "")


def _largest(rows: list[Row], column: str) -> str:
    seen = [int(row.cells[column]) for row in rows if row.cells.get(column)]
    return memory(max(seen), how=PAGE) if seen else ""
