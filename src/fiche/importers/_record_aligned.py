"""The phases of all ranks side by side: the n-th of a name, pass and ordering on each rank is one phase."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fiche.importers._record_agreed import difference, equal_or_none, named
from fiche.importers._record_devices import Devices
from fiche.kernel.record import field, record

if TYPE_CHECKING:
    from fiche.importers._record_merge import RankRecord

_Phase = Mapping[str, Any]
# Name, pass, ordering, and which of several alike.
_Key = tuple[str, str, str, int]


@record
class Aligned:
    """The phases of the merged record, those without an end on every rank, and what was said apart."""

    phases: list[dict[str, Any]] = field(default_factory=list)
    unfinished: list[dict[str, Any]] = field(default_factory=list)
    differs: list[dict[str, Any]] = field(default_factory=list)
    missing: list[dict[str, Any]] = field(default_factory=list)
    errors: list[dict[str, Any]] = field(default_factory=list)


def aligned(ordered: Sequence[RankRecord], devices: Devices) -> Aligned:
    """Put the phases of all ranks together, in the order of the lowest rank that tells of each."""
    found = Aligned()
    told = {one.rank: _keyed(one) for one in ordered}
    keys = dict.fromkeys(key for phases in told.values() for key in phases)
    index = {key: place for place, key in enumerate(keys)}
    parents = {one.rank: _parents(told[one.rank]) for one in ordered}
    for key in keys:
        parts = {rank: phases[key] for rank, phases in told.items() if key in phases}
        around = equal_or_none([parents[rank].get(key) for rank in parts])
        inside = {} if around is None else {"parent": index[around]}
        _add(found, index[key], key, parts, list(told), inside, devices)
    return found


def _keyed(one: RankRecord) -> dict[_Key, _Phase]:
    """A rank's phases in their order, also those without an end."""
    count: Counter[tuple[object, ...]] = Counter()
    found: dict[_Key, _Phase] = {}
    for phase in sorted((*one.document["phases"], *one.unfinished), key=lambda each: each["index"]):
        kind = (phase["name"], phase["pass"], phase["ordering"])
        found[(*kind, count[kind])] = phase
        count[kind] += 1
    return found


def _parents(phases: Mapping[_Key, _Phase]) -> dict[_Key, _Key]:
    if not any("parent" in phase for phase in phases.values()):
        return {}
    by_index = {phase["index"]: key for key, phase in phases.items()}
    return {
        key: by_index[phase["parent"]]
        for key, phase in phases.items()
        if phase.get("parent") in by_index
    }


def _add(
    found: Aligned,
    index: int,
    key: _Key,
    parts: Mapping[int, _Phase],
    ranks: Sequence[int],
    inside: Mapping[str, int],
    devices: Devices,
) -> None:
    start = {"index": index, "name": key[0], "pass": key[1], "ordering": key[2], **inside}
    ended = {rank: phase for rank, phase in parts.items() if "outcome" in phase}
    failed = [rank for rank, phase in ended.items() if phase["outcome"] == "failure"]
    is_phased = key[2] == "phased"
    covers = _covers([ended[rank] for rank in failed] or list(parts.values()))
    start |= {"covers": covers} if covers else {}
    case = equal_or_none([phase.get("case") for phase in parts.values()])
    start |= {} if case is None else {"case": case}
    if not (failed or len(ended) == len(ranks)) or not (covers or is_phased):
        found.unfinished.append(start)
        gone = [rank for rank in ranks if rank not in ended]
        words = {"name": key[0], "pass": key[1], "ordering": key[2]}
        found.missing.append({**words, "ranks": gone})
        return
    place = len(found.phases)
    found.phases.append(
        {
            **start,
            **_dimensions(found, place, ended, failed=bool(failed)),
            "outcome": "failure" if failed else "success",
            "devices": _readings(ended, devices),
            **_ends(ended, ranks),
            **(_error(found, index, ended, failed, devices) if failed else {}),
        }
    )


def _covers(phases: Sequence[_Phase]) -> list[str]:
    """What the loop went through on every rank that says so."""
    told = [phase["covers"] for phase in phases if "covers" in phase]
    return [name for name in told[0] if all(name in each for each in told)] if told else []


def _dimensions(
    found: Aligned, place: int, ended: Mapping[int, _Phase], *, failed: bool
) -> dict[str, dict[str, int]]:
    """What was asked of all ranks; of what they executed the smallest, or the largest that failed."""
    told = {}
    for which in ("declared", "executed"):
        alike = equal_or_none([phase.get(which) for phase in ended.values()])
        if alike is not None:  # as most ranks do
            told[which] = dict(alike)
            continue
        said = {rank: phase[which] for rank, phase in ended.items() if which in phase}
        kept = {}
        for name in named(said):
            values = [phase.get(which, {}).get(name) for phase in ended.values()]
            same = equal_or_none(values)
            if same is None:
                path = ("phases", place, which, name)
                found.differs.append(difference(path, list(ended), values))
            if same is not None:
                kept[name] = same
            elif which == "executed" and None not in values:
                kept[name] = max(values) if failed else min(values)
        if said:
            told[which] = kept
    return told


def _readings(ended: Mapping[int, _Phase], devices: Devices) -> list[dict[str, Any]]:
    return [
        {**each, "device": devices.of(rank, each["device"])}
        for rank, phase in ended.items()
        for each in phase.get("devices", ())
    ]


def _ends(ended: Mapping[int, _Phase], ranks: Sequence[int]) -> dict[str, Any]:
    """How long the slowest rank took, where all tell; checks and tensors of all."""
    took = [phase.get("duration_ns") for phase in ended.values()]
    found: dict[str, Any] = {}
    if len(took) == len(ranks) and None not in took:
        found["duration_ns"] = max(each for each in took if each is not None)
    checks = [phase["output_check"] for phase in ended.values() if "output_check" in phase]
    if checks:
        found["output_check"] = _check(checks, is_whole=len(checks) == len(ended))
    tensors = _tensors(ended)
    if tensors:
        found["tensors"] = tensors
    return found


def _check(checks: Sequence[Mapping[str, Any]], *, is_whole: bool) -> dict[str, Any]:
    """Checked where every rank checked; one that did not pass did not pass for all (C14)."""
    refuted = any(check.get("passed") is False for check in checks)
    checked = is_whole and all(check["status"] == "checked" for check in checks)
    found: dict[str, Any] = {"status": "checked" if checked or refuted else "not_checked"}
    if refuted or (checked and all(check.get("passed") for check in checks)):
        found["passed"] = not refuted
    methods = list(dict.fromkeys(check["method"] for check in checks if "method" in check))
    return {**found, "method": "; ".join(methods)[:500]} if methods else found


def _tensors(ended: Mapping[int, _Phase]) -> list[dict[str, Any]]:
    """Those of all ranks once where they are alike, else each under its rank."""
    seen = {rank: phase["tensors"] for rank, phase in ended.items() if "tensors" in phase}
    if not seen:
        return []
    if len(seen) == len(ended) and (alike := equal_or_none(list(seen.values()))) is not None:
        return list(alike)
    return [
        {**tensor, "name": f"rank {rank}: {tensor['name']}"[:500]}
        for rank, tensors in seen.items()
        for tensor in tensors
    ]


def _error(
    found: Aligned,
    index: int,
    ended: Mapping[int, _Phase],
    failed: Sequence[int],
    devices: Devices,
) -> dict[str, Any]:
    """The error of the phase; a rank that was merely cut off by another's failure is not the first.

    Ranks that wait for one that died fail as well, with an error of communication.
    """
    first = next((rank for rank in failed if _is_memory(ended[rank]["error"])), failed[0])
    found.errors.extend(
        {
            "phase": index,
            "rank": rank,
            "type": ended[rank]["error"]["type"],
            "message": ended[rank]["error"]["message"],
        }
        for rank in failed
        if rank != first
    )
    device = devices.only(first)
    where = {} if device is None else {"device": device}
    return {"error": {**ended[first]["error"], "rank": first, **where}}


def _is_memory(error: Mapping[str, Any]) -> bool:
    told = f"{error['type']} {error['message']}".lower()
    return "outofmemory" in told or "out of memory" in told
