"""ro-crate-metadata.json of a whole export (RO-Crate 1.2): a Dataset an entry, with its files and its rights.

It is written entity by entity, the root last, for only the root names every other one.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from fiche.archive.entry import Entry, Kept
from fiche.archive.export_tables import Place
from fiche.render.canonical import canonical

NAME = "ro-crate-metadata.json"
_VERSION = "1.2"
_NOT_STATED = "#not-stated"
_URL = re.compile(r"https?://[^\s\"<>]+")
_Entity = dict[str, Any]


class Crate:
    """The file, open until the context ends.

    `root_of` is the folder of an entry in the export, with a slash at its end; `known` are the ids that are in
    it.
    """

    def __init__(
        self,
        folder: Path,
        about: Mapping[str, str],
        place: Place,
        root_of: Callable[[str], str],
        known: Collection[str],
    ) -> None:
        self._path, self._about, self._place = folder / NAME, about, place
        self._root_of, self._known = root_of, known
        self._parts: list[str] = []
        self._once: set[str] = set()
        self._is_first = True

    def __enter__(self) -> Crate:
        """Open it and say what it is."""
        self._stream = self._path.open("wb")
        context = f"https://w3id.org/ro/crate/{_VERSION}/context"
        self._stream.write(b'{"@context":' + canonical(context) + b',"@graph":[')
        self._put(
            {
                "@id": NAME,
                "@type": "CreativeWork",
                "conformsTo": {"@id": f"https://w3id.org/ro/crate/{_VERSION}"},
                "about": {"@id": "./"},
            }
        )
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        """Write the root, which names every entry, and close."""
        with self._stream:
            if kind is None:
                self._put(self._root())
                self._stream.write(b"]}")

    def add(self, entry: Entry) -> None:
        """An entry: its Dataset, its files, and whatever those name."""
        self._parts.append(self._root_of(entry.id))
        self._put(self._dataset(entry))
        for entity in self._around(entry):
            if entity["@id"] not in self._once:
                self._once.add(entity["@id"])
                self._put(entity)
        for one in entry.files:
            self._put(_file(one, self._place(entry.id, one.path)))

    def _of(self, id: str) -> str:
        """What an entry is called: its folder, or its id where it is not in this export."""
        return self._root_of(id) if id in self._known else f"urn:uuid:{id}"

    def _put(self, entity: _Entity) -> None:
        self._stream.write(b"" if self._is_first else b",")
        self._is_first = False
        self._stream.write(canonical(entity))

    def _root(self) -> _Entity:
        self._put({"@id": "#each", "@type": "CreativeWork", "name": "as each entry states"})
        version = self._about["version"]
        self._put(
            {
                "@id": "#fiche",
                "@type": "SoftwareApplication",
                "name": "fiche",
                "softwareVersion": version,
            }
        )
        return {
            "@id": "./",
            "@type": "Dataset",
            "identifier": f"urn:uuid:{self._about['archive']}",
            "name": "Entries of an archive of fiche",
            "description": (
                f"{len(self._parts)} entries: decisions on workloads and GPUs, and the evidence that they rest "
                "on. Each is a Dataset of its own with the rights that were stated for it. "
                f"{self._about['left_out']}"
            ).rstrip(),
            "datePublished": self._about["day"],
            "license": {"@id": "#each"},
            "creator": {"@id": "#fiche"},
            "hasPart": [{"@id": part} for part in self._parts],
        }

    def _dataset(self, entry: Entry) -> _Entity:
        told: _Entity = {
            "@id": self._root_of(entry.id),
            "@type": "Dataset",
            "identifier": _identifiers(entry),
            "name": entry.title or entry.main,
            "description": _said(entry),
            "additionalType": entry.kind,
            "license": {"@id": _licence(entry.rights)},
            "hasPart": [{"@id": quote(self._place(entry.id, one.path))} for one in entry.files],
            "mainEntity": {"@id": quote(self._place(entry.id, entry.main))},
            "sdDatePublished": entry.added,
        }
        if entry.date:
            told["dateCreated"] = entry.date
        if entry.confidentiality:
            told["conditionsOfAccess"] = entry.confidentiality
        if entry.supersedes:
            told["isBasedOn"] = [{"@id": self._of(one)} for one in entry.supersedes]
        if entry.author:
            told["author"] = {"@id": _person(entry.author)}
        words = dict.fromkeys(w for r in entry.rows for w in (r.model, r.card, r.engine) if w)
        return {**told, "keywords": list(words)} if words else told

    def _around(self, entry: Entry) -> Iterator[_Entity]:
        """The rights, the author and the earlier entries that an entry names."""
        yield _rights(entry.rights)
        if entry.author:
            yield {"@id": _person(entry.author), "@type": "Person", "name": entry.author}
        for one in entry.supersedes:
            if one not in self._known:
                name = "an earlier entry, which is not in this export"
                yield {"@id": self._of(one), "@type": "CreativeWork", "name": name}


def _identifiers(entry: Entry) -> str | list[str]:
    own = f"urn:uuid:{entry.id}"
    return [own, entry.identifier] if entry.identifier else own


def _said(entry: Entry) -> str:
    """In words what no property of the vocabulary says."""
    told = [f"A {entry.kind}, added {entry.added}."]
    if entry.supersedes:
        told.append(f"It supersedes {', '.join(entry.supersedes)}.")
    if entry.stated_supersedes:
        told.append(f"Its content says that it supersedes {', '.join(entry.stated_supersedes)}.")
    if entry.keep_until:
        told.append(f"To be kept until {entry.keep_until}.")
    if entry.source:
        told.append(f"Source: {entry.source}.")
    return " ".join(told)


def _rights(text: str) -> _Entity:
    if text:
        return {"@id": _licence(text), "@type": "CreativeWork", "name": text}
    return {
        "@id": _NOT_STATED,
        "@type": "CreativeWork",
        "name": "not stated",
        "description": "Nobody stated the rights of this: ask its author before it is passed on.",
    }


def _licence(text: str) -> str:
    """An address is its own name; any other text is named by its digest."""
    if not text:
        return _NOT_STATED
    return text if _URL.fullmatch(text) else f"#rights-{_digest(text)}"


def _person(name: str) -> str:
    return f"#person-{_digest(name)}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _file(one: Kept, place: str) -> _Entity:
    return {
        "@id": quote(place),
        "@type": "File",
        "name": one.name or one.path,
        "encodingFormat": one.media_type,
        "contentSize": str(one.num_bytes),
        "sha256": one.sha256,
    }
