"""The lines that a piece adds to a fiche: what is known as keys, what is to complete as comments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from fiche.cli.attach_cards import cards_printing
from fiche.cli.attach_facts import Stated, device, is_count, missing, stated
from fiche.kernel.catalog import Card
from fiche.kernel.custody import NO_CUSTODY, Citation, Custody
from fiche.kernel.decision import Fiche
from fiche.kernel.piece import Reading
from fiche.kernel.record import record
from fiche.kernel.simulation import SIMULATION
from fiche.load.entry import Line
from fiche.load.pieces import DOCUMENT_KINDS
from fiche.render.visible import visible

_DAY = re.compile(r"(20[0-9]{2})[-/](0[1-9]|1[0-2])[-/](0[1-9]|[12][0-9]|3[01])(?![0-9])")
_DATES = ("date", "started_at", "observed_at")
_SHOWN = 4
_RECORD = "fiche_record"
# What says itself which run it is of.
_OF_A_RUN = (_RECORD, "fiche_run")
# They say their scope under a fiche's own words.
_OWN_WORDS = (_RECORD, "fiche_environment", SIMULATION)
_LEAD = "To complete where you know it, without the #. What stays unsaid leaves a verdict open."
_BY = "who vouches for this"
# Said at the import and above what it is the reason of.
UNVOUCHED = (
    "no author vouches for the scope: add author: to the fiche, or by: below, and take the # away"
)
_ORDER = (
    "model",
    "operation",
    "engine",
    "formats",
    "attention",
    "backend",
    "allocator",
    "placement",
)
_HINTS = {
    "gpu": "the card it ran on, by its id in the catalog",
    "machine": "the machine it ran on, as a candidate names it",
    "operation": "training, adaptation or generation",
    "attention": "the implementation of attention: sdpa, flash, eager",
    "backend": "cuda or hip",
    "process": "how runs are put into processes: one fresh process per series",
}


@record
class Attachment:
    """What is known of a piece before it is written down.

    `kind` is empty where the content is asked for it again at every load.
    """

    id: str
    file: str
    sha256: str
    reading: Reading
    kind: str
    redacted: Mapping[str, int]
    custody: Custody = NO_CUSTODY
    cites: Citation | None = None


def entry(piece: Attachment, fiche: Fiche, cards: Sequence[Card]) -> tuple[Line, ...]:
    """The lines of one piece."""
    reading = piece.reading
    day = _day(reading)
    run = reading.facts["run"].value if reading.kind in _OF_A_RUN and "run" in reading.facts else ""
    told = {"kind": piece.kind, "version": visible(reading.version)[:80], "date": day, "run": run}
    return (
        Line("id", piece.id),
        Line("file", piece.file),
        Line("sha256", piece.sha256),
        *([Line("redacted", dict(piece.redacted))] if piece.redacted else []),
        *(Line(key, text) for key, text in told.items() if text),
        *_origin(piece),
        *(_of_document() if piece.kind in DOCUMENT_KINDS else _scope(reading, fiche, cards)),
    )


def _origin(piece: Attachment) -> Iterator[Line]:
    """How it may be kept and shown, and the entry of an archive that it comes from."""
    keys = ("rights", "confidentiality", "keep_until")
    told = {key: visible(getattr(piece.custody, key)) for key in keys}
    yield from (Line(key, text) for key, text in told.items() if text)
    if piece.cites is not None:
        cites = {key: getattr(piece.cites, key) for key in ("archive", "entry", "file")}
        yield Line("cites", cites)


def _day(reading: Reading) -> str:
    """The day that the file states, where it is written year first: no other order is sure."""
    facts = {**reading.facts, **(reading.runs[0].facts if reading.runs else {})}
    texts = [facts[key].value for key in _DATES if key in facts]
    texts += [str(reading.further[key]) for key in _DATES if key in reading.further]
    found = next((match for match in map(_DAY.match, texts) if match), None)
    return "-".join(found.groups()) if found else ""


def _of_document() -> Iterator[Line]:
    yield Line(
        comment="To complete: what it speaks of, and what it states, with its literal words."
    )
    yield Line(comment="version: the number or date printed on it")
    yield Line(comment="scope: {offer: }")
    yield Line(comment="attests:")
    yield Line(comment='  - {fact: price, amount: , per: , covers: , quote: ""}')


def _scope(reading: Reading, fiche: Fiche, cards: Sequence[Card]) -> Iterator[Line]:
    """What the file states, unless it is a file of ours, which says it under a fiche's own words at every load.

    Prose stands above the scope: below it, every line is a key, and a comment is one without its #.
    """
    lines = _stated_lines(reading, cards)
    known = {line.key for line in lines}
    open_ = to_complete(reading, fiche, cards)
    wanted = [path for path in open_ if path != "machine"]
    notes = list(_open(wanted, reading, fiche, cards, known))
    as_keys = bool(lines and fiche.author)
    if lines and not as_keys:
        yield Line(comment=UNVOUCHED)
    if open_:
        yield Line(comment=_LEAD)
    yield from _further(wanted, known)
    if "machine" in open_:
        yield Line(comment=f"machine:  # {_HINTS['machine']}")
    if as_keys:
        yield Line("scope", (*lines, *notes))
    elif lines or notes:
        by = [] if notes else [Line(comment=f"by:  # {_BY}")]
        yield Line(comment="scope:")
        yield from (Line(comment=f"  {_as_comment(line)}") for line in (*lines, *notes, *by))


def _stated_lines(reading: Reading, cards: Sequence[Card]) -> list[Line]:
    return [] if reading.kind in _OWN_WORDS else list(_known(reading, cards))


def to_complete(reading: Reading, fiche: Fiche, cards: Sequence[Card]) -> tuple[str, ...]:
    """What the criteria compare with such a file and neither it states nor its one card tells.

    A simulation ran on no device: there is nothing of one to complete.
    """
    if reading.kind == SIMULATION:
        return ()
    known = {line.key for line in _stated_lines(reading, cards)}
    return tuple(path for path in missing(reading, fiche) if path not in known)


def unvouched(reading: Reading, fiche: Fiche) -> bool:
    """True where facts that the file states are written as comments, for nobody would vouch for them."""
    return bool(not fiche.author and reading.kind not in _OWN_WORDS and stated(reading))


def _as_comment(line: Line) -> str:
    from fiche.load.entry import block_lines

    return next(iter(block_lines((line,), 0)))[2:].removeprefix("# ")


def _known(reading: Reading, cards: Sequence[Card]) -> Iterator[Line]:
    """The stated facts, grouped under their first key, each with its place in the file; the card first."""
    found = device(reading)
    named = cards_printing(found.value, cards) if found is not None else ()
    if found is not None and len(named) == 1:
        yield Line("gpu", named[0].id, f"{visible(found.printed)}, {found.place}")
    groups: dict[str, list[Stated]] = {}
    for one in stated(reading).values():
        groups.setdefault(one.path.partition(".")[0], []).append(one)
    for key, facts in sorted(groups.items(), key=lambda group: _place(group[0])):
        places = ", ".join(dict.fromkeys(one.place for one in facts))
        yield Line(key, _value(facts), places)


def _place(key: str) -> int:
    return _ORDER.index(key) if key in _ORDER else len(_ORDER)


def _value(facts: Sequence[Stated]) -> str | dict[str, str | int | dict[str, str]]:
    if "." not in facts[0].path:
        return facts[0].value
    counted = {one.path for one in facts if is_count(one.path)}
    found: dict[str, str | int | dict[str, str]] = {}
    for one in facts:
        _, key, *rest = one.path.split(".", 2)
        if rest:
            inner = found.setdefault(key, {})
            assert isinstance(inner, dict)
            inner[rest[0]] = one.value
        else:
            found[key] = int(one.value) if one.path in counted else one.value
    return found


def _open(
    wanted: Sequence[str],
    reading: Reading,
    fiche: Fiche,
    cards: Sequence[Card],
    known: set[str],
) -> Iterator[Line]:
    """What is to complete, one comment a key; a case of the fiche tells all of it at once."""
    if not wanted:
        return
    if reading.failures or reading.runs:
        yield from _cases(fiche)
    for key, names in _grouped(wanted).items():
        if key == "gpu":
            yield Line(comment=f"gpu:  # {_which(reading, cards)}")
        elif names == [""] and key not in known:
            hint = _HINTS.get(key, "")
            yield Line(comment=f"{key}:  # {hint}" if hint else f"{key}:")
        elif key not in known:
            yield Line(comment=f"{key}: {{{', '.join(f'{name}: ' for name in names)}}}")
    yield Line(comment=f"by:  # {_BY}{_otherwise(fiche)}")


def _grouped(paths: Sequence[str]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for path in paths:
        key, _, rest = path.partition(".")
        groups.setdefault(key, []).append(rest)
    return groups


def _further(wanted: Sequence[str], known: set[str]) -> Iterator[Line]:
    """What is to complete under keys of which the file states a part."""
    told = [f"{key}: {', '.join(names)}" for key, names in _grouped(wanted).items() if key in known]
    if told:
        yield Line(comment=f"To complete within the keys below: {'; '.join(told)}.")


def _cases(fiche: Fiche) -> Iterator[Line]:
    cases = fiche.workload.cases
    if not cases:
        return
    names = ", ".join(case.id for case in cases)
    yield Line(
        comment=f"case:  # the case that ran exactly as written here, which tells all below: {names}"
    )
    dimensions = dict.fromkeys(name for case in cases for name in case.dimensions)
    if dimensions:
        yield Line(comment=f"executed: {{{', '.join(f'{name}: ' for name in dimensions)}}}")


def _which(reading: Reading, cards: Sequence[Card]) -> str:
    """The hint for the card: what the device prints, and the cards that it may be."""
    found = device(reading)
    if found is None:
        return _HINTS["gpu"]
    named = [card.id for card in cards_printing(found.value, cards)]
    said = f"{visible(found.printed)} ({found.place})"
    if not named:
        return f"the file says {said}, which no card of the catalog prints"
    return (
        f"the file says {said}: {', '.join(named[:_SHOWN])}{', ...' if len(named) > _SHOWN else ''}"
    )


def _otherwise(fiche: Fiche) -> str:
    return f"; otherwise {visible(fiche.author)}" if fiche.author else ""
