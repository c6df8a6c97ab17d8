"""The steps of verifying one report, in their order."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator

from fiche.kernel.diagnostic import Refused
from fiche.kernel.record import record
from fiche.languages import spoken
from fiche.render.visible import visible
from fiche.verify.agreed import agreed_step, is_same
from fiche.verify.body_beside import beside
from fiche.verify.body_html import html_body
from fiche.verify.body_other import other_body, page_acts, paper_acts
from fiche.verify.body_pdf import pdf_body
from fiche.verify.bounds import bounded, no_report
from fiche.verify.container import Container
from fiche.verify.digests import digests_step
from fiche.verify.html_read import read_html
from fiche.verify.manifest import attachments_step, listed
from fiche.verify.pdf_graph import apart
from fiche.verify.pdf_places import place_of
from fiche.verify.pdf_read import MAGIC, read_pdf
from fiche.verify.recompile import Made, Maker, recompiled
from fiche.verify.step import FAILED, Sheet, Step
from fiche.verify.unsigned import unsigned

Signed = Callable[[bytes], Step]


@record
class Looked:
    """What came of one report: its steps, and the decision that was made again, None where none was."""

    container: Container
    steps: tuple[Step, ...]
    made: Made | None


def container_of(content: bytes) -> Container:
    """Read a page or a PDF, by what it starts with.

    Raises:
        Refused: F900 to F904.
    """
    if not content:
        raise no_report("the file", "it is empty")
    with bounded(len(content)):
        return read_pdf(content) if content.startswith(MAGIC) else read_html(content)


def looked_at(content: bytes, maker: Maker, signed: Signed) -> Looked:
    """Verify one report; `signed` looks at signatures and at what was written behind the report.

    Raises:
        Refused: F900 to F904 it cannot be read.
    """
    before = unsigned(content) if content.startswith(MAGIC) else content
    container = container_of(before)
    with bounded(len(content)):
        found = listed(container)
        first = [attachments_step(container, found), digests_step(container, found)]
    again = recompiled(container, found, maker)
    agreed = agreed_step(container, again.made, maker.version)
    body = body_step(container, again.made, maker)
    seal = signed(content)
    read = _read_step(container, content, seal)
    return Looked(
        container=container, steps=(read, *first, again.step, agreed, body, seal), made=again.made
    )


def files_looked_at(container: Container, maker: Maker) -> Looked:
    """Verify files that lie in a folder, where no page and no PDF carries them."""
    with bounded(sum(len(one.content) for one in container.held)):
        found = listed(container)
        first = (attachments_step(container, found), digests_step(container, found))
    again = recompiled(container, found, maker)
    agreed = agreed_step(container, again.made, maker.version)
    return Looked(container=container, steps=(*first, again.step, agreed), made=again.made)


def _read_step(container: Container, content: bytes, seal: Step) -> Step:
    sheet = Sheet("read", "The file is read")
    for point in container.trailing:
        sheet.fault(point.code, point.text)
    behind = len(content) - len(container.content)
    if behind:
        _behind(sheet, container, content, seal)
    kind = {"pdf": "PDF", "html": "page (HTML)"}[container.kind]
    pages = f"{len(container.passages)} pages, " if container.kind == "pdf" else ""
    sheet.say(f"sha256 {hashlib.sha256(content).hexdigest()}")
    files = f"{pages}{len(container.held)} attached files"
    return sheet.step(f"{kind}, {len(content)} bytes, {files}")


def _behind(sheet: Sheet, container: Container, content: bytes, seal: Step) -> None:
    """What stands behind the report: a viewer may show other pages, whoever signed them.

    Looked at by another library than the one that reads signatures, so no trick of reading serves for both.
    """
    behind = len(content) - len(container.content)
    if seal.outcome == FAILED and seal.bytes_covered != len(content):
        sheet.fault("F915", f"{behind} bytes stand behind the report: see the signature")
        return
    shown = container_of(content)
    words = [one.lines for one in shown.passages] == [one.lines for one in container.passages]
    if not words or shown.held != container.held:
        sheet.fault("F915", f"{behind} bytes stand behind the report and change what it shows")
    elif repainted := list(_repainted(shown, container, len(content))):
        sheet.fault("F915", f"{behind} bytes stand behind the report and change {repainted[0]}")
    elif seal.bytes_covered != len(content):
        sheet.unproven(f"{behind} bytes stand behind the report, with the same words and files")


# What a signature brings along, and the metadata that programs of signing write their name into.
_OF_SIGNING = {"/AcroForm", "/Annots", "/Perms", "/Extensions", "/DSS", "/Info", "/Metadata"}


def _repainted(shown: Container, before: Container, num_bytes: int) -> Iterator[str]:
    """Places of a signed file that are not as they were."""
    with bounded(num_bytes):
        for one in apart(shown.own["reader"], before.own["reader"]):
            if not _OF_SIGNING.intersection(one.path):
                yield place_of(one)


def body_step(container: Container, made: Made | None, maker: Maker) -> Step:
    """Compare what a reader sees with what the decision gives."""
    sheet = Sheet("body", "The pages say what the decision says")
    same = made is not None and is_same(container, made)
    if made is None or not same or not _rendered(sheet, container, made, maker):
        _version(sheet, container)
        with bounded(len(container.content)):
            other_body(sheet, container)
            page_acts(sheet, container) if container.kind == "html" else paper_acts(
                sheet, container
            )
        if made is not None and not same:
            _beside(sheet, container, made, maker)
        return sheet.step("every number and verdict of the text, in decision.json")
    return sheet.step(f"the {'PDF' if container.kind == 'pdf' else 'page'}, made again")


def _beside(sheet: Sheet, container: Container, made: Made, maker: Maker) -> None:
    try:
        ours = _written(container, made, maker)
    except Refused:  # no Pango, or no such language: said already, or of no use here
        return
    with bounded(len(container.content) + len(ours)):
        beside(sheet, container, ours, maker.version)


def _written(container: Container, made: Made, maker: Maker) -> bytes:
    """The report made again, as this one was asked for."""
    files = maker.written(
        made,
        (container.kind,),
        language=container.language,
        draft=is_draft(container),
        annex=container.has_annex,
    )
    return files[f"report.{container.kind}"]


def _rendered(sheet: Sheet, container: Container, made: Made, maker: Maker) -> bool:
    """True where the body could be made again, and was compared."""
    try:
        ours = _written(container, made, maker)
    except Refused as refused:
        code = refused.diagnostics[0].code
        if code == "F602":
            sheet.fault("F911", f"no report is written in the language '{container.language}'")
            return True
        sheet.unproven(f"the pages could not be made again here: {refused.diagnostics[0].message}")
        return False
    if container.content == ours:
        sheet.say(f"{len(ours)} bytes, equal to the byte")
        return True
    with bounded(len(container.content) + len(ours)):
        if container.kind == "html":
            html_body(sheet, container, ours)
        else:
            pdf_body(sheet, container, read_pdf(ours))
    return True


def is_draft(container: Container) -> bool:
    """True where the title says that it is a draft, in the report's language."""
    try:
        phrase = spoken(container.language or "en").phrases["draft_title"]
    except Refused:
        return False
    title = visible(str(container.document.get("title", "")))
    return _plain(container.title) == _plain(phrase.format(title=title))


def _plain(text: str) -> str:
    return " ".join(text.split())


def _version(sheet: Sheet, container: Container) -> None:
    told = str((container.document.get("tool") or {}).get("version", ""))
    if container.version != told:
        sheet.fault(
            "F907",
            f"the report says that fiche {container.version or '?'} wrote it, its decision fiche {told or '?'}",
        )
