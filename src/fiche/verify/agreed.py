"""Step 5: the decision that was made again says what the attached decision.json says."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from fiche.render.json import decision_bytes
from fiche.verify.container import DECISION, Container
from fiche.verify.entries import anywhere, remaining, short
from fiche.verify.recompile import Made
from fiche.verify.step import Sheet, Step

_MOST = 12
# How a finding is known, and what of it counts; a number is its ends and its unit.
_FINDING = ("candidate", "requirement", "case", "device")
_VERDICT = ("verdict", "reason_code", "level", "outcome")
_SIDES = ("need", "have", "margin")
_CANDIDATE = ("status", "verdict", "rank", "gpu", "card", "offer", "seller")
_ENDS = ("value", "bytes", "low", "high", "low_bytes", "high_bytes", "unit", "basis", "condition")
_LISTS = ("ranking", "shortlist", "counts", "conditional_choice", "date", "title", "question")


def agreed_step(container: Container, made: Made | None, version: str) -> Step:
    """Compare the two decisions: to the byte where one version made both, else value by value."""
    sheet = Sheet("decision", "The decision is the same")
    told, content = container.document, container.file(DECISION)
    if made is None or not told:
        sheet.unproven("nothing could be compared: see the steps before")
        return sheet.step("nothing")
    again = decision_bytes(made.decision)
    theirs = str((told.get("tool") or {}).get("version", "unknown"))
    if content == again:
        return sheet.step(f"{len(again)} bytes of {DECISION}, made by fiche {theirs}: equal")
    here = json.loads(again)
    found = list(islice(differences(told, here), _MOST + 1))
    changed = list(rules_changed(told, here))
    _versions(sheet, told, here, theirs, version)
    for text in found[:_MOST]:
        sheet.fault("F909", text)
    if len(found) > _MOST:
        sheet.fault("F909", "and more: the decision is another one")
    if found and changed:
        sheet.fault("F910", f"it was judged by other rules than this version has: {changed[0]}")
    for text in changed:
        sheet.say(f"changed rules: {text}")
    another = theirs != version or told.get("schema_version") != here.get("schema_version")
    if not found and another:
        remaining(sheet, told, here, version, rules=bool(changed))
    elif not found:
        for text in islice(anywhere(told, here), 3):
            sheet.fault("F909", text)
        sheet.faults = sheet.faults or [*_unequal()]
    sheet.say(f"what comes out: {_statuses(here)}")
    seen = len(told.get("findings") or ()), len(told.get("figures") or ())
    return sheet.step(f"every verdict and value: {seen[0]} findings, {seen[1]} numbers")


def _statuses(document: Mapping[str, Any]) -> str:
    """Each candidate with its answer, to be held against what people see on the pages."""
    found = [
        f"{one['id']} {str(one['status']).replace('_', ' ')}"
        for one in _entries(document, "candidates")
    ]
    more = f", and {len(found) - 12} more" if len(found) > 12 else ""
    return f"{', '.join(found[:12])}{more}"


def is_same(container: Container, made: Made | None) -> bool:
    """True where the decision made again has the bytes of the attached one."""
    return made is not None and container.file(DECISION) == decision_bytes(made.decision)


def _unequal() -> Iterator[Any]:
    from fiche.verify.step import Point

    yield Point(f"the bytes of {DECISION} differ from what the attached files give", "F909")


def _versions(
    sheet: Sheet, told: Mapping[str, Any], here: Mapping[str, Any], theirs: str, version: str
) -> None:
    if theirs != version:
        sheet.say(f"the report was made by fiche {theirs}, it is verified by fiche {version}")
    old, new = told.get("schema_version"), here.get("schema_version")
    if old != new and theirs == version:
        sheet.say(f"the report was made by another state of fiche {theirs} than the one here")
    if old != new:
        sheet.say(f"decision.json has schema version {old}, this fiche writes {new}")


def differences(told: Mapping[str, Any], here: Mapping[str, Any]) -> Iterator[str]:
    """What differs in verdicts and values, worst first: candidates, findings, numbers, order."""
    yield from _listed(told, here, "candidates", ("id",), _CANDIDATE, "candidate")
    yield from _sums(told, here)
    yield from _listed(told, here, "findings", _FINDING, _VERDICT, "finding")
    yield from _sides(told, here)
    yield from _figures(told, here)
    for key in _LISTS:
        if told.get(key) != here.get(key):
            yield f"{key}: {short(told.get(key))} is told, {short(here.get(key))} comes out"
    if _choice(told) != _choice(here):
        yield f"the choice: {short(_choice(told))} is told, {short(_choice(here))} comes out"


def _entries(document: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    found = document.get(key)
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _by(entries: Sequence[Mapping[str, Any]], keys: Sequence[str]) -> dict[tuple[str, ...], Any]:
    return {tuple(str(one.get(key) or "") for key in keys): one for one in entries}


def _listed(
    told: Mapping[str, Any],
    here: Mapping[str, Any],
    key: str,
    known_by: Sequence[str],
    counting: Sequence[str],
    word: str,
) -> Iterator[str]:
    theirs, ours = _by(_entries(told, key), known_by), _by(_entries(here, key), known_by)
    for name in [*theirs, *(name for name in ours if name not in theirs)]:
        shown = " ".join(part for part in name if part)
        if name not in ours or name not in theirs:
            yield f"{word} {shown}: {'told' if name in theirs else 'comes out'}, and only so"
            continue
        for field in counting:
            one, other = theirs[name].get(field), ours[name].get(field)
            if one != other:
                yield f"{word} {shown}: {field} {short(one)} is told, {short(other)} comes out"


def _sums(told: Mapping[str, Any], here: Mapping[str, Any]) -> Iterator[str]:
    """Cost and useful margin of each candidate, as numbers."""
    theirs, ours = (
        _by(_entries(told, "candidates"), ("id",)),
        _by(_entries(here, "candidates"), ("id",)),
    )
    old, new = _by(_entries(told, "figures"), ("id",)), _by(_entries(here, "figures"), ("id",))
    for name in theirs.keys() & ours.keys():
        for field in ("cost", "useful_margin"):
            one = _ends(old.get((str(theirs[name].get(field)),)))
            other = _ends(new.get((str(ours[name].get(field)),)))
            if one != other:
                word = field.replace("_", " ")
                yield f"{word} of {name[0]}: {_number(one)} is told, {_number(other)} comes out"


def _sides(told: Mapping[str, Any], here: Mapping[str, Any]) -> Iterator[str]:
    theirs, ours = (
        _by(_entries(told, "findings"), _FINDING),
        _by(_entries(here, "findings"), _FINDING),
    )
    for name in [name for name in theirs if name in ours]:
        for side in _SIDES:
            one, other = _ends(theirs[name].get(side)), _ends(ours[name].get(side))
            if one != other:
                shown = " ".join(part for part in name if part)
                yield f"{side} of {shown}: {_number(one)} is told, {_number(other)} comes out"


def _figures(told: Mapping[str, Any], here: Mapping[str, Any]) -> Iterator[str]:
    theirs, ours = _by(_entries(told, "figures"), ("id",)), _by(_entries(here, "figures"), ("id",))
    for name in [*theirs, *(name for name in ours if name not in theirs)]:
        one, other = _ends(theirs.get(name)), _ends(ours.get(name))
        if one != other:
            yield f"number {name[0]}: {_number(one)} is told, {_number(other)} comes out"


def _ends(figure: Any) -> dict[str, Any]:  # noqa: ANN401 - any JSON
    if not isinstance(figure, dict):
        return {}
    return {key: figure[key] for key in _ENDS if figure.get(key) is not None}


def _number(ends: Mapping[str, Any]) -> str:
    if not ends:
        return "nothing"
    told = [str(ends[key]) for key in _ENDS[:6] if key in ends]
    return (
        f"{' to '.join(told) or 'unknown'} {ends.get('unit', '')} ({ends.get('basis', '')})".strip()
    )


def _choice(document: Mapping[str, Any]) -> Any:  # noqa: ANN401 - any JSON
    choice = document.get("choice")
    return choice.get("chosen") if isinstance(choice, dict) else choice


def rules_changed(told: Mapping[str, Any], here: Mapping[str, Any]) -> Iterator[str]:
    """Which rows of the rule are others, new or gone; that only words differ is said as such."""
    old, new = told.get("rules") or {}, here.get("rules") or {}
    if old.get("sha256") == new.get("sha256"):
        return
    theirs, ours = _by(_rows(old), ("reason_code",)), _by(_rows(new), ("reason_code",))
    for (code,), row in theirs.items():
        if (code,) not in ours:
            yield f"row '{code}' ({row.get('verdict')}) is gone"
        elif ours[(code,)].get("verdict") != row.get("verdict"):
            now = ours[(code,)].get("verdict")
            yield f"row '{code}' led to {row.get('verdict')} then, and leads to {now} now"
    for (code,), row in ours.items():
        if (code,) not in theirs:
            yield f"row '{code}' ({row.get('verdict')}) is new"
    shared = [code for code in theirs if code in ours]
    if shared != [code for code in ours if code in theirs]:
        yield "the rows stand in another order, and the first that holds wins"
    worded = [c for c in shared if theirs[c].get("text") != ours[c].get("text")]
    if worded:
        yield f"row '{worded[0][0]}' is worded otherwise, with the same verdict"


def _rows(rules: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return _entries(rules, "decision_rule")
