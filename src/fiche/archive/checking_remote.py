"""An archive behind a URL, checked through the same face as it is read: one bag after the other."""

from __future__ import annotations

from collections.abc import Iterable

from fiche.archive.around import Related, conflicts, passed
from fiche.archive.checking import Overall
from fiche.archive.entry import Entry
from fiche.archive.fixity import Finding
from fiche.archive.identity import bag_path
from fiche.archive.store import Store
from fiche.kernel.diagnostic import Refused


def check_remote(store: Store, ids: Iterable[str], today: str, *, quick: bool) -> Overall:
    """Check all bags, or some.

    With `quick` the files of the payload are not read.

    Raises:
        Refused: F932 an entry that is named is not there; F936 the other side does not answer.
    """
    named = tuple(ids)
    every = named or tuple(store.ids())
    findings: list[Finding] = []
    related: list[Related] = []
    num_files = num_bytes = 0
    for id in every:
        try:
            entry = store.entry(id)
            related.append(Related(id=id, supersedes=entry.supersedes, keep_until=entry.keep_until))
            read = () if quick else _read(store, entry)
            num_files, num_bytes = num_files + len(read), num_bytes + sum(read)
        except Refused as refused:
            if refused.diagnostics[0].code in _NO_BAG:
                raise
            findings += [
                Finding(one.code, bag_path(id), one.message) for one in refused.diagnostics
            ]
    if not named:
        findings += conflicts(related, set(every))
    return Overall(
        num_bags=len(every),
        num_files=num_files,
        num_bytes=num_bytes,
        findings=tuple(findings),
        notes=tuple(passed(related, today)),
    )


# An answer that is none of the bag.
_NO_BAG = ("F932", "F936", "F934")


def _read(store: Store, entry: Entry) -> tuple[int, ...]:
    return tuple(len(store.content(entry.id, one.path)) for one in entry.files)
