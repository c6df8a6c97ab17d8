"""A fiche against files of offers: read as columns, screened, and the first of what is left decided in full."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from fiche import __version__
from fiche.cli.compile import doors, importers
from fiche.evaluate.decide import judged_fiche
from fiche.evaluate.screening import Screened, screen
from fiche.evaluate.shortlist import Listed, shortlist
from fiche.kernel.address import Span
from fiche.kernel.catalog import Card, Offer
from fiche.kernel.decision import Decision, Fiche
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.kernel.figure import Figure
from fiche.kernel.market import Cell, Market
from fiche.kernel.origin import Stated
from fiche.kernel.record import record, replace
from fiche.kernel.requirement import Candidate
from fiche.kernel.unit import count_of
from fiche.load.catalog import Catalogs
from fiche.load.fault import Faults
from fiche.load.fiche import load_fiche
from fiche.load.folder import PIECE_LIMIT, UnreadableError, read_file
from fiche.load.offer_rows import cell, checked_offer
from fiche.market._table import Table, joined, read_table


@record(eq=False)
class Screening:
    """What a screening says: every offer counted, and the first of those that are left as a decision."""

    fiche: Fiche
    files: tuple[str, ...]
    cards: int
    screened: Screened
    listed: tuple[Listed, ...]
    decision: Decision | None


@contextmanager
def without_collector() -> Iterator[None]:
    """A market is a million short texts, and no cycle among them to look for."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def screening(path: Path, files: Sequence[Path], cards: int | None, top: int) -> Screening:
    """Screen offers against a fiche.

    Raises:
        Refused: something is wrong with the fiche or a file; F630 nobody says how many cards are needed.
    """
    fiche = load_fiche(path, importers()).fiche
    plain = plain_candidate(fiche, cards or _devices(fiche))
    market, tables = read_market(files)
    catalog, all_doors = Catalogs(Faults()), doors()
    found = screen(fiche, all_doors, market, plain, cards_of(catalog))
    listed = shortlist(found, top)
    offers = _offers([one.row for one in listed], tables)
    chosen = tuple(_candidate(plain, offers[one.row], catalog) for one in listed)
    asked = replace(fiche, candidates=chosen, choice=None, plans=(), efforts=())
    return Screening(
        fiche=fiche,
        files=tuple(str(file) for file in files),
        cards=int(plain.cards.low),
        screened=found,
        listed=listed,
        decision=judged_fiche(asked, all_doors, __version__) if chosen else None,
    )


def read_market(files: Sequence[Path]) -> tuple[Market, tuple[Table, ...]]:
    """Files of offers as one market, and each as a table.

    Raises:
        Refused: one cannot be read.
    """
    tables = tuple(read_table(content_of(file), str(file)) for file in files)
    ids, columns = joined(tables)
    return Market(ids=ids, columns=columns, cell=cells()), tables


def content_of(file: Path) -> bytes:
    """The bytes of a file that the command line names.

    Raises:
        Refused: it cannot be read.
    """
    try:
        return read_file(file, str(file), PIECE_LIMIT)
    except UnreadableError as problem:
        raise Refused([problem.told]) from None


def cells() -> Callable[[str, str], Cell]:
    """Each distinct text is read once."""

    @cache
    def read(path: str, text: str) -> Cell:
        figures, facts = cell(path, text)
        return Cell(figures=figures, facts=facts)

    return read


def cards_of(catalog: Catalogs) -> Callable[[str, str], tuple[Card | None, ...]]:
    """The cards that the words of a row may stand for; None is a card that no catalog holds."""

    @cache
    def found(gpu: str, could_be: str) -> tuple[Card | None, ...]:
        return tuple(catalog.card(name) for name in could_be.split() or [gpu])

    return found


def _devices(fiche: Fiche) -> int:
    stated = fiche.workload.figures.get("placement.devices")
    if stated is not None:
        return int(stated.low)
    told = {int(candidate.cards.low) for candidate in fiche.candidates}
    if len(told) == 1:
        return told.pop()
    message = "nobody says how many cards the workload needs"
    hint = "state workload.placement.devices in the fiche, or give --cards"
    raise Refused([Diagnostic(code="F630", message=message, address=None, hint=hint)])


def plain_candidate(fiche: Fiche, cards: int) -> Candidate:
    """What the candidates of all offers share: the fiche's workload, on so many cards."""
    count = Figure(
        low=cards, high=cards, unit=count_of("cards"), origin=Stated(span=None), label="cards"
    )
    return Candidate(
        id="",
        gpu="",
        card=None,
        cards=count,
        offer=None,
        machine="",
        workload=fiche.workload,
        span=Span(file=fiche.file, line=1, column=1),
    )


def _candidate(plain: Candidate, offer: Offer, catalog: Catalogs) -> Candidate:
    machine = offer.facts.get("machine")
    return replace(
        plain,
        id=offer.id,
        gpu=offer.gpu,
        card=catalog.card(offer.gpu),
        offer=offer,
        machine=machine.value if machine is not None else "",
        span=offer.span,
    )


def _offers(rows: Sequence[int], tables: Sequence[Table]) -> dict[int, Offer]:
    """The offers of some rows, read in full where they stand: rows are counted over all files."""
    found, before = {}, 0
    for table in tables:
        own = [row for row in rows if before <= row < before + len(table.ids)]
        told = table.records([row - before for row in own])
        for row, (line, stated) in zip(own, told, strict=True):
            found[row] = checked_offer(table.file, line, stated)
        before += len(table.ids)
    return found
