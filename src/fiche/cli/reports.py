"""What `fiche report` writes: the files of one decision, each made from the same report."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, MutableMapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from fiche.cli.compile import Compiled
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.kernel.doors import Estimator
from fiche.kernel.record import record
from fiche.registry import members

if TYPE_CHECKING:
    from fiche.cli.verapdf_read import Judged
    from fiche.kernel.decision import Decision
    from fiche.render.attachment import Attachment
    from fiche.report.words._language import Language


@record
class Asked:
    """How a report is asked for: `language` over the fiche's own, `annex` on paper too, as a `draft`."""

    formats: tuple[str, ...]
    language: str = ""
    annex: bool = False
    draft: bool = False


FORMATS = ("html", "pdf", "json", "csv", "md", "crate")
_PAGED = ("html", "pdf", "md")
_ATTACHING = ("html", "pdf", "crate")
# Candidates whose annex WeasyPrint lays out within half a minute and half a gigabyte: docs/speed.md.
MANY = 50


def parse_formats(text: str) -> tuple[str, ...]:
    """The formats asked for, in a fixed order.

    Raises:
        Refused: F701 one of them is none of html, pdf, json, csv, md, crate.
    """
    asked = [word.strip().lower() for word in text.split(",") if word.strip()]
    unknown = [word for word in asked if word not in FORMATS]
    if unknown or not asked:
        raise Refused([_unknown_format(unknown[0] if unknown else text)])
    return tuple(name for name in FORMATS if name in asked)


def refuse_existing(folder: Path, *, force: bool) -> None:
    """Say at once that a folder exists, before anybody waits for a report.

    Raises:
        Refused: F610.
    """
    from fiche.cli.output import exists

    if folder.exists() and not force:
        raise Refused([exists(folder)])


def foretell(compiled: Compiled, asked: Asked) -> None:
    """Say beforehand that an annex of hundreds of candidates takes long on paper, and how to have less."""
    count = len(compiled.decision.outcomes)
    if not asked.annex or "pdf" not in asked.formats or count <= MANY:
        return
    from fiche.cli.streams import write_error

    write_error(
        f"--annex prints {count} candidates with all that stands behind them: minutes and gigabytes; "
        "without it the PDF is short, and the HTML page holds the annex in any case\n"
    )


def files(compiled: Compiled, asked: Asked) -> dict[str, bytes]:
    """The bytes of each file, by its name in the folder: all of one decision, which all of them name.

    HTML and PDF come of one page, and decision.json is attached to both.
    """
    from fiche.render.json import decision_bytes

    foretell(compiled, asked)
    decision, formats = compiled.decision, asked.formats
    document = decision_bytes(decision)
    made = {"decision.json": document} if "json" in formats else {}
    if "csv" in formats:
        from fiche.render.csv import FOLDER, csv_files

        tables = csv_files(decision, document)
        made |= {f"{FOLDER}/{name}": content for name, content in tables.items()}
    if any(name in formats for name in (*_PAGED, *_ATTACHING)):
        made |= _in_words(compiled, asked, document, made)
    return made


def _in_words(
    compiled: Compiled, asked: Asked, document: bytes, made: Mapping[str, bytes]
) -> dict[str, bytes]:
    """The files that are in one language, and the crate of all that was made."""
    from fiche.languages import spoken
    from fiche.render.attachment import attachments_of

    decision, formats = compiled.decision, asked.formats
    words = spoken(asked.language or decision.fiche.language)
    attached: tuple[Attachment, ...] = ()
    if any(name in formats for name in _ATTACHING):
        attached = attachments_of(decision, document, compiled.contents, words)
    told = _pages(decision, words, attached, document, asked)
    if "crate" in formats:
        from fiche.render.folder import crate_files

        told |= crate_files(decision, {**made, **told}, attached, words.tag)
    return told


def _pages(
    decision: Decision,
    words: Language,
    attached: tuple[Attachment, ...],
    document: bytes,
    asked: Asked,
) -> dict[str, bytes]:
    formats, made = asked.formats, dict[str, bytes]()
    if not any(name in formats for name in _PAGED):
        return made
    from fiche.report.view import view

    report = view(decision, words)
    if asked.draft:
        from fiche.report.draft import drafted

        report = drafted(report, words)
    if "html" in formats or "pdf" in formats:
        from fiche.evaluate.whatif import what_if
        from fiche.render.html import html_bytes
        from fiche.report.sizer import with_sizer

        sized = with_sizer(report, decision, words, what_if(decision, _estimators()))
        page = html_bytes(sized, decision, attached)
        if "html" in formats:
            made["report.html"] = page
        if "pdf" in formats:
            from fiche.render.pdf import pdf_bytes

            made["report.pdf"] = pdf_bytes(page, attached, decision.fiche.date, annex=asked.annex)
    if "md" in formats:
        from fiche.render.markdown import markdown_bytes

        made["report.md"] = markdown_bytes(report, digest(document), words.phrases["cut_here"])
    return made


def _estimators() -> tuple[Estimator, ...]:
    return members("fiche.estimators", Estimator)


def write(folder: Path, written: MutableMapping[str, bytes], *, force: bool) -> None:
    """Write the folder, and add the list of its digests to what was written.

    Raises:
        Refused: F610 the folder exists and `force` is False; F611 it cannot be written.
    """
    from fiche.cli.output import write_folder
    from fiche.render.sums import NAME, sums_bytes

    written[NAME] = sums_bytes(written)
    write_folder(folder, written, force=force)


def told(
    folder: Path, written: Mapping[str, bytes], judged: Sequence[Judged] = (), *, as_json: bool
) -> None:
    """Say what was written, with digests: a reader compares them years later; and a validator's verdicts."""
    from fiche.cli.terminal import put_json, put_text
    from fiche.cli.validation import document, text

    rows = [
        {"file": str(folder / name), "bytes": len(content), "sha256": digest(content)}
        for name, content in sorted(written.items())
    ]
    if as_json:
        validation = {"validation": document(written["report.pdf"], judged)} if judged else {}
        put_json({"format": "fiche-written/1", "files": rows, **validation})
    else:
        lines = [f"{row['file']}  {row['bytes']} B  sha256 {row['sha256']}\n" for row in rows]
        put_text("".join([*lines, text(judged) if judged else ""]))


def digest(content: bytes) -> str:
    """The sha256 of some bytes, in hex."""
    return hashlib.sha256(content).hexdigest()


def _unknown_format(word: str) -> Diagnostic:
    return Diagnostic(
        code="F701",
        message=f"unknown format '{word}'",
        address=None,
        hint=f"write some of {', '.join(FORMATS)}, joined by commas: --formats html,json",
    )
