"""A fiche against a whole market: the same criteria, asked once for what each of them looks at.

Every offer becomes a candidate with the cards that the fiche needs. A requirement is judged by its criterion
and by the rule, as in any decision; `_watched` notes what the criterion looked at, and offers that state the
same there have the same answer. Of a price, only the breakpoints are looked for: a lower price never worsens a
candidate, so between two prices of one answer there is no other.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping

from fiche.evaluate._answers import Prices, Rows, numbered, prices_of, spread
from fiche.evaluate._watched import Known, Names, Row, names_of, watched
from fiche.evaluate.decide import Doors, completed, standing
from fiche.evaluate.findings import judged
from fiche.kernel.catalog import Card
from fiche.kernel.comparison import Inquiry
from fiche.kernel.decision import Fiche
from fiche.kernel.doors import Criterion
from fiche.kernel.finding import Verdict
from fiche.kernel.market import Column, Market
from fiche.kernel.record import record, replace
from fiche.kernel.requirement import Candidate, Requirement

# The reason of an answer that hangs on which card a name stands for.
UNRESOLVED = "card_unresolved"


@record
class Answer:
    """What one requirement says of an offer: the worst verdict, with its reasons and open topics."""

    verdict: Verdict
    reasons: tuple[str, ...]
    topics: tuple[str, ...] = ()


@record(eq=False)
class Judged:
    """One requirement on every row: `answers` by code. `asked` is how often its criterion was called."""

    requirement: Requirement
    answers: tuple[Answer, ...]
    codes: array[int]
    asked: int
    paths: tuple[str, ...]


@record(eq=False)
class Screened:
    """Every requirement on every row.

    Rows of one group have the same answers, in order of the requirements: `kinds` are the groups, `numbers`
    says to which of them a row belongs, and `groups` counts the rows of each. Costs are on the tax basis
    `basis`; `unnamed` says that the workload's identity is open (A1).
    """

    market: Market
    judged: tuple[Judged, ...]
    kinds: tuple[tuple[int, ...], ...]
    numbers: array[int]
    groups: Mapping[tuple[int, ...], int]
    basis: str
    unnamed: bool
    bench: Bench

    @property
    def total(self) -> int:
        """How many offers were screened."""
        return len(self.market.ids)

    def verdict(self, group: tuple[int, ...]) -> Verdict:
        """What a candidate with these answers is: its worst must."""
        musts = [
            one.answers[code].verdict
            for one, code in zip(self.judged, group, strict=True)
            if one.requirement.level == "must"
        ]
        worst = max(musts, default=Verdict.TO_CONFIRM)
        return max(worst, Verdict.TO_CONFIRM) if self.unnamed else worst

    def rows(self) -> Iterator[tuple[int, ...]]:
        """The answers of each row."""
        return map(self.kinds.__getitem__, self.numbers)


@record(eq=False)
class Bench:
    """What every row is judged with; `cards_of` gives the cards that a row may be, by its words."""

    market: Market
    names: Names
    ground: Inquiry
    plain: Candidate
    cards_of: Callable[[str, str], tuple[Card | None, ...]]
    prices: Prices
    rows: Rows

    @property
    def alone(self) -> Collection[int]:
        """Rows that a piece names."""
        return self.rows.alone

    def candidates(self, row: Row) -> Iterator[Candidate]:
        """The candidates that a row may be: one for each card that its name may stand for."""
        gpu = self.market.text("gpu", row.place)
        cards = self.cards_of(gpu, self.market.text("could_be", row.place))
        for card in cards or (None,):
            yield watched(row, self.names, self.plain, card, card.id if card else gpu)


def screen(
    fiche: Fiche,
    doors: Doors,
    market: Market,
    plain: Candidate,
    cards_of: Callable[[str, str], tuple[Card | None, ...]],
) -> Screened:
    """Judge every requirement on every offer. `plain` is a candidate without card and offer.

    Raises:
        Refused: the market holds a text that the loader of offers refuses.
    """
    ground, basis, unnamed = standing(fiche, doors)
    criteria = {criterion.name: criterion for criterion in doors.criteria}
    bench = bench_of(market, ground, plain, cards_of)
    told = tuple(_judged(r, criteria[r.kind], bench) for r in completed(fiche.requirements))
    kinds, numbers = _grouped(told, len(market.ids))
    return Screened(
        market=market,
        judged=told,
        kinds=kinds,
        numbers=numbers,
        groups={kinds[number]: rows for number, rows in Counter(numbers).items()},
        basis=basis,
        unnamed=unnamed,
        bench=bench,
    )


def _grouped(
    told: tuple[Judged, ...], total: int
) -> tuple[tuple[tuple[int, ...], ...], array[int]]:
    """The combinations of answers, and the one that each row has; one answer for all tells no rows apart."""
    if not total:
        return (), array("i")
    telling = [one for one in told if len(one.answers) > 1]
    numbers, found = numbered([one.codes for one in telling], total)
    column = {id(one): at for at, one in enumerate(telling)}
    places = [column.get(id(one)) for one in told]
    kinds = tuple(tuple(0 if at is None else group[at] for at in places) for group in found)
    return kinds, numbers


def bench_of(
    market: Market,
    ground: Inquiry,
    plain: Candidate,
    cards_of: Callable[[str, str], tuple[Card | None, ...]],
) -> Bench:
    """What the rows of a market are judged with."""
    spoken = {fact.value for piece in ground.pieces for fact in piece.typed.values()}
    spoken |= {piece.id for piece in ground.pieces}
    market = _with_machines(market, frozenset(spoken))
    return Bench(
        market=market,
        names=names_of(market),
        ground=ground,
        plain=plain,
        cards_of=cards_of,
        prices=prices_of(market),
        rows=Rows(market, frozenset(_spoken_of(market, frozenset(spoken)))),
    )


def _with_machines(market: Market, named: frozenset[str]) -> Market:
    """Machines that no piece names are told apart by nothing: to a criterion they are all the first of them."""
    column = market.columns.get("machine")
    if column is None:
        return market
    others = [code for code, text in enumerate(column.texts) if text and text not in named]
    first = dict.fromkeys(others, others[0] if others else 0)
    codes = array("i", [first.get(code, code) for code in column.codes])
    alike = Column(codes=codes, texts=column.texts)
    return replace(market, columns={**market.columns, "machine": alike})


def _spoken_of(market: Market, named: frozenset[str]) -> Iterator[int]:
    """Rows that a piece names, by offer, machine or quote: what is said of one holds for no other."""
    if not named.isdisjoint(market.ids):
        yield from (place for place, id in enumerate(market.ids) if id in named)
    for path in ("machine", "price.quote", "delivery.document", "declared_memory.document"):
        column = market.columns.get(path)
        codes = {c for c, text in enumerate(column.texts) if text in named} if column else set()
        if column is not None and codes:
            yield from (place for place, code in enumerate(column.codes) if code in codes)


def _judged(requirement: Requirement, criterion: Criterion, bench: Bench) -> Judged:
    def ask(row: Row) -> Answer:
        told = [_answer(requirement, criterion, one, bench.ground) for one in bench.candidates(row)]
        return told[0] if len(set(told)) == 1 else _either(told)

    known = Known(bench.market, ask)
    answers, codes = spread(known, bench.rows, bench.prices, _badness)
    return Judged(
        requirement=requirement, answers=answers, codes=codes, asked=known.asked, paths=known.paths
    )


def _badness(answer: Answer) -> int:
    return answer.verdict


def _answer(
    requirement: Requirement, criterion: Criterion, candidate: Candidate, ground: Inquiry
) -> Answer:
    findings = tuple(judged(criterion, requirement, candidate, ground))
    worst = max((finding.verdict for finding in findings), default=Verdict.TO_CONFIRM)
    telling = [finding for finding in findings if finding.verdict is worst]
    topics = (condition.topic for finding in telling for condition in finding.conditions)
    return Answer(
        verdict=worst,
        reasons=tuple(dict.fromkeys(finding.reason for finding in telling)),
        topics=tuple(dict.fromkeys(topics)),
    )


def _either(told: list[Answer]) -> Answer:
    """A name that may stand for several cards: excluded where each of them is, else to confirm."""
    if all(answer.verdict is Verdict.EXCLUDE for answer in told):
        return Answer(
            verdict=Verdict.EXCLUDE,
            reasons=tuple(dict.fromkeys(reason for answer in told for reason in answer.reasons)),
        )
    topics = (topic for answer in told for topic in answer.topics)
    return Answer(
        verdict=Verdict.TO_CONFIRM,
        reasons=(UNRESOLVED,),
        topics=tuple(dict.fromkeys(("card", *topics))),
    )
