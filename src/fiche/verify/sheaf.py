"""A folder that `fiche report` wrote: each file in it against the decision that they all carry."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

from fiche.kernel.diagnostic import Refused
from fiche.kernel.record import record
from fiche.render.json import decision_bytes
from fiche.render.sums import NAME as SUMS
from fiche.verify.body_pdf import drawn_with
from fiche.verify.bounds import MOST_FILES, MOST_TOGETHER, content_of, no_report, too_much
from fiche.verify.container import CRATE, DECISION, MANIFEST, Container, Held, read_json
from fiche.verify.pdf_read import read_pdf
from fiche.verify.recompile import Made, Maker
from fiche.verify.step import Sheet, Step
from fiche.verify.sums import is_listed, sums_of
from fiche.verify.unsigned import unsigned
from fiche.verify.verified import Looked, is_draft

REPORTS = ("report.html", "report.pdf")
ATTACHMENTS = "attachments"
_DEEP = 3
# Beside the report, of other programs: looked at by nobody here.
_BESIDE = ("report.pdf.validation.json",)


@record
class Sheaf:
    """The plain files of a folder by name, and what else lies there (links, devices, folders too deep)."""

    files: Mapping[str, Path]
    strange: tuple[str, ...]


def sheaf_of(folder: Path) -> Sheaf:
    """List a folder without following anything.

    Raises:
        Refused: F900 no report lies in it, F901 it cannot be read, F903 it has more than is read.
    """
    files: dict[str, Path] = {}
    strange: list[str] = []
    total = 0
    for name, path, entry in _entries(folder, "", _DEEP):
        if len(files) + len(strange) >= MOST_FILES:
            raise too_much(f"the folder holds more than {MOST_FILES} files")
        if not stat.S_ISREG(entry.st_mode):
            strange.append(name)
            continue
        total += entry.st_size if _is_ours(name) else 0
        files[name] = path
    if total > MOST_TOGETHER:
        raise too_much("the files of the report are longer than those of a report")
    if not any(name in files for name in (*REPORTS, f"{ATTACHMENTS}/{MANIFEST}")):
        raise no_report(
            f"the folder {folder}", "it holds no report.pdf, report.html or attachments"
        )
    return Sheaf(files=files, strange=tuple(sorted(strange)))


def _is_ours(name: str) -> bool:
    head = name.partition("/")[0]
    return head in (*REPORTS, DECISION, "report.md", "tables", ATTACHMENTS, CRATE, SUMS)


def _entries(folder: Path, before: str, deep: int) -> Iterator[tuple[str, Path, os.stat_result]]:
    try:
        found = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        from fiche.verify.bounds import broken

        raise broken(f"{folder}: {error.strerror or error}") from None
    for entry in found:
        name, state = f"{before}{entry.name}", entry.stat(follow_symlinks=False)
        if stat.S_ISDIR(state.st_mode) and deep:
            yield from _entries(Path(entry.path), f"{name}/", deep - 1)
        else:
            yield name, Path(entry.path), state


def beside(sheaf: Sheaf) -> Container:
    """The files of `attachments/` as a container, where a folder holds no page and no PDF.

    Raises:
        Refused: F901 one cannot be read.
    """
    start = f"{ATTACHMENTS}/"
    names = [name for name in sheaf.files if name.startswith(start)]
    contents = {name.removeprefix(start): content_of(sheaf.files[name]) for name in names}
    listed = _described(contents.get(MANIFEST, b"{}"), "files", "name")
    told = _described(contents.get(CRATE, b"{}"), "@graph", "name")
    held = [
        Held(
            name=name,
            content=content,
            media_type=str(listed.get(name, {}).get("media_type", "")),
            description=str(told.get(name, {}).get("description", "")),
        )
        for name, content in sorted(contents.items())
    ]
    return Container(
        kind="folder",
        content=b"",
        held=tuple(held),
        language="",
        title="",
        has_annex=False,
        passages=(),
        digests={},
    )


def _described(content: bytes, key: str, name: str) -> dict[str, dict[str, object]]:
    try:
        entries = read_json(content).get(key)
    except ValueError:
        return {}
    found = entries if isinstance(entries, list) else []
    return {str(one.get(name)): one for one in found if isinstance(one, dict)}


def folder_step(
    folder: Path, sheaf: Sheaf, looked: Mapping[str, Looked], made: Made | None, maker: Maker
) -> Step:
    """Compare every file of a folder with what the decision gives."""
    sheet = Sheet("folder", "The files of the folder belong together")
    for name in sheaf.strange:
        if _is_ours(name):
            sheet.fault(
                "F916", f"{name} is a link, a device or a folder too deep: it is not followed"
            )
    contents = {name: content_of(path) for name, path in sheaf.files.items() if _is_ours(name)}
    digests = {one.file(DECISION) for one in (each.container for each in looked.values())}
    if len(digests) > 1:
        sheet.fault("F916", "the page and the PDF carry two different decisions")
    decision = next(iter(digests), contents.get(DECISION))
    if DECISION in contents and contents[DECISION] != decision:
        sheet.fault("F916", f"{DECISION} is not the one that the report carries")
    if made is not None and decision == decision_bytes(made.decision):
        _remade(sheet, contents, looked, made, maker)
    else:
        _carried(sheet, contents, looked)
    if is_listed(folder) and SUMS in contents:
        _sums(sheet, folder)
    else:
        sheet.say(f"no {SUMS} lies in the folder")
    others = [name for name in sheaf.files if not _is_ours(name)]
    if others:
        more = f" and {len(others) - 3} more" if len(others) > 3 else ""
        sheet.say(f"not looked at, since fiche did not write them: {', '.join(others[:3])}{more}")
    return sheet.step(f"{len(contents)} files of the report")


def _sums(sheet: Sheet, folder: Path) -> None:
    found = sums_of(folder, unsigned)
    for names, told in (
        (found.changed, "has other bytes than"),
        (found.missing, "is missing and stands in"),
    ):
        for name in names[:8]:
            sheet.fault("F916", f"{name} {told} {SUMS}")
    for line in found.refused[:3]:
        sheet.fault("F916", f"{SUMS} has a line that names no file of the folder: '{line[:80]}'")


def _remade(
    sheet: Sheet,
    contents: Mapping[str, bytes],
    looked: Mapping[str, Looked],
    made: Made,
    maker: Maker,
) -> None:
    """Tables, text and crate are made again, with the options that the report itself tells."""
    forms = _forms(contents)
    one = next((each.container for each in looked.values()), None)
    pdf = looked["report.pdf"].container if "report.pdf" in looked else None
    language = one.language if one else ""
    language = language or str((one.document if one else {}).get("language") or "en")
    try:
        again = maker.written(
            made,
            forms,
            language=language,
            draft=is_draft(one) if one else False,
            annex=pdf.has_annex if pdf else False,
        )
    except Refused as refused:
        sheet.unproven(
            f"tables and texts could not be made again: {refused.diagnostics[0].message}"
        )
        return
    moved = pdf is not None and drawn_with(pdf) != drawn_with(read_pdf(again["report.pdf"]))
    for name, content in again.items():
        if name in (*REPORTS, SUMS) or (moved and name == CRATE):
            continue
        if name not in contents:
            sheet.fault("F916", f"{name} is missing")
        elif contents[name] != content:
            sheet.fault("F916", f"{name} is not what the decision gives")
    for name in sorted(set(contents) - set(again) - {SUMS}):
        sheet.fault("F916", f"{name} is not of this decision")


def _carried(sheet: Sheet, contents: Mapping[str, bytes], looked: Mapping[str, Looked]) -> None:
    """Where the decision does not come out to the byte, files are those that the report itself carries."""
    one = next((looked[name].container for name in REPORTS if name in looked), None)
    held = {f"{ATTACHMENTS}/{file.name}": file.content for file in one.held} if one else {}
    beside = {name for name in contents if name.startswith(f"{ATTACHMENTS}/")}
    for name in sorted(held.keys() | beside) if held and beside else ():
        if name not in contents:
            sheet.fault("F916", f"{name} is missing")
        elif contents[name] != held.get(name):
            sheet.fault("F916", f"{name} is not the file that the report carries")
    known = {*REPORTS, DECISION, SUMS, *beside}
    left = [name for name in sorted(contents) if name not in known]
    if left:
        more = f" and {len(left) - 3} more" if len(left) > 3 else ""
        sheet.unproven(
            f"{', '.join(left[:3])}{more}: not made again, since the decision did not come out to the byte"
        )


def _forms(contents: Mapping[str, bytes]) -> tuple[str, ...]:
    by = {"report.html": "html", "report.pdf": "pdf", "report.md": "md", DECISION: "json"}
    forms = [form for name, form in by.items() if name in contents]
    forms += ["csv"] if any(name.startswith("tables/") for name in contents) else []
    forms += ["crate"] if CRATE in contents else []
    order = ("html", "pdf", "json", "csv", "md", "crate")
    return tuple(form for form in order if form in forms)
