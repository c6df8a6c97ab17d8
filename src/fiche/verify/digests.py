"""Step 3: the digests that the report prints of itself are those of what it carries."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from fiche.verify.container import DECISION, Container
from fiche.verify.manifest import Listed
from fiche.verify.step import Sheet, Step


def digests_step(container: Container, found: Listed) -> Step:
    """Compare digests on pages, in metadata and in decision.json with the files."""
    sheet = Sheet("digests", "The digests that are printed are right")
    decision = next((one for one in container.held if one.name == DECISION), None)
    if decision is None:
        sheet.fault("F907", f"no {DECISION} is attached: no digest can be right")
        return sheet.step("nothing")
    document = container.document
    if not document:
        sheet.fault("F907", f"{DECISION} is not in the canonical form that fiche writes")
    for where, told in container.digests.get("decision", ()):
        if told not in _known(container, document):
            sheet.fault("F907", f"{where}: {told[:12]}… is the digest of nothing attached")
    _own(sheet, container, decision.sha256)
    if container.kind == "pdf":
        _metadata(sheet, container, document)
    count = _inputs(sheet, container, document, found)
    sheet.say(f"{DECISION}  sha256 {decision.sha256}")
    places = len({where for where, _ in container.digests.get("decision", ())})
    return sheet.step(
        f"{DECISION}'s digest in {places} places, and those of {count} files that went in"
    )


def _known(container: Container, document: Mapping[str, Any]) -> set[str]:
    """Every digest that may stand on a page: of attached files, and of what decision.json names."""
    return {one.sha256 for one in container.held} | _texts(document)


def _texts(part: Any) -> set[str]:  # noqa: ANN401 - any JSON
    found: set[str] = set()
    waiting = [part]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one
        elif isinstance(one, str):
            found.update(_DIGEST.findall(one))
    return found


_DIGEST = re.compile(r"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")


_ON_A_PAGE = ["beside the title", "under the title", "at the foot"]


def _own(sheet: Sheet, container: Container, sha256: str) -> None:
    """Decision.json's own digest stands under the title: on every page of paper, three times on a page."""
    told = container.digests.get("decision", ())
    pages = [one.place for one in container.passages]
    for place in {"pdf": pages, "html": _ON_A_PAGE}.get(container.kind, []):
        here = [digest for where, digest in told if where == place]
        if sha256 not in here:
            shown = f"{here[0][:12]}…" if here else "no digest"
            sheet.fault("F907", f"{place}: {shown} stands there, {DECISION} has {sha256[:12]}…")


def _metadata(sheet: Sheet, container: Container, document: Mapping[str, Any]) -> None:
    rules = document.get("rules") or {}
    fiche = (document.get("fiche") or {}).get("id")
    expected = {
        "fiche": fiche,
        "rules": rules.get("sha256"),
        "policy": rules.get("policy_sha256"),
        "id": fiche,
    }
    for name, value in expected.items():
        told = [digest for _, digest in container.digests.get(name, ())]
        if value is not None and told != [value]:
            where = "the file's ID" if name == "id" else f"the metadata (XMP) for '{name}'"
            sheet.fault("F907", f"{where} tells {', '.join(told) or 'nothing'}, not {value}")
    xmp = [
        d for where, d in container.digests.get("decision", ()) if where.startswith("in the meta")
    ]
    if len(xmp) != 1:
        sheet.fault("F907", f"the metadata (XMP) names {len(xmp)} decisions, not one")
    elif xmp != [next(one.sha256 for one in container.held if one.name == DECISION)]:
        sheet.fault(
            "F907", f"the metadata (XMP) names decision {xmp[0][:12]}…, which is not attached"
        )


def _inputs(sheet: Sheet, container: Container, document: Mapping[str, Any], found: Listed) -> int:
    """Every input of the decision is attached with the bytes that it was made of."""
    inputs = document.get("inputs")
    told = [one for one in inputs if isinstance(one, dict)] if isinstance(inputs, list) else []
    files = found.files(container)
    held = {str(e["file"]): e["name"] for e in found.entries.values()}
    digests = {one.name: one.sha256 for one in container.held}
    for one in told:
        name = str(one.get("file"))
        if name not in files:
            sheet.fault("F907", f"{name} went into the decision and is not attached")
        elif digests[held[name]] != one.get("sha256"):
            which = f"{str(one.get('sha256'))[:12]}…"
            sheet.fault("F907", f"{name}: the decision was made of other bytes (sha256 {which})")
    for name in sorted(set(files) - {str(one.get("file")) for one in told}):
        sheet.fault("F907", f"{name} is attached and went into no decision")
    return len(told)
