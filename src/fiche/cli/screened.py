"""A fiche against files of offers: read as columns, screened, and the first of what is left decided in full."""

from __future__ import annotations

import gc
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from fiche import __version__
from fiche.cli.compile import doors, importers
from fiche.cli.offers_checked import check_tables
from fiche.evaluate.decide import judged_fiche
from fiche.evaluate.screening import Screened, screen
from fiche.evaluate.shortlist import Listed, shortlist
from fiche.kernel.address import Span
from fiche.kernel.catalog import Card, Offer
from fiche.kernel.decision import Decision, Fiche
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.kernel.figure import Figure
from fiche.kernel.market import Cell, Column, Market
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
class Kept:
    """Rows that pass every test of a search; how many others each test left out, by failing or by silence."""

    rows: Sequence[int]
    failed: dict[str, int]
    silent: dict[str, int]

    @property
    def json(self) -> dict[str, dict[str, int]]:
        """What each test left out."""
        return {
            test: {"failed": self.failed.get(test, 0), "not_stated": self.silent.get(test, 0)}
            for test in dict.fromkeys((*self.failed, *self.silent))
        }

    @property
    def text(self) -> str:
        """The same, a line a test."""
        return "".join(
            f"left out by {test}: {counts['failed']}, and {counts['not_stated']} that do not state it "
            "(unknown is not no)\n"
            for test, counts in self.json.items()
        )


@record(eq=False)
class Screening:
    """What a screening says: every offer counted, and the first of those that are left as a decision.

    `read` are the offers of the files, `kept` those of them that pass the tests; None where nobody tests.
    """

    fiche: Fiche
    files: tuple[str, ...]
    cards: int
    screened: Screened
    listed: tuple[Listed, ...]
    decision: Decision | None
    read: int = 0
    kept: Kept | None = None


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


def screening(
    path: Path,
    files: Sequence[Path],
    cards: int | None,
    top: int,
    choose: Callable[[Market], Kept] | None = None,
) -> Screening:
    """Screen offers against a fiche; with `choose`, those of them that it keeps.

    Raises:
        Refused: something is wrong with the fiche or a file; F630 nobody says how many cards are needed.
    """
    fiche = load_fiche(path, importers()).fiche
    plain = plain_candidate(fiche, cards or _devices(fiche))
    market, tables = read_market(files)
    kept = choose(market) if choose is not None else None
    screened_market = market if kept is None else _only(market, kept.rows)
    catalog, all_doors = Catalogs(Faults()), doors()
    found = screen(fiche, all_doors, screened_market, plain, cards_of(catalog))
    listed = shortlist(found, top)
    places = [one.row if kept is None else kept.rows[one.row] for one in listed]
    offers = _offers(places, tables)
    chosen = tuple(_candidate(plain, offers[place], catalog) for place in places)
    asked = replace(fiche, candidates=chosen, choice=None, plans=(), efforts=())
    return Screening(
        fiche=fiche,
        files=tuple(str(file) for file in files),
        cards=int(plain.cards.low),
        screened=found,
        listed=listed,
        # What was asked of the market is asked of these: a baseline may be a candidate of the fiche itself.
        decision=judged_fiche(asked, all_doors, __version__, fiche.candidates) if chosen else None,
        read=len(market.ids),
        kept=kept,
    )


def _only(market: Market, rows: Sequence[int]) -> Market:
    """The market of some of its rows: no text is read anew."""
    columns = {
        path: Column(codes=array("i", map(column.codes.__getitem__, rows)), texts=column.texts)
        for path, column in market.columns.items()
    }
    return replace(market, ids=tuple(map(market.ids.__getitem__, rows)), columns=columns)


def read_market(files: Sequence[Path]) -> tuple[Market, tuple[Table, ...]]:
    """Files of offers as one market, and each as a table.

    Raises:
        Refused: one cannot be read.
    """
    tables = tuple(read_table(content_of(file), str(file)) for file in files)
    check_tables(tables)
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
