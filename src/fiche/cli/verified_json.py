"""What `fiche verify` found, for machines: `fiche-verification/1`, schemas/verification.schema.json."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fiche import __version__
from fiche.cli.verifying import Verified, digest
from fiche.verify.step import Step
from fiche.verify.unproven import UNPROVEN
from fiche.verify.verified import Looked

FORMAT = "fiche-verification/1"


def document(found: Verified, written: Sequence[str]) -> dict[str, Any]:
    """Every step of every report; `extracted` only where files were put back."""
    return {
        "format": FORMAT,
        "tool": {"name": "fiche", "version": __version__},
        "path": str(found.path),
        "holds": found.holds,
        "outcome": found.outcome,
        "reports": [_report(name, looked) for name, looked in found.reports.items()],
        "folder": None if found.folder is None else _step(1, found.folder),
        "not_proven": list(UNPROVEN),
        **({"extracted": list(written)} if written else {}),
    }


def _report(name: str, looked: Looked) -> dict[str, Any]:
    container, document = looked.container, looked.container.document
    tool, fiche = document.get("tool"), document.get("fiche")
    content = container.file("decision.json")
    return {
        "file": name,
        "kind": container.kind,
        "bytes": len(container.content),
        "sha256": digest(container.content) if container.content else None,
        "version": tool.get("version") if isinstance(tool, dict) else None,
        "fiche": fiche.get("id") if isinstance(fiche, dict) else None,
        "decision_sha256": None if content is None else digest(content),
        "attachments": [
            {"name": one.name, "bytes": len(one.content), "sha256": one.sha256}
            for one in container.held
        ],
        "steps": [_step(number, step) for number, step in enumerate(looked.steps, start=1)],
    }


def _step(number: int, step: Step) -> dict[str, Any]:
    return {
        "number": number,
        "key": step.key,
        "title": step.title,
        "looked_at": step.looked_at,
        "outcome": step.outcome,
        "points": [{"code": point.code or None, "text": point.text} for point in step.points],
    }
