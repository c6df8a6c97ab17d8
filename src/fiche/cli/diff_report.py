"""`fiche diff -o`: the difference as a report of the same make, its document and both sides attached."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Any

from fiche.cli.diff_json import diff_json
from fiche.cli.diff_sides import Sides
from fiche.cli.output import write_folder
from fiche.cli.reports import refuse_existing, told
from fiche.cli.usage import together, unknown
from fiche.kernel.decision import Decision
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.kernel.record import record
from fiche.languages import spoken
from fiche.render.attachment import Attachment, attachment, manifest_of, name_of
from fiche.render.canonical import canonical
from fiche.report.changes import DOCUMENT, Compared, changes
from fiche.report.draft import drafted
from fiche.report.words._language import Language

DEFAULT = "html,pdf,json"
FORMATS = ("html", "pdf", "json", "md")
_JSON, _YAML = "application/json", "application/yaml"


def parse_formats(text: str) -> tuple[str, ...]:
    """The formats asked for, in a fixed order.

    Raises:
        Refused: F701 one of them is none of html, pdf, json, md.
    """
    asked = [word.strip().lower() for word in text.split(",") if word.strip()]
    wrong = next((word for word in asked if word not in FORMATS), None if asked else text)
    if wrong is not None:
        raise Refused([unknown("format", wrong, list(FORMATS))])
    return tuple(name for name in FORMATS if name in asked)


@record
class Asked:
    """How the report is asked for: all of it as typed."""

    output: Path | None
    formats: str
    language: str
    draft: bool
    force: bool

    @property
    def folder(self) -> Path:
        """Where to write; `checked` has seen that it is told."""
        assert self.output is not None
        return self.output


def checked(wanted: Asked) -> Asked:
    """What can be refused at once, before anything is judged.

    Raises:
        Refused: F702 no folder is named, F701 a format is unknown, F610 the folder is there.
    """
    if wanted.output is None:
        raise Refused([_no_folder()])
    parse_formats(wanted.formats or DEFAULT)
    refuse_existing(wanted.output, force=wanted.force)
    return wanted


def write(sides: Sides, wanted: Asked, *, as_json: bool) -> None:
    """Make the files, write them, and say their digests."""
    formats = parse_formats(wanted.formats or DEFAULT)
    made = files(sides, formats, language=wanted.language, draft=wanted.draft)
    write_folder(wanted.folder, made, force=wanted.force)
    told(wanted.folder, made, as_json=as_json)


def _no_folder() -> Diagnostic:
    message = "--formats, --language, --draft and --force are about a report, and none is asked for"
    return together(message, "name a new folder for it: -o FOLDER")


def files(
    sides: Sides, formats: tuple[str, ...], *, language: str, draft: bool
) -> dict[str, bytes]:
    """The bytes of each file, by its name in the folder."""
    from fiche.render.markdown import markdown_bytes

    document = canonical(diff_json(sides.found))
    words = spoken(language or _language(sides))
    attached = _attachments(sides, document, words)
    report = changes(_compared(sides), words)
    report = drafted(report, words) if draft else report
    made = {DOCUMENT: document} if "json" in formats else {}
    if "html" in formats or "pdf" in formats:
        from fiche.render.html import html_bytes

        page = html_bytes(report, None, attached)
        if "html" in formats:
            made["diff.html"] = page
        if "pdf" in formats:
            from fiche.render.pdf import pdf_bytes

            made["diff.pdf"] = pdf_bytes(page, attached, sides.found.after.date)
    if "md" in formats:
        digest = hashlib.sha256(document).hexdigest()
        made["diff.md"] = markdown_bytes(report, digest, words.phrases["cut_here"])
    return made


def _language(sides: Sides) -> str:
    """That of what is now."""
    now = sides.whole[1]
    return now.fiche.language if isinstance(now, Decision) else str(now["language"])


def _compared(sides: Sides) -> Compared:
    before, after = (_document(one) for one in sides.whole)
    digests = [hashlib.sha256(read.content).hexdigest() for read in sides.reads]
    return Compared(found=sides.found, before=before, after=after, digests=(digests[0], digests[1]))


def _document(whole: Decision | Mapping[str, Any]) -> Mapping[str, Any]:
    if not isinstance(whole, Decision):
        return whole
    from fiche.render.json import decision_document

    return decision_document(whole)


def _attachments(sides: Sides, document: bytes, words: Language) -> tuple[Attachment, ...]:
    """The difference for programs, both sides as they were read, and a manifest of these; sorted by name."""
    phrases = words.phrases
    made = [attachment(DOCUMENT, document, _JSON, phrases["changes_document"], "Alternative")]
    taken, names = {DOCUMENT, "manifest.json"}, {DOCUMENT: DOCUMENT}
    for key, read in zip(("before", "after"), sides.reads, strict=True):
        name = name_of(f"{key}_{PurePath(read.name).name}", read.content, taken)
        names[name] = read.name
        kind = _YAML if read.document is None else _JSON
        about = phrases[f"changes_attached_{key}"]
        made.append(attachment(name, read.content, kind, about, "Source"))
    manifest = manifest_of(made, names)
    made.append(
        attachment("manifest.json", manifest, _JSON, phrases["attached_manifest"], "Supplement")
    )
    return tuple(sorted(made, key=lambda one: one.name))
