"""The records of all ranks of one run as one record, in which every device has an index of its own (C9).

A phase succeeded where it succeeded on every rank; it failed where one failed; where a rank tells no end of
it, nobody knows. A success claims the smallest dimension that any rank executed, a failure the largest: no
rank is credited with the load of another. Ranks that contradict each other are not put together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fiche.importers._record_agreed import Agreed, equal_or_none
from fiche.importers._record_aligned import aligned
from fiche.importers._record_devices import Devices
from fiche.importers._record_places import FORMAT
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.kernel.record import record


@record
class RankRecord:
    """The checked document of one rank, its open phases, the digest of its bytes and what it is called."""

    document: Mapping[str, Any]
    unfinished: Sequence[Mapping[str, Any]]
    sha256: str
    name: str

    @property
    def rank(self) -> int:
        """Which rank wrote it."""
        rank: int = self.document["series"]["rank"]["rank"]
        return rank


def merged(ranks: Sequence[RankRecord]) -> dict[str, Any]:
    """One document of all ranks, whatever their order here; the originals stay as they are.

    Raises:
        Refused: a record is of no rank of several (F550); they are of several runs (F551); ranks are missing
            (F552) or given twice (F553); they contradict each other (F554); two of them may have used one
            device (F555); there are more devices than a record counts (F556).
    """
    _check(ranks)
    ordered = sorted(ranks, key=lambda one: one.rank)
    devices = Devices(ordered)
    agreed = Agreed(ordered)
    head = _head(ordered, agreed)
    environment = _environment(ordered, agreed)
    phases = aligned(ordered, devices)
    if agreed.contradictions:
        raise Refused(agreed.contradictions)
    told = {"differs": agreed.differs + phases.differs, "missing": phases.missing}
    told["errors"] = phases.errors
    return {
        **head,
        "environment": {**environment, "devices": devices.environment()},
        "merged": {
            "from": [_original(one) for one in ordered],
            **{key: each for key, each in told.items() if each},
        },
        "phases": phases.phases,
        **({"unfinished": phases.unfinished} if phases.unfinished else {}),
    }


def _original(one: RankRecord) -> dict[str, object]:
    series = str(one.document["series"]["id"])
    return {"sha256": one.sha256, "rank": one.rank, "series": series}


# --- Whether they belong together -----------------------------------------------------------------


def _check(ranks: Sequence[RankRecord]) -> None:
    for find in (_no_rank, _other_runs, _twice, _incomplete):
        found = list(find(ranks))
        if found:
            raise Refused(found)


def _no_rank(ranks: Sequence[RankRecord]) -> Iterator[Diagnostic]:
    for one in ranks:
        rank = one.document["series"].get("rank")
        if "merged" in one.document:
            yield _refusal("F550", f"{one.name} is put together of several ranks already", _ONCE)
        elif rank is None or rank["world"] < 2:
            yield _refusal("F550", f"{one.name} does not say that it is one rank of several", _RANK)


def _other_runs(ranks: Sequence[RankRecord]) -> Iterator[Diagnostic]:
    runs = {one.document["series"].get("run"): one for one in reversed(ranks)}
    unnamed = runs.pop(None, None)
    if unnamed is not None:
        yield _refusal("F551", f"{unnamed.name} does not say of which run it is", _RUN)
    elif len(runs) > 1:
        told = ", ".join(f"{one.name} of {run}" for run, one in sorted(runs.items()))
        yield _refusal("F551", f"these are ranks of different runs: {told}", _RUN)


def _twice(ranks: Sequence[RankRecord]) -> Iterator[Diagnostic]:
    first: dict[int, RankRecord] = {}
    for one in ranks:
        other = first.setdefault(one.rank, one)
        if other is not one:
            message = f"rank {one.rank} stands twice: {other.name} and {one.name}"
            yield _refusal("F553", message, _TWICE)


def _incomplete(ranks: Sequence[RankRecord]) -> Iterator[Diagnostic]:
    worlds = {one.document["series"]["rank"]["world"]: one for one in reversed(ranks)}
    if len(worlds) > 1:
        told = ", ".join(f"{one.name} says {world}" for world, one in sorted(worlds.items()))
        yield _refusal("F554", f"series.rank.world: {told}", _APART)
        return
    (world,) = worlds
    given = {one.rank for one in ranks}
    missing = [str(each) for each in range(min(world, _MOST)) if each not in given]
    if missing or len(given) != world:
        shown = ", ".join(missing[:_SHOWN]) + (", ..." if len(missing) > _SHOWN else "")
        message = (
            f"the run has {world} ranks, {len(ranks)} are given; missing: {shown or 'unknown'}"
        )
        yield _refusal("F552", message, _ALL)


_MOST, _SHOWN = 100_000, 8
_ONCE = "put the original records together"
_RANK = "`series.rank` says which rank of how many wrote a record"
_RUN = "all ranks of a run share `series.run`: the recorder takes `run=`, `fiche run -- torchrun` gives one"
_TWICE = "one record a rank; the phased and the whole-loop record are put together each on its own"
_APART = "a run has one workload, one software and one protocol on all its ranks"
_ALL = "what a missing rank did nobody knows, so the others tell of no run: name its record or its journal"


def _refusal(code: str, message: str, hint: str) -> Diagnostic:
    return Diagnostic(code=code, message=message, address=None, hint=hint)


# --- What all ranks say ---------------------------------------------------------------------------

_SERIES = ("order", "warmups", "repeats", "empty_cache", "plan")
_ENVIRONMENT = ("python", "framework", "backend", "runtime", "allocator")
# What one rank says for itself, or no record reads.
_OF_ITS_OWN = frozenset({"extra", "devices", "variables_left_out"})


def _head(ordered: Sequence[RankRecord], agreed: Agreed) -> dict[str, Any]:
    first = ordered[0].document
    series = first["series"]
    told = {
        "id": series["run"],
        "run": series["run"],
        "started_at": series.get("started_at"),
        "process": {"protocol": agreed.strict("series", "process", "protocol")},
        **{key: agreed.strict("series", key) for key in _SERIES},
        "seed": agreed.kept("series", "seed"),
    }
    return {
        "format": FORMAT,
        "tool": agreed.strict("tool"),
        "series": _told(told),
        "workload": agreed.strict("workload") or {},
        **_told({"gpu": agreed.strict("gpu"), "machine": agreed.kept("machine")}),
    }


def _environment(ordered: Sequence[RankRecord], agreed: Agreed) -> dict[str, Any]:
    left = [one.document["environment"].get("variables_left_out") for one in ordered]
    further = _told({"variables_left_out": equal_or_none(left)})
    rests = [_shared(one.document["environment"]) for one in ordered]
    if equal_or_none(rests) is not None:
        return {**rests[0], **further}
    told = {
        key: agreed.strict("environment", key)
        if key in _ENVIRONMENT
        else agreed.kept("environment", key)
        for key in dict.fromkeys(key for rest in rests for key in rest)
    }
    return {**_told(told), **further}


def _shared(environment: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in environment.items() if key not in _OF_ITS_OWN}


def _told(found: Mapping[str, Any]) -> dict[str, Any]:
    """Without what is not told by all (C2)."""
    return {key: value for key, value in found.items() if value is not None}
