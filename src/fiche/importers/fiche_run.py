"""The index of a `fiche run`, `fiche-run/1`: how the command ended, and which records lie beside it.

It measures nothing of a device. A process that the kernel killed for want of host memory is a failure of
the host (DESIGN 4); the largest resident set of one process is read under its counter's own name. The
measurements are the records that it names: each is a piece of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fiche.importers._opened import opened_head
from fiche.importers._own_document import OwnDocument
from fiche.importers._record_places import Form
from fiche.kernel.doors import Importer
from fiche.kernel.fact import Fact
from fiche.kernel.piece import Failure, Observation, Reading
from fiche.kernel.rounding import exact_bytes
from fiche.kernel.said import tell

_FAMILY = "fiche-run/"
_DOCUMENT = OwnDocument(
    title="the index of a run", format=f"{_FAMILY}1", schema="run", writer="fiche run"
)
_FACTS = (
    ("run", ("run",)),
    ("started_at", ("started_at",)),
    ("command", ("command", "line")),
    ("tool.name", ("tool", "name")),
    ("tool.version", ("tool", "version")),
)
_MOST_NAMED = 8


def read(content: bytes, sha256: str) -> Reading:
    """How the command ended, and what its host showed.

    Raises:
        Refused: the document's structure is wrong (F430 to F435).
    """
    found = _DOCUMENT.form(content, sha256)
    return Reading(
        kind="fiche_run",
        shape="index",
        failures=tuple(_failures(found)),
        observations=tuple(_observations(found)),
        facts=dict(_facts(found)),
        warnings=tuple(_warnings(found.document)),
        version=found.document["format"],
        further={"records": [entry["file"] for entry in found.document["records"]]},
    )


def _facts(found: Form) -> Iterator[tuple[str, Fact]]:
    for key, path in _FACTS:
        value: Any = found.document
        for step in path:
            value = value[step]
        yield key, Fact(value=value, address=found.at(*path, text=value[:200]))


def _failures(found: Form) -> Iterator[Failure]:
    """A kill by the kernel; else an end that none of the records tells of."""
    kills = _kills(found.document)
    if kills:
        yield Failure(
            pointer=found.at("host", "oom_kills", "count", text=str(kills)),
            message_kind="process_killed",
            memory="host",
            backend=None,
            count=kills,
            message=f"the kernel killed {kills} of the command's processes for want of host memory",
        )
    elif _ended_badly(found.document) and not _told_by_a_record(found.document):
        ended = found.document["exit"]
        name, value = next(iter(ended.items()))
        yield Failure(
            pointer=found.at("exit", name, text=str(value)),
            message_kind="process_killed" if value == "SIGKILL" else "workload_error",
            memory="host" if value == "SIGKILL" and kills is None else None,
            backend=None,
            message=f"the command ended with {'exit ' if name == 'status' else ''}{name} {value}",
        )


def _kills(document: dict[str, Any]) -> int | None:
    """None where nobody could look."""
    told = document.get("host", {}).get("oom_kills")
    return None if told is None else int(told["count"])


def _ended_badly(document: dict[str, Any]) -> bool:
    return bool(document["exit"] != {"status": 0})


def _told_by_a_record(document: dict[str, Any]) -> bool:
    return any(entry.get("outcome") == "failure" for entry in document["records"])


def _observations(found: Form) -> Iterator[Observation]:
    told = found.document.get("host", {}).get("peak_rss_bytes")
    if told is not None:
        yield Observation(
            counter="ru_maxrss",
            scope="host_process",
            stat="peak",
            kind_of_origin="measured",
            pointer=found.at("host", "peak_rss_bytes", "bytes", text=str(told["bytes"])),
            value=exact_bytes(told["bytes"]),
            label=told["counter"],
        )


def _warnings(document: dict[str, Any]) -> Iterator[str]:
    names = [entry["file"] for entry in document["records"]]
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    listed = f": {', '.join(names[:_MOST_NAMED])}{more}" if names else ", and it names none"
    yield tell(
        "index_only: what was measured are the records of this run, pieces of their own{listed}",
        listed=listed,
    )
    if document["exit"].get("signal") == "SIGKILL" and _kills(document) is None:
        yield (
            tell(
                "cause_uncertain: the process was killed from outside; too little host memory is the "
                "usual reason, the system did not tell"
            )
        )
    for sentence in document.get("unwatched", ()):
        yield tell(
            "not_watched: a process that used PyTorch left no record: {sentence}", sentence=sentence
        )


def accepts(head: bytes, name: str) -> int:
    """100 for a JSON text that names the format (any version of it)."""
    text = opened_head(head).removeprefix(b"\xef\xbb\xbf").lstrip()
    named = b'"' + _FAMILY.encode()
    return 100 if text.startswith(b"{") and named in text[:65536] else 0


MEMBER = Importer(
    name="fiche_run",
    title="fiche's index of a command's run",
    accepts=accepts,
    read=read,
)
