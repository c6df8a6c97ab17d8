"""The devices of all ranks in one count: in the order of the ranks, then of each rank's own devices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fiche.importers._record_doubts import index_of
from fiche.kernel.diagnostic import Diagnostic, Refused

if TYPE_CHECKING:
    from fiche.importers._record_merge import RankRecord

_MOST = 1000
_SHARED = (
    "a rank's readings are of one device (C9): record each device's `uuid` and each rank's `node`, and give "
    "every rank a device of its own"
)


class Devices:
    """Which device of the merged record each device of a rank is.

    Raises:
        Refused: F555 two ranks may have used one device; F556 more than a record counts, or none.
    """

    def __init__(self, ordered: Sequence[RankRecord]) -> None:
        used = [(one, local) for one in ordered for local in _used(one)]
        listed = [each for each in used if _listed(*each) is not None]
        if not listed or len(used) > _MOST:
            message = (
                f"the ranks used {len(used)} devices, and list {len(listed)} of them in their "
                f"environment: a record counts 1 to {_MOST}"
            )
            raise Refused(
                [_refusal("F556", message, "a record lists its devices, and its phases name them")]
            )
        self._used = used
        self._index = {(one.rank, local): place for place, (one, local) in enumerate(used)}
        shared = list(_shared(used))
        if shared:
            raise Refused(shared)

    def of(self, rank: int, local: str) -> str:
        """The device as the merged record names it: `cuda:3`."""
        return f"{local.rpartition(':')[0]}:{self._index[rank, local]}"

    def only(self, rank: int) -> str | None:
        """The device of a rank that used one."""
        own = [local for one, local in self._used if one.rank == rank]
        return self.of(rank, own[0]) if len(own) == 1 else None

    def environment(self) -> list[dict[str, Any]]:
        """What the machine of each rank declares of them; one that it does not list is left out."""
        return [
            {**told, "index": place, "rank": one.rank, "local_device": local, **_node(one)}
            for place, (one, local) in enumerate(self._used)
            if (told := _listed(one, local)) is not None
        ]


def _used(one: RankRecord) -> list[str]:
    """The devices that a rank's phases read, or the only one that it could use."""
    read = {
        device["device"] for phase in one.document["phases"] for device in phase.get("devices", ())
    }
    if read:
        return sorted(read, key=index_of)
    environment = one.document["environment"]
    kind = {"xpu": "xpu"}.get(environment["backend"], "cuda")
    listed = environment["devices"]
    return [f"{kind}:{listed[0]['index']}"] if len(listed) == 1 else []


def _listed(one: RankRecord, local: str) -> Mapping[str, Any] | None:
    devices = one.document["environment"]["devices"]
    return next((each for each in devices if each["index"] == index_of(local)), None)


def _node(one: RankRecord) -> dict[str, str]:
    node = one.document["series"]["rank"].get("node")
    return {} if node is None else {"node": node}


def _shared(used: Sequence[tuple[RankRecord, str]]) -> Iterator[Diagnostic]:
    """Devices with one uuid; where one of two has none, what their ranks call the same on one node."""
    by_uuid: dict[str, tuple[RankRecord, str]] = {}
    named: dict[str, list[tuple[RankRecord, str]]] = {}
    unknown: dict[str, list[tuple[RankRecord, str]]] = {}
    for each in used:
        uuid, local = _uuid(*each), each[1]
        others = (unknown if uuid else named).get(local, ())
        alike = next((other for other in others if not _apart(other[0], each[0])), None)
        if uuid and by_uuid.setdefault(uuid, each) is not each:
            yield _one_device(by_uuid[uuid], each, f"uuid {uuid}")
        elif alike is not None:
            yield _one_device(alike, each, "no uuid tells them apart")
        named.setdefault(local, []).append(each)
        if not uuid:
            unknown.setdefault(local, []).append(each)


def _uuid(one: RankRecord, local: str) -> str:
    """However a tool spells it."""
    return str((_listed(one, local) or {}).get("uuid", "")).casefold()


def _apart(one: RankRecord, other: RankRecord) -> bool:
    """Both name their node, and it is another one; a rank's own devices are apart by their names."""
    nodes = [_node(rank).get("node") for rank in (one, other)]
    return None not in nodes and nodes[0] != nodes[1]


def _one_device(
    one: tuple[RankRecord, str], other: tuple[RankRecord, str], which: str
) -> Diagnostic:
    message = (
        f"{one[1]} of {one[0].name} and {other[1]} of {other[0].name} may be one device: {which}"
    )
    return _refusal("F555", message, _SHARED)


def _refusal(code: str, message: str, hint: str) -> Diagnostic:
    return Diagnostic(code=code, message=message, address=None, hint=hint)
