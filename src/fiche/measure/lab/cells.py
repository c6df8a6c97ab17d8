"""Commands in a notebook: what measures is a fresh process that runs the text of the cells above (C7)."""

from __future__ import annotations

import contextlib
import json
import re
import sys
from pathlib import Path
from typing import Any

from fiche.measure.lab.command import fresh, main
from fiche.measure.lab.estimate import grouped

# The first line of each cell that holds a part of the script.
PART_LINE = re.compile(r"# fiche lab, part ([0-9]+) of ([0-9]+)\b")


def lab(*words: str) -> None:
    """Run one command and show what it says; a refusal is a sentence and stops no notebook."""
    script = script_of(globals().get("In", ()))
    if script is None:
        sys.stdout.write(
            "First run all the cells above: they are the script that this command runs.\n"
        )
        return
    try:
        # What is said and what is refused stay in their order: a notebook shows two streams in any.
        with contextlib.redirect_stderr(sys.stdout):
            # Only the processes that a measurement starts may touch a GPU: this one lives on.
            measures = words[:1] == ("measure",)
            code = main(list(words), script) if measures else fresh(list(words), script)
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 2
    if code:
        sys.stdout.write(f"(It ended with code {code}.)\n")


def script_of(cells: Any) -> str | None:
    """The script out of the texts of executed cells, the last of each part; None where one is missing."""
    parts: dict[int, str] = {}
    count = 0
    for text in cells:
        found = PART_LINE.match(text)
        if found is not None:
            count = int(found[2])
            parts[int(found[1])] = text
    if not count or sorted(parts) != list(range(1, count + 1)):
        return None
    joined = "\n\n\n".join(parts[number] for number in sorted(parts))
    return f"{joined}\n\n\nif __name__ == '__main__':\n    sys.exit(main())\n"


def checkpoints_text(path: str) -> str:
    """Both levels at the end of each phase, and their difference there: two readings of one checkpoint (C4)."""
    if not Path(path).exists():
        return f"{path} is not there: nothing was measured.\n"
    lines = [f"{path}: at the end of each phase, in bytes"]
    for phase in json.loads(Path(path).read_text(encoding="utf-8"))["phases"]:
        for read in phase.get("devices", ()):
            end = read.get("end", {})
            if "allocated_bytes" not in end or "reserved_bytes" not in end:
                lines.append(f"  {phase['name']}, {read['device']}: not read")
                continue
            held, kept = end["allocated_bytes"], end["reserved_bytes"]
            lines.append(
                f"  {phase['name']}, {read['device']}: allocated {grouped(held)}, reserved {grouped(kept)}, "
                f"difference at this checkpoint {grouped(kept - held)}"
            )
    return "\n".join(lines) + "\n"
