"""ro-crate-metadata.json: a folder of files as a Research Object Crate (RO-Crate 1.2), flat and in one order.

It says what the files are, whose digests they have, which program made which of what, and the numbers of the
decision that people look for first. That nobody told its licence is said.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import quote

from fiche.kernel.custody import NO_CUSTODY, Custody, highest
from fiche.kernel.decision import Decision
from fiche.kernel.figure import Node
from fiche.kernel.ledger import ledger
from fiche.kernel.record import record
from fiche.render._figures import amounts
from fiche.render._identity import QUESTION, fiche_id
from fiche.render.canonical import canonical
from fiche.report import numbers

NAME = "ro-crate-metadata.json"
_VERSION = "1.2"
_FICHE, _MAKING, _AUTHOR, _LICENCE = "#fiche", "#making", "#author", "#licence"
_SHORT = 12
_Entity = dict[str, Any]


@record
class Part:
    """A file of the crate; `is_made` tells what the program wrote from what it read."""

    name: str
    media_type: str
    num_bytes: int
    sha256: str
    description: str
    is_made: bool
    custody: Custody = NO_CUSTODY


def crate_bytes(decision: Decision, parts: Sequence[Part], language: str) -> bytes:
    """The metadata of a crate that holds these files, told in `language`, as its tag."""
    files = [_file(part) for part in _sorted(parts)]
    graph = [*_about(decision, parts, language), *_numbers(decision), *_licences(parts), *files]
    return canonical({"@context": f"https://w3id.org/ro/crate/{_VERSION}/context", "@graph": graph})


def _sorted(parts: Sequence[Part]) -> list[Part]:
    return sorted(parts, key=lambda part: part.name)


def _about(decision: Decision, parts: Sequence[Part], language: str) -> Iterator[_Entity]:
    fiche = decision.fiche
    yield {
        "@id": NAME,
        "@type": "CreativeWork",
        "conformsTo": {"@id": f"https://w3id.org/ro/crate/{_VERSION}"},
        "about": {"@id": "./"},
    }
    yield {
        "@id": "./",
        "@type": "Dataset",
        "identifier": fiche.custody.identifier or f"urn:uuid:{fiche_id(fiche)}",
        "name": fiche.title,
        "description": f"A decision by fiche. {QUESTION}",
        "datePublished": fiche.date,
        "inLanguage": language,
        "license": {"@id": _LICENCE},
        **_access(highest((fiche.custody, *(part.custody for part in parts)))),
        **({"author": {"@id": _AUTHOR}} if fiche.author else {}),
        "hasPart": [_of(part.name) for part in _sorted(parts)],
        "mentions": [{"@id": _MAKING}],
        "variableMeasured": [{"@id": name} for name, _, _ in _told(decision)],
    }
    if fiche.author:
        yield {"@id": _AUTHOR, "@type": "Person", "name": fiche.author}
    yield _licence(_LICENCE, fiche.custody.rights) if fiche.custody.rights else _not_stated()
    yield {
        "@id": _FICHE,
        "@type": "SoftwareApplication",
        "name": "fiche",
        "softwareVersion": decision.tool_version,
    }
    yield {
        "@id": _MAKING,
        "@type": "CreateAction",
        "name": "compile the fiche into a decision",
        "instrument": {"@id": _FICHE},
        "object": [_of(part.name) for part in _sorted(parts) if not part.is_made],
        "result": [_of(part.name) for part in _sorted(parts) if part.is_made],
        "actionStatus": {"@id": "http://schema.org/CompletedActionStatus"},
        **({"agent": {"@id": _AUTHOR}} if fiche.author else {}),
    }


def _of(name: str) -> _Entity:
    return {"@id": quote(name)}


def _not_stated() -> _Entity:
    return {
        "@id": _LICENCE,
        "@type": "CreativeWork",
        "name": "not stated",
        "description": "The fiche states no licence: ask its author before these files are passed on.",
    }


def _licence(name: str, rights: str) -> _Entity:
    """Words of a person: they are no licence of a list unless they say so."""
    said = "Rights as the fiche states them."
    return {"@id": name, "@type": "CreativeWork", "name": rights, "description": said}


def _licences(parts: Sequence[Part]) -> Iterator[_Entity]:
    """The rights of single files, each once."""
    told = dict.fromkeys(part.custody.rights for part in _sorted(parts) if part.custody.rights)
    yield from (_licence(_rights_id(rights), rights) for rights in told)


def _rights_id(rights: str) -> str:
    return f"#rights-{hashlib.sha256(rights.encode()).hexdigest()[:_SHORT]}"


def _access(level: str) -> _Entity:
    """In words of schema.org; the day has no property there."""
    return {"conditionsOfAccess": level} if level else {}


def _file(part: Part) -> _Entity:
    told = part.custody
    return {
        "@id": quote(part.name),
        "@type": "File",
        "name": part.name,
        "description": part.description,
        "encodingFormat": part.media_type,
        "contentSize": str(part.num_bytes),
        "sha256": part.sha256,
        **({"license": {"@id": _rights_id(told.rights)}} if told.rights else {}),
        **({"identifier": told.identifier} if told.identifier else {}),
        **_access(told.confidentiality),
    }


# --- Numbers --------------------------------------------------------------------------------------


def _told(decision: Decision) -> Iterator[tuple[str, str, Node]]:
    """Cost and useful margin of each candidate, which people look for first."""
    book = ledger(decision)
    for outcome in decision.outcomes:
        who = outcome.candidate.id
        for name, node in (("cost", outcome.cost), ("useful margin", outcome.useful_margin)):
            if node is not None:
                yield (
                    f"#{quote(who, safe='')}/{name.replace(' ', '-')}",
                    f"{name} of {who}",
                    book.of(node),
                )


def _numbers(decision: Decision) -> Iterator[_Entity]:
    for name, what, node in _told(decision):
        ends = dict(amounts(node))
        exact = ends.get("bytes", ends.get("value"))
        bounds = {
            "minValue": ends.get("low_bytes", ends.get("low")),
            "maxValue": ends.get("high_bytes", ends.get("high")),
        }
        said = {"value": exact} if exact is not None else bounds
        yield {
            "@id": name,
            "@type": "PropertyValue",
            "name": what,
            "propertyID": node.id,
            "unitText": str(node.unit),
            "description": numbers.amount(node),
            **{key: value for key, value in said.items() if value is not None},
        }
