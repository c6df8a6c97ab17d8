"""An explanation as text: what can be explained, a finding, and each number on the way back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from fiche.cli.entries import PLAN, Entry
from fiche.cli.entries_text import about, entries_table
from fiche.cli.quotes import Quote
from fiche.cli.terminal import clean, paragraph
from fiche.kernel.custody import Citation
from fiche.kernel.figure import Figure, Node, Unknown
from fiche.kernel.finding import Finding
from fiche.kernel.origin import Assumed, Computed, Declared, Observed, Simulated, Stated
from fiche.kernel.piece import Piece
from fiche.kernel.record import record
from fiche.kernel.trace import basis, formula
from fiche.kernel.unit import BYTE
from fiche.report.numbers import TERMINAL, amount, amount_exact


@record
class Step:
    """One number on the way back: how deep, where it was read, whether it was shown before.

    `entry` is what a piece tells with that number, `warnings` those of the piece that concern it. `brief`
    where the number is one of a failure that was just told.
    """

    node: Node
    depth: int
    quote: Quote | None
    again: bool
    entry: Entry | None = None
    warnings: tuple[str, ...] = ()
    brief: bool = False


def index_text(
    names: Mapping[str, Sequence[str]], told: Iterable[tuple[Piece, list[Entry]]]
) -> str:
    """All ids: bare ones of the decision, and a table of what each piece tells."""
    parts = [
        f"{kind} (fiche explain FICHE ID):\n" + "".join(f"  {clean(each)}\n" for each in ids)
        for kind, ids in names.items()
    ]
    tables = [entries_table(piece, found) for piece, found in told if found]
    if tables:
        heading = "readings (fiche explain FICHE ID; all of a piece: fiche explain FICHE PIECE):\n"
        parts.append(heading + "\n".join(tables))
    return "\n".join(parts)


def entry_text(entry: Entry, quote: Quote, warnings: Sequence[str]) -> str:
    """What a piece tells that is no figure: a failure, or a value that the program did not print."""
    missing = "" if entry.figure is not None or not entry.printed else " = not available"
    text = paragraph(f"{entry.id}{missing}  [{'planned' if entry.sort == PLAN else 'observed'}]")
    warned = (f"warning: {warning}" for warning in warnings)
    words = (entry.name, *about(entry), *_read_at(quote), *warned)
    return text + "".join(paragraph(line, indent="    ") for line in words)


def finding_id(found: Finding) -> str:
    """`candidate/requirement`, then the case and the device where there are several."""
    return "/".join(
        part for part in (found.candidate, found.requirement, found.case, found.device) if part
    )


def finding_text(found: Finding) -> str:
    """The verdict, its reason and what is open."""
    head = f"{finding_id(found)}: {found.verdict.code.replace('_', ' ')} ({found.reason})"
    text = paragraph(head) + paragraph(found.text, indent="  ")
    if found.need_words or found.have_words:
        text += paragraph(f"asked: {found.need_words}; found: {found.have_words}", indent="  ")
    for condition in found.conditions:
        text += paragraph(f"open ({condition.topic}): {condition.text}", indent="  - ")
    if found.pieces:
        text += paragraph(f"rests on: {', '.join(found.pieces)}", indent="  ")
    if found.attested_by:
        text += paragraph(f"on the word of: {', '.join(found.attested_by)}", indent="  ")
    return text + "\n"


def step_text(step: Step) -> str:
    """One number, and where it was read or how it was made."""
    indent = "  " * step.depth
    node = step.node
    name = node.id or "(unnamed)"
    shown = f"{name} = {_amount(node)}  [{_basis(step)}]"
    if step.again:
        return paragraph(f"{shown}, shown above", indent=indent)
    text = paragraph(shown, indent=indent)
    inner = indent + "    "
    for words in _told(step):
        text += paragraph(words, indent=inner)
    return text


def files(quotes: Iterable[Quote | None], pieces: Iterable[Piece] = ()) -> str:
    """The files that were read on the way, with their digests, and the entry of an archive they are from."""
    read = {quote.file: quote.sha256 for quote in quotes if quote is not None}
    cites = citations(pieces)
    lines = "".join(
        f"  {clean(file)}  sha256 {sha256}\n{_cited(cites.get(sha256))}"
        for file, sha256 in read.items()
        if sha256
    )
    return f"\nRead in:\n{lines}" if lines else ""


def citations(pieces: Iterable[Piece]) -> Mapping[str, Citation]:
    """The entry of an archive that a piece was taken from, by the digest of its file."""
    return {piece.sha256: piece.cites for piece in pieces if piece.cites is not None}


def _cited(cites: Citation | None) -> str:
    if cites is None:
        return ""
    told = f"from archive entry {cites.entry}, {cites.file} (archive {cites.archive})"
    return paragraph(told, indent="    ")


def _amount(node: Node) -> str:
    rounded, full = amount(node, TERMINAL), amount_exact(node, TERMINAL)
    return rounded if rounded == full or node.unit != BYTE else f"{rounded} ({full})"


def _told(step: Step) -> Iterator[str]:
    node, quote = step.node, step.quote
    if node.label and node.label not in (node.id, _amount(node), step.entry and step.entry.name):
        yield node.label
    if isinstance(node, Unknown):
        yield f"not known: {node.condition.text}"
        return
    yield from _origin(node, step.entry)
    if step.entry is not None:
        shown = quote is None or quote.shows
        yield from about(step.entry, shown=shown, brief=step.brief)
    elif isinstance(node.origin, Observed | Declared | Simulated) and node.origin.printed:
        yield f"printed: {node.origin.printed}"
    yield from _read_at(quote)
    yield from (f"warning: {warning}" for warning in step.warnings)
    if node.left_out:
        yield f"leaves out: {'; '.join(node.left_out)}"


def _read_at(quote: Quote | None) -> Iterator[str]:
    if quote is not None:
        yield f"at {quote.place}"
        if quote.text:
            yield f"> {quote.text.strip()}"


def _basis(step: Step) -> str:
    plan = step.entry is not None and step.entry.sort == PLAN and not step.entry.computed
    return "planned" if plan else basis(step.node)


def _origin(node: Figure, entry: Entry | None) -> Iterator[str]:
    match node.origin:
        case Computed():
            yield f"= {formula(node)}"
            if node.origin.because:
                yield node.origin.because
        case Observed():
            told = (node.origin.counter, node.origin.scope, node.origin.stat)
            yield f"counter {', '.join(filter(None, told if entry is None else told[:1]))}"
        case Simulated():
            yield (
                f"computed by {node.origin.by}: not observed, and no formula; it neither admits nor "
                "excludes"
            )
        case Declared():
            yield f"said by {node.origin.by}"
        case Assumed():
            yield f"assumed by {node.origin.by}: {node.origin.because}"
        case Stated():
            if node.origin.because:
                yield node.origin.because
