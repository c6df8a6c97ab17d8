"""The files that travel inside a report, unchanged, with their digests (E4)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping

from fiche.kernel.custody import NO_CUSTODY, Custody
from fiche.kernel.decision import Decision, Fiche
from fiche.kernel.record import record, replace
from fiche.render import crate
from fiche.render.canonical import canonical
from fiche.report.words._language import Language
from fiche.report.words.en import MEMBER as ENGLISH

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_MEDIA_TYPE = re.compile(r"[a-z]+/[a-z0-9.+-]+")
_SUFFIX = 8


@record
class Attachment:
    """A file to attach.

    `name` is ASCII and unique; `relationship` is a word of ISO 32000-2 (Alternative, Source, Data,
    Supplement).
    """

    name: str
    media_type: str
    content: bytes
    description: str
    relationship: str
    sha256: str
    custody: Custody = NO_CUSTODY


def attachments_of(
    decision: Decision,
    document: bytes,
    contents: Mapping[str, bytes],
    language: Language = ENGLISH,
) -> tuple[Attachment, ...]:
    """decision.json, every file that went in, what they are as a crate, and a manifest; sorted by name.

    `contents` are the bytes by the file names that the fiche uses; a file that two pieces cite is
    attached once.
    """
    phrases = language.phrases
    told = _told(decision.fiche)
    kept = {piece.file: piece.custody for piece in reversed(decision.fiche.pieces)}
    made = [
        attachment(
            "decision.json", document, "application/json", phrases["decision_role"], "Alternative"
        )
    ]
    taken = {"decision.json", "manifest.json", crate.NAME}
    names: dict[str, str] = {"decision.json": "decision.json"}
    for file in sorted(contents):
        media_type, key, about = told.get(file, ("application/octet-stream", "attached_other", ""))
        name = name_of(file, contents[file], taken)
        names[name] = file
        relation = "Source" if key == "attached_fiche" else "Data"
        description = phrases[key].format(what=about)
        one = attachment(name, contents[file], media_type, description, relation)
        made.append(replace(one, custody=kept.get(file, NO_CUSTODY)))
    made.append(
        attachment(
            crate.NAME,
            crate.crate_bytes(decision, [_part(one) for one in made], language.tag),
            "application/ld+json",
            phrases["attached_crate"],
            "Supplement",
        )
    )
    names[crate.NAME] = crate.NAME
    manifest = manifest_of(made, names)
    made.append(
        attachment(
            "manifest.json",
            manifest,
            "application/json",
            phrases["attached_manifest"],
            "Supplement",
        )
    )
    return tuple(sorted(made, key=lambda a: a.name))


def _told(fiche: Fiche) -> dict[str, tuple[str, str, str]]:
    """Media type, phrase and subject of each file, pieces before plain inputs."""
    inputs = {
        i.file: (
            i.media_type,
            "attached_fiche" if i.file == fiche.file else "attached_input",
            i.role,
        )
        for i in fiche.inputs
    }
    pieces = {p.file: (p.media_type, "attached_piece", p.id) for p in reversed(fiche.pieces)}
    return {**inputs, **pieces}


def attachment(
    name: str, content: bytes, media_type: str, description: str, relationship: str
) -> Attachment:
    """A file under a name, with its digest; a media type that is none becomes the general one."""
    return Attachment(
        name=name,
        media_type=media_type if _MEDIA_TYPE.fullmatch(media_type) else "application/octet-stream",
        content=content,
        description=description,
        relationship=relationship,
        sha256=hashlib.sha256(content).hexdigest(),
    )


def name_of(file: str, content: bytes, taken: set[str]) -> str:
    """An ASCII name without folders, as unlike others as its digest makes it where it must."""
    plain = _UNSAFE.sub("_", file.encode("ascii", "replace").decode("ascii")).strip("._") or "file"
    if plain in taken:
        plain = f"{hashlib.sha256(content).hexdigest()[:_SUFFIX]}_{plain}"
    while plain in taken:
        plain = f"_{plain}"
    taken.add(plain)
    return plain


def _part(one: Attachment) -> crate.Part:
    """What fiche wrote itself is told from what it read."""
    return crate.Part(
        name=one.name,
        media_type=one.media_type,
        num_bytes=len(one.content),
        sha256=one.sha256,
        description=one.description,
        is_made=one.relationship == "Alternative",
        custody=one.custody,
    )


def manifest_of(attached: list[Attachment], names: Mapping[str, str]) -> bytes:
    """Every file by name, length, digest and relationship; `names` lead to what each was called."""
    return canonical({"format": "fiche-manifest/1", "files": list(_entries(attached, names))})


def _entries(attached: list[Attachment], names: Mapping[str, str]) -> Iterator[dict[str, object]]:
    for each in sorted(attached, key=lambda a: a.name):
        yield {
            "name": each.name,
            "file": names[each.name],
            "bytes": len(each.content),
            "sha256": each.sha256,
            "media_type": each.media_type,
            "relationship": each.relationship,
        }
