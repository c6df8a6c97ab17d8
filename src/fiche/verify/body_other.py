"""Step 6 of a report of another version: every number and verdict that it prints is in its decision.json.

Its page cannot be made again, word for word, by this version. So its words are read as a reader has them and
looked up; and what could act on a reader, or hide from one, is named.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from itertools import islice
from typing import Any

from fiche.kernel.diagnostic import Refused
from fiche.kernel.record import replace
from fiche.languages import spoken
from fiche.report import numbers
from fiche.report.words._language import Language
from fiche.verify.container import CRATE, DECISION, MANIFEST, Container, Passage
from fiche.verify.printed import JOINTS, Lookup, Told
from fiche.verify.step import Sheet

_MOST, _COUNTED = 8, 200
# Names with digits in them: a program, and the norms that the files are built to.
_NAMES = ("sha256sum", "PDF/A-3a", "PDF/UA-1", "RO-Crate 1.2")
_GROUPED = re.compile(rf"(?<![\w.,-])\d{{1,3}}(?:[ {JOINTS}]\d{{3}})+(?!\d)")
_GLYPHS = {"●": "retained", "▲": "to_confirm", "✕": "excluded"}
_TORN = 20
_DRAWN = re.compile(r"(?<=[^\W\d_])(?=\d+[.,]\d\d[ \u00a0\u202f])")


def other_body(sheet: Sheet, container: Container) -> None:
    """Look up what a report prints in the decision that it carries."""
    document = container.document
    if not document:
        sheet.unproven("without a decision.json there is nothing to look a number up in")
        return
    try:
        language = spoken(container.language or "en")
    except Refused:
        sheet.unproven(
            f"its language '{container.language}' is not known here: no number was looked up"
        )
        return
    found = list(islice(strange_numbers(container, document, language), _COUNTED + 1))
    for text in found[:_MOST]:
        sheet.fault("F913", f"a number that decision.json does not have: {text}")
    if len(found) > _MOST:
        more = f"{len(found) - _MOST} more" if len(found) <= _COUNTED else "many more"
        sheet.fault("F913", f"and {more} numbers")
    for text in other_verdicts(container, document):
        sheet.fault("F914", text)


def strange_numbers(container: Container, document: Any, language: Language) -> Iterator[str]:  # noqa: ANN401 - any JSON
    """Numbers that stand in the text and not in the decision; of the page's own are lengths and digests."""
    own = re.compile("|".join(_own(container, language)))
    style = language.style
    paper = container.kind == "pdf"
    grouped = paper and style.group in JOINTS
    told = Told(_ungrouped_document(document) if grouped else document)
    look = Lookup(told, language, replace(style, group="") if grouped else style, glued=paper)
    for passage in container.passages:
        for line in _joined(passage, told.said) if paper else passage.lines:
            plain = own.sub(" ", line)
            if paper:  # a picture's words follow each other without a blank
                plain = _DRAWN.sub(" ", plain)
            if not paper and _of_a_picture(plain):
                continue
            shown = _ungrouped(plain) if grouped else plain
            yield from (f"{each} ({passage.place})" for each in look.strange(shown))


def _own(container: Container, language: Language) -> list[str]:
    """What a page says of the files that fiche itself writes: no file holds its own length and digest."""
    made = [one for one in container.held if one.name in (DECISION, MANIFEST, CRATE)]
    lengths = {numbers.exact_bytes(len(one.content), language.style) for one in made}
    digests = {one.sha256[:n] for one in made for n in (10, 12, 16, 64)}
    names = {name for name in _names(container) if re.search(r"\d", name)}
    either = sorted({*_NAMES, *names, *lengths, *digests}, key=len, reverse=True)
    version = rf"fiche {re.escape(container.version)}" if container.version else "fiche 0"
    loose = [re.sub(r"(?:\\?[ \u00a0\u202f])", "[ \u00a0\u202f]*", re.escape(e)) for e in either]
    return [version, *loose, r"\(\d+\)$", r"^\d+ / \d+$"]


def _names(container: Container) -> Iterator[str]:
    """Files as they are attached, and as the fiche names them; a cell of paper ends within no blank."""
    yield from (one.name for one in container.held)
    inputs = container.document.get("inputs")
    for one in inputs if isinstance(inputs, list) else ():
        name = str(one.get("file", "")) if isinstance(one, dict) else ""
        yield from (name, name.rpartition("/")[2])


def _of_a_picture(line: str) -> bool:
    """A mark of a scale: digits alone, which stand beside a picture and not in the decision."""
    return bool(re.fullmatch(rf"[\d.,{JOINTS} ]+", line))


def _joined(passage: Passage, said: str) -> Iterator[str]:
    """A line of paper may begin or end within an amount or a long name, so lines are joined."""
    text = ""
    for line in passage.lines:
        if _of_a_picture(line):
            continue
        last, first = text.rpartition(" ")[2], line.partition(" ")[0]
        torn = len(last) > _TORN and f"{last}{first}" in said
        text += line if torn else f" {line}"
    yield re.sub(r"[ \u00a0]+(?=[\u00a0 ])", "", text)


def _ungrouped(text: str) -> str:
    return _GROUPED.sub(lambda found: re.sub(r"\D", "", found[0]), text)


def _ungrouped_document(part: Any) -> Any:  # noqa: ANN401 - any JSON
    if isinstance(part, dict):
        return {key: _ungrouped_document(inner) for key, inner in part.items()}
    if isinstance(part, list):
        return [_ungrouped_document(inner) for inner in part]
    return _ungrouped(part) if isinstance(part, str) else part


# --- Verdicts -------------------------------------------------------------------------------------


def other_verdicts(container: Container, document: Any) -> Iterator[str]:  # noqa: ANN401 - any JSON
    """Candidates whose printed status, by its sign, is not that of the decision."""
    candidates = document.get("candidates")
    told = {str(c.get("id")): c.get("status") for c in candidates or () if isinstance(c, dict)}
    seen: set[str] = set()
    for place, line in _answers(container):
        for name, status in told.items():
            found = re.search(rf"— {re.escape(name)}(?![\w-])[^—]*?·[^·—]*?([●▲✕])", line)
            if not found:
                continue
            seen.add(name)
            if _GLYPHS[found[1]] != status:
                yield f"{place}: {name} is printed as '{_GLYPHS[found[1]]}', the decision says '{status}'"
    for name in sorted(told.keys() - seen):
        yield f"page one prints no verdict of {name}, of which the decision says '{told[name]}'"


def _answers(container: Container) -> Iterator[tuple[str, str]]:
    """Lines of page one that answer for a candidate; a name too long for one goes on in the next."""
    for passage in container.passages[:3]:
        lines = passage.lines
        for at in range(len(lines)):
            yield passage.place, " ".join(lines[at : at + 3])


# --- What acts, and what hides --------------------------------------------------------------------


def page_acts(sheet: Sheet, container: Container) -> None:
    """What a page of another version may not have, whatever it says: requests, handlers, unnamed scripts."""
    page = container.own["page"]
    if not page.policy.startswith("default-src 'none'"):
        sheet.fault("F912", "the page has no policy (CSP) that keeps it from asking for anything")
    if re.search(r"unsafe|https?:|\*", page.policy):
        sheet.fault("F912", "the page's policy (CSP) lets in more than what it names by digest")
    named = set(re.findall(r"sha256-([A-Za-z0-9+/=]+)", page.policy))
    for tag, body in page.programs:
        if tag and b64encode(sha256(body.encode()).digest()).decode() not in named:
            sheet.fault("F912", f"a {tag} is in the page that its policy does not name")
    for text in list(dict.fromkeys(page.acting))[:_MOST]:
        sheet.fault("F912", text)
    sheet.unproven(
        "what its scripts and style sheets do is not proven: the page was not made again"
    )


def paper_acts(sheet: Sheet, container: Container) -> None:
    """What no PDF of a report has: actions, scripts, layers, notes, forms, text that is not painted."""
    from fiche.verify.pdf_acts import acts

    for text in list(acts(container.own["reader"]))[:_MOST]:
        sheet.fault("F912", text)
    sheet.unproven("that nothing covers the text is not proven: the pages were not made again")
