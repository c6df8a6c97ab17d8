"""The files that `fiche new` writes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from fiche.assets import template_text
from fiche.cli.output import exists, write_file
from fiche.cli.usage import together
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.kernel.number import Misread
from fiche.kernel.quantity import parse_date

# One row a phase, a device and a trial. Allocated and reserved never share a column (C3); peaks and
# levels neither (C4); declared and executed dimensions are two (A3). Cells are left empty, never 0.
COLUMNS = (
    "candidate",
    "gpu",
    "machine",
    "device_index",
    "case",
    "phase",
    "first_or_later_pass",
    "executed_prompt_tokens",
    "executed_new_tokens",
    "executed_resident_sequences",
    "executed_microbatch",
    "executed_sequence_tokens",
    "executed_images",
    "executed_image_pixels",
    "allocated_peak_bytes",
    "allocated_current_bytes",
    "reserved_peak_bytes",
    "reserved_current_bytes",
    "outcome",
    "output_check",
    "duration_s",
    "piece",
    "changed_variable",
    "notes",
)


def files(path: Path | None, comparison_table: Path | None, date: str) -> dict[Path, str]:
    """What to write, by path.

    Raises:
        Refused: F702 nothing is asked for; F2xx the date has no single reading.
    """
    read = parse_date(date)
    if isinstance(read, Misread):
        message = f"--date: {read.message}"
        raise Refused([Diagnostic(code=read.code, message=message, address=None, hint=read.hint)])
    if path is None and comparison_table is None:
        hint = "name a new folder or file, such as: fiche new chat"
        raise Refused([together("nothing to write", hint)])
    found = {}
    if path is not None:
        target = path if path.suffix in (".yaml", ".yml") else path / "fiche.yaml"
        found[target] = template_text("fiche.yaml.j2").replace("{{ date }}", date)
    if comparison_table is not None:
        found[comparison_table] = ",".join(COLUMNS) + "\n"
    return found


def write_new(found: Mapping[Path, str], *, force: bool) -> tuple[Path, ...]:
    """Write all of them, or none where one exists.

    Raises:
        Refused: F610 one exists and `force` is False, F611 it cannot be written.
    """
    there = [path for path in found if path.exists() and not force]
    if there:
        raise Refused([exists(path) for path in there])
    for path, text in found.items():
        write_file(path, text.encode("utf-8"), force=force)
    return tuple(found)
