"""What an archive holds, counted in two passes over its entries: no more is kept than what is to be shown."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, timedelta
from fractions import Fraction

from fiche.archive.entry import Entry, Row
from fiche.kernel.holdings import Holdings, Meeting, Mention, Range, Tally, answer_of
from fiche.kernel.record import field, record, replace

# What decisions say, and what became of a run, in the order in which they are told.
VERDICTS = ("admissible", "to confirm", "exclude")
RUNS = ("passed", "failed", "unknown")
INTERNAL, CONFIDENTIAL = "internal", "confidential"
# The statistics of a counter that are peaks.
PEAKS = ("peak", "sampled_max")
# A fiche asks, a catalog lists: neither says what became of a model on a card.
_SPEAKING = ("decision", "record", "piece")
_FEW = 3
_SOON = 90


@record
class Counted:
    """What an overview needs of an entry; `rows` may be those alone that say an outcome or an observed peak."""

    id: str
    kind: str
    title: str
    date: str
    added: str
    keep_until: str
    confidentiality: str
    supersedes: tuple[str, ...]
    rows: tuple[Row, ...]
    num_files: int
    num_bytes: int
    own_id: str = ""

    @property
    def said_by(self) -> str:
        """Who says it: a decision is one in however many files it is kept, such as a page and its PDF."""
        return self.own_id if self.kind == "decision" and self.own_id else self.id


Entries = Callable[[], Iterable[Counted]]


def counted(entry: Entry) -> Counted:
    """What an overview needs of an entry as its bag tells it."""
    same = ("id", "kind", "title", "date", "added", "keep_until", "confidentiality", "own_id")
    return Counted(
        **{name: getattr(entry, name) for name in (*same, "supersedes", "rows")},
        num_files=len(entry.files),
        num_bytes=sum(one.num_bytes for one in entry.files),
    )


def as_written(name: str) -> str:
    """A name as the source has it."""
    return name


@record
class Limits:
    """How much an overview shows; what is over is counted."""

    meetings: int = 200
    latest: int = 20
    leaving: int = 50


@record
class Scope:
    """What is looked at: the archive's id, as of which day, and what narrows it.

    `narrowed` has `model`, `card` or both, each a part of a name in any case. `card_of` turns a card's name as
    written into the one that it is to stand under. `kept_back` are the levels of confidentiality left out.
    """

    archive: str
    day: date
    card_of: Callable[[str], str] = as_written
    narrowed: Mapping[str, str] = field(default_factory=dict)
    kept_back: frozenset[str] = frozenset({"confidential"})

    def reads(self, model: str, *cards: str) -> bool:
        """True for a model and a card that are asked for; a card by any of its names."""
        told = {"model": (model,), "card": cards}
        return all(
            any(part.casefold() in name.casefold() for name in told[key])
            for key, part in self.narrowed.items()
            if part
        )


def held(entries: Entries, scope: Scope, limits: Limits | None = None) -> Holdings:
    """Count what an archive holds; `entries` gives all of them anew each time that it is called."""
    count = _Count(scope, limits or Limits(), _replaced(entries()))
    for entry in entries():
        count.take(entry)
    return count.holdings()


def _replaced(entries: Iterable[Counted]) -> dict[str, tuple[str, ...]]:
    """The ids of superseded entries, each with those that supersede it."""
    found: dict[str, set[str]] = {}
    for entry in entries:
        for one in entry.supersedes:
            found.setdefault(one, set()).add(entry.id)
    return {one: tuple(sorted(by)) for one, by in found.items()}


class _Reached:
    """What one model on one card has come to so far."""

    __slots__ = ("decisions", "entries", "outcomes", "ranges")

    def __init__(self) -> None:
        self.entries = 0
        # By outcome: how many, and a few of them with who says it, the latest first.
        self.outcomes: dict[str, tuple[int, list[tuple[str, Mention]]]] = {}
        # Outcomes with the decisions that say so: what is kept twice says it once.
        self.decisions: set[tuple[str, str]] = set()
        # By quantity and unit: lowest, highest, of how many entries.
        self.ranges: dict[tuple[str, str], tuple[Fraction, Fraction, int]] = {}

    def take(self, entry: Counted, rows: list[Row], mention: Mention) -> None:
        """Add what one entry says of the two."""
        self.entries += 1
        for outcome in _outcomes(entry, rows):
            self._said(outcome, entry, mention)
        for key, peak in _peaks(entry, rows).items():
            low, high, entries = self.ranges.get(key, (peak, peak, 0))
            self.ranges[key] = (min(low, peak), max(high, peak), entries + 1)

    def _said(self, outcome: str, entry: Counted, mention: Mention) -> None:
        count, few = self.outcomes.get(outcome, (0, []))
        if len(few) < _FEW or _dated(mention) > _dated(few[-1][1]):
            few = _latest([*few, (entry.said_by, mention)])
        self.outcomes[outcome] = (count + self._is_first(outcome, entry), few)

    def _is_first(self, outcome: str, entry: Counted) -> bool:
        """True unless the same decision, kept as another entry, said the same before."""
        if entry.said_by == entry.id:
            return True
        told = len(self.decisions)
        self.decisions.add((outcome, entry.said_by))
        return len(self.decisions) > told


def _latest(said: list[tuple[str, Mention]]) -> list[tuple[str, Mention]]:
    """A few, the latest first, and of one who says it several times the latest."""
    ordered = sorted(said, key=lambda one: _dated(one[1]))
    by = dict(ordered)
    return sorted(by.items(), key=lambda one: _dated(one[1]), reverse=True)[:_FEW]


def _outcomes(entry: Counted, rows: list[Row]) -> dict[str, None]:
    """What became of the two: of a decision the verdicts on candidates, never those on findings."""
    if entry.kind == "decision":
        told = (row.outcome for row in rows if not row.quantity and row.outcome in VERDICTS)
    else:
        told = (row.outcome for row in rows if row.outcome in RUNS)
    return dict.fromkeys(told)


def _peaks(entry: Counted, rows: list[Row]) -> dict[tuple[str, str], Fraction]:
    """An entry's own peaks of memory: the highest reading of each counter, over its phases and devices."""
    found: dict[tuple[str, str], Fraction] = {}
    for row in rows:
        if row.origin == "observed" and row.amount and row.unit == "B" and _is_peak(row.quantity):
            key, read = (row.quantity, row.unit), Fraction(row.amount)
            found[key] = max(read, found.get(key, read))
    return {} if entry.kind == "decision" else found


def _is_peak(quantity: str) -> bool:
    return quantity.rpartition(".")[2] in PEAKS


class _Count:
    """The second pass: every entry is looked at once and let go."""

    def __init__(
        self, scope: Scope, limits: Limits, replaced: Mapping[str, tuple[str, ...]]
    ) -> None:
        self.scope, self.limits, self.replaced = scope, limits, replaced
        self.soon = scope.day + timedelta(days=_SOON)
        self.kinds: Counter[str] = Counter()
        self.files = self.num_bytes = 0
        self.superseded = self.unplaced = self.leaving_total = 0
        # By level of confidentiality: what is left out, and what is not.
        self.withheld: Counter[str] = Counter()
        self.levels: Counter[str] = Counter()
        self.cards: dict[str, str] = {}
        self.reached: dict[tuple[str, str], _Reached] = {}
        self.latest: list[tuple[str, str, Mention]] = []
        self.leaving: list[Mention] = []

    def take(self, entry: Counted) -> None:
        """Count one entry."""
        rows = [*self._asked(entry.rows)]
        if any(self.scope.narrowed.values()) and not rows:
            return
        if entry.confidentiality in self.scope.kept_back:
            self.withheld[entry.confidentiality] += 1
            return
        self.levels[entry.confidentiality] += 1
        self.kinds[entry.kind] += 1
        self.files += entry.num_files
        self.num_bytes += entry.num_bytes
        mention = self._mentioned(entry)
        self._list(mention)
        if mention.superseded_by:
            self.superseded += 1
        else:
            self._place(entry, rows, mention)

    def _asked(self, rows: Iterable[Row]) -> Iterator[Row]:
        """The rows that are asked for, each under the name of its card that it is to stand under."""
        for row in rows:
            if row.card not in self.cards:
                self.cards[row.card] = self.scope.card_of(row.card)
            card = self.cards[row.card]
            if self.scope.reads(row.model, row.card, card):
                yield row if card == row.card else replace(row, card=card)

    def _place(self, entry: Counted, rows: list[Row], mention: Mention) -> None:
        if entry.kind not in _SPEAKING:
            return
        pairs: dict[tuple[str, str], list[Row]] = {}
        for row in rows:
            if row.model or row.card:
                pairs.setdefault((row.model, row.card), []).append(row)
        self.unplaced += not pairs
        for pair, told in pairs.items():
            self.reached.setdefault(pair, _Reached()).take(entry, told, mention)

    def _list(self, mention: Mention) -> None:
        """Keep it in mind if it is one of the latest, or one that may go soon."""
        keys = (mention.added, mention.id)
        if len(self.latest) < self.limits.latest:
            heapq.heappush(self.latest, (*keys, mention))
        elif keys > self.latest[0][:2]:
            heapq.heapreplace(self.latest, (*keys, mention))
        if mention.keep_until and mention.keep_until <= self.soon.isoformat():
            self.leaving_total += 1
            self.leaving.append(mention)
            self.leaving = sorted(self.leaving, key=_leaves)[: self.limits.leaving]

    def _mentioned(self, entry: Counted) -> Mention:
        return Mention(
            id=entry.id,
            kind=entry.kind,
            title=entry.title,
            date=entry.date,
            added=entry.added,
            keep_until=entry.keep_until,
            superseded_by=self.replaced.get(entry.id, ()),
        )

    def holdings(self) -> Holdings:
        """What was counted."""
        most = heapq.nsmallest(self.limits.meetings, self.reached.items(), key=_most_entries)
        shown = sorted(most, key=_by_names)
        pairs = self.reached
        return Holdings(
            archive=self.scope.archive,
            day=self.scope.day.isoformat(),
            soon=self.soon.isoformat(),
            kinds=dict(sorted(self.kinds.items())),
            files=self.files,
            num_bytes=self.num_bytes,
            superseded=self.superseded,
            withheld=self.withheld[CONFIDENTIAL],
            withheld_internal=self.withheld[INTERNAL],
            confidential=self.levels[CONFIDENTIAL],
            internal=self.levels[INTERNAL],
            unplaced=self.unplaced,
            models=len({model for model, _ in pairs if model}),
            cards=len({card for _, card in pairs if card}),
            meetings=tuple(_meeting(pair, reached) for pair, reached in shown),
            answers=dict(Counter(answer_of(one.outcomes.keys()) for one in pairs.values())),
            named=tuple(_named(reached for _, reached in shown)),
            latest=tuple(one for _, _, one in sorted(self.latest, key=_added, reverse=True)),
            leaving=tuple(self.leaving),
            leaving_total=self.leaving_total,
            narrowed={key: part for key, part in self.scope.narrowed.items() if part},
        )


def _most_entries(item: tuple[tuple[str, str], _Reached]) -> tuple[int, str, str]:
    return -item[1].entries, item[0][1], item[0][0]


def _by_names(item: tuple[tuple[str, str], _Reached]) -> tuple[str, str, str, str]:
    model, card = item[0]
    return card.casefold(), model.casefold(), card, model


def _added(item: tuple[str, str, Mention]) -> tuple[str, str]:
    return item[:2]


def _dated(mention: Mention) -> tuple[str, str]:
    return mention.date, mention.id


def _leaves(mention: Mention) -> tuple[str, str]:
    return mention.keep_until, mention.id


def _meeting(pair: tuple[str, str], reached: _Reached) -> Meeting:
    model, card = pair
    return Meeting(
        model=model,
        card=card,
        entries=reached.entries,
        verdicts=tuple(_tallies(reached, VERDICTS)),
        runs=tuple(_tallies(reached, RUNS)),
        ranges=tuple(_range(key, told) for key, told in sorted(reached.ranges.items())),
    )


def _tallies(reached: _Reached, outcomes: tuple[str, ...]) -> Iterator[Tally]:
    for outcome in outcomes:
        if outcome in reached.outcomes:
            count, few = reached.outcomes[outcome]
            ids = tuple(one.id for _, one in few)
            yield Tally(outcome=outcome, count=count, newest=few[0][1].date, entries=ids)


def _range(key: tuple[str, str], told: tuple[Fraction, Fraction, int]) -> Range:
    (quantity, unit), (low, high, entries) = key, told
    return Range(quantity=quantity, unit=unit, low=low, high=high, entries=entries)


def _named(shown: Iterable[_Reached]) -> list[Mention]:
    """Every entry that a shown meeting names, once, the latest first."""
    tallies = (few for reached in shown for _, few in reached.outcomes.values())
    each = {one.id: one for few in tallies for _, one in few}
    return sorted(each.values(), key=_dated, reverse=True)
